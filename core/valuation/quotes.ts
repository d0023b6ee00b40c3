// Which quotes of the book are believed, and what they make of the surface and of a mark. A quote counts only if best bid and
// best ask each have stood for 5 s with the smallest size, come from two wallets, and are at most 20 % of theo apart.
// An order that has ended and only waits to be cancelled is absent, here as for takers.
// Prices 1e-6 USDC, sizes 1e-6 contracts, times ms. Source: MARGIN.md, "The volatility surface".
// Never lets one wallet move anything, whatever it has on both sides: without any single wallet's orders at least one side
// still has its size. Of a surface only wallets of the tier market_maker count: two of them, since wallets cost nothing.

import { BUY, SELL } from '../units.ts';
import { MARK_MIN_SIZE, PPM, QUOTE_AGE, QUOTE_SPREAD, type Settings } from '../settings.ts';
import { makerAfter } from '../book/matching.ts';
import { nextInLine, orderAccount, orderKey, orderRemaining } from '../book/pool.ts';
import { LAST_KEY, priceOfKey } from '../book/price-key.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { MARKET_MAKER } from '../tiers.ts';
import { orderCreatedAt, type Orders } from '../orders/orders.ts';

/** Orders looked at in a line: a size that stands behind more of them does not count. */
const LINE = 16;
/** Ended orders passed over to find the best of a side; behind more of them it has none until their steps have cancelled some. */
const MOST_ENDED = 256;
const NOBODY = -1;

/** Whether the open order in a slot has ended and only waits to be cancelled; null: none has, of the whole venue. */
export type PendingCancelTest = ((order: number) => boolean) | null;
/** Whose quotes count for what: only those of market makers among the accounts, or everybody's (null); and the orders that have ended. */
export type QuoteFilter = { readonly tiered: Accounts | null; readonly isPendingCancel: PendingCancelTest };

/** Mean of best bid and best ask where they are a quote to believe at `time`, else 0. May end in a half. */
export function believedMid(
  orders: Orders, settings: Settings, whose: QuoteFilter, underlying: number, slot: number, theo: number, time: number,
): number {
  const { books } = orders;
  const bestBid = firstOf(orders, whose, slot, BUY);
  const bestAsk = firstOf(orders, whose, slot, SELL);
  if (bestBid === 0 || bestAsk === 0) return 0;
  const bid = priceOfKey(orderKey(books, bestBid));
  const ask = priceOfKey(orderKey(books, bestAsk));
  if ((ask - bid) * PPM > theo * settings.values[QUOTE_SPREAD]) return 0;
  const since = time - settings.values[QUOTE_AGE];
  const least = settings.values[MARK_MIN_SIZE + underlying];
  if (standing(orders, whose, bestBid, since, NOBODY) < least) return 0;
  if (standing(orders, whose, bestAsk, since, NOBODY) < least) return 0;
  return hasTwoWallets(orders, whose, bestBid, bestAsk, since, least) ? (bid + ask) / 2 : 0;
}

/** The first order of a side that has not ended, 0: none. */
function firstOf({ books }: Orders, { isPendingCancel }: QuoteFilter, slot: number, side: number): number {
  const farthest = side === BUY ? 0 : LAST_KEY;
  let order = makerAfter(books, slot, 1 - side, farthest, 0);
  if (isPendingCancel === null) return order;
  for (let passed = 0; order !== 0 && isPendingCancel(order); passed++) {
    if (passed === MOST_ENDED) return 0;
    order = makerAfter(books, slot, 1 - side, farthest, order);
  }
  return order;
}

/** Size from `first` on at its price that has stood since then, orders of `without` left out. */
function standing(orders: Orders, { isPendingCancel, tiered }: QuoteFilter, first: number, since: number, without: number): number {
  const { books } = orders;
  let size = 0;
  let order = first;
  for (let looked = 0; order !== 0 && looked < LINE; looked++, order = nextInLine(books, order)) {
    if (orderCreatedAt(orders, order) > since) break;
    const account = orderAccount(books, order);
    if (account === without || (tiered !== null && tiered.tier[account] !== MARKET_MAKER)) continue;
    if (isPendingCancel === null || !isPendingCancel(order)) size += orderRemaining(books, order);
  }
  return size;
}

/** Only a wallet that bids can be behind both sides, so each of them is left out once. */
function hasTwoWallets(orders: Orders, whose: QuoteFilter, bestBid: number, bestAsk: number, since: number, least: number): boolean {
  const { books } = orders;
  let order = bestBid;
  for (let looked = 0; order !== 0 && looked < LINE; looked++, order = nextInLine(books, order)) {
    const wallet = orderAccount(books, order);
    const bids = standing(orders, whose, bestBid, since, wallet);
    if (bids < least && standing(orders, whose, bestAsk, since, wallet) < least) return false;
  }
  return true;
}
