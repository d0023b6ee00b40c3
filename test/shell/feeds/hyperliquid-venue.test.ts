// The feed against a stand-in that speaks Hyperliquid's documented messages: first its thread alone (well, cut off, mute, absurd, slow,
// out of order), then a venue that runs on it and whose folder replays without a network.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createWallet, Http, signerFor, type OrderUpdate } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import type { FeedStatus } from '../../../shell/ipc/status.ts';
import { SharedValue } from '../../../shell/ipc/shared-value.ts';
import { createWiring } from '../../../shell/process/wiring.ts';
import { assertSound } from '../../support/audit.ts';
import { frame, Hyperliquid } from '../../support/hyperliquid.ts';
import { recoveredVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { sendJson } from '../../support/upstream.ts';

const FEED = new URL('../../../shell/process/threads/feed.ts', import.meta.url);
const WITHIN_MS = 60_000;

type Prices = Record<string, number>;
type Feed = { readonly next: (isIt: (prices: Prices) => boolean) => Promise<Prices>; readonly sources: () => FeedStatus };

type Ready = {
  readonly status: string; readonly degraded: boolean; readonly components: readonly { readonly name: string }[];
  readonly index_prices: readonly { readonly underlying: string; readonly source: string }[];
};

/** The feed's thread, as main has it. */
async function feedOf(t: TestContext, hyperliquid: Hyperliquid): Promise<Feed> {
  const config = { hyperliquidWs: hyperliquid.ws, hyperliquidInfo: hyperliquid.info, log: 'text' };
  const { measures } = createWiring(1);
  const feed = new Worker(FEED, { workerData: { settings: { config }, measures }, stderr: true });
  const told: Prices[] = [];
  feed.on('message', (message: { type: string; prices: ReadonlyMap<string, number> }) => {
    if (message.type === 'prices') told.push(Object.fromEntries(message.prices));
  });
  t.after(async () => {
    const stopped = once(feed, 'exit');
    feed.postMessage({ type: 'stop' });
    await stopped;
  });
  feed.postMessage({ type: 'underlyings', names: ['BTC', 'ETH', 'NONE'] });
  const next = async (isIt: (prices: Prices) => boolean): Promise<Prices> => {
    for (const end = performance.now() + WITHIN_MS; performance.now() < end; await sleep(10)) {
      for (let prices = told.shift(); prices !== undefined; prices = told.shift()) {
        for (const price of Object.values(prices)) assert.ok(price > 1e6, `a price of ${price}`);
        if (isIt(prices)) return prices;
      }
    }
    return assert.fail('the feed says nothing of the kind');
  };
  const board = new SharedValue<FeedStatus>(measures.statuses.feed);
  return { next, sources: () => board.read() ?? {} };
}

describe('the feed\'s thread', { concurrency: true }, () => {
  test('prices come once both sources have sent; a cut, torn or huge message costs only a connection', cutAndHuge);
  test('no absurd price and no mid beyond the oracle\'s bound is passed on, and the feed recovers afterwards', absurd);
  test('mids alone are enough if the oracle never answers, and oracle prices alone if no mids come', eitherAlone);
  test('requests for oracle prices never overlap, and a slow one is given up', slow);
  test('a quiet server is pinged, and one that does not answer is replaced by a new connection', quiet);
  test('a connection that is accepted but never opened is given up', neverOpened);
  test('a server that answers pings but sends no mids is replaced by a new connection', forgetful);
});

async function cutAndHuge(t: TestContext): Promise<void> {
  const hyperliquid = await Hyperliquid.start(t);
  const { next } = await feedOf(t, hyperliquid);
  await hyperliquid.subscribed();
  hyperliquid.sendMids({ BTC: '100010', ETH: '3500', DOGE: '0.1' });
  assert.deepEqual(await next(() => true), { BTC: 100_010e6, ETH: 3_500e6 });
  // With an oracle price on its way there would be two right answers.
  const held: ServerResponse[] = [];
  hyperliquid.upstream.behave = (_, response) => held.push(response);
  while (held.length === 0) await sleep(10);
  hyperliquid.sendMids({ BTC: '100110.01', ETH: 'NaN' });
  assert.deepEqual(await next(({ BTC }) => BTC !== 100_010e6), { BTC: 100_110.01e6 });
  hyperliquid.upstream.behave = hyperliquid.answer;

  hyperliquid.socket!.destroy();
  await hyperliquid.subscribed();
  hyperliquid.sendMids({ BTC: '100010', ETH: '3500' });
  hyperliquid.oracle = { BTC: '101000', ETH: '3400' };
  assert.deepEqual(await next(({ BTC }) => BTC === 100_495e6), { BTC: 100_495e6, ETH: 3_417e6 }, 'the oracle less and plus 0.5 %');

  const torn = frame(JSON.stringify({ channel: 'allMids', data: { mids: { BTC: '1' } } }));
  hyperliquid.socket!.end(torn.subarray(0, torn.length - 5));
  await hyperliquid.subscribed();
  hyperliquid.sendText('{"channel":"allMids","data":{"mids":{"BTC":"1');
  hyperliquid.sendText('not json at all');
  hyperliquid.sendMids({ BTC: '100010', ETH: '3500' });
  hyperliquid.sendText(`{"channel":"allMids","data":{"mids":{"BTC":"1","x":"${'9'.repeat(2_000_000)}"}}}`);
  await hyperliquid.subscribed();
  hyperliquid.sendMids({ BTC: '100010', ETH: '3500' });
  await next(({ BTC }) => BTC === 100_495e6);
}

async function absurd(t: TestContext): Promise<void> {
  const hyperliquid = await Hyperliquid.start(t);
  const { next } = await feedOf(t, hyperliquid);
  await hyperliquid.subscribed();
  hyperliquid.sendMids({ BTC: '100000', ETH: '3500' });
  await next(({ BTC, ETH }) => BTC === 100_000e6 && ETH === 3_500e6);
  for (const oracle of ['NaN', '-100000', '1', '106000']) {
    const asked = hyperliquid.upstream.questions.length;
    hyperliquid.oracle = { BTC: oracle, ETH: '3400' };
    while (hyperliquid.upstream.questions.length === asked) await sleep(10);
    hyperliquid.sendMids({ BTC: '100000', ETH: '3500' });
    const { BTC } = await next(({ ETH }) => ETH === 3_417e6);
    assert.ok(BTC === undefined || BTC === 100_000e6, `${BTC} of ${oracle}`);
    hyperliquid.oracle = { BTC: '100000', ETH: '3500' };
    await next(({ ETH }) => ETH === 3_500e6);
  }
  for (const mid of ['NaN', '0', '-1', '99000', '101000', '1', '999999999']) hyperliquid.sendMids({ BTC: mid });
  hyperliquid.sendMids({ BTC: '100060' });
  hyperliquid.oracle = { BTC: '100050', ETH: '3500' };
  await next(({ BTC }) => {
    assert.ok(BTC === undefined || Math.abs(BTC - 100_000e6) <= 100_000e6 * 0.005 + 50e6, String(BTC));
    return BTC === 100_060e6;
  });
}

async function eitherAlone(t: TestContext): Promise<void> {
  const isSo = async (what: string, so: () => boolean): Promise<void> => {
    for (const end = performance.now() + WITHIN_MS; !so(); await sleep(50)) if (performance.now() > end) assert.fail(`never ${what}`);
  };
  const mids = await Hyperliquid.start(t);
  mids.upstream.behave = (_, response) => response.destroy();
  const byMids = await feedOf(t, mids);
  await mids.subscribed();
  for (let i = 0; i < 3; i++) mids.sendMids({ BTC: '100000', ETH: '3500' });
  assert.deepEqual(await byMids.next(() => true), { BTC: 100_000e6, ETH: 3_500e6 });
  await isSo('mids alone', () => byMids.sources()['BTC'] === 'mid_alone' && byMids.sources()['NONE'] === 'none');
  const oracle = await Hyperliquid.start(t);
  oracle.manner = 'absent';
  const byOracle = await feedOf(t, oracle);
  assert.deepEqual(await byOracle.next(() => true), { BTC: 100_000e6, ETH: 3_500.5e6 });
  await isSo('oracle prices alone', () => byOracle.sources()['ETH'] === 'oracle_alone');
}

async function slow(t: TestContext): Promise<void> {
  const hyperliquid = await Hyperliquid.start(t);
  let open = 0;
  let most = 0;
  const held: ServerResponse[] = [];
  hyperliquid.upstream.behave = (_, response) => {
    most = Math.max(most, ++open);
    response.on('close', () => open--);
    held.push(response);
  };
  const { next } = await feedOf(t, hyperliquid);
  await hyperliquid.subscribed();
  while (held.length < 2) await sleep(10);
  // The first was given up; what it says now is heard by nobody.
  const late = [{ universe: [{ name: 'BTC' }] }, [{ oraclePx: '77777' }]];
  sendJson(held[0]!, late);
  hyperliquid.upstream.behave = hyperliquid.answer;
  hyperliquid.answer(hyperliquid.upstream.questions[1], held[1]!);
  hyperliquid.sendMids({ BTC: '100000' });
  assert.equal((await next(({ BTC }) => BTC !== undefined))['BTC'], 100_000e6);
  assert.equal(most, 1);
}

async function quiet(t: TestContext): Promise<void> {
  const hyperliquid = await Hyperliquid.start(t);
  const { next } = await feedOf(t, hyperliquid);
  await hyperliquid.subscribed();
  await once(hyperliquid, 'pinged');
  const first = hyperliquid.socket;
  hyperliquid.manner = 'mute';
  await once(hyperliquid, 'pinged');
  await once(hyperliquid, 'lost');
  hyperliquid.manner = 'polite';
  while (hyperliquid.socket === null || hyperliquid.socket === first) await hyperliquid.subscribed();
  hyperliquid.sendMids({ BTC: '100000' });
  await next(({ BTC }) => BTC === 100_000e6);
}

async function forgetful(t: TestContext): Promise<void> {
  const hyperliquid = await Hyperliquid.start(t);
  const { next } = await feedOf(t, hyperliquid);
  await hyperliquid.subscribed();
  let pings = 0;
  hyperliquid.on('pinged', () => pings++);
  await once(hyperliquid, 'lost');
  assert.ok(pings >= 3, `${pings} pings`);
  await hyperliquid.subscribed();
  hyperliquid.sendMids({ BTC: '100000' });
  await next(({ BTC }) => BTC === 100_000e6);
}

async function neverOpened(t: TestContext): Promise<void> {
  const hyperliquid = await Hyperliquid.start(t);
  hyperliquid.manner = 'absent';
  const { next } = await feedOf(t, hyperliquid);
  await once(hyperliquid, 'lost');
  hyperliquid.manner = 'polite';
  await hyperliquid.subscribed();
  hyperliquid.sendMids({ BTC: '100000' });
  await next(({ BTC }) => BTC === 100_000e6);
}

function flagsOf({ info, ws }: Hyperliquid): string[] {
  return ['--workers', '1', '--rate-limits', 'off', '--feed', 'hyperliquid', '--hyperliquid-ws', ws, '--hyperliquid-info', info];
}

/** Oracle prices from now on; answered to more than one question. */
async function addOracle(hyperliquid: Hyperliquid, prices: Record<string, string>): Promise<void> {
  const { questions } = hyperliquid.upstream;
  hyperliquid.oracle = prices;
  for (const asked = questions.length; questions.length < asked + 3;) await sleep(10);
}

/** What the feed has told of a coin on standard error, in order. */
function toldOf(coin: string, err: string): (string | undefined)[] {
  return [...err.matchAll(/feed hyperliquid: (.*)\n/g)].map(([, text]) => text).filter((text) => text?.includes(coin));
}

test('a venue on this feed refuses risk when prices stop, continues when they return, and replays alone', async (t) => {
  const hyperliquid = await Hyperliquid.start(t);
  const folder = temporaryFolder(t);
  const data = join(folder, 'data');
  const venue = await VenueProcess.start({ data, flags: flagsOf(hyperliquid) });
  t.after(() => venue.kill());
  const talk = setInterval(() => hyperliquid.sendMids({ BTC: '100000', ETH: '3500' }), 500);
  t.after(() => clearInterval(talk));
  await venue.ready();
  const http = new Http(venue.url);
  t.after(() => http.close());

  const indexes = async (): Promise<Record<string, string>> => {
    const { body } = await http.get('/markets') as { body: { data: { underlying: string; index_price: string }[] } };
    return Object.fromEntries(body.data.map(({ underlying, index_price }) => [underlying, index_price]));
  };
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    for (const end = performance.now() + WITHIN_MS; !(await isSo()); await sleep(400)) {
      if (performance.now() > end) assert.fail(`still not so: ${isSo}`);
    }
  };
  await until(async () => Object.keys(await indexes()).length === 2);
  assert.deepEqual(await indexes(), { BTC: '100000', ETH: '3500' });

  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim();
  const surface = JSON.stringify({ underlying: 'ETH', atm_vol: 0.81 });
  const given = await http.send({
    method: 'POST', path: '/admin/vol-surface', body: surface, headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(given.status, 200, given.text);

  const signer = await signerFor(http);
  const wallet = createWallet();
  const { body: listed } = await http.get('/instruments?currency=BTC') as { body: { instrument_name: string; kind?: string }[] };
  const symbol = listed.map((row) => row.instrument_name).find((name) => name.endsWith('-C'))!;
  const buy = async (): Promise<OrderUpdate> => {
    const order = signer.placeOrder(wallet, { symbol, side: 'Buy', size: '0.1', price: '1', tif: 'gtc' });
    return (await http.send(order)).body as OrderUpdate;
  };
  assert.equal((await buy()).reason, null);
  // One coin has no oracle price any more: its mid carries it on, and the trouble is not over for that.
  await addOracle(hyperliquid, { BTC: '100000' });
  // Everything is gone, for longer than an index stays fresh.
  clearInterval(talk);
  hyperliquid.manner = 'absent';
  hyperliquid.upstream.behave = (_, response) => response.destroy();
  hyperliquid.socket?.destroy();
  await until(async () => (await buy()).reason !== null);
  assert.match((await buy()).reason!, /No spot price available for underlying: BTC/);
  hyperliquid.manner = 'polite';
  hyperliquid.upstream.behave = hyperliquid.answer;
  hyperliquid.oracle = { BTC: '102000', ETH: '3600' };
  const again = setInterval(() => hyperliquid.sendMids({ BTC: '102100', ETH: '3600' }), 500);
  t.after(() => clearInterval(again));
  await until(async () => (await indexes())['BTC'] === '102100');
  assert.equal((await buy()).reason, null);
  const { code, err } = await venue.stop();
  assert.equal(code, 0, err);
  assert.match(err, /feed hyperliquid: mids: .+\n/);
  assert.match(err, /feed hyperliquid: oracle prices: the connection failed \(UND_ERR_SOCKET\)\n/);
  assert.match(err, /feed hyperliquid: oracle prices: all is well again\n/);
  assert.deepEqual(toldOf('ETH', err), ['oracle price of ETH: there is none', 'oracle price of ETH: all is well again']);

  clearInterval(again);
  hyperliquid.upstream.close();
  assert.match(assertSound(data), /^audit: sound: seq 1 to \d+/);
});

for (const { way, source, start } of [
  {
    way: 'mids', source: 'mid_alone',
    start: (hyperliquid: Hyperliquid) => { hyperliquid.upstream.behave = (_, response) => response.destroy(); },
  },
  { way: 'oracle prices', source: 'oracle_alone', start: (hyperliquid: Hyperliquid) => { hyperliquid.manner = 'absent'; } },
]) {
  test(`a venue with ${way} alone is not ready before the first price, then lists and trades, and reports its source`, async (t) => {
    const hyperliquid = await Hyperliquid.start(t);
    start(hyperliquid);
    const { oracle } = hyperliquid;
    hyperliquid.oracle = {};
    const { venue, http } = await recoveredVenue(t, { data: join(temporaryFolder(t), 'data'), flags: flagsOf(hyperliquid) });
    const before = await http.get('/ready') as { status: number; body: Ready };
    assert.equal(before.status, 503, JSON.stringify(before.body));
    const feed = before.body.components.find(({ name }) => name === 'feed');
    assert.deepEqual(feed, {
      name: 'feed', state: 'not_ready', ready: false, detail: 'the feed has not brought any index price since the start',
    });
    hyperliquid.oracle = oracle;
    const talk = setInterval(() => hyperliquid.sendMids({ BTC: '100000', ETH: '3500' }), 500);
    t.after(() => clearInterval(talk));
    await venue.ready();
    const rows = async (): Promise<Ready> => (await http.get('/ready') as { body: Ready }).body;
    for (const end = performance.now() + WITHIN_MS; !(await rows()).index_prices.every((row) => row.source === source); await sleep(200)) {
      if (performance.now() > end) assert.fail(JSON.stringify(await rows()));
    }
    const { status, degraded, index_prices: prices } = await rows();
    assert.deepEqual([status, degraded, prices.map(({ underlying }) => underlying)], ['ready', true, ['BTC', 'ETH']]);
    const { text } = await http.get('/metrics');
    assert.match(text, new RegExp(`^strikebook_index_source\\{underlying="BTC",source="${source}"\\} 1$`, 'm'));
    assert.match(text, /^strikebook_component_state\{component="feed"\} 1$/m);
    const { body: listed } = await http.get('/instruments?currency=BTC') as { body: { instrument_name: string }[] };
    const symbol = listed.map((row) => row.instrument_name).find((name) => name.endsWith('-C'))!;
    const signer = await signerFor(http);
    const order = signer.placeOrder(createWallet(), { symbol, side: 'Buy', size: '0.1', price: '1', tif: 'gtc' });
    const { body } = await http.send(order) as { body: OrderUpdate };
    assert.deepEqual([body.status, body.reason], ['ACKED', null]);
    assert.equal((await venue.stop()).code, 0);
  });
}
