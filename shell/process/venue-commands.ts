// Records of the venue's own commands. All use one buffer, which the sequencer copies at once.

import { ADD_UNDERLYING, ADD_UNDERLYING_BYTES, BYTE_COMPETITION_TEXTS, BYTE_CREDIT_ID, BYTE_CREDIT_REASON, CANCEL_WALLET, CONFIGURE,
  CREATE_COMPETITION, CREDIT, DELETE_MARKET, DISCONNECTED, DOUBLE_COMPETITION_END, DOUBLE_COMPETITION_START, DOUBLE_CREDIT_AMOUNT,
  DOUBLE_INDEX_CURVATURE, DOUBLE_INDEX_PRICE, DOUBLE_INDEX_SKEW, DOUBLE_INDEX_VOL, DOUBLE_MARKET_EXPIRY, DOUBLE_MARKET_STRIKE,
  DOUBLE_MODE_EXPIRY, DOUBLE_MODE_STRIKE, DOUBLE_NAME_VOL, DOUBLE_SETTINGS, DOUBLE_SETTLED_EXPIRY, DOUBLE_SETTLED_PRICE,
  DOUBLE_SURFACE_ATM, DOUBLE_SURFACE_CURVATURE, DOUBLE_SURFACE_EXPIRY, DOUBLE_SURFACE_SKEW, INDEX_PRICE, INDEX_PRICE_BYTES, LIST_MARKET,
  MARKET_BYTES, PRESENCE_BYTES, QUARANTINE, QUARANTINE_BYTES, RECONNECTED, SCOPE_CONTRACT, SCOPE_UNDERLYING, SCOPE_WALLET, SET_SURFACE,
  SET_SURFACE_BYTES, SET_TRADING_MODE, SET_WALLET_MODE, SETTLEMENT_PRICE, SETTLEMENT_PRICE_BYTES, TRADING_MODE_BYTES,
  WALLET_COMMAND_BYTES, WORD_COMPETITION_CONDITIONS, WORD_COMPETITION_LENGTHS, WORD_COMPETITION_PRIMARY, WORD_CREDIT_ID_LENGTH,
  WORD_CREDIT_REASON_LENGTH, WORD_CREDIT_WALLET, WORD_INDEX_FLAGS, WORD_INDEX_UNDERLYING, WORD_MARKET_KIND, WORD_MARKET_UNDERLYING,
  WORD_MODE_KIND, WORD_MODE_SCOPE, WORD_MODE_UNDERLYING, WORD_MODE_VALUE, WORD_NAME, WORD_PRESENCE_ACCOUNT, WORD_PRESENCE_CONNECTION,
  WORD_QUARANTINED_SEQ, WORD_SETTLED_UNDERLYING, WORD_SURFACE_FLAGS, WORD_SURFACE_UNDERLYING, WORD_WALLET, WORD_WALLET_MODE, writeSafe }
  from '../../core/codec/commands.ts';
import { alignUp, HEADER_BYTES, viewsOf, writeHeader, type Views } from '../../core/codec/record.ts';
import { packUnderlying } from '../../core/instruments/symbol.ts';
import { RECORD_BYTES } from '../../core/limits.ts';
import { parseHex } from '../http/hex.ts';

const views: Views = viewsOf(new ArrayBuffer(RECORD_BYTES));

function begin(kind: number, bytes: number): Views {
  views.u8.fill(0);
  writeHeader(views, 0, alignUp(bytes), kind, 0, 0);
  return views;
}

export function configureRecord(values: Float64Array): Views {
  begin(CONFIGURE, HEADER_BYTES + values.length * 8);
  views.f64.set(values, DOUBLE_SETTINGS);
  return views;
}

export function addUnderlyingRecord(name: string, volatility: number): Views {
  begin(ADD_UNDERLYING, ADD_UNDERLYING_BYTES);
  const packed = { underlyingLo: 0, underlyingHi: 0 };
  if (!packUnderlying(name, packed)) throw new RangeError(`"${name}" is not a valid underlying name`);
  views.u32[WORD_NAME] = packed.underlyingLo;
  views.u32[WORD_NAME + 1] = packed.underlyingHi;
  views.f64[DOUBLE_NAME_VOL] = volatility;
  return views;
}

export type SurfaceShape = { readonly volatility: number; readonly skew: number; readonly curvature: number };
/** `price` in price units; 0 changes only flags. Volatility 0 leaves the surface as it is. */
export type IndexTick = SurfaceShape & { readonly price: number };

export function indexRecord(underlying: number, tick: IndexTick, flags: number): Views {
  begin(INDEX_PRICE, INDEX_PRICE_BYTES);
  views.u32[WORD_INDEX_UNDERLYING] = underlying;
  views.u32[WORD_INDEX_FLAGS] = flags;
  views.f64[DOUBLE_INDEX_PRICE] = tick.price;
  views.f64[DOUBLE_INDEX_VOL] = tick.volatility;
  views.f64[DOUBLE_INDEX_SKEW] = tick.skew;
  views.f64[DOUBLE_INDEX_CURVATURE] = tick.curvature;
  return views;
}

/** `expiry`: ms, 0 for all. Volatility 0: an ageless surface ages from now on. */
export function surfaceRecord(underlying: number, expiry: number, shape: SurfaceShape, flags: number): Views {
  begin(SET_SURFACE, SET_SURFACE_BYTES);
  views.u32[WORD_SURFACE_UNDERLYING] = underlying;
  views.u32[WORD_SURFACE_FLAGS] = flags;
  views.f64[DOUBLE_SURFACE_EXPIRY] = expiry;
  views.f64[DOUBLE_SURFACE_ATM] = shape.volatility;
  views.f64[DOUBLE_SURFACE_SKEW] = shape.skew;
  views.f64[DOUBLE_SURFACE_CURVATURE] = shape.curvature;
  return views;
}

/** `expiry`: ms. */
export function settlementRecord(underlying: number, expiry: number, price: number): Views {
  begin(SETTLEMENT_PRICE, SETTLEMENT_PRICE_BYTES);
  views.u32[WORD_SETTLED_UNDERLYING] = underlying;
  views.f64[DOUBLE_SETTLED_EXPIRY] = expiry;
  views.f64[DOUBLE_SETTLED_PRICE] = price;
  return views;
}

/** `expiry`: ms. */
export type MarketTerms = { readonly expiry: number; readonly strike: number; readonly kind: number };

export function marketRecord(kind: typeof LIST_MARKET | typeof DELETE_MARKET, underlying: number, terms: MarketTerms): Views {
  begin(kind, MARKET_BYTES);
  views.u32[WORD_MARKET_UNDERLYING] = underlying;
  views.u32[WORD_MARKET_KIND] = terms.kind;
  views.f64[DOUBLE_MARKET_EXPIRY] = terms.expiry;
  views.f64[DOUBLE_MARKET_STRIKE] = terms.strike;
  return views;
}

/** `underlying` -1: the venue. `contract` null: the whole underlying. */
export function tradingModeRecord(underlying: number, contract: MarketTerms | null, mode: number): Views {
  begin(SET_TRADING_MODE, TRADING_MODE_BYTES);
  views.u32[WORD_MODE_SCOPE] = underlying < 0 ? SCOPE_WALLET : contract === null ? SCOPE_UNDERLYING : SCOPE_CONTRACT;
  views.u32[WORD_MODE_VALUE] = mode;
  views.u32[WORD_MODE_UNDERLYING] = Math.max(0, underlying);
  if (contract === null) return views;
  views.u32[WORD_MODE_KIND] = contract.kind;
  views.f64[DOUBLE_MODE_EXPIRY] = contract.expiry;
  views.f64[DOUBLE_MODE_STRIKE] = contract.strike;
  return views;
}

/** `mode` is 0 for CANCEL_WALLET. */
export function walletRecord(kind: typeof SET_WALLET_MODE | typeof CANCEL_WALLET, wallet: Uint8Array, mode: number): Views {
  begin(kind, WALLET_COMMAND_BYTES);
  views.u8.set(wallet, WORD_WALLET * 4);
  views.u32[WORD_WALLET_MODE] = mode;
  return views;
}

/** Times in ms. `conditions`: a bit per number of core/registry/competitions; `primary`: one such number. */
export type CompetitionTerms = {
  readonly start: number; readonly end: number; readonly conditions: number; readonly primary: number; readonly texts: readonly string[];
};

export function competitionRecord({ start, end, conditions, primary, texts }: CompetitionTerms): Views {
  const encoded = texts.map((text) => Buffer.from(text));
  begin(CREATE_COMPETITION, BYTE_COMPETITION_TEXTS + encoded.reduce((sum, { length }) => sum + length, 0));
  views.f64[DOUBLE_COMPETITION_START] = start;
  views.f64[DOUBLE_COMPETITION_END] = end;
  views.u32[WORD_COMPETITION_CONDITIONS] = conditions;
  views.u32[WORD_COMPETITION_PRIMARY] = primary;
  let to = BYTE_COMPETITION_TEXTS;
  encoded.forEach((bytes, at) => {
    views.u32[WORD_COMPETITION_LENGTHS + at] = bytes.length;
    views.u8.set(bytes, to);
    to += bytes.length;
  });
  return views;
}

/** `amount`: signed micros. */
export type CreditTerms = { readonly wallet: string; readonly amount: number; readonly reason: string; readonly creditId: string };

export function creditRecord({ wallet, amount, reason, creditId }: CreditTerms): Views {
  const [id, text] = [Buffer.from(creditId), Buffer.from(reason)];
  begin(CREDIT, BYTE_CREDIT_REASON + text.length);
  parseHex(wallet, views.u8.subarray(WORD_CREDIT_WALLET * 4, WORD_CREDIT_WALLET * 4 + 20));
  views.u32[WORD_CREDIT_ID_LENGTH] = id.length;
  views.u32[WORD_CREDIT_REASON_LENGTH] = text.length;
  views.f64[DOUBLE_CREDIT_AMOUNT] = amount;
  views.u8.set(id, BYTE_CREDIT_ID);
  views.u8.set(text, BYTE_CREDIT_REASON);
  return views;
}

export function presenceRecord(kind: typeof DISCONNECTED | typeof RECONNECTED, account: number, id: bigint): Views {
  begin(kind, PRESENCE_BYTES);
  views.u32[WORD_PRESENCE_ACCOUNT] = account;
  views.u32[WORD_PRESENCE_CONNECTION] = Number(id & 0xffff_ffffn);
  views.u32[WORD_PRESENCE_CONNECTION + 1] = Number(id >> 32n);
  return views;
}

export function quarantineRecord(seq: number): Views {
  begin(QUARANTINE, QUARANTINE_BYTES);
  writeSafe(views, WORD_QUARANTINED_SEQ, seq);
  return views;
}
