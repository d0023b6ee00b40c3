// Profit that one fill realised. A FILL event tells what a holding has realised in all, after the fill; this keeps what it
// was before, per holding row. Micros. An index over the state: rebuilt from it, never saved.

import { findHolding, holdingRows } from '../../core/positions/holdings.ts';
import type { State } from '../../core/engine/state.ts';

export class RealizedProfit {
  readonly #state: State;
  readonly #before: Float64Array;
  /** Rows that the command in hand has changed, and those it may have closed. */
  readonly #touched: number[] = [];
  #isUnknown = false;

  constructor(state: State) {
    this.#state = state;
    this.#before = new Float64Array(state.limits.holdings);
    this.#before.set(state.holdings.realized.subarray(0, holdingRows(state.holdings)));
  }

  /** What the fill in hand realised, given what the holding has realised after it. */
  ofFill(account: number, instrument: number, after: number): number {
    const row = findHolding(this.#state.holdings, account, instrument);
    if (row < 0) throw new RangeError('a fill without a holding');
    const profit = after - this.#before[row]!;
    this.#before[row] = after;
    this.#touched.push(row);
    return profit;
  }

  /** An order of the holding ends, and with it perhaps the holding. */
  touch(account: number, instrument: number): void {
    const row = findHolding(this.#state.holdings, account, instrument);
    if (row >= 0) this.#touched.push(row);
  }

  /** Positions moved without a trade; their rows may be closed already, so every row is looked at. Rare. */
  touchAll(): void {
    this.#isUnknown = true;
  }

  /** At the end of a command: a row that was closed has forgotten what it realised. */
  settle(): void {
    const { holdings } = this.#state;
    if (this.#isUnknown) this.#before.set(holdings.realized.subarray(0, holdingRows(holdings)));
    this.#isUnknown = false;
    for (const row of this.#touched) this.#before[row] = this.#state.holdings.realized[row]!;
    this.#touched.length = 0;
  }
}
