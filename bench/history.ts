// The history store on this machine's disk: rows per second through the whole commit path, in commits of the thread's size, and the
// time of one page or lookup at the end, at random wallets and depths, as a fresh process would meet it (its own cache empty, the
// operating system's warm). Mix: each trade brings two fills, two done orders and two outcomes; a tenth of the wallets makes
// half of it. Prints; decides nothing.
//   node bench/history.ts [fills] [folder]   (default: 1,000,000 in the system's temporary folder)

import * as fs from 'node:fs';
import { arch, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Batch, HistoryQuery, Rows } from '../shell/history/protocol.ts';
import { HistoryStore } from '../shell/history/store.ts';

const VENUE = '0'.repeat(16);
const WALLETS = 1_000;
const SYMBOLS = 500;
const PER_COMMIT = 8_192;
const QUERIES = 500;
const TIME = 1_700_000_000_000;

const round = (value: number): string => Math.round(value).toLocaleString('en-US');

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

const random = generator(1);
const below = (end: number): number => Math.floor(random() * end);
const address = (number: number): string => `0x${(number * 2_654_435_761).toString(16).padStart(40, 'a')}`;
const addresses = Array.from({ length: WALLETS }, (_, number) => address(number));
const wallet = (): string => addresses[below(2) === 0 ? below(WALLETS / 10) : below(WALLETS)]!;
const underlyingOf = (number: number): string => (number % 2 === 0 ? 'BTC' : 'ETH');
const symbolOf = (number: number): string => `${underlyingOf(number)}-20260925-${number * 1_000}-C`;

/** Everything one trade brings, in the order of seq. */
function addTrade(rows: Rows, seq: number, kinds: 'fills' | 'all'): void {
  const [maker, taker, number, side] = [wallet(), wallet(), below(SYMBOLS), below(2)];
  const [symbol, underlying, time] = [symbolOf(number), underlyingOf(number), TIME + seq];
  const common = { seq, tradeId: seq, symbol, underlying, price: 1e6 * below(100_000), size: 1e4 * below(1_000), time };
  rows.trades.push({ ...common, maker, taker, makerFee: below(1e6), takerFee: below(1e6), takerSide: side });
  for (const isTaker of [true, false]) {
    const [own, ownSide] = isTaker ? [taker, side] : [maker, 1 - side];
    const orderId = seq * 2 + Number(isTaker);
    rows.fills.push({ ...common, fillId: orderId, orderId, wallet: own, side: ownSide, fee: below(1e6), isTaker, realized: below(1e9) - 5e8 });
    if (kinds === 'fills') continue;
    rows.orders.push({
      seq, orderId, wallet: own, symbol, side: ownSide, price: common.price, size: common.size, filled: common.size, tif: 0, flags: 0,
      clientId: below(2) === 0 ? '' : `client-${orderId}`, reason: 1 + below(3), createdAt: time, doneAt: time,
    });
    rows.outcomes.push({
      seq, wallet: own, nonce: String(time * 10 + Number(isTaker)), kind: 18, digest: seq.toString(16).padStart(64, '0'), code: 0,
      numbers: [orderId, 0, 0, 0], time, orderId: 0,
    });
  }
}

function fill(folder: string, fills: number, kinds: 'fills' | 'all'): void {
  const store = HistoryStore.open(folder, VENUE);
  const times: number[] = [];
  let rowCount = 0;
  let seq = 0;
  while (seq * 2 < fills) {
    const rows: Rows = { fills: [], trades: [], orders: [], outcomes: [] };
    const before = rowCount;
    while (rowCount - before < PER_COMMIT && seq * 2 < fills) {
      addTrade(rows, ++seq, kinds);
      rowCount += kinds === 'fills' ? 3 : 7;
    }
    const batch: Batch = { type: 'batch', seq, rows };
    const start = performance.now();
    store.commit([batch]);
    times.push(performance.now() - start);
  }
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1_000;
  store.close();
  const bytes = fs.statSync(join(folder, 'history.db')).size;
  console.log(`${kinds === 'fills' ? 'fills and trades' : 'fills, trades, orders, outcomes'}: ${round(rowCount)} rows in commits of`,
    `${round(PER_COMMIT)}: ${round(rowCount / seconds)} rows/s; commit ${spread(times)}; ${round(bytes / rowCount)} bytes a row`);
}

function spread(times: readonly number[]): string {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number): string => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
}

/** `deep` draws a skip for a wallet's page over half of what it has on average. */
function ask(folder: string, fills: number): void {
  const deep = (): number => below(fills / WALLETS / 2);
  const page = { limit: 1_000, skip: 0 };
  const kinds: [string, () => HistoryQuery][] = [
    ['fills of a wallet, newest 1,000', () => ({ name: 'fills', wallet: wallet(), ...page })],
    ['fills of a wallet, 1,000 anywhere', () => ({ name: 'fills', wallet: wallet(), limit: 1_000, skip: deep() })],
    ['fills of a wallet, 100 anywhere', () => ({ name: 'fills', wallet: wallet(), limit: 100, skip: deep() })],
    ['trades of all, 1,000 anywhere', () => ({ name: 'trades', limit: 1_000, skip: below(fills / 4) })],
    ['trades of a symbol, newest 1,000', () => ({ name: 'trades', symbol: symbolOf(below(SYMBOLS)), ...page })],
    ['trades of an underlying, 1,000 anywhere', () => ({ name: 'trades', underlying: 'BTC', limit: 1_000, skip: below(fills / 8) })],
    ['orders of a wallet, 50 anywhere', () => ({ name: 'orders', wallet: wallet(), reasons: null, limit: 50, skip: deep() })],
    ['orders of a wallet, two reasons, 50 anywhere', () => ({ name: 'orders', wallet: wallet(), reasons: [2, 3], limit: 50, skip: deep() })],
    ['order by id', () => ({ name: 'order', wallet: wallet(), orderId: below(fills) })],
    ['order by client id', () => ({ name: 'order', wallet: wallet(), clientId: `client-${below(fills)}` })],
    ['outcome of a nonce', () => ({ name: 'outcome', wallet: wallet(), nonce: String(TIME * 10 + below(fills)) })],
  ];
  for (const [name, draw] of kinds) {
    const store = HistoryStore.open(folder, VENUE);
    const times: number[] = [];
    let rows = 0;
    for (let i = 0; i < QUERIES; i++) {
      const query = draw();
      const start = performance.now();
      rows += store.answer(query).length;
      times.push(performance.now() - start);
    }
    store.close();
    console.log(`${name}: ${spread(times)}; ${round(rows / QUERIES)} rows on average`);
  }
}

const fills = Number(process.argv[2] ?? 1_000_000);
const base = fs.mkdtempSync(join(process.argv[3] ?? tmpdir(), 'strikebook-bench-'));
try {
  console.log(`node ${process.version}, ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, folder ${base}`);
  console.log(`${round(fills)} fills, ${round(WALLETS)} wallets, ${round(SYMBOLS)} symbols`);
  fill(join(base, 'fills'), fills, 'fills');
  fs.rmSync(join(base, 'fills'), { recursive: true });
  fill(join(base, 'all'), fills, 'all');
  ask(join(base, 'all'), fills);
} finally {
  fs.rmSync(base, { recursive: true });
}
