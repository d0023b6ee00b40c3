// The build and its package: bundles follow their sources, and a packed venue installs into an empty folder and starts there.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lacksRegistry } from '../../support/registry.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const HOUR_S = 3_600;
const WITHIN_MS = 120_000;

/** A copy of what the build reads. */
function copyOf(t: TestContext): string {
  const folder = temporaryFolder(t);
  const read = [
    'core', 'shell', 'client/src', 'client/demo', 'client/scenarios', 'client/conformance', 'client/terminal', 'scripts/build.js',
    'scripts/backup.ts', 'scripts/output.ts',
    'package.json', 'tsconfig.json',
  ];
  for (const path of read) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function build(folder: string): { status: number | null; stderr: string } {
  return spawnSync(process.execPath, [join(folder, 'scripts/build.js')], { encoding: 'utf8' });
}

test('bundles are built once, again after a source changes, and are kept when the change does not parse', (t) => {
  const folder = copyOf(t);
  const bundle = join(folder, 'dist/main.js');
  assert.deepEqual([build(folder).status, build(folder).stderr], [0, '']);
  // An old bundle that is newer than its sources stays as it is.
  writeFileSync(bundle, 'old');
  const later = Date.now() / 1_000 + HOUR_S;
  utimesSync(bundle, later, later);
  build(folder);
  assert.equal(readFileSync(bundle, 'utf8'), 'old');
  const changed = join(folder, 'shell/process/banner.ts');
  appendFileSync(changed, 'export const = 1;\n');
  utimesSync(changed, later + 1, later + 1);
  const failed = build(folder);
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /^build: Build failed with 1 error:\nshell\/process\/banner\.ts:\d+:\d+: ERROR: /);
  assert.equal(readFileSync(bundle, 'utf8'), 'old');
  writeFileSync(changed, readFileSync(join(ROOT, 'shell/process/banner.ts')));
  utimesSync(changed, later + 1, later + 1);
  assert.equal(build(folder).status, 0);
  assert.match(readFileSync(bundle, 'utf8'), /sourceMappingURL=main\.js\.map/);
  const map = JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as { sources: string[] };
  assert.ok(map.sources.includes('../shell/process/banner.ts'), 'a trace leads to the file');
});

/** Npm as a user runs it: what a run of npm tells its scripts would change what it does. */
function npm(folder: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS|INIT_CWD)/i.test(name)));
  return spawnSync('npm', args, { cwd: folder, encoding: 'utf8', env, timeout: WITHIN_MS });
}

test('a packed venue installs into an empty folder, and its command starts it', async (t) => {
  const folder = temporaryFolder(t);
  const packed = npm(ROOT, 'pack', '--pack-destination', folder, '--json');
  assert.equal(packed.status, 0, packed.stderr);
  const json = packed.stdout.slice(packed.stdout.indexOf('['));
  const [{ filename, files }] = JSON.parse(json) as [{ filename: string; files: { path: string }[] }];
  assert.deepEqual(files.filter(({ path }) => /\.ts$|^test|^bench/.test(path)), [], 'no sources');
  writeFileSync(join(folder, 'package.json'), '{}');
  const installed = npm(folder, 'install', '--no-audit', '--no-fund', '--prefer-offline', filename);
  if (installed.status !== 0 && lacksRegistry(installed.stderr)) return t.skip('no registry can be reached');
  assert.equal(installed.status, 0, installed.stderr);
  const venue = spawn(join(folder, 'node_modules/.bin/strikebook'), ['--port', '0', '--workers', '1', '--demo'], {
    cwd: folder, env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => venue.kill('SIGTERM'));
  let said = '';
  for (const stream of [venue.stdout, venue.stderr]) stream.setEncoding('utf8').on('data', (text: string) => { said += text; });
  while (!said.includes('is ready at') && venue.exitCode === null) {
    await Promise.race([once(venue.stdout, 'data'), once(venue, 'exit')]);
  }
  const url = /is ready at (\S+)/.exec(said)?.[1];
  assert.ok(url !== undefined, said);
  assert.equal((await fetch(`${url}/ready`)).status, 200);
  assert.equal((await fetch(`${url}/docs`)).status, 200);
  const page = await (await fetch(`${url}/`)).text();
  assert.equal((await fetch(`${url}/${/src="([^"]+)"/.exec(page)![1]!}`)).status, 200, page);
  while (!said.includes('demo: ') && venue.exitCode === null) {
    await Promise.race([once(venue.stdout, 'data'), once(venue.stderr, 'data'), once(venue, 'exit')]);
  }
  assert.match(said, /demo: 4 makers \(tier market_maker\)/);
  venue.kill('SIGTERM');
  assert.deepEqual(await once(venue, 'exit'), [0, null], said);
});
