// Stream messages as JSON text, made while a record is applied (wire.md 4.4, with `seq`), after the stream's counter
// was raised. OrderUpdate by event: accepted, amended ACKED; resting or shrunk OPEN or PARTIALLY_FILLED; waiting
// UNTRIGGERED, fired TRIGGERED; done FILLED or CANCELED; a maker hit but still open PARTIALLY_FILLED; refused REJECTED.
// Amounts 1e-6 as text, times ms. `client_id` and `trade_id` are our additions.

import { orderUpdateSeq } from '../../../core/account-streams.ts';
import { DOUBLE_EXPIRY, DOUBLE_PRICE, DOUBLE_SIZE, DOUBLE_STRIKE, BYTE_CONTRACT_KIND, BYTE_SIDE, BYTE_TIF, FLAG_REDUCE_ONLY,
  PLACE_ORDER, proofOffset, REPLACE_ORDER, WORD_ORDER_UNDERLYING } from '../../../core/codec/commands.ts';
import { ACCOUNT, FILL, FILL_INSTRUMENT, FILL_MAKER, FILL_MAKER_FEE, FILL_MAKER_FILL_ID, FILL_MAKER_ORDER, FILL_MAKER_POSITION,
  FILL_MAKER_REALIZED, FILL_MAKER_REST,
  FILL_MAKER_SLOT, FILL_PRICE, FILL_SIDE, FILL_SIZE, FILL_TAKER, FILL_TAKER_FEE, FILL_TAKER_FILL_ID, FILL_TAKER_ORDER, FILL_TAKER_POSITION,
  FILL_TAKER_REALIZED, FILL_TRADE_ID,
  ORDER_ACCEPTED, ORDER_AMENDED, ORDER_DONE, ORDER_FILLED, ORDER_ID, ORDER_INSTRUMENT, ORDER_PRICE, ORDER_REASON, ORDER_RESTED,
  ORDER_SHRUNK, ORDER_SIDE, ORDER_SIZE, ORDER_SLOT, ORDER_TIF, ORDER_TRIGGERED, ORDER_UNTRIGGERED, REFUSED, REFUSED_CODE,
  REFUSED_KIND,
  REFUSED_NUMBERS } from '../../../core/codec/events.ts';
import { readProof, SIGNATURE_BYTES } from '../../../core/codec/proof.ts';
import { recordKind, type Views } from '../../../core/codec/record.ts';
import { orderInstrument } from '../../../core/book/pool.ts';
import { DONE_FILLED, NO_ORDERBOOK, NOT_LISTED, NOT_OPEN } from '../../../core/errors.ts';
import { orderOriginal, orderTif } from '../../../core/orders/orders.ts';
import { isUntriggered } from '../../../core/orders/untriggered.ts';
import { formatSymbol, unpackUnderlying } from '../../../core/instruments/symbol.ts';
import { BUY } from '../../../core/units.ts';
import { streamReason } from '../../http/bodies/order-status.ts';
import type { State } from '../../../core/engine/state.ts';
import type { FillRow } from '../../storage/history/protocol.ts';
import { numberFacts, outcomeText } from '../../http/outcome-texts.ts';
import { openOrderOfId } from './orders.ts';
import type { OrderEnds } from './order-ends.ts';
import { clientIdOfRecord, type CurrentRecord } from './rows.ts';
import { flagsOfOrder, termsOfOrder, termsText } from './terms.ts';
import type { OrderTerms } from '../../ipc/order-terms.ts';
import { clientIdOfSlot, instrumentType, micro, sideText, tifText, type Names } from '../text.ts';
import type { MessageNamed } from '../../http/shapes/messages.ts';

type OrderUpdate = {
  orderId: number | null; price: number; size: number; symbol: string; side: number; tif: number; clientId: string;
  status: MessageNamed<'OrderUpdate'>['status']; filled: number; reason: string | null; wallet: string; time: number; seq: number;
  terms: UpdateTerms;
};
type UpdateTerms = OrderTerms & { readonly reduce_only?: true };

const NO_SLOT = -1;
const NOT_OPEN_IN_BATCH = 'The order to be replaced is not open';

type UpdateParts = { readonly state: State; readonly names: Names; readonly ends: OrderEnds };

/** The account that the message is about; -1: none. */
export function accountOfUpdate(kind: number, f: Float64Array): number {
  switch (kind) {
    case ORDER_ACCEPTED: case ORDER_AMENDED: case ORDER_RESTED: case ORDER_DONE: case ORDER_SHRUNK: case ORDER_UNTRIGGERED:
    case ORDER_TRIGGERED:
      return f[ACCOUNT]!;
    case FILL: return f[FILL_MAKER_REST]! > 0 ? f[FILL_MAKER]! : -1;
    case REFUSED: return f[REFUSED_KIND] === PLACE_ORDER || f[REFUSED_KIND] === REPLACE_ORDER ? f[ACCOUNT]! : -1;
    default: return -1;
  }
}

export function orderUpdateOf(parts: UpdateParts, kind: number, f: Float64Array, record: CurrentRecord): OrderUpdate {
  const { state, names } = parts;
  if (kind === FILL) return makerUpdate(state, names, f, record);
  return kind === REFUSED ? rejection(parts, f, record) : ownUpdate(state, names, kind, f, record);
}

export function orderUpdateText(update: OrderUpdate): string {
  const { price, size, symbol, side, tif, clientId } = update;
  return JSON.stringify({
    type: 'OrderUpdate', order_id: update.orderId,
    request: {
      price: micro(price), size: micro(size), symbol, side: sideText(side), tif: tifText(tif), client_id: clientId, ...update.terms,
    },
    status: update.status, filled_size: micro(update.filled), timestamp: update.time, reason: update.reason,
    wallet_address: update.wallet, instrument_type: instrumentType(symbol), seq: update.seq,
  } satisfies MessageNamed<'OrderUpdate'>);
}

export function packUpdate(update: OrderUpdate): string {
  const { orderId, price, size, symbol, side, tif, clientId, status, filled, reason, time, terms } = update;
  const extended = termsText(terms);
  const quotedClientId = clientId === '' ? '""' : JSON.stringify(clientId);
  const why = reason === null && extended === '' ? '' : `,${JSON.stringify(reason)}${extended === '' ? '' : `,${extended}`}`;
  return `[${orderId},${price},${size},"${symbol}",${side},${tif},${quotedClientId},"${status}",${filled},${time}${why}]`;
}

type Packed = [
  orderId: number | null, price: number, size: number, symbol: string, side: number, tif: number, clientId: string,
  status: OrderUpdate['status'], filled: number, time: number, reason?: string | null, terms?: UpdateTerms,
];

export function unpackUpdate(text: string, wallet: string, seq: number): OrderUpdate {
  const [orderId, price, size, symbol, side, tif, clientId, status, filled, time, reason = null, terms = {}] = JSON.parse(text) as Packed;
  return { orderId, price, size, symbol, side, tif, clientId, status, filled, reason, wallet, time, seq, terms };
}

function ownUpdate(state: State, names: Names, kind: number, f: Float64Array, { views, at, time }: CurrentRecord): OrderUpdate {
  const account = f[ACCOUNT]!;
  const slot = f[ORDER_SLOT]!;
  const filled = f[ORDER_FILLED]!;
  const isDone = kind === ORDER_DONE;
  const reason = f[ORDER_REASON]!;
  const waits = slot >= 0 && isUntriggered(state.orders, slot);
  const open = kind === ORDER_TRIGGERED ? 'TRIGGERED' : waits ? 'UNTRIGGERED' : filled > 0 ? 'PARTIALLY_FILLED' : 'OPEN';
  const done = reason === DONE_FILLED ? 'FILLED' : 'CANCELED';
  return {
    orderId: f[ORDER_ID]!, price: f[ORDER_PRICE]!, size: f[ORDER_SIZE]!, symbol: names.symbol(f[ORDER_INSTRUMENT]!), side: f[ORDER_SIDE]!,
    tif: f[ORDER_TIF]!, clientId: slot >= 0 ? clientIdOfSlot(state, slot) : clientIdOfRecord(views, at),
    status: kind === ORDER_ACCEPTED || kind === ORDER_AMENDED ? 'ACKED' : isDone ? done : open, filled,
    reason: isDone ? streamReason(reason) : null,
    wallet: names.wallet(account), time, terms: updateTerms(state, slot, views, at),
    seq: orderUpdateSeq(state.streams.accounts, account),
  };
}

/** `slot` below 0: the order came with the record. */
function updateTerms(state: State, slot: number, views: Views, at: number): UpdateTerms {
  const terms = termsOfOrder(state, slot, views, at);
  return (flagsOfOrder(state, slot, views, at) & FLAG_REDUCE_ONLY) === 0 ? terms : { ...terms, reduce_only: true };
}

function makerUpdate(state: State, names: Names, f: Float64Array, { views, at, time }: CurrentRecord): OrderUpdate {
  const slot = f[FILL_MAKER_SLOT]!;
  const account = f[FILL_MAKER]!;
  const size = orderOriginal(state.orders, slot);
  return {
    orderId: f[FILL_MAKER_ORDER]!, price: f[FILL_PRICE]!, size, symbol: names.symbol(f[FILL_INSTRUMENT]!), side: 1 - f[FILL_SIDE]!,
    tif: orderTif(state.orders, slot), clientId: clientIdOfSlot(state, slot), status: 'PARTIALLY_FILLED',
    filled: size - f[FILL_MAKER_REST]!, reason: null, wallet: names.wallet(account), time, terms: updateTerms(state, slot, views, at),
    seq: orderUpdateSeq(state.streams.accounts, account),
  };
}

function rejection({ state, names, ends }: UpdateParts, f: Float64Array, { views, at, time }: CurrentRecord): OrderUpdate {
  const account = f[ACCOUNT]!;
  const word = (at >>> 2) + WORD_ORDER_UNDERLYING;
  const double = at >>> 3;
  const underlyingLo = views.u32[word]!;
  const underlyingHi = views.u32[word + 1]!;
  const clientId = clientIdOfRecord(views, at);
  const symbol = formatSymbol({
    underlyingLo, underlyingHi, expiry: views.f64[double + DOUBLE_EXPIRY]!, strike: views.f64[double + DOUBLE_STRIKE]!,
    kind: views.u8[at + BYTE_CONTRACT_KIND]!,
  });
  const code = f[REFUSED_CODE]!;
  const numbers = [...f.subarray(REFUSED_NUMBERS, REFUSED_NUMBERS + 4)];
  const about = code === NO_ORDERBOOK ? names.symbol(orderInstrument(state.books, openOrderOfId(state, account, numbers[0]!)))
    : code === NOT_LISTED ? sentSymbol(views, at) ?? symbol : symbol;
  const underlying = unpackUnderlying(underlyingLo, underlyingHi);
  const facts = { ...numberFacts(numbers), symbol: about, underlying, client_id: clientId, order: String(numbers[0]) };
  const wallet = names.wallet(account);
  return {
    orderId: null, price: views.f64[double + DOUBLE_PRICE]!, size: views.f64[double + DOUBLE_SIZE]!, symbol,
    side: views.u8[at + BYTE_SIDE]!, tif: views.u8[at + BYTE_TIF]!, clientId, status: 'REJECTED', filled: 0,
    terms: updateTerms(state, NO_SLOT, views, at),
    reason: code !== NOT_OPEN ? outcomeText(code, facts).text
      : views === state.item ? NOT_OPEN_IN_BATCH : ends.reasonOf(wallet, numbers[0]!),
    wallet, time,
    seq: orderUpdateSeq(state.streams.accounts, account),
  };
}

/** The symbol as the client wrote it, from the record's proof; null without a proof. */
function sentSymbol(views: Views, at: number): string | null {
  const kind = recordKind(views, at);
  const end = at + views.u32[at >>> 2]!;
  const from = at + proofOffset(kind);
  if (end - from < SIGNATURE_BYTES) return null;
  const text = readProof(views, from, end).texts[kind === REPLACE_ORDER ? 1 : 0];
  return text === undefined ? null : Buffer.from(text).toString('utf8');
}

export function fillMessage(
  names: Names, f: Float64Array, isTaker: boolean, time: number, seq: number, liquidationFee: number,
): string {
  const account = isTaker ? f[FILL_TAKER]! : f[FILL_MAKER]!;
  return fillText({
    orderId: f[isTaker ? FILL_TAKER_ORDER : FILL_MAKER_ORDER]!, fillId: f[isTaker ? FILL_TAKER_FILL_ID : FILL_MAKER_FILL_ID]!,
    symbol: names.symbol(f[FILL_INSTRUMENT]!), side: isTaker ? f[FILL_SIDE]! : 1 - f[FILL_SIDE]!, price: f[FILL_PRICE]!,
    size: f[FILL_SIZE]!, time, wallet: names.wallet(account), tradeId: f[FILL_TRADE_ID]!, isTaker,
    fee: f[isTaker ? FILL_TAKER_FEE : FILL_MAKER_FEE]! + liquidationFee,
    realized: f[isTaker ? FILL_TAKER_REALIZED : FILL_MAKER_REALIZED]!,
    position: f[isTaker ? FILL_TAKER_POSITION : FILL_MAKER_POSITION]!,
  }, seq);
}

type FillMessageFields = Omit<FillRow, 'kind' | 'seq' | 'underlying'>;

export function fillText(fill: FillMessageFields, seq: number): string {
  const { orderId, fillId, symbol, side, price, size, time, wallet, fee, tradeId, isTaker, realized, position } = fill;
  return JSON.stringify({
    type: 'Fill', order_id: orderId, fill_id: fillId, symbol, side: sideText(side), price: micro(price), size: micro(size),
    timestamp: time, wallet_address: wallet, fee: micro(fee), trade_id: tradeId, is_taker: isTaker, builder_code_address: null,
    builder_code_fee: null, realized_pnl: micro(realized), position: micro(position ?? 0),
    instrument_type: instrumentType(symbol), seq,
  } satisfies MessageNamed<'Fill'>);
}

export function tradeMessage(state: State, names: Names, f: Float64Array, time: number): string {
  const slot = f[FILL_INSTRUMENT]!;
  return JSON.stringify({
    type: 'Trade', symbol: names.symbol(slot), price: micro(f[FILL_PRICE]!), size: micro(f[FILL_SIZE]!),
    side: f[FILL_SIDE] === BUY ? 'buy' : 'sell', timestamp: time, trade_id: f[FILL_TRADE_ID]!,
    maker_address: names.wallet(f[FILL_MAKER]!), taker_address: names.wallet(f[FILL_TAKER]!), seq: state.streams.trades[slot]!,
  } satisfies MessageNamed<'Trade'>);
}
