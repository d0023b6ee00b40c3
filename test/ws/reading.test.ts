// What one connection may make its thread read: bytes in a second, values in a message, and next to nothing of a source that has
// spent its budget.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MESSAGE_BYTES, REFUSED_BYTES } from '../../shell/bounds/api.ts';
import { refuse } from '../../shell/http/errors.ts';
import { Scripted } from './scripted.ts';

const error = (message: string): object => ({ type: 'Error', message });
const MEGABYTE = 1_048_576;
/** A message of so many bytes whose only cost is its length. */
const padded = (type: string, bytes: number): string => {
  const empty = JSON.stringify({ type, id: 1, pad: '' });
  return `${empty.slice(0, -2)}${'x'.repeat(bytes - empty.length)}"}`;
};

test('a message of more values than any request has is told so, and costs no parse', (t) => {
  const one = new Scripted();
  const parse = t.mock.method(JSON, 'parse');
  one.connection.message(Buffer.from(`{"type":"x","a":[${'{},'.repeat(339_999)}{}]}`), false);
  // The scripted client itself reads the answer.
  assert.equal(parse.mock.callCount(), 1);
  parse.mock.restore();
  assert.deepEqual(one.read(), [error('Message has more than 16384 values')]);
});

test('so many bytes of a connection are read in a second, those beyond end it with the reason', () => {
  const one = new Scripted();
  const most = MESSAGE_BYTES / MEGABYTE;
  for (let second = 0; second < 3; second++) {
    one.time = second * 1_000;
    for (let i = 0; i < most; i++) one.say(padded('x', MEGABYTE));
    assert.deepEqual(one.read(), Array(most).fill(error('Unknown message type: x')));
  }
  one.say('{');
  assert.deepEqual([one.frames, one.closed], [[], [1008, `more than ${MESSAGE_BYTES} bytes in a second`]]);
});

test('a source without a request left is charged once for a message, before it is read, and read no more than names its order', (t) => {
  const one = new Scripted();
  const limited = { ...refuse('rate_limit_exceeded', 'Rate limit exceeded: 6000 per minute'), extra: { limit: 6_000 } };
  let charged = 0;
  one.refusal = () => {
    charged++;
    return limited;
  };
  const order = padded('PlaceOrder', REFUSED_BYTES / 4);
  for (let i = 0; i < 4; i++) one.say(order);
  const results = one.read();
  assert.deepEqual([charged, results.length], [4, 4]);
  for (const { type, id, status, error: code } of results) {
    assert.deepEqual([type, id, status, code], ['OrderResult', 1, 'REJECTED', 'rate_limit_exceeded']);
  }
  const parse = t.mock.method(JSON, 'parse');
  for (const message of [order, padded('x', MEGABYTE), '{']) one.connection.message(Buffer.from(message), false);
  // The scripted client itself reads each answer.
  assert.deepEqual([charged, parse.mock.callCount()], [7, 3]);
  parse.mock.restore();
  assert.deepEqual(one.read(), Array(3).fill(error('Rate limit exceeded: 6000 per minute')));
  one.time = 1_000;
  one.say(order);
  assert.deepEqual([one.read().map(({ type }) => type), one.closed], [['OrderResult'], null]);
});
