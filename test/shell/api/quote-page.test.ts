// The text of a mass quote: each fault of its form has its text and comes in the order of the page, before any other; a value that no order
// may have is a code of its side alone.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { ABSENT, LINE_BYTE_CODES, LINE_BYTES, LINE_KEYS, LINE_SIZES } from '../../../core/codec/quote-lines.ts';
import { AMOUNT_TOO_LARGE, OK, PRICE_DECIMALS, PRICE_FIGURES, PRICE_NOT_POSITIVE, PRICE_TOO_HIGH, SIZE_NOT_POSITIVE,
  SIZE_TOO_LARGE } from '../../../core/errors.ts';
import { QUOTE_LINES, QUOTE_TEXT_BYTES } from '../../../core/limits.ts';
import { priceKeyOf } from '../../../core/book/price-key.ts';
import { CONTRACT, USDC } from '../../../core/units.ts';
import { parseQuotes } from '../../../shell/api/quote-page.ts';

const A = 'BTC-20260109-100000-C';
const B = 'BTC-20260109-100000-P';
const FORM = 'must be SYMBOL BID_SIZE BID_PRICE ASK_SIZE ASK_PRICE with single blanks';
const SIDE = 'a side is a size and a price in decimals, a size and -, or - and -';

test('quote page: each fault of the form has its text, with the number of its line', () => {
  const many = (count: number): string => Array.from({ length: count }, (_, i) => `BTC-20260109-${1_000 + i}-C - - - -`).join('\n');
  const cases: [text: string, fault: string][] = [
    ['', `line 1 ${FORM}`], [`${A} 1 2 3`, `line 1 ${FORM}`], [`${A} 1 2 3 4 5`, `line 1 ${FORM}`], [`${A}  1 2 3 4`, `line 1 ${FORM}`],
    [` ${A} 1 2 3 4`, `line 1 ${FORM}`], [`${A} 1 2 3 4 `, `line 1 ${FORM}`], [`${A}\t1 2 3 4`, `line 1 ${FORM}`],
    [`${A} 1 2 3 4\n`, `line 2 ${FORM}`], [`${A} 1 2 3 4\n\n${B} 1 2 3 4`, `line 2 ${FORM}`],
    [`${A} 1 2 3 4\r\n${B} 1 2 3 4`, `line 1: ${SIDE}`],
    ['BTC-20261309-1-C 1 2 3 4', 'line 1: the expiry is not a date as YYYYMMDD or DDMMMYY from 2000 to 2099'],
    ['BTC-20260109-1-X 1 2 3 4', 'line 1: the option type is not C or P'],
    [`${A} 1 2 3 4\n${A} 1 2 3 4`, `line 2: ${A} has a line already`],
    [`${A} 1 2 3 4\nBTC-09JAN26-100000-C 1 2 3 4`, `line 2: ${A} has a line already`],
    [`${A} 1 2 3 4\nETH-PERP 1 2 3 4`, 'line 2: another underlying'],
    [`${A} - 2 3 4`, `line 1: ${SIDE}`], [`${A} 1 2 -1 4`, `line 1: ${SIDE}`], [`${A} 1 2e3 3 4`, `line 1: ${SIDE}`],
    [`${A} 1 2 0 x`, `line 1: ${SIDE}`], [`${A} +1 2 3 4`, `line 1: ${SIDE}`], [`${A} .5 2 3 4`, `line 1: ${SIDE}`],
    [many(QUOTE_LINES + 1), `it has more than ${QUOTE_LINES} lines`],
    ['x'.repeat(QUOTE_TEXT_BYTES + 1), `it has more than ${QUOTE_TEXT_BYTES} bytes`],
  ];
  for (const [text, fault] of cases) assert.equal(parseQuotes(text).fault, fault, JSON.stringify(text.slice(0, 80)));
  assert.equal(parseQuotes(many(QUOTE_LINES)).fault, null);
});

test('quote page: of several faults the first line counts, and in a line form, symbol, repetition, underlying, then sides', () => {
  assert.match(parseQuotes('X 1 2 3\nY 1 2 3 4').fault!, /^line 1 must be/);
  assert.match(parseQuotes(`${A} x 2 3 4\n${A} 1 2 3`).fault!, /^line 1: a side/);
  assert.match(parseQuotes('BTC-20260109-1-X x 2 3 4').fault!, /option type/);
  assert.match(parseQuotes(`${A} 1 2 3 4\n${A} x 2 3 4`).fault!, /has a line already/);
  assert.match(parseQuotes(`${A} 1 2 3 4\nETH-PERP x 2 3 4`).fault!, /another underlying/);
  const long = Array.from({ length: QUOTE_LINES }, (_, i) => `BTC-20260109-${1_000 + i}-C - - - -`);
  assert.match(parseQuotes([...long, 'X'].join('\n')).fault!, /more than 100 lines/);
});

test('quote page: what no order may have is the code of its side alone, size before price before amount', () => {
  const cases: [side: string, code: number][] = [
    ['0.0000001 5', SIZE_NOT_POSITIVE], ['1000000001 5', SIZE_TOO_LARGE], ['1000000001 0', SIZE_TOO_LARGE], ['1 0', PRICE_NOT_POSITIVE],
    ['1 100001.5', PRICE_FIGURES], ['1 0.0000001', PRICE_DECIMALS], ['1 2000000000', PRICE_TOO_HIGH],
    ['1000000000 1000000000', AMOUNT_TOO_LARGE], ['1 5', OK], ['1 -', OK], ['0 -', OK], ['0 5', OK], ['0 0', OK], ['- -', OK],
  ];
  for (const [side, code] of cases) {
    const { page } = parseQuotes(`${A} ${side} 2 7`);
    assert.notEqual(page, null, side);
    const { bytes, placements, sides } = page!;
    assert.deepEqual([bytes.length, bytes[LINE_BYTE_CODES], bytes[LINE_BYTE_CODES + 1]], [LINE_BYTES, code, OK], side);
    assert.equal(sides, side === '- -' ? 1 : 2, side);
    assert.equal(placements, code === OK && !/^[-0] /.test(side) ? 2 : 1, side);
  }
});

test('quote page: a line’s numbers are those of its text', () => {
  const { page } = parseQuotes(`${A} 1.5 250 - -\nBTC-PERP 0 - 2 -`);
  const { bytes, lines } = page!;
  const rows = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const size = (row: number, side: number): number => rows.getFloat64(row * LINE_BYTES + (LINE_SIZES + side) * 8, true);
  const key = (row: number, side: number): number => rows.getUint32(row * LINE_BYTES + (LINE_KEYS + side) * 4, true);
  assert.deepEqual([size(0, 0), size(0, 1), size(1, 0), size(1, 1)], [1.5 * CONTRACT, ABSENT, 0, 2 * CONTRACT]);
  assert.deepEqual([key(0, 0), key(0, 1), key(1, 0), key(1, 1)], [priceKeyOf(250 * USDC), 0, 0, 0]);
  const named = lines.map(({ contract, hasAsk, hasBid }) => [contract.symbol, hasBid, hasAsk]);
  assert.deepEqual(named, [[A, true, false], ['BTC-PERP', true, true]]);
});
