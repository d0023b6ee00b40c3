// What one copy of the core needs at production limits when the venue is full, and what its snapshot takes. Fails above a bound of BOUNDS.
// One process a run: memory is how far the resident set has grown, after a collection.
//   node bench/memory.ts [counters|times [folder]]   (folder: on the disk to be measured; default: the system's temporary one)
//   Recipe: 3,000 contracts and perps of 4 underlyings; 1,000,000 accounts with ten used nonces each, their margin summed; 1,000,000 open
//   orders, one of each of 600,000 accounts and 1,000 of each of 400 market makers, each in its own holding, at five figures 0.2 to 10 %
//   from mark, every second with a client id; then two positions of each of the 600,000; then new marks and a sweep over all accounts.
//   Orders, trades and time are commands to `apply`; accounts and first nonces are made by the functions that it calls.
//   Nonces: `counters` count by one, the compact case; `times` are clock times, a run of their own each, the worst case.
//   `an account`, `an order` and so on: the growth of their stage by their number, used nonces included.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CONTINUE, TICK } from '../core/codec/commands.ts';
import { HIGH, stampRecord, type Views } from '../core/codec/record.ts';
import { apply } from '../core/engine/apply.ts';
import { createState, SEQ, stateSections, TIME, type State } from '../core/engine/state.ts';
import { instrumentCount } from '../core/instruments/instruments.ts';
import { nextDue } from '../core/lifecycle/ticks.ts';
import { PRODUCTION } from '../core/limits.ts';
import { freshen } from '../core/margin/account-margin.ts';
import { markUsed } from '../core/nonces.ts';
import { OPEN } from '../core/orders/orders.ts';
import { liveHoldings } from '../core/positions/holdings.ts';
import { DEFAULT_BALANCE, defaultSettings, MAX_POSITION } from '../core/settings.ts';
import { hashSections } from '../core/snapshot/hash.ts';
import { MARKET_MAKER } from '../core/tiers.ts';
import { openAccount } from '../core/trading/wallets.ts';
import { BUY, CONTRACT, GTC, IOC, SECOND, SELL, USDC } from '../core/units.ts';
import { BEHAVIOUR, CODEC } from '../core/version.ts';
import { tuneRuntime } from '../shell/process/v8-flags.ts';
import { writeSnapshot } from '../shell/storage/journal/snapshot-write.ts';
import { recover, snapshotSections } from '../shell/storage/recovery.ts';
import { Random } from '../test/sim/random.ts';
import { fiveFigures } from '../test/sim/draw.ts';
import { RecordWriter, walletWords } from '../test/support/records.ts';
import { figure, heading, shown } from './machine.ts';

/** Bounds: MiB of the whole state, seconds of the slowest snapshot and of the slowest restore. */
const BOUNDS = { memory: 4_096, snapshot: 20, restore: 20 };

const NONCES = process.argv[2] === 'times' ? 'times' : 'counters';
const ACCOUNTS = 1_000_000;
const TRADERS = 600_000;
const MAKERS = 400;
const ORDERS_A_MAKER = 1_000;
const POSITIONS = 2;
const FIRST_NONCES = 10;
const INSTRUMENTS = 3_000;
const UNDERLYINGS = [['BTC', 100_000], ['ETH', 4_000], ['SOL', 200], ['XRP', 2.5]] as const;
const REPEATS = 3;
const NOW = Date.UTC(2026, 0, 5);
const MIB = 2 ** 20;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const write = new RecordWriter();
const random = new Random(11);
/** Orders written so far, and nonces used by each account. */
let written = 0;
const used = new Uint16Array(ACCOUNTS);
const faults: string[] = [];

function resident(): number {
  collect();
  return process.memoryUsage.rss();
}

function bounded(name: string, value: number, unit: string, most: number, note: string): void {
  figure(`${NONCES}, ${name}`, value, unit, note);
  if (value > most) faults.push(`${NONCES}, ${name}: ${value.toPrecision(4)} ${unit}, at most ${most}`);
}

function send(state: State, views: Views, time = state.clock[TIME]!): void {
  stampRecord(views, 0, state.clock[SEQ]! + 1, time);
  apply(state, views, 0);
  if (state.result.code !== 0) throw new Error(`refused: ${state.result.code}`);
}

function runUntil(state: State, time: number): void {
  for (let due = nextDue(state); due <= time; due = nextDue(state)) send(state, write.plain(due === 0 ? CONTINUE : TICK), time);
}

function nextNonce(account: number): number {
  const count = used[account]!++;
  if (NONCES === 'counters') return 1 + count + (account % 2 === 1 && count > 4 ? 1 : 0);
  return NOW + count * 4_096 + (Math.imul(account + count, 0x9e3779b1) >>> 20);
}

function listContracts(state: State): void {
  const settings = defaultSettings();
  settings[DEFAULT_BALANCE] = 1_000_000_000 * USDC;
  settings[MAX_POSITION] = 1_000_000_000 * USDC;
  send(state, write.configure(settings), NOW);
  UNDERLYINGS.forEach(([name, price], underlying) => {
    send(state, write.addUnderlying(name, 600_000));
    send(state, write.index(underlying, price * USDC));
  });
  runUntil(state, NOW);
  if (instrumentCount(state.instruments) < INSTRUMENTS) throw new Error('too few contracts');
}

function openAccounts(state: State): void {
  for (let account = 0; account < ACCOUNTS; account++) {
    openAccount(state, walletWords(account), 0, NOW);
    freshen(state, account);
  }
}

function useNonces(state: State): void {
  for (let account = 0; account < ACCOUNTS; account++) {
    for (let i = 0; i < FIRST_NONCES; i++) {
      const nonce = nextNonce(account);
      markUsed(state.nonces, account, nonce >>> 0, Math.floor(nonce / HIGH));
    }
  }
}

/** The approximate value of a contract for an order's price, at least 1 USDC, so that five figures are far below 0.2 %. */
function worth(state: State, slot: number): number {
  return Math.max(state.valuation.mark[slot]!, USDC);
}

function place(state: State, wallet: number, slot: number, side: number, price: number, size: number, tif: number): void {
  const { expiry, kind, strike, underlying } = state.instruments;
  send(state, write.place({
    wallet, nonce: nextNonce(wallet), underlying: UNDERLYINGS[underlying[slot]!]![0], expiry: expiry[slot]!, strike: strike[slot]!,
    kind: kind[slot]!, side, price: fiveFigures(price), size, tif, clientId: ++written % 2 === 0 ? `order-${written}` : '',
  }));
}

function quote(state: State, wallet: number, slot: number): void {
  const side = random.chance(0.5) ? BUY : SELL;
  const away = 0.002 + 0.098 * random.fraction() ** 2;
  const price = worth(state, slot) * (side === BUY ? 1 - away : 1 + away);
  place(state, wallet, slot, side, price, random.between(CONTRACT / 100, CONTRACT), GTC);
}

function restOrders(state: State): void {
  for (let account = 0; account < TRADERS; account++) quote(state, account, account % INSTRUMENTS);
  for (let account = TRADERS; account < TRADERS + MAKERS; account++) {
    send(state, write.tier(account, MARKET_MAKER));
    for (let i = 0; i < ORDERS_A_MAKER; i++) quote(state, account, (account * 7 + i * 3) % INSTRUMENTS);
  }
}

function takePositions(state: State): void {
  for (let account = 0; account < TRADERS; account += 2) {
    for (let i = 0; i < POSITIONS; i++) {
      const slot = (account + 2 + i * 7) % INSTRUMENTS;
      const size = random.between(CONTRACT / 100, CONTRACT);
      place(state, account, slot, SELL, worth(state, slot), size, GTC);
      place(state, account + 1, slot, BUY, worth(state, slot), size, IOC);
    }
  }
}

function allocated(value: unknown, seen: Set<unknown> = new Set()): number {
  if (typeof value !== 'object' || value === null || seen.has(value)) return 0;
  seen.add(value);
  if (value instanceof ArrayBuffer) return value.byteLength;
  if (ArrayBuffer.isView(value)) return allocated(value.buffer, seen);
  return Object.values(value).reduce<number>((sum, one) => sum + allocated(one, seen), 0);
}

function fill(): State {
  const start = resident();
  const state = createState(PRODUCTION);
  let before = resident();
  figure(`${NONCES}, an empty state`, (before - start) / MIB, 'MiB', 'indexes that are not zero when empty');
  const stage = (name: string, count: number, act: (of: State) => void, note = ''): void => {
    act(state);
    const after = resident();
    if (count > 0) figure(`${NONCES}, ${name}`, (after - before) / count, 'B', note);
    before = after;
  };
  stage('an instrument', INSTRUMENTS, listContracts, 'with the two sides of its book');
  stage('an account', ACCOUNTS, openAccounts);
  stage('a nonce', ACCOUNTS * FIRST_NONCES, useNonces, NONCES === 'times' ? 'a run each' : 'one or two runs an account');
  stage('an order', TRADERS + MAKERS * ORDERS_A_MAKER, restOrders, 'with its holding, its levels and its nonce');
  stage('a position', TRADERS * POSITIONS, takePositions, 'a holding; with one nonce');
  stage('', 0, () => runUntil(state, NOW + SECOND));
  const open = state.orders.counters[OPEN]!;
  const holdings = liveHoldings(state.holdings);
  if (open !== TRADERS + MAKERS * ORDERS_A_MAKER || holdings !== open + TRADERS * POSITIONS) {
    throw new Error(`${open} open orders, ${holdings} holdings`);
  }
  const note = `${holdings.toLocaleString('en-US')} holdings, ${state.books.pagesUsed.toLocaleString('en-US')} pages of levels`;
  bounded('whole state, resident', (before - start) / MIB, 'MiB', BOUNDS.memory, note);
  figure(`${NONCES}, whole state, allocated`, allocated(state) / MIB, 'MiB', 'if every row of every table were in use');
  return state;
}

function timed<T>(act: () => T): { slowest: number; note: string; result: T } {
  const runs: [seconds: number, processor: number][] = [];
  for (;;) {
    collect();
    const start = performance.now();
    const before = process.cpuUsage();
    const result = act();
    const { user, system } = process.cpuUsage(before);
    runs.push([(performance.now() - start) / 1_000, (user + system) / 1e6]);
    if (runs.length < REPEATS) continue;
    const [slowest, processor] = runs.reduce((a, b) => (a[0] > b[0] ? a : b));
    return { slowest, note: `slowest of ${REPEATS}, ${shown(processor)} s of it processor`, result };
  }
}

function hashOf(state: State): string {
  return hashSections(stateSections(state)).join();
}

/** Uses the shell's snapshot writer and its start, without a journal after the snapshot; checks that the restored state is equal. */
function saveAndRestore(state: State, dataFolder: string): void {
  const seq = state.clock[SEQ]!;
  const head = { seq, headHash: new Uint8Array(32), behaviour: BEHAVIOUR, codec: CODEC, digest: [0, 0], meta: {} } as const;
  const hash = timed(() => hashOf(state));
  const saving = timed(() => writeSnapshot(dataFolder, head, snapshotSections(state)));
  const loading = timed(() => recover({ dataFolder, limits: PRODUCTION, toSeq: seq }).state);
  if (hashOf(loading.result) !== hash.result) throw new Error('the restored state is another');
  figure(`${NONCES}, state hash`, hash.slowest, 's', hash.note);
  figure(`${NONCES}, snapshot`, statSync(saving.result).size / MIB, 'MiB');
  bounded('snapshot, written', saving.slowest, 's', BOUNDS.snapshot, `${saving.note}; with fsync`);
  bounded('snapshot, restored', loading.slowest, 's', BOUNDS.restore, `${loading.note}; verify, load, rebuild, file in the page cache`);
}

tuneRuntime();
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'strikebook-memory-'));
try {
  heading(`nonces: ${NONCES}; ${ACCOUNTS} accounts, ${TRADERS + MAKERS * ORDERS_A_MAKER} orders, ${TRADERS * POSITIONS} positions`);
  saveAndRestore(fill(), folder);
} finally {
  rmSync(folder, { recursive: true });
}
for (const fault of faults) console.error(`bench memory: ${fault}`);
if (faults.length > 0) process.exitCode = 1;
