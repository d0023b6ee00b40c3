// The trading page under load in Chromium: a stub in place of a venue serves the built page and sends changes of the shown book and of the
// chain, of 3,000 contracts in all. Prints how long the page's main thread works in each 1/60 s. Needs `npm run build`.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { WebSocketServer, type WebSocket } from 'ws';
import { crc32 } from '../client/src/crc32.ts';
import { CHROMIUM } from '../test/support/chromium.ts';
import { figure, heading, quantile, spread } from './machine.ts';

const PAGE = fileURLToPath(new URL('../dist/page/', import.meta.url));
const EXPIRIES = 10;
const STRIKES = 150;
/** Changes a second: levels of the shown book, and sides of rows of the shown chain. */
const BOOK_CHANGES = 15_000;
const CHAIN_CHANGES = 5_000;
const TICK_MS = 10;
/** Levels that one message of the book changes. */
const LEVELS = 20;
const DEPTH = 200;
const SETTLE_MS = 5_000;
const FRAME_US = 1e6 / 60;
const PERP = 'BTC-PERP';
const FIRST = 1_900_000_000;

type Side = Map<number, string>;
type Sending = { bookSeq: number | null; isChain: boolean; readonly bids: Side; readonly asks: Side };

const GETS: Readonly<Record<string, () => object>> = {
  '/exchange-info': () => ({
    exchange_address: `0x${'0'.repeat(40)}`, chain_id: 998, signing_domain: { name: 'Strikebook', version: '1' }, perp_source: 'Strikebook',
    perp_signing_domain: { name: 'Exchange', version: '1', chain_id: 1_337 }, venue_id: 'stub', head_seq: 1, head_hash: '',
    perp_assets: [{ underlying: 'BTC', symbol: PERP, asset: 0 }],
  }),
  '/time': () => ({ time_ms: Date.now() }),
  '/markets': () => ({
    success: true, data: Array.from({ length: EXPIRIES }, (_, at) => ({
      underlying: 'BTC', expiry: FIRST + at * 86_400, index_price: '100000', trading_mode: 'orderbook',
    })),
  }),
};

function serve(path: string): { readonly status: number; readonly type: string; readonly body: string | Buffer } {
  const answer = GETS[path];
  if (answer !== undefined) return { status: 200, type: 'application/json', body: JSON.stringify(answer()) };
  const file = PAGE + (path === '/' ? 'index.html' : path.slice(1));
  const none = '{"error":"not_found","message":"stub"}';
  if (!existsSync(file) || path.includes('..')) return { status: 404, type: 'application/json', body: none };
  const type = path === '/' ? 'text/html' : path.endsWith('.css') ? 'text/css' : 'text/javascript';
  return { status: 200, type, body: readFileSync(file) };
}

function levelsOf(side: Side, sign: number): [string, string][] {
  return [...side].sort(([one], [other]) => sign * (one - other)).map(([price, size]) => [String(price), size]);
}

function bookMessage(state: Sending, changed: readonly [Side, number][], isSnapshot: boolean): object {
  const [bids, asks] = [levelsOf(state.bids, -1), levelsOf(state.asks, 1)];
  const texts = Array.from({ length: 25 }, (_, rank) => [bids[rank], asks[rank]]).flat().filter((level) => level !== undefined).flat();
  const of = (side: Side) => changed.filter(([one]) => one === side).map(([, price]) => [String(price), side.get(price)!])
    .sort(([one], [other]) => (side === state.bids ? -1 : 1) * (Number(one) - Number(other)));
  const before = state.bookSeq;
  state.bookSeq = (before ?? 0) + 1;
  return {
    type: 'BookUpdate', is_snapshot: isSnapshot, symbol: PERP, prev_seq: isSnapshot ? null : before, seq: state.bookSeq,
    bids: isSnapshot ? bids : of(state.bids), asks: isSnapshot ? asks : of(state.asks), checksum: crc32(texts.join(':')),
    timestamp: Date.now(),
  };
}

function chainMessage(at: number, seq: number): object {
  const strike = 50_000 + Math.floor(at / 2) % STRIKES * 1_000;
  const kind = at % 2 === 0 ? 'call' : 'put';
  const bid = 1_000 + Math.floor(Math.random() * 500) / 10;
  const leg = {
    symbol: `BTC-20300317-${strike}-${kind === 'call' ? 'C' : 'P'}`, option_token_address: null, bid_price_usd: bid, bid_iv: 0.61,
    bid_size_contracts: 1.5, bid_size_usd_notional: null, ask_price_usd: bid + 5, ask_iv: 0.62, ask_size_contracts: 2,
    ask_size_usd_notional: null, greeks_abs: { delta: 0.5, gamma: 0.00001, theta: -20, vega: 40 }, greeks_cash: null,
  };
  const row = { strike, [kind]: leg };
  return { type: 'OptionsChainUpdate', action: 'Upsert', currency: 'BTC', expiry: FIRST, row, timestamp: Date.now(), seq };
}

/** One connection: answers subscriptions, then sends changes for as long as it is open. */
function follow(client: WebSocket, sent: { changes: number }): void {
  const state: Sending = { bookSeq: null, isChain: false, bids: new Map(), asks: new Map() };
  const say = (message: object): void => client.send(JSON.stringify(message));
  for (let at = 1; at <= DEPTH; at++) {
    state.bids.set(100_000 - at * 10, '1.5');
    state.asks.set(100_000 + at * 10, '1.5');
  }
  let chained = 0;
  const tick = (): void => {
    if (state.bookSeq !== null) {
      for (let left = BOOK_CHANGES * TICK_MS / 1_000; left > 0; left -= LEVELS) {
        const changed = new Map<number, Side>();
        while (changed.size < Math.min(LEVELS, left)) {
          const side = Math.random() < 0.5 ? state.bids : state.asks;
          const price = 100_000 + (side === state.bids ? -10 : 10) * (1 + Math.floor(Math.random() ** 2 * DEPTH));
          side.set(price, (Math.floor(Math.random() * 900 + 1) / 100).toString());
          changed.set(price, side);
        }
        say(bookMessage(state, [...changed].map(([price, side]) => [side, price]), false));
        sent.changes += changed.size;
      }
    }
    for (let left = CHAIN_CHANGES * TICK_MS / 1_000; state.isChain && left > 0; left--) {
      say(chainMessage(Math.floor(Math.random() * 2 * STRIKES), ++chained));
      sent.changes++;
    }
  };
  const timer = setInterval(tick, TICK_MS);
  client.on('close', () => clearInterval(timer));
  client.on('message', (data: Buffer) => {
    const { type, channel, id } = JSON.parse(data.toString()) as { type: string; channel?: string; id?: number };
    if (type === 'Subscribe') say({ type: 'Subscribed', channel, id });
    if (type === 'Subscribe' && channel === 'book') say(bookMessage(state, [], true));
    if (type === 'Subscribe' && channel === 'options_chain') {
      for (let at = 0; at < 2 * STRIKES; at++) say(chainMessage(at, ++chained));
      state.isChain = true;
    }
  });
  say({ type: 'Hello', connection: '0'.repeat(16), venue_id: 'stub' });
}

/** Of a trace; times in µs. `tdur`: of the processor. */
type Event = {
  readonly name: string; readonly ph: string; readonly pid: number; readonly tid: number; readonly ts: number; readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
};

/** Processor time of the main thread in each 1/60 s of the trace, ms, ascending. A task within a task is not counted again. */
function workOf(trace: { readonly traceEvents: readonly Event[] }): Float64Array {
  const tasks = trace.traceEvents.filter(({ name, ph }) => ph === 'X' && name.endsWith('RunTask'));
  const mains = trace.traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const busyOf = (main: Event): readonly Event[] => tasks.filter(({ pid, tid }) => pid === main.pid && tid === main.tid);
  const busy = mains.map(busyOf).sort((one, other) => other.length - one.length)[0]!;
  const [from, to] = [Math.min(...busy.map(({ ts }) => ts)), Math.max(...busy.map(({ ts }) => ts))];
  const frames = new Float64Array(Math.ceil((to - from) / FRAME_US) + 1);
  let over = 0;
  for (const { ts, dur = 0, tdur = dur } of busy.toSorted((one, other) => one.ts - other.ts)) {
    if (ts < over || dur === 0) continue;
    over = ts + dur;
    for (let at = ts; at < ts + dur;) {
      const frame = Math.floor((at - from) / FRAME_US);
      const end = Math.min(ts + dur, from + (frame + 1) * FRAME_US);
      frames[Math.min(frames.length - 1, frame)]! += (end - at) * tdur / dur / 1_000;
      at = end <= at ? at + 1 : end;
    }
  }
  return frames.sort();
}

async function run(seconds: number): Promise<void> {
  const sent = { changes: 0 };
  if (CHROMIUM === undefined) throw new Error('no Chromium is installed');
  const server = createServer((request, response) => {
    const { status, type, body } = serve(new URL(request.url!, 'http://stub').pathname);
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  new WebSocketServer({ server }).on('connection', (client) => follow(client, sent));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  await page.goto(`http://127.0.0.1:${(server.address() as { port: number }).port}/`);
  await page.locator('.ladder .best').first().waitFor();
  await sleep(SETTLE_MS);
  const before = { ...sent, at: performance.now() };
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await sleep(seconds * 1_000);
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly Event[] };
  const rate = (sent.changes - before.changes) / (performance.now() - before.at) * 1_000;
  heading(`the trading page with ${EXPIRIES * STRIKES * 2} contracts, its book and one chain shown, over ${seconds} s`);
  figure('changes sent', rate, '/s');
  const work = workOf(trace);
  spread('processor time of the main thread in 1/60 s', work, 'ms');
  figure('the same, p95', quantile(work, 0.95), 'ms');
  await browser.close();
  server.closeAllConnections();
  server.close();
}

await run(Number(process.argv[2] ?? 10));
