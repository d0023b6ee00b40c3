// The symbols that a client selects on a private channel: each Subscribe adds some, each Unsubscribe removes some, and the stream ends
// with its last symbol, as on the public channels.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { socketError } from '../../support/socket-error.ts';
import { Scripted } from './scripted.ts';

const WALLET = `0x${'ab'.repeat(20)}`;
const [A, B, C] = ['BTC-20260130-1-C', 'BTC-20260130-2-C', 'BTC-20260130-3-C'] as const;

type Wanted = { readonly symbols?: readonly string[]; readonly from_seq?: number };

const fill = (symbol: string, seq: number): object => ({ type: 'Fill', symbol, seq });
const ended = { type: 'Unsubscribed', channel: 'fills' };

/** A connection that has said so much already. */
function after(...said: readonly Wanted[]): Scripted {
  const one = new Scripted(WALLET);
  for (const wanted of said) subscribe(one, wanted);
  return one;
}

function subscribe(one: Scripted, wanted: Wanted, messages: object[] = []): any[] {
  one.say({ type: 'Subscribe', channel: 'fills', ...wanted });
  while (one.asked.length > 0) {
    const { query, answer } = one.asked.shift()!;
    if (query === 'subscribe') answer(wanted.from_seq ?? 0, messages);
  }
  return one.read();
}

function unsubscribe(one: Scripted, symbols?: readonly string[]): any[] {
  one.say({ type: 'Unsubscribe', channel: 'fills', symbols });
  return one.read();
}

/** The symbols of which the client is still told. */
function told(one: Scripted): string[] {
  for (const symbol of [A, B, C]) one.tell(WALLET, fill(symbol, 9), 'fills');
  return one.read().map(({ symbol }) => symbol as string);
}

test('Unsubscribe with symbols ends those, and the last of them ends the stream', () => {
  const one = after({ symbols: [A, B] });
  assert.deepEqual([unsubscribe(one, [A]), told(one)], [[ended], [B]]);
  assert.deepEqual([unsubscribe(one, ['NOPE', C]), told(one)], [[ended], [B]], 'what is not there ends nothing');
  assert.deepEqual([unsubscribe(one, [B]), told(one)], [[ended], []]);
  assert.deepEqual(one.asked.map(({ query }) => query), ['unsubscribe'], 'the reader sends it no more');
});

test('a stream of all symbols continues until it is ended as a whole', () => {
  const one = after({});
  assert.deepEqual([unsubscribe(one, [A]), told(one)], [[ended], [A, B, C]]);
  assert.deepEqual([unsubscribe(one), told(one)], [[ended], []]);
  const some = after({ symbols: [A, B] });
  assert.deepEqual([unsubscribe(some), told(some)], [[ended], []]);
});

test('each Subscribe adds its symbols, and one without symbols selects all', () => {
  const one = after({ symbols: [A] });
  assert.deepEqual(subscribe(one, { symbols: [B] }), [{ type: 'Subscribed', channel: 'fills', seq: 0 }]);
  assert.deepEqual(told(one), [A, B]);
  subscribe(one, {});
  assert.deepEqual(told(one), [A, B, C]);
  subscribe(one, { symbols: [B] });
  assert.deepEqual(told(one), [A, B, C], 'all is all');
});

test('a resumed stream has all selected symbols, also those that change while its parts arrive', () => {
  const one = after({ symbols: [A] });
  const answer = { type: 'Subscribed', channel: 'fills', seq: 2 };
  assert.deepEqual(subscribe(one, { symbols: [B], from_seq: 2 }, [fill(A, 3), fill(B, 4), fill(C, 5)]), [answer, fill(A, 3), fill(B, 4)]);
  assert.deepEqual(told(one), [A, B]);
  const parts = new Scripted(WALLET);
  for (const wanted of [{ symbols: [A], from_seq: 2 }, { symbols: [B] }]) parts.say({ type: 'Subscribe', channel: 'fills', ...wanted });
  parts.asked.shift()!.part(2, [fill(A, 3), fill(B, 4)]);
  parts.asked.shift()!.part(4, [fill(A, 5), fill(B, 6)]);
  assert.deepEqual(parts.read(), [answer, fill(A, 3), { ...answer, seq: 4 }, fill(A, 5), fill(B, 6)]);
  parts.unread = BOUNDS.bookBacklog + 1;
  parts.asked.shift()!.part(6, [fill(A, 7), fill(B, 8)]);
  parts.say({ type: 'Unsubscribe', channel: 'fills', symbols: [A] });
  assert.deepEqual([parts.read(), parts.read()], [[ended], [fill(B, 8)]], 'nor is what is held of it sent');
});

test('the symbols of a stream have a bound, and a Subscribe beyond it changes nothing', () => {
  const many = Array.from({ length: BOUNDS.subscriptions }, (_, i) => `ETH-20260130-${i + 1}-C`);
  const one = after({ symbols: [A] });
  assert.deepEqual(subscribe(one, { symbols: many }), [
    socketError('limit_exceeded', `Too many symbols of fills: ${BOUNDS.subscriptions} is the maximum`),
  ]);
  assert.deepEqual(told(one), [A]);
  subscribe(one, { symbols: [...many.slice(0, -2), B] });
  assert.deepEqual(told(one), [A, B]);
});
