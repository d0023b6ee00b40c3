// The socket's MessagePack against another implementation, and against hostile bytes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, encode } from '@msgpack/msgpack';
import { fc } from '../../support/fast-check.ts';
import { NumberText } from '../../../shell/http/json.ts';
import { packJson, parseMsgpack } from '../../../shell/ws/msgpack.ts';

const read = (hex: string): unknown => {
  const parsed = parseMsgpack(Buffer.from(hex, 'hex'));
  return parsed.ok ? parsed.value : parsed.message;
};

/** Such a key is renamed by the one decoder and refused by the other. */
const hasNoPrototype = (object: object): boolean => !JSON.stringify(object).includes('"__proto__"');

test('property: another decoder reads the same JSON values, whole numbers as integers', () => {
  const numbers = (_: string, one: unknown): unknown => (typeof one === 'bigint' ? Number(one) : one);
  const values = [
    fc.string(), fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null),
  ];
  fc.assert(fc.property(fc.object({ maxDepth: 4, values }).filter(hasNoPrototype), (object) => {
    const text = JSON.stringify(object);
    assert.equal(JSON.stringify(decode(packJson(text), { useBigInt64: true }), numbers), text);
  }));
  const packed = packJson('{"nonce":18446744073709551615,"at":1767571200000,"low":-4294967297,"price":"1.50","part":0.1}');
  assert.deepEqual(decode(packed, { useBigInt64: true }), {
    nonce: 18_446_744_073_709_551_615n, at: 1_767_571_200_000n, low: -4_294_967_297n, price: '1.50', part: 0.1,
  });
});

test('a whole number is an integer on the wire, the shortest or one of 64 bits, on both sides of each bound', () => {
  const rows: readonly (readonly [number: number, hex: string])[] = [
    [4_294_967_295, 'ceffffffff'], [4_294_967_296, 'd30000000100000000'], [-2_147_483_648, 'd280000000'],
    [-2_147_483_649, 'd3ffffffff7fffffff'], [-4_294_967_295, 'd3ffffffff00000001'], [-4_294_967_296, 'd3ffffffff00000000'],
  ];
  for (const [number, hex] of rows) assert.equal(Buffer.from(packJson(`{"a":${number}}`)).toString('hex'), `81a161${hex}`, `${number}`);
});

test('property: input of another encoder is read like JSON, and a uint64 keeps its digits', () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })).filter(hasNoPrototype), (object) => {
    const parsed = parseMsgpack(encode(object));
    assert.ok(parsed.ok);
    assert.deepEqual(JSON.parse(JSON.stringify(parsed.value)), JSON.parse(JSON.stringify(object)));
  }));
  const sent = { nonce: 2n ** 64n - 1n, order_id: 2n ** 53n, id: 7n, price: 2n ** 60n, items: [{ nonce: 2n ** 63n }, { nonce: -5n }] };
  const parsed = parseMsgpack(encode(sent, { useBigInt64: true }));
  assert.deepEqual(parsed, {
    ok: true,
    value: {
      nonce: new NumberText('18446744073709551615'), order_id: new NumberText('9007199254740992'), id: 7, price: 2 ** 60,
      items: [{ nonce: new NumberText('9223372036854775808') }, { nonce: -5 }],
    },
  });
});

test('malformed or hostile bytes are refused with the reason', () => {
  const why = 'Message is not MessagePack: ';
  const refusals: readonly (readonly [hex: string, message: string])[] = [
    ['', `${why}it ends too early`], ['81', `${why}it ends too early`], ['81a161', `${why}it ends too early`],
    ['81a161cf00', `${why}it ends too early`], ['da00', `${why}it ends too early`], ['81a9616263', `${why}it ends too early`],
    // Lengths of four thousand millions: of an array, a map, a text.
    ['ddffffffff', `${why}it ends too early`], ['dfffffffff', `${why}it ends too early`], ['81a161dbffffffff', `${why}it ends too early`],
    // A class of the decoder's own, a record definition, a date, binary, the type nobody has.
    ['81a161c70165ff', `${why}it has a type that JSON does not have`], ['81a161d47241', `${why}it has a type that JSON does not have`],
    ['81a161d6ff00000000', `${why}it has a type that JSON does not have`], ['81a161c40100', `${why}it has a type that JSON does not have`],
    ['81a161c1', `${why}it has a type that JSON does not have`],
    ['81a16101ff', `${why}bytes follow its end`], ['820102a16101', `${why}a key is not a string`],
    ['8180a161', `${why}a key is not a string`],
    ['81a161a2c328', `${why}a string is not UTF-8`], ['90', 'Message is not a MessagePack map'], ['2a', 'Message is not a MessagePack map'],
    [`81a161${'91'.repeat(64)}01`, `${why}it is nested deeper than 64 levels`],
    [`81a161dd0000${(20_000).toString(16)}${'c0'.repeat(20_000)}`, `${why}it has more than 16384 values`],
  ];
  for (const [hex, message] of refusals) assert.equal(read(hex), message, hex.slice(0, 40));
  assert.deepEqual(read(`81a161${'91'.repeat(63)}01`), JSON.parse(`{"a":${'['.repeat(63)}1${']'.repeat(63)}}`));
  const bomb = Buffer.alloc(1_048_576, 0x91);
  assert.match(String(read(bomb.toString('hex'))), /nested deeper/);
});

test('a __proto__ key changes no prototype', () => {
  const hostile = Buffer.concat([Buffer.from('81a9', 'hex'), Buffer.from('__proto__'), Buffer.from('81a57469636b73c3', 'hex')]);
  const parsed = parseMsgpack(hostile);
  assert.ok(parsed.ok);
  assert.equal(Object.getPrototypeOf(parsed.value), Object.prototype);
  assert.equal((parsed.value as { ticks?: unknown }).ticks, undefined);
  assert.equal(({} as { ticks?: unknown }).ticks, undefined);
});

test('property: changed bytes never throw, and accepted ones read as by the other decoder', () => {
  const sent = { type: 'PlaceOrder', nonce: 2n ** 60n, prices: ['1', '2.5'], deep: { a: [1, -1, 1.5, null, true] } };
  const message = encode(sent, { useBigInt64: true });
  const plain = (_: string, one: unknown): unknown => {
    if (one instanceof NumberText) return Number(one.text);
    return typeof one === 'bigint' ? Number(one) : one;
  };
  const change = fc.tuple(fc.nat(message.length - 1), fc.nat(255));
  fc.assert(fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
    const bytes = Uint8Array.from(message);
    for (const [at, byte] of changes) bytes[at] = byte;
    const parsed = parseMsgpack(bytes);
    if (!parsed.ok) return assert.match(parsed.message, /^Message is not /);
    assert.equal(JSON.stringify(parsed.value, plain), JSON.stringify(decode(bytes, { useBigInt64: true }), plain));
  }), { numRuns: 500 });
});
