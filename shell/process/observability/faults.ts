// Faults of ours that a thread survives, and answers that failed: counted, and told in so many lines a second. A storm of them is counted,
// not told: it would fill the log just when it matters.

import { BOUNDS } from '../../http/limits.ts';
import { log } from './log.ts';

export class Faults {
  /** Since the thread began. */
  count = 0;
  readonly #thread: string;
  #lines = 0;

  constructor(thread: string) {
    this.#thread = thread;
  }

  /** `requestId`: of the request in whose service it happened. */
  readonly report = (place: string, error: unknown, requestId?: string): void => {
    this.count++;
    if (!this.mayLog()) return;
    const text = error instanceof Error ? error.stack ?? error.message : String(error);
    const fields = { place, ...(requestId !== undefined && { request_id: requestId }) };
    log('error', 'fault', `fault in ${this.#thread}, ${place}: ${text}`, fields);
  };

  /** Whether one more line is told in this second. */
  mayLog(): boolean {
    return ++this.#lines <= BOUNDS.faultLines;
  }

  beginSecond(): void {
    this.#lines = 0;
  }
}
