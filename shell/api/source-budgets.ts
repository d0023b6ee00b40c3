// Budgets of network sources in this thread: all requests, and failed signatures, in the UTC minute (decision 5.3). A failed signature
// costs its source explanations first, then bulks, and never the orders of others behind the same address. Loopback has budgets of its
// own. A bounded table, emptied each minute; sources beyond it share one row, so a flood of addresses limits itself and nobody else for
// longer than a minute.

import { MINUTE } from '../../core/units.ts';
import type { BudgetLeft } from '../http/message.ts';
import type { Source } from '../http/source.ts';
import {
  LOOPBACK_BULK_FAILURES, LOOPBACK_DIAGNOSED, LOOPBACK_FAILURES, LOOPBACK_REQUESTS, SOURCE_BULK_FAILURES, SOURCE_DIAGNOSED, SOURCE_FAILURES,
  SOURCE_REQUESTS, SOURCES,
} from '../http/bounds/api.ts';

type Row = { requests: number; failures: number };

export class Sources {
  readonly #rows = new Map<string, Row>();
  readonly #now: () => number;
  readonly #isRated: boolean;
  #overflow: Row = { requests: 0, failures: 0 };
  #minute = 0;

  /** Without rates (RATE_LIMITS=off) requests are not counted; failed signatures are, for they cost the thread its time. */
  constructor(now: () => number, isRated: boolean) {
    this.#now = now;
    this.#isRated = isRated;
  }

  /** Counts one request; null, or the budget that is spent. */
  takeRequest(source: Source): BudgetLeft | null {
    if (!this.#isRated) return null;
    const row = this.#row(source);
    const limit = requestsOf(source);
    if (row.requests >= limit) return this.#standing(limit, 0);
    row.requests++;
    return null;
  }

  /** What the source has left of its requests; null where they are not counted. */
  left(source: Source): BudgetLeft | null {
    if (!this.#isRated) return null;
    const limit = requestsOf(source);
    return this.#standing(limit, limit - this.#row(source).requests);
  }

  countFailure(source: Source): void {
    this.#row(source).failures++;
  }

  /** Whether the reason of one more failed signature is looked for. */
  mayDiagnose(source: Source): boolean {
    return this.#row(source).failures < (source.loopback ? LOOPBACK_DIAGNOSED : SOURCE_DIAGNOSED);
  }

  /** Null while the signature of a request is checked, or those of a bulk. */
  failuresSpent(source: Source, isBulk: boolean): BudgetLeft | null {
    const [bulk, single] = source.loopback ? [LOOPBACK_BULK_FAILURES, LOOPBACK_FAILURES] : [SOURCE_BULK_FAILURES, SOURCE_FAILURES];
    const limit = isBulk ? bulk : single;
    return this.#row(source).failures < limit ? null : this.#standing(limit, 0);
  }

  #standing(limit: number, left: number): BudgetLeft {
    return { limit, left, windowEnd: (this.#minute + 1) * 60 };
  }

  #row(source: Source): Row {
    const minute = Math.floor(this.#now() / MINUTE);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#rows.clear();
      this.#overflow = { requests: 0, failures: 0 };
    }
    const row = this.#rows.get(source.network);
    if (row !== undefined) return row;
    if (this.#rows.size >= SOURCES) return this.#overflow;
    const fresh = { requests: 0, failures: 0 };
    this.#rows.set(source.network, fresh);
    return fresh;
  }
}

function requestsOf(source: Source): number {
  return source.loopback ? LOOPBACK_REQUESTS : SOURCE_REQUESTS;
}
