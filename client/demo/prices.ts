// What contracts are worth to the traders of the demo: the venue's formula, at its theoretical volatilities and the newest index. USDC, ms
// of the venue.

import { impliedVolatility } from '../../core/pricing/implied.ts';
import { optionPrice } from '../../core/pricing/black76.ts';
import { YEAR } from '../../core/units.ts';
import type { OptionSummary, Strikebook } from '../src/main.ts';

export type Contract = {
  readonly symbol: string;
  /** Null for the perp. */
  readonly option: { readonly strike: number; readonly expiry: number; readonly isCall: boolean; readonly volatility: number } | null;
};

/** In its last minutes an option's price jumps with each sample of the settlement. */
const NOT_BEFORE_MS = 40 * 60_000;
/** Strikes farther from the index are not quoted, in deviations until expiry. */
const MOST_DEVIATIONS = 3;
const FALLBACK_VOLATILITY = 0.6;

export class Prices {
  readonly underlying: string;
  /** NaN before the first. */
  index = NaN;
  /** The perp, then options from the money outwards. */
  contracts: readonly Contract[] = [];
  /** The venue's clock less this machine's. */
  #ahead = 0;
  readonly #venue: Strikebook;
  readonly #clock: (() => number) | null;

  /** `clock`: the venue's, if it is known; else it is asked for. */
  constructor(venue: Strikebook, underlying: string, clock: (() => number) | null = null) {
    this.#venue = venue;
    this.underlying = underlying;
    this.#clock = clock;
  }

  now(): number {
    return this.#clock === null ? Date.now() + this.#ahead : this.#clock();
  }

  async readIndex(): Promise<void> {
    const { data: [perp] } = await this.#venue.get('/perps', { underlying: this.underlying });
    if (perp !== undefined && perp.index_price > 0) this.index = perp.index_price;
  }

  /** Contracts are listed and end, and volatilities move. */
  async readContracts(): Promise<void> {
    if (this.#clock === null) await this.#readClock();
    const rows = await this.#venue.get('/options-summary', { currency: this.underlying });
    const index = indexOf(rows);
    if (index === null) return;
    const options = rows.flatMap((row) => this.#contractOf(row, index)).sort((a, b) => this.#deviations(a) - this.#deviations(b));
    this.contracts = [{ symbol: `${this.underlying}-PERP`, option: null }, ...options];
  }

  async #readClock(): Promise<void> {
    const sent = Date.now();
    const { time_ms: time } = await this.#venue.get('/time', {});
    this.#ahead = time - (sent + Date.now()) / 2;
  }

  fairOf({ option }: Contract): number {
    if (option === null) return this.index;
    return optionPrice(option.isCall, this.index, option.strike, this.#yearsTo(option.expiry), option.volatility, 1);
  }

  #contractOf({ instrument_name: symbol, expiration_timestamp: expiry, theoretical_price: theo }: OptionSummary, index: number) {
    if (expiry < this.now() + NOT_BEFORE_MS) return [];
    const { strike, isCall } = termsOf(symbol);
    const implied = impliedVolatility(isCall, index, strike, this.#yearsTo(expiry), theo ?? NaN, 1);
    const volatility = implied > 0 && implied < 5 ? implied : FALLBACK_VOLATILITY;
    const contract: Contract = { symbol, option: { strike, expiry, isCall, volatility } };
    return this.#deviations(contract) <= MOST_DEVIATIONS ? [contract] : [];
  }

  #yearsTo(expiry: number): number {
    return Math.max(0, expiry - this.now()) / YEAR;
  }

  #deviations({ option }: Contract): number {
    if (option === null) return 0;
    return Math.abs(Math.log(option.strike / this.index)) / (option.volatility * Math.sqrt(this.#yearsTo(option.expiry)));
  }
}

/** By parity: theoretical prices may be older than the newest index. */
function indexOf(rows: readonly OptionSummary[]): number | null {
  const calls = new Map<string, OptionSummary>();
  let [nearest, found]: [number, number | null] = [Infinity, null];
  for (const row of rows) if (row.instrument_name.endsWith('C')) calls.set(row.instrument_name.slice(0, -1), row);
  for (const { instrument_name: symbol, theoretical_price: put, underlying_price: index } of rows) {
    const call = symbol.endsWith('P') ? calls.get(symbol.slice(0, -1))?.theoretical_price : undefined;
    const { strike } = termsOf(symbol);
    const distance = Math.abs(strike - index);
    if (call == null || put == null || distance >= nearest) continue;
    [nearest, found] = [distance, strike + call - put];
  }
  return found;
}

function termsOf(symbol: string): { readonly strike: number; readonly isCall: boolean } {
  return { strike: Number(symbol.split('-')[2]), isCall: symbol.endsWith('C') };
}
