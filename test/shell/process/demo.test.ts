// `npm start -- --demo`, `npm run demo` and `npm run order`: a market within ten seconds, sums that add up, a clean end by itself and by
// Ctrl-C, and one line for each error of the order script.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Maker } from '../../../client/demo/maker.ts';
import { DemoMarket } from '../../../client/demo/market.ts';
import type { Contract, Prices } from '../../../client/demo/prices.ts';
import {
  connect, createPrivateKey, privateKeySigner, roundPrice, StrikebookError, type MassQuoteTerms, type QuoteAnswer, type QuoteTerms,
  type Strikebook,
} from '../../../client/src/main.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { BadSetting } from '../../../shell/process/bad-setting.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const script = (name: string): string => fileURLToPath(new URL(`../../../scripts/${name}.ts`, import.meta.url));

/** A maker of one option and a perp at an index of 100,000, and the mass quotes that it sends: `answer` says what becomes of each. */
async function makerWith(answer: (lines: readonly QuoteTerms[]) => Partial<QuoteAnswer>) {
  const sent: (readonly QuoteTerms[])[] = [];
  let fill = (_: { symbol: string; side: string }): void => undefined;
  const socket = {
    subscribe: async (_: string, { onMessage }: { onMessage: typeof fill }) => { fill = onMessage; },
    massQuote: async ({ quotes, crossing }: MassQuoteTerms) => {
      assert.equal(crossing, 'slide');
      sent.push(quotes);
      return { status: 'ACKED', reason: null, counts: { open: 1, reduced: 0 }, results: [], ...answer(quotes) };
    },
  };
  const terms = { strike: 100_000, expiry: Date.now() + 7 * 86_400_000, isCall: true, volatility: 0.5 };
  const contracts: Contract[] = [{ symbol: 'BTC-PERP', option: null }, { symbol: 'BTC-X-C', option: terms }];
  const prices = {
    index: 100_000, contracts, now: () => Date.now(), fairOf: ({ option }: Contract): number => (option === null ? prices.index : 3_000),
  };
  const tally = { placed: 0, quoted: 0, refused: 0, trades: 0, lastRefusal: '' };
  const venue = { socket: () => socket } as unknown as Strikebook;
  const maker = new Maker(venue, { prices: prices as unknown as Prices, size: 1, edge: 1, most: 10 }, tally);
  await maker.watchFills();
  return { maker, sent, prices, tally, fill: (symbol: string, side: string) => fill({ symbol, side }) };
}

test('a market maker of the demo sends only what has moved, was filled or was refused', async () => {
  let refused: string | null = null;
  const { maker, sent, prices, tally, fill } = await makerWith((lines) => ({
    results: lines.filter(({ symbol }) => symbol === refused).map(({ symbol }) => (
      { symbol, bid: { status: 'REJECTED', order_id: null, reason: 'Insufficient margin' }, ask: null }
    )),
  }));
  const symbolsOf = (lines: readonly QuoteTerms[] | undefined): string[] => (lines ?? []).map(({ symbol }) => symbol);
  await maker.quote();
  assert.deepEqual(symbolsOf(sent[0]), ['BTC-PERP', 'BTC-X-C']);
  for (const { bid, ask } of sent[0]!) assert.ok(Number(bid!.price) < Number(ask!.price) && Number(bid!.size) > 0.5);
  await maker.quote();
  assert.equal(sent.length, 1, 'nothing has moved');
  fill('BTC-X-C', 'Buy');
  await maker.quote();
  assert.deepEqual([symbolsOf(sent[1]), sent[1]![0]!.ask], [['BTC-X-C'], undefined], 'only the filled side');
  refused = 'BTC-PERP';
  prices.index = 100_500;
  await maker.quote();
  assert.deepEqual([symbolsOf(sent[2]), tally.refused, tally.lastRefusal], [['BTC-PERP'], 1, 'BTC-PERP: Insufficient margin']);
  refused = null;
  await maker.quote();
  assert.deepEqual(symbolsOf(sent[3]), ['BTC-PERP']);
  assert.ok(sent[3]![0]!.bid !== undefined && sent[3]![0]!.ask !== undefined);
});

test('a market maker of the demo leaves no quote behind: of a contract that it drops, or a bid for what is worthless', async () => {
  let isDown = false;
  const { maker, sent, prices, fill } = await makerWith(() => {
    if (isDown) throw new StrikebookError('timeout', 'no answer');
    return {};
  });
  await maker.quote();
  prices.fairOf = ({ option }) => (option === null ? prices.index : 8);
  await maker.quote();
  const [worthless] = sent[1]!;
  assert.deepEqual([worthless!.symbol, worthless!.bid, Number(worthless!.ask!.price)], ['BTC-X-C', { size: 0 }, 13]);
  await maker.quote();
  assert.equal(sent.length, 2, 'a bid is removed once');
  fill('BTC-X-C', 'Sell');
  const removal = [{ symbol: 'BTC-X-C', bid: { size: 0 }, ask: { size: 0 } }];
  prices.contracts.pop();
  isDown = true;
  await assert.rejects(maker.quote(), /no answer/);
  isDown = false;
  await maker.quote();
  assert.deepEqual(sent.slice(2), [removal, removal], 'after a fill of a part too, and until it is answered');
  await maker.quote();
  assert.equal(sent.length, 4);
});

test('a mass quote that fails is sent again as a whole', async () => {
  let isDown = true;
  const { maker, sent } = await makerWith(() => {
    if (isDown) throw new StrikebookError('timeout', 'no answer');
    return {};
  });
  await assert.rejects(maker.quote(), /no answer/);
  isDown = false;
  await maker.quote();
  assert.deepEqual(sent[1], sent[0]);
});

const WITHIN_MS = 60_000;
/** Until `isSo` gives something. */
async function until<T>(what: string, isSo: () => Promise<T | null | undefined>): Promise<T> {
  for (const end = Date.now() + WITHIN_MS; Date.now() < end; await sleep(200)) {
    const found = await isSo();
    if (found !== null && found !== undefined) return found;
  }
  throw new Error(`no ${what} within ${WITHIN_MS / 1_000} s`);
}

test('a maker of the demo that has lost its connection for good does not keep the other from quoting', async (t) => {
  const data = temporaryFolder(t);
  const venue = await VenueProcess.start({ data, flags: ['--feed', 'sim'] });
  t.after(() => venue.kill());
  await venue.ready();
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim();
  const market = new DemoMarket({ url: venue.url, token, keyOf: createPrivateKey, say: () => undefined });
  t.after(() => market.close());
  await market.open();
  const [lost, other] = market.makers;
  lost!.socket.close();
  await until('refusal of the lost one', async () => (market.tally.lastRefusal.includes('closed') ? true : null));
  let rounds = 0;
  const quote = other!.quote.bind(other);
  other!.quote = () => quote().finally(() => { rounds++; });
  await until('two rounds of the other', async () => (rounds >= 2 ? true : null));
  market.close();
  await market.ended;
});

test('a venue with --demo has a market where a visitor\'s order fills, after a kill too; Ctrl-C ends all of it', async (t) => {
  const data = temporaryFolder(t);
  const start = (): Promise<VenueProcess> => VenueProcess.start({ data, flags: ['--demo'] });
  let process = await start();
  t.after(() => process.kill());
  await process.ready();
  const venue = await connect(process.url, { signer: privateKeySigner(createPrivateKey()) });
  const bookOf = async (symbol: string) => {
    const { bids, asks } = await venue.get('/orderbook', { instrument_name: symbol });
    return bids.length > 0 && asks.length > 0 ? { bid: bids[0]!, ask: asks[0]! } : null;
  };
  const summaries = await until('quotes of 300 options', async () => {
    const rows = await venue.get('/options-summary', { currency: 'BTC' });
    return rows.filter((row) => (row.best_bid_size ?? 0) > 0 && (row.best_ask_size ?? 0) > 0).length > 300 ? rows : null;
  });
  for (const { bid_price: bid, ask_price: ask, mark_price: mark, best_bid_size: size } of summaries) {
    if ((size ?? 0) > 0) assert.ok(bid < ask && Math.abs(mark - (bid + ask) / 2) < ask - bid);
  }
  for (const symbol of ['BTC-PERP', 'ETH-PERP']) await until(`book of ${symbol}`, () => bookOf(symbol));
  // At the money: farther strikes lose their bid when the index moves.
  const distance = ({ instrument_name: name, underlying_price: index }: typeof summaries[number]): number => (
    Math.abs(Number(name.split('-')[2]) - index)
  );
  const quoted = summaries.filter(({ best_ask_size: size }) => (size ?? 0) >= 1);
  const { instrument_name: option } = quoted.reduce((a, b) => (distance(b) < distance(a) ? b : a));
  for (const [symbol, size] of [['BTC-PERP', '1'], ['ETH-PERP', '10'], [option, '1']] as const) {
    const { ask } = await until(`book of ${symbol}`, () => bookOf(symbol));
    const price = roundPrice(ask[0] * 1.02, 'up');
    const { filled_size: filled } = await venue.placeOrder({ symbol, side: 'Buy', size, price, tif: 'ioc' });
    assert.equal(filled, Number(size), symbol);
  }
  await until('trades', async () => ((await venue.get('/trades', {})).data.length > 3 ? true : null));
  const makers = async (): Promise<string[]> => {
    const headers = { authorization: `Bearer ${readFileSync(join(data, 'admin-token'), 'utf8').trim()}` };
    const { data: accounts } = await (await fetch(`${process.url}/admin/accounts`, { headers })).json() as {
      data: { wallet: string; tier: string }[];
    };
    return accounts.filter(({ tier }) => tier === 'market_maker').map(({ wallet }) => wallet).sort();
  };
  const before = await makers();
  assert.equal(before.length, 4);

  // A kill leaves no thread behind, and the same wallets come back to the same folder.
  await process.kill();
  process = await start();
  await process.ready();
  const again = await connect(process.url);
  const { data: [last] } = await again.get('/trades', { limit: 1 });
  await until('trade after the kill', async () => (
    (await again.get('/trades', { limit: 1 })).data[0]!.trade_id > last!.trade_id ? true : null
  ));
  assert.deepEqual(await makers(), before);
  const line = /demo: 4 makers \(tier market_maker\) and 4 takers trade BTC and ETH/;
  await until('line of the demo', async () => (line.test(process.out) ? true : null));
  process.signal('SIGINT');
  const { code, err } = await process.ended;
  assert.equal(code, 0, err);
  assert.doesNotMatch(err, /demo/);
});

test('--demo is refused around a real index and with a fast clock, in one line', () => {
  const refused = (...args: string[]) => assert.throws(() => readConfig(args, {}), (error) => (
    error instanceof BadSetting && /^--demo needs [^\n]+$/.test(error.message)
  ), args.join(' '));
  refused('--demo', '--feed', 'hyperliquid');
  refused('--demo', '--clock-speed', '60');
  assert.throws(() => readConfig([], { DEMO: 'yes' }), /--demo must be on or off, not "yes" \(DEMO of the environment\)/);
  const on = (args: string[], environment = {}): boolean => (readConfig(args, environment) as Config).demo;
  assert.deepEqual([on([]), on(['--demo']), on([], { DEMO: 'on' }), on(['--demo', '--feed', 'manual'])], [false, true, true, true]);
});

/** The demo with its data in a folder. A terminal sends a signal to its venue too, and so does `interrupt`. */
function startDemo(t: TestContext, folder: string) {
  const child = spawn(process.execPath, [script('demo'), '--data', folder], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const group = -child.pid!;
  t.after(() => { if (child.exitCode === null) process.kill(group, 'SIGKILL'); });
  const err: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text));
  return { out: child.stdout.setEncoding('utf8'), err, closed: once(child, 'close'), interrupt: () => { process.kill(group, 'SIGINT'); } };
}

test('the demo trades, its sums add up, and Ctrl-C ends it and its venue', async (t) => {
  const folder = temporaryFolder(t);
  const demo = startDemo(t, folder);
  let out = '';
  let isEnding = false;
  const reports = (): string[] => out.split('\n').slice(0, -1).filter((line) => line.includes('orders/s'));
  const hasTraded = (line: string): boolean => Number(/ ([0-9]+) trades/.exec(line)?.[1]) > 0;
  demo.out.on('data', (text: string) => {
    out += text;
    // A report after the first with trades.
    if (isEnding || !reports().slice(0, -1).some(hasTraded)) return;
    isEnding = true;
    demo.interrupt();
  });
  const [code] = await demo.closed as [number | null];
  assert.equal(code, 0, out);
  assert.deepEqual(demo.err, []);
  const lines = reports();
  assert.ok(lines.some(hasTraded), out);
  for (const line of lines) assert.doesNotMatch(line, /refused/);
  const [, btc, eth] = lines.at(-1)!.split(' | ');
  for (const top of [btc!, eth!]) {
    const [, bid, ask] = / ([0-9.]+) \/ ([0-9.]+)$/.exec(top)!;
    assert.ok(Number(bid) > 0 && Number(bid) < Number(ask), top);
  }
  // 4 makers have 100 million each and 4 takers 10; wallets are read one after the other, so a mark may move in between.
  const sum = Number(/= ([0-9,]+)$/.exec(lines.at(-1)!)![1]!.replaceAll(',', ''));
  assert.ok(Math.abs(sum - 440_000_000) < 10_000, lines.at(-1));
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
