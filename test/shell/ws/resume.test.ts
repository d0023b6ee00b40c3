// Resuming a private stream: in parts when it is far behind, across the boundary between history and memory wherever it lies, and the
// answers when a stream cannot be resumed.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BUY } from '../../../core/units.ts';
import { socketError } from '../../support/socket-error.ts';
import { emptyRows, KEPT_MESSAGES, type HistoryQuery, type KeptMessage, type MessageRow } from '../../../shell/storage/history/protocol.ts';
import { HistoryStore } from '../../../shell/storage/history/history-store.ts';
import { resumeMessages } from '../../../shell/reader/channels/resume.ts';
import type { SourceParts, ChannelSnapshot } from '../../../shell/reader/channels/source.ts';
import { Bench, VENUE, walletText } from '../reader/support.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { Scripted } from './scripted.ts';

const WALLET = walletText(1);
const KEY = { key: WALLET, id: 0 };
const USDC = 1e6;

type Subscription = { topic: number; seq: number; messages: { seq: number; type: string }[] };

function subscribe(bench: Bench, channel: string, from: number): Subscription | string {
  const { status, body } = bench.answer('subscribe', { channel, key: WALLET, from_seq: from });
  return status === 200 ? JSON.parse(body) as Subscription : (JSON.parse(body) as { message: string }).message;
}

test('a stream far behind comes in parts, and only the last one starts the subscription', (t) => {
  const bench = new Bench(t);
  for (let i = 0; i < 900; i++) bench.place({ wallet: 1, side: BUY, price: 100 * USDC, size: USDC, tif: 1 });
  bench.commit();
  for (let i = 0; i < 200; i++) bench.place({ wallet: 1, side: BUY, price: 100 * USDC, size: USDC, tif: 1 });
  const seen: number[] = [];
  const topics: number[] = [];
  for (let from = 7; topics.at(-1) !== 1; from += seen.length - (from - 7)) {
    const part = subscribe(bench, 'order_updates', from) as Subscription;
    assert.equal(part.seq, from);
    assert.ok(part.messages.length <= 1_000);
    topics.push(part.topic);
    seen.push(...part.messages.map(({ seq }) => seq));
  }
  assert.deepEqual(topics, [0, 0, 1], 'two parts and the rest');
  assert.deepEqual(seen, Array.from({ length: 2_200 - 7 }, (_, i) => 8 + i));
});

const fill = (seq: number): object => ({ type: 'Fill', seq });
const fills = (from: number, count: number): object[] => Array.from({ length: count }, (_, i) => fill(from + i));

test('a stream resumed while it runs continues until the answer, with each fill before its order update', () => {
  const one = new Scripted(WALLET);
  /** The next question for a subscription; `ended` counts those that ended before it. */
  let ended = 0;
  const next = (): Scripted['asked'][number] => {
    const asked = one.asked.shift()!;
    if (asked.query === 'subscribe') return asked;
    ended++;
    return next();
  };
  const happen = (seq: number): object[] => {
    const filled = { type: 'OrderUpdate', status: 'FILLED', seq };
    one.tell(WALLET, fill(seq), 'fills');
    one.tell(WALLET, filled, 'order_updates');
    return [fill(seq), filled];
  };
  const takeUp = (from: number): object => {
    one.say({ type: 'Subscribe', channel: 'fills', from_seq: from });
    return { type: 'Subscribed', channel: 'fills', seq: from };
  };
  for (const channel of ['fills', 'order_updates']) {
    one.say({ type: 'Subscribe', channel });
    next().answer(3);
    one.read();
  }
  const again = takeUp(1);
  const told = happen(4);
  next().answer(1, fills(2, 3));
  assert.deepEqual(one.read(), [...told, again, ...fills(2, 3)]);
  assert.deepEqual(happen(5), one.read(), 'it is one subscription');
  // Far behind, it comes in parts, and what happens meanwhile with the last of them.
  takeUp(1);
  next().part(1, fills(2, 2));
  const [, update] = happen(6);
  next().answer(3, fills(4, 3));
  assert.deepEqual(one.read(), [again, ...fills(2, 2), update, ...fills(4, 3)]);
  // Of one that cannot be taken up nothing is left.
  takeUp(9);
  const before = happen(7);
  next().refuse('Cannot resume');
  const [, after] = happen(8);
  assert.deepEqual(one.read(), [...before, socketError('invalid_parameter', 'Cannot resume'), after]);
  one.say({ type: 'Unsubscribe', channel: 'order_updates' });
  assert.deepEqual([ended + one.asked.length, one.topics.size], [4, 0], 'as many have ended as had begun');
});

test('resuming from a future or a no longer kept number is refused', (t) => {
  const bench = new Bench(t);
  bench.place({ wallet: 1, side: BUY, price: 100 * USDC, size: USDC });
  assert.equal(subscribe(bench, 'order_updates', 3), 'Cannot resume order_updates from seq 3: newest is 2');
  assert.equal(subscribe(bench, 'fills', 1), 'Cannot resume fills from seq 1: newest is 0');
  assert.deepEqual((subscribe(bench, 'fills', 0) as Subscription).messages, []);
  // As if the history had begun late: what was before it is nowhere.
  bench.reader.state.streams.accounts.rows.set([700, 40]);
  bench.place({ wallet: 1, side: BUY, price: 90 * USDC, size: USDC });
  assert.equal(subscribe(bench, 'fills', 12), 'Cannot resume fills from seq 12: oldest kept is 41');
  assert.deepEqual((subscribe(bench, 'fills', 40) as Subscription).messages, []);
});

/** The stream of one wallet with `newest` messages, of which the store has those up to `stored`, memory the rest. */
function streamOf(newest: number, stored: number): SourceParts {
  const row = (number: number): MessageRow => ({ seq: number, wallet: WALLET, channel: 'liquidation', number, text: String(number) });
  const all = Array.from({ length: newest }, (_, i) => row(i + 1));
  const history = {
    ask: (query: HistoryQuery, take: (rows: readonly KeptMessage[], appliedSeq: number) => void) => {
      assert.ok(query.name === 'messages');
      take(all.filter(({ number }) => number > query.after && number <= stored).slice(0, query.limit), stored);
      return true;
    },
  };
  // Memory may still have what the store has by now.
  return { rows: { messages: all.slice(Math.max(0, stored - 5)) }, history } as unknown as SourceParts;
}

function snapshotOf(parts: SourceParts, newest: number, fromSeq: number): ChannelSnapshot | string {
  let given: ChannelSnapshot | string = '';
  const resume = resumeMessages(parts, 'liquidation', { seqOf: () => newest, toMessage: ({ text }) => text });
  resume(KEY, { time: 1, fromSeq }, (ready) => { given = 'code' in ready ? ready.message : ready; });
  return given;
}

test('resuming works wherever history and memory meet, and the bound on kept messages is exact', () => {
  const kept = KEPT_MESSAGES.liquidation;
  const newest = kept + 500;
  for (const stored of [0, 3, kept, newest - 1, newest]) {
    const parts = streamOf(newest, stored);
    const oldest = newest - kept + 1;
    assert.equal(snapshotOf(parts, newest, oldest - 2), `Cannot resume liquidation from seq ${oldest - 2}: oldest kept is ${
      stored < oldest ? Math.max(oldest, stored - 4) : oldest}`);
    if (stored < oldest) continue;
    for (const from of [oldest - 1, oldest, newest - 3, newest]) {
      const { messages, isPart = false } = snapshotOf(parts, newest, from) as ChannelSnapshot;
      assert.deepEqual(messages, Array.from({ length: newest - from }, (_, i) => String(from + 1 + i)).slice(0, 1_000));
      assert.equal(isPart, newest - from > 1_000);
    }
  }
});

test('the store keeps the newest messages of each stream and drops old ones by whole pages', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const kept = KEPT_MESSAGES.competition;
  let seq = 0;
  let others = 0;
  for (let number = 1; number < kept * 3;) {
    const rows = emptyRows();
    for (const end = number + 1 + number % 300; number < end; number++) {
      seq++;
      rows.messages.push({ seq, wallet: WALLET, channel: 'competition', number, text: `"${number}"` });
      if (number % 7 === 0) rows.messages.push({ seq, wallet: walletText(2), channel: 'liquidation', number: ++others, text: '{}' });
    }
    store.commit([{ type: 'batch', seq, rows }]);
    const ask = (after: number, limit: number): KeptMessage[] => (
      store.answer({ name: 'messages', wallet: WALLET, channel: 'competition', after, limit }) as KeptMessage[]
    );
    const newest = number - 1;
    const first = ask(0, 1)[0]!.number;
    assert.ok(first <= Math.max(1, newest - kept + 1), `${first} of ${newest}`);
    assert.ok(first > newest - 2 * kept - 600, `${first} of ${newest} is still there`);
    if (newest > 5) assert.deepEqual(ask(newest - 5, 3).map((one) => one.text), [4, 3, 2].map((back) => `"${newest - back}"`));
  }
  const theirs = store.answer({ name: 'messages', wallet: walletText(2), channel: 'liquidation', after: 0, limit: 10_000 });
  assert.equal(theirs.length, others);
  store.close();
});
