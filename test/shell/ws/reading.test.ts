// How much one connection may make its thread parse: a bound on values in a message, and next to nothing for a source without budget.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { refuse } from '../../../shell/http/errors.ts';
import type { ErrorCode } from '../../../shell/http/shapes/error-codes.ts';
import { parseJson } from '../../../shell/http/json.ts';
import { peekMessage } from '../../../shell/ws/peek-message.ts';
import { packJson } from '../../../shell/ws/msgpack.ts';
import { socketError } from '../../support/socket-error.ts';
import { Scripted } from './scripted.ts';

const error = (message: string, code: ErrorCode = 'invalid_parameter'): object => socketError(code, message);
const MEGABYTE = 1_048_576;
/** A message of so many bytes whose only cost is its length. */
const padded = (type: string, bytes: number): string => {
  const empty = JSON.stringify({ type, id: 1, pad: '' });
  return `${empty.slice(0, -2)}${'x'.repeat(bytes - empty.length)}"}`;
};

test('a message with too many values is refused without parsing it', (t) => {
  const one = new Scripted();
  const parse = t.mock.method(JSON, 'parse');
  one.connection.message(Buffer.from(`{"type":"x","a":[${'{},'.repeat(339_999)}{}]}`), false);
  // The scripted client itself reads the answer.
  assert.equal(parse.mock.callCount(), 1);
  parse.mock.restore();
  assert.deepEqual(one.read(), [error('Message has more than 16384 values', 'invalid_request')]);
});

test('a source without budget is charged before a message is read, and each order is refused by its id', (t) => {
  const one = new Scripted();
  const extra = { retry_after_secs: 7, limit: 6_000 };
  const limited = { ...refuse('rate_limit_exceeded', 'Rate limit exceeded: 6000 per minute'), extra };
  let charged = 0;
  one.refusal = () => {
    charged++;
    return limited;
  };
  const order = padded('PlaceOrder', BOUNDS.refusedBytes / 4);
  for (let i = 0; i < 4; i++) one.say(order);
  const results = one.read();
  assert.deepEqual([charged, results.length], [4, 4]);
  const told = ({ type, id, order_id: order, status, error: code, retry_after_secs: wait }: any): unknown[] => (
    [type, id, order, status, code, wait]
  );
  const answer = ['OrderResult', 1, null, 'REJECTED', 'rate_limit_exceeded', 7];
  assert.deepEqual(results.map(told), Array(4).fill(answer));
  const parse = t.mock.method(JSON, 'parse');
  for (const message of [order, padded('x', MEGABYTE), '{']) one.connection.message(Buffer.from(message), false);
  const texts = parse.mock.calls.map(({ arguments: [text] }) => text.length);
  assert.ok(charged === 7 && texts.every((length) => length < 300), texts.join());
  parse.mock.restore();
  const [unread, ...errors] = one.read();
  const refused = socketError('rate_limit_exceeded', 'Rate limit exceeded: 6000 per minute', 1);
  assert.deepEqual([told(unread), errors], [answer, [{ ...refused, ...extra }, { ...refused, id: null, ...extra }]]);
  one.say({ action: 'none', orders: [{ type: 'x', id: 2 }], id: 'late', type: 'BulkPlaceOrder' });
  one.say({ type: 'CancelAll' });
  assert.deepEqual(one.read().map(({ type, id, error: code }) => [type, id, code]), [
    ['OrderResult', 'late', 'rate_limit_exceeded'], ['ActionResult', null, 'rate_limit_exceeded'],
  ]);
  one.time = 1_000;
  one.say(order);
  assert.deepEqual([one.read().map(({ type }) => type), one.closed], [['OrderResult'], null]);
});

test('property: scanning for type and id gives what a parse gives, in either encoding', () => {
  const name = fc.oneof(fc.constantFrom('type', 'id', 'a"b', 'ty\\pe', 'x'), fc.string({ maxLength: 3 }));
  const value = fc.oneof(fc.constantFrom<unknown>(1, -7, 0.5, null, 'PlaceOrder', '"id":1,', '\\"{[', 'é'), fc.jsonValue({ maxDepth: 2 }));
  const blank = fc.constantFrom('', ' ', '\n  ');
  fc.assert(fc.property(fc.dictionary(name, value, { maxKeys: 6 }), blank, (object, gap) => {
    const text = JSON.stringify(object, null, gap);
    const parsed = parseJson(Buffer.from(text));
    assert.ok(parsed.ok);
    const { type, id } = parsed.value;
    const kept = Object.fromEntries(Object.entries({ type, id }).filter(([, one]) => isTold(one)));
    assert.deepEqual({ ...peekMessage(Buffer.from(text), 'json') }, kept);
    assert.deepEqual({ ...peekMessage(packJson(text), 'msgpack') }, kept);
  }), { numRuns: 500 });
});

/** What is no list or object: those are no type and no id. */
function isTold(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || value === null);
}

test('scanning malformed or truncated messages throws nothing', () => {
  const text = Buffer.from('{"type":"PlaceOrder","id":"a\\"b","x":[{"id":2}]}');
  const packed = packJson(text.toString());
  for (let end = 0; end < text.length; end++) peekMessage(text.subarray(0, end), 'json');
  for (let end = 0; end < packed.length; end++) assert.deepEqual(peekMessage(packed.subarray(0, end), 'msgpack'), {});
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), fc.constantFrom('json', 'msgpack'), (bytes, encoding) => {
    peekMessage(bytes, encoding);
  }));
  for (const id of ['x'.repeat(600), [1], { a: 1 }]) {
    assert.deepEqual({ ...peekMessage(Buffer.from(JSON.stringify({ id, type: 'x' })), 'json') }, { type: 'x' });
  }
});

test('of a field repeated a thousand times the scan decodes only the last', (t) => {
  const text = Buffer.from(`{"type":"PlaceOrder"${',"id":7'.repeat(1_000)},"id":"last"}`);
  const parse = t.mock.method(JSON, 'parse');
  assert.deepEqual({ ...peekMessage(text, 'json') }, { type: 'PlaceOrder', id: 'last' });
  assert.equal(parse.mock.callCount(), 2);
});
