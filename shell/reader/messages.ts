// Messages of the socket's streams, as JSON text, from the events of the core while a record is applied (wire.md 4.4, with
// `seq`). The stream's counter in the state was raised just before the event, so it is read here. OrderUpdates: accepted
// ACKED; resting, or shrunk with the position it reduces, OPEN or PARTIALLY_FILLED; done FILLED or CANCELED; a maker that is hit
// and stays PARTIALLY_FILLED; refused REJECTED. Amounts 1e-6 as decimal text, times ms. `client_id` and `trade_id` are additions
// of ours.

import { DOUBLE_EXPIRY, DOUBLE_PRICE, DOUBLE_SIZE, DOUBLE_STRIKE, BYTE_OPTION_KIND, BYTE_SIDE, BYTE_TIF,
  WORD_ORDER_UNDERLYING } from '../../core/codec/commands.ts';
import { ACCOUNT, FILL_INSTRUMENT, FILL_MAKER, FILL_MAKER_FEE, FILL_MAKER_FILL_ID, FILL_MAKER_ORDER, FILL_MAKER_REST,
  FILL_MAKER_SLOT, FILL_PRICE, FILL_SIDE, FILL_SIZE, FILL_TAKER, FILL_TAKER_FEE, FILL_TAKER_FILL_ID, FILL_TAKER_ORDER, FILL_TRADE_ID,
  ORDER_ACCEPTED, ORDER_DONE, ORDER_FILLED, ORDER_ID, ORDER_INSTRUMENT, ORDER_PRICE, ORDER_REASON, ORDER_SIDE, ORDER_SIZE, ORDER_SLOT,
  ORDER_TIF, REFUSED_CODE, REFUSED_NUMBERS } from '../../core/codec/events.ts';
import { DONE_FILLED } from '../../core/errors.ts';
import { orderOriginal } from '../../core/book/pool.ts';
import { formatSymbol, unpackUnderlying } from '../../core/instruments/symbol.ts';
import { BUY } from '../../core/units.ts';
import type { State } from '../../core/engine/state.ts';
import { doneText, rejectionText } from './reasons.ts';
import { clientIdOfRecord, type RecordInHand } from './rows.ts';
import { clientIdOfSlot, instrumentType, micro, sideText, tifText, type Names } from './text.ts';

type OrderUpdate = {
  orderId: number | null; price: number; size: number; symbol: string; side: number; tif: number; clientId: string; status: string;
  filled: number; reason: string | null; wallet: string; seq: number;
};

function orderUpdate(update: OrderUpdate, time: number): string {
  const { price, size, symbol, side, tif, clientId } = update;
  return JSON.stringify({
    type: 'OrderUpdate', order_id: update.orderId,
    request: { price: micro(price), size: micro(size), symbol, side: sideText(side), tif: tifText(tif), client_id: clientId },
    status: update.status, filled_size: micro(update.filled), timestamp: time, reason: update.reason, wallet_address: update.wallet,
    instrument_type: instrumentType(symbol), seq: update.seq,
  });
}

/** For ORDER_ACCEPTED, ORDER_RESTED, ORDER_SHRUNK and ORDER_DONE. */
export function orderMessage(state: State, names: Names, kind: number, f: Float64Array, { views, at, time }: RecordInHand): string {
  const account = f[ACCOUNT]!;
  const slot = f[ORDER_SLOT]!;
  const filled = f[ORDER_FILLED]!;
  const isDone = kind === ORDER_DONE;
  const reason = f[ORDER_REASON]!;
  const open = filled > 0 ? 'PARTIALLY_FILLED' : 'OPEN';
  const done = reason === DONE_FILLED ? 'FILLED' : 'CANCELED';
  return orderUpdate({
    orderId: f[ORDER_ID]!, price: f[ORDER_PRICE]!, size: f[ORDER_SIZE]!, symbol: names.symbol(f[ORDER_INSTRUMENT]!), side: f[ORDER_SIDE]!,
    tif: f[ORDER_TIF]!, clientId: slot >= 0 ? clientIdOfSlot(state, slot) : clientIdOfRecord(views, at),
    status: kind === ORDER_ACCEPTED ? 'ACKED' : isDone ? done : open, filled, reason: isDone ? doneText(reason) : null,
    wallet: names.wallet(account), seq: state.streams.orderUpdates[account]!,
  }, time);
}

/** For the maker of a FILL that stays open. */
export function makerMessage(state: State, names: Names, f: Float64Array, time: number): string {
  const slot = f[FILL_MAKER_SLOT]!;
  const account = f[FILL_MAKER]!;
  const size = orderOriginal(state.books, slot);
  return orderUpdate({
    orderId: f[FILL_MAKER_ORDER]!, price: f[FILL_PRICE]!, size, symbol: names.symbol(f[FILL_INSTRUMENT]!), side: 1 - f[FILL_SIDE]!,
    tif: state.orders.tif[slot]!, clientId: clientIdOfSlot(state, slot), status: 'PARTIALLY_FILLED',
    filled: size - f[FILL_MAKER_REST]!, reason: null, wallet: names.wallet(account), seq: state.streams.orderUpdates[account]!,
  }, time);
}

/** For a REFUSED order, placed or in the place of another: what it was stands in its record alone. */
export function rejectedMessage(state: State, names: Names, f: Float64Array, { views, at, time }: RecordInHand): string {
  const account = f[ACCOUNT]!;
  const word = (at >>> 2) + WORD_ORDER_UNDERLYING;
  const double = at >>> 3;
  const underlyingLo = views.u32[word]!;
  const underlyingHi = views.u32[word + 1]!;
  const clientId = clientIdOfRecord(views, at);
  const symbol = formatSymbol({
    underlyingLo, underlyingHi, expiry: views.f64[double + DOUBLE_EXPIRY]!, strike: views.f64[double + DOUBLE_STRIKE]!,
    kind: views.u8[at + BYTE_OPTION_KIND]!,
  });
  const order = { symbol, underlying: unpackUnderlying(underlyingLo, underlyingHi), clientId };
  return orderUpdate({
    orderId: null, price: views.f64[double + DOUBLE_PRICE]!, size: views.f64[double + DOUBLE_SIZE]!, symbol,
    side: views.u8[at + BYTE_SIDE]!, tif: views.u8[at + BYTE_TIF]!, clientId, status: 'REJECTED', filled: 0,
    reason: rejectionText(f[REFUSED_CODE]!, [...f.subarray(REFUSED_NUMBERS, REFUSED_NUMBERS + 4)], order), wallet: names.wallet(account),
    seq: state.streams.orderUpdates[account]!,
  }, time);
}

/** The Fill of one side of a FILL. */
export function fillMessage(state: State, names: Names, f: Float64Array, isTaker: boolean, time: number): string {
  const account = isTaker ? f[FILL_TAKER]! : f[FILL_MAKER]!;
  const side = isTaker ? f[FILL_SIDE]! : 1 - f[FILL_SIDE]!;
  const symbol = names.symbol(f[FILL_INSTRUMENT]!);
  return JSON.stringify({
    type: 'Fill', order_id: f[isTaker ? FILL_TAKER_ORDER : FILL_MAKER_ORDER]!,
    fill_id: f[isTaker ? FILL_TAKER_FILL_ID : FILL_MAKER_FILL_ID]!, symbol, side: sideText(side),
    price: micro(f[FILL_PRICE]!), size: micro(f[FILL_SIZE]!),
    timestamp: time, wallet_address: names.wallet(account), fee: micro(f[isTaker ? FILL_TAKER_FEE : FILL_MAKER_FEE]!),
    trade_id: f[FILL_TRADE_ID]!, is_taker: isTaker, builder_code_address: null, builder_code_fee: null,
    instrument_type: instrumentType(symbol), seq: state.streams.fills[account]!,
  });
}

export function tradeMessage(state: State, names: Names, f: Float64Array, time: number): string {
  const slot = f[FILL_INSTRUMENT]!;
  return JSON.stringify({
    type: 'Trade', symbol: names.symbol(slot), price: micro(f[FILL_PRICE]!), size: micro(f[FILL_SIZE]!),
    side: f[FILL_SIDE] === BUY ? 'buy' : 'sell', timestamp: time, trade_id: f[FILL_TRADE_ID]!, seq: state.streams.trades[slot]!,
  });
}
