// Expiries with a simulated clock: the command shown in docs/SETTINGS.md starts early enough to settle one. An expiry with too few
// samples waits for the operator's price, and every status page says so.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Http } from '../../../scripts/client.ts';
import { runningVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const EXPIRY = Date.parse('2026-01-05T08:00:00Z');
const TOKEN = 'token-of-the-expiry-test';
const WITHIN_MS = 120_000;

type Row = { readonly expiration_timestamp: number; readonly status: string };

/** Flags of the command in docs/SETTINGS.md that starts a simulated clock, without its folder. */
function shownFlags(): readonly string[] {
  const commands = [...readFileSync('docs/SETTINGS.md', 'utf8').matchAll(/^npm start -- --data \S+ (.*--clock-start .*)$/gm)];
  assert.equal(commands.length, 1);
  return commands[0]![1]!.split(' ');
}

/** Statuses of the contracts of that morning. */
async function statuses(http: Http): Promise<ReadonlySet<string>> {
  const { body } = await http.get('/instruments?currency=BTC&status=all') as { body: readonly Row[] };
  return new Set(body.filter((row) => row.expiration_timestamp === EXPIRY).map(({ status }) => status));
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + WITHIN_MS; !await isSo(); await sleep(300)) {
    if (performance.now() > end) assert.fail(`never so: ${what}`);
  }
}

test('the documented simulated-clock command settles its expiry without an operator\'s price', async (t) => {
  const { venue, http } = await runningVenue(t, { data: join(temporaryFolder(t), 'data'), flags: shownFlags() });
  await until('listed', async () => (await statuses(http)).has('ACTIVE'));
  await until('settled', async () => [...await statuses(http)].join() === 'SETTLED');
  assert.equal((await venue.stop()).code, 0);
  assert.doesNotMatch(venue.err, /settlement price/);
});

test('an expiry with too few samples is shown as waiting by log, /ready, metrics, its status and /admin/status', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  // A minute of 30: no more than 60 of 1,800 samples.
  const flags = ['--clock-start', '2026-01-05T07:59:00Z', '--clock-speed', '30', '--workers', '1', '--admin-token', TOKEN];
  const { venue, http } = await runningVenue(t, { data, flags });
  const authorization = `Bearer ${TOKEN}`;
  const ready = async (): Promise<any> => {
    const { status, body } = await http.get('/ready');
    assert.equal(status, 200, 'a waiting expiry is no reason to take nothing');
    return body;
  };
  const waiting = async (): Promise<any[]> => (await ready()).waiting_expiries;
  await until('waiting', async () => (await waiting()).length === 2);
  const { degraded, components } = await ready();
  const expiries = components.find(({ name }: { name: string }) => name === 'expiries');
  assert.deepEqual([degraded, expiries.state, expiries.ready], [true, 'degraded', true]);
  assert.match(expiries.detail, /^BTC 2026-01-05: \d+ expired contracts wait for the operator's settlement price/);

  const { body: listed } = await http.get('/instruments?currency=BTC&status=EXPIRED_PENDING_PRICE') as { body: readonly Row[] };
  const row = { underlying: 'BTC', expiry: EXPIRY, contracts: listed.length, status: 'EXPIRED_PENDING_PRICE' };
  assert.ok(listed.length > 0 && listed.every(({ status }) => status === 'EXPIRED_PENDING_PRICE'));
  assert.deepEqual((await waiting())[0], row);
  const admin = async (headers: Record<string, string>) => http.send({ method: 'GET', path: '/admin/status', headers });
  assert.equal((await admin({})).status, 401);
  const { data: status } = (await admin({ authorization })).body as any;
  assert.deepEqual([status.degraded, status.waiting_expiries[0]], [true, row]);
  const [btc] = status.underlyings;
  assert.deepEqual([btc.underlying, btc.source, btc.waiting_expiries], ['BTC', 'sim', 1]);
  assert.ok(Number(btc.index_price) > 0 && btc.listed_contracts > 0 && status.disk_free_bytes > 0, JSON.stringify(status));
  const metrics = async (): Promise<string> => (await http.get('/metrics')).text;
  assert.match(await metrics(), /^strikebook_waiting_expiries\{underlying="BTC"\} 1$/m);
  await until('a line', () => /strikebook: expiries: BTC 2026-01-05: \d+ expired contracts wait for the operator's/.test(venue.err));

  for (const underlying of ['BTC', 'ETH']) {
    const price = { underlying, expiry: '2026-01-05', price: underlying === 'BTC' ? '100000' : '3500' };
    assert.equal((await http.post('/admin/settlement-price', price, { authorization })).status, 200);
  }
  await until('over', async () => (await waiting()).length === 0 && (await statuses(http)).has('SETTLED'));
  assert.match(await metrics(), /^strikebook_waiting_expiries\{underlying="BTC"\} 0$/m);
  await until('its line', () => /^expiries: BTC 2026-01-05: the expiry has its settlement price$/m.test(venue.out));
  assert.equal((await venue.stop()).code, 0);
  assert.equal(venue.err.match(/BTC 2026-01-05/g)!.length, 1, 'told once');
});
