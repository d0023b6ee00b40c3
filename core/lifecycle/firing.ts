// Fires due triggers after every vintage switch, in bounded steps: reduce-only first; then by index, theo, mark; contracts as listed; above
// before below; the price that the value reaches first, then the order id. Nothing fires on a stale index or while a market is not open.

import { TRADE_IDS } from '../orders/orders.ts';
import { ABOVE, BY_INDEX, BY_THEO, firstTrigger, isReached, triggerAfter, treeOf, TREES } from '../orders/triggers.ts';
import { UNTRIGGERED } from '../orders/untriggered.ts';
import { FILLS_A_FIRING_STEP, FIRED_A_STEP } from '../limits.ts';
import { orderId } from '../book/pool.ts';
import { ACTIVE, hasExpired, instrumentCount } from '../instruments/instruments.ts';
import { isMarketOpen } from '../instruments/trading-mode.ts';
import { isIndexStale } from '../valuation/valuation.ts';
import { fireOrder } from '../trading/fire-order.ts';
import type { Lifecycle } from './lifecycle.ts';
import { CONTRACT, DIRECTION, endPass, ID, nextPass, PASS, PHASE, PRICE, startPass } from './firing-state.ts';

/** Per step: contracts, and orders that wait on because of their wallet. */
const CONTRACTS_A_STEP = 8_192;
const WAITING_A_STEP = 256;
const PHASES = 6;
const LATER = -1;

export function startFiring(lifecycle: Lifecycle, underlying: number, time: number): void {
  const { firing, orders } = lifecycle;
  if (orders.counters[UNTRIGGERED] === 0) return;
  if (hasDue(lifecycle, underlying, time)) startPass(firing, underlying);
  else endPass(firing, underlying);
}

function hasDue(lifecycle: Lifecycle, underlying: number, time: number): boolean {
  const { instruments, orders: { triggers } } = lifecycle;
  const { nearest, ofContract } = triggers;
  const count = instrumentCount(instruments);
  for (let contract = 0; contract < count; contract++) {
    if (ofContract[contract] === 0 || instruments.underlying[contract] !== underlying || !mayFire(lifecycle, contract, time)) continue;
    for (let tree = contract * TREES; tree < (contract + 1) * TREES; tree++) {
      if (nearest[tree] !== 0 && isReached(tree, nearest[tree], valueOf(lifecycle, contract, tree))) return true;
    }
  }
  return false;
}

function mayFire({ instruments }: Lifecycle, contract: number, time: number): boolean {
  return instruments.status[contract] === ACTIVE && !hasExpired(instruments, contract, time) && isMarketOpen(instruments, contract);
}

function valueOf({ instruments, valuation }: Lifecycle, contract: number, tree: number): number {
  const by = 1 + (Math.floor(tree / 2) % (PHASES / 2));
  if (by === BY_INDEX) return valuation.markIndex[instruments.underlying[contract]];
  return by === BY_THEO ? valuation.theo[contract] : valuation.mark[contract];
}

export function firingStep(lifecycle: Lifecycle, time: number): void {
  const { books, firing, orders, settings, valuation } = lifecycle;
  const underlying = nextPass(firing);
  const row = underlying * PASS;
  const firstTrade = orders.counters[TRADE_IDS];
  let waiting = 0;
  for (let fired = 0; fired < FIRED_A_STEP && waiting < WAITING_A_STEP;) {
    if (isIndexStale(valuation, settings, underlying, time)) return endPass(firing, underlying);
    const slot = nextDue(lifecycle, underlying, time);
    if (slot === 0) endPass(firing, underlying);
    if (slot === 0 || slot === LATER) return;
    firing.passes[row + PRICE] = orders.extended.triggerPrice[slot];
    firing.passes[row + ID] = orderId(books, slot);
    if (fireOrder(lifecycle, slot, time)) fired++;
    else waiting++;
    if (orders.counters[TRADE_IDS] - firstTrade >= FILLS_A_FIRING_STEP) return;
  }
}

function nextDue(lifecycle: Lifecycle, underlying: number, time: number): number {
  const { firing: { passes }, instruments, orders: { triggers } } = lifecycle;
  const row = underlying * PASS;
  const count = instrumentCount(instruments);
  for (let looked = 0; passes[row + PHASE] <= PHASES; looked++) {
    if (looked === CONTRACTS_A_STEP) return LATER;
    const contract = passes[row + CONTRACT];
    if (contract >= count) {
      passes[row + CONTRACT] = 0;
      passes[row + PHASE]++;
      continue;
    }
    const isUsed = instruments.underlying[contract] === underlying && triggers.ofContract[contract] !== 0;
    const slot = isUsed && mayFire(lifecycle, contract, time) ? nextOfContract(lifecycle, row, contract) : 0;
    if (slot !== 0) return slot;
    passes[row + CONTRACT]++;
    passes[row + DIRECTION] = passes[row + PRICE] = passes[row + ID] = 0;
  }
  return 0;
}

/** In the pass's phase. */
function nextOfContract(lifecycle: Lifecycle, row: number, contract: number): number {
  const { firing: { passes }, orders: { triggers } } = lifecycle;
  const phase = passes[row + PHASE] - 1;
  const isReduceOnly = phase < PHASES / 2;
  for (; passes[row + DIRECTION] < 2; passes[row + DIRECTION]++) {
    const tree = treeOf(contract, isReduceOnly, 1 + phase % (PHASES / 2), ABOVE + passes[row + DIRECTION]);
    const price = passes[row + PRICE];
    const slot = price === 0 ? firstTrigger(triggers, tree) : triggerAfter(triggers, tree, price, passes[row + ID]);
    if (slot !== 0 && isReached(tree, triggers.price[slot], valueOf(lifecycle, contract, tree))) return slot;
    passes[row + PRICE] = passes[row + ID] = 0;
  }
  return 0;
}
