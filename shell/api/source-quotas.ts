// Quotas of network sources in this thread per UTC minute (decision 5.3). Failed signatures first cost a source its diagnoses, then
// bulks, never single orders.

import { MINUTE } from '../../core/units.ts';
import { LIMITS, type Limit } from '../http/limits.ts';
import type { BudgetLeft } from '../http/message.ts';
import { mostOf, Quota } from '../http/quota.ts';
import { budgetAt } from '../http/rate-headers.ts';
import type { Source } from '../http/source.ts';

export class SourceQuotas {
  readonly #requests: Quota<string>;
  readonly #failures: Quota<string>;
  readonly #now: () => number;
  readonly #isRated: boolean;

  /** With RATE_LIMITS=off only failed signatures are counted, because they cost processor time. */
  constructor(now: () => number, isRated: boolean) {
    const minute = (): number => Math.floor(now() / MINUTE);
    this.#requests = new Quota(LIMITS.sourceRequests, minute);
    this.#failures = new Quota(LIMITS.sourceFailures, minute);
    this.#now = now;
    this.#isRated = isRated;
  }

  takeRequest({ network, loopback }: Source): BudgetLeft | null {
    if (!this.#isRated || this.#requests.take(network, loopback) === null) return null;
    return this.#standing(LIMITS.sourceRequests, loopback, 0);
  }

  left({ network, loopback }: Source): BudgetLeft | null {
    return this.#isRated ? this.#standing(LIMITS.sourceRequests, loopback, this.#requests.left(network, loopback)) : null;
  }

  countFailure({ network }: Source): void {
    this.#failures.add(network);
  }

  mayDiagnose(source: Source): boolean {
    return !this.#hasFailed(source, LIMITS.sourceDiagnosed);
  }

  failuresSpent(source: Source, isBulk: boolean): BudgetLeft | null {
    const limit = isBulk ? LIMITS.sourceBulkFailures : LIMITS.sourceFailures;
    return this.#hasFailed(source, limit) ? this.#standing(limit, source.loopback, 0) : null;
  }

  #hasFailed({ network, loopback }: Source, limit: Limit): boolean {
    return this.#failures.used(network) >= mostOf(limit, loopback);
  }

  #standing(limit: Limit, isLoopback: boolean, left: number): BudgetLeft {
    return budgetAt(mostOf(limit, isLoopback), left, this.#now());
  }
}
