// The scenario of `--scenario`, as a thread of this process. An error of it ends the process.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { fatal } from './fatal.ts';
import { log } from './observability/log.ts';
import type { Scenario } from './scenario-file.ts';
import { StartRefusal } from './start-refusal.ts';

export type ScenarioStart = { readonly url: string; readonly token: string; readonly scenario: Scenario; readonly file: string };
export type ToScenario = { readonly type: 'play'; readonly time: number } | { readonly type: 'report' };
export type FromScenario =
  | { readonly type: 'notice'; readonly text: string } | { readonly type: 'done'; readonly lines: readonly string[] };

const ENTRY = import.meta.url.endsWith('.ts') ? '../../client/scenarios/thread.ts' : './threads/scenario.js';
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

function progressFile(dataFolder: string): string {
  return join(dataFolder, 'scenario.json');
}

/** A folder goes on with the scenario that it began with. `last`: the journal's last time, 0 if empty. */
export function requireSameScenario(dataFolder: string, scenario: Scenario, last: number): void {
  const file = progressFile(dataFolder);
  const isKnown = existsSync(file);
  // Now: a kill may come before the first moment.
  if (last === 0 && !isKnown) return writeFileSync(file, JSON.stringify({ digest: scenario.digest, since: -1, part: 0, left: [] }));
  const { digest } = isKnown ? JSON.parse(readFileSync(file, 'utf8')) as { digest: string } : { digest: '' };
  if (digest === scenario.digest) return;
  throw new StartRefusal(`data folder ${dataFolder} was not begun with this scenario: give it one of its own`);
}

export class ScenarioThread {
  readonly #worker: Worker;
  #settle: ((lines: readonly string[]) => void) | null = null;

  constructor(dataFolder: string, start: Omit<ScenarioStart, 'file'>) {
    const workerData: ScenarioStart = { ...start, file: progressFile(dataFolder) };
    this.#worker = new Worker(new URL(ENTRY, import.meta.url), { name: 'scenario', workerData, resourceLimits: MEMORY });
    this.#worker.on('error', (error: Error) => fatal('scenario', error));
    this.#worker.on('message', (message: FromScenario) => {
      if (message.type === 'notice') log('info', 'scenario', `scenario: ${message.text}`);
      else this.#settle?.(message.lines);
    });
  }

  play(time: number): Promise<unknown> {
    return this.#ask({ type: 'play', time });
  }

  report(): Promise<readonly string[]> {
    return this.#ask({ type: 'report' });
  }

  end(): Promise<unknown> {
    return this.#worker.terminate();
  }

  #ask(message: ToScenario): Promise<readonly string[]> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#worker.postMessage(message);
    });
  }
}
