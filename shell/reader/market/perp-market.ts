// What the Hyperliquid dialect shows of all perps at once, in the order of their asset indexes.

import type { State } from '../../../core/engine/state.ts';
import { bestAsk, bestBid, levelSize, nextLevel, ordersAt } from '../../../core/book/books.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { underlyingCount } from '../../../core/instruments/underlyings.ts';
import { impactPrice } from '../../../core/lifecycle/funding-rate.ts';
import { pendingFunding } from '../../../core/positions/funding.ts';
import { findHolding } from '../../../core/positions/holdings.ts';
import { paidFunding } from '../../../core/positions/perp-accounts.ts';
import { mostLeverage, shownLeverage } from '../../../core/trading/leverage.ts';
import { IMPACT_NOTIONAL, MAKER_FEE, PPM, TAKER_FEE } from '../../../core/settings.ts';
import { BUY, CONTRACT, SELL, USDC } from '../../../core/units.ts';
import type { PerpBook, PerpMarket, PerpOfWallet } from '../../http/shapes/perps.ts';
import { accountOfWallet, micro, type Names } from '../text.ts';
import type { PricesByName } from './instruments.ts';
import { perpOf } from './perps.ts';
import type { Statistics } from './statistics.ts';

const MOST_COUNTED = 10_000;

type MarketParts = {
  readonly state: State; readonly names: Names; readonly statistics: Statistics; readonly dayAgo: PricesByName; readonly time: number;
};

/** `wallet` null: no wallet's. */
export function perpMarketOf({ state, names, statistics, dayAgo, time }: MarketParts, wallet: string | null): PerpMarket {
  const { instruments, settings: { values }, underlyings } = state;
  const perps = Array.from({ length: underlyingCount(underlyings) }, (_, at) => {
    const slot = instruments.perpOf[at]!;
    const impact = (side: number): number | null => (
      slot < 0 ? null : impactPrice(state.books, slot, side, values[IMPACT_NOTIONAL]!, null) / USDC || null
    );
    const before = dayAgo.get(names.underlying(at));
    return {
      underlying: names.underlying(at), perp: slot < 0 ? null : perpOf(state, names, statistics, slot, time),
      day_ago_price: before === undefined ? null : before / USDC, impact_bid_price: impact(BUY), impact_ask_price: impact(SELL),
      of_wallet: wallet === null ? null : perpOfWallet(state, accountOfWallet(state, wallet), at),
    };
  });
  return {
    time, max_leverage: mostLeverage(state.settings), maker_fee: values[MAKER_FEE]! / PPM,
    taker_fee: values[TAKER_FEE]! / PPM, perps,
  };
}

/** Levels beyond the orders that are counted have 1. */
export function perpBookOf({ books }: State, slot: number, depth: number, time: number): PerpBook {
  let left = MOST_COUNTED;
  const levels = (side: number): PerpBook['bids'] => {
    const found: PerpBook['bids'][number][] = [];
    let key = side === BUY ? bestBid(books, slot) : bestAsk(books, slot);
    for (; key > 0 && found.length < depth; key = nextLevel(books, slot, side, key)) {
      const orders = Math.max(1, ordersAt(books, slot, side, key, left));
      left = Math.max(0, left - orders);
      found.push([priceOfKey(key) / USDC, levelSize(books, slot, side, key) / CONTRACT, orders]);
    }
    return found;
  };
  return { timestamp: time, bids: levels(BUY), asks: levels(SELL) };
}

/** `account` -1: none, as if nothing was chosen and paid. */
function perpOfWallet(state: State, account: number, underlying: number): PerpOfWallet {
  const { funding, holdings, instruments, perpAccounts, settings } = state;
  if (account < 0) return { leverage: mostLeverage(settings), paid_funding: { all: '0', since_open: '0', since_change: '0' } };
  const slot = instruments.perpOf[underlying]!;
  const row = slot < 0 ? -1 : findHolding(holdings, account, slot);
  const pending = row < 0 ? 0 : pendingFunding(funding, holdings, row);
  const { all, sinceOpen, sinceChange } = paidFunding(perpAccounts, account, underlying);
  return {
    leverage: shownLeverage(state, account, underlying),
    paid_funding: { all: micro(all + pending), since_open: micro(sinceOpen + pending), since_change: micro(sinceChange + pending) },
  };
}
