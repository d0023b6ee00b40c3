// The book of the reference model and the sweep of a taker through it: price and time priority, self-trade prevention, the second
// look at a maker's margin, money, reduce-only orders that shrink, and protection, in the order in which a fill meets them.

import { canLose, collateralOf, equityOf, feeOf, hasMargin, initialOf, requiredOf, reservesOf } from './margin.ts';
import { EXACT, least, most, sizeOf } from './money.ts';
import { trade } from './positions.ts';
import { recordFill } from './protection.ts';
import { BUY, CANCEL_MAKER, CANCEL_TAKER, closable, copyAccount, FOK, opposite, OPTS_OUT, positionIn, REDUCES_ONLY, SELL, TIER1,
  type Account, type Draft, type Order, type Reason, type Side, type World } from './terms.ts';

export type Fill = {
  slot: number; side: Side; price: bigint; size: bigint; takerFee: bigint; makerFee: bigint; takerProfit: bigint; makerProfit: bigint;
};

/** `or`: of an order whose own time, or that of its contract, is over too, which the venue may tell instead. */
type End = { id: number; reason: Reason; or: readonly Reason[] };

/** A wallet at its first order in the dry run of a fok; `freed`: reserves of its orders that ended without a trade since. */
type Met = { readonly room: bigint; readonly uncounted: bigint; freed: bigint };

/** Micros that each open order of a wallet may lose it by rounding, in a walk. */
const ROUNDING = 2n;

export class Book {
  accounts = new Map<number, Account>();
  /** Open orders, oldest first. */
  orders: Order[] = [];
  /** Orders that wait for their trigger. */
  waiting: Order[] = [];
  /** Triggers whose entry has had its first fill since the last settling: a pass over due triggers may be past their place. */
  readonly fresh = new Set<number>();
  lastId = 0;
  lastTrade = 0;
  /** Ends of orders and trades since the last comparison. */
  ends: End[] = [];
  fills: Fill[] = [];
  /** What messages about quotes did to them, since the last command. */
  quoted: string[] = [];
  /** Counts for the histogram. */
  readonly reached = new Map<string, number>();
  readonly world: World;
  /** Where a wallet may have more orders than one step cancels, those that are left wait, and trade no more (decision 7.3). */
  readonly letsWait: boolean;
  /** During the dry run of a fok: the wallets it has met, and whether the model cannot decide about one of them. */
  private readonly met = new Map<number, Met>();
  private isWalk = false;
  private isInDoubt = false;

  constructor(world: World, letsWait: boolean) {
    this.world = world;
    this.letsWait = letsWait;
  }

  count(what: string): void {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  }

  ownOrders(wallet: number): Order[] {
    return this.orders.filter((order) => order.wallet === wallet);
  }

  /** Those that wait for their trigger too; null: of every wallet. */
  allOrders(wallet: number | null): Order[] {
    return [...this.orders, ...this.waiting].filter((order) => wallet === null || order.wallet === wallet);
  }

  byId(id: number): Order | undefined {
    return this.allOrders(null).find((order) => order.id === id);
  }

  /** Why an order is to be removed, the expiry of its contract included. */
  whyOver(order: Order): Reason | null {
    return this.endOf(order) ?? (this.hasExpired(order) ? 'EXPIRED' : null);
  }

  find(id: number, wallet: number): Order | null {
    return this.allOrders(wallet).find((order) => order.id === id) ?? null;
  }

  isOpen(order: Order): boolean {
    return this.orders.includes(order) || this.waiting.includes(order);
  }

  remove(order: Order): void {
    this.orders = this.orders.filter((one) => one !== order);
    this.waiting = this.waiting.filter((one) => one !== order);
  }

  end(order: Order, reason: Reason): void {
    this.endGroup(order);
    this.remove(order);
    // A message about quotes asked for it: no order update tells it.
    if (reason === 'QUOTE_REMOVED') this.quoted.push(`${order.id} REMOVED`);
    else this.tellEnd(order, reason);
  }

  /** Extensions 1: an entry that ends without a fill takes those along that await it. */
  endGroup(order: Order): void {
    for (const one of this.awaiting(order)) this.end(one, 'NO_ENTRY');
    order.entryOf = undefined;
  }

  private awaiting({ entryOf, slot, wallet }: Order): Order[] {
    if (entryOf === undefined) return [];
    return this.waiting.filter((one) => one.wallet === wallet && one.slot === slot && one.linkId === entryOf && one.awaits === true);
  }

  /** It has a fill. */
  private fillEntry(order: Order): void {
    for (const one of this.awaiting(order)) {
      one.awaits = false;
      this.fresh.add(one.id);
      this.count('trigger whose entry has a fill');
    }
    order.entryOf = undefined;
  }

  tellEnd(order: Order, reason: Reason): void {
    const own: Reason[] = this.isPast(order) ? ['ORDER_EXPIRED'] : [];
    if (order.awaits === true) own.push('NO_ENTRY');
    this.ends.push({ id: order.id, reason, or: this.hasExpired(order) ? [...own, 'EXPIRED'] : own });
  }

  endOrWait(order: Order, reason: Reason): void {
    if (this.letsWait) order.waits ??= reason;
    else this.end(order, reason);
  }

  /**
   * Decision 3.6 and docs/decisions/attacks.md: a fok is walked through first, in a copy of everything, and rather killed than filled in
   * part. Of its own protection the walk knows nothing, which stops a fok like any other order. The one tolerance of the whole
   * comparison: where a wallet that the walk meets again is in doubt, either is right, and the model does what the venue did.
   */
  wouldFill(order: Order, wasKilled: boolean): boolean {
    const walk = new Book(this.world, this.letsWait);
    walk.isWalk = true;
    walk.accounts = new Map([...this.accounts].map(([wallet, account]) => [wallet, copyAccount(account)]));
    walk.orders = this.orders.map((one) => ({ ...one }));
    walk.waiting = this.waiting.map((one) => ({ ...one }));
    walk.accounts.get(order.wallet)!.protections.clear();
    const taker = { ...order };
    if (walk.sweep(taker) === 'SELF_TRADE') this.count('fok that would meet an own order');
    if (taker.left > 0n || !walk.isInDoubt || !wasKilled) return taker.left === 0n;
    this.count('fok killed in doubt');
    return false;
  }

  /**
   * A wallet that is met again is in doubt when the room that its margin had at first, with what its orders that ended have freed
   * since, does not cover what its fills may have taken: two micros an open order by rounding, and what it bought above or sold
   * below what counts as collateral. What the fills freed is not asked.
   */
  private meet({ wallet }: Order): void {
    const account = this.accounts.get(wallet)!;
    const own = this.ownOrders(wallet);
    const collateral = collateralOf(this.world, account);
    const uncounted = equityOf(this.world, account, 'mark') - collateral;
    const met = this.met.get(wallet);
    if (met === undefined) this.met.set(wallet, { room: collateral - requiredOf(this.world, account, own), uncounted, freed: 0n });
    else if (met.room + met.freed < most(0n, uncounted - met.uncounted) + ROUNDING * BigInt(own.length)) this.isInDoubt = true;
  }

  private leave(order: Order): void {
    const account = this.accounts.get(order.wallet)!;
    const own = this.ownOrders(order.wallet);
    const others = own.filter((one) => one !== order);
    this.met.get(order.wallet)!.freed += initialOf(this.world, account, own) - initialOf(this.world, account, others)
      + reservesOf(this.world, account, [order]);
  }

  /** Best price first, then the oldest. */
  private bestAgainst({ slot, side, price }: Order, orders: readonly Order[] = this.orders): Order | null {
    const isBetter = (a: bigint, b: bigint): boolean => (side === BUY ? a < b : a > b);
    let best: Order | null = null;
    for (const order of orders) {
      if (order.slot !== slot || order.side === side || isBetter(price, order.price)) continue;
      if (best === null || isBetter(order.price, best.price)) best = order;
    }
    return best;
  }

  /** Trades as much as possible; returns why the taker stopped before its size or limit, or null. */
  sweep(taker: Order): Reason | null {
    for (let maker = this.bestAgainst(taker); maker !== null && taker.left > 0n; maker = this.bestAgainst(taker)) {
      if (maker.wallet === taker.wallet) {
        const over = this.endOf(maker);
        if (over !== null || taker.stp !== CANCEL_TAKER) this.end(maker, over ?? 'SELF_TRADE');
        if (over !== null || taker.stp === CANCEL_MAKER) continue;
        this.count('taker that stops at an own order');
        return 'SELF_TRADE';
      }
      if (this.isWalk) this.meet(maker);
      const size = least(taker.left, maker.left);
      const ended = this.endOf(maker);
      if (ended === null && !this.staysExact(taker, maker.price, size, this.world.rules.takerFee)) return 'BALANCE_RANGE';
      if (ended !== null) this.count(ended === 'ORDER_EXPIRED' ? 'expired order is met' : 'order that waits is met');
      const reason = ended ?? this.whyNot(maker, size);
      if (reason !== null) {
        if (this.isWalk) this.leave(maker);
        this.end(maker, reason);
      } else if (this.fill(taker, maker, size)) return 'MMP_SELF';
    }
    return null;
  }

  /** Why an order only waits to be removed; from its deadline on no order of a wallet trades (decision 7.3), nor one past its time. */
  endOf(order: Order): Reason | null {
    const { deadline } = this.accounts.get(order.wallet)!;
    const isDue = deadline > 0 && deadline <= this.world.market.now && !this.staysAway(order);
    return order.waits ?? (isDue ? 'CANCEL_AFTER' : this.isPast(order) ? 'ORDER_EXPIRED' : null);
  }

  /** Extensions 2: a waiting reduce-only order protects the position of somebody who is away. */
  staysAway(order: Order): boolean {
    return this.waiting.includes(order) && (order.flags & REDUCES_ONLY) !== 0;
  }

  isPast({ expiresAt }: Order): boolean {
    return expiresAt !== 0 && expiresAt <= this.world.market.now;
  }

  hasExpired({ slot }: Draft): boolean {
    const { contracts, now } = this.world.market;
    const { expiry } = contracts[slot]!;
    return expiry !== 0 && expiry <= now;
  }

  /** Extensions 1: the best opposite order that this one would meet. Own orders count, those that have ended and `old` do not. */
  inTheWay({ price, side, slot }: Order, old: Order | null): Order | null {
    const isBetter = (a: bigint, b: bigint): boolean => (side === BUY ? a < b : a > b);
    const met = this.orders.filter((one) => one !== old && one.slot === slot && one.side !== side && !isBetter(price, one.price)
      && this.endOf(one) === null);
    return met.reduce((best: Order | null, one) => (best === null || isBetter(one.price, best.price) ? one : best), null);
  }

  /** Orders that have ended before the first that a post-only order would meet are removed before it is judged. `old` is passed over. */
  clearTheWay(order: Order, old: Order | null): void {
    const passed = this.orders.filter((one) => one !== old);
    for (let met = this.bestAgainst(order, passed); met !== null; met = this.bestAgainst(order, passed)) {
      const ended = this.endOf(met);
      if (ended === null) return;
      this.count('ended order is met by a post-only one');
      this.end(met, ended);
      passed.splice(passed.indexOf(met), 1);
    }
  }

  /** The open orders of its link, those that wait for their trigger too. */
  linkedTo({ linkId, slot, wallet }: Order): Order[] {
    return this.allOrders(wallet).filter((one) => linkId !== '' && one.linkId === linkId && one.slot === slot);
  }

  /** The reason why a maker ends without a trade; null: it trades. */
  private whyNot(maker: Order, size: bigint): Reason | null {
    const { rules } = this.world;
    const { slot, side, price } = maker;
    const account = this.accounts.get(maker.wallet)!;
    const room = closable(positionIn(account, slot), side);
    // A wallet that has become long-only sells no more than it holds (tier1).
    if (account.tier === TIER1 && side === SELL && size > room) return 'MARGIN';
    if (!hasMargin(this.world, account, this.ownOrders(maker.wallet))) {
      const fee = feeOf(this.world, rules.makerFee, slot, price, size);
      if (size > room || !canLose(this.world, account, slot, side, price, size, fee)) return 'MARGIN';
      this.count('maker that closes without margin');
    }
    return this.staysExact(maker, price, size, rules.makerFee) ? null : 'BALANCE_RANGE';
  }

  /** Every balance is within its exact range after the trade; the walk of a fok does not ask. */
  private staysExact({ wallet, slot, side }: Order, price: bigint, size: bigint, rate: bigint): boolean {
    if (this.isWalk) return true;
    const account = copyAccount(this.accounts.get(wallet)!);
    const fee = feeOf(this.world, rate, slot, price, size);
    trade(this.world, account, slot, side, price, size, fee);
    const { cost, realized, size: held } = account.positions.get(slot) ?? { size: 0n, cost: 0n, realized: 0n };
    return [account.cash + fee, account.cash, cost, realized, held].every((balance) => sizeOf(balance) <= EXACT);
  }

  /** One trade at the maker's price; true when it has triggered the taker's protection. */
  private fill(taker: Order, maker: Order, size: bigint): boolean {
    const { world } = this;
    const { slot, price } = maker;
    const { underlying } = world.market.contracts[slot]!;
    const takes = this.accounts.get(taker.wallet)!;
    const gives = this.accounts.get(maker.wallet)!;
    const takerFee = feeOf(world, world.rules.takerFee, slot, price, size);
    const makerFee = feeOf(world, world.rules.makerFee, slot, price, size);
    const held = [takes, gives].map((account) => positionIn(account, slot));
    const id = ++this.lastTrade;
    const takerProfit = trade(world, takes, slot, taker.side, price, size, takerFee, { order: taker.id, trade: id });
    const makerProfit = trade(world, gives, slot, opposite(taker.side), price, size, makerFee, { order: maker.id, trade: id });
    this.fills.push({ slot, side: taker.side, price, size, takerFee, makerFee, takerProfit, makerProfit });
    taker.left -= size;
    maker.left -= size;
    taker.filled += size;
    maker.filled += size;
    this.count(maker.left === 0n ? 'fill of a whole maker' : 'fill of a part of a maker');
    this.fillEntry(maker);
    this.fillEntry(taker);
    if (maker.left === 0n) this.end(maker, 'FILLED');
    this.shrinkLinked(maker, size);
    this.shrinkLinked(taker, size);
    // Evaluated after each fill inside a sweep (decision 5.8), the maker's before what its position no longer carries shrinks.
    if (recordFill(world, gives, maker, size)) {
      if (maker.left > 0n) this.end(maker, 'MMP_SELF');
      this.endProtected(gives, underlying);
      this.count('protection of a maker');
    }
    this.shrink(gives, slot, held[1]!);
    this.shrink(takes, slot, held[0]!);
    if (!recordFill(world, takes, taker, size)) return false;
    this.endProtected(takes, underlying);
    return true;
  }

  /** Extensions 1: what one order of a link is filled is taken off each other. */
  private shrinkLinked(filled: Order, size: bigint): void {
    for (const order of this.linkedTo(filled)) {
      if (order === filled) continue;
      const ended = this.endOf(order);
      if (ended !== null) {
        this.end(order, ended);
        continue;
      }
      order.left = most(0n, order.left - size);
      this.count(filled.tif === FOK ? 'fok that shrinks linked orders' : 'linked order that shrinks');
      if (order.left === 0n) this.end(order, 'LINKED');
    }
  }

  /** A trigger cancels every open order of the wallet and underlying that takes part. */
  private endProtected(account: Account, underlying: number): void {
    // What waits is cancelled youngest first, so an entry may have ended with its own reason after its members.
    for (const order of [...this.orders, ...this.waiting.toReversed()].filter((one) => one.wallet === account.wallet)) {
      const takesPart = (order.flags & OPTS_OUT) === 0 && this.world.market.contracts[order.slot]!.underlying === underlying;
      if (takesPart && this.isOpen(order)) this.endOrWait(order, 'MMP');
    }
  }

  /**
   * Decision 3.10: a resting reduce-only order shrinks with the position and is cancelled at 0. One that waits for its trigger ends once
   * a position that it would reduce, of `before`, is gone or has turned (extensions 2).
   */
  private shrink(account: Account, slot: number, before: bigint): void {
    for (const order of this.allOrders(account.wallet)) {
      if (order.slot !== slot || (order.flags & REDUCES_ONLY) === 0 || !this.isOpen(order)) continue;
      const room = closable(positionIn(account, slot), order.side);
      if (this.waiting.includes(order)) {
        if (room > 0n || closable(before, order.side) === 0n || order.awaits === true) continue;
        this.count('waiting order with nothing to reduce');
        this.end(order, this.endOf(order) ?? 'NOTHING_TO_REDUCE');
        continue;
      }
      if (order.left <= room) continue;
      order.left = room;
      this.count('reduce-only order that shrinks');
      if (room === 0n) this.end(order, 'NOTHING_TO_REDUCE');
    }
  }
}
