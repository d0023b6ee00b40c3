// A stand-in for a venue, for the trading page under load. It serves the built page and sends changes of one book and one chain, recorded
// beforehand from a seed, again and again: the recording of the book ends where it began. Needs `npm run build`.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { WebSocketServer, type WebSocket } from 'ws';
import { crc32 } from '../../client/src/crc32.ts';
import { Random } from '../sim/random.ts';

const PAGE = fileURLToPath(new URL('../../dist/page/', import.meta.url));
const EXPIRIES = 10;
export const STUB_STRIKES = 150;
export const STUB_CONTRACTS = EXPIRIES * STUB_STRIKES * 2;
const PERP = 'BTC-PERP';
const FIRST = 1_900_000_000;
const TICK_MS = 10;
/** On a loaded machine it sends fewer changes, as a venue does to a slow reader: the page and the test need their share. */
const LONGEST_TICK_MS = 50;
const BACKLOG_BYTES = 1_048_576;
const DEPTH = 200;
const MIDDLE = 100_000;
const STEP = 10;
/** Levels that one message changes: of a book a venue sends one in 10 ms at most. Messages of a recording, size of levels at its start. */
const LEVELS = 150;
const MESSAGES = 500;
const CHAIN_MESSAGES = 5_000;
const START = '1.5';
const CHECKED_LEVELS = 25;

type SideName = 'bids' | 'asks';
type Change = readonly [side: SideName, price: number, size: string];
type Levels = Readonly<Record<SideName, Map<number, string>>>;
type BookMessage = { readonly changes: readonly Change[]; readonly rest: string };

const GETS: Readonly<Record<string, () => object>> = {
  '/exchange-info': () => ({
    exchange_address: `0x${'0'.repeat(40)}`, chain_id: 998, signing_domain: { name: 'Strikebook', version: '1' }, perp_source: 'Strikebook',
    perp_signing_domain: { name: 'Exchange', version: '1', chain_id: 1_337 }, venue_id: 'stub', head_seq: 1, head_hash: '',
    perp_assets: [{ underlying: 'BTC', symbol: PERP, asset: 0 }],
  }),
  '/time': () => ({ time_ms: Date.now() }),
  '/markets': () => ({
    success: true, data: Array.from({ length: EXPIRIES }, (_, at) => ({
      underlying: 'BTC', expiry: FIRST + at * 86_400, index_price: String(MIDDLE), trading_mode: 'orderbook',
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

function startLevels(): Levels {
  const at = (sign: number) => new Map(Array.from({ length: DEPTH }, (_, rank) => [MIDDLE + sign * STEP * (rank + 1), START]));
  return { bids: at(-1), asks: at(1) };
}

/** Best first. */
function sorted(levels: Levels, side: SideName): [string, string][] {
  const sign = side === 'bids' ? -1 : 1;
  return [...levels[side]].sort(([one], [other]) => sign * (one - other)).map(([price, size]) => [String(price), size]);
}

/** What follows the numbers of a message: the changes, best first, and the checksum of the book after them. */
function restOf(levels: Levels, changes: readonly Change[]): string {
  const [bids, asks] = [sorted(levels, 'bids'), sorted(levels, 'asks')];
  const texts = Array.from({ length: CHECKED_LEVELS }, (_, rank) => [bids[rank], asks[rank]]).flat(2);
  const of = (side: SideName): [string, string][] => sorted({ ...levels, [side]: new Map(
    changes.filter(([one]) => one === side).map(([, price, size]) => [price, size])) }, side);
  const body = { bids: of('bids'), asks: of('asks'), checksum: crc32(texts.join(':')), timestamp: Date.now() };
  return JSON.stringify(body).slice(1);
}

function recordBook(random: Random): readonly BookMessage[] {
  const levels = startLevels();
  const messages: BookMessage[] = [];
  const add = (changes: readonly Change[]): void => {
    for (const [side, price, size] of changes) levels[side].set(price, size);
    messages.push({ changes, rest: restOf(levels, changes) });
  };
  while (messages.length < MESSAGES) {
    const changes = new Map<string, Change>();
    while (changes.size < LEVELS) {
      const side = random.chance(0.5) ? 'bids' : 'asks';
      const price = MIDDLE + (side === 'bids' ? -STEP : STEP) * (1 + Math.floor(random.fraction() ** 2 * DEPTH));
      changes.set(`${side} ${price}`, [side, price, String(random.between(1, 900) / 100)]);
    }
    add([...changes.values()]);
  }
  for (const side of ['bids', 'asks'] as const) {
    const prices = [...levels[side].keys()];
    for (let at = 0; at < prices.length; at += LEVELS) add(prices.slice(at, at + LEVELS).map((price) => [side, price, START]));
  }
  return messages;
}

function chainRest(contract: number, random: Random): string {
  const strike = 50_000 + Math.floor(contract / 2) % STUB_STRIKES * 1_000;
  const kind = contract % 2 === 0 ? 'call' : 'put';
  const bid = 1_000 + random.between(0, 500) / 10;
  const leg = {
    symbol: `BTC-20300317-${strike}-${kind === 'call' ? 'C' : 'P'}`, option_token_address: null, bid_price_usd: bid, bid_iv: 0.61,
    bid_size_contracts: 1.5, bid_size_usd_notional: null, ask_price_usd: bid + 5, ask_iv: 0.62, ask_size_contracts: 2,
    ask_size_usd_notional: null, greeks_abs: { delta: 0.5, gamma: 0.00001, theta: -20, vega: 40 }, greeks_cash: null,
  };
  const update = { action: 'Upsert', currency: 'BTC', expiry: FIRST, row: { strike, [kind]: leg }, timestamp: Date.now() };
  return JSON.stringify(update).slice(1);
}

type Recording = { readonly book: readonly BookMessage[]; readonly opening: readonly string[]; readonly chain: readonly string[] };

function record(seed: number): Recording {
  const random = new Random(seed);
  return {
    book: recordBook(random), opening: Array.from({ length: 2 * STUB_STRIKES }, (_, at) => chainRest(at, random)),
    chain: Array.from({ length: CHAIN_MESSAGES }, () => chainRest(random.between(0, 2 * STUB_STRIKES - 1), random)),
  };
}

/** Changes a second: levels of the shown book, and sides of rows of the shown chain. */
type Load = { readonly book: number; readonly chain: number };
type Sending = { changes: number; isStopped: boolean; levels: Levels };

/** One connection: answers subscriptions, then sends changes until it closes. */
function follow(client: WebSocket, load: Load, { book, chain, opening }: Recording, sending: Sending): void {
  let [seq, chained, at, chainAt] = [0, 0, 0, 0];
  let [hasBook, hasChain, due, chainDue] = [false, false, 0, 0];
  const say = (message: object): void => client.send(JSON.stringify(message));
  const sayChain = (rest: string): void => client.send(`{"type":"OptionsChainUpdate","seq":${++chained},${rest}`);
  const sayBook = (isSnapshot: boolean, rest: string): void => {
    const before = isSnapshot ? 'null' : seq;
    client.send(`{"type":"BookUpdate","is_snapshot":${isSnapshot},"symbol":"${PERP}","prev_seq":${before},"seq":${++seq},${rest}`);
  };
  let last = performance.now();
  const timer = setInterval(() => {
    const passed = Math.min(LONGEST_TICK_MS, performance.now() - last) / 1_000;
    last = performance.now();
    if (sending.isStopped || client.bufferedAmount > BACKLOG_BYTES) return;
    if (hasBook) due += load.book * passed;
    for (; due >= LEVELS; due -= LEVELS, at++) {
      const { changes, rest } = book[at % book.length]!;
      for (const [side, price, size] of changes) sending.levels[side].set(price, size);
      sayBook(false, rest);
      sending.changes += changes.length;
    }
    if (hasChain) chainDue += load.chain * passed;
    for (; chainDue >= 1; chainDue--, chainAt++, sending.changes++) sayChain(chain[chainAt % chain.length]!);
  }, TICK_MS);
  client.on('close', () => clearInterval(timer));
  client.on('message', (data: Buffer) => {
    const { type, channel, id } = JSON.parse(data.toString()) as { type: string; channel?: string; id?: number };
    if (type !== 'Subscribe') return;
    say({ type: 'Subscribed', channel, id });
    if (channel === 'book') {
      sending.levels = startLevels();
      at = 0;
      const all = (side: SideName): Change[] => [...sending.levels[side].keys()].map((price) => [side, price, START]);
      sayBook(true, restOf(sending.levels, [...all('bids'), ...all('asks')]));
      hasBook = true;
    }
    if (channel === 'options_chain') {
      for (const rest of opening) sayChain(rest);
      hasChain = true;
    }
  });
  say({ type: 'Hello', connection: '0'.repeat(16), venue_id: 'stub' });
}

type PageStub = {
  readonly url: string;
  /** Changes sent so far. */
  sent(): number;
  /** No more changes are sent. Returns the book as it is now, best first. */
  stop(): Readonly<Record<SideName, readonly (readonly [price: string, size: string])[]>>;
  close(): void;
};

export async function startPageStub(load: Load, seed = 1): Promise<PageStub> {
  const recording = record(seed);
  const sending: Sending = { changes: 0, isStopped: false, levels: startLevels() };
  const server = createServer((request, response) => {
    const { status, type, body } = serve(new URL(request.url!, 'http://stub').pathname);
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  new WebSocketServer({ server }).on('connection', (client) => follow(client, load, recording, sending));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    sent: () => sending.changes,
    stop: () => {
      sending.isStopped = true;
      return { bids: sorted(sending.levels, 'bids'), asks: sorted(sending.levels, 'asks') };
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
