// Time as it passes, for nodes on real brokers, with the calls that simulated time has (test/cluster/fake).

import { setTimeout as sleep } from 'node:timers/promises';

export class RealTime {
  readonly #timers: NodeJS.Timeout[] = [];

  get now(): number {
    return performance.now();
  }

  every(ms: number, work: () => void): void {
    this.#timers.push(setInterval(work, ms));
  }

  run(ms: number): Promise<void> {
    return sleep(ms);
  }

  /** False: it did not become true within `ms`. */
  async until(isTrue: () => boolean, ms: number): Promise<boolean> {
    for (const since = this.now; this.now - since < ms && !isTrue();) await sleep(5);
    return isTrue();
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}
