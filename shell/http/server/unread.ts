// Answers, or messages of sockets, that their clients have not read: what the system has no room for waits in memory. Each network
// source has its part, and all together a bound (decision 5.3). Beyond either the one that began to wait first is cut off, its
// connection with it: who reads has his answer soon, and who does not read makes room for who does.

import { partsOf } from '../limits.ts';
import { Quota } from '../quota.ts';
import type { Source } from '../source.ts';

export type UnreadAnswer = {
  /** Null before it is known. */
  readonly source: Source | null;
  /** Ends its connection, and lets go of its bytes. */
  cut(): void;
};

export class Unread {
  readonly #most: number;
  /** Bytes by answer, the one that began to wait first in front. */
  readonly #answers = new Map<UnreadAnswer, number>();
  /** Bytes by network; of answers whose source is not known yet by ''. */
  readonly #bytes: Quota<string>;

  /** `most`: bytes that may wait in all. */
  constructor(most: number) {
    this.#most = most;
    this.#bytes = new Quota(partsOf(most));
  }

  /** Bytes of all answers that wait. */
  get bytes(): number {
    return this.#bytes.all;
  }

  /** `bytes` of the answer wait, 0: none any more. It may be cut off in here, if nothing else makes room. */
  set(answer: UnreadAnswer, bytes: number): void {
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

  #cut(answer: UnreadAnswer): void {
    answer.cut();
    this.set(answer, 0);
  }

  /** The first that waits, of the network if there is one. */
  #first(network: string | null): UnreadAnswer {
    for (const answer of this.#answers.keys()) if (network === null || answer.source?.network === network) return answer;
    throw new Error('unread: bytes are counted that no answer has');
  }
}
