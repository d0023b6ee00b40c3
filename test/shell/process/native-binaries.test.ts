// Native code: the repository knows the sha256 of every file that the venue loads. A start with another file is refused before it is
// loaded.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../../../scripts/build.js';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { BINARIES, requireKnownBinaries } from '../../../shell/process/native-binaries.ts';
import { temporaryFolder, type Ends } from '../../support/temporary.ts';
import { refused } from './refused.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MODULES = join(ROOT, 'node_modules');

/** Of the ABI of Node 22, where a file's name tells one. */
function binariesOf(name: string): Record<string, string> {
  const files = readdirSync(join(MODULES, name), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.node'));
  const ours = files.filter((path) => !/_\d+\.node$/.test(path) || path.endsWith('_127.node'));
  const hash = (path: string): string => createHash('sha256').update(readFileSync(join(MODULES, name, path))).digest('hex');
  return Object.fromEntries(ours.map((path) => [path, hash(path)]));
}

test('the repository has the sha256 of every binary that the lockfile installs, for every platform', () => {
  for (const [name, known] of Object.entries(BINARIES)) assert.deepEqual(binariesOf(name), known, name);
});

test('no thread of a venue loads a binary that the start has not checked', async (t) => {
  const folder = temporaryFolder(t);
  const told = join(folder, 'loaded');
  appendFileSync(told, '');
  const hook = `import { appendFileSync } from 'node:fs';
    const { dlopen } = process;
    process.dlopen = (module, path, ...rest) => {
      appendFileSync(${JSON.stringify(told)}, path + '\\n');
      return dlopen.call(process, module, path, ...rest);
    };`;
  const imports = [`data:text/javascript,${encodeURIComponent(hook)}`];
  const venue = await VenueProcess.start({ data: join(folder, 'data'), imports, flags: ['--workers', '1'] });
  t.after(() => venue.kill());
  await venue.ready();
  await venue.stop();
  const loaded = [...new Set(readFileSync(told, 'utf8').trim().split('\n'))];
  assert.equal(loaded.length, 3, loaded.join());
  const checked = requireKnownBinaries();
  assert.deepEqual(loaded.filter((path) => !checked.includes(path)), []);
});

/** The bundle with packages as they are installed; of those in `copied` a copy of its own. */
function installed(t: Ends, copied: readonly string[]): string {
  const root = temporaryFolder(t);
  const parts = ['dist', 'shell/process/start.js', 'shell/process/commands.js', 'package.json'];
  for (const part of parts) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  mkdirSync(join(root, 'node_modules'));
  for (const name of readdirSync(MODULES)) {
    if (copied.includes(name)) cpSync(join(MODULES, name), join(root, 'node_modules', name), { recursive: true });
    else symlinkSync(join(MODULES, name), join(root, 'node_modules', name));
  }
  return root;
}

const NATIVE = requireKnownBinaries();

for (const name of Object.keys(BINARIES)) {
  test(`a replaced binary of ${name} is never loaded: the start is refused and names the file`, async (t) => {
    await ensureBuilt();
    const root = installed(t, [name, 'node-gyp-build']);
    const [file] = Object.keys(BINARIES[name]!).filter((path) => NATIVE.includes(join(MODULES, name, path)));
    const path = join(root, 'node_modules', name, file!);
    const bytes = readFileSync(path);
    // Loaded, this would end the process in another way.
    bytes.fill(0, 64);
    writeFileSync(path, bytes);
    const start = join(root, 'shell/process/start.js');
    const line = refused(['--port', '0', '--data', join(root, 'data')], { start });
    assert.ok(line.includes(`${path} is not the expected binary of ${name}`), line);
    assert.match(line, /it has sha256 [0-9a-f]{64}, this version knows [0-9a-f]{64}\. Run "npm ci"$/m);
    assert.equal(readdirSync(root).includes('data'), false, 'nothing was begun');
  });
}

test('a binary that was compiled on this machine is refused', async (t) => {
  await ensureBuilt();
  for (const [name, file] of [['better-sqlite3', 'better_sqlite3.node'], ['secp256k1', 'secp256k1.node']] as const) {
    const root = installed(t, [name, 'node-gyp-build']);
    const path = join(root, 'node_modules', name, 'build/Release', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'compiled');
    const line = refused(['--port', '0', '--data', join(root, 'data')], { start: join(root, 'shell/process/start.js') });
    assert.match(line, new RegExp(`is not the expected binary of ${name}: it has sha256 \\w+, which this version does not know`));
  }
});
