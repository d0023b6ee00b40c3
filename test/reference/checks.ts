// The checks of an order by the reference model: caps, then the engine's in the order of extensions 0.

import { collateralOf, isBeyondLimit, isExact, isExempt, requiredOf } from './margin.ts';
import { EXACT, least, MILLION, most, up } from './money.ts';
import { Book } from './matching.ts';
import { isFrozen, protectionOf } from './protection.ts';
import { CAPS, closable, GTC, LINKED, MOST_AMOUNT, openSizes, PERP, PORTFOLIO, positionIn, REDUCES_ONLY, REJECTS, SELL, SLIDES,
  STANDARD, TIER1, TRIGGERS, type Account, type Answer, type Draft, type Order } from './terms.ts';

/** Reduce-only orders of one wallet and contract that may rest or wait: a bound of the venue with a refusal of its own. */
const RESTING_REDUCE_ONLY = 16;
/** The highest price of an order (decision 2.3). */
const MOST_PRICE = 10n ** 15n;

/** Admission has the caps of an order that arrives; those of others are judged with the rest. */
type Judged = 'order' | 'fired' | 'quote';

export class Checks extends Book {
  /** Trading modes by scope. */
  readonly halts = new Map<string, number>();

  /** A reduce-only order is for at most the position (decision 3.10). */
  effectiveSize({ wallet, slot, side, size, flags }: Draft): bigint {
    const account = this.accounts.get(wallet);
    if ((flags & REDUCES_ONLY) === 0) return size;
    return account === undefined ? 0n : least(size, closable(positionIn(account, slot), side));
  }

  /** The caps, which are judged before the engine is asked (decisions 3.12, 4.4, 5.4); null: none is passed. */
  judgeCaps(draft: Draft, replaced: number): string | null {
    const account = this.accounts.get(draft.wallet);
    const old = this.find(replaced, draft.wallet);
    if (replaced !== 0 && old === null) return null;
    const { openOrders, positions } = CAPS[account?.tier ?? 0]!;
    const mayStay = draft.tif === GTC || draft.trigger !== null;
    if (mayStay && this.allOrders(draft.wallet).filter((one) => one !== old).length + 1 > openOrders) return 'MAX_OPEN_ORDERS';
    // An order with a trigger is judged when it fires.
    if (draft.trigger !== null) return null;
    if (this.opensBeyond(account, draft, positions)) return 'MAX_POSITIONS';
    const order = { ...draft, id: 0, left: this.effectiveSize(draft), filled: 0n, waits: null };
    const others = this.ownOrders(draft.wallet).filter((one) => one !== old);
    return isBeyondLimit(this.world, account ?? nobody(draft.wallet), others, order) ? 'POSITION_LIMIT' : null;
  }

  private opensBeyond(account: Account | undefined, { flags, slot }: Draft, positions: number): boolean {
    const held = account?.positions.size ?? 0;
    const opens = account === undefined || positionIn(account, slot) === 0n;
    return opens && held + 1 > positions && (flags & REDUCES_ONLY) === 0;
  }

  /**
   * The checks of the engine in the order of extensions 0; null: the order is taken. One that slides has its price from then on, one
   * that fires is cut to the price band.
   */
  judge(account: Account, order: Order, old: Order | null, kind: Judged = 'order'): Answer | null {
    if (kind === 'fired') {
      this.cut(order);
      if (order.postOnly !== 0 && order.left > 0n && this.closedTo(account, order, old) === null) this.clearTheWay(order, null);
    }
    const refused = (kind === 'quote' ? this.judgeQuote(account, order) : null)
      ?? this.judgeTimes(order) ?? this.judgeNames(account, order, old)
      ?? (order.postOnly === SLIDES ? this.slide(order, old) : null) ?? this.judgeMoney(account, order, old, kind);
    if (refused !== null) return refused;
    return order.postOnly === REJECTS && this.inTheWay(order, old) !== null ? { code: 'WOULD_TAKE' } : null;
  }

  /** Extensions 2: an order with a trigger passes the checks up to the links, and funds, which a reduce-only one does not need. */
  judgeWaiting(account: Account, order: Order, old: Order | null): Answer | null {
    const refused = this.judgeTimes(order) ?? this.judgeNames(account, order, old);
    if (refused !== null) return refused;
    const waiting = this.waiting.filter((one) => one.wallet === order.wallet && one !== old).length;
    if (account.cash <= 0n && (order.flags & REDUCES_ONLY) === 0) return { code: 'NO_FUNDS' };
    return waiting >= TRIGGERS[account.tier]! ? { code: 'TOO_MANY_TRIGGERS' } : null;
  }

  private judgeQuote(account: Account, order: Order): Answer | null {
    const { openOrders, positions } = CAPS[account.tier]!;
    if (this.allOrders(order.wallet).length + 1 > openOrders) return { code: 'MAX_OPEN_ORDERS', numbers: [BigInt(openOrders)] };
    return this.opensBeyond(account, order, positions) ? { code: 'MAX_POSITIONS', numbers: [BigInt(positions)] } : null;
  }

  private judgeTimes({ expiresAt, validUntil }: Order): Answer | null {
    const { now } = this.world.market;
    if (validUntil !== 0 && validUntil <= now) return { code: 'TOO_LATE' };
    return expiresAt !== 0 && expiresAt <= now ? { code: 'ORDER_EXPIRED' } : null;
  }

  /** Extensions 1: one step of the grid behind the best opposite order, if that is within the bounds of an order. */
  private slide(order: Order, old: Order | null): Answer | null {
    const met = this.inTheWay(order, old);
    if (met === null) return null;
    const next = order.side === SELL ? met.price + 1n : met.price - 1n;
    if (next < 1n || next > MOST_PRICE) return { code: 'WOULD_TAKE' };
    order.price = validPrice(next, order.side === SELL);
    this.count('order that slides');
    return up(order.price * order.left, MILLION) > MOST_AMOUNT ? { code: 'WOULD_TAKE' } : null;
  }

  /** Up to reduce-only. */
  private judgeNames(account: Account, order: Order, old: Order | null): Answer | null {
    const { slot, clientId, flags, left } = order;
    if (this.hasExpired(order)) return { code: 'EXPIRED' };
    const closed = this.closedTo(account, order, old);
    if (closed !== null) return { code: closed };
    const others = this.allOrders(order.wallet).filter((one) => one !== old);
    if (others.some((one) => clientId !== '' && one.clientId === clientId)) return { code: 'DUPLICATE_CLIENT_ID' };
    const linked = this.linkedTo(order).filter((one) => one !== old).length;
    const mayStay = order.tif === GTC || order.trigger !== null;
    if (mayStay && linked >= LINKED) return { code: 'TOO_MANY_LINKED' };
    if ((flags & REDUCES_ONLY) !== 0) {
      if (left === 0n) return { code: 'REDUCE_ONLY_INCREASES' };
      const resting = others.filter((one) => one.slot === slot && (one.flags & REDUCES_ONLY) !== 0).length;
      if (mayStay && resting >= RESTING_REDUCE_ONLY) return { code: 'TOO_MANY_REDUCE_ONLY' };
    }
    return null;
  }

  /** From funds to the price band. */
  private judgeMoney(account: Account, order: Order, old: Order | null, kind: Judged): Answer | null {
    const { contracts, hasRun, isStale, now } = this.world.market;
    const { flags, left, side, slot } = order;
    const { underlying } = contracts[slot]!;
    const others = this.ownOrders(order.wallet).filter((one) => one !== old);
    const exempt = isExempt(this.world, account, order, others);
    if (exempt) this.count('exempt order');
    if (account.cash <= 0n && !exempt) return { code: 'NO_FUNDS' };
    const protection = protectionOf(account, underlying, flags);
    if (protection !== null && isFrozen(protection, now)) return { code: 'MMP_FROZEN' };
    const position = positionIn(account, slot);
    if (account.tier === TIER1 && side === SELL) {
      const total = openSizes(others, slot).asks + left;
      if (total > most(0n, position)) return { code: 'TIER1_SHORT', numbers: [most(0n, position), total] };
    }
    if (exempt) return this.judgeLast(account, order, others, kind);
    if (isStale[underlying]! || (account.mode === PORTFOLIO && hasRun[underlying]!)) return { code: 'NO_SPOT_PRICE' };
    if (account.mode === PORTFOLIO && this.isAveraged(slot)) this.count('order in the last half hour');
    const required = requiredOf(this.world, account, [...others, order]);
    const available = collateralOf(this.world, account);
    if (available >= required) return this.judgeLast(account, order, others, kind);
    // Amounts in the text of the refusal end where a number has all its digits. Of a wallet that holds more the last is not promised.
    if (!isExact(this.world, account)) return { code: 'INSUFFICIENT_MARGIN' };
    const [asked, has] = [least(EXACT, required), most(-EXACT, least(EXACT, available))];
    return { code: 'INSUFFICIENT_MARGIN', numbers: [asked, has, least(EXACT, asked - has)] };
  }

  /** Caps on an order that fires, whose admission was long ago, and of a quote; the price band. */
  private judgeLast(account: Account, order: Order, others: readonly Order[], kind: Judged): Answer | null {
    if (kind !== 'order') {
      if (kind === 'fired' && this.opensBeyond(account, order, order.mayOpen!)) return { code: 'MAX_POSITIONS' };
      if (isBeyondLimit(this.world, account, others, order)) return { code: 'POSITION_LIMIT' };
    }
    return this.outsideBand(order);
  }

  private cut(order: Order): void {
    const outside = this.outsideBand(order);
    if (outside === null) return;
    order.price = outside.numbers![order.side === SELL ? 0 : 1]!;
    this.count('order that fires at the price band');
  }

  /** Of the market, the strictest of venue, underlying and contract. */
  modeOf(slot: number): number {
    const { underlying } = this.world.market.contracts[slot]!;
    return Math.max(...['null null', `${underlying} null`, `${underlying} ${slot}`].map((scope) => this.halts.get(scope) ?? 0));
  }

  /** The strictest of venue, underlying and contract, then the wallet's restriction (extensions, operator). */
  private closedTo(account: Account, order: Order, old: Order | null): string | null {
    const { side, slot, wallet } = order;
    const mode = this.modeOf(slot);
    if (mode !== 0) return mode === 1 ? 'MARKET_CANCEL_ONLY' : 'MARKET_HALTED';
    if (account.restriction === 0) return null;
    if (account.restriction === 2) return 'WALLET_BLOCKED';
    const left = least(order.left, this.effectiveSize(order));
    const open = openSizes(this.ownOrders(wallet).filter((one) => one !== old), slot);
    const closing = left + (side === SELL ? open.asks : open.bids);
    return left > 0n && closing <= closable(positionIn(account, slot), side) ? null : 'WALLET_CLOSE_ONLY';
  }

  /** Extensions, operator: bounds are rounded inwards to valid prices; a closing distance is the least width. */
  private outsideBand({ price, side, slot }: Order): Answer | null {
    const { market: { contracts, index, mark }, rules } = this.world;
    if (rules.band === 0n) return null;
    const { kind, underlying } = contracts[slot]!;
    const part = (of: bigint, rate: bigint): bigint => of * rate / MILLION;
    const closing = kind === PERP ? part(index[underlying]!, rules.closingPerp)
      : most(part(mark[slot]!, rules.closingMark), part(index[underlying]!, rules.closingIndex));
    const distance = most(part(mark[slot]!, rules.band), closing);
    const min = validPrice(mark[slot]! - distance, true);
    const max = validPrice(mark[slot]! + distance, false);
    return (side === SELL ? price >= min : price <= max) ? null : { code: 'OUTSIDE_BAND', numbers: [min, max] };
  }

  private isAveraged(slot: number): boolean {
    const { expiry, underlying } = this.world.market.contracts[slot]!;
    return expiry > 0 && expiry - this.world.market.markedAt[underlying]! < 1_800_000;
  }

}

/** A price of five figures from 1 to 1e15 units, not below or not above this one. */
function validPrice(price: bigint, isUp: boolean): bigint {
  const within = most(1n, least(price, MOST_PRICE));
  let unit = 1n;
  while (within >= 100_000n * unit) unit *= 10n;
  return (isUp ? within + unit - 1n : within) / unit * unit;
}

/** A wallet without an account; the caps apply to it too. */
function nobody(wallet: number): Account {
  return { wallet, cash: 0n, tier: 0, mode: STANDARD, deadline: 0, restriction: 0, positions: new Map(), protections: new Map(),
    newest: new Map(), rows: [], payments: [] };
}
