// Counters of everything the venue streams: each stream's seq is a number of the core's state, so it has no gap, and is
// the same after a restart, on every worker and on a replica. Counted here, turned into messages by the reader.
// Streams: trades and book changes per instrument (one book change a command); ticks of the index and changes of the options
// chain per underlying; index prices and changes of markets of the whole venue; what an account is told (account-streams).

import { fixedSection, float64, int32, type Section, uint8 } from './columns.ts';
import { accountStreamSections, createAccountStreams, type AccountStreams } from './account-streams.ts';

export type Streams = {
  readonly accounts: AccountStreams;
  readonly trades: Float64Array;
  readonly books: Float64Array;
  /** Prices of an underlying that were used: the stream of its candles. */
  readonly ticks: Float64Array;
  /** What could change a row of the options chain of an underlying: a book, new marks, a contract that comes or goes. */
  readonly chains: Float64Array;
  /** INDEX_PRICES: the ticks of all underlyings; MARKET_UPDATES: options listed, expired and deleted. */
  readonly venue: Float64Array;
  /** Instruments whose book the command in hand has changed; empty between commands, so it is no state. */
  readonly touched: Int32Array;
  readonly isTouched: Uint8Array;
  touchedCount: number;
};

/** Places in `venue`. */
export const INDEX_PRICES = 0;
export const MARKET_UPDATES = 1;

export function createStreams(accounts: number, instruments: number, underlyings: number): Streams {
  return {
    accounts: createAccountStreams(accounts), trades: float64(instruments), books: float64(instruments),
    ticks: float64(underlyings), chains: float64(underlyings), venue: float64(2),
    touched: int32(instruments), isTouched: uint8(instruments), touchedCount: 0,
  };
}

/** Notes that the command in hand changed the book of the instrument. */
export function touchBook(streams: Streams, instrument: number): void {
  if (streams.isTouched[instrument] !== 0) return;
  streams.isTouched[instrument] = 1;
  streams.touched[streams.touchedCount++] = instrument;
}

/** Counts a price of an underlying that was used. */
export function countTick(streams: Streams, underlying: number): void {
  streams.ticks[underlying]++;
  streams.venue[INDEX_PRICES]++;
}

/** Counts an option of an underlying that is listed, expires or is deleted. */
export function countMarket(streams: Streams, underlying: number): void {
  streams.chains[underlying]++;
  streams.venue[MARKET_UPDATES]++;
}

/** `accounts` and `instruments` tell how many rows are in use. */
export function streamSections(streams: Streams, accounts: () => number, instruments: () => number): readonly Section[] {
  return [
    { name: 'streams.trades', column: streams.trades, used: instruments },
    { name: 'streams.books', column: streams.books, used: instruments },
    fixedSection('streams.ticks', streams.ticks), fixedSection('streams.chains', streams.chains),
    fixedSection('streams.venue', streams.venue), ...accountStreamSections(streams.accounts, accounts),
  ];
}
