// The simulated clock: which settings make one, whether all threads read the same time, and a venue that runs on it. An expiry passes
// within seconds, a restart continues from the last time, and times in the journal never go back.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { INDEX_PRICE, WORD_INDEX_UNDERLYING } from '../../../core/codec/commands.ts';
import { recordKind, recordTime, viewsOf } from '../../../core/codec/record.ts';
import { followClock, now, realMs, clockOffset, startClock, steady } from '../../../shell/process/clock.ts';
import { BadSetting } from '../../../shell/process/bad-setting.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import { readFrames } from '../../../shell/storage/journal/read.ts';
import { createWallet, signerFor, type Http, type OrderUpdate } from '../../../scripts/client.ts';
import { runningVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Five seconds before the expiry at the speed below. */
const START = '2026-01-05T07:55:00Z';
const EXPIRY = Date.parse('2026-01-05T08:00:00Z');
const FLAGS = ['--workers', '1', '--clock-start', START, '--clock-speed', '60'];
const WITHIN_MS = 40_000;
const TOKEN = 'token-of-the-clock-test';
/** A list of all contracts is work for the venue and for who reads it. */
const EVERY_MS = 200;

afterEach(() => followClock(null));

function clockOf(flags: readonly string[], environment: NodeJS.ProcessEnv = {}): Config['clock'] {
  return (readConfig(flags, environment) as Config).clock;
}

test('without settings the venue uses the wall clock; a start time or a speed makes a simulated clock', () => {
  assert.equal(clockOf([]), null);
  assert.equal(clockOf(['--clock-speed', '1']), null);
  const start = Date.parse(START);
  assert.deepEqual(clockOf(['--clock-start', START]), { start, speed: 1 });
  assert.deepEqual(clockOf([], { CLOCK_START: '2026-01-05T07:55Z', CLOCK_SPEED: '2.5' }), { start, speed: 2.5 });
  assert.deepEqual(clockOf(['--clock-speed', '100000', '--feed', 'manual']), { start: null, speed: 100_000 });
  assert.deepEqual(clockOf(['--clock-speed', '0']), { start: null, speed: 0 });
  assert.deepEqual(clockOf(['--clock-start', '2026-01-05T07:55:00.250Z']), { start: start + 250, speed: 1 });
});

test('a bad start time or speed is refused in one line that names the bound', () => {
  const starts = [
    'now', '2026-01-05', '2026-01-05T07:59:00', '2026-01-05T07:59:00+01:00', '2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z',
    '2026-01-05T25:00:00Z', '2026-01-05T24:00:00Z', '1999-12-31T23:59:59Z', '1767599940000', ' 2026-01-05T07:59:00Z',
  ];
  const speeds = ['0.0', '0.0009', '100001', '100000.1', '-5', '1e3', '0x10', 'fast', ' 2', '2.'];
  const line = (flag: string, text: string): string => {
    try {
      readConfig([`${flag}=${text}`], {});
    } catch (error) {
      assert.ok(error instanceof BadSetting);
      return error.message;
    }
    return assert.fail(`${flag} ${text} is taken`);
  };
  for (const text of starts) {
    assert.match(line('--clock-start', text), /^--clock-start must be a time in UTC from 2000 to 2099 like [^\n]+$/);
  }
  for (const text of speeds) {
    assert.match(line('--clock-speed', text), /^--clock-speed must be a number from 0\.001 to 100000, not "[^\n]+"$/);
  }
});

test('a clock begins at its start time, runs at its speed in whole milliseconds, and timers follow it', () => {
  for (const speed of [1, 2.5, 1_000, 100_000]) {
    const earliest = steady();
    followClock(startClock(1_000_000, speed));
    const latest = steady();
    let last = 1_000_000;
    for (let i = 0; i < 1_000; i++) {
      const from = steady();
      const time = now();
      const to = steady();
      assert.ok(Number.isSafeInteger(time) && time >= last);
      // `steady` may be coarser than the clock by a few microseconds.
      assert.ok(time >= 1_000_000 + (from - latest - 0.01) * speed - 1, `${time} at speed ${speed}`);
      assert.ok(time <= 1_000_000 + (to - earliest + 0.01) * speed, `${time} at speed ${speed}`);
      last = time;
    }
    assert.equal(realMs(5_000), 5_000 / speed);
  }
  followClock(null);
  assert.ok(Math.abs(now() - Date.now()) <= 1_000);
  assert.equal(realMs(5_000), 5_000);
});

test('two threads with one clock read the same time', async (t) => {
  const clock = startClock(EXPIRY, 10_000);
  followClock(clock);
  const worker = new Worker(new URL('./clock-worker.ts', import.meta.url), { workerData: clock });
  t.after(() => worker.terminate());
  for (let i = 0; i < 20; i++) {
    const before = now();
    worker.postMessage(null);
    const [time] = await once(worker, 'message') as [number];
    assert.ok(before <= time && time <= now(), `${before} ${time} ${now()}`);
  }
});

test('the offset between two clocks is measured correctly although the thread waits between readings', () => {
  let time = 0;
  const waits = [5, 0.4, 0.001, 7];
  const own = (): number => time += 0.001;
  const other = (): number => time += waits.shift() ?? 3;
  const behind = clockOffset(own, () => 1_000 + other());
  assert.ok(Math.abs(behind - 1_000) < 0.002, `${behind}`);
});

/** Asks until `done` says so of the answer. */
async function until(http: Http, path: string, done: (body: any) => boolean): Promise<any> {
  for (const end = performance.now() + WITHIN_MS; ; await sleep(EVERY_MS)) {
    const { status, body } = await http.get(path);
    if (status === 200 && done(body)) return body;
    if (performance.now() > end) assert.fail(`${path}: ${JSON.stringify(body).slice(0, 300)}`);
  }
}

/** Times of all records, and of the index prices of the first underlying. */
function timesOf(data: string): { all: number[]; index: number[] } {
  const all: number[] = [];
  const index: number[] = [];
  for (const { bytes } of readFrames(data, 1)) {
    const views = viewsOf(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; at += views.u32[at >>> 2]!) {
      all.push(recordTime(views, at));
      if (recordKind(views, at) === INDEX_PRICE && views.u32[(at >>> 2) + WORD_INDEX_UNDERLYING] === 0) index.push(all.at(-1)!);
    }
  }
  return { all, index };
}

test('a venue lists an option minutes before its expiry, expires it seconds later, and continues after a restart', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  // At first it goes no faster than real time: listing it takes none of the seconds, however busy the machine is.
  const calm = await runningVenue(t, { data, flags: [...FLAGS, '--clock-speed', '1'] });
  const isListed = (rows: any): boolean => Array.isArray(rows) && rows.some((row) => row.expiration_timestamp === EXPIRY);
  await until(calm.http, '/instruments?currency=BTC&status=all', isListed);
  assert.equal((await calm.venue.stop()).code, 0);
  const first = await runningVenue(t, { data, flags: FLAGS });
  const isOver = (rows: any): boolean => (
    Array.isArray(rows) && rows.every((row) => row.expiration_timestamp !== EXPIRY || row.is_active === false)
  );
  const rows = await until(first.http, '/instruments?currency=BTC&status=all', isOver);
  assert.ok(isListed(rows));
  const stopped = await first.venue.stop();
  assert.equal(stopped.code, 0, stopped.err);
  assert.match(stopped.out, /simulated clock +2026-01-05T07:5[0-9]:[0-9.]+Z, 60 times as fast as real/);

  const before = timesOf(data);
  assert.ok(before.all[0]! >= Date.parse(START));
  assert.ok(before.all.at(-1)! >= EXPIRY);
  const gaps = before.index.slice(1).map((time, at) => time - before.index[at]!).sort((a, b) => a - b);
  assert.ok(gaps[Math.floor(gaps.length / 2)]! < 30_000, 'prices come by simulated seconds, of which 60 pass in a real one');

  // The speed alone is a clock too: it begins where time had come to.
  const again = await runningVenue(t, { data, flags: ['--workers', '1', '--clock-speed', '60'] });
  const [{ instrument_id: id }] = await until(again.http, '/instruments?currency=BTC', (list) => Array.isArray(list) && list.length > 0);
  const { timestamp } = await until(again.http, `/orderbook?instrument_id=${id}`, () => true);
  assert.ok(timestamp >= before.all.at(-1)!, 'what is read has the time of the journal at least');
  await sleep(200);
  const ended = await again.venue.stop();
  assert.equal(ended.code, 0, ended.err);
  const { all } = timesOf(data);
  assert.ok(all.length > before.all.length);
  for (let i = 1; i < all.length; i++) assert.ok(all[i]! >= all[i - 1]!, `record ${i} goes back`);
  assert.ok(all[before.all.length]! - before.all.at(-1)! < 3_600_000, 'it stood still meanwhile');
  assert.ok(all.at(-1)! > before.all.at(-1)!);
});

test('a venue with more due work than it can do stops cleanly', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  const flags = ['--workers', '1', '--feed', 'manual', '--admin-token', TOKEN];
  const calm = await runningVenue(t, { data, flags: [...flags, '--clock-start', START, '--clock-speed', '1'] });
  for (const [underlying, price] of [['BTC', '100000'], ['ETH', '3500']] as const) {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const { status, text } = await calm.http.post('/admin/index-price', { underlying, price }, headers);
    assert.equal(status, 200, text);
  }
  const signer = await signerFor(calm.http);
  for (const side of ['Sell', 'Buy'] as const) {
    const { body } = await calm.http.send(signer.placeOrder(createWallet(), { symbol: 'BTC-PERP', side, size: '1', price: '100000' }));
    assert.equal((body as OrderUpdate).status, 'ACKED');
  }
  assert.equal((await calm.venue.stop()).code, 0);
  const { length } = timesOf(data).all;
  // Somebody holds something: marks are due every 100 real microseconds.
  const { venue } = await runningVenue(t, { data, flags: [...flags, '--clock-speed', '10000'] });
  const { code, err } = await venue.stop();
  assert.equal(code, 0, err);
  assert.ok(timesOf(data).all.length > length, 'there was something to do');
});
