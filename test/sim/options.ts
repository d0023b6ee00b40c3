// The options of a run, drawn from its seed: how many wallets, how rich, which commands (a run without cancels fills its books; one
// without trades tests the rest), how the market moves, how time passes, how often it crashes. stretch.ts has what only some runs do.

import { CONTRACT, DAY, HOUR, MINUTE, SECOND, USDC } from '../../core/units.ts';
import { checked, SMALL, type Limits } from '../../core/limits.ts';
import { DEFAULT_BALANCE, defaultSettings, FUND_SEED, MAKER_FEE, MARK_INTERVAL, MAX_POSITION, PRESET, PRICE_BAND, SETTLEMENT_FEE, TAKER_FEE,
  VENUE17 } from '../../core/settings.ts';
import { DEFAULT_LIMITS } from '../../core/tiers.ts';
import type { Random } from './random.ts';
import { STRETCHED } from './stretch.ts';

export const ACTIONS = [
  'place', 'perp', 'trigger', 'replace', 'amend', 'cancel', 'cancelByClientId', 'mode', 'mmp', 'endMmp', 'tier', 'agent',
  'linked', 'stops', 'bulk', 'batch', 'cancelAll', 'massQuote', 'cancelQuotes', 'requote', 'ladder', 'username', 'seePayouts',
  'revokeAll', 'voidNonces', 'market', 'competition', 'switch', 'guard', 'presence', 'index', 'surface', 'stale', 'settlementPrice',
  'configure', 'credit', 'control', 'wait', 'note', 'due', 'hour', 'expiry', 'stall', 'commit', 'snapshot', 'crash',
] as const;
export type Action = typeof ACTIONS[number] | typeof STRETCHED[number];

/** Weight of each action in runs that have it; some actions are for stretched runs only (stretch.ts). */
const WEIGHTS: Readonly<Record<Action, number>> = {
  place: 40, perp: 16, trigger: 8, replace: 8, amend: 8, cancel: 8, cancelByClientId: 3, mode: 3, mmp: 2, endMmp: 1, tier: 1,
  agent: 1, linked: 0.3, stops: 0.2, bulk: 1.5, batch: 3, cancelAll: 0.3, massQuote: 8, cancelQuotes: 0.4, requote: 0.3,
  ladder: 0.2, username: 0.4, seePayouts: 0.5, revokeAll: 0.1, voidNonces: 0.2, market: 0.5, competition: 0.1, switch: 0.6, guard: 0.6,
  presence: 1.2, index: 9, surface: 1, stale: 0.5, settlementPrice: 0.3, configure: 0.2, credit: 0.5, control: 0.5, wait: 12,
  note: 2, due: 8, hour: 0.08, expiry: 0.04,
  stall: 0.3, commit: 7, snapshot: 0.3, crash: 0.15, underlying: 0, visit: 0, leap: 0,
};
/** Actions every run has: without them nothing trades or nothing moves. */
const ALWAYS: ReadonlySet<Action> = new Set(['place', 'index', 'wait', 'due', 'commit']);
const ABSENT = 0.15;

export const REGIMES = ['calm', 'lively', 'jumpy', 'crashing'] as const;
type Regime = typeof REGIMES[number];

export type Options = {
  readonly wallets: number;
  readonly weights: Readonly<Record<Action, number>>;
  readonly settings: Float64Array;
  readonly limits: Limits;
  readonly regime: Regime;
  /** Probability that an index comes from the operator and never becomes stale. */
  readonly ageless: number;
  readonly start: number;
  /** Part of the orders that are near the mark, so that they meet. */
  readonly near: number;
  /** Largest size, contracts. */
  readonly most: number;
  readonly portfolio: number;
  readonly makers: number;
  readonly syncs: number;
};

export const FEW: Limits = checked({
  ...SMALL, accounts: 64, orders: 1_024, holdings: 2_048, instruments: 96, levelPages: 1_024, pendingApprovals: 8,
});
const TIGHT: Limits = checked({ ...FEW, orders: 64, holdings: 256, levelPages: 256, accounts: 12 });

const OPEN_ORDERS = [12, 14, 60, 200];
/** Admission of a run without expected answers: no budgets, few open orders. */
export const RULES = {
  rated: false, table: DEFAULT_LIMITS.map((row, tier) => ({ ...row, openOrders: OPEN_ORDERS[tier]!, positions: -1 })),
};

export function drawOptions(random: Random): Options {
  const weights = { ...WEIGHTS };
  for (const action of ACTIONS) {
    if (!ALWAYS.has(action) && random.chance(ABSENT)) weights[action] = 0;
    else weights[action] *= 0.3 + 1.4 * random.fraction();
  }
  const settings = defaultSettings();
  settings[DEFAULT_BALANCE] = random.pick([20_000, 100_000, 500_000, 3_000_000, 10_000_000]) * USDC;
  settings[MAX_POSITION] = random.pick([2_000_000, 100_000_000]) * USDC;
  if (random.chance(0.5)) {
    settings[MAKER_FEE] = random.pick([0, 200]);
    settings[TAKER_FEE] = 500;
    settings[SETTLEMENT_FEE] = 150;
  }
  if (random.chance(0.3)) settings[PRESET] = VENUE17;
  // Mostly slower than a venue's, because ticks every second make long pauses expensive to simulate.
  settings[MARK_INTERVAL] = random.pick([1, 5, 5, 20]) * SECOND;
  settings[PRICE_BAND] = random.pick([0, 0, 0, 300_000]);
  settings[FUND_SEED] = random.pick([0, 5_000, 1_000_000]) * USDC;
  return {
    wallets: random.between(3, 20), weights, settings, limits: random.chance(0.15) ? TIGHT : FEW,
    regime: random.pick([...REGIMES, 'crashing', 'jumpy']),
    ageless: random.pick([0, 0.2, 1]), start: Date.UTC(2026, 0, 5) + random.between(0, 6) * DAY + random.between(0, 23) * HOUR
      + random.between(0, 59) * MINUTE + random.between(0, 59) * SECOND,
    near: random.pick([0.5, 0.8, 0.95]), most: Math.round(random.pick([0.3, 1, 10, 60]) * CONTRACT), portfolio: random.pick([0, 0.4, 0.9]),
    makers: random.pick([0, 0.3, 0.7]), syncs: random.pick([0.2, 0.6, 1]),
  };
}
