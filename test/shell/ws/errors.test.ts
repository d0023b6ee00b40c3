// The Error messages of the socket: each has the code of REST, a text, and the id of the request that it answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { refuse } from '../../../shell/http/errors.ts';
import { socketError } from '../../support/socket-error.ts';
import { Scripted } from './scripted.ts';

const WALLET = `0x${'ab'.repeat(20)}`;
const BTC = 'BTC-20260130-100000-C';

test('every Error has its code and the id of its request, a number or a text', () => {
  const symbols = Array.from({ length: BOUNDS.subscriptions }, (_, i) => `BTC-20260130-${i + 1}-C`);
  for (const [message, code, text] of [
    [{ type: 'Nothing' }, 'invalid_parameter', 'Unknown message type: Nothing'],
    [{}, 'missing_field', 'Message has no type'],
    [{ type: 'Subscribe' }, 'missing_field', 'Missing required field: channel'],
    [{ type: 'Subscribe', channel: 'books' }, 'invalid_parameter', 'Unknown channel: books'],
    [{ type: 'Subscribe', channel: 'trades', symbols: [1] }, 'invalid_parameter', 'symbols must be a list of symbols'],
    [{ type: 'Subscribe', channel: 'fills' }, 'unauthorized', 'Authentication required for this channel'],
    [{ type: 'Subscribe', channel: 'trades', from_seq: 1 }, 'invalid_parameter', 'Channel trades has no from_seq: it cannot be resumed'],
    [{ type: 'Subscribe', channel: 'options_chain', symbols: ['?'] }, 'not_found', 'Unknown symbol: ?'],
    [{ type: 'Subscribe', channel: 'trades', symbols: [...symbols.slice(1), 'a', 'b'] }, 'invalid_parameter', null],
    [{ type: 'Unsubscribe', channel: 'books' }, 'invalid_parameter', 'Unknown channel: books'],
    [{ type: 'Authenticate', wallet: '0x12' }, 'invalid_wallet', 'Invalid wallet address: wallet must be 0x and 40 hex digits'],
  ] as const) {
    for (const id of [7, 'mine', 0, -1]) {
      const one = new Scripted();
      one.say({ ...message, id });
      const [told] = one.read();
      assert.deepEqual(told, socketError(code, text ?? told.message, id));
    }
    const one = new Scripted();
    one.say(message);
    assert.equal(one.read()[0].id, null, 'without an id of its own');
  }
});

test('an Error about an unreadable message has no id, and an id that cannot be echoed is refused', () => {
  for (const [message, code] of [['{', 'invalid_json'], ['[]', 'invalid_json'], ['', 'invalid_request']] as const) {
    const one = new Scripted();
    one.say(message);
    const [{ code: told, id }] = one.read();
    assert.deepEqual([told, id], [code, null]);
  }
  for (const id of [1.5, '', 'x'.repeat(65), {}, true]) {
    const one = new Scripted();
    one.say({ type: 'Subscribe', channel: 'trades', id });
    const [{ code, message, id: told }] = one.read();
    assert.deepEqual([code, told, one.asked.length], ['invalid_parameter', null, 0]);
    assert.match(message, /^id must be an integer/);
  }
});

test('a refusal by the reader keeps its code, and each Error of many symbols has the id of their Subscribe', () => {
  const one = new Scripted();
  one.say({ type: 'Subscribe', channel: 'trades', symbols: [BTC, 'ETH-20260130-3000-P', 'X'], id: 5 });
  const [first, second, third] = one.asked.splice(0);
  first!.answer(1);
  second!.refuse('Unknown symbol or wallet: ETH-20260130-3000-P', 'not_found');
  third!.refuse('Too many reads are waiting for the history', 'engine_busy');
  assert.deepEqual(one.read(), [
    socketError('not_found', 'Unknown symbol or wallet: ETH-20260130-3000-P', 5),
    { ...socketError('engine_busy', 'Too many reads are waiting for the history', 5), retry_after_secs: 1 },
    { type: 'Subscribed', channel: 'trades', id: 5 },
  ]);
});

test('an answer has the id of its request, also when a stream is resumed', () => {
  const one = new Scripted(WALLET);
  one.say({ type: 'Subscribe', channel: 'fills', from_seq: 0, id: 'a' });
  one.asked.shift()!.answer(0);
  one.say({ type: 'Subscribe', channel: 'fills', id: 'b' });
  one.asked.shift()!.answer(3);
  one.say({ type: 'Unsubscribe', channel: 'fills', id: 'c' });
  one.say({ type: 'Authenticate', wallet: WALLET, id: 'd' });
  one.say({ type: 'Subscribe', channel: 'fills', from_seq: 9, id: 'e' });
  one.asked.findLast(({ query }) => query === 'subscribe')!.refuse('Cannot resume fills from seq 9: newest is 3');
  assert.deepEqual(one.read(), [
    { type: 'Subscribed', channel: 'fills', seq: 0, id: 'a' }, { type: 'Subscribed', channel: 'fills', seq: 3, id: 'b' },
    { type: 'Unsubscribed', channel: 'fills', id: 'c' }, { type: 'Authenticated', wallet: WALLET, id: 'd' },
    socketError('invalid_parameter', 'Cannot resume fills from seq 9: newest is 3', 'e'),
  ]);
});

test('a source without budget is refused with the id of each request, whether or not it was parsed', () => {
  const one = new Scripted();
  const extra = { retry_after_secs: 7, limit: 6_000 };
  one.refusal = () => ({ ...refuse('rate_limit_exceeded', 'Rate limit exceeded: 6000 per minute'), extra });
  const pad = 'x'.repeat(40_000);
  for (let id = 1; id <= 3; id++) one.say({ type: 'Subscribe', channel: 'trades', id, pad });
  const told = (id: number): object => ({ ...socketError('rate_limit_exceeded', 'Rate limit exceeded: 6000 per minute', id), ...extra });
  assert.deepEqual(one.read(), [told(1), told(2), told(3)]);
});
