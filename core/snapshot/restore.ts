// Loads a snapshot into a fresh state: the sections in order, then the indexes. Refuses one that does not fit and names the section.

import type { Section } from '../columns.ts';
import { rebuildState, stateSections, type State } from '../engine/state.ts';
import { usedBytes } from './hash.ts';

type SectionSource = { elements(name: string): number; fill(name: string, target: Uint8Array): void };

export function restoreState(state: State, source: SectionSource): void {
  for (const section of stateSections(state)) restoreSection(section, source);
  rebuildState(state);
}

function restoreSection(section: Section, source: SectionSource): void {
  const { column, name } = section;
  const elements = source.elements(name);
  if (elements < 0) throw new RangeError(`snapshot: section ${name} is missing`);
  if (elements > column.length) throw new RangeError(`snapshot: section ${name} holds ${elements}, room is ${column.length}`);
  source.fill(name, new Uint8Array(column.buffer, column.byteOffset, elements * column.BYTES_PER_ELEMENT));
  if (section.used() !== elements) throw new RangeError(`snapshot: section ${name} holds ${elements}, its counters say ${section.used()}`);
}

// for tests: a state is saved and loaded without a file
/** A copy of everything a state holds, as a source. */
export function copyOf(state: State): SectionSource {
  const sections = stateSections(state);
  const copies = sections.map((section) => ({ name: section.name, elements: section.used(), bytes: usedBytes(section).slice() }));
  const find = (name: string) => copies.find((copy) => copy.name === name);
  return {
    elements: (name) => find(name)?.elements ?? -1,
    fill: (name, target) => target.set(find(name)!.bytes),
  };
}
