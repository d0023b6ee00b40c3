// Moves the clock of a venue whose time stands still between steps (`--clock-speed 0`): to the next due time, or the
// next second of the simulated feed, when everything due before is done. No command of a client falls within a step, so
// the same requests in the same order make the same journal.

import { SECOND } from '../../core/units.ts';
import { followClock, startClock, type VenueClock } from './clock.ts';

type Step = { readonly to: number; readonly done: () => void };

export class ClockSteps {
  #clock: VenueClock;
  #time: number;
  #step: Step | null = null;
  #onSecond: ((time: number) => void) | null = null;

  constructor(time: number) {
    this.#time = time;
    this.#clock = startClock(time, 0);
  }

  get time(): number {
    return this.#time;
  }

  /** As other threads follow it. */
  get clock(): VenueClock {
    return this.#clock;
  }

  get isUnderWay(): boolean {
    return this.#step !== null;
  }

  get isAtEnd(): boolean {
    return this.#time === this.#step?.to;
  }

  /** Called at each full second of a step. */
  onSecond(act: (time: number) => void): void {
    this.#onSecond = act;
  }

  /** `done` is called at `to`, when all that was due is done. Only when no step is under way. */
  begin(to: number, done: () => void): void {
    this.#step = { to, done };
  }

  /** `due`: when something is due next. Call when all that is due is done. */
  advance(due: number): void {
    const second = this.#onSecond === null ? Infinity : (Math.floor(this.#time / SECOND) + 1) * SECOND;
    this.#time = Math.min(this.#step!.to, due, second);
    this.#clock = startClock(this.#time, 0);
    followClock(this.#clock);
    if (this.#time === second) this.#onSecond!(second);
  }

  end(): void {
    const { done } = this.#step!;
    this.#step = null;
    done();
  }

  /** The clock stays where it is. */
  abandon(): void {
    this.#step = null;
  }
}
