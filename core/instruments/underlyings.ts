// The underlyings in the order they were added: the perp asset index (decision 1.5). A name is 1 to 8 of [A-Z0-9], packed in two u32, zero
// padded.

import { fixedSection, float64, type Section, uint32 } from '../columns.ts';

export type Underlyings = { readonly capacity: number; readonly counters: Float64Array; readonly name: Uint32Array };

export function createUnderlyings(capacity: number): Underlyings {
  return { capacity, counters: float64(1), name: uint32(capacity * 2) };
}

export function underlyingCount(underlyings: Underlyings): number {
  return underlyings.counters[0];
}

/** -1 if none. A venue has a few, so a scan is fastest. */
export function findUnderlying(underlyings: Underlyings, low: number, high: number): number {
  const count = underlyings.counters[0];
  for (let i = 0; i < count; i++) if (underlyings.name[i * 2] === low && underlyings.name[i * 2 + 1] === high) return i;
  return -1;
}

export function addUnderlying(underlyings: Underlyings, low: number, high: number): number {
  const at = underlyings.counters[0]++;
  underlyings.name[at * 2] = low;
  underlyings.name[at * 2 + 1] = high;
  return at;
}

export function underlyingSections(underlyings: Underlyings): readonly Section[] {
  return [
    fixedSection('underlyings.counters', underlyings.counters),
    { name: 'underlyings.name', column: underlyings.name, used: () => underlyings.counters[0] * 2 },
  ];
}
