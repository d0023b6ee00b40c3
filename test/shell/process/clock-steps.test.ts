// A clock that moves by POST /admin/clock only: everything due on the way is done before the answer, no request falls within a step, and
// the same requests make the same state, whatever the time between them, where the clock stops in between, and where the process is killed.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '../../support/fast-check.ts';
import { TIME } from '../../../core/engine/state.ts';
import { PRODUCTION } from '../../../core/limits.ts';
import { connect, NonceSource, Operator, privateKeySigner, StrikebookError, type Strikebook } from '../../../client/src/main.ts';
import type { VenueProcess } from '../../../scripts/venue-process.ts';
import { recover } from '../../../shell/storage/recovery.ts';
import { runningVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { hashOf } from '../../support/venue.ts';

const TOKEN = 'token-of-the-clock-steps';
/** More than half of the samples of a settlement are to come, which is enough for a price. */
const START = Date.parse('2026-01-05T07:44:00Z');
const EARLY = Date.parse('2026-01-05T07:25:00Z');
const EXPIRY = Date.parse('2026-01-05T08:00:00Z');
const SYMBOL = 'BTC-20260105-100000-C';
const MINUTE = 60_000;

type Scene = { readonly data: string; readonly venue: VenueProcess; readonly operator: Operator };

async function open(t: TestContext, feed: 'sim' | 'manual', data = join(temporaryFolder(t), 'data'), start = START): Promise<Scene> {
  // Marks each second would be most of what a step does.
  const settings = `${data}.settings`;
  writeFileSync(settings, '{ "mark_interval": "10 s", "liquidation_interval": "10 s" }');
  const flags = [
    '--settings', settings,
    '--feed', feed, '--workers', '1', '--clock-start', new Date(start).toISOString(), '--clock-speed', '0', '--admin-token', TOKEN,
  ];
  const { venue } = await runningVenue(t, { data, flags });
  return { data, venue, operator: new Operator(venue.url, TOKEN, { timeoutMs: 60_000 }) };
}

/** Nonces and key are the same in every run. */
function trader({ venue }: Scene, seed: number): Promise<Strikebook> {
  return connect(venue.url, { signer: privateKeySigner(seed.toString(16).padStart(64, '1')), nonces: new NonceSource(4e12) });
}

async function time({ venue }: Scene): Promise<number> {
  return ((await (await fetch(`${venue.url}/time`)).json()) as { time_ms: number }).time_ms;
}

/** An option and the perp change hands. */
async function trade(scene: Scene): Promise<readonly Strikebook[]> {
  const [buyer, seller] = [await trader(scene, 1), await trader(scene, 2)];
  for (const [symbol, price, size] of [[SYMBOL, '1500', '3'], ['BTC-PERP', '99950', '2']] as const) {
    await seller.placeOrder({ symbol, side: 'Sell', size, price });
    await buyer.placeOrder({ symbol, side: 'Buy', size, price, tif: 'ioc' });
  }
  return [buyer, seller];
}

/** Cash and position of each wallet, and what booked them. */
async function accounts(traders: readonly Strikebook[]): Promise<object> {
  return Promise.all(traders.map(async (one) => {
    const { positions } = await one.get('/portfolio', { wallet: one.wallet });
    const { data } = await one.get('/ledger', { wallet: one.wallet, limit: 1_000 });
    const rows = data.map(({ amount, balance, kind, symbol }) => ({ amount, balance, kind, symbol }));
    return { positions: positions.map(({ amount, symbol }) => ({ amount, symbol })), rows };
  }));
}

test('a step goes through an expiry: its samples, its settlement and the hour of funding are there when it is answered', async (t) => {
  const scene = await open(t, 'manual', undefined, EARLY);
  const { operator, venue } = scene;
  await operator.act('POST /admin/index-price', { underlying: 'BTC', price: '100000' });
  const traders = await trade(scene);
  await operator.stepClock(EXPIRY - 15 * MINUTE);
  await operator.act('POST /admin/index-price', { underlying: 'BTC', price: '101000' });
  assert.equal(await time(scene), EXPIRY - 15 * MINUTE);
  await sleep(50);
  assert.equal(await time(scene), EXPIRY - 15 * MINUTE, 'it stands still');
  assert.deepEqual(await operator.act('POST /admin/clock', { by_ms: 15 * MINUTE }), { success: true, data: { time_ms: EXPIRY } });
  const [buyer] = traders;
  const { data } = await buyer!.get('/ledger', { wallet: buyer!.wallet });
  const settled = data.find(({ kind }) => kind === 'settlement')!;
  // The sample at EXPIRY - 15 min saw the index that was in force before the operator's price: 900 of 1,800 seconds at each.
  assert.equal(settled.amount, '1500');
  const { data: { points } } = await buyer!.get('/historical-theos', { instrument_name: 'BTC-20260327-100000-C', interval: '5m' });
  assert.ok(points.length >= 7, `marks were made all the way, ${points.length} points`);
  const { accrued } = await buyer!.get('/funding/payments', { wallet: buyer!.wallet, symbol: 'BTC-PERP' });
  assert.ok(Number(accrued) < 0, accrued);
  assert.equal((await venue.stop()).code, 0);
});

test('a step back, too far, of neither or both kinds, or of a clock that runs by itself is refused and moves nothing', async (t) => {
  const scene = await open(t, 'manual');
  const refusal = async (body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answer = await fetch(`${scene.venue.url}/admin/clock`, { method: 'POST', headers, body: JSON.stringify(body) });
    return [answer.status, ((await answer.json()) as { message: string }).message];
  };
  assert.deepEqual(await refusal({ to_ms: START - 1 }), [409, 'The clock is past that time and never goes back']);
  for (const body of [{ by_ms: 31 * 86_400_000 + 1 }, { to_ms: START * 1_000 }]) {
    assert.deepEqual(await refusal(body), [400, 'Invalid parameter: a step of the clock is at most 31 days']);
  }
  for (const body of [{}, { to_ms: START, by_ms: 0 }]) {
    assert.deepEqual(await refusal(body), [400, 'Invalid parameter: either to_ms or by_ms']);
  }
  const stranger = await fetch(`${scene.venue.url}/admin/clock`, { method: 'POST', body: '{"by_ms":1}' });
  assert.equal(stranger.status, 401);
  assert.equal(await time(scene), START);
  await Promise.all(Array.from({ length: 8 }, () => scene.operator.act('POST /admin/clock', { by_ms: 0 })));
  assert.equal(await time(scene), START);
  await scene.venue.stop();
  const { venue } = await runningVenue(t, {
    data: scene.data, flags: ['--feed', 'manual', '--workers', '1', '--clock-start', new Date(START).toISOString(), '--admin-token', TOKEN],
  });
  const running = new Operator(venue.url, TOKEN).act('POST /admin/clock', { by_ms: 1 });
  await assert.rejects(running, (error: StrikebookError) => error.status === 409 && /only with `--clock-speed 0`/.test(error.message));
});

test('given the same requests, when they come at other moments, then the state is the same to the last bit', async (t) => {
  const hashes: string[] = [];
  for (const pause of [0, 30]) {
    const scene = await open(t, 'sim');
    await scene.operator.stepClock(START + 1_000);
    await sleep(pause);
    const traders = await trade(scene);
    await sleep(pause);
    await traders[0]!.cancelAll('');
    for (const at of [START + 20_000, START + 20_001, EXPIRY - MINUTE, EXPIRY + 10_000]) {
      await scene.operator.stepClock(at);
      await sleep(pause);
    }
    const { reason } = await traders[1]!.placeOrder({ symbol: 'BTC-PERP', side: 'Sell', size: '1', price: '120000' });
    assert.equal(reason, null, 'the index is fresh: the feed went along');
    assert.equal((await scene.venue.stop()).code, 0);
    hashes.push(hashOf(recover({ dataFolder: scene.data, limits: PRODUCTION }).state));
  }
  assert.equal(hashes[0], hashes[1]);
});

test('given the same way, when the clock stops more often, or the process is killed on it, then every account is the same', async (t) => {
  const end = EXPIRY + 5 * MINUTE;
  const run = async (stops: readonly number[], killAt: number | null): Promise<object> => {
    let scene = await open(t, 'manual');
    await scene.operator.act('POST /admin/index-price', { underlying: 'BTC', price: '100100' });
    let traders = await trade(scene);
    for (const stop of [...stops, end]) {
      if (killAt !== null && stop >= killAt) {
        const stepping = scene.operator.stepClock(stop).catch(() => undefined);
        await sleep(30);
        await scene.venue.kill();
        await stepping;
        scene = await open(t, 'manual', scene.data);
        assert.ok(await time(scene) <= stop);
        traders = [await trader(scene, 1), await trader(scene, 2)];
        killAt = null;
      }
      await scene.operator.stepClock(stop);
    }
    const seen = await accounts(traders);
    await scene.venue.kill();
    return seen;
  };
  const whole = await run([], null);
  assert.deepEqual(await run([], START), whole, 'killed');
  const stops = fc.uniqueArray(fc.integer({ min: START, max: end }), { maxLength: 6 }).map((all) => all.sort((a, b) => a - b));
  await fc.assert(fc.asyncProperty(stops, fc.option(fc.integer({ min: START, max: end })), async (at, killAt) => {
    assert.deepEqual(await run(at, killAt), whole);
  }), { numRuns: 1 });
});

test('what is asked during a step, by a trader or the operator, is taken before it or after it', async (t) => {
  const scene = await open(t, 'manual');
  await scene.operator.act('POST /admin/index-price', { underlying: 'BTC', price: '100000' });
  const [buyer] = await trade(scene);
  const stepping = scene.operator.stepClock(EXPIRY - MINUTE);
  await sleep(100);
  const credit = { wallet: buyer!.wallet, amount: '1', reason: 'on the way', id: 'one' };
  const [{ timestamp }, { data: { created_at: createdAt } }] = await Promise.all([
    buyer!.placeOrder({ symbol: 'BTC-PERP', side: 'Buy', size: '1', price: '90000' }), scene.operator.act('POST /admin/credit', credit),
  ]);
  for (const at of [timestamp, Date.parse(createdAt)]) {
    assert.ok([START, EXPIRY - MINUTE].includes(at), `taken at ${new Date(at).toISOString()}`);
  }
  await stepping;
});

test('a stop on the way ends cleanly where the clock is, and a step in which nothing is due is there after a restart', async (t) => {
  const scene = await open(t, 'sim');
  const stepping = scene.operator.stepClock(START + 86_400_000).catch((error: unknown) => error);
  await sleep(300);
  const { code, err } = await scene.venue.stop();
  assert.equal(code, 0, err);
  assert.ok(await stepping instanceof StrikebookError);
  const reached = recover({ dataFolder: scene.data, limits: PRODUCTION }).state.clock[TIME]!;
  assert.ok(reached > START && reached < START + 86_400_000, new Date(reached).toISOString());

  const quiet = await open(t, 'manual');
  await quiet.operator.stepClock(START + 12_345);
  await quiet.venue.kill();
  assert.equal(await time(await open(t, 'manual', quiet.data)), START + 12_345);
});
