// State of accounts below maintenance: falls, waits, progress, positions tried this second, the current deleveraging.

import { fixedSection, float64, type Section, uint32, uint8 } from '../columns.ts';
import type { Limits } from '../limits.ts';

/** Per step: positions and open orders summed; accounts or rows visited. */
export const MARGIN_A_STEP = 768;
export const ROWS_A_STEP = 32_768;

/** NEXT_SWEEP 0: never. FUND_ACCOUNT: row plus one. WATCHED: accounts in trouble. */
export const NEXT_SWEEP = 0;
export const PASS = 1;
export const FUND_ACCOUNT = 2;
export const WATCHED = 3;

/** DEAL_INSTRUMENT: slot plus one (0: none). DEAL_CURSOR: next row to rank. */
export const DEAL_INSTRUMENT = 0;
export const DEAL_PRICE = 1;
export const DEAL_CURSOR = 2;
export const DEAL_IS_RANKED = 3;
export const DEAL_COUNT = 4;
export const DEAL_NEXT = 5;
const DEAL = 6;
export const RANKED = 64;
export const RANK = 0;
export const RANK_ROW = 1;
export const RANK_ACCOUNT = 2;
export const RANK_NUMBERS = 3;

export type Risk = {
  readonly counters: Float64Array;
  readonly deal: Float64Array;
  readonly ranked: Float64Array;
  /** Per account: consecutive sweeps below maintenance. */
  readonly falls: Uint8Array;
  /** Per account: time of the first of those sweeps; end of the wait in pre_liquidation. */
  readonly fellAt: Float64Array;
  readonly waitEnd: Float64Array;
  /** Per account in pre_liquidation: the last sweep that found its wait standing still; 0: it runs. */
  readonly heldAt: Float64Array;
  /** Per account in in_liquidation: time without progress, and initial margin freed since. */
  readonly stalled: Float64Array;
  readonly freed: Float64Array;
  /** Per account being liquidated: consecutive sweeps at or above maintenance. */
  readonly calm: Float64Array;
  /** Per account: time of the last sweep that counted; when it last recovered (0: never). */
  readonly countedAt: Float64Array;
  readonly recoveredAt: Float64Array;
  /** Per holding: the pass in which an order last tried to close it. */
  readonly tried: Uint32Array;
};

export function createRisk(limits: Limits): Risk {
  const { accounts, holdings } = limits;
  return {
    counters: float64(4), deal: float64(DEAL), ranked: float64(RANKED * RANK_NUMBERS),
    falls: uint8(accounts), fellAt: float64(accounts), waitEnd: float64(accounts), heldAt: float64(accounts), stalled: float64(accounts),
    freed: float64(accounts), calm: float64(accounts), countedAt: float64(accounts), recoveredAt: float64(accounts),
    tried: uint32(holdings),
  };
}

export function startPass(risk: Risk): void {
  risk.counters[PASS] = (risk.counters[PASS] + 1) >>> 0;
}

export function riskSections(risk: Risk, accounts: () => number, holdings: () => number): readonly Section[] {
  const per = (name: string, column: Section['column']): Section => ({ name: `risk.${name}`, column, used: accounts });
  return [
    fixedSection('risk.counters', risk.counters), fixedSection('risk.deal', risk.deal),
    fixedSection('risk.ranked', risk.ranked),
    per('falls', risk.falls), per('fellAt', risk.fellAt), per('waitEnd', risk.waitEnd),
    per('heldAt', risk.heldAt), per('stalled', risk.stalled),
    per('freed', risk.freed), per('calm', risk.calm), per('countedAt', risk.countedAt), per('recoveredAt', risk.recoveredAt),
    { name: 'risk.tried', column: risk.tried, used: holdings },
  ];
}
