// Caps of a wallet's tier, and room in the venue's tables, for a new order. Admission asks before a command gets a seq; a batch asks for
// each item, with the caps that admission wrote into its record.

import { ENGINE_BUSY, MAX_OPEN_ORDERS, MAX_POSITIONS, OK } from '../errors.ts';
import { BYTE_ORDER_FLAGS, BYTE_TIF, FLAG_REDUCE_ONLY } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { TRIGGERS } from '../limits.ts';
import { GTC } from '../units.ts';
import { isSmallTier, UNLIMITED } from '../tiers.ts';
import { nextAccount } from '../accounts/accounts.ts';
import { mayOpenHolding } from '../positions/holdings.ts';
import { hasBookRoom } from '../book/books.ts';
import { findOrder, orderAccount } from '../book/pool.ts';
import { SMALL_TIER_OPEN, smallTierPlaces } from '../orders/orders.ts';
import { isUntriggered, SMALL_TIER_UNTRIGGERED, smallTierTriggers, UNTRIGGERED } from '../orders/untriggered.ts';
import { checkPositionLimit } from '../margin/order-check.ts';
import { instrumentOf, readCandidate } from './place.ts';
import { isTriggerOrder } from './trigger-orders.ts';
import type { Trading } from './context.ts';

type Caps = { readonly tier: number; readonly mostOpen: number; readonly mostPositions: number };

/**
 * Whether there is room for the order if `replaced` (0: none) is gone. An order that cannot rest (ioc, fok) needs none, so a wallet at its
 * cap can still close.
 */
export function checkRoom(trading: Trading, caps: Caps, views: Views, at: number, account: number, replaced: number): number {
  const { accounts, books, candidate, holdings, orders } = trading;
  const { mostOpen, mostPositions, tier } = caps;
  const leaving = replaced === 0 ? 0 : 1;
  const open = account < 0 ? 0 : accounts.openOrders[account] - leaving;
  const waits = isTriggerOrder(views, at);
  const mayRest = views.u8[at + BYTE_TIF] === GTC || waits;
  if (mayRest && mostOpen !== UNLIMITED && open + 1 > mostOpen) return MAX_OPEN_ORDERS;
  const instrument = instrumentOf(trading, views, at);
  let holds = false;
  if (instrument >= 0) {
    // A wallet that opens now gets the next row, all zeros.
    const owner = account < 0 ? nextAccount(accounts) : account;
    readCandidate(trading, views, at, owner, instrument);
    holds = candidate.row >= 0;
    const limited = waits ? OK : checkPositionCaps(trading, mostPositions, views.u8[at + BYTE_ORDER_FLAGS], replaced);
    if (limited !== OK) return limited;
  }
  if (!holds && !mayOpenHolding(holdings, tier)) return ENGINE_BUSY;
  if (!mayRest) return OK;
  if (waits && !hasTriggerRoom(trading, tier)) return ENGINE_BUSY;
  // An order that waits finds room when it fires.
  if (!hasBookRoom(books, leaving, orders.counters[UNTRIGGERED])) return ENGINE_BUSY;
  const isFull = orders.counters[SMALL_TIER_OPEN] - leaving >= smallTierPlaces(orders);
  return isSmallTier(tier) && isFull ? ENGINE_BUSY : OK;
}

function hasTriggerRoom({ orders: { counters } }: Trading, tier: number): boolean {
  if (counters[UNTRIGGERED] >= TRIGGERS) return false;
  return !isSmallTier(tier) || counters[SMALL_TIER_UNTRIGGERED] < smallTierTriggers(TRIGGERS);
}

export function checkPositionCaps(trading: Trading, most: number, flags: number, replaced: number): number {
  const { accounts, candidate, holdings, orders } = trading;
  const { account, row } = candidate;
  const isNew = (row < 0 || holdings.position[row] === 0) && (flags & FLAG_REDUCE_ONLY) === 0;
  if (most !== UNLIMITED && isNew && accounts.positions[account] + 1 > most) return MAX_POSITIONS;
  // An order that waits for its trigger is in no sum.
  return checkPositionLimit(trading, candidate, replaced !== 0 && isUntriggered(orders, replaced) ? 0 : replaced);
}

export function ownOrder({ books }: Trading, views: Views, word: number, account: number): number {
  const slot = findOrder(books, views.u32[word], views.u32[word + 1]);
  return slot > 0 && orderAccount(books, slot) === account ? slot : 0;
}
