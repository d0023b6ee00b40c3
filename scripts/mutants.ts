// npm run mutants -- [--only TEXT] [--workers W]
// Plants the faults of test/mutants/list.ts one at a time in a copy of the tree and runs the tests named beside each:
// they must fail. Prints one line a fault, and first that the same tests pass without any. Exit code 0 only when every
// fault is caught. A fault whose line is not found exactly once, or is the same after the change, is an error.

import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MUTANTS, type Mutant } from '../test/mutants/list.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What the tests of the core read. */
const TREE = ['core', 'shell', 'test', 'scripts', 'bench', 'package.json'];
const TIMEOUT_MS = 180_000;

function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-mutants-'));
  for (const part of TREE) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** True when every test passes. */
function passes(folder: string, tests: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const run = spawn(process.execPath, [
      '--disable-warning=ExperimentalWarning', '--test', '--test-concurrency=1', `--test-timeout=${TIMEOUT_MS}`, ...tests,
    ], { cwd: folder, stdio: 'ignore' });
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
  const caught = !await passes(folder, mutant.tests);
  writeFileSync(path, source);
  return caught;
}

/** Runs them side by side, each lane in a copy of its own; the names of those that nothing noticed. */
export async function runMutants(mutants: readonly Mutant[], workers: number, say: (line: string) => void): Promise<string[]> {
  const survivors: string[] = [];
  const left = [...mutants];
  await Promise.all(Array.from({ length: Math.min(workers, mutants.length) }, async () => {
    const folder = copyTree();
    try {
      for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
        const caught = await isCaught(folder, mutant);
        if (!caught) survivors.push(mutant.name);
        say(`${caught ? 'caught  ' : 'SURVIVED'} ${mutant.name} (${mutant.file})`);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }));
  return survivors;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string', default: '' }, workers: { type: 'string', default: String(cpus().length) } },
  });
  const mutants = MUTANTS.filter(({ name, file }) => name.includes(values.only) || file.includes(values.only));
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
  if (mutants.length === 0) throw new RangeError(`no mutant is called "${values.only}"`);
  if (!await passes(ROOT, tests)) throw new Error('the tests fail without any fault; that has to be mended first');
  const survivors = await runMutants(mutants, Number(values.workers), console.log);
  console.log(`mutants: ${mutants.length - survivors.length} of ${mutants.length} caught`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
