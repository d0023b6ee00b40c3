// Answers, or messages of sockets, that their clients have not read: what the system has no room for waits in memory. Each network
// source has its part, and all together a bound (decision 5.3). Beyond either the one that began to wait first is cut off, its
// connection with it: who reads has his answer soon, and who does not read makes room for who does.

import { partOf, type Source } from '../source.ts';

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
  readonly #sources = new Map<string, number>();
  #all = 0;

  /** `most`: bytes that may wait in all. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes of all answers that wait. */
  get bytes(): number {
    return this.#all;
  }

  /** `bytes` of the answer wait, 0: none any more. It may be cut off in here, if nothing else makes room. */
  set(answer: UnreadAnswer, bytes: number): void {
    const { source } = answer;
    const more = bytes - (this.#answers.get(answer) ?? 0);
    if (more === 0) return;
    if (bytes === 0) this.#answers.delete(answer);
    else this.#answers.set(answer, bytes);
    this.#all += more;
    if (source !== null) this.#count(source.network, more);
    if (more < 0) return;
    if (source !== null) {
      const most = partOf(this.#most, source.loopback);
      while ((this.#sources.get(source.network) ?? 0) > most) this.#cut(this.#first(source.network));
    }
    while (this.#all > this.#most) this.#cut(this.#first(null));
  }

  #cut(answer: UnreadAnswer): void {
    answer.cut();
    this.set(answer, 0);
  }

  #count(network: string, more: number): void {
    const bytes = (this.#sources.get(network) ?? 0) + more;
    if (bytes === 0) this.#sources.delete(network);
    else this.#sources.set(network, bytes);
  }

  /** The first that waits, of the network if there is one. */
  #first(network: string | null): UnreadAnswer {
    for (const answer of this.#answers.keys()) if (network === null || answer.source?.network === network) return answer;
    throw new Error('unread: bytes are counted that no answer has');
  }
}
