// Records for a consumer loop under test: one is published within the drain call of a given number, before or after that call counts what
// it has found.

import type { Ringer } from '../../../shell/ipc/doorbell.ts';

export class News {
  published = 0;
  found = 0;
  looks = 0;
  readonly #ringer: Ringer;
  readonly #point: number;
  readonly #isEarly: boolean;

  /** `point`: the look in which it comes, from 0. */
  constructor(ringer: Ringer, point: number, isEarly: boolean) {
    this.#ringer = ringer;
    this.#point = point;
    this.#isEarly = isEarly;
  }

  readonly publish = (): void => {
    this.published++;
    this.#ringer.ring();
  };

  /** What a loop calls. */
  readonly drain = (): number => {
    const isHere = this.looks++ === this.#point;
    if (isHere && this.#isEarly) this.publish();
    const done = this.published - this.found;
    this.found += done;
    if (isHere && !this.#isEarly) this.publish();
    return done;
  };
}
