// One run of the simulation from its seed to its end; what all runs together must have reached; and the planted faults: one unit
// changed in a cell of the state, which the auditor must notice.

import assert from 'node:assert/strict';
import { SETTINGS } from '../../core/settings.ts';
import type { State } from '../../core/engine/state.ts';
import { openOrders } from '../support/raw.ts';
import { isBeyond } from './auditor.ts';
import { Random } from './random.ts';
import { ACTIONS, REGIMES } from './options.ts';
import { PLACES, STRETCHED } from './stretch.ts';
import { World } from './world.ts';

export type Result = { readonly seed: number; readonly histogram: ReadonlyMap<string, number>; readonly canaries: number };

/** Runs the seed; an error names the step and has the fault as its cause. */
export function runOne(seed: number, steps: number): Result {
  const world = new World(seed);
  for (let step = 0; step < steps; step++) {
    try {
      world.step();
    } catch (fault) {
      throw new Error(`seed ${seed}, step ${step}`, { cause: fault });
    }
  }
  const canaries = plantAll(world, new Random(seed), seed);
  for (const [fault, count] of Object.entries(world.disk.faults)) if (count > 0) world.histogram.set(`disk ${fault}`, count);
  return { seed, histogram: world.histogram, canaries };
}

type Cell = { readonly column: Float64Array | Int32Array | Uint8Array; readonly at: number } | null;

/** Cells in use; null if there are none now. */
const CANARIES: Readonly<Record<string, (state: State) => Cell>> = {
  'cash of a wallet': (state) => ({ column: state.accounts.cash, at: state.accounts.counters[0]! - 1 }),
  'cash of the house': (state) => ({ column: state.ledger.house, at: 1 }),
  // Positions of a contract in settlement are paid one by one, so they need not sum to zero.
  'position': (state) => row(state, state.holdings.position, (at) => (
    state.holdings.position[at] !== 0 && state.instruments.status[state.holdings.instrument[at]!] !== 2
  )),
  'cost of a perp': (state) => row(state, state.holdings.cost, (at) => state.instruments.kind[state.holdings.instrument[at]!] === 2),
  'open bids': (state) => row(state, state.holdings.bidSize, (at) => state.holdings.bidSize[at] !== 0),
  'open asks': (state) => row(state, state.holdings.askSize, (at) => state.holdings.askSize[at] !== 0),
  'open interest': (state) => ({ column: state.instruments.openInterest, at: 0 }),
  'open orders of a wallet': (state) => ({ column: state.accounts.openOrders, at: 0 }),
  'positions of a wallet': (state) => ({ column: state.accounts.positions, at: 0 }),
  'open orders of small tiers': (state) => ({ column: state.orders.counters, at: 4 }),
  'remaining size': (state) => order(state, state.books.sizes, 4, 3),
  'waiting orders': (state) => ({ column: state.orders.counters, at: 6 }),
  'neighbour of an order': (state) => order(state, state.orders.neighbours, 2, 1),
  'running sums of margin': (state) => fresh(state, state.cache.sums, 8, 3),
  'running exposure': (state) => fresh(state, state.cache.exposure, state.cache.underlyings, 0),
  'open orders in all': (state) => ({ column: state.orders.counters, at: 3 }),
  'live orders': (state) => ({ column: state.books.counters, at: 2 }),
  'name of a wallet': (state) => (state.usernames.length[0] === 0 ? null : { column: state.usernames.length, at: 0 }),
  'owner of a payout': (state) => (state.payouts.counters[0] === 0 ? null : { column: state.payouts.account, at: 0 }),
  'deadline of a wallet': (state) => ({ column: state.safety.cancelAt, at: 0 }),
  'leverage of a wallet': (state) => ({ column: state.perpAccounts.cells, at: 0 }),
  'funding that a wallet has paid': (state) => ({ column: state.perpAccounts.cells, at: 1 }),
  'perp of an underlying': (state) => ({ column: state.instruments.perpOf, at: 0 }),
  'rows in use': (state) => ({ column: state.holdings.counters, at: 2 }),
};

function row(state: State, column: Float64Array, wanted: (at: number) => boolean): Cell {
  for (let at = 0; at < state.holdings.counters[0]!; at++) if (state.holdings.account[at]! >= 0 && wanted(at)) return { column, at };
  return null;
}

function order(state: State, column: Float64Array | Int32Array, width: number, offset: number): Cell {
  const first = openOrders(state).find(({ entry }) => entry !== 0);
  return first === undefined ? null : { column, at: first.slot * width + offset };
}

/** An account with cached sums for the present marks and no order whose fee is inexact; the auditor checks only those. */
function fresh(state: State, column: Float64Array | Int32Array, width: number, offset: number): Cell {
  const skipped = new Set(openOrders(state).filter((one) => isBeyond(state, one.instrument, one.remaining)).map((one) => one.account));
  const account = state.cache.filledAt.findIndex((at, one) => at === state.valuation.counters[0]! + 1 && !skipped.has(one));
  return account < 0 ? null : { column, at: account * width + offset };
}

function checkAll(world: World): void {
  world.check();
  world.checkSlowly();
}

const WAYS = ['place', 'replace', 'bulk', 'trigger'];
const TERMS = ['reject', 'slide', 'expires_at', 'valid_until', 'cancel_taker', 'cancel_both', 'link_id'];

/** Buckets that enough runs must reach, so that every kind of input is tested. */
const REQUIRED: readonly string[] = [
  ...ACTIONS.map((action) => `action ${action}`), ...REGIMES.map((regime) => `regime ${regime}`),
  ...['place', 'cancel', 'cancelByClientId', 'approve', 'revoke', 'voidNonces', 'tier', 'signedTier'].map((kind) => `request ${kind}`),
  ...['OK', 'UNAUTHORIZED', 'NONCE_USED', 'RATE_LIMITED', 'ENGINE_BUSY', 'NEW_WALLET_LIMIT', 'MAX_OPEN_ORDERS', 'MAX_POSITIONS',
    'POSITION_LIMIT', 'EXPIRED', 'NOT_LISTED', 'DUPLICATE_CLIENT_ID', 'NO_FUNDS', 'TIER1_SHORT', 'NO_SPOT_PRICE', 'INSUFFICIENT_MARGIN',
    'RFQ_NOT_AVAILABLE', 'ORDER_NOT_FOUND', 'NOT_OPEN', 'AGENT_NOT_FOUND', 'APPROVAL_VOID', 'TOO_MANY_PENDING',
    'INVALID_TIER', 'INVALID_SIDE', 'PRICE_FIGURES', 'MARKET_CANCEL_ONLY', 'MARKET_HALTED', 'WALLET_CLOSE_ONLY', 'WALLET_BLOCKED',
    'OUTSIDE_BAND'].map((code) => `expected ${code}`),
  'run with expected answers', 'fill of a whole maker', 'fill of a part of a maker', 'rest of a partial fill',
  ...['OK', 'NONCE_USED', 'MAX_OPEN_ORDERS', 'POSITION_LIMIT', 'EXPIRED', 'DUPLICATE_CLIENT_ID', 'NO_FUNDS', 'TIER1_SHORT', 'NO_SPOT_PRICE',
    'INSUFFICIENT_MARGIN', 'REDUCE_ONLY_INCREASES', 'MMP_FROZEN', 'IN_LIQUIDATION', 'ORDER_NOT_FOUND', 'NOT_OPEN', 'POSITIONS_OPEN',
    'ORDERS_DO_NOT_FIT', 'UNKNOWN_UNDERLYING', 'ENGINE_BUSY', 'USERNAME_TAKEN', 'USERNAME_CHANGED_TODAY',
    'NOT_OWN_PAYOUT', 'NO_ORDERBOOK', 'NOT_LISTED', 'MARKET_CANCEL_ONLY', 'MARKET_HALTED', 'WALLET_CLOSE_ONLY', 'WALLET_BLOCKED',
    'OUTSIDE_BAND'].map((code) => `code ${code}`),
  ...['FILLED', 'CANCELLED', 'IOC_REST', 'FOK_KILLED', 'SELF_TRADE', 'EXPIRED', 'MMP', 'MMP_SELF', 'NOTHING_TO_REDUCE', 'LIQUIDATION',
    'AMENDED', 'REPLACED', 'MARGIN', 'MARKET_DELETED', 'CANCEL_AFTER', 'DISCONNECTED', 'BLOCKED', 'OPERATOR'].map(
    (reason) => `done DONE_${reason}`,
  ),
  ...['FILL', 'MODE_CHANGED', 'MMP_TRIGGERED', 'FUNDING_RATE', 'FUNDING_PAID', 'SETTLEMENT_SET', 'POSITION_SETTLED',
    'INSTRUMENT_SETTLED', 'ORDER_UNTRIGGERED', 'ORDER_TRIGGERED', 'LIQUIDATION_CHANGED', 'TAKEN_OVER', 'DELEVERAGED', 'FUND_POSTED',
    'SURFACE_CHANGED', 'ORDER_SHRUNK', 'ORDER_AMENDED', 'USERNAME_CHANGED', 'PAYOUT_SEEN', 'COMPETITION_CREATED', 'INSTRUMENT_DELETED',
  ].map((event) => `event ${event}`),
  ...[0, 1, 2, 3].map((status) => `liquidation state ${status}`),
  ...['OK', 'UNKNOWN_UNDERLYING', 'INVALID_MARKET', 'MARKET_EXISTS', 'MARKET_NOT_LISTED', 'OPEN_INTEREST'].map((code) => `market ${code}`),
  ...['OK', 'UNKNOWN_UNDERLYING', 'MARKET_NOT_LISTED'].map((code) => `halt ${code}`), 'block OK', 'block UNKNOWN_WALLET', 'cancel OK',
  ...['OK', 'INVALID_COMPETITION'].map((code) => `competition ${code}`), 'cancel-all of something', 'cancel-all in steps',
  'pages during a long cancel', ...['reduced', 'open', 'removed'].map((status) => `quote ${status}`), 'cancel of quotes',
  ...['OK', 'TOO_LATE', 'NEWER_QUOTES', 'INVALID_VALID_UNTIL'].map((code) => `mass quote ${code}`),
  'idle tick', 'named agent OK', 'named agent takes over a name', 'exits of a position',
  ...['OK', 'off', 'INVALID_SCHEDULE'].map((code) => `schedule ${code}`),
  ...['OK', 'INVALID_LEVERAGE', 'UNKNOWN_UNDERLYING'].map((code) => `leverage ${code}`),
  'batch OK', 'batch TOO_LATE', ...['OK', 'ORDER_NOT_FOUND', 'NOT_OPEN', 'INSUFFICIENT_MARGIN'].map((code) => `item ${code}`),
  'fill of a portfolio account', 'fill of a standard account', 'settlement price OK', 'settlement price NOT_PENDING_PRICE',
  'crash: more than was synced came back', 'crash: what was synced came back', 'crash: from a snapshot', 'crash: from the beginning',
  ...['drawn', 'changes', 'small', 'late', 'leaps', 'bounds'].map((stretch) => `run with ${stretch}`),
  ...SETTINGS.flatMap(({ name }) => PLACES.map((place) => `setting ${name} ${place}`)), 'settings changed in mid-run',
  ...STRETCHED.map((action) => `action ${action}`),
  ...['accounts', 'agents', 'share of agents', 'holdings', 'share of holdings', 'nonces', 'orders'].map((table) => `full ${table}`),
  'underlying added late', 'underlying added to a full table', 'underlying there already', 'underlying one too many',
  'visit of a perp', 'visit of a perp past its hour',
  'visit of a perp whose samples do not divide the hour', 'index leapt up', 'index leapt down', 'index leapt back',
  'position worth more than 2^53', 'order at the bound of price', 'order at the bound of size',
  ...Object.keys(CANARIES).map((name) => `canary ${name}`),
  ...WAYS.flatMap((way) => TERMS.map((term) => `${way} with ${term} OK`)),
  ...WAYS.flatMap((way) => (
    ['valid_until TOO_LATE', 'expires_at ORDER_EXPIRED', 'link_id TOO_MANY_LINKED'].map((what) => `${way} with ${what}`)
  )),
  ...WAYS.filter((way) => way !== 'trigger').map((way) => `${way} with reject WOULD_TAKE`), 'slide past the bounds',
  ...['cancel_maker', 'cancel_taker', 'cancel_both'].map((stp) => `self-trade ${stp}`), 'code TOO_MANY_TRIGGERS',
  ...['in its book', 'while it waits'].flatMap((where) => (
    ['linked order shrinks', 'linked order ends', 'order expires'].map((what) => `${what} ${where}`)
  )),
  'done refused WOULD_TAKE', 'done refused INSUFFICIENT_MARGIN', 'done refused REDUCE_ONLY_INCREASES',
  'disk kept', 'disk lost', 'disk torn', 'disk renamesLost',
];

export function emptyBuckets(total: ReadonlyMap<string, number>): string[] {
  return REQUIRED.filter((bucket) => !total.has(bucket));
}

/** Adds or removes one unit in each kind of cell; returns how many faults were planted, all of them caught. */
function plantAll(world: World, random: Random, seed: number): number {
  let planted = 0;
  for (const [name, cellOf] of Object.entries(CANARIES)) {
    const cell = cellOf(world.state);
    if (cell === null) continue;
    const unit = random.chance(0.5) ? 1 : -1;
    cell.column[cell.at]! += unit;
    assert.throws(() => checkAll(world), { name: 'AssertionError' }, `seed ${seed}: ${name} off by ${unit} was not noticed`);
    cell.column[cell.at]! -= unit;
    checkAll(world);
    world.histogram.set(`canary ${name}`, 1);
    planted++;
  }
  return planted;
}
