// What the venue remembers about accounts that fall below their maintenance margin: how long they have, when they last came back,
// for how long nothing was closed, which positions were tried in this second, and the deleveraging in hand. Times ms, sizes 1e-6
// contracts, parts per million. How long and how much: core/settings. Never moves anything: sweep, liquidation and takeover do.

import { fixedSection, float64, type Section, uint32, uint8 } from '../columns.ts';
import type { Limits } from '../limits.ts';

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
  /** Per account: start of the run of falls; end of the wait in pre_liquidation. */
  readonly fellAt: Float64Array;
  readonly waitEnd: Float64Array;
  /** Per account in in_liquidation: time of sweeps without progress, and the initial margin that its orders have freed since. */
  readonly stalled: Float64Array;
  readonly freed: Float64Array;
  /** Per account being liquidated: sweeps in a row that found equity at or above maintenance. */
  readonly calm: Float64Array;
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
    falls: uint8(accounts), fellAt: float64(accounts), waitEnd: float64(accounts), stalled: float64(accounts),
    freed: float64(accounts), calm: float64(accounts), countedAt: float64(accounts), recoveredAt: float64(accounts),
    tried: uint32(holdings),
  };
}

/** From here on no position has been tried. */
export function startPass(risk: Risk): void {
  risk.counters[PASS] = (risk.counters[PASS] + 1) >>> 0;
}

/** `accounts` and `holdings` tell how many rows are in use. */
export function riskSections(risk: Risk, accounts: () => number, holdings: () => number): readonly Section[] {
  const per = (name: string, column: Section['column']): Section => ({ name: `risk.${name}`, column, used: accounts });
  return [
    fixedSection('risk.counters', risk.counters), fixedSection('risk.deal', risk.deal),
    fixedSection('risk.ranked', risk.ranked),
    per('falls', risk.falls), per('fellAt', risk.fellAt), per('waitEnd', risk.waitEnd), per('stalled', risk.stalled),
    per('freed', risk.freed), per('calm', risk.calm), per('countedAt', risk.countedAt), per('recoveredAt', risk.recoveredAt),
    { name: 'risk.tried', column: risk.tried, used: holdings },
  ];
}
