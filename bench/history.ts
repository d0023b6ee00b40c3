// The history store on this machine's disk: rows per second through the whole commit path, in commits of the thread's size. Then the time
// of one page or lookup at random wallets and depths in a fresh process: its own cache is empty, the system's is warm.
//   node bench/history.ts [fills] [folder]   (default: 1,000,000 in the system's temporary folder; 10000000 needs 1.3 GB)
//   Runs: fills and trades; with two done orders and two outcomes a trade (at most 1,000,000 fills); with three order updates an order too.
//   A tenth of the wallets makes half of the rows.

import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { emptyRows, type HistoryQuery, type OrderRow, type OutcomeRow, type Rows } from '../shell/storage/history/protocol.ts';
import { HistoryStore } from '../shell/storage/history/history-store.ts';
import { Random } from '../test/sim/random.ts';
import { figure, heading, quantile, spread } from './machine.ts';

const VENUE = '0'.repeat(16);
const WALLETS = 1_000;
const SYMBOLS = 500;
const PER_COMMIT = 8_192;
const QUERIES = 500;
/** One order and outcome in this many is looked up later. */
const SAMPLE = 1_000;
const MOST_WITH_ALL = 1_000_000;
const TIME = 1_700_000_000_000;
const ROWS_A_TRADE = { 'fills and trades': 3, 'all rows': 7, 'all rows and order updates': 13 } as const;
const STATUSES = ['ACKED', 'OPEN', 'FILLED'];

const random = new Random(1);
const below = (end: number): number => Math.floor(random.fraction() * end);
const address = (number: number): string => `0x${(number * 2_654_435_761).toString(16).padStart(40, 'a')}`;
const addresses = Array.from({ length: WALLETS }, (_, number) => address(number));
const wallet = (): string => addresses[below(2) === 0 ? below(WALLETS / 10) : below(WALLETS)]!;
const underlyingOf = (number: number): string => (number % 2 === 0 ? 'BTC' : 'ETH');
const symbolOf = (number: number): string => `${underlyingOf(number)}-20260925-${number * 1_000}-C`;

type Kinds = keyof typeof ROWS_A_TRADE;
/** Messages of each wallet's stream so far. */
let told = new Map<string, number>();

function addTrade(rows: Rows, seq: number, kinds: Kinds): void {
  const [maker, taker, number, side] = [wallet(), wallet(), below(SYMBOLS), below(2)];
  const [symbol, underlying, time] = [symbolOf(number), underlyingOf(number), TIME + seq];
  const common = { seq, tradeId: seq, symbol, underlying, price: 1e6 * below(100_000), size: 1e4 * below(1_000), time };
  rows.trades.push({ ...common, maker, taker, makerFee: below(1e6), takerFee: below(1e6), takerSide: side });
  for (const isTaker of [true, false]) {
    const [own, ownSide] = isTaker ? [taker, side] : [maker, 1 - side];
    const orderId = seq * 2 + Number(isTaker);
    rows.fills.push({
      ...common, kind: 0, fillId: orderId, orderId, wallet: own, side: ownSide, fee: below(1e6), isTaker, realized: below(1e9) - 5e8,
      position: below(1e9) - 5e8,
    });
    if (kinds === 'fills and trades') continue;
    rows.orders.push({
      seq, orderId, wallet: own, symbol, side: ownSide, price: common.price, size: common.size, filled: common.size, tif: 0, flags: 0,
      clientId: below(2) === 0 ? '' : `client-${orderId}`, reason: 1 + below(3), createdAt: time, doneAt: time, terms: '',
    });
    rows.outcomes.push({
      seq, wallet: own, nonce: String(time * 10 + Number(isTaker)), kind: 18, digest: seq.toString(16).padStart(64, '0'), code: 0,
      numbers: [orderId, 0, 0, 0], time, orderId: 0, flags: 0, isMmpTriggered: false,
    });
    if (kinds === 'all rows') continue;
    for (const status of STATUSES) {
      const number = (told.get(own) ?? 0) + 1;
      told.set(own, number);
      const text = `[${orderId},${common.price},${common.size},"${symbol}",${ownSide},0,"","${status}",0,${time}]`;
      rows.messages.push({ seq, wallet: own, channel: 'order_updates', number, text });
    }
  }
}

function fill(folder: string, fills: number, kinds: Kinds): Sample {
  told = new Map();
  const sample: Sample = { orders: [], outcomes: [] };
  const store = HistoryStore.open(folder, VENUE);
  const times: number[] = [];
  let rowCount = 0;
  let seq = 0;
  while (seq * 2 < fills) {
    const rows = emptyRows();
    const before = rowCount;
    while (rowCount - before < PER_COMMIT && seq * 2 < fills) {
      addTrade(rows, ++seq, kinds);
      rowCount += ROWS_A_TRADE[kinds];
    }
    const start = performance.now();
    store.commit([{ type: 'batch', seq, rows }]);
    times.push(performance.now() - start);
    sample.orders.push(...rows.orders.filter((_, at) => at % SAMPLE === 0));
    sample.outcomes.push(...rows.outcomes.filter((_, at) => at % SAMPLE === 0));
  }
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1_000;
  store.close();
  const bytes = fs.statSync(join(folder, 'history.db')).size;
  figure(kinds, rowCount / seconds, 'rows/s', `${rowCount} rows in ${times.length} commits, from an empty store`);
  figure(`${kinds}, trades`, seq / seconds, 'trades/s');
  spread(`${kinds}, one commit`, Float64Array.from(times).sort(), 'ms');
  figure(`${kinds}, size`, bytes / rowCount, 'bytes/row');
  return sample;
}

type Sample = { orders: OrderRow[]; outcomes: OutcomeRow[] };
type Draw = readonly [name: string, draw: () => HistoryQuery];

function pagesOfFills(fills: number): Draw[] {
  const deep = (): number => below(fills / WALLETS / 2);
  return [
    ['fills of a wallet, newest 1,000', () => ({ name: 'fills', wallet: wallet(), limit: 1_000, skip: 0 })],
    ['fills of a wallet, 1,000 anywhere', () => ({ name: 'fills', wallet: wallet(), limit: 1_000, skip: deep() })],
    ['fills of a wallet, 100 anywhere', () => ({ name: 'fills', wallet: wallet(), limit: 100, skip: deep() })],
    ['fills of a wallet and symbol, newest 1,000', () => (
      { name: 'fills', wallet: wallet(), symbol: symbolOf(below(SYMBOLS)), limit: 1_000, skip: 0 }
    )],
    ['fills of a wallet within a time, 1,000 anywhere', () => {
      const from = TIME + below(fills / 4);
      return { name: 'fills', wallet: wallet(), from, to: from + fills / 8, limit: 1_000, skip: below(fills / WALLETS / 8) };
    }],
    ['fills of a wallet and symbol within a time, 100', () => {
      const from = TIME + below(fills / 4);
      return { name: 'fills', wallet: wallet(), symbol: symbolOf(below(SYMBOLS)), from, to: from + fills / 4, limit: 100, skip: 0 };
    }],
    ['trades of all, 1,000 anywhere', () => ({ name: 'trades', limit: 1_000, skip: below(fills / 4) })],
    ['trades of a symbol, newest 1,000', () => ({ name: 'trades', symbol: symbolOf(below(SYMBOLS)), limit: 1_000, skip: 0 })],
    ['trades of an underlying, 1,000 anywhere', () => ({ name: 'trades', underlying: 'BTC', limit: 1_000, skip: below(fills / 8) })],
  ];
}

function ordersAndOutcomes(fills: number, { orders, outcomes }: Sample): Draw[] {
  const page = (): { limit: number; skip: number } => ({ limit: 50, skip: below(fills / WALLETS / 2) });
  const named = orders.filter(({ clientId }) => clientId !== '');
  return [
    ['orders of a wallet, 50 anywhere', () => ({ name: 'orders', wallet: wallet(), ending: null, ...page() })],
    ['cancelled orders of a wallet, 50 anywhere', () => ({ name: 'orders', wallet: wallet(), ending: 'canceled', ...page() })],
    ['order by id', () => {
      const { wallet: own, orderId } = orders[below(orders.length)]!;
      return { name: 'order', wallet: own, orderId };
    }],
    ['order by client id', () => {
      const { wallet: own, clientId } = named[below(named.length)]!;
      return { name: 'order', wallet: own, clientId };
    }],
    ['outcome of a nonce', () => {
      const { wallet: own, nonce } = outcomes[below(outcomes.length)]!;
      return { name: 'outcome', wallet: own, nonce };
    }],
  ];
}

function ask(folder: string, kinds: readonly Draw[]): void {
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
    const sorted = Float64Array.from(times).sort();
    figure(`${name}, p50`, quantile(sorted, 0.5), 'ms', `${QUERIES} questions, ${Math.round(rows / QUERIES)} rows on average`);
    figure(`${name}, p99`, quantile(sorted, 0.99), 'ms');
  }
}

const fills = Number(process.argv[2] ?? 1_000_000);
const base = fs.mkdtempSync(join(process.argv[3] ?? tmpdir(), 'strikebook-bench-'));
try {
  heading(`${fills} fills, ${WALLETS} wallets, ${SYMBOLS} symbols, commits of ${PER_COMMIT} rows; asked with its own cache cold`);
  fill(join(base, 'fills'), fills, 'fills and trades');
  ask(join(base, 'fills'), pagesOfFills(fills));
  const fewer = Math.min(fills, MOST_WITH_ALL);
  const sample = fill(join(base, 'all'), fewer, 'all rows');
  ask(join(base, 'all'), ordersAndOutcomes(fewer, sample));
  fill(join(base, 'told'), fewer, 'all rows and order updates');
} finally {
  fs.rmSync(base, { recursive: true });
}
