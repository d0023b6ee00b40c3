// An account beside the state: a copy of a wallet's cash and holdings, or a portfolio that nobody has, in stores of its own,
// judged by the core's own margin functions at the marks in force. Open orders of the wallet stay where they are and are
// only read, all but what remains of them, which a reduce-only order loses with its position; orders that are not there are
// entered as the core enters one that comes to rest. Settings, instruments, marks and orders are the venue's; everything written
// is the trial's. Money micros, sizes 1e-6 contracts. Never changes the state.

import { PERP } from '../../../core/codec/commands.ts';
import { createAccounts, PORTFOLIO, type Accounts } from '../../../core/accounts/accounts.ts';
import { orderRemaining, orderSide, setRemaining } from '../../../core/book/pool.ts';
import { mulDivHalfUp } from '../../../core/math/exact.ts';
import { addReserve, createMarginCache, fill, forgetInstrument, forgetMargin, isSummed,
  type Margin } from '../../../core/margin/account.ts';
import { forgetRecords } from '../../../core/margin/records.ts';
import { orderFee } from '../../../core/margin/standard.ts';
import { youngerOrder, youngerReduceOnly } from '../../../core/orders/orders.ts';
import { pendingFunding, touchFunding } from '../../../core/positions/funding.ts';
import { applyFill, closeIfEmpty, createHoldings, openHolding, profitOf } from '../../../core/positions/holdings.ts';
import { reducible } from '../../../core/trading/reduce.ts';
import { BUY, CONTRACT } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';

/** The trial's only account. */
export const OWN = 0;

/** `price` in price units. */
export type TrialOrder = { readonly slot: number; readonly side: number; readonly size: number; readonly price: number };

export class Trial {
  readonly margin: Margin & { readonly accounts: Accounts };
  readonly #state: State;
  /** Per slot: the instrument that the margin cache knows there. */
  readonly #ids: Float64Array;
  readonly #settings: Float64Array;

  constructor(state: State) {
    const { instruments, limits, settings, valuation, funding, orders } = state;
    // One row for each instrument is all that an account can have.
    const own = { ...limits, accounts: 1, holdings: instruments.capacity };
    this.#state = state;
    this.#ids = new Float64Array(instruments.capacity);
    this.#settings = settings.values.slice();
    this.margin = {
      settings, instruments, valuation, funding, accounts: createAccounts(1), holdings: createHoldings(own.holdings),
      cache: createMarginCache(own),
      // The same slots; memory that no order of a trial ever touched costs nothing.
      orders: { ...orders, books: { ...orders.books, sizes: new Float64Array(orders.books.sizes.length) } },
    };
  }

  /** An account without holdings. */
  open(cash: number, mode: number): void {
    const { accounts, cache, holdings } = this.margin;
    for (let link = accounts.holdingHead[OWN]!; link !== 0; link = accounts.holdingHead[OWN]!) {
      const row = link - 1;
      holdings.position[row] = holdings.bidSize[row] = holdings.askSize[row] = holdings.orderHead[row] = holdings.reduceOnly[row] = 0;
      closeIfEmpty(holdings, accounts, row);
    }
    if (this.#settings.some((value, at) => value !== this.#state.settings.values[at])) {
      this.#settings.set(this.#state.settings.values);
      forgetMargin(cache, 1);
    }
    accounts.cash[OWN] = cash;
    accounts.mode[OWN] = mode;
  }

  /** A copy of an account of the venue, with its open orders. */
  copy(account: number): void {
    const { accounts, holdings } = this.#state;
    const own = this.margin.holdings;
    this.open(accounts.cash[account]!, accounts.mode[account]!);
    for (let link = accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
      const from = link - 1;
      const row = this.rowOf(holdings.instrument[from]!);
      own.position[row] = holdings.position[from]!;
      own.cost[row] = holdings.cost[from]!;
      own.funding[row] = holdings.funding[from]!;
      own.bidSize[row] = holdings.bidSize[from]!;
      own.askSize[row] = holdings.askSize[from]!;
      own.orderHead[row] = holdings.orderHead[from]!;
      own.reduceOnly[row] = holdings.reduceOnly[from]!;
      this.#copyRemaining(own.orderHead[row]!);
    }
  }

  /** Of all orders of a holding, from its oldest one on. */
  #copyRemaining(oldest: number): void {
    const { orders } = this.#state;
    const { books } = this.margin.orders;
    for (let slot = oldest; slot !== 0; slot = youngerOrder(orders, slot)) setRemaining(books, slot, orderRemaining(orders.books, slot));
  }

  /** The row of an instrument, opened empty when there is none. */
  rowOf(slot: number): number {
    const { accounts, holdings } = this.margin;
    if (this.#ids[slot] !== this.#state.instruments.id[slot]) {
      this.#ids[slot] = this.#state.instruments.id[slot]!;
      forgetInstrument(this.margin, slot);
    }
    return openHolding(holdings, accounts, OWN, slot);
  }

  /** A position more, at what it cost in all (signed as the position); a perp's costs nothing in funding so far. */
  hold(slot: number, position: number, cost: number): void {
    const { funding, holdings } = this.margin;
    const row = this.rowOf(slot);
    holdings.position[row]! += position;
    holdings.cost[row]! += cost;
    touchFunding(funding, holdings, row);
  }

  /** Fills an order at its price as its taker, whatever its funds: what the core books for it, fee included. */
  take({ slot, side, size, price }: TrialOrder): void {
    const { accounts, funding, holdings, instruments } = this.margin;
    const row = this.rowOf(slot);
    const delta = side === BUY ? size : -size;
    const amount = mulDivHalfUp(delta, price, CONTRACT);
    const isPerp = instruments.kind[slot] === PERP;
    const owed = isPerp ? pendingFunding(funding, holdings, row) : 0;
    const gained = isPerp ? profitOf(holdings, row, delta, amount) : -amount;
    accounts.cash[OWN]! += gained - owed - orderFee(this.margin, slot, price, size);
    touchFunding(funding, holdings, row);
    applyFill(holdings, accounts, row, delta, amount, 0);
    this.#fitReduceOnly(row);
  }

  /** As the core fits them to the position (core/trading/reduce); one of which nothing remains counts nowhere any more. */
  #fitReduceOnly(row: number): void {
    const { holdings, orders } = this.margin;
    const { books } = orders;
    for (let slot = holdings.reduceOnly[row]!; slot !== 0; slot = youngerReduceOnly(orders, slot)) {
      const side = orderSide(books, slot);
      const before = orderRemaining(books, slot);
      const after = Math.min(before, reducible(holdings.position[row]!, side));
      if (side === BUY) holdings.bidSize[row]! += after - before;
      else holdings.askSize[row]! += after - before;
      setRemaining(books, slot, after);
    }
  }

  /**
   * Sums the account in `mode` with `orders` open behind its own; `unrest` has to follow. False when a sum is beyond the
   * exact range.
   */
  rest(orders: readonly TrialOrder[], mode: number): boolean {
    const { accounts, holdings } = this.margin;
    accounts.mode[OWN] = mode;
    // A record is made of all rows that there are when it is filled: first come the rows.
    const rows = orders.map(({ slot }) => this.rowOf(slot));
    this.#fill(mode);
    orders.forEach(({ side, size, price }, at) => {
      const row = rows[at]!;
      if (side === BUY) holdings.bidSize[row]! += size;
      else holdings.askSize[row]! += size;
      addReserve(this.margin, OWN, row, side, price, size);
    });
    return isSummed(this.margin, OWN);
  }

  /** Takes the orders of `rest` back. */
  unrest(orders: readonly TrialOrder[]): void {
    const { holdings } = this.margin;
    for (const { slot, side, size } of orders) {
      const row = this.rowOf(slot);
      if (side === BUY) holdings.bidSize[row]! -= size;
      else holdings.askSize[row]! -= size;
    }
  }

  /** The same rows summed for their scenarios, whatever the mode. */
  scan(): void {
    this.#fill(PORTFOLIO);
  }

  #fill(mode: number): void {
    const { cache } = this.margin;
    // Records of this vintage would be taken for those of the rows as they are now.
    forgetRecords(cache.records, cache.filledAt);
    fill(this.margin, OWN, mode);
  }
}
