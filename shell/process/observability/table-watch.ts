// How full the tables of the state are. Warns at 80 %, once until the table falls below 75 %: a full table means
// refusals.

import { TABLES } from '../../../core/engine/tables.ts';
import type { State } from '../../../core/engine/state.ts';
import { log } from './log.ts';
import type { Meters } from './meters.ts';

const WARNED_FROM = 0.8;
const WARNED_UNTIL = 0.75;

export class TableWatch {
  readonly #state: State;
  readonly #meters: Meters;
  readonly #log: typeof log;
  readonly #warned = new Set<string>();

  constructor(state: State, meters: Meters, say = log) {
    this.#state = state;
    this.#meters = meters;
    this.#log = say;
  }

  update(): void {
    TABLES.forEach(({ name, used, capacity }, at) => {
      const [rows, most] = [used(this.#state), capacity(this.#state)];
      this.#meters.setTable(at, rows, most);
      if (rows >= most * WARNED_FROM && !this.#warned.has(name)) {
        this.#warned.add(name);
        this.#say('warn', `the table ${name} is ${percent(rows, most)} % full: ${rows} of ${most} rows`, name, rows, most);
      } else if (rows < most * WARNED_UNTIL && this.#warned.delete(name)) {
        this.#say('info', `the table ${name} has room again: ${rows} of ${most} rows`, name, rows, most);
      }
    });
  }

  #say(level: 'info' | 'warn', text: string, table: string, used: number, capacity: number): void {
    this.#log(level, 'table', text, { table, used, capacity });
  }
}

function percent(rows: number, most: number): number {
  return Math.floor(rows / most * 100);
}
