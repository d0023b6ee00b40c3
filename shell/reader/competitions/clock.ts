// Which competitions run at a time, and when the next one starts or ends, ms. Cached, because every command asks.

import { competitionCount } from '../../../core/registry/competitions.ts';
import type { State } from '../../../core/engine/state.ts';

export class CompetitionClock {
  readonly #state: State;
  #count = 0;
  #from = Infinity;
  #next = -Infinity;
  #running: number[] = [];

  constructor(state: State) {
    this.#state = state;
  }

  running(time: number): readonly number[] {
    this.#look(time);
    return this.#running;
  }

  nextChange(time: number): number {
    this.#look(time);
    return this.#next;
  }

  #look(time: number): void {
    const count = competitionCount(this.#state);
    if (count === this.#count && time >= this.#from && time < this.#next) return;
    this.#count = count;
    this.#from = time;
    this.#next = Infinity;
    this.#running = [];
    const { start, end } = this.#state.competitions;
    for (let row = 0; row < count; row++) {
      for (const moment of [start[row]!, end[row]!]) if (moment > time && moment < this.#next) this.#next = moment;
      if (start[row]! <= time && end[row]! > time) this.#running.push(row + 1);
    }
  }
}
