// From bytes to a JSON object: the refusals of the interface, and every digit of a nonce.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { checkEncoding, NumberText, parseJson } from '../../../shell/http/json.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseJson(encode(text));
const codeOf = (text: string) => {
  const parsed = parse(text);
  return parsed.ok ? 'ok' : parsed.code;
};
const valueOf = (text: string) => {
  const parsed = parse(text);
  assert.ok(parsed.ok, text);
  return parsed.value;
};

test('parseJson gives the same object as JSON.parse', () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (object) => {
    const text = JSON.stringify(object);
    assert.deepEqual(valueOf(text), JSON.parse(text));
  }));
});

test('an empty body or invalid UTF-8 is invalid_request; a byte order mark is skipped', () => {
  assert.equal(parseJson(null).ok, false);
  assert.equal(codeOf(''), 'invalid_request');
  for (const bytes of [[0x80], [0x7b, 0xc3, 0x7d], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xff, 0xfe, 0x7b, 0, 0x7d, 0]]) {
    const parsed = parseJson(Uint8Array.from(bytes));
    assert.equal(parsed.ok || parsed.code, 'invalid_request');
  }
  assert.deepEqual(valueOf('\ufeff{"a":1}'), { a: 1 });
});

test('any JSON but an object is invalid_json', () => {
  for (const text of ['[]', '1', 'null', 'true', '"a"', '{', '{"a":}', '{} {}', '\ufeff\ufeff{}', '{"a":NaN}']) {
    assert.equal(codeOf(text), 'invalid_json', text);
  }
});

test('nesting: 64 levels pass and 65 fail; brackets in strings do not count', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  assert.equal(codeOf(nested(64)), 'ok');
  assert.equal(codeOf(nested(65)), 'invalid_json');
  const [squares, curls] = ['['.repeat(100), '{'.repeat(100)];
  assert.deepEqual(valueOf(`{"a":"${squares}","b":"\\"${curls}\\\\"}`), { a: squares, b: `"${curls}\\` });
  assert.equal(codeOf(`{"a":[${'[],'.repeat(1_000)}[]]}`), 'ok');
  assert.equal(codeOf(`{"a":"${'['.repeat(100)}`), 'invalid_json');
});

test('of a repeated key the last value counts', () => {
  assert.deepEqual(valueOf('{"a":1,"b":2,"a":3}'), { a: 3, b: 2 });
  assert.deepEqual(valueOf('{"nonce":18446744073709551615,"nonce":2}'), { nonce: 2 });
  assert.deepEqual(valueOf('{"nonce":2,"nonce":18446744073709551615}'), { nonce: new NumberText('18446744073709551615') });
});

test('__proto__ is a key like any other', () => {
  const value = valueOf('{"__proto__":{"wallet":"stolen"},"nonce":18446744073709551615}');
  assert.equal(value['wallet'], undefined);
  assert.equal(({} as Record<string, unknown>)['wallet'], undefined);
});

test('a nonce keeps every digit, at the top level and in a bulk', () => {
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), (nonce) => {
    const body = valueOf(`{"nonce":${nonce},"orders":[{"order_id":${nonce}},{"nonce":1}]}`);
    const expected = nonce <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(nonce) : new NumberText(String(nonce));
    assert.deepEqual(body, { nonce: expected, orders: [{ order_id: expected }, { nonce: 1 }] });
  }));
});

test('other numbers are as JSON.parse makes them, and a client cannot forge a number\'s text', () => {
  assert.deepEqual(valueOf('{"nonce":1e30,"x":1e30}'), { nonce: new NumberText('1e30'), x: 1e30 });
  assert.equal(valueOf('{"nonce":{"text":"5"}}')['nonce'] instanceof NumberText, false);
});

test('a nonce keeps every digit in a body of any length, such as a full bulk of long items', () => {
  const nonce = '18446744073709551615';
  const pad = 'x'.repeat(20_000);
  assert.deepEqual(valueOf(`{"nonce":${nonce},"pad":"${'x,['.repeat(350_000)}"}`)['nonce'], new NumberText(nonce));
  const fields = Array.from({ length: 100 }, (_, at) => `"field${at}":${at}`).join(',');
  const orders = Array.from({ length: 50 }, () => `{"nonce":${nonce},"pad":"${pad}",${fields}}`).join(',');
  const body = valueOf(`{"orders":[${orders}]}`);
  for (const order of body['orders'] as { nonce: unknown }[]) assert.deepEqual(order.nonce, new NumberText(nonce));
});

test('a body with too many values to read a wide nonce exactly is refused; without a wide nonce it is read', () => {
  const refusal = parse(`{"nonce":18446744073709551615,"many":[${'0,'.repeat(8_192)}0]}`);
  assert.deepEqual(refusal, {
    ok: false, code: 'invalid_request',
    message: 'Request body has more than 8192 values: too many to read a nonce, order_id, up_to above 2^53',
  });
  assert.equal(codeOf(`{"nonce":18446744073709551615,"many":[${'{},'.repeat(4_096)}0]}`), 'invalid_request');
  assert.equal(codeOf(`{"nonce":18446744073709551615,"many":[${'0,'.repeat(8_186)}0]}`), 'ok');
  assert.equal(codeOf(`{"nonce":9007199254740991,"many":[${'0,'.repeat(8_192)}0]}`), 'ok');
});

test('a body with more than 16,384 values of any kind is refused before it is parsed', () => {
  const most = 16_384;
  const refusal = { ok: false, code: 'invalid_request', message: `Request body has more than ${most} values` };
  for (const value of ['{}', '[]', '0', '""', 'null']) {
    // An empty pair of brackets counts as two, the body itself and the array around them too.
    const each = value.length === 2 && value !== '""' ? 2 : 1;
    const body = (count: number): string => `{"a":[${Array(count).fill(value).join(',')}]}`;
    const fit = Math.floor(most / each) - 3;
    assert.equal(codeOf(body(fit)), 'ok', value);
    assert.deepEqual(parse(body(fit + 4)), refusal, value);
    assert.deepEqual(parse(`${body(300_000).slice(0, -2)},oops`), refusal, `${value}: the rest is not looked at`);
  }
  assert.deepEqual(parseJson(encode('{"a":0'.repeat(9) + ',0'.repeat(most)), 'Message'), {
    ok: false, code: 'invalid_request', message: `Message has more than ${most} values`,
  });
});

test('the largest requests of the interface are far below the bound on values', () => {
  const order = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field${at}`, String(at)]));
  for (const [list, count] of [['orders', 50], ['orders', 100], ['positions', 500]] as const) {
    assert.equal(codeOf(JSON.stringify({ [list]: Array(count).fill(order) })), 'ok');
  }
  assert.equal(codeOf(JSON.stringify({ symbols: Array(1_000).fill('BTC-20260130-100000-C') })), 'ok');
});

test('content encodings and charsets: which are accepted', () => {
  const code = (encoding: string, type: string) => {
    const checked = checkEncoding(encoding, type);
    return checked.ok ? 'ok' : checked.code;
  };
  for (const type of ['', 'application/json', 'application/json; charset=UTF-8', 'text/plain;charset="utf-8"', 'x; charset=us-ascii']) {
    assert.equal(code('', type), 'ok', type);
  }
  assert.equal(code('identity', ''), 'ok');
  for (const encoding of ['gzip', 'br', 'identity, gzip']) assert.equal(code(encoding, ''), 'invalid_request');
  assert.equal(code('', 'application/json; charset=utf-16'), 'invalid_request');
});
