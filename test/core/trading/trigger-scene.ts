// A scene of the perp with trigger orders: every index makes a vintage, and what is due fires. The index of waiting orders is compared with
// one that is rebuilt after every vintage.

import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { USDC } from '../../../core/units.ts';
import { FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { ORDER_DONE, ORDER_ID, ORDER_REASON, ORDER_TRIGGERED } from '../../../core/codec/events.ts';
import { ABOVE, BELOW, BY_INDEX } from '../../../core/orders/triggers.ts';
import { createState, type State } from '../../../core/engine/state.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import type { EventRow } from '../../support/venue.ts';
import { check, TradingScene } from './support.ts';

export const BY_MARK = 3;
export const REDUCE = { flags: FLAG_REDUCE_ONLY | FLAG_MMP_OPT_OUT };

/** A trigger on the index at so many USDC. */
export function at(price: number, triggerDirection = ABOVE, triggerBy = BY_INDEX): Record<string, number> {
  return { triggerBy, triggerDirection, triggerPrice: Math.round(price * USDC), flags: FLAG_MMP_OPT_OUT };
}

export const below = (price: number, by = BY_INDEX): Record<string, number> => at(price, BELOW, by);

/** A scene of the perp, which every order names. */
export class TriggerScene extends TradingScene {
  /** Events of all commands since the last index. */
  all: EventRow[] = [];

  order(wallet: number, side: number, price: number, size: number, more: Record<string, unknown> = {}): number {
    const code = this.place(wallet, side, price, size, { slot: this.perp, ...more });
    assert.equal(code, C.OK);
    return this.number(0);
  }

  /** An index that every vintage follows; runs all work that is due. */
  index(price: number): void {
    this.all = [];
    const listener = this.state.events.listener!;
    this.state.events.listener = (kind, slots) => {
      this.all.push({ kind, slots: slots.slice() });
      listener(kind, slots);
    };
    this.now += 1_000;
    this.venue(this.write.index(0, price * USDC, 1));
    this.settle();
    this.state.events.listener = listener;
    check(this.state);
    checkIndex(this.state);
  }

  of(kind: number, slot: number): number[] {
    return this.all.filter((event) => event.kind === kind).map((event) => event.slots[slot]!);
  }

  fired(): number[] {
    return this.of(ORDER_TRIGGERED, ORDER_ID);
  }

  ended(): [number, number][] {
    const ids = this.of(ORDER_DONE, ORDER_ID);
    return this.of(ORDER_DONE, ORDER_REASON).map((reason, i) => [ids[i]!, reason]);
  }

  waits(id: number): boolean {
    return this.orders().some((order) => order.id === id && order.entry === 0);
  }

  stands(id: number): boolean {
    return this.orders().some((order) => order.id === id && order.entry !== 0);
  }
}

/** A restored state has the same nearest price of each tree. */
export function checkIndex(state: State): void {
  const restored = createState(state.limits);
  restoreState(restored, copyOf(state));
  assert.deepEqual(restored.orders.triggers.nearest, state.orders.triggers.nearest);
  assert.deepEqual(restored.orders.triggers.ofContract, state.orders.triggers.ofContract);
}
