// Moves the clock of a venue whose time stands still between steps (`--clock-speed 0`): to the next due time, second of the simulated
// feed or moment of a scenario, when everything due before is done. Requests are taken only then, so the same requests in the same order
// make the same journal.

import { SECOND } from '../../core/units.ts';
import { followClock, startClock, type VenueClock } from './clock.ts';

type Step = { readonly to: number; readonly done: () => void };

/** Moments at which a scenario acts. `next`: the first after `time`. */
type Moments = { readonly next: (time: number) => number; readonly play: (time: number) => Promise<unknown> };

export class ClockSteps {
  #clock: VenueClock;
  #time: number;
  #step: Step | null = null;
  #onSecond: ((time: number) => void) | null = null;
  #moments: Moments | null = null;
  #wake: () => void = () => undefined;
  #state: 'moving' | 'unplayed' | 'playing' = 'moving';
  readonly #waiting: (() => void)[] = [];

  constructor(time: number) {
    this.#time = time;
    this.#clock = startClock(time, 0);
  }

  get time(): number {
    return this.#time;
  }

  get clock(): VenueClock {
    return this.#clock;
  }

  get isUnderWay(): boolean {
    return this.#step !== null;
  }

  get isPlaying(): boolean {
    return this.#state === 'playing';
  }

  onSecond(act: (time: number) => void): void {
    this.#onSecond = act;
  }

  follow(moments: Moments): void {
    this.#moments = moments;
    this.#state = 'unplayed';
  }

  wakeBy(wake: () => void): void {
    this.#wake = wake;
  }

  ask(begin: () => void): void {
    this.#waiting.push(begin);
    this.#wake();
  }

  takeNext(): boolean {
    const begin = this.#waiting.shift();
    begin?.();
    return begin !== undefined;
  }

  /** `done` is called at `to`, when all that was due is done. Only when no step is under way. */
  begin(to: number, done: () => void): void {
    this.#step = { to, done };
  }

  /** Call when all that is due is done; `due`: when something is next. False: the target is reached. */
  advance(due: number): boolean {
    if (this.#state === 'unplayed') {
      this.#play();
      return true;
    }
    if (this.#time === this.#step!.to) return false;
    const second = this.#onSecond === null ? Infinity : (Math.floor(this.#time / SECOND) + 1) * SECOND;
    const moment = this.#moments === null ? Infinity : this.#moments.next(this.#time);
    this.#time = Math.min(this.#step!.to, due, second, moment);
    this.#clock = startClock(this.#time, 0);
    followClock(this.#clock);
    if (this.#time === second) this.#onSecond!(second);
    if (this.#time === moment) this.#state = 'unplayed';
    return true;
  }

  end(): void {
    const { done } = this.#step!;
    this.#step = null;
    done();
  }

  abandon(): void {
    this.#step = null;
    this.#waiting.length = 0;
  }

  #play(): void {
    this.#state = 'playing';
    void this.#moments!.play(this.#time).then(() => {
      this.#state = 'moving';
      this.#wake();
    });
  }
}
