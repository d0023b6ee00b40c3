// Seeded runs of the whole core against expectation, shadow and auditor; what they reached; and canaries: a fault of one
// unit planted anywhere is caught. STRIKEBOOK_LONG=1 runs more and longer; STRIKEBOOK_SEED=n replays one seed.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { State } from '../../core/engine/state.ts';
import { openOrders } from '../support/raw.ts';
import { Simulation } from './driver.ts';
import { Random } from './random.ts';

const isLong = process.env['STRIKEBOOK_LONG'] === '1';
const one = process.env['STRIKEBOOK_SEED'];
const STEPS = isLong ? 20_000 : 3_000;
const SEEDS = one !== undefined ? [Number(one)] : Array.from({ length: isLong ? 200 : 8 }, (_, i) => i + 1);

/** Buckets that a run of all seeds must have reached: a generator that cannot make an input proves nothing about it. */
const REQUIRED = [
  ...['place', 'cancel', 'cancelByClientId', 'approve', 'revoke', 'voidNonces', 'tier', 'signedTier', 'index', 'configure',
    'wait', 'due'].map((x) => `command ${x}`),
  ...['OK', 'UNAUTHORIZED', 'NONCE_USED', 'RATE_LIMITED', 'ENGINE_BUSY', 'NEW_WALLET_LIMIT', 'MAX_OPEN_ORDERS', 'MAX_POSITIONS',
    'POSITION_LIMIT', 'EXPIRED', 'NOT_LISTED', 'DUPLICATE_CLIENT_ID', 'NO_FUNDS', 'TIER1_SHORT', 'NO_SPOT_PRICE', 'INSUFFICIENT_MARGIN',
    'RFQ_NOT_AVAILABLE', 'ORDER_NOT_FOUND', 'NOT_OPEN', 'AGENT_NOT_FOUND', 'APPROVAL_VOID', 'TOO_MANY_PENDING', 'UNKNOWN_WALLET',
    'INVALID_TIER', 'INVALID_SIDE', 'PRICE_FIGURES'].map((x) => `code ${x}`),
  ...['FILLED', 'CANCELLED', 'IOC_REST', 'FOK_KILLED', 'SELF_TRADE', 'EXPIRED'].map((x) => `done DONE_${x}`),
  'due true', 'due false', 'fill of a whole maker', 'fill of a part of a maker', 'rest of a partial fill',
];

test('simulation: every step agrees with expectation, shadow and auditor, and every bucket is reached', (t) => {
  const total = new Map<string, number>();
  for (const seed of SEEDS) {
    const run = new Simulation(seed);
    for (let step = 0; step < STEPS; step++) {
      try {
        run.step();
      } catch (fault) {
        throw new Error(`seed ${seed}, step ${step}`, { cause: fault });
      }
    }
    for (const [bucket, count] of run.histogram) total.set(bucket, (total.get(bucket) ?? 0) + count);
  }
  for (const [bucket, count] of [...total].sort(([a], [b]) => (a < b ? -1 : 1))) t.diagnostic(`${bucket}: ${count}`);
  t.diagnostic(`seeds ${SEEDS[0]} to ${SEEDS.at(-1)}, ${STEPS} steps each`);
  if (one === undefined) assert.deepEqual(REQUIRED.filter((bucket) => !total.has(bucket)), [], 'empty buckets');
});

test('simulation: a seed is a run', () => {
  const [first, second] = [new Simulation(5).run(300), new Simulation(5).run(300)];
  assert.equal(first.venue.hash(), second.venue.hash());
  assert.notEqual(first.venue.hash(), new Simulation(6).run(300).venue.hash());
});

/** A cell of the state that some row uses, to be changed by one unit; null when no row does at this moment. */
type Cell = { column: Float64Array | Int32Array; at: number } | null;

const CANARIES: Record<string, (state: State) => Cell> = {
  'cash of a wallet': (state) => ({ column: state.accounts.cash, at: 0 }),
  'cash of the house': (state) => ({ column: state.ledger.house, at: 1 }),
  'position': (state) => live(state, state.holdings.position, (row) => state.holdings.position[row] !== 0),
  'open bids': (state) => live(state, state.holdings.bidSize, (row) => state.holdings.bidSize[row] !== 0),
  'open asks': (state) => live(state, state.holdings.askSize, (row) => state.holdings.askSize[row] !== 0),
  'open interest': (state) => ({ column: state.instruments.openInterest, at: 3 }),
  'count of open orders': (state) => ({ column: state.accounts.openOrders, at: 0 }),
  'count of positions': (state) => ({ column: state.accounts.positions, at: 0 }),
  'open orders in all': (state) => ({ column: state.orders.counters, at: 3 }),
  'open orders of small tiers': (state) => ({ column: state.orders.counters, at: 4 }),
  'remaining size': (state) => order(state, state.books.sizes, 4, 3),
  'order’s neighbour': (state) => order(state, state.orders.neighbours, 2, 1),
  'rows in use': (state) => ({ column: state.holdings.counters, at: 2 }),
  'live orders': (state) => ({ column: state.books.counters, at: 2 }),
  'running sums of margin': (state) => fresh(state, state.cache.sums, 8, 3),
  'running exposure': (state) => fresh(state, state.cache.exposure, state.cache.underlyings, 0),
};

function live(state: State, column: Float64Array, wanted: (row: number) => boolean): Cell {
  for (let row = 0; row < state.holdings.counters[0]!; row++) {
    if (state.holdings.account[row]! >= 0 && wanted(row)) return { column, at: row };
  }
  return null;
}

function order(state: State, column: Float64Array | Int32Array, width: number, offset: number): Cell {
  const [first] = openOrders(state);
  return first === undefined ? null : { column, at: first.slot * width + offset };
}

/** Of an account whose sums are filled for these marks: the auditor looks at no other's. */
function fresh(state: State, column: Float64Array, width: number, offset: number): Cell {
  const account = state.cache.filledAt.indexOf(state.valuation.counters[0]! + 1);
  return account < 0 ? null : { column, at: account * width + offset };
}

test('simulation: every planted fault of one unit is caught', () => {
  const random = new Random(99);
  const caught = new Map(Object.keys(CANARIES).map((name) => [name, 0]));
  for (let round = 0; round < (isLong ? 40 : 6); round++) {
    const run = new Simulation(100 + round).run(random.between(100, 500));
    for (const [name, cellOf] of Object.entries(CANARIES)) {
      const cell = cellOf(run.state);
      if (cell === null) continue;
      cell.column[cell.at]! += 1;
      assert.throws(() => run.check(), { name: 'AssertionError' }, `${name} plus one passed`);
      cell.column[cell.at]! -= 1;
      run.check();
      caught.set(name, caught.get(name)! + 1);
    }
  }
  assert.deepEqual([...caught].filter(([, count]) => count === 0), [], 'canaries never planted');
});
