// The reference model of the trading engine: its state after each command and the reply, by the specification. Accounts, orders, and the
// rules of placing, replacing and cancelling are here, the sweep through the book in matching.ts, money in positions.ts. Written
// from the specification alone, imports nothing of the core, searches lists from end to end and must never be optimised.

import { endProtection, isFrozen, protectionOf, setProtection } from './protection.ts';
import { collateralOf, hasMargin, isBeyondLimit, isExact, isExempt, requiredOf } from './margin.ts';
import { EXACT, least, MILLION, most, up } from './money.ts';
import { payFunding } from './positions.ts';
import { Book } from './matching.ts';
import { CAPS, closable, FOK, GTC, LINKED, openSizes, PERP, PORTFOLIO, positionIn, REDUCES_ONLY, REJECTS, SELL, SLIDES, STANDARD, TIER1,
  type Account, type Answer, type Command, type Draft, type Order } from './terms.ts';

const OK: Answer = { code: 'OK' };
/** Reduce-only orders of one wallet and contract that may rest: a bound of the venue with a refusal of its own. */
const RESTING_REDUCE_ONLY = 16;
/** Bounds of an order (decision 2.3): the highest price, and 9e9 USDC. */
const MOST_PRICE = 10n ** 15n;
const MOST_AMOUNT = 9n * 10n ** 15n;

/** The venue's choice where the specification allows two results; the model follows it only there. */
type Witness = { code: string; isKilled: boolean };

export class Model extends Book {
  /** Trading modes by scope. */
  private readonly halts = new Map<string, number>();

  /** The reply to a command of a wallet; null for a command of the venue. */
  apply(command: Command, witness: Witness): Answer | null {
    switch (command.kind) {
      case 'place': return this.place(command.draft, 0, witness);
      case 'replace': return this.place(command.draft, command.id, witness);
      case 'amend': return this.amend(command, witness);
      case 'cancel': return this.cancel(command.wallet, command.id, witness);
      case 'cancelByClientId': return this.cancelByClientId(command.wallet, command.clientId, witness);
      case 'cancelAll': return this.cancelAll(command.wallet, command.slot, command.underlying);
      case 'cancelAfter': return this.cancelAfter(command.wallet, command.timeout);
      case 'setProtection':
        setProtection(this.enter(command.wallet), command.underlying, this.world.market.now, command.limits);
        return OK;
      case 'endProtection':
        endProtection(this.enter(command.wallet), command.underlying, command.isDeleted);
        return OK;
      case 'mode': return this.setMode(command.wallet, command.mode);
      case 'tier': return this.setTier(command.wallet, command.tier);
      case 'halt': this.halts.set(`${command.underlying} ${command.slot}`, command.mode); return null;
      case 'block': return this.block(command.wallet, command.mode);
      case 'operatorCancel': return this.endAll(command.wallet, 'OPERATOR');
      default: return null;
    }
  }

  /** Runs all work that is due: expiries, deadlines, orders that wait to be cancelled. */
  settle(): void {
    for (const account of this.accounts.values()) this.meetDeadline(account);
    for (const order of [...this.orders]) {
      if (order.waits !== null) this.end(order, order.waits);
      else if (this.hasExpired(order)) this.end(order, 'EXPIRED');
      else if (this.isPast(order)) this.end(order, 'ORDER_EXPIRED');
    }
  }

  /** Decision 1.6: the first action opens the account. What had fallen due comes first (7.3); funding is paid (2.6). */
  private enter(wallet: number): Account {
    const account = this.accounts.get(wallet) ?? {
      wallet, cash: this.world.rules.balance, tier: 0, mode: STANDARD, deadline: 0, restriction: 0,
      positions: new Map(), protections: new Map(),
    };
    this.accounts.set(wallet, account);
    this.meetDeadline(account);
    for (const slot of account.positions.keys()) payFunding(this.world, account, slot);
    return account;
  }

  private meetDeadline(account: Account): void {
    if (account.deadline === 0 || account.deadline > this.world.market.now) return;
    for (const order of this.ownOrders(account.wallet)) order.waits ??= 'CANCEL_AFTER';
    account.deadline = 0;
  }

  /** POST and PUT /order; `replaced`: the order in whose place this one is to stand (decision 3.8), 0: none. */
  private place(draft: Draft, replaced: number, witness: Witness): Answer {
    const refusedByCap = this.judgeCaps(draft, replaced);
    if (refusedByCap !== null) return { code: refusedByCap };
    const account = this.enter(draft.wallet);
    const old = this.orders.find(({ id, wallet }) => id === replaced && wallet === draft.wallet) ?? null;
    const ended = old === null ? null : this.endOf(old);
    if (ended !== null) this.end(old!, ended);
    if (replaced !== 0 && (old === null || ended !== null)) {
      return { code: old === null ? this.codeOfMissing(replaced, witness) : 'NOT_OPEN' };
    }
    this.freeNames(draft);
    const order: Order = { ...draft, id: 0, left: this.effectiveSize(draft), filled: 0n, waits: null };
    const refused = this.judge(account, order, old);
    if (refused !== null) return refused;
    if (old !== null) this.end(old, 'REPLACED');
    order.id = ++this.lastId;
    this.count(account.mode === PORTFOLIO ? 'order under portfolio margin' : 'order under standard margin');
    return this.execute(order, witness);
  }

  /** POST /amend (extensions 3): in place if it is no larger at its price, else a replace of the order by itself that keeps its id. */
  private amend({ wallet, id, price, size }: Extract<Command, { kind: 'amend' }>, witness: Witness): Answer {
    const old = this.orders.find((one) => one.id === id && one.wallet === wallet) ?? null;
    const isInPlace = (order: Order): boolean => size <= order.filled
      || (price === order.price && this.effectiveSize({ ...order, size: size - order.filled }) <= order.left);
    if (old !== null && this.endOf(old) === null && !isInPlace(old)) {
      const capped = this.judgeCaps({ ...old, price, size: size - old.filled }, id);
      if (capped !== null) return { code: capped };
    }
    const account = this.enter(wallet);
    const ended = old === null ? null : this.endOf(old);
    if (ended !== null) this.end(old!, ended);
    if (old === null || ended !== null) {
      return { code: old === null ? this.codeOfMissing(id, witness) : 'NOT_OPEN' };
    }
    if (size <= old.filled) {
      this.end(old, 'AMENDED');
      return { code: 'OK', numbers: [BigInt(id), 0n], end: 'AMENDED' };
    }
    const left = this.effectiveSize({ ...old, size: size - old.filled });
    if (isInPlace(old)) {
      Object.assign(old, { left, size });
      this.count('amend in place');
      return { code: 'OK', numbers: [BigInt(id), 0n], end: null };
    }
    const order: Order = { ...old, price, size, left, validUntil: 0 };
    const refused = this.judge(account, order, old);
    if (refused !== null) return refused;
    this.orders = this.orders.filter((one) => one !== old);
    this.count('amend that enters anew');
    const { numbers, ...answer } = this.execute(order, witness);
    return { ...answer, numbers: numbers!.slice(0, 2) };
  }

  /** The client id and the place in a link of an order that has ended are free. */
  private freeNames(draft: Draft): void {
    const order = { ...draft, id: 0, left: 0n, filled: 0n, waits: null };
    const named = this.ownOrders(draft.wallet).filter(({ clientId }) => clientId !== '' && clientId === draft.clientId);
    for (const one of new Set([...named, ...this.linkedTo(order)])) {
      const ended = this.endOf(one);
      if (ended !== null) this.end(one, ended);
    }
  }

  /** A reduce-only order is for at most the position (decision 3.10). */
  private effectiveSize({ wallet, slot, side, size, flags }: Draft): bigint {
    const account = this.accounts.get(wallet);
    if ((flags & REDUCES_ONLY) === 0) return size;
    return account === undefined ? 0n : least(size, closable(positionIn(account, slot), side));
  }

  /** The caps, which are judged before the engine is asked (decisions 3.12, 4.4, 5.4); null: none is passed. */
  private judgeCaps(draft: Draft, replaced: number): string | null {
    const account = this.accounts.get(draft.wallet);
    const old = this.orders.find(({ id, wallet }) => id === replaced && wallet === draft.wallet);
    if (replaced !== 0 && old === undefined) return null;
    const { openOrders, positions } = CAPS[account?.tier ?? 0]!;
    const others = this.ownOrders(draft.wallet).filter((one) => one !== old);
    if (draft.tif === GTC && others.length + 1 > openOrders) return 'MAX_OPEN_ORDERS';
    const held = account?.positions.size ?? 0;
    const opens = account === undefined || positionIn(account, draft.slot) === 0n;
    if (opens && held + 1 > positions && (draft.flags & REDUCES_ONLY) === 0) return 'MAX_POSITIONS';
    const order = { ...draft, id: 0, left: this.effectiveSize(draft), filled: 0n, waits: null };
    return isBeyondLimit(this.world, account ?? nobody(draft.wallet), others, order) ? 'POSITION_LIMIT' : null;
  }

  /** The checks of the engine in the order of extensions 0; null: the order is taken. One that slides has its price from then on. */
  private judge(account: Account, order: Order, old: Order | null): Answer | null {
    const { expiresAt, postOnly, validUntil } = order;
    const { now } = this.world.market;
    if (validUntil !== 0 && validUntil <= now) return { code: 'TOO_LATE' };
    if (expiresAt !== 0 && expiresAt <= now) return { code: 'ORDER_EXPIRED' };
    const refused = this.judgeNames(account, order, old)
      ?? (postOnly === SLIDES ? this.slide(order, old) : null) ?? this.judgeMoney(account, order, old);
    if (refused !== null) return refused;
    return postOnly === REJECTS && this.inTheWay(order, old) !== null ? { code: 'WOULD_TAKE' } : null;
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
    const same = this.orders.find((one) => clientId !== '' && one !== old && one.wallet === order.wallet && one.clientId === clientId);
    if (same !== undefined) return { code: 'DUPLICATE_CLIENT_ID' };
    const linked = this.linkedTo(order).filter((one) => one !== old).length;
    if (order.tif === GTC && linked >= LINKED) return { code: 'TOO_MANY_LINKED' };
    const others = this.ownOrders(order.wallet).filter((one) => one !== old);
    if ((flags & REDUCES_ONLY) !== 0) {
      if (left === 0n) return { code: 'REDUCE_ONLY_INCREASES' };
      const resting = others.filter((one) => one.slot === slot && (one.flags & REDUCES_ONLY) !== 0).length;
      if (order.tif === GTC && resting >= RESTING_REDUCE_ONLY) return { code: 'TOO_MANY_REDUCE_ONLY' };
    }
    return null;
  }

  /** From funds to the price band. */
  private judgeMoney(account: Account, order: Order, old: Order | null): Answer | null {
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
    if (exempt) return this.outsideBand(order);
    if (isStale[underlying]! || (account.mode === PORTFOLIO && hasRun[underlying]!)) return { code: 'NO_SPOT_PRICE' };
    if (account.mode === PORTFOLIO && this.isAveraged(slot)) this.count('order in the last half hour');
    const required = requiredOf(this.world, account, [...others, order]);
    const available = collateralOf(this.world, account);
    if (available >= required) return this.outsideBand(order);
    // Amounts in the text of the refusal end where a number has all its digits. Of a wallet that holds more the last is not promised.
    if (!isExact(this.world, account)) return { code: 'INSUFFICIENT_MARGIN' };
    const [asked, has] = [least(EXACT, required), most(-EXACT, least(EXACT, available))];
    return { code: 'INSUFFICIENT_MARGIN', numbers: [asked, has, least(EXACT, asked - has)] };
  }

  /** The strictest of venue, underlying and contract, then the wallet's restriction (extensions, operator). */
  private closedTo(account: Account, { left, side, slot, wallet }: Order, old: Order | null): string | null {
    const { underlying } = this.world.market.contracts[slot]!;
    const modes = ['null null', `${underlying} null`, `${underlying} ${slot}`].map((scope) => this.halts.get(scope) ?? 0);
    const mode = Math.max(...modes);
    if (mode !== 0) return mode === 1 ? 'MARKET_CANCEL_ONLY' : 'MARKET_HALTED';
    if (account.restriction === 0) return null;
    if (account.restriction === 2) return 'WALLET_BLOCKED';
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

  private block(wallet: number, restriction: number): null {
    const account = this.accounts.get(wallet);
    if (account === undefined) return null;
    account.restriction = restriction;
    return restriction === 2 ? this.endAll(wallet, 'BLOCKED') : null;
  }

  private endAll(wallet: number, reason: 'BLOCKED' | 'OPERATOR'): null {
    for (const order of this.ownOrders(wallet)) order.waits ??= reason;
    return null;
  }

  /** Trades an accepted order and rests what is left of a gtc (decision 3.2). */
  private execute(order: Order, witness: Witness): Answer {
    const asked = order.left;
    const { id } = order;
    if (order.tif === FOK && !this.wouldFill(order, witness.isKilled)) {
      this.tellEnd(order, 'FOK_KILLED');
      return { code: 'OK', numbers: [BigInt(id), 0n, 0n], mmp: false, end: 'FOK_KILLED' };
    }
    const stopped = this.sweep(order);
    const rests = order.left > 0n && order.tif === GTC && stopped === null;
    const end = rests ? null : order.left === 0n ? 'FILLED' : stopped ?? (order.tif === FOK ? 'FOK_KILLED' : 'IOC_REST');
    if (end === null) this.orders.push(order);
    else this.tellEnd(order, end);
    if (rests) this.count('order that rests');
    const hasTriggered = stopped === 'MMP_SELF';
    if (hasTriggered) this.count('protection of a taker');
    const told = order.postOnly === SLIDES ? order.price : rests ? order.left : 0n;
    return { code: 'OK', numbers: [BigInt(id), asked - order.left, told], mmp: hasTriggered, end };
  }

  private cancel(wallet: number, id: number, witness: Witness): Answer {
    this.enter(wallet);
    const order = this.orders.find((one) => one.id === id && one.wallet === wallet);
    return order === undefined ? { code: this.codeOfMissing(id, witness) } : this.cancelOne(order, witness);
  }

  private cancelByClientId(wallet: number, clientId: string, witness: Witness): Answer {
    this.enter(wallet);
    const order = this.orders.find((one) => one.wallet === wallet && one.clientId === clientId);
    return order === undefined ? { code: 'NOT_OPEN' } : this.cancelOne(order, witness);
  }

  /** One that only waits to be cancelled may be open still, or gone: whichever the venue says. One past its time is gone. */
  private cancelOne(order: Order, witness: Witness): Answer {
    if (this.isPast(order)) {
      this.count('cancel of an expired order');
      this.end(order, this.endOf(order)!);
      return { code: 'NOT_OPEN' };
    }
    const isGone = order.waits !== null && witness.code === 'NOT_OPEN';
    if (order.waits !== null) this.count(isGone ? 'cancel of an order that has gone' : 'cancel of an order that waits');
    this.end(order, isGone ? order.waits! : 'CANCELLED');
    return isGone ? { code: 'NOT_OPEN' } : { code: 'OK', numbers: [BigInt(order.id)] };
  }

  /** Decision 3.5: an id that was issued and is not open is for the history; never issued, or another's: not found. */
  private codeOfMissing(id: number, witness: Witness): string {
    const others = this.orders.find((one) => one.id === id);
    if (others !== undefined && this.endOf(others) !== null) return witness.code === 'NOT_OPEN' ? 'NOT_OPEN' : 'ORDER_NOT_FOUND';
    return others === undefined && id >= 1 && id <= this.lastId ? 'NOT_OPEN' : 'ORDER_NOT_FOUND';
  }

  /** Decision 7.3: everything, or what is of one contract or underlying. */
  private cancelAll(wallet: number, slot: number | null, underlying: number | null): Answer {
    this.enter(wallet);
    const { contracts } = this.world.market;
    const chosen = this.ownOrders(wallet).filter((order) =>
      (slot === null || order.slot === slot) && (underlying === null || contracts[order.slot]!.underlying === underlying));
    for (const order of chosen) this.endOrWait(order, this.isPast(order) ? 'ORDER_EXPIRED' : 'CANCELLED');
    return { code: 'OK' };
  }

  private cancelAfter(wallet: number, timeout: number): Answer {
    const account = this.enter(wallet);
    account.deadline = timeout === 0 ? 0 : this.world.market.now + timeout;
    return { code: 'OK', numbers: [BigInt(account.deadline)] };
  }

  /** The law and decision 4.1: no open position, and open orders that fit; in the mode in force they do. */
  private setMode(wallet: number, mode: number): Answer {
    const account = this.enter(wallet);
    const before = account.mode;
    if (account.positions.size > 0) return { code: 'POSITIONS_OPEN' };
    account.mode = mode;
    const own = this.ownOrders(wallet);
    if (mode === before || own.length === 0 || hasMargin(this.world, account, own)) return { code: 'OK', numbers: [BigInt(before)] };
    account.mode = before;
    return { code: 'ORDERS_DO_NOT_FIT' };
  }

  private setTier(wallet: number, tier: number): Answer {
    if (!this.accounts.has(wallet)) this.count('tier before the first order');
    const account = this.accounts.get(wallet) ?? this.enter(wallet);
    account.tier = tier;
    return OK;
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
  return { wallet, cash: 0n, tier: 0, mode: STANDARD, deadline: 0, restriction: 0, positions: new Map(), protections: new Map() };
}
