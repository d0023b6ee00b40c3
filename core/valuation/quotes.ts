// Which quotes of the book are believed, and what they make of the surface and of a mark. A quote counts only if best bid and
// best ask each have stood for 5 s with the smallest size, come from two wallets, and are at most 20 % of theo apart.
// Prices 1e-6 USDC, sizes 1e-6 contracts, times ms. Source: margin.md, "Pricing and marks", Surface and marks.
// Never lets one wallet move anything, whatever it has on both sides: without any single wallet's orders at least one side
// still has its size. Of a surface only wallets of the tier market_maker count: two of them, since wallets cost nothing.

import { BUY, SELL } from '../units.ts';
import { MARK_MIN_SIZE, PPM, QUOTE_AGE, QUOTE_SPREAD, type Settings } from '../settings.ts';
import { bestAsk, bestBid, bestOrder } from '../book/books.ts';
import { nextInLine, orderAccount, orderRemaining } from '../book/pool.ts';
import { priceOfKey } from '../book/price-key.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { MARKET_MAKER } from '../tiers.ts';
import { orderCreatedAt, type Orders } from '../orders/orders.ts';

/** Orders looked at in a line: a size that stands behind more of them does not count. */
const LINE = 16;
const NOBODY = -1;

/**
 * Mean of best bid and best ask where they are a quote to believe at `time`, else 0. May end in a half. `tiered`: only orders
 * of market makers among these accounts count; null: everybody's.
 */
export function believedMid(
  orders: Orders, settings: Settings, tiered: Accounts | null, underlying: number, slot: number, theo: number, time: number,
): number {
  const { books } = orders;
  const bidKey = bestBid(books, slot);
  const askKey = bestAsk(books, slot);
  if (bidKey < 0 || askKey < 0) return 0;
  const bid = priceOfKey(bidKey);
  const ask = priceOfKey(askKey);
  if ((ask - bid) * PPM > theo * settings.values[QUOTE_SPREAD]) return 0;
  const since = time - settings.values[QUOTE_AGE];
  const least = settings.values[MARK_MIN_SIZE + underlying];
  if (standing(orders, tiered, slot, BUY, since, NOBODY) < least) return 0;
  if (standing(orders, tiered, slot, SELL, since, NOBODY) < least) return 0;
  return hasTwoWallets(orders, tiered, slot, since, least) ? (bid + ask) / 2 : 0;
}

/** Size at the best price of a side that has stood since then, orders of `without` left out. */
function standing(orders: Orders, tiered: Accounts | null, slot: number, side: number, since: number, without: number): number {
  const { books } = orders;
  let size = 0;
  let order = bestOrder(books, slot, side);
  for (let looked = 0; order !== 0 && looked < LINE; looked++, order = nextInLine(books, order)) {
    if (orderCreatedAt(orders, order) > since) break;
    const account = orderAccount(books, order);
    if (account === without || (tiered !== null && tiered.tier[account] !== MARKET_MAKER)) continue;
    size += orderRemaining(books, order);
  }
  return size;
}

/** Only a wallet that bids can be behind both sides, so each of them is left out once. */
function hasTwoWallets(orders: Orders, tiered: Accounts | null, slot: number, since: number, least: number): boolean {
  const { books } = orders;
  let order = bestOrder(books, slot, BUY);
  for (let looked = 0; order !== 0 && looked < LINE; looked++, order = nextInLine(books, order)) {
    const wallet = orderAccount(books, order);
    const bids = standing(orders, tiered, slot, BUY, since, wallet);
    if (bids < least && standing(orders, tiered, slot, SELL, since, wallet) < least) return false;
  }
  return true;
}
