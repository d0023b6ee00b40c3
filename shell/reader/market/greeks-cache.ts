// Greeks of each contract, and implied volatilities of its mark, best bid and best ask; cached per vintage, so they match its index,
// surface and time. Volatilities are fractions, NaN if there is none. Units of greeks: core/pricing/black76.

import { bestAsk, bestBid } from '../../../core/book/books.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { DELTA, GAMMA, GREEKS_LENGTH, RHO, THETA, VEGA } from '../../../core/pricing/black76.ts';
import { ACTIVE } from '../../../core/instruments/instruments.ts';
import { BUY, SELL } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import type { RiskPoint } from '../../storage/history/protocol.ts';
import { flat } from '../text.ts';
import { SIGMA, writeContractGreeks } from './contract-greeks.ts';
import { volatilityOf } from './volatility.ts';

export const MARK_IV = GREEKS_LENGTH + 1;
const WIDTH = GREEKS_LENGTH + 2;
const STATUSES = 8;
const SHOWN = 1e6;

export class GreeksCache {
  readonly values: Float64Array;
  readonly #state: State;
  readonly #contract: Float64Array;
  readonly #vintage: Float64Array;
  readonly #texts: string[] = [];
  /** By slot and side: the price last asked for (0: none) and its volatility. */
  readonly #quote: Float64Array;
  readonly #quoteSigma: Float64Array;

  constructor(state: State) {
    const { capacity } = state.instruments;
    this.#state = state;
    this.values = new Float64Array(capacity * WIDTH);
    this.#contract = new Float64Array(capacity);
    this.#vintage = new Float64Array(capacity);
    this.#quote = new Float64Array(capacity * 2);
    this.#quoteSigma = new Float64Array(capacity * 2);
  }

  hasMarks(slot: number): boolean {
    const { instruments, valuation } = this.#state;
    return valuation.markIndex[instruments.underlying[slot]!]! > 0;
  }

  at(slot: number): number {
    const { instruments, valuation } = this.#state;
    const vintage = valuation.vintage[instruments.underlying[slot]!]!;
    const contract = instruments.id[slot]! * STATUSES + instruments.status[slot]!;
    if (this.#vintage[slot] !== vintage || this.#contract[slot] !== contract) {
      this.#vintage[slot] = vintage;
      this.#contract[slot] = contract;
      this.#make(slot);
    }
    return slot * WIDTH;
  }

  greeksText(slot: number): string {
    this.at(slot);
    return this.#texts[slot] ||= flat(this.#writeGreeks(slot * WIDTH));
  }

  quoted(slot: number, side: number, price: number): number {
    this.at(slot);
    const quote = slot * 2 + side;
    if (this.#quote[quote] !== price) {
      this.#quote[quote] = price;
      this.#quoteSigma[quote] = volatilityOf(this.#state, slot, price);
    }
    return this.#quoteSigma[quote]!;
  }

  riskOf(slot: number): RiskPoint {
    const { books, instruments: { openInterest } } = this.#state;
    const row = this.at(slot);
    const { values } = this;
    const quoted = (side: number, key: number): number | null => (key < 0 ? null : shownSigma(this.quoted(slot, side, priceOfKey(key))));
    return {
      markIv: shownSigma(values[row + MARK_IV]!), bidIv: quoted(BUY, bestBid(books, slot)), askIv: quoted(SELL, bestAsk(books, slot)),
      delta: values[row + DELTA]!, gamma: values[row + GAMMA]!, vega: values[row + VEGA]!, theta: values[row + THETA]!,
      openInterest: openInterest[slot]!,
    };
  }

  #make(slot: number): void {
    const { instruments, valuation } = this.#state;
    const row = slot * WIDTH;
    this.#texts[slot] = '';
    this.#quote[slot * 2] = this.#quote[slot * 2 + 1] = 0;
    writeContractGreeks(this.#state, slot, this.values, row);
    this.values[row + MARK_IV] = NaN;
    if (instruments.status[slot] !== ACTIVE || instruments.kind[slot] === PERP) return;
    const implied = volatilityOf(this.#state, slot, valuation.mark[slot]!);
    const sigma = this.values[row + SIGMA]!;
    this.values[row + MARK_IV] = valuation.mark[slot] === valuation.theo[slot] && !Number.isNaN(implied) ? sigma : implied;
  }

  #writeGreeks(row: number): string {
    const { values } = this;
    return `{"delta":${values[row + DELTA]!},"gamma":${values[row + GAMMA]!},"vega":${values[row + VEGA]!},`
      + `"theta":${values[row + THETA]!},"rho":${values[row + RHO]!}}`;
  }
}

export function sigmaText(sigma: number): string {
  return String(shownSigma(sigma));
}

function shownSigma(sigma: number): number | null {
  return Number.isNaN(sigma) ? null : Math.round(sigma * SHOWN) / SHOWN;
}
