// Limits the bytes that wait in memory because clients do not read them, per source and in total (decision 5.3). Beyond
// a limit, the consumer that has waited longest is cut off.

import { partsOf } from '../limits.ts';
import { Quota } from '../quota.ts';
import type { Source } from '../source.ts';

export type Consumer = {
  readonly source: Source | null;
  cut(): void;
};

export class UnreadOutput {
  readonly #most: number;
  readonly #answers = new Map<Consumer, number>();
  readonly #bytes: Quota<string>;

  constructor(most: number) {
    this.#most = most;
    this.#bytes = new Quota(partsOf(most));
  }

  get bytes(): number {
    return this.#bytes.all;
  }

  /** May cut off a consumer. */
  set(answer: Consumer, bytes: number): void {
    const { source } = answer;
    const network = source?.network ?? '';
    const more = bytes - (this.#answers.get(answer) ?? 0);
    if (more === 0) return;
    if (bytes === 0) this.#answers.delete(answer);
    else this.#answers.set(answer, bytes);
    if (more < 0) return this.#bytes.give(network, -more);
    this.#bytes.add(network, more);
    while (source !== null && this.#bytes.left(network, source.loopback) < 0) this.#cut(this.#first(network));
    while (this.bytes > this.#most) this.#cut(this.#first(null));
  }

  #cut(answer: Consumer): void {
    answer.cut();
    this.set(answer, 0);
  }

  #first(network: string | null): Consumer {
    for (const answer of this.#answers.keys()) if (network === null || answer.source?.network === network) return answer;
    throw new Error('unread: bytes are counted that no answer has');
  }
}
