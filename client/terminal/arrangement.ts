// Sizes of the areas and the panel shown in each. Remembered by the browser, and in the address as `layout=contract.300_main.chart`,
// without what is standard.

import { rememberedLayout } from './ui/remembered.ts';

type Sizes = { readonly contract: number; readonly ticket: number; readonly account: number };
export type Separated = keyof Sizes;
type Panels = Readonly<Record<string, string>>;

const STANDARD: Sizes = { contract: 260, ticket: 320, account: 220 };
/** Of the window: what an area of standard size has on a large screen. */
const SHARES: Sizes = { contract: 0.13, ticket: 0.105, account: 0.22 };
export const LEAST: Sizes = { contract: 180, ticket: 280, account: 80 };
export const MOST: Sizes = { contract: 700, ticket: 700, account: 900 };
export const SEPARATED = Object.keys(STANDARD) as readonly Separated[];
const PART = /^([a-z]{1,16})\.([0-9]{1,4}|[a-z][a-z0-9-]{0,31})$/;
const SIZE = /^[0-9]{1,4}$/;

export const sizes = rememberedLayout('layout', STANDARD, isSizes);
/** The id of the chosen panel by area. */
export const chosenPanels = rememberedLayout<Panels>('panels', {}, isTexts);

/** In a window of so many pixels. */
export function fitted(size: Sizes, { width, height }: { readonly width: number; readonly height: number }): Sizes {
  const of = (area: Separated, room: number): number => (
    size[area] === STANDARD[area] ? Math.min(MOST[area], Math.max(STANDARD[area], Math.round(room * SHARES[area]))) : size[area]
  );
  return { contract: of('contract', width), ticket: of('ticket', width), account: of('account', height) };
}

export function arrangementIn(query: string): { readonly sizes: Partial<Sizes>; readonly panels: Panels } {
  const found: { sizes: Partial<Record<Separated, number>>; panels: Record<string, string> } = { sizes: {}, panels: {} };
  for (const part of (new URLSearchParams(query).get('layout') ?? '').split('_')) {
    const [, area, value] = PART.exec(part) ?? [];
    if (area === undefined || value === undefined) continue;
    const size = SIZE.test(value) ? Number(value) : null;
    const separated = SEPARATED.find((one) => one === area);
    if (size === null) found.panels[area] = value;
    else if (separated !== undefined && isWithin(separated, size)) found.sizes[separated] = size;
  }
  return found;
}

export function arrangementText(size: Sizes, panels: Panels): string {
  const resized = SEPARATED.filter((area) => size[area] !== STANDARD[area]).map((area) => `${area}.${size[area]}`);
  return [...resized, ...Object.entries(panels).map(([area, id]) => `${area}.${id}`)].join('_');
}

/** What a link does not name stays as it is remembered. */
export function takeArrangement(query: string): void {
  const taken = arrangementIn(query);
  sizes.value = { ...sizes.value, ...taken.sizes };
  chosenPanels.value = { ...chosenPanels.value, ...taken.panels };
}

function isWithin(area: Separated, size: number): boolean {
  return size >= LEAST[area] && size <= MOST[area];
}

function isSizes(value: unknown): value is Sizes {
  return typeof value === 'object' && value !== null && SEPARATED.every((area) => {
    const size = (value as Partial<Sizes>)[area];
    return typeof size === 'number' && isWithin(area, size);
  });
}

function isTexts(value: unknown): value is Panels {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}
