// Sequence counters of all public streams. As state, they have no gaps and are the same after a restart, on every worker and replica. The
// reader makes the messages.

import { fixedSection, float64, int32, type Section, uint8 } from './columns.ts';
import { accountStreamSections, createAccountStreams, type AccountStreams } from './account-streams.ts';

export type Streams = {
  readonly accounts: AccountStreams;
  readonly trades: Float64Array;
  readonly books: Float64Array;
  /** Index prices in use: the stream of an underlying's candles. */
  readonly ticks: Float64Array;
  /** Changes to an option chain: books, marks, listed or removed contracts. */
  readonly chains: Float64Array;
  /** INDEX_PRICES: ticks of all underlyings. MARKET_UPDATES: options listed, expired, deleted; trading modes. */
  readonly venue: Float64Array;
  /** Instruments whose book the current command changed; empty between commands, so not state. */
  readonly touched: Int32Array;
  readonly isTouched: Uint8Array;
  touchedCount: number;
};

export const INDEX_PRICES = 0;
export const MARKET_UPDATES = 1;

export function createStreams(accounts: number, instruments: number, underlyings: number): Streams {
  return {
    accounts: createAccountStreams(accounts), trades: float64(instruments), books: float64(instruments),
    ticks: float64(underlyings), chains: float64(underlyings), venue: float64(2),
    touched: int32(instruments), isTouched: uint8(instruments), touchedCount: 0,
  };
}

export function touchBook(streams: Streams, instrument: number): void {
  if (streams.isTouched[instrument] !== 0) return;
  streams.isTouched[instrument] = 1;
  streams.touched[streams.touchedCount++] = instrument;
}

export function countTick(streams: Streams, underlying: number): void {
  streams.ticks[underlying]++;
  streams.venue[INDEX_PRICES]++;
}

export function countMarket(streams: Streams, underlying: number): void {
  streams.chains[underlying]++;
  streams.venue[MARKET_UPDATES]++;
}

export function countVenueMode({ venue }: Streams): void {
  venue[MARKET_UPDATES]++;
}

export function streamSections(streams: Streams, accounts: () => number, instruments: () => number): readonly Section[] {
  return [
    { name: 'streams.trades', column: streams.trades, used: instruments },
    { name: 'streams.books', column: streams.books, used: instruments },
    fixedSection('streams.ticks', streams.ticks), fixedSection('streams.chains', streams.chains),
    fixedSection('streams.venue', streams.venue), ...accountStreamSections(streams.accounts, accounts),
  ];
}
