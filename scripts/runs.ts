// Shared by the commands of this folder: flags, the folder of a run, and the line that names machine and commit. `--help` prints the
// usage and exits 0. An unknown flag or a wrong value prints one line and exits with code 2.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machineLine } from '../bench/machine.ts';
import { endWithReader } from './output.ts';

/** Values by flag. */
type Flags<D> = { readonly [N in keyof D]: string };

/** Reads `--name VALUE` of each of `defaults`; a default of '' is that of a flag without one. `usage`: the command line. */
export function readFlags<const D extends Readonly<Record<string, string>>>(usage: string, defaults: D): Flags<D> {
  endWithReader();
  const own = Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: value }] as const);
  try {
    const { values: { help, ...values } } = parseArgs({ options: { ...Object.fromEntries(own), help: { type: 'boolean' } } });
    if (help === undefined) return values as Flags<D>;
  } catch (error) {
    refuse(`${(error as Error).message.split('. ')[0]}; usage: ${usage}`);
  }
  console.log(`usage: ${usage}`);
  process.exit(0);
}

/** The values of flags that are whole numbers from 1, in the order of their names. */
export function wholeNumbers<const N extends readonly string[]>(
  values: Readonly<Record<string, string>>, ...names: N
): { [I in keyof N]: number } {
  return names.map((name) => {
    const value = Number(values[name]);
    if (!Number.isSafeInteger(value) || value < 1) refuse(`--${name} is a number from 1, not "${values[name]}"`);
    return value;
  }) as { [I in keyof N]: number };
}

/** Prints the message and ends the process with code 2. */
export function refuse(fault: string): never {
  console.error(fault);
  process.exit(2);
}

/** First line of a run: what is run, with which machine, runtime and commit. */
export function sayRun(what: string): void {
  console.log(`${what}; ${machineLine()}`);
}

/** Calls `run` with a folder of its own. On success the folder is removed and the exit code is 0; otherwise it is kept and printed. */
export async function inFolder(name: string, run: (folder: string) => Promise<boolean>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `strikebook-${name}-`));
  let isWell = false;
  try {
    isWell = await run(folder);
  } finally {
    if (isWell) rmSync(folder, { recursive: true, force: true });
    else console.log(`${name}: the folder is kept: ${folder}`);
  }
  process.exitCode = isWell ? 0 : 1;
}
