// The reference model of the trading engine: its state after each command and the reply, by the specification. Cancels and settings
// are here; Quotes, Firing, Placing, Checks and Book below it have the rest, positions.ts the money. Written
// from the specification alone, imports nothing of the core, searches lists from end to end and must never be optimised.

import { endProtection, setProtection } from './protection.ts';
import { collateralOf, hasMargin, requiredOf } from './margin.ts';
import { EXACT, sizeOf } from './money.ts';
import { payFunding } from './positions.ts';
import { Quotes } from './quotes.ts';
import type { CoreChoice } from './placing.ts';
import { MOST_AMOUNT, move, type Account, type Answer, type Command, type Order } from './terms.ts';

const OK: Answer = { code: 'OK' };

export class Model extends Quotes {
  private readonly credited = new Set<string>();
  /** Sums of credits by wallet, which are exact too. */
  private readonly received = new Map<number, bigint>();

  /** The reply to a command of a wallet; null for a command of the venue. */
  apply(command: Command, witness: CoreChoice): Answer | null {
    switch (command.kind) {
      case 'place': return this.place(command.draft, 0, witness);
      case 'replace': return this.place(command.draft, command.id, witness);
      case 'amend': return this.amend(command, witness);
      case 'cancel': return this.cancel(command.wallet, command.id, witness);
      case 'cancelByClientId': return this.cancelByClientId(command.wallet, command.clientId, witness);
      case 'cancelAll': return this.cancelAll(command, witness);
      case 'massQuote': return this.massQuote(command);
      case 'cancelQuotes': return this.cancelQuotes(command, witness);
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
      case 'credit': return this.credit(command);
      default: return null;
    }
  }

  /** What a debit may take: collateral less requirements. */
  freeOf(account: Account): bigint {
    return collateralOf(this.world, account) - requiredOf(this.world, account, this.ownOrders(account.wallet));
  }

  /** Extensions 7: the same id again moves nothing and has the first answer. */
  private credit({ amount, id, wallet }: Extract<Command, { kind: 'credit' }>): Answer {
    const account = this.accounts.get(wallet);
    if (this.credited.has(id)) return OK;
    if (account === undefined) return { code: 'UNKNOWN_WALLET' };
    for (const slot of account.positions.keys()) payFunding(this.world, account, slot);
    const received = (this.received.get(wallet) ?? 0n) + amount;
    if (sizeOf(account.cash + amount) > MOST_AMOUNT || sizeOf(received) > EXACT) return { code: 'BALANCE_TOO_LARGE' };
    if (amount < 0n && -amount > this.freeOf(account)) return { code: 'DEBIT_TOO_LARGE' };
    this.credited.add(id);
    this.received.set(wallet, received);
    move(account, 'credit', amount);
    return OK;
  }

  /** Runs all work that is due: expiries, deadlines, orders that wait to be cancelled. */
  settle(): void {
    for (const account of this.accounts.values()) this.meetDeadline(account);
    for (const order of [...this.orders, ...this.waiting]) {
      // Its entry may have taken it along.
      if (!this.isOpen(order)) continue;
      if (order.waits !== null) this.end(order, order.waits);
      else if (this.hasExpired(order)) this.end(order, 'EXPIRED');
      else if (this.isPast(order)) this.end(order, 'ORDER_EXPIRED');
    }
  }

  private block(wallet: number, restriction: number): null {
    const account = this.accounts.get(wallet);
    if (account === undefined) return null;
    account.restriction = restriction;
    return restriction === 2 ? this.endAll(wallet, 'BLOCKED') : null;
  }

  private endAll(wallet: number, reason: 'BLOCKED' | 'OPERATOR'): null {
    for (const order of this.allOrders(wallet)) order.waits ??= reason;
    return null;
  }

  private cancel(wallet: number, id: number, witness: CoreChoice): Answer {
    this.enter(wallet);
    const order = this.find(id, wallet);
    return order === null ? { code: this.codeOfMissing(id, witness) } : this.cancelOne(order, witness);
  }

  private cancelByClientId(wallet: number, clientId: string, witness: CoreChoice): Answer {
    this.enter(wallet);
    const order = this.allOrders(wallet).find((one) => one.clientId === clientId);
    return order === undefined ? { code: 'NOT_OPEN' } : this.cancelOne(order, witness);
  }

  /** One that only waits to be cancelled may be open still, or gone: whichever the venue says. One past its time is gone. */
  private cancelOne(order: Order, witness: CoreChoice): Answer {
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

  /** Decision 7.3: everything, or what is of one contract or underlying. */
  private cancelAll(command: Extract<Command, { kind: 'cancelAll' }>, { ended, isPending }: CoreChoice): Answer {
    const account = this.enter(command.wallet);
    this.touch(account, command);
    for (const order of this.inScope(command)) {
      if (!this.isOpen(order)) continue;
      const reason = this.isPast(order) ? 'ORDER_EXPIRED' : 'CANCELLED';
      if (isPending && !ended.has(order.id)) order.waits ??= reason;
      else this.endOrWait(order, reason);
    }
    if (isPending) this.count('cancel-all in steps');
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

