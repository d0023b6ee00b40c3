// npm run mutants -- [--only TEXT] [--workers W]
// Plants the faults of test/mutants/list.ts one at a time in a copy of the tree and runs the tests named beside each: they must fail.
// First checks that the same tests pass without a fault. Prints one line a fault. Exit code 0 only when every fault is caught. A fault
// whose line is not found exactly once, or is the same after the change, is an error.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from '../test/mutants/fault.ts';
import { MUTANTS } from '../test/mutants/list.ts';
import { readFlags, refuse, wholeNumbers } from './runs.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Files and folders that the tests read. */
const TREE = ['core', 'shell', 'test', 'scripts', 'bench', 'client', 'docs', 'package.json', 'tsconfig.json'];
/** Longer than any test file takes; a fault may cause an endless loop. */
const TIMEOUT_MS = 120_000;

function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-mutants-'));
  for (const part of TREE) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Rebuilds the bundles that venues under test run from. */
function build(folder: string): void {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.js'], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the tree does not build: ${stderr}`);
}

/** True when every test of the file passes, or the one with this title; stops at the first failure. */
function passes(folder: string, file: string, title?: string): Promise<boolean> {
  // Independent of an outer run of tests, and never in long mode.
  const { NODE_TEST_CONTEXT: _context, STRIKEBOOK_LONG: _long, ...env } = process.env;
  return new Promise((resolve) => {
    const only = title === undefined ? [] : [`--test-name-pattern=^${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`];
    const run = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--import', './test/mutants/stop.ts', ...only, file], {
      cwd: folder, env, stdio: 'ignore', timeout: TIMEOUT_MS, killSignal: 'SIGKILL',
    });
    run.on('exit', (code) => resolve(code === 0));
  });
}

/** The source with the fault in it. */
export function mutate(source: string, { name, find, replace }: Mutant): string {
  const parts = source.split(find);
  if (parts.length !== 2) throw new RangeError(`mutant "${name}": its line is found ${parts.length - 1} times, not once`);
  if (find === replace) throw new RangeError(`mutant "${name}" changes nothing`);
  return parts.join(replace);
}

async function isCaught(folder: string, mutant: Mutant): Promise<boolean> {
  const path = join(folder, mutant.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, mutate(source, mutant));
  build(folder);
  let caught = false;
  for (const file of mutant.tests) caught = caught || !await passes(folder, file, mutant.title);
  writeFileSync(path, source);
  return caught;
}

/** Runs the faults in parallel, each worker in a copy of its own; returns the names of those not caught. */
export async function runMutants(mutants: readonly Mutant[], workers: number, say: (line: string) => void): Promise<string[]> {
  const survivors: string[] = [];
  const left = [...mutants];
  await Promise.all(Array.from({ length: Math.min(workers, mutants.length) }, async () => {
    const folder = copyTree();
    try {
      for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
        const since = performance.now();
        const caught = await isCaught(folder, mutant);
        if (!caught) survivors.push(mutant.name);
        const seconds = ((performance.now() - since) / 1_000).toFixed(1);
        say(`${caught ? 'caught  ' : 'SURVIVED'} ${seconds.padStart(5)} s  ${mutant.name} (${mutant.file})`);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }));
  return survivors;
}

async function main(): Promise<void> {
  const values = readFlags('npm run mutants -- [--only TEXT] [--workers W]', { only: '', workers: '2' });
  const [workers] = wholeNumbers(values, 'workers');
  const mutants = MUTANTS.filter(({ name, file }) => name.includes(values.only) || file.includes(values.only));
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
  if (mutants.length === 0) refuse(`no mutant is called "${values.only}"`);
  for (const file of tests) {
    if (!await passes(ROOT, file)) throw new Error(`${file} fails without any fault; that has to be mended first`);
  }
  const survivors = await runMutants(mutants, workers, console.log);
  console.log(`mutants: ${mutants.length - survivors.length} of ${mutants.length} caught`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
