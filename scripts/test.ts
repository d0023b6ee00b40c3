// Runs the tests of the working folder: `npm test` all, `npm test -- book` those under test/core/book, `npm test -- book/levels`
// one file. Those that need programs of the system run only when named: `npm run test:real` all, `npm run test:real -- deploy` a folder.
// Fails when a test fails, when a file or the whole run tests nothing, and when a process is left behind.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.js';
import { stripInto } from './modules.ts';

/** Files run at once on two cores: most of them wait. More would starve the venues under test, which have threads of their own. */
const CONCURRENCY = 4;
/**
 * Flags of V8 for processes that live for seconds: each thread collects its own garbage. With other flags than these
 * two, each thread would compile Node's own modules anew (`v8.cachedDataVersionTag()` changes) instead of using the
 * code in its binary.
 */
const SHORT_LIVED = ['--no-parallel-scavenge', '--no-concurrent-marking'];
/** Flags that a venue sets for itself (shell/process/v8-flags.ts). They pay only in a long-lived venue, so tests do not set them. */
const LONG_LIVED = ['--max-inlined-bytecode-size-cumulative', '--min-inlining-frequency'];
const RUNNER = fileURLToPath(new URL('test-files.ts', import.meta.url));
/** The files that take longest, on their own more than five seconds of a processor: they begin first, so that no core waits at the end. */
const LONGEST = [
  'client/scenarios/play', 'e2e/crash/server', 'sim/sim', 'shell/process/clock-steps', 'scripts/day/day', 'shell/feeds/hyperliquid-venue',
  'e2e/load/load', 'e2e/fuzz/fuzz', 'shell/process/start', 'shell/process/demo', 'shell/storage/backup/backup', 'e2e/conformance/venues',
  'cluster/explorer/explorer', 'shell/http/server/pipelining', 'shell/process/package', 'scripts/audit/audit',
  'reference/reference', 'client/conformance/run', 'shell/reader/funding', 'client/package', 'e2e/compat/sdk', 'e2e/conformance/mutants',
  'mutants/mutants', 'core/replay/replay', 'shell/process/venue-clock', 'shell/reader/instrument-candles',
];
/** The folders whose files share a process, a few of them at a time: what one has compiled serves the next. They start no venue process. */
const SHARING = ['client/terminal', 'core', 'docs', 'shell/reader'];
const FILES_OF_A_PROCESS = 8;
/** Of a file that has a process of its own, since these hooks would be for all tests of the process. */
const HOOKS = /^(before|beforeEach|afterEach)\(/m;
/** The folders whose tests run only when named. */
const BY_NAME = ['brokers', 'clients', 'deploy', 'python', 'terminal'];
/** Longest time of one file: a test that hangs fails. The larger sizes take up to an hour. */
const TIMEOUT_MS = process.env['STRIKEBOOK_LONG'] === '1' ? 7_200_000 : 300_000;
/** The memory file system of Linux, and how much of it must be free: a run takes up to two GiB at once. */
const MEMORY = '/dev/shm';
const MEMORY_BYTES = 8 * 2 ** 30;
/** The module that processes of a run load first, by the end of its address (modules.ts). */
const PRELOAD = '/modules/preload.mjs';
/** Grace period for processes of a finished run to end. */
const GRACE_MS = 2_000;

type Outcome = { readonly code: number; readonly faults: readonly string[] };

function testFiles(names: readonly string[]): string[] {
  if (!existsSync('test')) return [];
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => path.endsWith('.test.ts') && (names.length === 0 ? !isOneOf(path, BY_NAME) : isOneOf(path, names)))
    .sort()
    .map(path => `test/${path}`);
}

function isOneOf(path: string, names: readonly string[]): boolean {
  return names.some(name => isNamed(path, name));
}

/** `book` matches the folder, `book/levels` and `test/book/levels.test.ts` the file; `boo` matches nothing. */
function isNamed(path: string, name: string): boolean {
  const start = name.replace(/^test\//, '').replace(/\/+$/, '');
  return path === start || path === `${start}.test.ts` || path.startsWith(`${start}/`);
}

/** What processes run, the longest first: files, and modules in `folder` that load several files. */
function programsOf(files: readonly string[], folder: string): string[] {
  const first = filesOf(LONGEST).filter((file) => files.includes(file));
  const others = files.filter((file) => !first.includes(file));
  const modules = SHARING.flatMap((place) => {
    const some = others.filter((file) => file.startsWith(`test/${place}/`) && !HOOKS.test(readFileSync(file, 'utf8')));
    return Array.from({ length: Math.ceil(some.length / FILES_OF_A_PROCESS) }, (_, at) => {
      const group = some.slice(at * FILES_OF_A_PROCESS, (at + 1) * FILES_OF_A_PROCESS);
      return { group, path: join(folder, `${place.replace('/', '-')}-${at}.mjs`) };
    });
  });
  for (const { group, path } of modules) writeModule(group, path);
  const shared = new Set(modules.flatMap(({ group }) => group));
  return [...first, ...modules.map(({ path }) => path), ...others.filter((file) => !shared.has(file))];
}

function filesOf(names: readonly string[]): string[] {
  return names.map((name) => `test/${name}.test.ts`);
}

function writeModule(files: readonly string[], path: string): void {
  writeFileSync(path, files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(''));
}

/** Node's runner prints for people on stdout; the files in which it saw a test are looked through afterwards. */
async function run(files: readonly string[]): Promise<Outcome> {
  const temporary = temporaryPlace();
  const folder = mkdtempSync(join(temporary, 'test-run-'));
  // Some processes of the run belong to another user.
  chmodSync(folder, 0o755);
  const tested = join(folder, 'tested');
  const runner = spawn(process.execPath, [
    '--disable-warning=ExperimentalWarning', RUNNER, String(CONCURRENCY), String(TIMEOUT_MS), tested, ...programsOf(files, folder),
  ], { stdio: ['ignore', 'inherit', 'inherit'], detached: true, env: { ...quickStart(folder), TMPDIR: temporary } });
  // The runner leads a process group of its own, so that whatever its tests started can be ended with it.
  const group = runner.pid!;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => endGroup(group));
  const code = await new Promise<number>(resolve => runner.on('exit', status => resolve(status ?? 1)));
  const left = await leftBehind(group);
  endGroup(group);
  const report = existsSync(tested) ? readFileSync(tested, 'utf8').split('\n') : [];
  rmSync(folder, { recursive: true });
  return { code, faults: [...left.map(name => `left running by a test: ${name}`), ...(code === 0 ? untested(report, files) : [])] };
}

/** A folder in memory if there is enough that programs may run from: tests sync thousands of files that need not survive. */
function temporaryPlace(): string {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  const mount = readFileSync('/proc/mounts', 'utf8').split('\n').find((line) => line.split(' ')[1] === MEMORY);
  return bavail * bsize >= MEMORY_BYTES && mount?.includes('noexec') === false ? MEMORY : tmpdir();
}

/**
 * The environment in which every process of the run takes stripped and compiled modules from the run's folder: both are most of what
 * it takes to start a process, and a run starts thousands.
 */
function quickStart(folder: string): NodeJS.ProcessEnv {
  // A run within a run (as in the tests of this file) uses the modules of the outer one, because making them is slow.
  if (process.env['NODE_OPTIONS']?.includes(PRELOAD) === true) return process.env;
  writeFileSync(join(folder, 'process.mjs'), OF_PROCESS);
  const preloads = [stripInto(join(folder, 'modules')), pathToFileURL(join(folder, 'process.mjs')).href];
  const options = [process.env['NODE_OPTIONS'], ...preloads.map((url) => `--import=${url}`)].join(' ').trim();
  return { ...process.env, NODE_OPTIONS: options, NODE_COMPILE_CACHE: join(folder, 'compiled') };
}

/** The module that every thread loads first; it acts only in the first thread of a process. */
const OF_PROCESS = `import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  const { setFlagsFromString } = v8;
  for (const flag of ${JSON.stringify(SHORT_LIVED)}) setFlagsFromString(flag);
  v8.setFlagsFromString = (flag) => {
    if (!${JSON.stringify(LONG_LIVED)}.includes(flag.split('=')[0])) setFlagsFromString(flag);
  };
  syncBuiltinESMExports();
}
`;

function untested(tested: readonly string[], files: readonly string[]): string[] {
  return files.filter((file) => !tested.includes(resolve(file))).map((file) => `tests nothing: ${file}`);
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The group is empty: every process of the run has ended.
  }
}

/** Processes of the group that are alive after the grace period; listed on Linux only, elsewhere just killed. */
async function leftBehind(group: number): Promise<string[]> {
  for (let waited = 0; ; waited += 50) {
    const living = livingOf(group);
    if (living.length === 0 || waited >= GRACE_MS) return living;
    await sleep(50);
  }
}

function livingOf(group: number): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(pid => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(processGroup) !== group || state === 'Z') return [];
      return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').map(part => basename(part)).join(' ').trim()];
    } catch {
      return []; // ended between the two reads
    }
  });
}

const isReal = process.argv[2] === '--real';
const named = process.argv.slice(isReal ? 3 : 2);
const names = isReal && named.length === 0 ? BY_NAME : named;
const files = testFiles(names);
const nothing: Outcome = { code: 1, faults: [`no test file is called ${names.join(', ') || '*.test.ts'}`] };
await ensureBuilt();
const { code, faults } = files.length === 0 ? nothing : await run(files);
for (const fault of faults) console.error(`test: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : code;
