// Trigger orders of the reference model: which are due at a vintage, in what order they fire, and what happens then (extensions 2).

import { least } from './money.ts';
import { Placing } from './placing.ts';
import { ABOVE, BY_INDEX, BY_MARK, closable, positionIn, REDUCES_ONLY, type Order } from './terms.ts';

/** A step ends with so many orders, or with the order that reaches so many fills. */
const ORDERS_A_STEP = 32;
const FILLS_A_STEP = 1_024;

export class Firing extends Placing {
  /** Orders that fired since the last comparison. */
  fired: number[] = [];

  /** A step that takes so many orders of an underlying: a step may take fewer than its bounds allow. */
  fire(underlying: number, count: number, killed: ReadonlySet<number>): void {
    const before = this.fills.length;
    let taken = 0;
    for (const order of this.due(underlying)) {
      if (taken === Math.min(count, ORDERS_A_STEP) || this.fills.length - before >= FILLS_A_STEP) break;
      if (this.waiting.includes(order) && this.fireOne(order, killed.has(order.id))) taken++;
    }
  }

  /** Reduce-only first; by index, theo, mark; by contract; above first; what the value reaches first; the oldest. */
  due(underlying: number): Order[] {
    const { contracts, isStale } = this.world.market;
    if (isStale[underlying]!) return [];
    const keys = ({ flags, id, slot, trigger }: Order): number[] => [(flags & REDUCES_ONLY) === 0 ? 1 : 0, trigger!.by, slot,
      trigger!.direction, Number(trigger!.price) * (trigger!.direction === ABOVE ? 1 : -1), id];
    return this.waiting
      .filter((order) => contracts[order.slot]!.underlying === underlying && !this.hasExpired(order) && this.modeOf(order.slot) === 0
        && order.awaits !== true && !this.fresh.has(order.id) && this.isMet(order))
      .sort((a, b) => {
        const [first, second] = [keys(a), keys(b)];
        const at = first.findIndex((key, i) => key !== second[i]);
        return at < 0 ? 0 : first[at]! - second[at]!;
      });
  }

  private isMet({ slot, trigger }: Order): boolean {
    const { contracts, index, mark, theo } = this.world.market;
    const { by, direction, price } = trigger!;
    const value = by === BY_INDEX ? index[contracts[slot]!.underlying]! : (by === BY_MARK ? mark : theo)[slot]!;
    return direction === ABOVE ? value >= price : value <= price;
  }

  /** False: it waits on, because it has ended or cancels of its wallet are queued. */
  private fireOne(order: Order, isKilled: boolean): boolean {
    const account = this.enter(order.wallet);
    if (this.endOf(order) !== null || this.allOrders(order.wallet).some(({ waits }) => waits !== null)) return false;
    if ((order.flags & REDUCES_ONLY) !== 0) order.left = least(order.left, closable(positionIn(account, order.slot), order.side));
    const refused = this.judge(account, order, order, 'fired');
    if (refused !== null) {
      this.end(order, `refused: ${refused.code}`);
      this.count(`fired ${refused.code}`);
      return true;
    }
    this.remove(order);
    order.trigger = null;
    this.fired.push(order.id);
    this.count('fired OK');
    this.execute(order, isKilled);
    return true;
  }
}
