// Rate limits for reads (decision 5.3), per UTC minute: per wallet and network source by the wallet's tier, and per source in total. When
// the table of pairs is full, a new pair counts for its source only, so made-up wallets cannot use up others' budgets.

import { MINUTE, SECOND } from '../../core/units.ts';
import { UNLIMITED, type TierLimits } from '../../core/tiers.ts';
import { BOUNDS, LIMITS } from '../http/limits.ts';
import type { BudgetLeft } from '../http/message.ts';
import { Quota } from '../http/quota.ts';
import { rateLimitText, budgetAt } from '../http/rate-headers.ts';
import { CHARGE_NONE, CHARGE_RISK, type Charged } from '../ipc/queries.ts';

/** `left` -1: the budget that `message` names is spent. */
type Taken = BudgetLeft & { readonly message: string };

type BudgetParts = {
  readonly table: readonly TierLimits[];
  readonly isRated: boolean;
  readonly tierOf: (wallet: string) => number;
  readonly now: () => number;
};

export class ReadBudgets {
  readonly #parts: BudgetParts;
  readonly #sources: Quota<number>;
  readonly #pairs: Quota<string>;
  readonly #risk: Quota<number>;
  #running = 0;

  constructor(parts: BudgetParts) {
    const minute = (): number => Math.floor(parts.now() / MINUTE);
    this.#parts = parts;
    this.#sources = new Quota(LIMITS.sourceRequests, minute);
    this.#pairs = new Quota({ amount: Infinity }, minute);
    this.#risk = new Quota({ ...LIMITS.sourceSimulations, all: BOUNDS.simulations }, minute);
  }

  /** An admitted simulation must be ended with `end`. */
  take({ charge, source, isLoopback }: Charged, wallet: string | undefined): Taken | null {
    if (!this.#parts.isRated || charge === CHARGE_NONE) return null;
    if (charge === CHARGE_RISK) return this.#takeRisk(source);
    const left = this.#sources.left(source, isLoopback) - 1;
    const ofSource = this.#budgetLeft(this.#sources.mostOf(isLoopback), left);
    if (left < 0) return ofSource;
    this.#sources.add(source);
    return wallet === undefined ? ofSource : this.#takePair(wallet, source) ?? ofSource;
  }

  end({ charge }: Charged): void {
    if (this.#parts.isRated && charge === CHARGE_RISK) this.#running--;
  }

  #takePair(wallet: string, source: number): Taken | null {
    const limit = this.#parts.table[this.#parts.tierOf(wallet)]!.requests;
    if (limit === UNLIMITED) return null;
    const key = `${source} ${wallet}`;
    if (!this.#pairs.hasRow(key)) return null;
    const left = limit - this.#pairs.used(key) - 1;
    if (left >= 0) this.#pairs.add(key);
    return this.#budgetLeft(limit, left);
  }

  #takeRisk(source: number): Taken {
    const beyond = this.#risk.take(source, false);
    if (beyond === 'each') return this.#budgetLeft(BOUNDS.sourceSimulations, -1);
    if (beyond === 'all') return this.#budgetLeft(BOUNDS.simulations, -1);
    if (this.#running >= BOUNDS.simulationsAtOnce) {
      this.#risk.give(source);
      const limit = BOUNDS.simulationsAtOnce;
      return { ...budgetAt(limit, -1, this.#parts.now(), SECOND), message: rateLimitText(limit, 'risk simulations at once') };
    }
    this.#running++;
    return this.#budgetLeft(BOUNDS.sourceSimulations, this.#risk.left(source, false));
  }

  #budgetLeft(limit: number, left: number): Taken {
    return { ...budgetAt(limit, left, this.#parts.now()), message: rateLimitText(limit) };
  }
}
