// The history thread over its port: the first message, the order of `taken` and answers under any interleaving, commits, the stop. The
// test is the reader: it keeps rows until they are taken and merges, and every page must be that of the whole.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { appliedSeqOf } from '../../../../shell/storage/history/history-file.ts';
import { mergePage, storePage } from '../../../../shell/storage/history/merge-page.ts';
import { emptyRows, type FromHistory, type HistoryQuery, type ToHistory } from '../../../../shell/storage/history/protocol.ts';
import { createMeters } from '../../../../shell/process/observability/meters.ts';
import { SharedCounters, createCounters } from '../../../../shell/ipc/counters.ts';
import { generator } from '../journal/support.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { VENUE, append, batchOf, matching, pageOf, queriesAbout, rowsOf } from './support.ts';

const THREAD = new URL('../../../../shell/process/threads/history.ts', import.meta.url);

type Running = {
  port: MessagePort; counters: SharedCounters<'historyApplied' | 'beatHistory'>; worker: Worker; exited: Promise<number>;
  post: (message: ToHistory) => void;
};

function start(t: TestContext, dataFolder: string): Running {
  const { port1, port2 } = new MessageChannel();
  const counters = createCounters(['historyApplied', 'beatHistory'] as const);
  const settings = { config: { dataFolder, log: 'text' }, venue: VENUE, token: '' };
  const measures = { meters: createMeters(['history']), rings: [] };
  const worker = new Worker(THREAD, { workerData: { port: port2, counters, measures, settings }, transferList: [port2] });
  const exited = new Promise<number>((resolve, reject) => {
    worker.on('error', reject);
    worker.on('exit', resolve);
  });
  t.after(() => worker.terminate());
  return { port: port1, counters: new SharedCounters(counters), worker, exited, post: (message) => port1.postMessage(message) };
}

/** Waits for the first message of a type; those before it are lost. */
function next<T extends FromHistory['type']>(port: MessagePort, type: T): Promise<Extract<FromHistory, { type: T }>> {
  return new Promise((resolve) => {
    const take = (message: FromHistory): void => {
      if (message.type !== type) return;
      port.off('message', take);
      resolve(message as Extract<FromHistory, { type: T }>);
    };
    port.on('message', take);
  });
}

type Asked = { query: HistoryQuery; recent: ReturnType<typeof matching>; expected: object[]; sent: number };

test('under any interleaving answers merge to the whole, and `taken` precedes answers that rely on it', { timeout: 60_000 }, async (t) => {
  const { port, counters, exited, post } = start(t, temporaryFolder(t));
  assert.equal((await next(port, 'opened')).appliedSeq, 0);
  const random = generator(11);
  const whole = emptyRows();
  const asked = new Map<number, Asked>();
  const bases = new Set<string>();
  let applied = 0;
  let sent = 0;
  let taken = 0;
  let committed = 0;
  let [takes, commits] = [0, 0];
  let request = 0;
  port.on('message', (message: FromHistory) => {
    if (message.type === 'committed') {
      assert.ok(message.seq > committed && message.seq <= taken);
      committed = message.seq;
      commits++;
    } else if (message.type === 'taken') {
      assert.ok(message.seq > taken && message.seq <= sent);
      taken = message.seq;
      takes++;
    } else if (message.type === 'answered') {
      const { query, recent, expected, sent: sentBefore } = asked.get(message.request)!;
      asked.delete(message.request);
      assert.equal(message.appliedSeq, taken, 'an answer is as of what was told to be taken');
      assert.ok(message.appliedSeq <= sentBefore);
      const page = 'skip' in query ? query : { skip: 0, limit: 1 };
      assert.deepEqual(mergePage(page, recent, message.rows as typeof recent, message.appliedSeq), expected);
      bases.add(message.appliedSeq === sentBefore ? 'all sent' : message.appliedSeq === 0 ? 'nothing' : 'some');
    } else {
      assert.equal(message.type, 'closed');
    }
  });
  for (let turn = 0; turn < 150; turn++) {
    // The store waits for more rows, so one that has all that was sent is met by chance alone unless it is waited for now and then.
    const quiet = turn % 30 === 29;
    while (quiet && taken < sent) await next(port, 'taken');
    for (let count = Math.floor(random() * 30); count > 0; count--) append(whole, rowsOf(++applied));
    if (!quiet && random() < 0.7 && applied > sent) {
      post(batchOf(Math.max(1, sent + 1 - Math.floor(random() * 3)), applied));
      sent = applied;
    }
    for (const query of queriesAbout(whole, random)) {
      if (random() < 0.5) continue;
      const recent = matching(whole, query).filter(({ seq }) => seq > taken);
      const page = 'skip' in query ? storePage(query, recent.length) : {};
      asked.set(++request, { query, recent, expected: pageOf(whole, query), sent });
      post({ type: 'ask', request, query: { ...query, ...page } });
    }
    await new Promise((resolve) => setTimeout(resolve, random() * 8));
  }
  post({ type: 'close', candles: [] });
  await next(port, 'closed');
  assert.equal(await exited, 0);
  assert.deepEqual({ taken, committed, open: asked.size }, { taken: sent, committed: sent, open: 0 });
  assert.deepEqual([...bases].sort(), ['all sent', 'nothing', 'some']);
  assert.ok(commits < takes, `${commits} commits of ${takes} takes`);
  assert.equal(counters.counter('historyApplied').load(), sent);
});

test('a reopened store is where it was closed, and repeated rows are stored once', { timeout: 30_000 }, async (t) => {
  const folder = temporaryFolder(t);
  for (const [before, to] of [[0, 100], [100, 160]] as const) {
    const { port, post, exited } = start(t, folder);
    assert.equal((await next(port, 'opened')).appliedSeq, before);
    post(batchOf(1, to));
    post({ type: 'close', candles: [] });
    await next(port, 'closed');
    assert.equal(await exited, 0);
  }
  const { port, post, exited } = start(t, folder);
  await next(port, 'opened');
  post({ type: 'ask', request: 5, query: { name: 'trades', limit: 10_000, skip: 0 } });
  const answer = await next(port, 'answered');
  assert.deepEqual(answer, { type: 'answered', request: 5, appliedSeq: 160, rows: batchOf(1, 160).rows.trades.reverse() });
  post({ type: 'close', candles: [] });
  assert.equal(await exited, 0);
});

test('a large batch is taken at once, a small one after a moment, and commits come later by themselves', { timeout: 60_000 }, async (t) => {
  const folder = temporaryFolder(t);
  const { port, counters, post, exited } = start(t, folder);
  await next(port, 'opened');
  let committed = 0;
  let commits = 0;
  port.on('message', (message: FromHistory) => {
    if (message.type !== 'committed') return;
    committed = message.seq;
    commits++;
  });
  for (const [first, last] of [[1, 3_000], [3_001, 3_001], [3_002, 6_000], [6_001, 6_001]] as const) {
    const told = next(port, 'taken');
    post(batchOf(first, last));
    assert.equal((await told).seq, last);
    assert.equal(counters.counter('historyApplied').load(), last);
  }
  while (committed < 6_001) await next(port, 'committed');
  assert.ok(commits < 4, `${commits} commits of 4 takes`);
  assert.equal(appliedSeqOf(folder, VENUE), 6_001, 'whoever opens it now finds it');
  const beats = counters.counter('beatHistory').load();
  while (counters.counter('beatHistory').load() === beats) await new Promise((resolve) => setTimeout(resolve, 20));
  post({ type: 'close', candles: [] });
  assert.equal(await exited, 0);
});

test('a damaged store is reported to main in one line, and the reader hears that it is at 0', { timeout: 30_000 }, async (t) => {
  const folder = temporaryFolder(t);
  fs.writeFileSync(join(folder, 'history.db'), 'this is no database, and long enough to be read as a header'.repeat(100));
  const { port, worker, post, exited } = start(t, folder);
  const told = new Promise((resolve) => worker.once('message', resolve));
  assert.equal((await next(port, 'opened')).appliedSeq, 0);
  const notice = await told as { type: string; text: string };
  assert.equal(notice.type, 'notice');
  assert.match(notice.text, /^history_set_aside: .*history\.aside-1\.db/);
  post({ type: 'close', candles: [] });
  assert.equal(await exited, 0);
});
