// Modules whose types a thread beside has stripped: the program is the same, no thread of it detaches a buffer by stripping (which
// V8 can be asked to tell), and what that thread cannot find or read is left to Node.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/venue-process.ts';
import { temporaryFolder } from '../support/temporary.ts';

const START = fileURLToPath(new URL('../../shell/start.js', import.meta.url));
const PRELOAD = `--import=${new URL('../../shell/stripped.js', import.meta.url).href}`;
const TELLING = ['--disable-warning=ExperimentalWarning', '--trace-protector-invalidation'];
const TOLD = 'Invalidating protector cell ArrayBufferDetaching\n';
const READY = 'Strikebook is ready';
/** Of the reader's ring (shell/wiring.ts); what is longer goes another way. */
const ANSWER_BYTES = 65_536;
/** A process of its own, without the texts that a run of the tests gives to all of its processes. */
const ALONE = { ...process.env, NODE_OPTIONS: '' };

const PROGRAM = {
  'main.ts': `import { Worker } from 'node:worker_threads';
import { double } from './double.ts';
const name: string = 'named';
const four: number = double(2);
const worker = new Worker(new URL('./thread.ts', import.meta.url));
worker.on('message', async (six: number) => {
  const at = /main\\.ts:[\\d:]+/.exec(new Error().stack!)![0];
  const computed = process.argv[2] === 'more' ? (await import(\`./\${name}.ts\`)).eight : 0;
  console.log(four, six, computed, at);
});
`,
  'double.ts': 'export type Size = number;\nexport const double = (size: Size): Size => size * 2;\n',
  'thread.ts': `import { parentPort } from 'node:worker_threads';
import { double } from './double.ts';
parentPort!.postMessage(double(3 as number));
`,
  'named.ts': 'export const eight: number = 8;\n',
};

function folderOf(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** What a program says, and in how many threads a buffer was detached. */
function run(args: readonly string[]): { said: string; threads: number; stderr: string; status: number | null } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...TELLING, ...args], { encoding: 'utf8', env: ALONE });
  return { said: stdout.replaceAll(TOLD, ''), threads: stdout.split(TOLD).length - 1, stderr, status };
}

test('a program and its thread run as they would, lines and all, and only the thread that strips detaches', (t) => {
  const main = join(folderOf(t, PROGRAM), 'main.ts');
  assert.deepEqual(run([main]), { said: '4 6 0 main.ts:7:37\n', threads: 2, stderr: '', status: 0 });
  assert.deepEqual(run([PRELOAD, main]), { said: '4 6 0 main.ts:7:37\n', threads: 1, stderr: '', status: 0 });
});

test('so does one that is started by the name of a link', (t) => {
  const folder = folderOf(t, PROGRAM);
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  t.after(() => rmSync(link));
  assert.deepEqual(run([PRELOAD, join(link, 'main.ts')]), { said: '4 6 0 main.ts:7:37\n', threads: 1, stderr: '', status: 0 });
});

test('a module that nothing names as a whole is left to Node', (t) => {
  const main = join(folderOf(t, PROGRAM), 'main.ts');
  assert.deepEqual(run([PRELOAD, main, 'more']), { said: '4 6 8 main.ts:7:37\n', threads: 2, stderr: '', status: 0 });
});

test('so is what a program that is no file asks for', (t) => {
  const double = join(folderOf(t, PROGRAM), 'double.ts');
  const program = `console.log((await import(${JSON.stringify(double)})).double(4))`;
  assert.deepEqual(run([PRELOAD, '--input-type=module', '-e', program]), { said: '8\n', threads: 1, stderr: '', status: 0 });
});

test('so is one that cannot be stripped, and Node says why', (t) => {
  const double = 'export enum Size { One }\nexport const double = (size: number) => size;\n';
  const main = join(folderOf(t, { ...PROGRAM, 'double.ts': double }), 'main.ts');
  const { status, stderr } = run([PRELOAD, main]);
  assert.equal(status, 1);
  assert.match(stderr, /double\.ts:1/);
  assert.match(stderr, /enum is not supported/);
});

test('of a venue only the thread that strips and the api thread detach, the one by its parser, the other by the web server', async (t) => {
  const folder = folderOf(t, {});
  const port = await freePort();
  const args = ['--port', String(port), '--data', join(folder, 'data'), '--workers', '1'];
  // As it lives: the run of the tests has small pages.
  const env = { ...ALONE, GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };
  const venue = spawn(process.execPath, [...TELLING, PRELOAD, START, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => venue.kill('SIGKILL'));
  let said = '';
  venue.stdout.setEncoding('utf8');
  for await (const text of venue.stdout) {
    const isReady = !said.includes(READY) && (said + text).includes(READY);
    said += text as string;
    if (!isReady) continue;
    assert.equal((await fetch(`http://127.0.0.1:${port}/order`, { method: 'POST', body: '{}' })).status, 400);
    const instruments = await (await fetch(`http://127.0.0.1:${port}/instruments`)).arrayBuffer();
    assert.ok(instruments.byteLength > ANSWER_BYTES);
    venue.kill('SIGTERM');
  }
  assert.match(said, /stopped at seq/);
  assert.equal(said.split(TOLD).length - 1, 2);
});
