// The state as its events tell it: balances, positions and open orders folded from events alone, in BigInt. It ends up
// equal to the core's arrays or the events leave something out; readers and streams rest on that.

import assert from 'node:assert/strict';
import { BUY, CONTRACT } from '../../core/units.ts';
import { DONE_FILLED } from '../../core/errors.ts';
import * as E from '../../core/codec/events.ts';
import type { State } from '../../core/engine/state.ts';
import { accountTotal, liveRows, openOrders } from '../support/raw.ts';

type ShadowOrder = { account: number; instrument: number; side: number; price: number; size: number; remaining: number };

/** price * size, rounded half up: the one amount of a trade (decision 2.4). */
export function tradeAmount(price: number, size: number): bigint {
  return (BigInt(price) * BigInt(size) * 2n + BigInt(CONTRACT)) / (2n * BigInt(CONTRACT));
}

export class Shadow {
  private readonly cash: bigint[] = [];
  private readonly positions = new Map<string, bigint>();
  private readonly orders = new Map<number, ShadowOrder>();
  /** Accepted by the command in hand and not yet resting or done. */
  private taker: ShadowOrder & { id: number } | null = null;
  private orderIds: number;
  private tradeIds: number;

  constructor(state: State) {
    this.orderIds = state.orders.counters[0]!;
    this.tradeIds = state.orders.counters[1]!;
  }

  apply(kind: number, f: Float64Array): void {
    if (kind === E.ACCOUNT_OPENED) {
      assert.equal(f[E.ACCOUNT], this.cash.length, 'events: accounts open in order');
      this.cash.push(BigInt(f[E.OPENED_BALANCE]!));
    } else if (kind === E.ORDER_ACCEPTED) this.accept(f);
    else if (kind === E.FILL) this.fill(f);
    else if (kind === E.ORDER_RESTED) this.rest(f);
    else if (kind === E.ORDER_DONE) this.done(f);
  }

  private accept(f: Float64Array): void {
    assert.equal(this.taker, null, 'events: two takers');
    assert.equal(f[E.ORDER_ID], ++this.orderIds, 'events: order ids have no gap');
    this.taker = {
      id: f[E.ORDER_ID]!, account: f[E.ACCOUNT]!, instrument: f[E.ORDER_INSTRUMENT]!, side: f[E.ORDER_SIDE]!, price: f[E.ORDER_PRICE]!,
      size: f[E.ORDER_SIZE]!, remaining: f[E.ORDER_SIZE]!,
    };
  }

  private fill(f: Float64Array): void {
    const taker = this.taker;
    const maker = this.orders.get(f[E.FILL_MAKER_ORDER]!);
    assert.ok(taker !== null && maker !== undefined, 'events: a fill of unknown orders');
    const size = f[E.FILL_SIZE]!;
    assert.equal(f[E.FILL_TRADE_ID], ++this.tradeIds, 'events: trade ids have no gap');
    assert.equal(f[E.FILL_PRICE], maker.price, 'events: a fill has the maker’s price');
    assert.ok(taker.side === BUY ? maker.price <= taker.price : maker.price >= taker.price, 'events: a fill beyond the limit');
    assert.ok(maker.account !== taker.account && maker.instrument === taker.instrument && maker.side !== taker.side, 'events: wrong maker');
    assert.ok(size > 0 && size === Math.min(maker.remaining, taker.remaining), 'events: a fill of the lesser size');
    maker.remaining -= size;
    taker.remaining -= size;
    assert.equal(f[E.FILL_MAKER_REST], maker.remaining);
    assert.equal(f[E.FILL_TAKER_REST], taker.remaining);
    const amount = tradeAmount(maker.price, size);
    const direction = taker.side === BUY ? 1n : -1n;
    this.move(taker.account, taker.instrument, direction * BigInt(size), -direction * amount);
    this.move(maker.account, taker.instrument, -direction * BigInt(size), direction * amount);
    assert.equal(BigInt(f[E.FILL_TAKER_CASH]!), this.cash[taker.account], 'events: taker’s balance after a fill');
    assert.equal(BigInt(f[E.FILL_MAKER_CASH]!), this.cash[maker.account], 'events: maker’s balance after a fill');
    assert.equal(BigInt(f[E.FILL_TAKER_POSITION]!), this.position(taker.account, taker.instrument));
    assert.equal(BigInt(f[E.FILL_MAKER_POSITION]!), this.position(maker.account, taker.instrument));
  }

  private rest(f: Float64Array): void {
    const taker = this.taker;
    assert.ok(taker !== null && taker.id === f[E.ORDER_ID], 'events: an unknown order rests');
    assert.equal(f[E.ORDER_FILLED], taker.size - taker.remaining);
    assert.equal(f[E.ORDER_REASON], taker.remaining);
    this.orders.set(taker.id, taker);
    this.taker = null;
  }

  private done(f: Float64Array): void {
    const id = f[E.ORDER_ID]!;
    const order = this.orders.get(id) ?? this.taker;
    assert.ok(order !== null, 'events: an unknown order is done');
    assert.equal(f[E.ORDER_FILLED], order.size - order.remaining, 'events: filled size of a done order');
    assert.equal(f[E.ORDER_REASON] === DONE_FILLED, order.remaining === 0, 'events: filled is filled');
    if (!this.orders.delete(id)) this.taker = null;
  }

  private move(account: number, instrument: number, size: bigint, amount: bigint): void {
    this.cash[account]! += amount;
    const key = `${account}/${instrument}`;
    const position = (this.positions.get(key) ?? 0n) + size;
    if (position === 0n) this.positions.delete(key);
    else this.positions.set(key, position);
  }

  private position(account: number, instrument: number): bigint {
    return this.positions.get(`${account}/${instrument}`) ?? 0n;
  }

  /** Compares with the state between commands. */
  check(state: State): void {
    assert.equal(this.taker, null, 'events: a taker without an end');
    assert.equal(this.cash.length, accountTotal(state));
    for (let account = 0; account < this.cash.length; account++) {
      assert.equal(BigInt(state.accounts.cash[account]!), this.cash[account], 'events: balance');
    }
    const held = liveRows(state).filter((row) => row.position !== 0);
    assert.equal(held.length, this.positions.size, 'events: number of positions');
    for (const row of held) assert.equal(BigInt(row.position), this.position(row.account, row.instrument), 'events: position');
    const open = openOrders(state);
    assert.equal(open.length, this.orders.size, 'events: number of open orders');
    for (const order of open) assert.equal(this.orders.get(order.id)?.remaining, order.remaining, 'events: remaining size');
  }
}
