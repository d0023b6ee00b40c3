// A reply of main from its ring (layout: core/codec/reply). Texts of an order are canonical, because no request carried
// them.

import { FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY } from '../../core/codec/commands.ts';
import { formatDecimal, DECIMALS } from '../../core/codec/decimal.ts';
import { HIGH, type Views } from '../../core/codec/record.ts';
import { FLAG_ANSWERS, FLAG_IMAGE, FLAG_MMP_TRIGGERED, IMAGE_BYTE_CLIENT_ID, IMAGE_BYTE_FLAGS, IMAGE_BYTE_KIND, IMAGE_BYTE_LINK_ID,
  IMAGE_BYTE_SIDE, IMAGE_BYTE_TIF, IMAGE_BYTE_WAITS, IMAGE_CREATED, IMAGE_EXPIRES_AT, IMAGE_EXPIRY, IMAGE_ID, IMAGE_PRICE,
  IMAGE_REMAINING, IMAGE_SIZE, IMAGE_STRIKE, IMAGE_TRIGGER_PRICE, IMAGE_WORD_TERMS, IMAGE_WORD_UNDERLYING, NO_BUDGET, REPLY_BYTES,
  REPLY_DOUBLE_NUMBERS, REPLY_WORD_BUDGET, REPLY_WORD_KIND, REPLY_WORD_REQUEST, REPLY_WORD_SEQ, REPLY_WORD_STATUS, REPLY_WORD_TIME,
  REPLY_WORD_WINDOW_END, } from '../../core/codec/reply.ts';
import { formatSymbol } from '../../core/instruments/symbol.ts';
import { orderTerms } from '../ipc/order-terms.ts';
import type { OrderFacts } from '../ipc/queries.ts';
import { SIDES, TIFS } from '../ipc/enum-names.ts';

export type Reply = {
  readonly kind: number;
  readonly code: number;
  readonly tier: number;
  readonly left: number | null;
  /** Seconds since the epoch. */
  readonly windowEnd: number;
  /** Of a command refused before sequencing, the last seq at that time. */
  readonly seq: number;
  /** Time of the command, ms. */
  readonly time: number;
  readonly numbers: readonly number[];
  readonly isMmpTriggered: boolean;
  readonly order: OrderFacts | null;
};

export function requestOfReply(views: Views, at: number): number {
  return views.u32[(at >>> 2) + REPLY_WORD_REQUEST]!;
}

export function readReply(views: Views, at: number): Reply {
  const word = at >>> 2;
  const status = views.u32[word + REPLY_WORD_STATUS]!;
  const left = views.u32[word + REPLY_WORD_BUDGET]!;
  const flags = status >>> 24;
  const { f64 } = views;
  const double = (at >>> 3) + REPLY_DOUBLE_NUMBERS;
  return {
    kind: views.u32[word + REPLY_WORD_KIND]!, code: status & 0xffff, tier: (status >>> 16) & 0xff, left: left === NO_BUDGET ? null : left,
    windowEnd: views.u32[word + REPLY_WORD_WINDOW_END]!,
    seq: views.u32[word + REPLY_WORD_SEQ]! + views.u32[word + REPLY_WORD_SEQ + 1]! * HIGH,
    time: views.u32[word + REPLY_WORD_TIME]! + views.u32[word + REPLY_WORD_TIME + 1]! * HIGH,
    numbers: (flags & FLAG_ANSWERS) !== 0 ? readAnswers(f64, (at + REPLY_BYTES) >>> 3)
      : [f64[double]!, f64[double + 1]!, f64[double + 2]!, f64[double + 3]!],
    isMmpTriggered: (flags & FLAG_MMP_TRIGGERED) !== 0,
    order: (flags & FLAG_IMAGE) === 0 ? null : readImage(views, at + REPLY_BYTES),
  };
}

function readAnswers(f64: Float64Array, double: number): number[] {
  return Array.from(f64.subarray(double + 1, double + 1 + f64[double]!));
}

function readImage(views: Views, at: number): OrderFacts {
  const { u8, u32, f64 } = views;
  const double = at >>> 3;
  const word = (at >>> 2) + IMAGE_WORD_UNDERLYING;
  const size = f64[double + IMAGE_SIZE]!;
  const idAt = at + IMAGE_BYTE_CLIENT_ID + 1;
  const linkAt = at + IMAGE_BYTE_LINK_ID + 1;
  const flags = u8[at + IMAGE_BYTE_FLAGS]!;
  return {
    order_id: f64[double + IMAGE_ID]!,
    symbol: formatSymbol({
      underlyingLo: u32[word]!, underlyingHi: u32[word + 1]!, expiry: f64[double + IMAGE_EXPIRY]!, strike: f64[double + IMAGE_STRIKE]!,
      kind: u8[at + IMAGE_BYTE_KIND]!,
    }),
    side: SIDES[u8[at + IMAGE_BYTE_SIDE]!]!, price: formatDecimal(f64[double + IMAGE_PRICE]!, DECIMALS),
    size: formatDecimal(size, DECIMALS), filled_size: formatDecimal(size - f64[double + IMAGE_REMAINING]!, DECIMALS),
    tif: TIFS[u8[at + IMAGE_BYTE_TIF]!]!,
    client_id: Buffer.from(u8.slice(idAt, idAt + u8[at + IMAGE_BYTE_CLIENT_ID]!)).toString('utf8'),
    ...orderTerms(
      u32[(at >>> 2) + IMAGE_WORD_TERMS]!, f64[double + IMAGE_EXPIRES_AT]!, f64[double + IMAGE_TRIGGER_PRICE]!,
      Buffer.from(u8.slice(linkAt, linkAt + u8[linkAt - 1]!)).toString('latin1'),
    ),
    ...(u8[at + IMAGE_BYTE_WAITS] !== 0 && { waits: true }),
    created_at: f64[double + IMAGE_CREATED]!, mmp_enabled: (flags & FLAG_MMP_OPT_OUT) === 0, reduce_only: (flags & FLAG_REDUCE_ONLY) !== 0,
  };
}
