// Rows that need their own venue: one behind a proxy, where each forwarded address is a network source; one whose index falls; one that
// is filled with competitions.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { perp } from '../../shell/api/perps.ts';
import { order } from '../../shell/api/requests.ts';
import { nobleSigner, type Signer } from '../../shell/api/wallets.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { Desk, LONG, someone, type Answer } from './desk.ts';

const START = '2026-01-05T07:00:00Z';
/** No minute ends while requests are counted. */
const STILL = 0.001;
let lastSeed = 900_000;
let lastHost = 0;

const PROXY = ['--trust-proxy', 'on'];

const open = (flags: readonly string[], speed = STILL): Promise<Desk> => Desk.open({ start: START, speed, caps: {}, flags });

let desk: Desk;
before(async () => { desk = await open(PROXY); });
after(() => desk?.close());

const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
/** An IPv4 address that nothing else here has. */
const host = (): string => `198.51.${100 + (++lastHost >> 8)}.${lastHost & 255}`;

/** First orders of new wallets, a few at a time. */
async function openings(desk: Desk, count: number, addressOf: (i: number) => string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < count; i += 25) {
    answers.push(...await Promise.all(Array.from({ length: Math.min(25, count - i) }, (_, k) => {
      const signer: Signer = nobleSigner(++lastSeed);
      return desk.post('/order', order(signer, { symbol: LONG, price: '1', tif: 'ioc' }), from(addressOf(i + k)));
    })));
  }
  return answers;
}

const taken = (answers: readonly Answer[]): number => answers.filter(({ body }) => body.status === 'ACKED').length;

test('bound: new wallets of a source, of a /56, of a /48 and of all', async (t) => {
  // As by default, but of all: 2,000 would take their time to sign.
  const venue = await open([...PROXY, '--new-wallets', '20,60,200,320']);
  t.after(() => venue.close());
  const own = host();
  const [last] = (await openings(venue, 21, () => own)).filter(({ status }) => status !== 200) as [Answer];
  assert.deepEqual([last.status, last.body.error], [429, 'rate_limit_exceeded']);
  assert.match(last.body.message, /^Rate limit exceeded: 20 new wallets per hour and /);
  assert.equal(taken(await openings(venue, 70, (i) => `2001:db8:1:${i >> 2}::1`)), 60, 'of a /56');
  assert.equal(taken(await openings(venue, 210, (i) => `2001:db8:2:${(i >> 2 << 8).toString(16)}::1`)), 200, 'of a /48');
  assert.equal(taken(await openings(venue, 60, (i) => `203.0.${i >> 2}.1`)), 40, 'of all');
  const { info } = (await desk.get('/openapi.json')).body;
  const told = info.description.replaceAll('\n', ' ');
  assert.ok(told.includes('20 from an IPv4 address or IPv6 /64, 60 from a /56, 200 from a /48, 2000 in all'));
});

test('bound: requests of a source', async () => {
  const address = host();
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < BOUNDS.sourceRequests + 50; sent += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => desk.send('GET', '/exchange-info', undefined, from(address))));
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assert.deepEqual([...statuses], [[200, BOUNDS.sourceRequests], [429, 50]]);
  assert.equal((await desk.send('GET', '/exchange-info', undefined, from(host()))).status, 200, 'another source');
});

test('bound: failed signatures of a source', async () => {
  const address = host();
  const items = Array.from({ length: 50 }, () => ({ ...order(someone(), { symbol: LONG }), price: '7' }));
  let bulk = await desk.post('/bulk_order', { orders: items }, from(address));
  for (let sent = 1; bulk.status === 200; sent++, bulk = await desk.post('/bulk_order', { orders: items }, from(address))) {
    assert.ok(sent < 2_000, 'the budget never ends');
    assert.ok(bulk.body.results.every(({ success }: any) => success === false));
  }
  assert.deepEqual([bulk.status, bulk.body.error], [429, 'rate_limit_exceeded']);
  assert.match(bulk.body.message, /failed signatures per minute$/);
  const single = await desk.post('/order', order(someone(), { symbol: LONG, price: '1' }), from(address));
  assert.equal(single.body.status, 'ACKED', 'an order that is signed as it should be is still taken');
});

test('bound: risk simulations in the process', async () => {
  const body = { positions: [{ symbol: LONG, amount: '1' }] };
  const simulate = (address: string): Promise<Answer> => desk.post('/risk/simulate/portfolio', body, from(address));
  const sources = Array.from({ length: 10 }, host);
  for (const address of sources) for (let i = 0; i < 60; i++) assert.equal((await simulate(address)).status, 200);
  const { status, body: { error } } = await simulate(host());
  assert.deepEqual([status, error], [429, 'rate_limit_exceeded']);
});

test('error: an opening order in liquidation', async (t) => {
  const venue = await open([], 20);
  t.after(() => venue.close());
  const [long, short] = [someone(), someone()];
  const trade = (signer: Signer, side: string): Promise<Answer> => (
    venue.post('/order', perp(signer, { side, price: '100000', size: '900' }))
  );
  for (const [signer, side] of [[long, 'Buy'], [short, 'Sell']] as const) {
    const { body } = await trade(signer, side);
    assert.equal(body.status, 'ACKED', JSON.stringify(body));
  }
  // At 93,000 the long side has 3.7 M of its 10 M left, and needs 5 % of 83.7 M.
  for (const price of ['98000', '95500', '93000']) await venue.administer('/admin/index-price', { underlying: 'BTC', price });
  const opening = async (): Promise<string> => (
    (await venue.post('/order', perp(long, { price: '80000', size: '1', tif: 'ioc' }))).body.reason ?? ''
  );
  await venue.until(async () => await opening() === 'Account is in liquidation: only closing orders are accepted');
});

test('error: a bid above the price band', async (t) => {
  const settings = join(temporaryFolder(t), 'settings.json');
  writeFileSync(settings, '{ "price_band": "10 %" }');
  const venue = await open(['--settings', settings], 1);
  t.after(() => venue.close());
  const { body } = await venue.post('/order', perp(someone(), { side: 'Buy', price: '110010', size: '1' }));
  assert.deepEqual([body.status, body.reason], ['REJECTED', 'Price outside band: 90000 to 110000']);
  const within = await venue.post('/order', perp(someone(), { side: 'Buy', price: '110000', size: '1' }));
  assert.equal(within.body.status, 'ACKED');
});

test('error: no room for another competition', async () => {
  const { body: { timestamp } } = await desk.get(`/orderbook?instrument_name=${LONG}`);
  const terms = {
    name: 'One of many', start_ts_ms: timestamp + 86_400_000, end_ts_ms: timestamp + 2 * 86_400_000, win_conditions: ['pnl'],
    primary_win_condition: 'pnl',
  };
  let made = 0;
  let last = await desk.post('/competitions', terms, desk.admin);
  for (; last.status === 200 && made < 2_000; made++) last = await desk.post('/competitions', terms, desk.admin);
  assert.deepEqual([last.status, last.body.error, last.body.message, made], [
    503, 'engine_busy', 'The engine has no room for more competitions', 1_024,
  ]);
});
