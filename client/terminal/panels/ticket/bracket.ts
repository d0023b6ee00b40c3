// The stop and the target of a bracket share a link id, and its entry has it as its client id. So the page sees, after a reload too, that
// both have ended while a rest of the entry is still in the book: their link cannot end it.

import type { Order } from '../../../src/main.ts';

const OF_BRACKET = /^pair-\d+$/;
/** The three orders of a new bracket are told one after the other. */
const TOLD_WITHIN_MS = 2_000;

export function linkIdAt(timeMs: number): string {
  return `pair-${timeMs}`;
}

/** Partly filled entries whose stop and target have ended. `now`: the venue's time. */
export function restsOf(working: readonly Order[], now: number): readonly Order[] {
  const links = new Set(working.map(({ link_id: link }) => link));
  return working.filter(({ client_id: id, created_at: at, filled_size: filled }) => (
    id !== null && OF_BRACKET.test(id) && !links.has(id) && Number(filled) > 0 && at + TOLD_WITHIN_MS <= now
  ));
}
