// What the venue remembers about accounts that fall below their maintenance margin: how long they have, when they last
// came back, which positions were tried in this second, and the deleveraging in hand. Times ms, sizes 1e-6 contracts,
// parts per million. How long and how much: core/settings. Never moves anything: sweep, liquidation and takeover do.

import { float64, uint32, uint8 } from '../columns.ts';
import type { Limits } from '../limits.ts';
import { fixedSection, type Section } from '../store.ts';

/** Bounds of one step: positions and open orders whose margin is summed; accounts and rows passed by. */
export const MARGIN_A_STEP = 768;
export const ROWS_A_STEP = 32_768;

/** Counters: when the next sweep is due (0: none), the number of the pass over positions, the fund's account plus one, accounts watched. */
export const NEXT_SWEEP = 0;
export const PASS = 1;
export const FUND_ACCOUNT = 2;
export const WATCHED = 3;

/**
 * The deleveraging in hand: instrument plus one (0: none), its price, the next row to look at, 1 when all were looked at,
 * how many are ranked, which of them is next.
 */
export const DEAL_INSTRUMENT = 0;
export const DEAL_PRICE = 1;
export const DEAL_CURSOR = 2;
export const DEAL_IS_RANKED = 3;
export const DEAL_COUNT = 4;
export const DEAL_NEXT = 5;
const DEAL = 6;
/** The best holders of one scan, best first, and the numbers of each: rank, row, account. */
export const RANKED = 64;
export const RANK = 0;
export const RANK_ROW = 1;
export const RANK_ACCOUNT = 2;
export const RANK_NUMBERS = 3;

export type Risk = {
  readonly counters: Float64Array;
  readonly deal: Float64Array;
  readonly ranked: Float64Array;
  /** Per account: sweeps in a row below maintenance. */
  readonly falls: Uint8Array;
  /** Per account. When healthy: start of the run of falls; in pre_liquidation: end of the wait; in in_liquidation: last progress. */
  readonly since: Float64Array;
  /** Per account: the last sweep that counted; when it last came back to healthy (0: never). */
  readonly countedAt: Float64Array;
  readonly recoveredAt: Float64Array;
  /** Per holding: the pass in which its position was tried last. */
  readonly tried: Uint32Array;
};

export function createRisk(limits: Limits): Risk {
  const { accounts, holdings } = limits;
  return {
    counters: float64(4), deal: float64(DEAL), ranked: float64(RANKED * RANK_NUMBERS),
    falls: uint8(accounts), since: float64(accounts), countedAt: float64(accounts),
    recoveredAt: float64(accounts), tried: uint32(holdings),
  };
}

/** From here on no position has been tried. */
export function startPass(risk: Risk): void {
  risk.counters[PASS] = (risk.counters[PASS] + 1) >>> 0;
}

/** `accounts` and `holdings` tell how many rows are in use. */
export function riskSections(risk: Risk, accounts: () => number, holdings: () => number): readonly Section[] {
  return [
    fixedSection('risk.counters', risk.counters), fixedSection('risk.deal', risk.deal),
    fixedSection('risk.ranked', risk.ranked),
    { name: 'risk.falls', column: risk.falls, used: accounts }, { name: 'risk.since', column: risk.since, used: accounts },
    { name: 'risk.countedAt', column: risk.countedAt, used: accounts },
    { name: 'risk.recoveredAt', column: risk.recoveredAt, used: accounts },
    { name: 'risk.tried', column: risk.tried, used: holdings },
  ];
}
