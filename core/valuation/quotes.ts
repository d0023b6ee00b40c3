// Decides which book quotes are believed (MARGIN.md, "The volatility surface"): age, size and spread are sound, and one side at least keeps
// its size without any single wallet's orders, so that no wallet moves anything alone. For the surface only orders of market makers count.

import { BUY, SELL } from '../units.ts';
import { MARK_MIN_SIZE, PPM, QUOTE_AGE, QUOTE_SPREAD, type Settings } from '../settings.ts';
import { makerAfter } from '../book/matching.ts';
import { nextInLine, orderAccount, orderKey, orderRemaining } from '../book/pool.ts';
import { LAST_KEY, priceOfKey } from '../book/price-key.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { MARKET_MAKER } from '../tiers.ts';
import { orderEnteredAt, type Orders } from '../orders/orders.ts';

/** Orders read per price; size behind them does not count. */
const LINE = 16;
/** Orders skipped in search of a side's best. Behind more of them, the side counts as empty. */
const MOST_SKIPPED = 256;
const NOBODY = -1;

/** null: no order of the venue waits for its cancel. */
export type PendingCancelTest = ((order: number) => boolean) | null;
/** `tiered`: only market makers among these accounts count, or everybody (null). */
export type QuoteFilter = { readonly tiered: Accounts | null; readonly isPendingCancel: PendingCancelTest };

/** The mid of orders that count; 0 if there is none. May end in a half. */
export function believedMid(
  orders: Orders, settings: Settings, whose: QuoteFilter, underlying: number, slot: number, theo: number, time: number,
): number {
  const { books } = orders;
  const bestBid = firstLiveOrder(orders, whose, slot, BUY);
  const bestAsk = firstLiveOrder(orders, whose, slot, SELL);
  if (bestBid === 0 || bestAsk === 0) return 0;
  const bid = priceOfKey(orderKey(books, bestBid));
  const ask = priceOfKey(orderKey(books, bestAsk));
  if ((ask - bid) * PPM > theo * settings.values[QUOTE_SPREAD]) return 0;
  const since = time - settings.values[QUOTE_AGE];
  const least = settings.values[MARK_MIN_SIZE + underlying];
  if (standingSize(orders, whose, bestBid, since, NOBODY) < least) return 0;
  if (standingSize(orders, whose, bestAsk, since, NOBODY) < least) return 0;
  return hasTwoWallets(orders, whose, bestBid, bestAsk, since, least) ? (bid + ask) / 2 : 0;
}

function firstLiveOrder({ books }: Orders, { isPendingCancel }: QuoteFilter, slot: number, side: number): number {
  const farthest = side === BUY ? 0 : LAST_KEY;
  let order = makerAfter(books, slot, 1 - side, farthest, 0);
  if (isPendingCancel === null) return order;
  for (let passed = 0; order !== 0 && isPendingCancel(order); passed++) {
    if (passed === MOST_SKIPPED) return 0;
    order = makerAfter(books, slot, 1 - side, farthest, order);
  }
  return order;
}

/** At `first`'s price since `since`, without orders of `without`. */
function standingSize(orders: Orders, { isPendingCancel, tiered }: QuoteFilter, first: number, since: number, without: number): number {
  const { books } = orders;
  let size = 0;
  let order = first;
  for (let looked = 0; order !== 0 && looked < LINE; looked++, order = nextInLine(books, order)) {
    if (orderEnteredAt(orders, order) > since) break;
    const account = orderAccount(books, order);
    if (account === without || (tiered !== null && tiered.tier[account] !== MARKET_MAKER)) continue;
    if (isPendingCancel === null || !isPendingCancel(order)) size += orderRemaining(books, order);
  }
  return size;
}

/** Only a wallet with a bid can be on both sides, so each bidder is left out once. */
function hasTwoWallets(orders: Orders, whose: QuoteFilter, bestBid: number, bestAsk: number, since: number, least: number): boolean {
  const { books } = orders;
  let order = bestBid;
  for (let looked = 0; order !== 0 && looked < LINE; looked++, order = nextInLine(books, order)) {
    const wallet = orderAccount(books, order);
    const bids = standingSize(orders, whose, bestBid, since, wallet);
    if (bids < least && standingSize(orders, whose, bestAsk, since, wallet) < least) return false;
  }
  return true;
}
