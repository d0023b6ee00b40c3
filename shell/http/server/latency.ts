// Delays answers and socket messages, to try clients with a slow network (`--latency`). Real time. Messages of one socket never overtake
// each other.

import type { Random } from '../../feeds/random.ts';
import { steady } from '../../process/clock.ts';

/** Each delay lies between `delay` less and plus `jitter`. */
type LatencyTerms = { readonly delay: number; readonly jitter: number };

export class Latency {
  readonly #terms: LatencyTerms;
  readonly #random: Random;

  constructor(terms: LatencyTerms, random: Random) {
    this.#terms = terms;
    this.#random = random;
  }

  next(): number {
    const { delay, jitter } = this.#terms;
    return delay + jitter * (2 * this.#random.uniform() - 1);
  }
}

type Delayed = { readonly at: number; readonly bytes: number; readonly act: () => void };

export class DelayLine {
  readonly #latency: Latency;
  readonly #entries: Delayed[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(latency: Latency) {
    this.#latency = latency;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  add(bytes: number, act: () => void): void {
    this.#entries.push({ at: steady() + this.#latency.next(), bytes, act });
    this.#bytes += bytes;
    this.#timer ??= this.#wait();
  }

  clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#entries.length = 0;
    this.#bytes = 0;
  }

  #wait(): NodeJS.Timeout {
    return setTimeout(() => this.#release(), Math.max(0, Math.ceil(this.#entries[0]!.at - steady())));
  }

  #release(): void {
    this.#timer = null;
    const now = steady();
    while (this.#entries.length > 0 && this.#entries[0]!.at <= now) {
      const { act, bytes } = this.#entries.shift()!;
      this.#bytes -= bytes;
      act();
    }
    if (this.#entries.length > 0) this.#timer ??= this.#wait();
  }
}
