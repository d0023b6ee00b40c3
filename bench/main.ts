// npm run bench [-- NAME [arguments]] [-- --save]
// Runs all benches, or one, each run in a process of its own, so that none meets code compiled for the inputs of another. Compares each
// figure with bench/baselines.json if that comes from the same kind of machine. `--save` writes that file, for all benches or the one,
// and the table of docs/PERFORMANCE.md made from it. Rows of another run have a line that names their run. Figures count only from a
// quiet machine.

import { fork, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripInto } from '../scripts/modules.ts';
import { commit, machine, machineLine, timesOfMachine, type Figure } from './machine.ts';
import { withTable, type Baselines, type Run } from './table.ts';

/** The benches of a full run, in order: the core, its parts, then end to end. One list of arguments for each process. */
const BENCHES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'order-flow': [['multi'], ['single']],
  apply: [['1'], ['20'], ['100'], ['20', '200000', 'crossing']],
  margin: [['orders'], ['revaluation']],
  memory: [['counters'], ['times']],
  triggers: [[]],
  'mass-quote': [['core'], ['live']],
  pricing: [[]],
  signature: [[]],
  journal: [[]],
  history: [[]],
  restart: [[]],
  'end-to-end': [[]],
  reads: [[]],
  socket: [['full'], ['normal']],
  'fan-out': [[]],
  cluster: [[]],
  page: [[]],
  idle: [[]],
};
/** Programs of the system that a bench needs. */
const NEEDS: Readonly<Record<string, string>> = { cluster: 'nats-server', page: 'chromium' };
/** Benches that run only by name, because they need arguments. */
const BY_NAME: readonly string[] = ['pairs'];
const BASELINES = fileURLToPath(new URL('baselines.json', import.meta.url));
const PAGE = fileURLToPath(new URL('../docs/PERFORMANCE.md', import.meta.url));
const FLAGS = ['--disable-warning=ExperimentalWarning'];
/** Load average above which the machine is not quiet. */
const QUIET = 1.2;

function measure(name: string, args: readonly string[], preload: string): Promise<Figure[]> {
  return new Promise((resolve, reject) => {
    const figures: Figure[] = [];
    const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
    // In the environment, so that a venue which a bench starts from the tree gets it too.
    const env = { ...process.env, NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${preload}`.trim() };
    const child = fork(file, args, { execArgv: FLAGS, env });
    child.on('message', (figure) => figures.push(figure as Figure));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(figures);
      else reject(new Error(`bench ${name} ended with ${code ?? signal}`));
    });
  });
}

function compare(figures: readonly Figure[], saved: Run | undefined): void {
  if (saved === undefined || saved.machine.processor !== machine().processor) return;
  const changes = figures.flatMap(({ name: figure, value }) => {
    const before = saved.figures[figure]?.value;
    if (before === undefined || before === 0) return [];
    const percent = Math.round((value / before - 1) * 100);
    return [`${figure} ${percent < 0 ? '' : '+'}${percent} %`];
  });
  if (changes.length > 0) console.log(`  against ${saved.date}, commit ${saved.commit}: ${changes.join('; ')}`);
}

async function withStripped(work: (preload: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-modules-'));
  try {
    await work(stripInto(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function main(
  preload: string, names: readonly string[], given: readonly (readonly string[])[] | null, isSaving: boolean,
): Promise<void> {
  const load = Math.round(loadavg()[0]! * 100) / 100;
  console.log(machineLine());
  if (load > QUIET) console.log(`the machine is not quiet (load ${load}): these figures are worse than the code is`);
  const saved = existsSync(BASELINES) ? JSON.parse(readFileSync(BASELINES, 'utf8')) as Baselines : {};
  const taken: Record<string, Run['figures']> = {};
  const before = timesOfMachine();
  for (const name of names) {
    console.log(`\n${name}`);
    const figures: Figure[] = [];
    for (const run of given ?? BENCHES[name] ?? [[]]) figures.push(...await measure(name, run, preload));
    compare(figures, saved[name]);
    taken[name] = Object.fromEntries(figures.map(({ name: figure, value, unit, note }) => [figure, { value, unit, note }]));
  }
  const after = timesOfMachine();
  const lost = Math.round((after.stolen - before.stolen) / Math.max(1, after.all - before.all) * 10_000) / 100;
  console.log(`\nmeanwhile the hypervisor gave ${lost} % of the processors to others`);
  if (!isSaving) return;
  const provenance = { date: new Date().toISOString().slice(0, 10), commit: commit(), load, lost, machine: machine() };
  const runs = Object.fromEntries(names.map((name) => [name, { ...provenance, figures: taken[name]! }]));
  const baselines: Baselines = { ...saved, ...runs };
  writeFileSync(BASELINES, `${JSON.stringify(baselines, null, 2)}\n`);
  writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), baselines));
}

/** A full run leaves out what cannot be run here. */
function canRun(name: string): boolean {
  const program = NEEDS[name];
  const canRun = program === undefined || spawnSync(program, ['--version']).error === undefined;
  if (!canRun) console.log(`${name} is left out: no ${program}`);
  return canRun;
}

const known = [...Object.keys(BENCHES), ...BY_NAME];
const isSaving = process.argv.includes('--save');
const [only, ...given] = process.argv.slice(2).filter((arg) => arg !== '--save');
if (only !== undefined && !known.includes(only)) {
  console.error(`bench: "${only}" is none of ${known.join(', ')}`);
  process.exitCode = 2;
} else if (isSaving && (given.length > 0 || BY_NAME.includes(only ?? ''))) {
  console.error('bench: --save is for all benches, or for one of them as it runs among all');
  process.exitCode = 2;
} else {
  const names = only === undefined ? Object.keys(BENCHES).filter(canRun) : [only];
  await withStripped((preload) => main(preload, names, given.length > 0 ? [given] : null, isSaving)).catch((error: Error) => {
    console.error(`${error.message}; nothing is saved`);
    process.exitCode = 1;
  });
}
