// Streams on a node of a cluster that is behind: it waits until it has what the client has seen elsewhere, for about a second, so that a
// stream never goes back and nothing looks lost.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { BUY } from '../../../core/units.ts';
import { answerText, ORDER_MESSAGES } from '../../../shell/ws/order-messages.ts';
import { Bench, walletText } from '../reader/support.ts';
import { socketError } from '../../support/socket-error.ts';
import { Scripted } from './scripted.ts';

const WALLET = walletText(1);
const USDC = 1e6;
const NOT_YET = 'This node has not reached number 9 of fills yet';
const SECOND = 50;

function following(t: TestContext): { one: Scripted; pass: () => void } {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const one = new Scripted(WALLET);
  one.follows = true;
  return { one, pass: () => t.mock.timers.tick(20) };
}

test('a number that a follower does not have yet is asked for again until it is there', (t) => {
  const { one, pass } = following(t);
  one.say({ type: 'Subscribe', channel: 'fills', from_seq: 9, id: 'a' });
  const [first] = one.asked.splice(0);
  assert.equal(first!.parameters.follows, true);
  first!.refuse(NOT_YET, 'behind');
  assert.deepEqual([one.read(), one.asked], [[], []], 'nothing is said, and it rests');
  pass();
  one.asked.shift()!.answer(9, [{ type: 'Fill', seq: 10 }]);
  assert.deepEqual(one.read(), [{ type: 'Subscribed', channel: 'fills', seq: 9, id: 'a' }, { type: 'Fill', seq: 10 }]);
});

test('after a second it is the Error behind, and who has gone is asked for no more', (t) => {
  const { one, pass } = following(t);
  const wait = (): number => {
    let times = 0;
    for (; one.asked.length > 0; times++) {
      one.asked.shift()!.refuse(NOT_YET, 'behind');
      pass();
    }
    return times;
  };
  one.say({ type: 'Subscribe', channel: 'fills', from_seq: 9, id: 'a' });
  assert.equal(wait(), SECOND + 1);
  assert.deepEqual(one.read(), [{ ...socketError('behind', NOT_YET, 'a'), retry_after_secs: 1 }]);
  one.say({ type: 'Subscribe', channel: 'fills', from_seq: 9, id: 'b' });
  one.connection.close();
  assert.equal(wait(), 1);
  assert.deepEqual(one.read(), []);
});

test('a subscription with min_seq begins once the node has that command, also where nobody follows', (t) => {
  const { one, pass } = following(t);
  one.follows = false;
  one.say({ type: 'Subscribe', channel: 'trades', min_seq: 7, id: 1 });
  const [first] = one.asked.splice(0);
  assert.deepEqual(first!.parameters, { channel: 'trades', key: '', min_seq: 7 });
  first!.refuse('This node has not reached seq 7 yet', 'behind');
  pass();
  one.asked.shift()!.answer(3);
  assert.deepEqual(one.read(), [{ type: 'Subscribed', channel: 'trades', seq: 3, id: 1 }]);
});

test('each answer of order entry says its command if there is one to say', () => {
  const result = { ok: true, body: '{"done":true}', reason: null, isReplay: false, headers: {} } as const;
  for (const [type, kind] of ORDER_MESSAGES) {
    const said = (seq?: number): unknown => {
      const answer = answerText({ kind, id: 1, sent: {} }, [result], seq);
      return (JSON.parse(answer) as { command_seq?: number }).command_seq;
    };
    assert.deepEqual([said(), said(0), said(7)], [undefined, undefined, 7], type);
  }
});

test('the reader of a follower says that it is behind where another says what is wrong', (t) => {
  const bench = new Bench(t);
  bench.place({ wallet: 1, side: BUY, price: 100 * USDC, size: USDC });
  const told = (channel: string, more: object): string => {
    const { status, body } = bench.answer('subscribe', { channel, key: WALLET, ...more });
    return status === 200 ? 'a stream' : (JSON.parse(body) as { message: string }).message;
  };
  for (const channel of ['fills', 'order_updates', 'ledger', 'portfolio', 'quotes']) {
    assert.equal(told(channel, { from_seq: 900, follows: true }), `This node has not reached number 900 of ${channel} yet`);
  }
  assert.equal(told('fills', { from_seq: 900 }), 'Cannot resume fills from seq 900: newest is 0');
  assert.equal(told('portfolio', { from_seq: 900 }), 'a stream', 'a new count');
  assert.equal(told('fills', { from_seq: 0, follows: true }), 'a stream');
  assert.equal(told('trades', { min_seq: 1_000_000 }), 'This node has not reached seq 1000000 yet');
});
