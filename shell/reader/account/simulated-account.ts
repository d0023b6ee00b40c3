// A copy of a wallet's account, or a made-up portfolio, judged by the core's own margin functions at the current marks. Never changes the
// state. Money micros, sizes 1e-6 contracts.

import { PERP } from '../../../core/codec/commands.ts';
import { createAccounts, PORTFOLIO, type Accounts } from '../../../core/accounts/accounts.ts';
import { orderRemaining, orderSide, setRemaining } from '../../../core/book/pool.ts';
import { isSafe, mulDivHalfUp } from '../../../core/math/exact.ts';
import { addReserve, createMarginCache, fill, forgetInstrument, forgetMargin, isSummed,
  type Margin } from '../../../core/margin/account-margin.ts';
import { forgetPortfolios } from '../../../core/margin/portfolio-sums.ts';
import { orderFee } from '../../../core/margin/standard.ts';
import { youngerOrder, youngerReduceOnly } from '../../../core/orders/orders.ts';
import { pendingFunding, touchFunding } from '../../../core/positions/funding.ts';
import { applyFill, canHold, closeIfEmpty, createHoldings, openHolding, profitOf } from '../../../core/positions/holdings.ts';
import { reducible } from '../../../core/trading/reduce-only.ts';
import { BUY, CONTRACT } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';

export const OWN = 0;

export type AccountState = Pick<
  State, 'accounts' | 'funding' | 'holdings' | 'instruments' | 'limits' | 'orders' | 'settings' | 'valuation'
>;

export type SimulatedOrder = { readonly slot: number; readonly side: number; readonly size: number; readonly price: number };

export class SimulatedAccount {
  readonly margin: Margin & { readonly accounts: Accounts };
  readonly #state: AccountState;
  readonly #ids: Float64Array;
  readonly #settings: Float64Array;

  constructor(state: AccountState) {
    const { instruments, limits, settings, valuation, funding, orders } = state;
    const own = { ...limits, accounts: 1, holdings: instruments.capacity };
    this.#state = state;
    this.#ids = new Float64Array(instruments.capacity);
    this.#settings = settings.values.slice();
    this.margin = {
      settings, instruments, valuation, funding, accounts: createAccounts(1), holdings: createHoldings(own.holdings),
      cache: createMarginCache(own),
      orders: { ...orders, books: { ...orders.books, sizes: new Float64Array(orders.books.sizes.length) } },
    };
  }

  open(cash: number, mode: number): void {
    const { accounts, cache, holdings } = this.margin;
    for (let link = accounts.holdingHead[OWN]!; link !== 0; link = accounts.holdingHead[OWN]!) {
      const row = link - 1;
      holdings.position[row] = holdings.cost[row] = 0;
      holdings.bidSize[row] = holdings.askSize[row] = holdings.orderHead[row] = holdings.reduceOnly[row] = 0;
      closeIfEmpty(holdings, accounts, row);
    }
    if (this.#settings.some((value, at) => value !== this.#state.settings.values[at])) {
      this.#settings.set(this.#state.settings.values);
      forgetMargin(cache, 1);
    }
    accounts.cash[OWN] = cash;
    accounts.positions[OWN] = 0;
    accounts.mode[OWN] = mode;
  }

  copy(account: number): void {
    const { accounts, holdings } = this.#state;
    const own = this.margin.holdings;
    this.open(accounts.cash[account]!, accounts.mode[account]!);
    this.margin.accounts.positions[OWN] = accounts.positions[account]!;
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

  #copyRemaining(oldest: number): void {
    const { orders } = this.#state;
    const { books } = this.margin.orders;
    for (let slot = oldest; slot !== 0; slot = youngerOrder(orders, slot)) setRemaining(books, slot, orderRemaining(orders.books, slot));
  }

  rowOf(slot: number): number {
    const { accounts, holdings } = this.margin;
    if (this.#ids[slot] !== this.#state.instruments.id[slot]) {
      this.#ids[slot] = this.#state.instruments.id[slot]!;
      forgetInstrument(this.margin, slot);
    }
    return openHolding(holdings, accounts, OWN, slot);
  }

  /** `cost`: total, signed like the position. A perp owes no funding yet. */
  addPosition(slot: number, position: number, cost: number): void {
    const { accounts, funding, holdings } = this.margin;
    const row = this.rowOf(slot);
    const before = holdings.position[row]!;
    holdings.position[row] = before + position;
    accounts.positions[OWN]! += Number(before + position !== 0) - Number(before !== 0);
    holdings.cost[row]! += cost;
    touchFunding(funding, holdings, row);
  }

  /** The order is taker at its price, fee included, whatever the funds. */
  fillOrder({ slot, side, size, price }: SimulatedOrder): boolean {
    const { accounts, funding, holdings, instruments } = this.margin;
    const row = this.rowOf(slot);
    const delta = side === BUY ? size : -size;
    const amount = mulDivHalfUp(delta, price, CONTRACT);
    if (!isSafe(amount) || !canHold(holdings, row, delta, amount)) return false;
    const isPerp = instruments.kind[slot] === PERP;
    const owed = isPerp ? pendingFunding(funding, holdings, row) : 0;
    const gained = isPerp ? profitOf(holdings, row, delta, amount) : -amount;
    accounts.cash[OWN]! += gained - owed - orderFee(this.margin, slot, price, size);
    touchFunding(funding, holdings, row);
    applyFill(holdings, accounts, row, delta, amount, 0);
    this.#fitReduceOnly(row);
    return true;
  }

  /** Does as core/trading/reduce-only. An order with nothing left counts nowhere. */
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

  /** `removeOrders` must follow. */
  addOrders(orders: readonly SimulatedOrder[], mode: number): boolean {
    const { accounts, holdings } = this.margin;
    accounts.mode[OWN] = mode;
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

  removeOrders(orders: readonly SimulatedOrder[]): void {
    const { holdings } = this.margin;
    for (const { slot, side, size } of orders) {
      const row = this.rowOf(slot);
      if (side === BUY) holdings.bidSize[row]! -= size;
      else holdings.askSize[row]! -= size;
    }
  }

  sumScenarios(): void {
    this.#fill(PORTFOLIO);
  }

  #fill(mode: number): void {
    const { cache } = this.margin;
    forgetPortfolios(cache.portfolios, cache.filledAt);
    fill(this.margin, OWN, mode);
  }
}
