// Counters of everything the venue streams: each stream's seq is a number of the core's state, so it has no gap, and is
// the same after a restart, on every worker and on a replica. Counted here, turned into messages by the reader.
// Streams: order updates and fills per account; trades and book changes per instrument (one book change a command).

import type { Section } from './store.ts';

export type Streams = {
  readonly orderUpdates: Float64Array;
  readonly fills: Float64Array;
  readonly trades: Float64Array;
  readonly books: Float64Array;
  /** Instruments whose book the command in hand has changed; empty between commands, so it is no state. */
  readonly touched: Int32Array;
  readonly isTouched: Uint8Array;
  touchedCount: number;
};

export function createStreams(accounts: number, instruments: number): Streams {
  return {
    orderUpdates: new Float64Array(accounts), fills: new Float64Array(accounts), trades: new Float64Array(instruments),
    books: new Float64Array(instruments), touched: new Int32Array(instruments), isTouched: new Uint8Array(instruments), touchedCount: 0,
  };
}

/** Notes that the command in hand changed the book of the instrument. */
export function touchBook(streams: Streams, instrument: number): void {
  if (streams.isTouched[instrument] !== 0) return;
  streams.isTouched[instrument] = 1;
  streams.touched[streams.touchedCount++] = instrument;
}

/** `accounts` and `instruments` tell how many rows are in use. */
export function streamSections(streams: Streams, accounts: () => number, instruments: () => number): readonly Section[] {
  return [
    { name: 'streams.orderUpdates', column: streams.orderUpdates, used: accounts },
    { name: 'streams.fills', column: streams.fills, used: accounts },
    { name: 'streams.trades', column: streams.trades, used: instruments },
    { name: 'streams.books', column: streams.books, used: instruments },
  ];
}
