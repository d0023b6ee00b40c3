// Placing, replacing and amending orders by the reference model, and an order that waits for its trigger (decisions 3, extensions 1 to 3).

import { Checks } from './checks.ts';
import { payFunding } from './positions.ts';
import { CAPS, FOK, GTC, move, PORTFOLIO, REDUCES_ONLY, SLIDES, STANDARD, type Account, type Answer, type Command, type Draft,
  type Order } from './terms.ts';

/**
 * The venue's choice where the specification allows two results; the model follows it only there. `isPending`: a cancel-all goes on in
 * steps; `ended`: the orders that it ended at once.
 */
export type CoreChoice = { code: string; isKilled: boolean; isPending: boolean; ended: ReadonlySet<number> };

export class Placing extends Checks {
  /** Decision 1.6: the first action opens the account. What had fallen due comes first (7.3); funding is paid (2.6). */
  enter(wallet: number): Account {
    const known = this.accounts.get(wallet);
    const account: Account = known ?? {
      wallet, cash: 0n, tier: 0, mode: STANDARD, deadline: 0, restriction: 0,
      positions: new Map(), protections: new Map(), newest: new Map(), rows: [], payments: [],
    };
    this.accounts.set(wallet, account);
    if (known === undefined) move(account, 'opening', this.world.rules.balance);
    this.meetDeadline(account);
    for (const slot of account.positions.keys()) payFunding(this.world, account, slot);
    return account;
  }

  meetDeadline(account: Account): void {
    if (account.deadline === 0 || account.deadline > this.world.market.now) return;
    for (const order of this.allOrders(account.wallet)) if (!this.staysAway(order)) order.waits ??= 'CANCEL_AFTER';
    account.deadline = 0;
  }

  /** POST and PUT /order; `replaced`: the order in whose place this one is to stand (decision 3.8), 0: none. */
  place(draft: Draft, replaced: number, witness: CoreChoice): Answer {
    const refusedByCap = this.judgeCaps(draft, replaced);
    if (refusedByCap !== null) return { code: refusedByCap };
    const account = this.enter(draft.wallet);
    const old = this.find(replaced, draft.wallet);
    const ended = old === null ? null : this.endOf(old);
    if (ended !== null) this.end(old!, ended);
    if (replaced !== 0 && (old === null || ended !== null)) {
      return { code: old === null ? this.codeOfMissing(replaced, witness) : 'NOT_OPEN' };
    }
    if (old?.quoteSet !== undefined) return { code: 'ORDER_OF_QUOTE_SET' };
    this.freeNames(draft);
    const isWaiting = draft.trigger !== null;
    const left = isWaiting ? draft.size : this.effectiveSize(draft);
    const order: Order = { ...draft, id: 0, left, filled: 0n, waits: null, mayOpen: CAPS[account.tier]!.positions };
    if (order.postOnly !== 0 && !this.hasExpired(order)) this.clearTheWay(order, old);
    const refused = isWaiting ? this.judgeWaiting(account, order, old) : this.judge(account, order, old);
    if (refused !== null) return refused;
    if (old?.entryOf !== undefined && old.entryOf === order.entryOf && old.slot === order.slot) old.entryOf = undefined;
    if (old !== null) this.end(old, 'REPLACED');
    order.id = ++this.lastId;
    order.validUntil = 0;
    if (isWaiting) {
      order.awaits = (order.flags & REDUCES_ONLY) !== 0 && order.linkId !== '' && this.allOrders(draft.wallet).some((one) => (
        one.slot === order.slot && one.entryOf === order.linkId
      ));
      this.waiting.push(order);
      this.count('order that waits for its trigger');
      return { code: 'OK', numbers: [BigInt(order.id), 0n], mmp: false, end: null };
    }
    this.count(account.mode === PORTFOLIO ? 'order under portfolio margin' : 'order under standard margin');
    return this.execute(order, witness.isKilled);
  }

  /** Within a batch the new order keeps client id and link of the old one, unless it names others. */
  keepNames(draft: Draft, replaced: number): Draft {
    const old = this.find(replaced, draft.wallet);
    if (old === null || old.quoteSet !== undefined) return draft;
    const isLinked = draft.linkId !== '' || draft.entryOf !== undefined;
    return {
      ...draft, clientId: draft.clientId === '' ? old.clientId : draft.clientId,
      ...(!isLinked && { linkId: old.linkId, entryOf: old.entryOf }),
    };
  }

  /** POST /amend (extensions 3): in place if it is no larger at its price, else a replace of the order by itself that keeps its id. */
  amend(command: Extract<Command, { kind: 'amend' }>, witness: CoreChoice): Answer {
    const { id, price, size, triggerPrice, wallet } = command;
    const old = this.find(id, wallet);
    if (old !== null && this.waiting.includes(old)) return this.amendWaiting(old, command);
    const isInPlace = (order: Order): boolean => size <= order.filled
      || (price === order.price && this.effectiveSize({ ...order, size: size - order.filled }) <= order.left);
    if (old !== null && old.quoteSet === undefined && this.endOf(old) === null && !isInPlace(old)) {
      const capped = this.judgeCaps({ ...old, price, size: size - old.filled }, id);
      if (capped !== null) return { code: capped };
    }
    const account = this.enter(wallet);
    const ended = old === null ? null : this.endOf(old);
    if (ended !== null) this.end(old!, ended);
    if (old === null || ended !== null) {
      return { code: old === null ? this.codeOfMissing(id, witness) : 'NOT_OPEN' };
    }
    if (old.quoteSet !== undefined) return { code: 'ORDER_OF_QUOTE_SET' };
    if (triggerPrice !== 0n) return { code: 'NO_TRIGGER' };
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
    if (order.postOnly !== 0) this.clearTheWay(order, old);
    const refused = this.judge(account, order, old);
    if (refused !== null) return refused;
    this.remove(old);
    this.count('amend that enters anew');
    const { numbers, ...answer } = this.execute(order, witness.isKilled);
    return { ...answer, numbers: numbers!.slice(0, 2) };
  }

  /** Not larger at the same prices: judged by nothing. Else as if it were placed anew; it waits on either way. */
  amendWaiting(old: Order, { id, price, size, triggerPrice, wallet }: Extract<Command, { kind: 'amend' }>): Answer {
    const trigger = { ...old.trigger!, price: triggerPrice === 0n ? old.trigger!.price : triggerPrice };
    const isInPlace = size <= old.left && price === old.price && trigger.price === old.trigger!.price;
    const order: Order = { ...old, price, size, left: size, trigger };
    const capped = isInPlace || this.endOf(old) !== null ? null : this.judgeCaps(order, id);
    if (capped !== null) return { code: capped };
    const account = this.enter(wallet);
    const ended = this.endOf(old);
    if (ended !== null) {
      this.end(old, ended);
      return { code: 'NOT_OPEN' };
    }
    const refused = isInPlace ? null : this.judgeWaiting(account, order, old);
    if (refused !== null) return refused;
    Object.assign(old, order);
    this.count(isInPlace ? 'waiting order that is reduced' : 'waiting order that is amended');
    return { code: 'OK', numbers: [BigInt(id), trigger.price, price], end: null };
  }

  /** The client id and the place in a link of an order that has ended are free. */
  freeNames(draft: Draft): void {
    const order = { ...draft, id: 0, left: 0n, filled: 0n, waits: null };
    const named = this.allOrders(draft.wallet).filter(({ clientId }) => clientId !== '' && clientId === draft.clientId);
    for (const one of new Set([...named, ...this.linkedTo(order)])) {
      const ended = this.isOpen(one) ? this.endOf(one) : null;
      if (ended !== null) this.end(one, ended);
    }
  }

  /** Trades an accepted order and rests what is left of a gtc (decision 3.2). */
  execute(order: Order, isKilled: boolean): Answer {
    const asked = order.left;
    const { id } = order;
    if (order.tif === FOK && !this.wouldFill(order, isKilled)) {
      this.endGroup(order);
      this.tellEnd(order, 'FOK_KILLED');
      return { code: 'OK', numbers: [BigInt(id), 0n, 0n], mmp: false, end: 'FOK_KILLED' };
    }
    const stopped = this.sweep(order);
    const rests = order.left > 0n && order.tif === GTC && stopped === null;
    const end = rests ? null : order.left === 0n ? 'FILLED' : stopped ?? (order.tif === FOK ? 'FOK_KILLED' : 'IOC_REST');
    if (end !== null) this.endGroup(order);
    if (end === null) this.orders.push(order);
    else this.tellEnd(order, end);
    if (rests) this.count('order that rests');
    const hasTriggered = stopped === 'MMP_SELF';
    if (hasTriggered) this.count('protection of a taker');
    const told = order.postOnly === SLIDES ? order.price : rests ? order.left : 0n;
    return { code: 'OK', numbers: [BigInt(id), asked - order.left, told], mmp: hasTriggered, end };
  }

  /** Decision 3.5: an id that was issued and is not open is for the history; never issued, or another's: not found. */
  codeOfMissing(id: number, witness: CoreChoice): string {
    const others = [...this.orders, ...this.waiting].find((one) => one.id === id);
    if (others !== undefined && this.endOf(others) !== null) return witness.code === 'NOT_OPEN' ? 'NOT_OPEN' : 'ORDER_NOT_FOUND';
    return others === undefined && id >= 1 && id <= this.lastId ? 'NOT_OPEN' : 'ORDER_NOT_FOUND';
  }

}
