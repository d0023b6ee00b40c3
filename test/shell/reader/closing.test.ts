// Accounts that gave back their row: the row's next owner gets only its own messages, and a wallet that returns finds its streams where
// it left them.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { checked, SMALL, UNUSED_TIME } from '../../../core/limits.ts';
import { SELL } from '../../../core/units.ts';
import { Bench, walletText } from './support.ts';
import { FREE, TestVenue } from '../../support/venue.ts';

const USDC = 1e6;
const ONE = 1e6;

type Standing = { topic: number; seq: number | null; messages: Record<string, unknown>[] };

function subscribe(bench: Bench, channel: string, wallet: number, fromSeq?: number): Standing {
  const from = fromSeq === undefined ? {} : { from_seq: fromSeq };
  const { status, body } = bench.answer('subscribe', { channel, key: walletText(wallet), ...from });
  assert.equal(status, 200, body);
  return JSON.parse(body) as Standing;
}

/** An order that rests nowhere: its contract does not exist. */
function refusedOrder(bench: Bench, wallet: number): void {
  bench.place({ wallet, side: SELL, price: USDC, size: ONE, strike: 12_345 * USDC });
}

test('a wallet without a row gets no messages, the row\'s next owner only its own, and streams resume on return', (t) => {
  const limits = checked({ ...SMALL, instruments: 2 * SMALL.instruments, accounts: 10, closedAccounts: 40 });
  const bench = new Bench(t, { venue: new TestVenue({ limits, rules: FREE }).open() });
  const before = subscribe(bench, 'order_updates', 1);
  for (let wallet = 1; wallet <= 9; wallet++) refusedOrder(bench, wallet);
  refusedOrder(bench, 1);
  const of = (topic: number): unknown[] => bench.sent.splice(0).filter((one) => one.topic === topic)
    .map(({ seq, message }) => [seq, message.wallet_address]);
  assert.deepEqual(of(before.topic), [[1, walletText(1)], [2, walletText(1)]]);
  const portfolio = subscribe(bench, 'portfolio', 1);
  bench.venue.advance(UNUSED_TIME);
  bench.feed();
  assert.equal(bench.venue.state.closed.counters[2], 9, 'all nine gave their rows back');
  assert.equal(subscribe(bench, 'order_updates', 1).seq, 2, 'its stream stands where it stood');
  for (let wallet = 21; wallet <= 25; wallet++) refusedOrder(bench, wallet);
  const heard = subscribe(bench, 'order_updates', 25);
  refusedOrder(bench, 25);
  const sent = bench.sent.splice(0);
  assert.deepEqual(sent.filter(({ topic }) => topic === before.topic || topic === portfolio.topic), [], 'nothing of others');
  assert.deepEqual(sent.filter(({ topic }) => topic === heard.topic).map(({ message }) => message.wallet_address), [walletText(25)]);
  refusedOrder(bench, 1);
  assert.deepEqual(of(before.topic), [[3, walletText(1)]]);
  bench.commit();
  const resumed = subscribe(bench, 'order_updates', 1, 0);
  assert.deepEqual(resumed.messages.map(({ seq, wallet_address: wallet }) => [seq, wallet]), [1, 2, 3].map((seq) => [seq, walletText(1)]));
});
