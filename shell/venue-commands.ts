// Records of the venue's own commands: settings, underlyings, index prices, surfaces, the word of the operator. Each is written
// into one buffer that the sequencer copies from at once.

import { ADD_UNDERLYING, ADD_UNDERLYING_BYTES, CONFIGURE, DOUBLE_INDEX_CURVATURE, DOUBLE_INDEX_PRICE, DOUBLE_INDEX_SKEW,
  DOUBLE_INDEX_VOL, DOUBLE_NAME_VOL, DOUBLE_SETTINGS, DOUBLE_SETTLED_EXPIRY, DOUBLE_SETTLED_PRICE, DOUBLE_SURFACE_ATM,
  DOUBLE_SURFACE_CURVATURE, DOUBLE_SURFACE_EXPIRY, DOUBLE_SURFACE_SKEW, INDEX_PRICE, INDEX_PRICE_BYTES, QUARANTINE, QUARANTINE_BYTES,
  SET_SURFACE, SET_SURFACE_BYTES, SETTLEMENT_PRICE, SETTLEMENT_PRICE_BYTES, WORD_INDEX_FLAGS, WORD_INDEX_UNDERLYING, WORD_NAME,
  WORD_QUARANTINED_SEQ, WORD_SETTLED_UNDERLYING, WORD_SURFACE_FLAGS, WORD_SURFACE_UNDERLYING, writeSafe,
} from '../core/codec/commands.ts';
import { alignUp, HEADER_BYTES, viewsOf, writeHeader, type Views } from '../core/codec/record.ts';
import { packUnderlying } from '../core/instruments/symbol.ts';
import { CODEC } from '../core/version.ts';

const views: Views = viewsOf(new ArrayBuffer(4096));

function begin(kind: number, bytes: number): Views {
  views.u8.fill(0);
  writeHeader(views, 0, alignUp(bytes), kind, CODEC, 0, 0);
  return views;
}

/** `values` in the order of core/settings. */
export function configureRecord(values: Float64Array): Views {
  begin(CONFIGURE, HEADER_BYTES + values.length * 8);
  views.f64.set(values, DOUBLE_SETTINGS);
  return views;
}

/** Volatility as a fraction times 1e6. Throws on a name that is none. */
export function addUnderlyingRecord(name: string, volatility: number): Views {
  begin(ADD_UNDERLYING, ADD_UNDERLYING_BYTES);
  const packed = { underlyingLo: 0, underlyingHi: 0 };
  if (!packUnderlying(name, packed)) throw new RangeError(`"${name}" is no name of an underlying`);
  views.u32[WORD_NAME] = packed.underlyingLo;
  views.u32[WORD_NAME + 1] = packed.underlyingHi;
  views.f64[DOUBLE_NAME_VOL] = volatility;
  return views;
}

/** A surface of one expiry or of all: fractions times 1e6. */
export type SurfaceShape = { readonly volatility: number; readonly skew: number; readonly curvature: number };
/** What a feed says in one tick: price in price units, 0 to change the flags alone; volatility 0 leaves the surface as it is. */
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

/** The operator's surface of an expiry, ms; 0: of all. */
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

/** The operator's price of an expiry, ms; price in price units. */
export function settlementRecord(underlying: number, expiry: number, price: number): Views {
  begin(SETTLEMENT_PRICE, SETTLEMENT_PRICE_BYTES);
  views.u32[WORD_SETTLED_UNDERLYING] = underlying;
  views.f64[DOUBLE_SETTLED_EXPIRY] = expiry;
  views.f64[DOUBLE_SETTLED_PRICE] = price;
  return views;
}

export function quarantineRecord(seq: number): Views {
  begin(QUARANTINE, QUARANTINE_BYTES);
  writeSafe(views, WORD_QUARANTINED_SEQ, seq);
  return views;
}
