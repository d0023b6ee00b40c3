// The bounds of the venue's clock (decision 1.11): which start is refused, how far the wall clock may lead a running venue, and what the
// venue reports while its time stands still. A preloaded module sets the wall clock.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordTime, viewsOf } from '../../../core/codec/record.ts';
import type { Http } from '../../../scripts/client.ts';
import { boundClock, followClock, isHeldBack, now, startClock } from '../../../shell/process/clock.ts';
import { readConfig } from '../../../shell/process/config.ts';
import { readFrames } from '../../../shell/storage/journal/read.ts';
import { clockStatus, checkClock } from '../../../shell/process/observability/venue-clock.ts';
import { StartRefusal } from '../../../shell/process/start-refusal.ts';
import { recoveredVenue, runningVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { slowFolder } from './slow-folder.ts';
import { refused } from './refused.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const YEAR_ON = 400 * DAY;
const WITHIN_MS = 40_000;
const FLAGS = ['--workers', '1', '--feed', 'manual'];

const wall = Date.now;
afterEach(() => {
  followClock(null);
  Date.now = wall;
});

/** Of a venue: its wall's clock is `ms` ahead; each SIGUSR2 sets it so, or right again, where it begins right. */
function setBy(ms: number, { isSet = true } = {}): string {
  return `data:text/javascript,${encodeURIComponent(`
    const wall = Date.now;
    let by = ${isSet ? ms : 0};
    Date.now = () => wall() + by;
    process.on('SIGUSR2', () => { by = ${ms} - by; });
  `)}`;
}

/** Seq and time of the last record. */
function lastOf(data: string): { seq: number; time: number } {
  let last = { seq: 0, time: 0 };
  for (const { bytes, lastSeq } of readFrames(data, 1)) {
    const views = viewsOf(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; at += views.u32[at >>> 2]!) last = { seq: lastSeq, time: recordTime(views, at) };
  }
  return last;
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + WITHIN_MS; !await isSo(); await sleep(100)) {
    if (performance.now() > end) assert.fail(`never so: ${what}`);
  }
}

type Ready = { readonly status: string; readonly degraded: boolean; readonly components: { name: string; state: string }[] };
async function readyOf(http: Http): Promise<{ readonly code: number; readonly body: Ready; readonly clock: string | undefined }> {
  const { status: code, body } = await http.get('/ready') as { status: number; body: Ready };
  return { code, body, clock: body.components.find(({ name }) => name === 'clock')?.state };
}

test('a clock is accepted from a minute before the journal\'s end to 7 days after; an empty journal accepts any', () => {
  const last = Date.UTC(2026, 0, 5);
  for (const time of [last - MINUTE, last, last + 7 * DAY]) checkClock(last, time);
  for (const time of [last - MINUTE - 1, last - YEAR_ON]) {
    const isRefused = (error: unknown): boolean => error instanceof StartRefusal && /more than a minute earlier/.test(error.message);
    assert.throws(() => checkClock(last, time), isRefused);
  }
  for (const time of [last + 7 * DAY + 1, last + YEAR_ON]) {
    assert.throws(() => checkClock(last, time), (error) => error instanceof StartRefusal && /more than 7 days later/.test(error.message));
  }
  checkClock(0, last);
});

test('the venue\'s time follows the wall clock at most a minute ahead of the monotonic clock, and returns with it', () => {
  followClock(boundClock());
  const set = (by: number): void => void (Date.now = () => wall() + by);
  for (const by of [0, 59_000, -YEAR_ON]) {
    set(by);
    assert.ok(Math.abs(now() - Date.now()) < 500, String(by));
    assert.equal(isHeldBack(), false, String(by));
  }
  for (const by of [61_000, YEAR_ON]) {
    set(by);
    const time = now();
    assert.ok(time > wall() + 59_000 && time <= wall() + MINUTE + 1, `${time - wall()} ahead of the wall by ${by}`);
    assert.ok(now() >= time);
    assert.equal(isHeldBack(), true, String(by));
    assert.equal(clockStatus(time, now(), Date.now()).state, 'held');
  }
  set(0);
  assert.equal(clockStatus(now() + MINUTE, now(), Date.now()).state, 'still');
  assert.equal(clockStatus(now() + 4_000, now(), Date.now()).state, 'running', 'as the system corrects a clock');
  followClock(startClock(1_000, 1));
  set(YEAR_ON);
  assert.equal(isHeldBack(), false, 'a simulated clock does not go by the wall');
});

test('--accept-clock is a flag without a value, and an environment variable', () => {
  const accepts = (flags: readonly string[], environment: NodeJS.ProcessEnv = {}): boolean => (
    (readConfig(flags, environment) as { acceptClock: boolean }).acceptClock
  );
  assert.equal(accepts([]), false);
  assert.equal(accepts(['--accept-clock']), true);
  assert.equal(accepts([], { ACCEPT_CLOCK: 'on' }), true);
  assert.throws(() => accepts([], { ACCEPT_CLOCK: 'yes' }), /--accept-clock must be on or off, not "yes" \(ACCEPT_CLOCK of the env/);
});

test('a start 400 days ahead is refused and changes nothing, until the operator accepts the clock', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  const seq = slowFolder(data, 0);
  const args = ['--port', '0', '--data', data, ...FLAGS];
  assert.match(refused(args, { imports: setBy(YEAR_ON) }), (
    /^strikebook: the journal's last record is of 20[^\n]+Z, the clock reads 20[^\n]+Z, more than 7 days later: [^\n]+--accept-clock\n$/
  ));
  assert.equal(lastOf(data).seq, seq);
  const { venue } = await runningVenue(t, { data, flags: [...FLAGS, '--accept-clock'], imports: [setBy(YEAR_ON)] });
  await until('a record of the new time', () => lastOf(data).time > wall() + YEAR_ON - DAY);
  assert.equal((await venue.stop()).code, 0);
});

test('a start before the journal\'s end is refused; once accepted, time stands still and /ready is 503', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  slowFolder(data, 0, { start: Date.UTC(2090, 0, 1) });
  assert.match(refused(['--port', '0', '--data', data, ...FLAGS]), (
    /^strikebook: the journal's last record is of 2090-01-01T00:0[^\n]+ more than a minute earlier: [^\n]+--accept-clock\n$/
  ));
  const { venue, http } = await recoveredVenue(t, { data, flags: [...FLAGS, '--accept-clock'] });
  const { code, body, clock } = await readyOf(http);
  assert.deepEqual([code, body.status, clock], [503, 'not_ready', 'not_ready']);
  await until('a line', () => /stands still/.test(venue.err));
  const { code: end, err } = await venue.stop();
  assert.equal(end, 0, err);
  assert.match(err, /^strikebook: clock: the journal goes on to 2090-01-01T00:0[^\n]* stands still [^\n]*\n$/);
});

test('a simulated clock continues at the journal\'s end; a start more than 7 days later is refused', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  const start = Date.UTC(2026, 0, 5);
  slowFolder(data, 0, { start });
  const at = (time: number): string[] => ['--workers', '1', '--feed', 'manual', '--clock-start', new Date(time).toISOString()];
  const line = refused(['--port', '0', '--data', data, ...at(start + 8 * DAY)]);
  assert.match(line, /the clock reads 2026-01-13T00[^\n]+ more than 7 days later/);
  for (const flags of [at(start - YEAR_ON), ['--workers', '1', '--feed', 'manual', '--clock-speed', '2']]) {
    const { venue, http } = await runningVenue(t, { data, flags });
    assert.deepEqual((await readyOf(http)).clock, 'ready');
    assert.equal((await venue.stop()).code, 0);
    const { time } = lastOf(data);
    assert.ok(time >= start && time < start + DAY, new Date(time).toISOString());
  }
  const { venue } = await runningVenue(t, { data, flags: [...at(start + YEAR_ON), '--accept-clock'] });
  assert.equal((await venue.stop()).code, 0);
  // Without its clock it gets the wall's again, which is another.
  assert.match(refused(['--port', '0', '--data', data, ...FLAGS]), /the clock reads/);
});

test('a wall clock set 400 days ahead moves a running venue one minute; one line says so, one when it is over', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  const { venue, http } = await runningVenue(t, { data, flags: ['--workers', '1'], imports: [setBy(YEAR_ON, { isSet: false })] });
  venue.signal('SIGUSR2');
  await until('held', async () => (await readyOf(http)).clock === 'degraded');
  const { code, body } = await readyOf(http);
  assert.deepEqual([code, body.status, body.degraded], [200, 'ready', true]);
  await until('a line', () => /monotonic clock/.test(venue.err));
  venue.signal('SIGUSR2');
  // Its time is a minute ahead now, and stands still until the clock has come there.
  await until('time stands still', async () => (await readyOf(http)).code === 503);
  await until('its end', () => /^clock: the machine's clock is right again$/m.test(venue.out));
  const { code: end, err } = await venue.stop();
  assert.equal(end, 0, err);
  assert.match(err, /^strikebook: clock: the machine's clock was set to 20[^\n]+Z, the venue's time is at most a minute ahead [^\n]*\n/);
  assert.ok(lastOf(data).time <= wall() + MINUTE + 1);
});

test('a wall clock set back makes /ready 503 until it is right; one line for the start, one for the end', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  const { venue, http } = await runningVenue(t, { data, flags: ['--workers', '1'], imports: [setBy(-10 * MINUTE, { isSet: false })] });
  venue.signal('SIGUSR2');
  await until('503', async () => (await readyOf(http)).code === 503);
  assert.equal((await readyOf(http)).clock, 'not_ready');
  await until('a line', () => /time stands still/.test(venue.err));
  venue.signal('SIGUSR2');
  await until('ready again', async () => (await readyOf(http)).code === 200);
  await until('its end', () => /time goes on/.test(venue.out));
  const { code, err } = await venue.stop();
  assert.equal(code, 0, err);
  assert.match(err, /^strikebook: clock: the journal goes on to 20[^\n]+Z, the clock reads 20[^\n]+Z: [^\n]* stands still [^\n]*\n$/);
});
