// Runs a start that must be refused: exit code 2, nothing on standard output, one line on standard error.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const START = fileURLToPath(new URL('../../../shell/process/start.js', import.meta.url));

type Options = {
  readonly node?: string; readonly start?: string; readonly imports?: string; readonly env?: NodeJS.ProcessEnv;
  readonly user?: { readonly uid?: number; readonly gid?: number };
};

/** The line. */
export function refused(args: readonly string[], options: Options = {}): string {
  const { node = process.execPath, start = START, imports, env = {}, user = {} } = options;
  const before = imports === undefined ? [] : ['--import', imports];
  const how = { encoding: 'utf8', env: { ...process.env, ...env }, timeout: 120_000, ...user } as const;
  const run = spawnSync(node, [...before, start, ...args], how);
  assert.equal(run.status, 2, `${args.join(' ')}: ${run.stdout}${run.stderr}`);
  assert.equal(run.stdout, '');
  assert.match(run.stderr, /^strikebook[^\n]+\n$/, 'one line');
  return run.stderr;
}
