// What is wrong with the venue, as lines of the log: one when it has lasted TOLD_AFTER, one when it is over. Times ms of a steady clock.

import { log } from './log.ts';

/** So long a thing may be as it is at a start, or between two looks of two threads. */
const TOLD_AFTER = 2_000;

type Problem = { readonly key: string; readonly text: string; readonly over: string; readonly isExpected?: boolean };
type Noted = { readonly component: string; readonly problem: Problem; readonly since: number; isTold: boolean };

export class StatusLog {
  readonly #noted = new Map<string, Noted>();

  /** To be called about once a second. */
  look(components: readonly { readonly name: string; readonly problems: readonly Problem[] }[], time: number): void {
    const seen = new Set<string>();
    for (const { name: component, problems } of components) {
      for (const problem of problems) {
        seen.add(problem.key);
        const noted = this.#noted.get(problem.key) ?? { component, problem, since: time, isTold: false };
        this.#noted.set(problem.key, noted);
        if (noted.isTold || time - noted.since < TOLD_AFTER) continue;
        noted.isTold = true;
        log(problem.isExpected === true ? 'info' : 'warn', component, `${component}: ${problem.text}`, { component, problem: problem.key });
      }
    }
    for (const [key, { component, problem, isTold }] of this.#noted) {
      if (seen.has(key)) continue;
      this.#noted.delete(key);
      if (isTold) log('info', component, `${component}: ${problem.over}`, { component, problem: key });
    }
  }
}
