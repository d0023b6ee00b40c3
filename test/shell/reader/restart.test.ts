// A reader that starts again, from any snapshot and with the history behind by any amount, answers as one that never stopped, and its
// streams continue at the same seqs. Rows reach the history once. A journal with another core's digest is refused.

import * as fs from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { viewsOf } from '../../../core/codec/record.ts';
import { SMALL } from '../../../core/limits.ts';
import { BEHAVIOUR } from '../../../core/version.ts';
import { BUY, GTC, IOC, SELL } from '../../../core/units.ts';
import { CONFLATION_MS } from '../../../shell/reader/channels/source.ts';
import type { QueryName, QueryParameters } from '../../../shell/ipc/queries.ts';
import { MessageRows } from '../../../shell/reader/history/message-rows.ts';
import { Snapshots } from '../../../shell/reader/snapshots.ts';
import { recover } from '../../../shell/storage/recovery.ts';
import { quarantineRecord } from '../../../shell/process/venue-commands.ts';
import { listSnapshots } from '../../../shell/storage/journal/snapshot-read.ts';
import { generator } from '../storage/journal/support.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { hashOf, START, TestVenue } from '../../support/venue.ts';
import { RestartedReader, Log } from './restarted-reader.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;

type Book = { readonly stats: { readonly volume: number } };

function trade(venue: TestVenue, random: () => number, nonce: number): void {
  const wallet = 1 + Math.floor(random() * 4);
  if (random() < 0.25) {
    venue.send(venue.write.cancel(wallet, nonce, 1 + Math.floor(random() * (venue.state.orders.counters[0]! + 1))));
    return;
  }
  venue.send(venue.write.place({
    ...CALL_100, wallet, nonce, side: random() < 0.5 ? BUY : SELL, price: (2_000 + Math.floor(random() * 8)) * USDC,
    size: Math.ceil(random() * 5) * ONE, tif: random() < 0.3 ? IOC : GTC, clientId: random() < 0.5 ? `c${nonce}` : '',
  }));
}

/** Everything that can be asked, as text. */
function everything(ask: <Q extends QueryName>(name: Q, parameters: QueryParameters[Q]) => string): string[] {
  const answers = [
    ask('instruments', { currency: 'BTC', status: ['all'] }), ask('markets', { include_instruments: true }),
    ask('historicalTheos', { instrument_name: CALL_100_SYMBOL, interval: '5m', limit: 100 }),
    ask('candles', { underlying: 'BTC', resolution: '1m', start: START, end: START + 86_400_000 }),
    ask('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 50 }), ask('trades', { limit: 1_000, offset: 0 }), ask('exchange', {}),
  ];
  for (let wallet = 1; wallet <= 4; wallet++) {
    const own = { wallet: walletText(wallet) };
    answers.push(ask('historicalPnl', { ...own, interval: '5m', limit: 100 }), ask('profile', own));
    answers.push(ask('orders', { ...own, limit: 50, offset: 0 }), ask('orders', { ...own, limit: 50, offset: 20 }), ask('agents', own),
      ask('fills', { ...own, limit: 1_000, offset: 3 }), ask('portfolio', own), ask('tier', own),
      ask('order', { ...own, order_id: '7', as_of: Infinity }));
  }
  return answers;
}

test('after restarts at random moments, answers and streams equal those of a reader that never stopped', async (t) => {
  const folder = temporaryFolder(t);
  const random = generator(2026);
  const commits = generator(7);
  const venue = new TestVenue().open();
  const bench = new Bench(t, { venue });
  const log = new Log(folder, venue);
  log.commit();
  let nonce = 0;
  let snapshotStarts = 0;
  let lost = 0;
  let taken = 0;
  for (let round = 0; round < 6; round++) {
    const running = await RestartedReader.begin(folder, venue, log.seq, () => commits() < 0.2);
    if (running.snapshotSeq > 0) snapshotStarts++;
    assert.ok(running.snapshotSeq <= running.store.appliedSeq);
    if (running.store.appliedSeq < taken) lost++;
    bench.sent.length = 0;
    for (const channel of ['order_updates', 'fills'] as const) {
      const parameters = { channel, key: walletText(2) };
      const seqOf = (text: string): unknown => (JSON.parse(text) as { seq: number }).seq;
      assert.equal(seqOf(running.answer('subscribe', parameters).slice(4)), seqOf(bench.answer('subscribe', parameters).body));
    }
    const book = { channel: 'orderbook', key: CALL_100_SYMBOL };
    running.answer('subscribe', book);
    bench.answer('subscribe', book);
    let moment = 0;
    for (let i = 0; i < 15; i++) {
      for (let k = 0; k < 4; k++) trade(venue, random, ++nonce);
      for (const record of log.commit()) {
        running.reader.feed(viewsOf(record.buffer as ArrayBuffer), 0);
        running.reader.streams.flush(moment += CONFLATION_MS);
      }
      bench.feed();
      if (random() < 0.5) running.reader.history.send();
      if (random() < 0.5) running.runHistory(running.reader, 1);
      if (random() < 0.4 && running.snapshots.isDue(running.reader.applied, running.reader.history.committed)) {
        running.snapshots.write(running.reader.state);
      }
    }
    assert.deepEqual(
      everything((name, parameters) => running.answer(name, parameters)),
      everything((name, parameters) => { const { status, body } = bench.answer(name, parameters); return `${status} ${body}`; }),
    );
    assert.deepEqual(running.streamed, bench.sent.map(({ seq, message }) => `${seq} ${JSON.stringify(message)}`));
    assert.ok(running.streamed.length > 50);
    taken = running.store.appliedSeq;
    running.store.close();
    if (random() < 0.5) {
      venue.advance(Math.floor(random() * 900_000));
      log.commit();
      bench.feed();
    }
  }
  assert.ok(snapshotStarts >= 3, `${snapshotStarts} starts from a snapshot`);
  assert.ok(lost >= 2, `${lost} starts found less than the history had taken`);
  log.close();
});

test('a failing command that the journal quarantines leaves everything before it counted once', async (t) => {
  const folder = temporaryFolder(t);
  const venue = new TestVenue().open();
  const log = new Log(folder, venue);
  const random = generator(12);
  for (let nonce = 1; nonce < 60; nonce++) trade(venue, random, nonce);
  // A cancel of a wallet that has no account: admission lets none through.
  const views = venue.write.cancel(900, 1, 1, 901);
  const poison = venue.seq() + 1;
  venue.write.stamp(poison, venue.now);
  venue.log.kept.push(views.u8.slice(0, views.u32[0]!));
  log.commit();
  log.close();
  const { state } = recover({ dataFolder: folder, limits: SMALL, skip: [poison] });
  const after = new TestVenue({ state });
  after.log.kept.push(...venue.log.kept);
  after.venue(quarantineRecord(poison));
  const rest = new Log(folder, after, BEHAVIOUR, poison);
  for (let nonce = 60; nonce < 90; nonce++) trade(after, random, nonce);
  rest.commit();
  const restarted = await RestartedReader.begin(folder, after, rest.seq);
  const { trades } = restarted.reader.rows.rows;
  const traded = [...restarted.store.answer({ name: 'trades', limit: 1_000, skip: 0 }) as { size: number }[], ...trades];
  assert.ok(traded.length > 10 && trades.length < traded.length);
  const { stats } = JSON.parse(restarted.answer('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 1 }).slice(4)) as Book;
  assert.equal(stats.volume, traded.reduce((sum, { size }) => sum + size, 0) / ONE);
  restarted.store.close();
  rest.close();
});

test('a clean end leaves history and snapshot at the last seq; a snapshot damaged later is reported and skipped', async (t) => {
  const folder = temporaryFolder(t);
  const venue = new TestVenue().open();
  const log = new Log(folder, venue);
  for (let nonce = 1; nonce < 40; nonce++) trade(venue, generator(nonce), nonce);
  log.commit();
  const first = await RestartedReader.begin(folder, venue, log.seq);
  let isClosed = false;
  first.reader.history.close(() => { isClosed = true; });
  first.runHistory(first.reader);
  assert.equal(isClosed, true);
  first.snapshots.write(first.reader.state);
  assert.equal(first.store.appliedSeq, log.seq);
  first.store.close();
  const second = await RestartedReader.begin(folder, venue, log.seq);
  assert.equal(second.snapshotSeq, log.seq);
  assert.equal(second.inbox.length, 0);
  second.store.close();
  const { path } = listSnapshots(folder)[0]!;
  fs.truncateSync(path, fs.statSync(path).size - 1);
  const third = await RestartedReader.begin(folder, venue, log.seq);
  assert.deepEqual([third.damaged, third.snapshotSeq], [[path], 0]);
  third.store.close();
  log.close();
});

test('while the history lags after a crash, the snapshot to start from stays and no other is written', async (t) => {
  const folder = temporaryFolder(t);
  const venue = new TestVenue().open();
  const log = new Log(folder, venue);
  const random = generator(5);
  let nonce = 0;
  const run = ({ reader }: RestartedReader): void => {
    for (let i = 0; i < 5; i++) trade(venue, random, ++nonce);
    for (const record of log.commit()) reader.feed(viewsOf(record.buffer as ArrayBuffer), 0);
  };
  const snapshot = ({ reader, snapshots }: RestartedReader): void => {
    if (snapshots.isDue(reader.applied, reader.history.committed)) snapshots.write(reader.state);
  };
  const commit = (restarted: RestartedReader): void => {
    restarted.reader.history.send();
    restarted.runHistory(restarted.reader);
  };
  const first = await RestartedReader.begin(folder, venue, log.seq);
  run(first);
  commit(first);
  snapshot(first);
  const behind = first.store.appliedSeq;
  run(first);
  snapshot(first);
  const ahead = first.reader.applied;
  first.store.close();
  // The history has lost what it was told last.
  for (let crash = 0; crash < 2; crash++) {
    const restarted = await RestartedReader.begin(folder, venue, log.seq);
    assert.deepEqual([restarted.snapshotSeq, restarted.store.appliedSeq], [behind, behind]);
    run(restarted);
    snapshot(restarted);
    restarted.store.close();
  }
  const caughtUp = await RestartedReader.begin(folder, venue, log.seq);
  commit(caughtUp);
  snapshot(caughtUp);
  caughtUp.store.close();
  const newest = listSnapshots(folder).map(({ seq }) => seq);
  assert.deepEqual(newest, [log.seq, ahead]);
  log.close();
});

for (const [when, before] of [['at an upgrade', [BEHAVIOUR - 1]], ['after one that was taken back', [BEHAVIOUR, BEHAVIOUR + 1]]] as const) {
  test(`a lost history begins at the oldest snapshot of this core's behaviour, ${when}`, async (t) => {
    const folder = temporaryFolder(t);
    const venue = new TestVenue().open();
    const random = generator(77);
    let nonce = 0;
    const tradeSome = (): void => { for (let i = 0; i < 40; i++) trade(venue, random, ++nonce); };
    let boundary = 0;
    for (const behaviour of before) {
      const old = new Log(folder, venue, behaviour, boundary);
      tradeSome();
      old.commit();
      boundary = old.seq;
      new Snapshots(folder, assert.fail, 1).write(venue.state);
      old.close();
    }
    const log = new Log(folder, venue, BEHAVIOUR, boundary);
    tradeSome();
    log.commit();
    new Snapshots(folder, assert.fail, 1).write(venue.state);
    tradeSome();
    log.commit();
    const restarted = await RestartedReader.begin(folder, venue, log.seq);
    assert.equal(restarted.snapshotSeq, boundary);
    restarted.reader.history.send();
    restarted.runHistory(restarted.reader);
    assert.equal(restarted.store.appliedSeq, log.seq);
    const trades = restarted.store.answer({ name: 'trades', limit: 1_000, skip: 0 }) as { seq: number }[];
    assert.ok(trades.length > 5 && trades.every(({ seq }) => seq > boundary));
    restarted.store.close();
    log.close();
  });
}

test('a start leaves no journal segment open', async (t) => {
  const folder = temporaryFolder(t);
  const venue = new TestVenue().open();
  const log = new Log(folder, venue);
  log.commit();
  const restarted = await RestartedReader.begin(folder, venue, log.seq);
  restarted.store.close();
  assert.ok(restarted.store.appliedSeq < log.seq, 'there are frames that the history lacks');
  log.close();
  // Whoever closes a database last removes its write-ahead log.
  const left = fs.readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('-wal'));
  assert.deepEqual(left, []);
});

test('a snapshot that cannot be written is reported once and stops nothing', async (t) => {
  const folder = temporaryFolder(t);
  const venue = new TestVenue().open();
  const log = new Log(folder, venue);
  log.commit();
  const { reader, store } = await RestartedReader.begin(folder, venue, log.seq);
  const lines: string[] = [];
  const snapshots = new Snapshots(folder, (line) => lines.push(line), 1);
  fs.writeFileSync(`${folder}/snapshots`, 'a file where the folder should be');
  snapshots.write(reader.state);
  snapshots.write(reader.state);
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, new RegExp(`^the snapshot at seq ${log.seq} could not be written: `));
  store.close();
  log.close();
});

test('a digest in the journal that differs from this core\'s own is refused by name and seq', async (t) => {
  const venue = new TestVenue().open();
  let right = { seq: 0, low: 0, high: 0 };
  for (let nonce = 1; venue.seq() < 4_100; nonce++) {
    venue.send(venue.write.cancel(1, nonce, 9));
    if (venue.seq() === 4_096) right = { seq: 4_096, low: venue.state.events.digest[0]!, high: venue.state.events.digest[1]! };
  }
  const sound = temporaryFolder(t);
  const journal = new Log(sound, venue);
  journal.commit([right]);
  journal.close();
  const { reader, store } = await RestartedReader.begin(sound, venue, venue.seq());
  assert.equal(reader.digests.waiting, 0);
  store.close();
  const other = temporaryFolder(t);
  const wrong = new Log(other, venue);
  wrong.commit([{ ...right, low: right.low ^ 1 }]);
  wrong.close();
  await assert.rejects(RestartedReader.begin(other, venue, venue.seq()), { name: 'DigestMismatch', message: /at seq 4096 differ/ });
});

test('a command that cannot be published ends the reader that meets it, and the next one leaves it out', async (t) => {
  const folder = temporaryFolder(t);
  const bench = new Bench(t);
  const { venue } = bench;
  const buy = (wallet: number, nonce: number): number => (
    venue.send(venue.write.place({ ...CALL_100, wallet, nonce, side: BUY, price: 1_000 * USDC, size: ONE }))
  );
  buy(1, 1);
  const bad = venue.seq() + 1;
  const { onEvent } = MessageRows.prototype;
  t.mock.method(MessageRows.prototype, 'onEvent', function (this: MessageRows, ...told: Parameters<MessageRows['onEvent']>): void {
    if ([bad, bad + 2].includes(told[2].seq)) throw new RangeError('a fault of the program');
    onEvent.apply(this, told);
  });
  for (const wallet of [2, 3]) buy(wallet, 1);
  assert.throws(() => bench.feed(), /a fault of the program/);
  const log = new Log(folder, venue);
  log.commit();
  log.close();
  const restarted = await RestartedReader.begin(folder, venue, log.seq);
  assert.ok(restarted.unpublished.length > 0 && restarted.unpublished.every((seq) => seq === bad));
  for (const wallet of [1, 2, 3]) {
    assert.match(restarted.answer('orders', { wallet: walletText(wallet), limit: 5, offset: 0 }), /"count":1\b/);
  }
  assert.equal(hashOf(restarted.reader.state), venue.hash());
  buy(1, 2);
  assert.throws(() => restarted.reader.feed(viewsOf(venue.log.kept.at(-1)!.buffer as ArrayBuffer), 0), /a fault of the program/);
});
