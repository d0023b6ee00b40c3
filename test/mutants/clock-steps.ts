// Faults that a competent engineer might make in the steps of a clock that stands still between them: what is done on the way, and when.

import type { Mutant } from './fault.ts';

type Row = readonly [name: string, file: string, find: string, replace: string, title: string];

const EXPIRY = 'a step goes through an expiry: its samples, its settlement and the hour of funding are there when it is answered';
const REFUSED = 'a step back, too far, of neither or both kinds, or of a clock that runs by itself is refused and moves nothing';
const SAME = 'given the same requests, when they come at other moments, then the state is the same to the last bit';
const MEANWHILE = 'what is asked during a step, by a trader or the operator, is taken before it or after it';
const STOPPED = 'a stop on the way ends cleanly where the clock is, and a step in which nothing is due is there after a restart';

const ROWS: readonly Row[] = [
  ['clock: a step leaps to its end', 'clock-steps', 'Math.min(this.#step!.to, due, second, moment)',
    'Math.min(this.#step!.to, second, moment)', EXPIRY],
  ['clock: other threads are not told of a step', 'operator', 'tell(steps.clock).then(', 'Promise.resolve().then(', EXPIRY],
  ['clock: the clock goes back', 'operator', 'to < steps.time', 'to < 0', REFUSED],
  ['clock: a step has no bound', 'operator', 'to > steps.time + MOST_CLOCK_STEP_DAYS * DAY', 'to > Infinity', REFUSED],
  ['clock: the simulated feed stands still', 'market', 'steps.onSecond(second);', '', SAME],
  ['clock: orders fall within a step', 'threads/main-loop', 'own > 0 ? 0 : this.#drainStepped(this.#steps, time)',
    'this.#drainApis(limit, time) + (own > 0 ? 0 : this.#drainStepped(this.#steps, time))', MEANWHILE],
  ['clock: the operator acts within a step', 'threads/main-loop', 'this.#acts.push(act);', 'act();', MEANWHILE],
  ['clock: a stop waits for the end of a step', 'threads/main-loop', 'this.#steps?.abandon();', '', STOPPED],
  ['clock: a step without work is forgotten', 'threads/main-loop', 'if (this.time === time) steps.end();',
    'if (time > 0) steps.end();', STOPPED],
];

export const CLOCK_STEPS: readonly Mutant[] = ROWS.map(([name, file, find, replace, title]) => (
  { name, file: `shell/process/${file}.ts`, find, replace, tests: ['test/shell/process/clock-steps.test.ts'], title }
));
