// Underlyings besides BTC and ETH: valid lists, the one-line error for others, and a venue with SOL. It has an index from the operator,
// the simulator or outside, options, a perp and margin; later starts keep it and can add more.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_UNDERLYINGS } from '../../../core/limits.ts';
import { BadSetting } from '../../../shell/process/bad-setting.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import { createWallet, signerFor, type Http } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { Hyperliquid } from '../../support/hyperliquid.ts';
import { runningVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { refused } from './refused.ts';

const WITHIN_MS = 60_000;
const many = (count: number): string => Array.from({ length: count }, (_, at) => `COIN${at}`).join(',');

test('--underlyings adds names after BTC and ETH, each once', () => {
  const of = (args: readonly string[], environment = {}): readonly string[] => (readConfig(args, environment) as Config).underlyings;
  assert.deepEqual(of([]), ['BTC', 'ETH']);
  assert.deepEqual(of(['--underlyings', 'SOL,1INCH']), ['BTC', 'ETH', 'SOL', '1INCH']);
  assert.deepEqual(of([], { UNDERLYINGS: 'SOL,ETH,SOL' }), ['BTC', 'ETH', 'SOL']);
  assert.equal(of(['--underlyings', many(MAX_UNDERLYINGS - 2)]).length, MAX_UNDERLYINGS);
});

test('an invalid name or too many names are refused in one line with the bound', () => {
  for (const text of ['sol', 'SOL,', ',', 'SOL, XRP', 'NINECHARS', 'BTC-PERP', 'ÄTH']) {
    assert.throws(() => readConfig(['--underlyings', text], {}), (error) => (
      error instanceof BadSetting && /^--underlyings: "[^\n]*" is not a name of 1 to 8 characters of A-Z and 0-9$/.test(error.message)
    ), text);
  }
  const tooMany = /--underlyings: a venue has at most 16 underlyings, BTC and ETH among them, not 17/;
  assert.throws(() => readConfig(['--underlyings', many(MAX_UNDERLYINGS - 1)], {}), { name: 'BadSetting', message: tooMany });
});

type Running = { readonly venue: VenueProcess; readonly http: Http; readonly authorization: string; get(path: string): Promise<any> };

async function run(t: TestContext, data: string, flags: readonly string[]): Promise<Running> {
  const { venue, http } = await runningVenue(t, { data, flags: ['--workers', '1', ...flags] });
  const get = async (path: string): Promise<any> => {
    const { status, text, body } = await http.get(path);
    assert.equal(status, 200, text);
    return body;
  };
  return { venue, http, authorization: `Bearer ${readFileSync(join(data, 'admin-token'), 'utf8').trim()}`, get };
}

async function listed({ get }: Running): Promise<readonly string[]> {
  const { perp_assets: assets } = await get('/exchange-info') as { perp_assets: { asset: number; symbol: string; underlying: string }[] };
  assets.forEach(({ asset, symbol, underlying }, at) => {
    assert.equal(asset, at);
    assert.equal(symbol, `${underlying}-PERP`);
  });
  return assets.map(({ underlying }) => underlying);
}

/** Waits for options of SOL; answers the symbol of one. */
async function option({ get }: Running): Promise<string> {
  for (const until = performance.now() + WITHIN_MS; performance.now() < until; await sleep(50)) {
    const [first] = await get('/instruments?currency=SOL') as { instrument_name: string }[];
    if (first !== undefined) return first.instrument_name;
  }
  return assert.fail('no option of SOL is listed');
}

async function prices({ get }: Running): Promise<Map<string, number>> {
  const { data } = await get('/markets?include_instruments=false') as { data: { underlying: string; index_price: string }[] };
  return new Map(data.map(({ underlying, index_price: price }) => [underlying, Number(price)]));
}

async function stop({ venue }: Running): Promise<void> {
  const { code, err } = await venue.stop();
  assert.equal(code, 0, err);
}

test('a venue with SOL lists its options, takes orders and margins them; a start without the flag keeps SOL', async (t) => {
  const folder = temporaryFolder(t);
  const data = join(folder, 'data');
  const file = join(folder, 'settings.json');
  writeFileSync(file, '{"preset": {"SOL": "venue17"}}');
  const first = await run(t, data, ['--feed', 'manual', '--underlyings', 'SOL', '--settings', file]);
  assert.deepEqual(await listed(first), ['BTC', 'ETH', 'SOL']);
  const set = await first.http.post('/admin/index-price', { underlying: 'SOL', price: '150' }, { authorization: first.authorization });
  assert.equal(set.status, 200, set.text);
  const symbol = await option(first);
  assert.match(symbol, /^SOL-20[0-9]{6}-[0-9]+(\.[0-9]+)?-[CP]$/);
  const signer = await signerFor(first.http);
  const [seller, buyer] = [createWallet(), createWallet()];
  const mode = await first.http.send(signer.setMarginMode(seller, 'portfolio'));
  assert.equal(mode.status, 200, mode.text);
  const place = async (wallet: typeof seller, of: string, side: 'Buy' | 'Sell', size: string, price: string): Promise<void> => {
    const { text, body } = await first.http.send(signer.placeOrder(wallet, { symbol: of, side, size, price }));
    assert.equal((body as { status: string }).status, 'ACKED', text);
  };
  for (const [wallet, side] of [[seller, 'Sell'], [buyer, 'Buy']] as const) await place(wallet, 'SOL-PERP', side, '100', '150');
  await place(buyer, symbol, 'Buy', '1', '0.5');
  const portfolio = await first.get(`/portfolio?wallet=${seller.address}`);
  // 15 % of 15,000 USDC by the smaller grid; 16 % by the usual one.
  assert.equal(portfolio.total_margin_used, '2250');
  const { data: orders } = await first.get(`/orders?wallet=${buyer.address}`) as { data: { symbol: string }[] };
  assert.deepEqual(orders.map((order) => order.symbol).sort(), [symbol, 'SOL-PERP'].sort());
  await stop(first);

  const second = await run(t, data, ['--feed', 'manual']);
  assert.deepEqual(await listed(second), ['BTC', 'ETH', 'SOL']);
  assert.equal((await second.get(`/portfolio?wallet=${seller.address}`)).total_margin_used, '2400');
  await stop(second);

  const third = await run(t, data, ['--feed', 'sim', '--underlyings', 'XRP']);
  assert.deepEqual(await listed(third), ['BTC', 'ETH', 'SOL', 'XRP']);
  let seen = new Map<string, number>();
  for (const until = performance.now() + WITHIN_MS; seen.size < 4 && performance.now() < until; await sleep(50)) seen = await prices(third);
  assert.ok(Math.abs(seen.get('SOL')! - 150) < 15 && Math.abs(seen.get('XRP')! - 100) < 10, JSON.stringify([...seen]));
  await stop(third);
  const line = refused(['--port', '0', '--data', data, '--underlyings', many(MAX_UNDERLYINGS - 2)]);
  assert.match(line, /a venue has at most 16 underlyings, and the journal has SOL, XRP beside those of --underlyings/);
});

test('the hyperliquid feed gives prices for any of its coins', async (t) => {
  const folder = temporaryFolder(t);
  const hyperliquid = await Hyperliquid.start(t);
  hyperliquid.oracle = { BTC: '100000', ETH: '3500', SOL: '150.25' };
  const source = ['--feed', 'hyperliquid', '--hyperliquid-ws', hyperliquid.ws, '--hyperliquid-info', hyperliquid.info];
  const running = await run(t, join(folder, 'data'), [...source, '--underlyings', 'SOL']);
  hyperliquid.sendMids({ BTC: '100000', ETH: '3500', SOL: '150.25' });
  await option(running);
  assert.equal((await prices(running)).get('SOL'), 150.25);
  await stop(running);
});
