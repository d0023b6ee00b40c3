// Whose turn it is to ask the reader for a snapshot. A network source has a few under way on this thread, however many connections
// it has: the rest waits here in the order it came. A connection itself asks for as few at a time (subscriptions.ts), so of two with a
// thousand symbols each gets a few in turns, and between another's read and its answer stand a few of each source.

import { BOUNDS } from '../http/limits.ts';

/** What asks; `heard` is called once, now or later, when the answer is here or none will come. */
type Ask = (heard: () => void) => void;
type Row = { open: number; isGoingOn: boolean; readonly waiting: Ask[] };

export class Asking {
  readonly #rows = new Map<string, Row>();

  /** `ask` is called now or in its turn. */
  take(source: string, ask: Ask): void {
    const row = this.#rows.get(source) ?? { open: 0, isGoingOn: false, waiting: [] };
    this.#rows.set(source, row);
    row.waiting.push(ask);
    this.#goOn(source, row);
  }

  /** A loop and no recursion: some are heard at once. */
  #goOn(source: string, row: Row): void {
    if (row.isGoingOn) return;
    row.isGoingOn = true;
    while (row.open < BOUNDS.snapshotsAsked && row.waiting.length > 0) {
      row.open++;
      row.waiting.shift()!(() => {
        row.open--;
        this.#goOn(source, row);
      });
    }
    row.isGoingOn = false;
    if (row.open === 0) this.#rows.delete(source);
  }
}
