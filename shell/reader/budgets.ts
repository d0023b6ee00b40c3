// Budgets of reads (decision 5.3, interface.md "Rate limiting"): of a (wallet, network source) in the UTC minute at the wallet's
// tier, and of a source in all; risk simulations by source, in the whole process, and at once. They are counted here since one
// reader serves all api threads. Not state: empty after a restart, bounded, new each minute. Pairs beyond the bound count for
// their source alone and sources beyond it share one row, so that a flood of made-up wallets takes nobody's budget.

import { MINUTE } from '../../core/units.ts';
import { UNLIMITED, type TierLimits } from '../../core/tiers.ts';
import { LOOPBACK_REQUESTS, SOURCE_REQUESTS } from '../http/bounds/api.ts';
import type { BudgetLeft } from '../http/message.ts';
import { rateLimitText } from '../http/rate-headers.ts';
import { CHARGE_NONE, CHARGE_RISK, type Charged } from '../ipc/queries.ts';

/** Pairs of wallet and source in one minute, and as many sources. */
const MOST_ROWS = 65_536;
const RISK_PER_SOURCE = 60;
const RISK_PER_PROCESS = 600;
const RISK_AT_ONCE = 4;

/** `left` -1: the budget is spent, and `message` says which. */
type Taken = BudgetLeft & { readonly message: string };

type BudgetParts = {
  readonly table: readonly TierLimits[];
  /** False: nothing is counted (RATE_LIMITS=off). */
  readonly isRated: boolean;
  /** Row of the table for a wallet. */
  readonly tierOf: (wallet: string) => number;
  readonly now: () => number;
};

export class ReadBudgets {
  readonly #parts: BudgetParts;
  readonly #pairs = new Map<string, number>();
  readonly #sources = new Map<number, { reads: number; risk: number }>();
  #overflow = { reads: 0, risk: 0 };
  #risk = 0;
  #running = 0;
  #minute = -1;

  constructor(parts: BudgetParts) {
    this.#parts = parts;
  }

  /** Counts one read; null when nothing limits it. A simulation that was let through is ended by `end`. */
  take({ charge, source, isLoopback }: Charged, wallet: string | undefined): Taken | null {
    if (!this.#parts.isRated || charge === CHARGE_NONE) return null;
    const minute = Math.floor(this.#parts.now() / MINUTE);
    if (minute !== this.#minute) this.#begin(minute);
    if (charge === CHARGE_RISK) return this.#takeRisk(source);
    const row = this.#row(source);
    const limit = isLoopback ? LOOPBACK_REQUESTS : SOURCE_REQUESTS;
    const ofSource = this.#standing(limit, row.reads);
    if (ofSource.left < 0) return ofSource;
    row.reads++;
    return wallet === undefined ? ofSource : this.#takePair(wallet, source) ?? ofSource;
  }

  /** The read that `take` let through has its answer. */
  end({ charge }: Charged): void {
    if (this.#parts.isRated && charge === CHARGE_RISK) this.#running--;
  }

  #begin(minute: number): void {
    this.#minute = minute;
    this.#pairs.clear();
    this.#sources.clear();
    this.#overflow = { reads: 0, risk: 0 };
    this.#risk = 0;
  }

  /** Null: the wallet's own reads are not counted. */
  #takePair(wallet: string, source: number): Taken | null {
    const limit = this.#parts.table[this.#parts.tierOf(wallet)]!.requests;
    if (limit === UNLIMITED) return null;
    const key = `${source} ${wallet}`;
    const used = this.#pairs.get(key) ?? 0;
    if (used === 0 && this.#pairs.size >= MOST_ROWS) return null;
    if (used < limit) this.#pairs.set(key, used + 1);
    return this.#standing(limit, used);
  }

  #takeRisk(source: number): Taken {
    const row = this.#row(source);
    if (row.risk >= RISK_PER_SOURCE) return this.#standing(RISK_PER_SOURCE, row.risk);
    if (this.#risk >= RISK_PER_PROCESS) return this.#standing(RISK_PER_PROCESS, this.#risk);
    if (this.#running >= RISK_AT_ONCE) {
      const windowEnd = Math.floor(this.#parts.now() / 1_000) + 1;
      return { limit: RISK_AT_ONCE, left: -1, windowEnd, message: rateLimitText(RISK_AT_ONCE, 'risk simulations at once') };
    }
    this.#risk++;
    this.#running++;
    return this.#standing(RISK_PER_SOURCE, row.risk++);
  }

  #row(source: number): { reads: number; risk: number } {
    let row = this.#sources.get(source);
    if (row !== undefined) return row;
    if (this.#sources.size >= MOST_ROWS) return this.#overflow;
    row = { reads: 0, risk: 0 };
    this.#sources.set(source, row);
    return row;
  }

  #standing(limit: number, used: number): Taken {
    return { limit, left: limit - used - 1, windowEnd: (this.#minute + 1) * 60, message: rateLimitText(limit) };
  }
}
