// Shared by the tests of trading: a venue with its perp at hand, commands by wallet, and invariants to check after every command
// on the raw state in BigInt: money, positions, sums of open orders, reduce-only orders.

import assert from 'node:assert/strict';
import { NOT_OPEN, ORDER_NOT_FOUND } from '../../../core/errors.ts';
import { BUY, CONTRACT, USDC } from '../../../core/units.ts';
import { FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, PERP } from '../../../core/codec/commands.ts';
import { stateSections, type State } from '../../../core/engine/state.ts';
import { REPLY_WORD_STATUS } from '../../../core/codec/reply.ts';
import { viewsOf, type Views } from '../../../core/codec/record.ts';
import { takeCommand } from '../../../core/sequencer/sequencer.ts';
import { validateBooks } from '../book/validate.ts';
import { accountTotal, instrumentTotal, listOf, liveRows, openOrders, reduceOnlyListOf, termsIn, waitingOf,
  type RawOrder } from '../../support/raw.ts';
import type { AmendFields, OrderFields } from '../../support/records.ts';
import { Scene } from '../../support/scene.ts';
import type { VenueOptions } from '../../support/venue.ts';

/** Weight of the high limb of a house account. */
const LIMB = 1n << 40n;

type More = Partial<OrderFields> & { slot?: number };

export const REDUCE = { flags: FLAG_REDUCE_ONLY };
export const OPT_OUT = { flags: FLAG_MMP_OPT_OUT };

export class TradingScene extends Scene {
  readonly perp: number;

  constructor(options: VenueOptions = {}, btc?: number) {
    super(options, btc);
    this.perp = this.state.instruments.perpOf[0]!;
  }

  /** Replaces an order; price in USDC, size in contracts; the contract is the option at the money unless another is named. */
  replace(wallet: number, id: number, side: number, price: number, size: number, more: More = {}): number {
    const { slot = this.atm, ...fields } = more;
    return this.send(this.write.replace({
      ...this.contract(slot), wallet, nonce: this.next(), side, price: Math.round(price * USDC), size: Math.round(size * CONTRACT),
      ...fields,
    }, id));
  }

  /** Amends an order; price in USDC, total size in contracts. */
  amend(wallet: number, orderId: number, price: number, size: number, more: Partial<AmendFields> = {}): number {
    return this.send(this.write.amendOrder(wallet, this.next(), {
      orderId, price: Math.round(price * USDC), size: Math.round(size * CONTRACT), ...more,
    }));
  }

  /** Protects a wallet on BTC: limits in contracts, delta and vega as they are counted. */
  protect(wallet: number, terms: { interval?: number; frozen?: number; quantity?: number; delta?: number; vega?: number }): number {
    const quantity = terms.quantity === undefined ? -1 : Math.round(terms.quantity * CONTRACT);
    return this.send(this.write.mmp(wallet, this.next(), 'BTC', {
      interval: terms.interval ?? 60_000, frozen: terms.frozen ?? 60_000, quantity, delta: terms.delta ?? -1, vega: terms.vega ?? -1,
    }));
  }

  /** Two wallets trade with each other: `wallet` buys (or sells, size < 0) from `other`. */
  trade(wallet: number, other: number, price: number, size: number, slot = this.perp): void {
    assert.equal(this.place(other, size > 0 ? 1 : 0, price, Math.abs(size), { slot }), 0);
    assert.equal(this.place(wallet, size > 0 ? 0 : 1, price, Math.abs(size), { slot, tif: 1 }), 0);
  }

  /** Flags of the reply to a record. */
  flagsOf(views: Views): number {
    this.events = [];
    assert.ok(takeCommand(this.sequencer, views, 0, this.now, this.reply));
    return viewsOf(this.reply.kept.pop()!.buffer as ArrayBuffer).u32[REPLY_WORD_STATUS]! >>> 24;
  }
}

/** Cash of all accounts and the house, less the cost basis of all perps. */
export function balanceOfBooks(state: State): bigint {
  let sum = 0n;
  for (let account = 0; account < accountTotal(state); account++) sum += BigInt(state.accounts.cash[account]!);
  const { house } = state.ledger;
  for (let i = 0; i < house.length; i += 2) sum += BigInt(house[i]!) * LIMB + BigInt(house[i + 1]!);
  for (const row of liveRows(state)) if (state.instruments.kind[row.instrument] === PERP) sum -= BigInt(row.cost);
  return sum;
}

export function house(state: State, account: number): number {
  return Number(BigInt(state.ledger.house[account * 2]!) * LIMB + BigInt(state.ledger.house[account * 2 + 1]!));
}

/** Checks every invariant of the state that trading keeps. */
export function check(state: State): void {
  assert.equal(balanceOfBooks(state), 0n, 'the books do not balance');
  const rows = liveRows(state);
  const orders = openOrders(state);
  const sums = new Array<bigint>(instrumentTotal(state)).fill(0n);
  const longs = new Array<bigint>(sums.length).fill(0n);
  for (const row of rows) {
    sums[row.instrument]! += BigInt(row.position);
    if (row.position > 0) longs[row.instrument]! += BigInt(row.position);
  }
  assert.ok(sums.every((sum) => sum === 0n), 'longs and shorts differ');
  assert.ok(longs.every((sum, slot) => sum === BigInt(state.instruments.openInterest[slot]!)), 'open interest');
  assert.equal(validateBooks(state.books), '');
  assert.ok(orders.every((order) => order.remaining <= order.size), 'more remains than an order came with');
  for (const row of rows) {
    const own = orders.filter((order) => order.holding === row.row && order.entry !== 0);
    const waiting = orders.filter((order) => order.holding === row.row && order.entry === 0);
    const open = (side: number): number => own.reduce((sum, order) => sum + (order.side === side ? order.remaining : 0), 0);
    assert.deepEqual([row.bidSize, row.askSize], [open(BUY), open(1 - BUY)], 'sums of open orders');
    assert.ok(row.position !== 0 || own.length + waiting.length > 0, 'an empty row is kept');
    assert.ok(own.every((order) => order.account === row.account && order.instrument === row.instrument), 'an order of another row');
    assert.deepEqual([...listOf(state, row.row)], byEntry(own), 'the list of the row, oldest first');
    assert.deepEqual([...waitingOf(state, row.row)].sort((a, b) => a - b), waiting.map((order) => order.slot).sort((a, b) => a - b),
      'the list of orders that wait');
    assert.equal(state.holdings.waiting[row.row], waiting.length, 'orders in no book');
    checkReduceOnly(state, row.row, row.position);
    checkGroups(state, [...own, ...waiting]);
  }
  for (let account = 0; account < accountTotal(state); account++) {
    assert.equal(state.accounts.openOrders[account], orders.filter((order) => order.account === account).length, 'open orders');
    const waiting = orders.filter((order) => order.account === account && order.entry === 0);
    assert.equal(state.accounts.triggers[account], waiting.length, 'orders that wait');
    const held = rows.filter((row) => row.account === account && row.position !== 0);
    assert.equal(state.accounts.positions[account], held.length, 'positions that are counted');
  }
}

/** Slots. */
function byEntry(orders: readonly RawOrder[]): number[] {
  return [...orders].sort((a, b) => a.entry - b.entry).map((order) => order.slot);
}

/** No reduce-only order is larger than the position it reduces, and the short list holds all of them, oldest first. */
function checkReduceOnly(state: State, row: number, position: number): void {
  const wanted = openOrders(state).filter((one) => one.holding === row && one.entry !== 0 && (one.flags & FLAG_REDUCE_ONLY) !== 0);
  assert.deepEqual([...reduceOnlyListOf(state, row)], byEntry(wanted), 'the list of reduce-only orders');
  for (const order of wanted) assert.ok(order.remaining <= (order.side === BUY ? -position : position), 'a reduce-only order could flip');
}

/** An order that awaits its entry only reduces, and the entry of its link is open and unfilled. */
function checkGroups(state: State, orders: readonly RawOrder[]): void {
  const terms = orders.map((order) => ({ ...order, ...termsIn(state, order.slot) }));
  for (const { awaitsEntry, entry, flags, link } of terms.filter((one) => one.awaitsEntry)) {
    assert.ok(awaitsEntry && entry === 0 && (flags & FLAG_REDUCE_ONLY) !== 0, 'it waits to reduce');
    assert.ok(terms.some((one) => one.entryOf === link && one.remaining === one.size), 'its entry is open');
  }
}

/** All that a refused order may not change: the state without the clock, the event digest and the stream of the refusal. */
export function image(state: State): string {
  const passing = new Set(['clock', 'events.digest']);
  // The first number of an account's row of streams counts its order updates.
  const isPassing = (name: string, at: number): boolean => name === 'streams.accounts' && at % 4 === 0;
  return stateSections(state).filter(({ name }) => !passing.has(name))
    .map(({ name, column, used }) => `${name}:${[...column.subarray(0, used())].filter((_, at) => !isPassing(name, at)).join()}`)
    .join('\n');
}

/** An order that is unknown, ended or another wallet's cannot be changed: the code of a cancel, and the state as it was. */
export function refusesUnfitOrders(change: (scene: TradingScene, wallet: number, id: number) => number): void {
  const scene = new TradingScene();
  scene.sell(1, 1_000, 1);
  scene.buy(2, 1_000, 1);
  scene.sell(1, 1_000, 1);
  for (const [wallet, id, code] of [[1, 1, NOT_OPEN], [2, 3, ORDER_NOT_FOUND], [1, 77, ORDER_NOT_FOUND], [1, 0, ORDER_NOT_FOUND]]) {
    const before = image(scene.state);
    assert.equal(change(scene, wallet!, id!), code);
    assert.equal(scene.number(0), id);
    assert.equal(image(scene.state), before);
  }
}
