// The lines of a mass quote as numbers, at the end of its record, in message order. The audit derives them from the proof again.
//
//   f64 0  expiry       f64 1  strike       f64 2, 3  bid size, ask size
//   u32 8, 9  price keys of bid and ask     byte 40  kind of contract     byte 41, 42  codes of bid and ask     byte 43..47  zero

export const LINE_BYTES = 48;
const LINE_DOUBLES = LINE_BYTES / 8;
const LINE_WORDS = LINE_BYTES / 4;

export const LINE_EXPIRY = 0;
export const LINE_STRIKE = 1;
/** One size for each side, in 1e-6 contracts: 0 removes the quote, ABSENT leaves the side alone. */
export const LINE_SIZES = 2;
export const ABSENT = -1;
/** One price for each side, as a key of core/book/price-key: 0 keeps the price. */
export const LINE_KEYS = 8;
export const LINE_BYTE_KIND = 40;
/** One code for each side: the first failed check of a value, or OK. */
export const LINE_BYTE_CODES = 41;

type LineViews = { readonly u8: Uint8Array; readonly u32: Uint32Array; readonly f64: Float64Array };
type QuoteLine = {
  readonly expiry: number; readonly strike: number; readonly kind: number;
  readonly sizes: readonly [bid: number, ask: number]; readonly keys: readonly [bid: number, ask: number];
  readonly codes: readonly [bid: number, ask: number];
};

export function writeLine({ f64, u32, u8 }: LineViews, row: number, { expiry, strike, kind, sizes, keys, codes }: QuoteLine): void {
  f64[row * LINE_DOUBLES + LINE_EXPIRY] = expiry;
  f64[row * LINE_DOUBLES + LINE_STRIKE] = strike;
  u8[row * LINE_BYTES + LINE_BYTE_KIND] = kind;
  for (let side = 0; side < 2; side++) {
    f64[row * LINE_DOUBLES + LINE_SIZES + side] = sizes[side];
    u32[row * LINE_WORDS + LINE_KEYS + side] = keys[side];
    u8[row * LINE_BYTES + LINE_BYTE_CODES + side] = codes[side];
  }
}

export function linesAt(u32: Uint32Array, at: number, lines: number): number {
  return at + u32[at >>> 2] - lines * LINE_BYTES;
}
