// The text of a mass quote (spec, extensions 4): a line per contract, `SYMBOL BID_SIZE BID_PRICE ASK_SIZE ASK_PRICE`,
// single blanks, `-` where a value is left out. A fault of its form refuses all; a value that no order may have is a
// code of its side. The audit uses this module too.

import { isAmountTooLarge, isDecimal, isZero, parsePrice, parseSize } from '../../core/codec/decimal.ts';
import { ABSENT, LINE_BYTES, writeLine } from '../../core/codec/quote-lines.ts';
import { viewsOf } from '../../core/codec/record.ts';
import { AMOUNT_TOO_LARGE, OK } from '../../core/errors.ts';
import { QUOTE_LINES, QUOTE_TEXT_BYTES } from '../../core/limits.ts';
import { priceKeyOf } from '../../core/book/price-key.ts';
import { symbolDetail, SYMBOL_OK } from '../../core/instruments/symbol.ts';
import { contractOf, type Contract } from './values.ts';

const BLANK = ' ';
const DASH = '-';
const VALUES = 4;
const SIDE_FORM = 'a side is a size and a price in decimals, a size and -, or - and -';

type QuotedLine = { readonly contract: Contract; readonly hasBid: boolean; readonly hasAsk: boolean };
/** `placements`: sides with a size above 0 and valid values. */
export type QuotePage = {
  readonly lines: readonly QuotedLine[]; readonly bytes: Uint8Array; readonly sides: number; readonly placements: number;
};
type ParsedPage = { readonly fault: string; readonly page: null } | { readonly fault: null; readonly page: QuotePage };

type Side = { size: number; key: number; code: number };

export function parseQuotes(text: string): ParsedPage {
  if (text.length > QUOTE_TEXT_BYTES) return faulty(`it has more than ${QUOTE_TEXT_BYTES} bytes`);
  const rows = viewsOf(new ArrayBuffer(QUOTE_LINES * LINE_BYTES));
  const lines: QuotedLine[] = [];
  const seen = new Set<string>();
  const ends = [0, 0, 0, 0, 0];
  let sides = 0;
  let placements = 0;
  for (let from = 0; from <= text.length;) {
    const newline = text.indexOf('\n', from);
    const end = newline < 0 ? text.length : newline;
    const line = `line ${lines.length + 1}`;
    if (lines.length === QUOTE_LINES) return faulty(`it has more than ${QUOTE_LINES} lines`);
    if (!findEnds(text, from, end, ends)) return faulty(`${line} must be SYMBOL BID_SIZE BID_PRICE ASK_SIZE ASK_PRICE with single blanks`);
    const contract = contractOf(text.slice(from, ends[0]));
    if (contract.fault !== SYMBOL_OK) return faulty(`${line}: ${symbolDetail(contract.fault)}`);
    if (seen.has(contract.symbol)) return faulty(`${line}: ${contract.symbol} has a line already`);
    if (lines.length > 0 && contract.underlying !== lines[0]!.contract.underlying) return faulty(`${line}: another underlying`);
    seen.add(contract.symbol);
    const bid = sideOf(text, ends[0]! + 1, ends[1]!, ends[1]! + 1, ends[2]!);
    const ask = sideOf(text, ends[2]! + 1, ends[3]!, ends[3]! + 1, ends[4]!);
    if (bid === null || ask === null) return faulty(`${line}: ${SIDE_FORM}`);
    const { expiry, kind, strike } = contract.terms;
    writeLine(rows, lines.length, {
      expiry, strike, kind, sizes: [bid.size, ask.size], keys: [bid.key, ask.key], codes: [bid.code, ask.code],
    });
    for (const side of [bid, ask]) {
      if (side.size !== ABSENT) sides++;
      if (side.size > 0 && side.code === OK) placements++;
    }
    lines.push({ contract, hasBid: bid.size !== ABSENT, hasAsk: ask.size !== ABSENT });
    from = end + 1;
  }
  return { fault: null, page: { lines, bytes: rows.u8.subarray(0, lines.length * LINE_BYTES), sides, placements } };
}

const faulty = (fault: string): ParsedPage => ({ fault, page: null });

function findEnds(text: string, from: number, end: number, out: number[]): boolean {
  let at = from;
  for (let word = 0; word < VALUES; word++) {
    const blank = text.indexOf(BLANK, at);
    if (blank <= at || blank >= end) return false;
    out[word] = blank;
    at = blank + 1;
  }
  out[VALUES] = end;
  const rest = text.indexOf(BLANK, at);
  return at < end && (rest < 0 || rest >= end);
}

/** A size without a price keeps the price; a price needs a size. */
function sideOf(text: string, sizeFrom: number, sizeTo: number, priceFrom: number, priceTo: number): Side | null {
  const hasPrice = !isAbsent(text, priceFrom, priceTo);
  if (isAbsent(text, sizeFrom, sizeTo)) return hasPrice ? null : { size: ABSENT, key: 0, code: OK };
  if (!isDecimal(text, sizeFrom, sizeTo) || (hasPrice && !isDecimal(text, priceFrom, priceTo))) return null;
  if (isZero(text, sizeFrom, sizeTo)) return { size: 0, key: 0, code: OK };
  const size = parseSize(text, sizeFrom, sizeTo);
  if (size < 0) return { size: 0, key: 0, code: -size };
  if (!hasPrice) return { size, key: 0, code: OK };
  const price = parsePrice(text, priceFrom, priceTo);
  if (price < 0) return { size: 0, key: 0, code: -price };
  return isAmountTooLarge(price, size) ? { size: 0, key: 0, code: AMOUNT_TOO_LARGE }
    : { size, key: priceKeyOf(price), code: OK };
}

function isAbsent(text: string, from: number, to: number): boolean {
  return to === from + 1 && text[from] === DASH;
}
