// Rows that the history has not stored yet, newest last, in the units of shell/storage/history/protocol. They are sent
// in batches and dropped when stored.

import { AMEND_ORDER, BATCH, CANCEL_BY_CLIENT_ID, CANCEL_ORDER, BYTE_ORDER_CLIENT_ID, BYTE_ORDER_FLAGS,
  WORD_WALLET } from '../../../core/codec/commands.ts';
import { ACCOUNT, DELEVERAGED, FILL, FORCED, FILL_INSTRUMENT, FILL_MAKER, FILL_MAKER_FEE, FILL_MAKER_FILL_ID, FILL_MAKER_ORDER,
  FILL_MAKER_POSITION, FILL_MAKER_REALIZED, FILL_PRICE, FILL_SIDE, FILL_SIZE, FILL_TAKER, FILL_TAKER_FEE, FILL_TAKER_FILL_ID,
  FILL_TAKER_ORDER, FILL_TAKER_POSITION, FILL_TAKER_REALIZED, FILL_TRADE_ID, FUND_POSTED, NONCE_TAKEN, ORDER_DONE, ORDER_FILLED,
  ORDER_ID, ORDER_INSTRUMENT, ORDER_PRICE, ORDER_REASON, ORDER_SIDE, ORDER_SIZE, ORDER_SLOT, ORDER_TIF, PAYOUT_ID, PAYOUT_SEEN,
  POSITION_SETTLED, POSTED_AMOUNT, POSTED_FEE, POSTED_WHY, QUOTE_CHANGED, QUOTE_REMOVED, SETTLED_COST, SETTLED_INSTRUMENT,
  SETTLED_NET, SETTLED_PAYOUT_ID, SETTLED_POSITION, SETTLED_PRICE, SETTLED_VALUE, TAKEN_CODE, TAKEN_DIGEST, TAKEN_KIND,
  TAKEN_NONCE, TAKEN_NUMBERS, TAKEN_OVER } from
  '../../../core/codec/events.ts';
import type { Views } from '../../../core/codec/record.ts';
import { FLAG_MMP_TRIGGERED } from '../../../core/codec/reply.ts';
import type { State } from '../../../core/engine/state.ts';
import { DONE_QUOTE_REMOVED } from '../../../core/errors.ts';
import { isQuote } from '../../../core/orders/names.ts';
import { orderCreatedAt } from '../../../core/orders/orders.ts';
import { countRows, emptyRows, ROW_KINDS, type Batch, type FillRow, type OrderRow, type OutcomeRow, type Rows,
  type TradeRow } from '../../storage/history/protocol.ts';
import { TRADE } from '../../ipc/enum-names.ts';
import { ledgerRowsOf } from './ledger-rows.ts';
import { carriesOrder, flagsOfOrder, termsOfOrder, termsText } from './terms.ts';
import { movesOf, shareFee } from './moves.ts';
import { addForcedFills, addForcedMove, addVenueRow } from './venue-rows.ts';
import { addressOfWords, hexOfWords, nameOfSlot, textOfBytes, u64Text, type Names } from '../text.ts';

export type CurrentRecord = { readonly views: Views; readonly at: number; readonly seq: number; readonly time: number };

export const MOST_ROWS = 200_000;
/** Rows of one command stay together. */
const BATCH_ROWS = 8_192;

export class RecentRows {
  readonly rows: Rows = emptyRows();
  readonly #state: State;
  readonly #names: Names;
  #above: number;
  #isAbandoned = false;
  #stored: number;
  #sent: number;
  #applied: number;
  readonly #mostRows: number;
  readonly #parts: { readonly state: State; readonly names: Names; readonly rows: Rows };

  constructor(state: State, names: Names, historySeq: number, stateSeq: number, mostRows = MOST_ROWS) {
    this.#mostRows = mostRows;
    this.#state = state;
    this.#names = names;
    this.#above = historySeq;
    this.#stored = historySeq;
    this.#sent = historySeq;
    this.#applied = stateSeq;
    this.#parts = { state, names, rows: this.rows };
  }

  get stored(): number {
    return this.#stored;
  }

  /** A command without rows still moves the history's seq. */
  get isSent(): boolean {
    return this.#isAbandoned || this.#sent >= this.#applied;
  }

  get isFull(): boolean {
    return countRows(this.rows) >= this.#mostRows;
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** No rows are made or sent any more; the history catches up at the next start. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#above = Infinity;
  }

  needsRows(seq: number): boolean {
    return seq > this.#above;
  }

  onEvent(kind: number, slots: Float64Array, record: CurrentRecord): void {
    for (const row of ledgerRowsOf(this.#parts, kind, slots, record)) this.rows.ledger.push(row);
    if (kind === FILL) this.#addFill(slots, record);
    else if (kind === ORDER_DONE || kind === QUOTE_CHANGED) this.#addDoneOrder(kind, slots, record);
    else if (kind === FUND_POSTED) this.#addFee(slots, record);
    else if (kind === TAKEN_OVER || kind === DELEVERAGED) {
      const moves = movesOf(kind, slots, this.#state, this.#names, record);
      this.rows.moves.push(...moves);
      addForcedMove(this.rows, kind, moves);
    }
    else if (kind === NONCE_TAKEN) this.#addOutcome(slots, record);
    else if (kind === POSITION_SETTLED) this.#addPayout(slots, record);
    else if (kind === PAYOUT_SEEN) this.rows.seen.push({ seq: record.seq, payoutId: slots[PAYOUT_ID]! });
    else addVenueRow(this.#parts, kind, slots, record);
  }

  finish(seq: number): void {
    this.#applied = seq;
  }

  take(): Batch | null {
    if (this.isSent) return null;
    const seq = this.#batchEnd();
    const from = this.#sent;
    const rows = emptyRows();
    for (const kind of ROW_KINDS) {
      const list: readonly { readonly seq: number }[] = this.rows[kind];
      (rows[kind] as unknown[]) = list.slice(firstAbove(list, from), firstAbove(list, seq));
    }
    this.#sent = seq;
    return { type: 'batch', seq, rows };
  }

  drop(seq: number): void {
    this.#stored = Math.max(this.#stored, seq);
    for (const kind of ROW_KINDS) this.rows[kind].splice(0, firstAbove(this.rows[kind], seq));
  }

  #batchEnd(): number {
    let end = this.#applied;
    for (const kind of ROW_KINDS) {
      const list = this.rows[kind];
      const last = list[firstAbove(list, this.#sent) + BATCH_ROWS];
      if (last !== undefined) end = Math.min(end, last.seq);
    }
    return end;
  }

  #addFill(f: Float64Array, { seq, time }: CurrentRecord): void {
    const instrument = f[FILL_INSTRUMENT]!;
    const symbol = this.#names.symbol(instrument);
    const underlying = this.#names.underlyingOf(instrument);
    const price = f[FILL_PRICE]!;
    const size = f[FILL_SIZE]!;
    const tradeId = f[FILL_TRADE_ID]!;
    const taker = this.#names.wallet(f[FILL_TAKER]!);
    const maker = this.#names.wallet(f[FILL_MAKER]!);
    const takerSide = f[FILL_SIDE]!;
    const common = { seq, tradeId, symbol, underlying, price, size, time };
    const takerFill: FillRow = {
      ...common, kind: TRADE, fillId: f[FILL_TAKER_FILL_ID]!, orderId: f[FILL_TAKER_ORDER]!, wallet: taker, side: takerSide,
      fee: f[FILL_TAKER_FEE]!, isTaker: true, realized: f[FILL_TAKER_REALIZED]!, position: f[FILL_TAKER_POSITION]!,
    };
    const makerFill: FillRow = {
      ...common, kind: TRADE, fillId: f[FILL_MAKER_FILL_ID]!, orderId: f[FILL_MAKER_ORDER]!, wallet: maker, side: 1 - takerSide,
      fee: f[FILL_MAKER_FEE]!, isTaker: false, realized: f[FILL_MAKER_REALIZED]!, position: f[FILL_MAKER_POSITION]!,
    };
    const trade: TradeRow = { ...common, maker, taker, makerFee: f[FILL_MAKER_FEE]!, takerFee: f[FILL_TAKER_FEE]!, takerSide };
    this.rows.fills.push(takerFill, makerFill);
    this.rows.trades.push(trade);
  }

  #addFee(f: Float64Array, { seq }: CurrentRecord): void {
    if (f[POSTED_WHY] !== POSTED_FEE) return;
    const wallet = this.#names.wallet(f[ACCOUNT]!);
    const { fills } = this.rows;
    const own = fills.slice(firstAbove(fills, seq - 1)).filter((row) => row.wallet === wallet && row.isTaker);
    shareFee(f[POSTED_AMOUNT]!, own.map(({ size }) => size)).forEach((part, i) => { own[i]!.fee += part; });
  }

  /** An order that never rested has only its record. A quote that ends without a fill leaves no row. */
  #addDoneOrder(kind: number, f: Float64Array, { views, at, seq, time }: CurrentRecord): void {
    const slot = f[ORDER_SLOT]!;
    const { orders } = this.#state;
    const rested = slot >= 0;
    if (kind === QUOTE_CHANGED && f[ORDER_REASON] !== QUOTE_REMOVED) return;
    if (rested && f[ORDER_FILLED] === 0 && isQuote(orders, slot)) return;
    const row: OrderRow = {
      seq, orderId: f[ORDER_ID]!, wallet: this.#names.wallet(f[ACCOUNT]!), symbol: this.#names.symbol(f[ORDER_INSTRUMENT]!),
      side: f[ORDER_SIDE]!, price: f[ORDER_PRICE]!, size: f[ORDER_SIZE]!, filled: f[ORDER_FILLED]!, tif: f[ORDER_TIF]!,
      flags: flagsOfOrder(this.#state, slot, views, at),
      clientId: rested ? nameOfSlot(this.#state, slot) : clientIdOfRecord(views, at),
      reason: kind === QUOTE_CHANGED ? DONE_QUOTE_REMOVED : f[ORDER_REASON]!,
      createdAt: rested ? orderCreatedAt(orders, slot) : time, doneAt: time,
      terms: termsText(termsOfOrder(this.#state, slot, views, at)),
    };
    this.rows.orders.push(row);
    if (slot === FORCED) addForcedFills(this.rows, row.orderId, { seq, time });
  }

  #addPayout(f: Float64Array, { seq, time }: CurrentRecord): void {
    const instrument = f[SETTLED_INSTRUMENT]!;
    this.rows.payouts.push({
      seq, payoutId: f[SETTLED_PAYOUT_ID]!, wallet: this.#names.wallet(f[ACCOUNT]!), symbol: this.#names.symbol(instrument),
      expiry: this.#state.instruments.expiry[instrument]!, position: f[SETTLED_POSITION]!, price: f[SETTLED_PRICE]!,
      value: f[SETTLED_VALUE]!, cost: f[SETTLED_COST]!, net: f[SETTLED_NET]!, time, isSeen: false,
    });
  }

  #addOutcome(f: Float64Array, { views, at, seq, time }: CurrentRecord): void {
    const account = f[ACCOUNT]!;
    const kind = f[TAKEN_KIND]!;
    const { answered, answers } = this.#state.result;
    const isPage = answered > 0 && kind !== BATCH;
    const numbers = Array.from(isPage ? answers.subarray(0, answered) : f.subarray(TAKEN_NUMBERS, TAKEN_NUMBERS + 4));
    const namesOrder = kind === CANCEL_ORDER || kind === CANCEL_BY_CLIENT_ID || kind === AMEND_ORDER;
    const row: OutcomeRow = {
      seq, wallet: account >= 0 ? this.#names.wallet(account) : addressOfWords(views.u32, (at >>> 2) + WORD_WALLET),
      nonce: u64Text(f[TAKEN_NONCE]!, f[TAKEN_NONCE + 1]!), kind, digest: hexOfWords(f, TAKEN_DIGEST, 8), code: f[TAKEN_CODE]!,
      numbers, time, orderId: namesOrder ? numbers[0]! : 0, flags: carriesOrder(views, at) ? views.u8[at + BYTE_ORDER_FLAGS]! : 0,
      isMmpTriggered: (this.#state.result.flags & FLAG_MMP_TRIGGERED) !== 0,
    };
    this.rows.outcomes.push(row);
  }
}

export function clientIdOfRecord(views: Views, at: number): string {
  return !carriesOrder(views, at) ? '' : textOfBytes(views.u8, at + BYTE_ORDER_CLIENT_ID + 4, views.u8[at + BYTE_ORDER_CLIENT_ID]!);
}

function firstAbove(list: readonly { readonly seq: number }[], seq: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]!.seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
