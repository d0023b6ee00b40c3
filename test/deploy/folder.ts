// The files of docs/deploy, and what their tests share: processes that end with the test.

import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Ends } from '../support/temporary.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const DEPLOY = join(ROOT, 'docs/deploy');
/** Where the files have the installed venue. */
export const INSTALLED = '/srv/strikebook';
const LOOK_EVERY_MS = 50;

export function deployed(path: string): string {
  return readFileSync(join(DEPLOY, path), 'utf8');
}

export function yamlOf(path: string): unknown {
  return parse(deployed(path));
}

/** Replaces every text in turn; each must be there. */
export function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`not in the file: ${from}`);
    return all.replaceAll(from, to);
  }, text);
}

type Running = { readonly child: ChildProcess; readonly said: () => string };

/** A process that is ended with the test, gently: nginx leaves its workers behind otherwise. */
export function started(t: Ends, [command, ...args]: readonly string[], options: SpawnOptions): Running {
  const child = spawn(command!, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (text: string) => { said += text; });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  return { child, said: () => said };
}

/** Waits until the question is answered with true; throws what the process said when it has ended before. */
export async function until({ child, said }: Running, isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo().catch(() => false)) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended: ${said()}`);
    await sleep(LOOK_EVERY_MS);
  }
}

export async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/ready`)).status === 200;
}
