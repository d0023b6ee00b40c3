// The page's keys. Panels register theirs with `useKeys`; the help lists them all. Keys do nothing in a field, in a dialog, or with Ctrl,
// Alt or Meta.

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export type KeyBinding = {
  /** As `KeyboardEvent.key` names it, with `Shift+` before names longer than a letter. */
  readonly key: string;
  readonly what: string;
  /** Left out if the element with the focus acts: the row is only shown. */
  readonly run?: () => void;
  readonly isEverywhere?: boolean;
};

const FIELDS = 'input, textarea, select, [contenteditable]';
/** Elements that Enter and Space press. */
const PRESSED = 'a[href], button, summary, [role=gridcell], [role=columnheader], [role=rowheader], [role=tab], [role=separator]';

/** If two have the same key, the later one is used. */
export const keyBindings = signal<readonly KeyBinding[]>([]);

export function registerKeys(bindings: readonly KeyBinding[]): () => void {
  keyBindings.value = [...keyBindings.peek(), ...bindings];
  return () => { keyBindings.value = keyBindings.peek().filter((one) => !bindings.includes(one)); };
}

export function useKeys(bindings: readonly KeyBinding[]): void {
  const last = useRef(bindings);
  last.current = bindings;
  useEffect(() => registerKeys(bindings.map((binding, at) => (
    binding.run === undefined ? binding : { ...binding, run: () => last.current[at]?.run?.() }
  ))), []);
}

export function startKeys(): void {
  document.addEventListener('keydown', onKeyDown);
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
  const name = nameOf(event);
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  const binding = keyBindings.peek().findLast(({ key, run }) => key === name && run !== undefined);
  if (binding?.isEverywhere !== true) {
    const isInField = target.closest(FIELDS) !== null;
    const isInDialog = target.closest('[role=dialog]') !== null || document.querySelector('dialog[open]') !== null;
    if (isInField && !isInDialog && name === 'Escape') target.blur();
    if (isInField || isInDialog || binding === undefined) return;
    if ((name === 'Enter' || name === ' ') && target.closest(PRESSED) !== null) return;
  }
  event.preventDefault();
  if (!event.repeat) binding.run!();
}

/** Letters and signs have their case already. */
function nameOf({ key, shiftKey }: KeyboardEvent): string {
  return shiftKey && key.length > 1 ? `Shift+${key}` : key;
}
