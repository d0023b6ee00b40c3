// One fill: money and positions of taker and maker. The only place where a trade moves money: the buyer pays
// price * size / 1e6 micros, rounded half up, and the seller gets the same (decision 2.4).

import { BUY, CONTRACT } from '../units.ts';
import { DONE_FILLED } from '../errors.ts';
import { emit, FILL, FILL_INSTRUMENT, FILL_MAKER, FILL_MAKER_CASH, FILL_MAKER_FEE, FILL_MAKER_FILL_ID, FILL_MAKER_ORDER,
  FILL_MAKER_POSITION, FILL_MAKER_REALIZED, FILL_MAKER_REST, FILL_MAKER_SLOT, FILL_PRICE, FILL_SIDE, FILL_SIZE, FILL_SLOTS, FILL_TAKER,
  FILL_TAKER_CASH, FILL_TAKER_FEE, FILL_TAKER_FILL_ID, FILL_TAKER_ORDER, FILL_TAKER_POSITION, FILL_TAKER_REALIZED, FILL_TAKER_REST,
  FILL_TRADE_ID } from '../codec/events.ts';
import { mulDivHalfUp } from '../math/exact.ts';
import { canPost, moveCash } from '../ledger/ledger.ts';
import { touchBook, type Streams } from '../streams.ts';
import { applyFill, canHold, closeIfEmpty } from '../positions/holdings.ts';
import { takerRemaining } from '../book/matching.ts';
import { orderAccount, orderKey, orderRemaining } from '../book/pool.ts';
import { priceOfKey } from '../book/price-key.ts';
import { addOpenSize, FILL_IDS, TRADE_IDS } from '../orders/orders.ts';
import { moveReserve, updateHolding } from '../margin/account.ts';
import { finishMaker, orderIdOf } from './remove.ts';
import type { Trading } from './context.ts';

/** The taker of the command in hand, and the fill in hand: price and size of the maker's order, what the buyer pays. */
export type Taker = {
  account: number; holding: number; orderId: number; instrument: number; side: number; time: number;
  price: number; size: number; amount: number;
};

/** Makes the trade with the maker in `slot`, of at most `most`, the fill in hand. */
export function quoteFill(trading: Trading, taker: Taker, slot: number, most: number): void {
  taker.price = priceOfKey(orderKey(trading.books, slot));
  taker.size = Math.min(most, orderRemaining(trading.books, slot));
  taker.amount = mulDivHalfUp(taker.price, taker.size, CONTRACT);
}

/** True when the fill in hand keeps the taker's balances in their exact range. */
export function takerCanFill(trading: Trading, taker: Taker): boolean {
  return canTrade(trading, taker.account, taker.holding, taker.side === BUY, taker);
}

/** The same of the maker in `slot`. */
export function makerCanFill(trading: Trading, taker: Taker, slot: number): boolean {
  return canTrade(trading, orderAccount(trading.books, slot), trading.orders.holding[slot] - 1, taker.side !== BUY, taker);
}

function canTrade(trading: Trading, account: number, holding: number, buys: boolean, { size, amount }: Taker): boolean {
  return canPost(trading.accounts, account, buys ? -amount : amount)
    && canHold(trading.holdings, holding, buys ? size : -size, buys ? amount : -amount);
}

/** Books the fill in hand, which the book has made with the maker in `slot`. */
export function bookFill(trading: Trading, taker: Taker, slot: number): void {
  const { accounts, books, holdings, orders } = trading;
  const { amount, price, size, time } = taker;
  const maker = orderAccount(books, slot);
  const makerHolding = orders.holding[slot] - 1;
  const buys = taker.side === BUY;
  const takerBefore = holdings.position[taker.holding];
  const makerBefore = holdings.position[makerHolding];

  moveCash(accounts, buys ? taker.account : maker, buys ? maker : taker.account, amount);
  applyFill(holdings, accounts, taker.holding, buys ? size : -size, buys ? amount : -amount, time);
  applyFill(holdings, accounts, makerHolding, buys ? -size : size, buys ? -amount : amount, time);
  addOpenSize(orders, holdings, slot, -size);
  const left = orderRemaining(books, slot);
  moveReserve(trading, makerHolding, 1 - taker.side, price, left + size, left);
  trading.instruments.openInterest[taker.instrument] += longChange(takerBefore, holdings.position[taker.holding])
    + longChange(makerBefore, holdings.position[makerHolding]);

  writeFill(trading, taker, slot);
  if (left === 0) finishMaker(trading, slot, DONE_FILLED);
  updateHolding(trading, maker, makerHolding);
  closeIfEmpty(holdings, accounts, makerHolding);
}

/** A maker that is filled has its order update with ORDER_DONE, which follows. */
function countFill(streams: Streams, taker: Taker, maker: number, makerRest: number): void {
  streams.fills[taker.account]++;
  streams.fills[maker]++;
  streams.trades[taker.instrument]++;
  if (makerRest > 0) streams.orderUpdates[maker]++;
  touchBook(streams, taker.instrument);
}

function longChange(before: number, after: number): number {
  return Math.max(0, after) - Math.max(0, before);
}

function writeFill(trading: Trading, taker: Taker, slot: number): void {
  const { accounts, books, events, holdings, orders } = trading;
  const maker = orderAccount(books, slot);
  const makerHolding = orders.holding[slot] - 1;
  const f = events.slots;
  f[FILL_TAKER] = taker.account;
  f[FILL_TAKER_ORDER] = taker.orderId;
  f[FILL_MAKER] = maker;
  f[FILL_MAKER_ORDER] = orderIdOf(trading, slot);
  f[FILL_INSTRUMENT] = taker.instrument;
  f[FILL_SIDE] = taker.side;
  f[FILL_PRICE] = taker.price;
  f[FILL_SIZE] = taker.size;
  f[FILL_TRADE_ID] = ++orders.counters[TRADE_IDS];
  f[FILL_TAKER_FILL_ID] = ++orders.counters[FILL_IDS];
  f[FILL_MAKER_FILL_ID] = ++orders.counters[FILL_IDS];
  f[FILL_TAKER_FEE] = 0;
  f[FILL_MAKER_FEE] = 0;
  f[FILL_TAKER_CASH] = accounts.cash[taker.account];
  f[FILL_MAKER_CASH] = accounts.cash[maker];
  f[FILL_TAKER_POSITION] = holdings.position[taker.holding];
  f[FILL_MAKER_POSITION] = holdings.position[makerHolding];
  f[FILL_TAKER_REALIZED] = holdings.realized[taker.holding];
  f[FILL_MAKER_REALIZED] = holdings.realized[makerHolding];
  f[FILL_MAKER_REST] = orderRemaining(books, slot);
  f[FILL_MAKER_SLOT] = slot;
  f[FILL_TAKER_REST] = takerRemaining(books);
  countFill(trading.streams, taker, maker, f[FILL_MAKER_REST]);
  emit(events, FILL, FILL_SLOTS);
}
