// The last index price of each underlying before a day ago, to the minute; the history is asked once a minute. Prices 1e-6, times ms.

import { DAY, MINUTE } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import type { PriceRow, Rows } from '../../storage/history/protocol.ts';
import type { PricesByName } from '../market/instruments.ts';
import type { HistoryLink } from './link.ts';
import type { Names } from '../text.ts';

type Parts = {
  readonly state: State; readonly names: Names; readonly rows: Rows; readonly history: HistoryLink;
  readonly time: () => number;
};

export class DayAgoPrices {
  readonly #parts: Parts;
  #minute = NaN;
  #prices: PricesByName = new Map();
  #waiting: ((prices: PricesByName) => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  ask(take: (prices: PricesByName) => void): boolean {
    const minute = Math.floor((this.#parts.time() - DAY) / MINUTE) * MINUTE;
    if (minute === this.#minute) take(this.#prices);
    else if (this.#waiting.length > 0 || this.#load(minute)) this.#waiting.push(this.#parts.history.guard.bind(take));
    else return false;
    return true;
  }

  #load(minute: number): boolean {
    const { names, history, rows } = this.#parts;
    return history.ask({ name: 'pricesBefore', underlyings: names.underlyings(), time: minute }, (stored, appliedSeq) => {
      const prices = new Map((stored as PriceRow[]).map(({ underlying, price }) => [underlying, price]));
      for (const { seq, time: at, underlying, price } of rows.ticks) if (seq > appliedSeq && at < minute) prices.set(underlying, price);
      this.#minute = minute;
      this.#prices = prices;
      for (const take of this.#waiting.splice(0)) take(prices);
    });
  }
}
