// Simulated time: what is due runs in order, and promises settle in between. No test waits for a clock.

import { setImmediate as turn } from 'node:timers/promises';

type Due = { readonly time: number; readonly number: number; readonly work: () => void };

export class Simulation {
  now = 0;
  #due: Due[] = [];
  #count = 0;

  after(ms: number, work: () => void): void {
    const item = { time: this.now + ms, number: this.#count++, work };
    const at = this.#due.findIndex(({ time }) => time > item.time);
    if (at < 0) this.#due.push(item);
    else this.#due.splice(at, 0, item);
  }

  /** Every `ms` until the test ends. */
  every(ms: number, work: () => void): void {
    this.after(ms, () => {
      work();
      this.every(ms, work);
    });
  }

  async run(ms: number): Promise<void> {
    const until = this.now + ms;
    await turn();
    while (this.#due.length > 0 && this.#due[0]!.time <= until) {
      const { time, work } = this.#due.shift()!;
      this.now = time;
      work();
      await turn();
    }
    this.now = until;
  }

  /** False: it did not become true within `ms`. */
  async until(isTrue: () => boolean, ms: number): Promise<boolean> {
    for (let waited = 0; waited < ms && !isTrue(); waited += 10) await this.run(10);
    return isTrue();
  }
}
