// Fields of bodies and queries: valid and invalid values of each kind, and which failure is reported first.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import type { Refused } from '../../../shell/http/errors.ts';
import { readBody, readQuery, type RequestField, type Schema } from '../../../shell/http/fields.ts';
import { parseJson } from '../../../shell/http/json.ts';

const WALLET = `0x${'aB'.repeat(20)}`;
const SIGNATURE = `0x${'1c'.repeat(65)}`;

function fromJson(field: RequestField, text: string): unknown {
  const name = field.kind === 'uint64' ? 'nonce' : 'field';
  const body = parseJson(new TextEncoder().encode(`{"${name}":${text}}`));
  assert.ok(body.ok, text);
  const read = readBody({ [name]: field }, body.value);
  return read.ok ? read.value[name] : read.code;
}

function fromQuery(field: RequestField, text: string): unknown {
  const read = readQuery({ limit: field }, `limit=${text}`);
  return read.ok ? read.value.limit : read.code;
}

const BAD = 'invalid_parameter';

test('address: valid and invalid values', () => {
  assert.equal(fromJson({ kind: 'address' }, `"${WALLET}"`), WALLET.toLowerCase());
  const digits = WALLET.slice(2);
  for (const text of ['"0x"', '""', '5', `"${WALLET}0"`, `"${digits}"`, `"0X${digits}"`, `" ${WALLET}"`, `"${WALLET}\\n"`, '{}']) {
    assert.equal(fromJson({ kind: 'address' }, text), 'invalid_wallet', text);
  }
});

test('signature: malformed text is a failed signature, another type an invalid parameter', () => {
  assert.equal(fromJson({ kind: 'signature' }, `"${SIGNATURE}"`), SIGNATURE);
  for (const text of ['""', '"0x1c"', `"${SIGNATURE}00"`, `"${SIGNATURE.slice(0, -1)}g"`]) {
    assert.equal(fromJson({ kind: 'signature' }, text), 'signature_verification_failed', text);
  }
  assert.equal(fromJson({ kind: 'signature' }, '5'), BAD);
});

test('uint64: every value is read with every digit', () => {
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
    const expected = { lo: Number(value % 2n ** 32n), hi: Number(value / 2n ** 32n), text: String(value) };
    assert.deepEqual(fromJson({ kind: 'uint64' }, String(value)), expected);
    assert.deepEqual(fromJson({ kind: 'uint64', text: true }, `"${value}"`), expected);
    assert.deepEqual(fromQuery({ kind: 'uint64' }, String(value)), expected);
  }));
});

test('uint64: which notations are accepted', () => {
  for (const [text, number] of [['1e3', '1000'], ['1.0', '1'], ['-0', '0'], ['9007199254740991', '9007199254740991']] as const) {
    const value = fromJson({ kind: 'uint64' }, text) as { text: string; hi: number };
    assert.equal(value.text, number);
    assert.ok(!Object.is(value.hi, -0));
  }
  for (const text of ['-1', '1.5', '"5"', 'true', '[1]', '18446744073709551616', '1e19', '9007199254740993.0', '1e400', '{"text":"1"}']) {
    assert.equal(fromJson({ kind: 'uint64' }, text), BAD, text);
  }
  for (const text of ['""', '"-1"', '"1.0"', '"0x1"', '" 1"', `"${'1'.repeat(21)}"`]) {
    assert.equal(fromJson({ kind: 'uint64', text: true }, text), BAD, text);
  }
  assert.deepEqual(fromJson({ kind: 'uint64', text: true }, '"007"'), { lo: 7, hi: 0, text: '007' });
});

test('expiry accepts ISO dates, 05JAN26, ISO 8601 times in UTC and milliseconds, of days that exist', () => {
  const field = { kind: 'expiry', unit: 'ms' } as const;
  const morning = Date.UTC(2026, 0, 5, 8);
  for (const text of ['"2026-01-05T08:00Z"', '"2026-01-05T08:00:00Z"', '"2026-01-05T08:00:00.000Z"', `${morning}`, `"${morning}"`]) {
    assert.equal(fromJson(field, text), morning, text);
  }
  for (const text of ['2026-01-05', '05JAN26', '5JAN26']) assert.equal(fromJson(field, JSON.stringify(text)), morning, text);
  assert.equal(fromQuery(field, String(morning)), morning);
  assert.equal(fromQuery({ ...field, unit: 'seconds' }, String(morning / 1_000)), morning);
  assert.equal(fromQuery({ ...field, unit: 'seconds' }, '25DEC26'), Date.UTC(2026, 11, 25, 8));
  const wrong = [
    '"2026-02-29"', '"2026-02-29T08:00Z"', '"2026-13-01"', '"2026-1-5"', '"2026-01-05T08:00:00"', '"2026-01-05T08:00:00+01:00"',
    '"29FEB26"', '"5jan26"', '"5JAN2026"', '"JAN26"', '-1', '1.5', '1e300', 'true', '""',
  ];
  for (const text of wrong) {
    assert.equal(fromJson(field, text), BAD, text);
  }
});

test('decimalText accepts any text, but no JSON number', () => {
  for (const text of ['100.0', '', 'abc', '-1', '1e5']) assert.equal(fromJson({ kind: 'decimalText' }, JSON.stringify(text)), text);
  for (const text of ['100', '1.5', 'true', '[]', `"${'1'.repeat(65)}"`]) assert.equal(fromJson({ kind: 'decimalText' }, text), BAD, text);
});

test('decimal accepts numbers and plain decimal text', () => {
  for (const [text, value] of [['1.5', '1.5'], ['"1.50"', '1.50'], ['-2', '-2'], ['0', '0']] as const) {
    assert.equal(fromJson({ kind: 'decimal' }, text), value);
  }
  for (const text of ['1e30', '1e-9', '"1e3"', '""', '".5"', 'true']) assert.equal(fromJson({ kind: 'decimal' }, text), BAD, text);
});

test('number, choice, boolean, millis: valid and invalid values', () => {
  const number = { kind: 'number', min: 0, max: 5 } as const;
  assert.deepEqual(['0', '4.5', '5.1', '"1"', '1e400'].map((text) => fromJson(number, text)), [0, 4.5, BAD, BAD, BAD]);
  assert.deepEqual([fromQuery(number, '4.5'), fromQuery(number, 'x'), fromQuery(number, '')], [4.5, BAD, BAD]);
  const choice = { kind: 'choice', values: ['5m', '1h'] } as const;
  assert.deepEqual(['1h', '1H', ''].map((text) => fromQuery(choice, text)), ['1h', BAD, BAD]);
  assert.deepEqual(['"5m"', '5'].map((text) => fromJson(choice, text)), ['5m', BAD]);
  const flag = { kind: 'boolean' } as const;
  assert.deepEqual(['true', 'false', '1', ''].map((text) => fromQuery(flag, text)), [true, false, BAD, BAD]);
  assert.deepEqual(['true', 'false', '1', '"true"'].map((text) => fromJson(flag, text)), [true, false, BAD, BAD]);
  const millis = { kind: 'millis' } as const;
  assert.deepEqual(['-5', '1.5', '1'.repeat(20)].map((text) => fromQuery(millis, text)), [-5, BAD, BAD]);
  assert.deepEqual(['1700000000000', '1.5', '1e300', '"5"'].map((text) => fromJson(millis, text)), [1_700_000_000_000, BAD, BAD, BAD]);
});

test('text has a bound in bytes and must be well-formed', () => {
  const text = { kind: 'text', minBytes: 1, maxBytes: 4 } as const;
  const sent = ['"éé"', '"ééé"', '""', '"\\ud800"', '5'];
  assert.deepEqual(sent.map((json) => fromJson(text, json)), ['éé', BAD, BAD, BAD, BAD]);
});

test('limit: clamped above its maximum, refused below its minimum or if not a number; 0 is allowed (decision 6.5)', () => {
  const limit = { kind: 'integer', min: 0, max: 50, default: 20, clamp: true } as const;
  const expected = { 0: 0, 7: 7, 50: 50, 51: 50, '-0': 0, '-1': BAD, x: BAD, '': BAD, '1.5': BAD, '1e1': BAD, '%20': BAD };
  for (const [text, value] of Object.entries(expected)) assert.equal(fromQuery(limit, text), value, text);
  assert.equal(fromQuery(limit, `${'9'.repeat(40)}`), 50);
  assert.deepEqual(readQuery({ limit }, ''), { ok: true, value: { limit: 20 } });
  assert.equal(fromQuery({ kind: 'integer', min: 1, max: 500 }, '501'), BAD);
});

test('int64 in a query: every value, rounded to the nearest double; in JSON only exact doubles', () => {
  const [most, least] = [2n ** 63n - 1n, -(2n ** 63n)];
  const safe = Number.MAX_SAFE_INTEGER;
  const millis = { kind: 'millis' } as const;
  for (const value of [0n, -1n, 2n ** 53n, most, least]) assert.equal(fromQuery(millis, String(value)), Number(value));
  for (const value of [most + 1n, least - 1n, 10n ** 400n]) assert.equal(fromQuery(millis, String(value)), BAD);
  assert.deepEqual([String(most), String(safe + 1), String(safe)].map((text) => fromJson(millis, text)), [BAD, BAD, safe]);
  const id = { kind: 'int64', min: 0 } as const;
  const expected = { 0: 0, '007': 7, [safe]: safe, [String(2n ** 53n)]: safe, [String(most)]: safe, [String(most + 1n)]: BAD, '-1': BAD };
  for (const [text, value] of Object.entries(expected)) assert.equal(fromQuery(id, text), value, text);
});

test('lists and ids: valid and invalid values', () => {
  const orders = { orders: { kind: 'list', max: 50 } } as const;
  const messageOf = (body: object) => {
    const read = readBody(orders, body);
    return read.ok ? read.value.orders.length : read.message;
  };
  assert.equal(messageOf({ orders: new Array(50).fill(1) }), 50);
  assert.equal(messageOf({ orders: new Array(51).fill(1) }), 'Too many orders: 51, maximum is 50');
  assert.equal(messageOf({ orders: [] }), 'Invalid parameter: orders must be a list of 1 to 50 items');
  assert.equal(messageOf({ orders: {} }), 'Invalid parameter: orders must be a list of 1 to 50 items');
  assert.deepEqual(fromQuery({ kind: 'list', max: 2 }, encodeURIComponent('[{"a":1}]')), [{ a: 1 }]);
  for (const text of ['[1,2,3]', 'x', '{}', '[]']) assert.equal(fromQuery({ kind: 'list', max: 2 }, encodeURIComponent(text)), BAD);
  const ids = { kind: 'ids', max: 3 } as const;
  assert.deepEqual(fromJson(ids, '[1,2]'), [1, 2]);
  for (const text of ['[0]', '[1.5]', '["1"]', '[]', '[1,2,3,4]', '[-1]']) assert.equal(fromJson(ids, text), BAD, text);
});

test('a price or size text that is too long is refused like any invalid number', () => {
  const schema = { size: { kind: 'decimalText' }, price: { kind: 'decimalText' } } as const satisfies Schema;
  for (const text of ['9'.repeat(65), `${'0'.repeat(70)}1`, 'é'.repeat(33), '\ud800']) {
    for (const [body, message] of [
      [{ size: text, price: '1' }, 'Size must be greater than 0'], [{ size: '1', price: text }, 'Price must be greater than 0'],
    ] as const) {
      const { extra, ...refused } = readBody(schema, body) as Refused;
      assert.deepEqual(refused, { ok: false, code: BAD, message });
      assert.match((extra as { hint: string }).hint, /^(size|price) is plain decimal text: /);
    }
  }
  assert.equal(readBody(schema, { size: '9'.repeat(64), price: '1' }).ok, true);
});

test('failures are reported in order: missing fields, parameters, wallets, signature (decision 3.12)', () => {
  const schema = {
    signature: { kind: 'signature' }, wallet: { kind: 'address' }, size: { kind: 'decimalText' }, price: { kind: 'decimalText' },
    nonce: { kind: 'uint64' },
  } as const satisfies Schema;
  const failureOf = (body: object) => {
    const read = readBody(schema, body);
    assert.ok(!read.ok);
    return [read.code, read.message];
  };
  const body = { signature: 'x', wallet: 'x', size: 1, price: 2 };
  assert.deepEqual(failureOf(body), ['missing_field', 'Missing required field: nonce']);
  assert.deepEqual(failureOf({ ...body, nonce: 1 }), [BAD, 'Invalid parameter: size must be a number as a string of at most 64 bytes']);
  const typed = { ...body, nonce: 1, size: '1', price: '1' };
  assert.deepEqual(failureOf(typed), ['invalid_wallet', 'Invalid wallet address: wallet must be 0x and 40 hex digits']);
  assert.equal(failureOf({ ...typed, wallet: WALLET })[0], 'signature_verification_failed');
  assert.equal(failureOf({ ...body, nonce: null })[0], 'missing_field');
});

test('optional fields may be absent or null; unknown and inherited ones are ignored', () => {
  const note = { kind: 'text', maxBytes: 9, optional: true } as const;
  const schema = { note, toString: note };
  assert.deepEqual(readBody(schema, { note: null, other: 5 }), { ok: true, value: { note: undefined, toString: undefined } });
  for (const item of [null, 5, 'x', [], undefined]) assert.equal(readBody(schema, item).ok, false);
});

test('queries: escapes, plus signs, repeated and empty names', () => {
  const text = { kind: 'text', maxBytes: 200, optional: true } as const;
  const schema = { a: text, 'b c': text };
  const read = (query: string) => {
    const values = readQuery(schema, query);
    return values.ok ? [values.value.a, values.value['b c']] : values.code;
  };
  assert.deepEqual(read('a=1&a=2&&=x'), ['2', undefined]);
  assert.deepEqual(read('a=x=y&b+c=1%202%2B'), ['x=y', '1 2+']);
  assert.deepEqual(read('a'), ['', undefined]);
  assert.deepEqual(read('__proto__=1&constructor=2'), [undefined, undefined]);
  for (const query of ['a=%', 'a=%zz', 'a=%ff', 'other=%', '%=1']) assert.equal(read(query), BAD, query);
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 3 }), (value) => {
    assert.deepEqual(read(new URLSearchParams({ a: value }).toString()), [value, undefined]);
  }));
});
