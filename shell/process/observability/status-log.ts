// Logs each problem of the venue once it has lasted LOG_AFTER_MS, and its end. Times in ms of a steady clock.

import { log } from './log.ts';

const LOG_AFTER_MS = 2_000;

type Problem = { readonly key: string; readonly text: string; readonly over: string; readonly isExpected?: boolean };
type OpenProblem = { readonly component: string; readonly problem: Problem; readonly since: number; isLogged: boolean };

export class StatusLog {
  readonly #open = new Map<string, OpenProblem>();

  update(components: readonly { readonly name: string; readonly problems: readonly Problem[] }[], time: number): void {
    const seen = new Set<string>();
    for (const { name: component, problems } of components) {
      for (const problem of problems) {
        seen.add(problem.key);
        const open = this.#open.get(problem.key) ?? { component, problem, since: time, isLogged: false };
        this.#open.set(problem.key, open);
        if (open.isLogged || time - open.since < LOG_AFTER_MS) continue;
        open.isLogged = true;
        log(problem.isExpected === true ? 'info' : 'warn', component, `${component}: ${problem.text}`, { component, problem: problem.key });
      }
    }
    for (const [key, { component, problem, isLogged }] of this.#open) {
      if (seen.has(key)) continue;
      this.#open.delete(key);
      if (isLogged) log('info', component, `${component}: ${problem.over}`, { component, problem: key });
    }
  }
}
