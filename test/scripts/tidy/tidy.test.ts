// Tests of the command itself: what it reads, what it prints, how it exits. Runs in a folder made for the test.
import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../support/temporary.ts';
import { tree } from './fixture.ts';

const COMMAND = fileURLToPath(new URL('../../../scripts/tidy.ts', import.meta.url));

function tidy(t: TestContext, files: Readonly<Record<string, string>>, ...args: string[]): { code: number | null; out: string[] } {
  const root = temporaryFolder(t);
  for (const { path, text } of tree(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', COMMAND, ...args],
    { cwd: root, encoding: 'utf8' });
  assert.equal(stderr, '');
  return { code: status, out: stdout.trimEnd().split('\n') };
}

test('a clean tree: one line, exit code 0; what is installed, built or binary is not read', t => {
  assert.deepEqual(tidy(t, {
    'shell/process/main.ts': 'f();',
    'node_modules/a/index.js': 'export default 1;',
    'data/x.ts': 'export default 1;',
    'client/dist/main.js': 'export default 1;',
    'core/golden.bin': '\0',
  }), { code: 0, out: ['tidy: 1 files, clean'] });
});

test('findings: one line each, in order, and exit code 1', t => {
  const files = { 'shell/process/main.ts': 'process.exit();\nexport default 1;', 'core/units.ts': 'for (const a in b) a;\nconst b = 1;' };
  assert.deepEqual(tidy(t, files), {
    code: 1,
    out: [
      'core/units.ts:1 dead file is reached from no entry',
      'core/units.ts:3 core for-in has no order of its own',
      'shell/process/main.ts:4 exports default export',
      'shell/process/main.ts:4 dead export default is never imported',
      'tidy: 2 files, 4 findings',
    ],
  });
});

test('--seams lists what waits', t => {
  const files = { 'core/units.ts': '// seam: fees\nexport const A = 1;', 'shell/process/main.ts': `import '../core/units.ts';` };
  assert.deepEqual(tidy(t, files, '--seams'), { code: 0, out: ['core/units.ts:4 seam A: fees'] });
});
