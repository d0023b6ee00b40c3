// A venue for attacks by triggers, links, quotes and amends: an attacker and honest wallets, the index at hand, the events of all work
// since the last look. Inputs in USDC and contracts.

import assert from 'node:assert/strict';
import { OK } from '../../../core/errors.ts';
import { USDC } from '../../../core/units.ts';
import { FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { ORDER_DONE, ORDER_ID, ORDER_REASON, ORDER_TRIGGERED } from '../../../core/codec/events.ts';
import { collateralOf, freshen, initialOf, reservedOf } from '../../../core/margin/account-margin.ts';
import type { OrderFields } from '../../support/records.ts';
import type { EventRow } from '../../support/venue.ts';
import { QuoteDesk } from '../trading/quotes.ts';
import { check } from '../trading/support.ts';

type More = Partial<OrderFields> & { slot?: number };
const ABOVE = 1;
const BELOW = 2;
const BY_INDEX = 1;

/** Triggers on the index. */
export const above = (price: number, flags = FLAG_MMP_OPT_OUT): More => trigger(ABOVE, price, flags);
export const below = (price: number, flags = FLAG_MMP_OPT_OUT): More => trigger(BELOW, price, flags);
export const REDUCE = FLAG_REDUCE_ONLY | FLAG_MMP_OPT_OUT;

function trigger(triggerDirection: number, price: number, flags: number): More {
  return { triggerBy: BY_INDEX, triggerDirection, triggerPrice: Math.round(price * USDC), flags };
}

export class AttackScene extends QuoteDesk {
  /** Events of all commands since `look`. */
  all: EventRow[] = [];

  constructor(...args: ConstructorParameters<typeof QuoteDesk>) {
    super(...args);
    const { listener } = this.state.events;
    this.state.events.listener = (kind, slots) => {
      this.all.push({ kind, slots: slots.slice() });
      listener!(kind, slots);
    };
  }

  /** An order that is taken; its id. */
  order(wallet: number, side: number, price: number, size: number, more: More = {}): number {
    assert.equal(this.place(wallet, side, price, size, { slot: this.perp, ...more }), OK);
    return this.number(0);
  }

  /** An index that a vintage follows, without the work that it makes due. */
  price(index: number): void {
    this.look();
    this.now += 1_000;
    this.venue(this.write.index(0, index * USDC, 1));
  }

  /** The same, with all of that work. */
  index(price: number): void {
    this.price(price);
    this.settle();
    check(this.state);
  }

  look(): void {
    this.all = [];
  }

  /** One field of each event of a kind since the last look. */
  heard(kind: number, slot: number): number[] {
    return this.all.filter((event) => event.kind === kind).map((event) => event.slots[slot]!);
  }

  fired(): number[] {
    return this.heard(ORDER_TRIGGERED, ORDER_ID);
  }

  /** Reason by order that ended. */
  ends(): Map<number, number> {
    const reasons = this.heard(ORDER_DONE, ORDER_REASON);
    return new Map(this.heard(ORDER_DONE, ORDER_ID).map((id, at) => [id, reasons[at]!]));
  }

  left(id: number): number {
    return (this.orders().find((order) => order.id === id)?.remaining ?? 0) / 1e6;
  }

  /** What the wallet has beyond all it must have, orders included; micros. */
  free(wallet: number): number {
    const account = this.account(wallet);
    freshen(this.state, account);
    return collateralOf(this.state, account) - initialOf(this.state, account) - reservedOf(this.state, account);
  }

  size(wallet: number, slot = this.perp): number {
    return (this.held(wallet, slot)?.position ?? 0) / 1e6;
  }
}
