// `npm run demo` and `npm run order`: a market within ten seconds, sums that add up, a clean end by itself and by Ctrl-C, and one line
// for each error of the order script.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { make, type Actor } from '../../../scripts/demo/traders.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const script = (name: string): string => fileURLToPath(new URL(`../../../scripts/${name}.ts`, import.meta.url));
const LIVELY_WITHIN_S = 10;

test('the demo trades within ten seconds, its sums add up, and it ends cleanly', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script('demo'), '--seconds', '6'], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, stderr);
  assert.equal(stderr, '');
  const lines = stdout.split('\n').filter((line) => line.includes('orders/s'));
  const lively = lines.findIndex((line) => Number(/ ([0-9]+) trades/.exec(line)?.[1]) > 0);
  assert.ok(lively >= 0 && lively < LIVELY_WITHIN_S, stdout);
  for (const line of lines) assert.doesNotMatch(line, /refused/);
  const [, btc, eth] = lines.at(-1)!.split(' | ');
  for (const top of [btc!, eth!]) {
    const [, bid, ask] = / ([0-9.]+) \/ ([0-9.]+)$/.exec(top)!;
    assert.ok(Number(bid) > 0 && Number(bid) < Number(ask), top);
  }
  // 4 makers and 6 takers have 10 million each; wallets are read one after the other, so a mark may move in between.
  const sum = Number(/= ([0-9,]+)$/.exec(lines.at(-1)!)![1]!.replaceAll(',', ''));
  assert.ok(Math.abs(sum - 100_000_000) < 10_000, lines.at(-1));
  assert.match(stdout, /demo: the venue stopped with 0\n$/);
});

test('when the venue refuses to move a quote, the demo\'s market maker cancels it and quotes again', async () => {
  const told: string[] = [];
  const [expiry, market] = [Math.floor(Date.now() / 1_000) + 7 * 86_400, { underlying: 'BTC', atm_vol: '0.5' }];
  const contract = { instrument_name: 'BTC-X', strike: 100_000, expiration_timestamp: expiry * 1_000, option_type: 'call' };
  let index = 100_000;
  let id = 0;
  const venue = {
    get: async (path: string) => (path === '/instruments' ? [contract] : { data: [{ ...market, expiry, index_price: index += 5_000 }] }),
  };
  const socket = {
    subscribe: async () => undefined,
    placeOrders: async (terms: object[]) => {
      told.push(`place ${terms.length}`);
      return { results: terms.map((_, at) => ({ index: at, success: true, data: { order_id: ++id, filled_size: 0 } })) };
    },
    replaceOrders: async ([{ order_id: first }, { order_id: second }]: [{ order_id: number }, { order_id: number }]) => {
      told.push(`replace ${first} ${second}`);
      const refused = { success: false, data: { order_id: null, filled_size: 0 } };
      const filled = { ...refused, error: `Order ${first} is already filled and cannot be cancelled` };
      return { results: [{ index: 0, ...filled }, { index: 1, ...refused, error: 'Insufficient margin' }] };
    },
    cancelOrders: async (ids: number[]) => { told.push(`cancel ${ids.join(' ')}`); },
  };
  const tally = { placed: 0, replaced: 0, rejected: 0, trades: 0, failed: 0, lastRefusal: '' };
  const isOver = (): boolean => told.filter((what) => what.startsWith('place')).length > 1;
  await make({ venue, socket, tally, isOver } as unknown as Actor, { underlying: 'BTC', size: 1 }, 1);
  assert.deepEqual(told, ['place 2', 'replace 1 2', 'cancel 2', 'place 2']);
  assert.deepEqual([tally.rejected, tally.lastRefusal], [1, 'Insufficient margin']);
});

/** The demo with its data in a folder. A terminal sends a signal to its venue too, and so does `interrupt`. */
function startDemo(t: TestContext, folder: string) {
  const child = spawn(process.execPath, [script('demo'), '--data', folder], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const group = -child.pid!;
  t.after(() => { if (child.exitCode === null) process.kill(group, 'SIGKILL'); });
  return { out: child.stdout.setEncoding('utf8'), closed: once(child, 'close'), interrupt: () => { process.kill(group, 'SIGINT'); } };
}

test('Ctrl-C ends the demo and its venue', async (t) => {
  const folder = temporaryFolder(t);
  const demo = startDemo(t, folder);
  let out = '';
  demo.out.on('data', (text: string) => {
    if (!out.includes('orders/s') && text.includes('orders/s')) demo.interrupt();
    out += text;
  });
  const [code] = await demo.closed as [number | null];
  assert.equal(code, 0, out);
  assert.match(out, /demo: the venue stopped with 0\n$/);
  assert.ok(readdirSync(folder).includes('journal'), 'a folder that was named is kept');
});

test('Ctrl-C before the venue is ready ends the demo with success', async (t) => {
  const folder = temporaryFolder(t);
  const demo = startDemo(t, folder);
  let out = '';
  demo.out.on('data', (text: string) => { out += text; });
  while (readdirSync(folder).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  demo.interrupt();
  const [code] = await demo.closed as [number | null];
  assert.equal(code, 0, out);
  assert.match(out, /demo: the venue stopped with 0\n$/);
});

test('the order script reports an error in one line', () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--url', 'http://127.0.0.1:1'], /ECONNREFUSED.*is a venue running there\?/],
    [['--url', 'nowhere'], /--url: "nowhere" is no address/],
    [['--key', 'zz'], /--key: a key has 64 hex digits/],
    [['--key', '0'.repeat(64)], /--key: .*no private key/],
    [['BTC-20260109-100000-C', 'Buy'], /an order is SYMBOL SIDE SIZE PRICE; usage/],
    [['--surplus'], /--surplus.*usage/],
  ];
  for (const [args, line] of cases) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script('order'), ...args], { encoding: 'utf8' });
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    assert.match(stderr, /^order: [^\n]+\n$/);
    assert.match(stderr, line);
  }
});

test('when the reader of a command\'s output goes, as with `| head`, the command and its venue end silently', async (t) => {
  for (const [name, ...flags] of [['demo', '--data', temporaryFolder(t)], ['sim', '--steps', '500', '--runs', '1']] as const) {
    const child = spawn(process.execPath, [script(name), ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    t.after(() => child.kill('SIGKILL'));
    let wrong = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => { wrong += text; });
    const [first] = await once(child.stdout.setEncoding('utf8'), 'data') as [string];
    child.stdout.destroy();
    const [code] = await once(child, 'close');
    assert.deepEqual([code, wrong], [141, ''], name);
    const url = /venue at (http:\S+),/.exec(first)?.[1];
    if (name === 'demo') await assert.rejects(fetch(`${url}/health`), /fetch failed/);
  }
});
