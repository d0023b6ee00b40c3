// Symbols of options and perps: both date styles, canonical strikes, the error of every malformed symbol, and packed names.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import {
  SYMBOL_OK, createTerms, formatSymbol, packUnderlying, parseSymbol, symbolDetail, underlyingOfPerp, unpackUnderlying,
} from '../../../core/instruments/symbol.ts';
import { CALL, PERP, PUT } from '../../../core/codec/commands.ts';
import { formatDecimal } from '../../../core/codec/decimal.ts';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const name = fc.string({ unit: fc.constantFrom(...'ABCXYZ019'), minLength: 1, maxLength: 8 });
const day = fc.integer({ min: Date.UTC(2000, 0, 1) / 86_400_000, max: Date.UTC(2099, 11, 31) / 86_400_000 });
const strike = fc.oneof(fc.integer({ min: 1, max: 1e15 }), fc.integer({ min: 1, max: 1e9 }).map((n) => n * 1e6));

function detailOf(text: string): string {
  return symbolDetail(parseSymbol(text, createTerms()));
}

test('a symbol in the canonical and one in the exchange date style give the same terms', () => {
  const terms = createTerms();
  const known = { underlyingLo: 0x435442, underlyingHi: 0, expiry: Date.UTC(2026, 5, 5, 8), strike: 1e11, kind: CALL };
  for (const text of ['BTC-20260605-100000-C', 'BTC-5JUN26-100000-C', 'BTC-05JUN26-100000-C']) {
    assert.equal(parseSymbol(text, terms), SYMBOL_OK, text);
    assert.deepEqual(terms, known, text);
    assert.equal(formatSymbol(terms), 'BTC-20260605-100000-C');
  }
  assert.equal(parseSymbol('ETH-20240229-0.5-P', terms), SYMBOL_OK);
  assert.deepEqual([terms.expiry, terms.strike, terms.kind], [Date.UTC(2024, 1, 29, 8), 500_000, PUT]);
});

test('any terms are read back from a symbol of either style', () => {
  const terms = createTerms();
  fc.assert(fc.property(name, day, strike, fc.constantFrom('C', 'P'), fc.boolean(), (who, d, k, type, isPadded) => {
    const date = new Date(d * 86_400_000);
    const canonical = `${who}-${date.toISOString().slice(0, 10).replaceAll('-', '')}-${formatDecimal(k, 6)}-${type}`;
    assert.equal(parseSymbol(canonical, terms), SYMBOL_OK, canonical);
    assert.equal(terms.expiry, d * 86_400_000 + 8 * 3_600_000);
    assert.equal(terms.strike, k);
    assert.equal(terms.kind, type === 'C' ? CALL : PUT);
    assert.equal(unpackUnderlying(terms.underlyingLo, terms.underlyingHi), who);
    assert.equal(formatSymbol(terms), canonical);
    const first = { ...terms };
    const dayText = String(date.getUTCDate()).padStart(isPadded ? 2 : 1, '0');
    const exchange = `${dayText}${MONTHS[date.getUTCMonth()]}${String(date.getUTCFullYear()).slice(2)}`;
    assert.equal(parseSymbol(`${who}-${exchange}-${formatDecimal(k, 6)}-${type}`, terms), SYMBOL_OK);
    assert.deepEqual(terms, first);
  }), { numRuns: 2_000 });
});

test('an accepted symbol differs from its canonical text at most in the date style', () => {
  const terms = createTerms();
  const part = fc.string({ unit: fc.constantFrom(...'BTC0126JUN-.P'), maxLength: 12 });
  const date = fc.constantFrom('20260131', '5JUN26', '20260230');
  const damaged = fc.tuple(fc.constantFrom('BTC', 'B', ''), date, part, fc.constantFrom('C', 'P', 'X')).map((parts) => parts.join('-'));
  fc.assert(fc.property(fc.oneof(damaged, part), (text) => {
    if (parseSymbol(text, terms) !== SYMBOL_OK) return;
    const [who, date, k, type] = text.split('-');
    const [whoBack, dateBack, kBack, typeBack] = formatSymbol(terms).split('-');
    assert.deepEqual([whoBack, kBack, typeBack], [who, k, type]);
    if (date!.length === 8) assert.equal(dateBack, date);
  }), { numRuns: 5_000 });
});

test('a malformed symbol is refused with the name of its wrong part', () => {
  const cases: Record<string, readonly string[]> = {
    expected: [
      '', 'BTC', 'PERP', 'BTC-PERP-C', 'BTC-20260131-100000', '--', 'BTC-20260131-100000-C-', 'BTC-20260131--1-C',
      `BTC-20260131-1-C${' '.repeat(40)}`, 'A'.repeat(1e6),
    ],
    underlying: [
      '-PERP', 'btc-PERP', 'BTC-20260131-1-PERP', '-20260131-100000-C', 'btc-20260131-100000-C', 'TOOLONGBY1-20260131-1-C',
      'BT C-20260131-1-C', 'BTÇ-20260131-1-C',
    ],
    expiry: [
      'BTC-20260230-1-C', 'BTC-20260001-1-C', 'BTC-20261301-1-C', 'BTC-20260100-1-C', 'BTC-19991231-1-C', 'BTC-21000101-1-C',
      'BTC-2026013-1-C', 'BTC-2026O131-1-C', 'BTC-0JUN26-1-C', 'BTC-31JUN26-1-C', 'BTC-29FEB26-1-C', 'BTC-5jun26-1-C', 'BTC-5JUNE26-1-C',
      'BTC-5JUX26-1-C', 'BTC-JUN26-1-C', 'BTC-005JUN26-1-C', 'BTC-5JUN2026-1-C', 'BTC--1-C', 'BTC- 5JUN26-1-C', 'BTC-5JUN2 -1-C',
    ],
    strike: [
      'BTC-20260131-0-C', 'BTC-20260131-0100-C', 'BTC-20260131-1.50-C', 'BTC-20260131-1.0-C', 'BTC-20260131-.5-C', 'BTC-20260131-5.-C',
      'BTC-20260131-1e3-C', 'BTC-20260131-0.0000001-C', 'BTC-20260131-1000000001-C', 'BTC-20260131-+1-C', 'BTC-20260131--C',
    ],
    type: ['BTC-20260131-1-', 'BTC-20260131-1-X', 'BTC-20260131-1-c', 'BTC-20260131-1-CC'],
  };
  for (const [word, texts] of Object.entries(cases)) {
    for (const text of texts) assert.match(detailOf(text), new RegExp(word), JSON.stringify(text.slice(0, 60)));
  }
  assert.equal(detailOf('BTC-20260131-1000000000-C'), '');
});

test('names of underlyings are packed into 8 bytes in order of their characters, and unpacked to the same name', () => {
  const out = { underlyingLo: 0, underlyingHi: 0 };
  fc.assert(fc.property(name, (text) => {
    assert.ok(packUnderlying(text, out));
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32LE(out.underlyingLo, 0);
    bytes.writeUInt32LE(out.underlyingHi, 4);
    assert.equal(bytes.toString('latin1').replace(/\0+$/, ''), text);
    assert.equal(unpackUnderlying(out.underlyingLo, out.underlyingHi), text);
  }));
  for (const text of ['', 'ABCDEFGHI', 'btc', 'B-C', 'B\0', 'Ä']) assert.ok(!packUnderlying(text, out), JSON.stringify(text));
});

test('a perp symbol is X-PERP; it has no strike and no expiry, and formats back to the same text', () => {
  const terms = createTerms();
  fc.assert(fc.property(name, (who) => {
    assert.equal(parseSymbol('ETH-20240229-0.5-P', terms), SYMBOL_OK);
    assert.equal(parseSymbol(`${who}-PERP`, terms), SYMBOL_OK);
    assert.deepEqual([terms.kind, terms.expiry, terms.strike], [PERP, 0, 0]);
    assert.equal(unpackUnderlying(terms.underlyingLo, terms.underlyingHi), who);
    assert.equal(formatSymbol(terms), `${who}-PERP`);
    assert.equal(underlyingOfPerp(`${who}-PERP`), who);
  }));
  for (const text of ['PERP', '-PERP', 'btc-PERP', 'BTC-perp', 'BTC-PERP ', 'TOOLONGBY1-PERP']) assert.notEqual(detailOf(text), '', text);
  assert.equal(underlyingOfPerp('BTC-20260131-1-C'), null);
});
