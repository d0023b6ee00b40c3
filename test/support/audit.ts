// Runs the audit of a stopped venue's folder as a user would, with `npm run audit` in a process of its own.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const AUDIT = fileURLToPath(new URL('../../scripts/audit.ts', import.meta.url));

type Audited = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

/** `args`: as they are typed. */
export function runAudit(...args: readonly string[]): Audited {
  const { status, stdout, stderr } = spawnSync(process.execPath, [AUDIT, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** Fails if the folder is not sound; else returns the line with the verdict. */
export function assertSound(...args: readonly string[]): string {
  const { status, stdout, stderr } = runAudit(...args);
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}
