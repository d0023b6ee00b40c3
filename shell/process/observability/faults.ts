// Counts internal errors that a thread survives, and failed answers. Few are logged, because a storm would fill the log.

import { BOUNDS } from '../../http/limits.ts';
import { log } from './log.ts';

export class Faults {
  count = 0;
  readonly #thread: string;
  #lines = 0;

  constructor(thread: string) {
    this.#thread = thread;
  }

  readonly report = (place: string, error: unknown, requestId?: string): void => {
    this.count++;
    if (!this.mayLog()) return;
    const text = error instanceof Error ? error.stack ?? error.message : String(error);
    const fields = { place, ...(requestId !== undefined && { request_id: requestId }) };
    log('error', 'fault', `fault in ${this.#thread}, ${place}: ${text}`, fields);
  };

  mayLog(): boolean {
    return ++this.#lines <= BOUNDS.faultLines;
  }

  beginSecond(): void {
    this.#lines = 0;
  }
}
