// The state rebuilt from events alone, in BigInt: balances, positions with their cost, and open orders. It must equal the core's arrays,
// otherwise events leave something out, on which readers and streams depend. From the state it reads only which instruments are perps
// and, when it starts in the middle of a run, the present values.

import assert from 'node:assert/strict';
import { BUY, CONTRACT } from '../../core/units.ts';
import { PERP } from '../../core/codec/commands.ts';
import { DONE_FILLED } from '../../core/errors.ts';
import * as E from '../../core/codec/events.ts';
import type { State } from '../../core/engine/state.ts';
import { MovementCheck } from '../../scripts/audit/movements.ts';
import { accountTotal, liveRows, openOrders } from '../support/raw.ts';

type ShadowOrder = { account: number; instrument: number; side: number; price: number; size: number; remaining: number };
type Position = { size: bigint; cost: bigint };

/** price * size, rounded half up: the one amount of a trade (decision 2.4). */
function tradeAmount(price: number, size: number): bigint {
  return (BigInt(price) * BigInt(size) * 2n + BigInt(CONTRACT)) / (2n * BigInt(CONTRACT));
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/** One key for an account and an instrument. */
function keyOf(account: number, instrument: number): number {
  return account * 2 ** 20 + instrument;
}

export class Shadow {
  private readonly state: State;
  private readonly cash: bigint[] = [];
  private readonly opening = new Map<number, bigint>();
  private readonly traded = new Set<number>();
  private readonly closed = new Set<number>();
  /** True if the account table was crowded; a pass that has begun continues to its end. */
  private isCrowded = false;
  private readonly positions = new Map<number, Position>();
  private readonly orders = new Map<number, ShadowOrder>();
  /** Ids of those that wait for a trigger. */
  private readonly waiting = new Set<number>();
  /** Orders accepted by the present command that neither rest nor are done yet. */
  private taker: ShadowOrder & { id: number } | null = null;
  /** The account ledger, of the same events. */
  private readonly movements: MovementCheck;
  private orderIds: number;
  private tradeIds: number;
  private payoutIds: number;

  /** Starts from the present state. */
  constructor(state: State) {
    this.state = state;
    this.movements = new MovementCheck(state);
    this.orderIds = state.orders.counters[0]!;
    this.tradeIds = state.orders.counters[1]!;
    this.payoutIds = state.payouts.counters[0]!;
    for (let account = 0; account < accountTotal(state); account++) {
      this.cash.push(BigInt(state.accounts.cash[account]!));
      if (state.accounts.free[account] !== 0) this.closed.add(account);
      if (state.streams.accounts.rows[account * 4 + 1] !== 0) this.traded.add(account);
    }
    this.isCrowded = state.reclaim.counters[3] !== 0;
    for (const row of liveRows(state)) {
      const key = keyOf(row.account, row.instrument);
      if (row.position !== 0) this.positions.set(key, { size: BigInt(row.position), cost: BigInt(row.cost) });
    }
    for (const order of openOrders(state)) {
      this.orders.set(order.id, { ...order });
      if (order.entry === 0) this.waiting.add(order.id);
    }
  }

  apply(kind: number, f: Float64Array): void {
    this.movements.onEvent(kind, f);
    switch (kind) {
      case E.CREDITED: this.pay(f[E.ACCOUNT]!, BigInt(f[E.CREDITED_AMOUNT]!), f[E.CREDITED_CASH]!); return;
      case E.ACCOUNT_OPENED:
        if (!this.closed.delete(f[E.ACCOUNT]!)) assert.equal(f[E.ACCOUNT], this.cash.length, 'events: accounts open in order');
        this.cash[f[E.ACCOUNT]!] = BigInt(f[E.OPENED_BALANCE]!);
        this.opening.set(f[E.ACCOUNT]!, this.cash[f[E.ACCOUNT]!]!);
        return;
      case E.ACCOUNT_CLOSED: this.close(f); return;
      case E.ORDER_ACCEPTED: this.accept(f); return;
      case E.FILL: this.fill(f); return;
      case E.ORDER_RESTED: this.rest(f); return;
      case E.ORDER_UNTRIGGERED: this.rest(f); this.waiting.add(f[E.ORDER_ID]!); return;
      case E.ORDER_TRIGGERED: this.trigger(f); return;
      case E.QUOTE_CHANGED: this.quote(f); return;
      case E.ORDER_SHRUNK: this.shrink(f); return;
      case E.ORDER_AMENDED: this.enterAgain(f); return;
      case E.ORDER_DONE: this.done(f); return;
      case E.FUNDING_PAID: this.pay(f[E.ACCOUNT]!, -BigInt(f[E.PAID_AMOUNT]!), f[E.PAID_CASH]!); return;
      case E.POSITION_SETTLED: this.settle(f); return;
      case E.TAKEN_OVER: this.takeOver(f); return;
      case E.DELEVERAGED: this.deleverage(f); return;
      case E.FUND_POSTED:
        this.pay(f[E.ACCOUNT]!, -BigInt(f[E.POSTED_AMOUNT]!), f[E.POSTED_CASH]!);
        this.pay(this.fund(), BigInt(f[E.POSTED_AMOUNT]!), f[E.POSTED_FUND_CASH]!);
        return;
      default:
    }
  }

  /** Decision 1.6: only one that never traded and holds nothing but what it was opened with, unused for 30 days, while 90 % are open. */
  private close(f: Float64Array): void {
    const { accounts, clock } = this.state;
    const account = f[E.ACCOUNT]!;
    assert.ok(this.cash[account] === BigInt(f[E.OPENED_BALANCE]!), 'events: what goes back is all that it has');
    const opening = this.opening.get(account);
    assert.ok(opening === undefined || opening === this.cash[account], 'events: closed with what it was opened with');
    assert.ok(!this.traded.has(account), 'events: an account that traded is closed');
    for (const order of this.orders.values()) assert.notEqual(order.account, account, 'events: an account with an order is closed');
    assert.ok(accounts.usedAt[account]! + 30 * 86_400_000 <= clock[1]!, 'events: an account in use is closed');
    assert.equal(accounts.tier[account], 0, 'events: an account of a tier of its own is closed');
    assert.ok(this.isCrowded, 'events: closed with room');
    this.cash[account] = 0n;
    this.closed.add(account);
  }

  /** The insurance fund's account: the one whose address no test wallet has. */
  private fund(): number {
    const { address } = this.state.accounts;
    for (let account = 0; account < this.cash.length; account++) if (address[account * 5 + 3] !== 7) return account;
    throw new Error('events: a posting of a fund that is not there');
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
    this.traded.add(f[E.FILL_TAKER]!).add(f[E.FILL_MAKER]!);
    const taker = this.taker;
    const maker = this.orders.get(f[E.FILL_MAKER_ORDER]!);
    assert.ok(taker !== null && maker !== undefined, 'events: a fill of unknown orders');
    assert.ok(!this.waiting.has(f[E.FILL_MAKER_ORDER]!), 'events: an order that waits is filled');
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
    this.cash[taker.account]! -= BigInt(f[E.FILL_TAKER_FEE]!);
    this.cash[maker.account]! -= BigInt(f[E.FILL_MAKER_FEE]!);
    this.trade(taker.account, taker.instrument, direction * BigInt(size), direction * amount);
    this.trade(maker.account, taker.instrument, -direction * BigInt(size), -direction * amount);
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

  /** It may be cut to its position, and its price to a band. */
  private trigger(f: Float64Array): void {
    const id = f[E.ORDER_ID]!;
    const order = this.orders.get(id);
    assert.ok(order !== undefined && this.waiting.delete(id) && this.taker === null, 'events: an order fires that does not wait');
    assert.ok(f[E.ORDER_SIZE]! > 0 && f[E.ORDER_SIZE]! <= order.remaining, 'events: size of a fired order');
    this.orders.delete(id);
    this.taker = { ...order, id, price: f[E.ORDER_PRICE]!, size: f[E.ORDER_SIZE]!, remaining: f[E.ORDER_SIZE]! };
  }

  /** A quote is one order for as long as it stands. */
  private quote(f: Float64Array): void {
    const id = f[E.ORDER_ID]!;
    const old = this.orders.get(id);
    const filled = old === undefined ? 0 : old.size - old.remaining;
    const remaining = f[E.ORDER_SIZE]! - f[E.ORDER_FILLED]!;
    assert.equal(this.taker, null, 'events: a quote never takes');
    assert.equal(f[E.ORDER_FILLED], filled, 'events: filled size of a quote');
    if (f[E.ORDER_REASON] !== E.QUOTE_OPEN) {
      assert.ok(old !== undefined, 'events: an unknown quote ends or shrinks');
      if (f[E.ORDER_REASON] === E.QUOTE_REMOVED) this.orders.delete(id);
      else {
        assert.ok(remaining > 0 && remaining < old.remaining && f[E.ORDER_PRICE] === old.price, 'events: a quote shrinks at its price');
        this.orders.set(id, { ...old, size: f[E.ORDER_SIZE]!, remaining });
      }
      return;
    }
    const [account, instrument, side] = [f[E.ACCOUNT]!, f[E.ORDER_INSTRUMENT]!, f[E.ORDER_SIDE]!];
    if (old === undefined) assert.equal(id, ++this.orderIds, 'events: a new quote has the next id');
    else assert.deepEqual([old.account, old.instrument, old.side], [account, instrument, side], 'events: a quote keeps its place');
    this.orders.set(id, { account, instrument, side, price: f[E.ORDER_PRICE]!, size: f[E.ORDER_SIZE]!, remaining });
  }

  private shrink(f: Float64Array): void {
    const order = this.orders.get(f[E.ORDER_ID]!);
    assert.ok(order !== undefined && f[E.ORDER_REASON]! > 0 && f[E.ORDER_REASON]! < order.remaining, 'events: an order shrinks to less');
    order.size -= order.remaining - f[E.ORDER_REASON]!;
    order.remaining = f[E.ORDER_REASON]!;
    assert.equal(f[E.ORDER_SIZE], order.size, 'events: size of a shrunk order');
  }

  /** What was filled stays; price and what is left are new. */
  private enterAgain(f: Float64Array): void {
    const id = f[E.ORDER_ID]!;
    const order = this.orders.get(id);
    assert.ok(order !== undefined && this.taker === null, 'events: an unknown order is amended');
    assert.equal(f[E.ORDER_FILLED], order.size - order.remaining, 'events: an amend changes what was filled');
    assert.equal(f[E.ORDER_SIZE], f[E.ORDER_FILLED]! + f[E.ORDER_REASON]!, 'events: size of an amended order');
    this.orders.delete(id);
    this.taker = { ...order, id, price: f[E.ORDER_PRICE]!, size: f[E.ORDER_SIZE]!, remaining: f[E.ORDER_REASON]! };
  }

  private done(f: Float64Array): void {
    const id = f[E.ORDER_ID]!;
    const order = this.orders.get(id) ?? this.taker;
    assert.ok(order !== null, 'events: an unknown order is done');
    assert.equal(f[E.ORDER_FILLED], order.size - order.remaining, 'events: filled size of a done order');
    assert.equal(f[E.ORDER_REASON] === DONE_FILLED, order.remaining === 0, 'events: filled is filled');
    this.waiting.delete(id);
    if (!this.orders.delete(id)) this.taker = null;
  }

  private settle(f: Float64Array): void {
    const [account, instrument] = [f[E.ACCOUNT]!, f[E.SETTLED_INSTRUMENT]!];
    assert.equal(f[E.SETTLED_PAYOUT_ID], ++this.payoutIds, 'events: payout ids have no gap');
    assert.equal(BigInt(f[E.SETTLED_POSITION]!), this.position(account, instrument), 'events: the position that is settled');
    assert.equal(f[E.SETTLED_NET], f[E.SETTLED_VALUE]! - f[E.SETTLED_COST]! - f[E.SETTLED_FEE]!, 'events: net of a settlement');
    this.positions.delete(keyOf(account, instrument));
    // A balance ends at 2^53 - 1; the rest stays with the house.
    const whole = this.cash[account]! + BigInt(f[E.SETTLED_VALUE]!);
    this.cash[account] = whole > MOST ? MOST : whole < -MOST ? -MOST : whole;
    this.pay(account, -BigInt(f[E.SETTLED_FEE]!), f[E.SETTLED_CASH]!);
  }

  private takeOver(f: Float64Array): void {
    const [account, instrument, size] = [f[E.ACCOUNT]!, f[E.OVER_INSTRUMENT]!, f[E.OVER_POSITION]!];
    const value = tradeAmount(f[E.OVER_PRICE]!, Math.abs(size)) * (size < 0 ? -1n : 1n);
    this.trade(account, instrument, -BigInt(size), -value);
    this.trade(this.fund(), instrument, BigInt(size), value);
    assert.equal(BigInt(f[E.OVER_CASH]!), this.cash[account], 'events: balance after a takeover');
    assert.equal(BigInt(f[E.OVER_FUND_POSITION]!), this.position(this.fund(), instrument), 'events: the fund’s position');
  }

  private deleverage(f: Float64Array): void {
    const [account, against, instrument] = [f[E.ACCOUNT]!, f[E.DELEVERAGED_AGAINST]!, f[E.DELEVERAGED_INSTRUMENT]!];
    const size = BigInt(f[E.DELEVERAGED_SIZE]!);
    const closing = this.position(account, instrument) > 0n ? -1n : 1n;
    // An indivisible micro goes to the counterparty.
    const product = BigInt(f[E.DELEVERAGED_PRICE]!) * size;
    const amount = (closing > 0n ? product + BigInt(CONTRACT) - 1n : product) / BigInt(CONTRACT);
    this.trade(account, instrument, closing * size, closing * amount);
    this.trade(against, instrument, -closing * size, -closing * amount);
    assert.equal(BigInt(f[E.DELEVERAGED_CASH]!), this.cash[account], 'events: balance after a deleveraging');
    assert.equal(BigInt(f[E.DELEVERAGED_AGAINST_CASH]!), this.cash[against], 'events: the other’s balance after a deleveraging');
    assert.equal(BigInt(f[E.DELEVERAGED_POSITION]!), this.position(account, instrument));
    assert.equal(BigInt(f[E.DELEVERAGED_AGAINST_POSITION]!), this.position(against, instrument));
  }

  private pay(account: number, amount: bigint, after: number): void {
    this.cash[account]! += amount;
    assert.equal(BigInt(after), this.cash[account], 'events: balance after a payment');
  }

  /** The amount of an option trade is paid in cash; that of a perp is its cost, and closing pays the profit. */
  private trade(account: number, instrument: number, size: bigint, amount: bigint): void {
    const key = keyOf(account, instrument);
    const { size: before, cost } = this.positions.get(key) ?? { size: 0n, cost: 0n };
    const after = before + size;
    const closes = before !== 0n && before > 0n !== size > 0n;
    const [whole, had] = [magnitude(size), magnitude(before)];
    const closed = whole < had ? whole : had;
    const closedAmount = closes ? amount * closed / whole : 0n;
    const closedCost = closes ? cost * closed / had : 0n;
    const isPerp = this.state.instruments.kind[instrument] === PERP;
    this.cash[account]! -= isPerp ? closedAmount + closedCost : amount;
    if (after === 0n) this.positions.delete(key);
    else this.positions.set(key, { size: after, cost: cost - closedCost + amount - closedAmount });
  }

  private position(account: number, instrument: number): bigint {
    return this.positions.get(keyOf(account, instrument))?.size ?? 0n;
  }

  /** Compares with the state between commands. */
  check(state: State): void {
    assert.equal(this.taker, null, 'events: a taker without an end');
    assert.equal(this.movements.fault(), null, 'events: the ledger sums to the cash');
    assert.equal(this.cash.length, accountTotal(state));
    this.isCrowded ||= this.cash.length - this.closed.size >= state.limits.accounts * 0.9;
    // Called only for a fault: a call for each check would cost more than the checks.
    for (let account = 0; account < this.cash.length; account++) {
      if (BigInt(state.accounts.cash[account]!) !== this.cash[account]) assert.fail('events: balance');
    }
    const held = liveRows(state).filter((row) => row.position !== 0);
    assert.equal(held.length, this.positions.size, 'events: number of positions');
    for (const row of held) {
      const position = this.positions.get(keyOf(row.account, row.instrument));
      if (BigInt(row.position) !== position?.size) assert.fail('events: position');
      if (BigInt(row.cost) !== position.cost) assert.fail('events: cost of a position');
    }
    const open = openOrders(state);
    assert.equal(open.length, this.orders.size, 'events: number of open orders');
    for (const order of open) {
      if (this.orders.get(order.id)?.remaining !== order.remaining) assert.fail('events: remaining size');
      if (this.waiting.has(order.id) !== (order.entry === 0)) assert.fail('events: orders that wait');
    }
  }
}
