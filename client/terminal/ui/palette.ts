// Colours and fonts for canvas, which does not know custom properties. Read anew when the theme changes.

import { signal } from '@preact/signals';

const COLOURS = ['text', 'soft', 'line', 'accent', 'up', 'down', 'panel', 'raised', 'nearest'] as const;

export type Palette = Readonly<Record<(typeof COLOURS)[number], string>> & {
  readonly font: string;
};

export const palette = signal(readPalette());

const readAgain = (): void => { palette.value = readPalette(); };
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', readAgain);
new MutationObserver(readAgain).observe(document.documentElement, { attributeFilter: ['data-theme'] });

/** `light-dark()` is only resolved for a property of an element. */
function readPalette(): Palette {
  const probe = document.createElement('span');
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const colours = COLOURS.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, style.color];
  });
  probe.style.font = 'var(--small) var(--figures)';
  const font = `${style.fontSize} ${style.fontFamily}`;
  probe.remove();
  return { ...Object.fromEntries(colours), font } as Palette;
}
