// Tests of scripts/test.ts, the command behind `npm test`: which files it runs, and that it fails when it should.
// Runs in folders made for the test; the variable by which node:test knows a nested run is taken away.
import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../support/temporary.ts';

const COMMAND = fileURLToPath(new URL('../../../scripts/test.ts', import.meta.url));
const PASSES = `import { test } from 'node:test';\ntest('passes', () => {});\n`;
const FAILS = `import { test } from 'node:test';\ntest('fails', () => { throw new Error('on purpose'); });\n`;
const LEAVES = `import { spawn } from 'node:child_process';
import { test } from 'node:test';
test('leaves', () => { spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }).unref(); });
`;

type Run = { readonly code: number | null; readonly out: string; readonly err: string };

function runTests(t: TestContext, files: Readonly<Record<string, string>>, ...names: string[]): Run {
  const root = temporaryFolder(t);
  for (const [path, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', COMMAND, ...names],
    { cwd: root, encoding: 'utf8', env });
  return { code: status, out: stdout, err: stderr };
}

test('all files run, deep ones too, and Node prints the summary', t => {
  const { code, out, err } = runTests(t, { 'test/a.test.ts': PASSES, 'test/b/c/d.test.ts': PASSES, 'test/b/help.ts': FAILS });
  assert.equal(err, '');
  assert.equal(code, 0);
  assert.match(out, /tests 2\n[^]*pass 2\n[^]*fail 0\n/);
});

test('a failing test fails the run', t => {
  const { code, out } = runTests(t, { 'test/a.test.ts': PASSES, 'test/b.test.ts': FAILS });
  assert.equal(code, 1);
  assert.match(out, /on purpose/);
});

test('names choose a folder or a file, and must name something', t => {
  const files = { 'test/book/levels.test.ts': PASSES, 'test/book/pool.test.ts': PASSES, 'test/books/x.test.ts': FAILS };
  assert.match(runTests(t, files, 'book').out, /tests 2\n/);
  assert.match(runTests(t, files, 'book/levels', 'test/book/pool.test.ts').out, /tests 2\n/);
  assert.match(runTests(t, files, 'book/pool').out, /tests 1\n/);
  assert.deepEqual(runTests(t, files, 'boo'), { code: 1, out: '', err: 'test: no test file is called boo\n' });
});

test('tests in a browser run when asked for: all of them, or only the named file', t => {
  const files = { 'test/a.test.ts': FAILS, 'test/terminal/look.test.ts': PASSES, 'test/terminal/keys/menu.test.ts': PASSES };
  assert.match(runTests(t, files, '--real').out, /tests 2\n/);
  assert.match(runTests(t, files, '--real', 'test/terminal/look.test.ts').out, /tests 1\n/);
  assert.deepEqual(runTests(t, files, '--real', 'look'), { code: 1, out: '', err: 'test: no test file is called look\n' });
});

test('a run without test files, and a file without tests, fail', t => {
  assert.deepEqual(runTests(t, {}), { code: 1, out: '', err: 'test: no test file is called *.test.ts\n' });
  const { code, err } = runTests(t, { 'test/a.test.ts': PASSES, 'test/b/empty.test.ts': 'export const a = 1;' });
  assert.equal(code, 1);
  assert.equal(err, 'test: tests nothing: test/b/empty.test.ts\n');
  const elsewhere = runTests(t, { 'test/c.test.ts': `import './promises.ts';`, 'test/promises.ts': PASSES });
  assert.deepEqual([elsewhere.code, elsewhere.err], [0, ''], 'its tests stand in a module');
});

test('files of core share a process; one with hooks for all of its tests has its own', (t) => {
  const file = (before: string, seen: string, after: string): string => [
    `import assert from 'node:assert/strict';`, `import { beforeEach, test } from 'node:test';`, before,
    `test('sees', () => { assert.equal(globalThis.seen, ${seen}); ${after} });`, '',
  ].join('\n');
  const files = {
    'test/core/a.test.ts': file('', 'undefined', 'globalThis.seen = 1;'), 'test/core/b/b.test.ts': file('', '1', 'globalThis.seen = 2;'),
    'test/core/c.test.ts': file('beforeEach(() => {});', 'undefined', ''), 'test/core/d.test.ts': file('', '2', ''),
  };
  const { code, out } = runTests(t, files);
  assert.equal(code, 0, out);
  assert.match(out, /tests 4\n/);
  const empty = runTests(t, { ...files, 'test/core/empty.test.ts': 'export const a = 1;' });
  assert.deepEqual([empty.code, empty.err], [1, 'test: tests nothing: test/core/empty.test.ts\n']);
  for (const bad of [FAILS, `throw new Error('on purpose');`]) {
    const failing = runTests(t, { ...files, 'test/core/e.test.ts': bad });
    assert.equal(failing.code, 1);
    assert.match(failing.out, /on purpose/);
  }
});

test('a process that a test leaves behind is named, ended, and fails the run',
  { skip: process.platform === 'linux' ? false : 'the processes of a group are seen on Linux only' }, t => {
    const { code, err } = runTests(t, { 'test/a.test.ts': LEAVES });
    assert.match(err, /^test: left running by a test: node -e setInterval/);
    assert.equal(code, 1);
  });
