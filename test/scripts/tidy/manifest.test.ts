// Tests of tidy's rules about dependencies: reasons in docs/decisions/, a lockfile without addresses, declared imports.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { found } from './fixture.ts';

const MANIFEST = [
  '{', '"dependencies": {', '"hash-wasm": "1"', '},', '"devDependencies": {', '"acorn": "2"', '},',
  '"optionalDependencies": {', '"node-x": "3"', '}', '}',
].join('\n');

test('manifest: every dependency of every group is named on a page of docs/decisions', () => {
  const scattered = { 'docs/decisions/x.md': 'We use `hash-wasm` and acorn.', 'docs/x.md': '`node-x`' };
  assert.deepEqual(found('manifest', { 'package.json': MANIFEST, ...scattered }), [
    'package.json:6 no page of docs/decisions names `acorn`',
    'package.json:9 no page of docs/decisions names `node-x`',
  ]);
  const pages = { 'docs/decisions/x.md': '`hash-wasm`, `acorn`', 'docs/decisions/y.md': '`node-x`' };
  assert.deepEqual(found('manifest', { 'package.json': MANIFEST, ...pages }), []);
});

test('manifest: the lockfile names no registry', () => {
  const lock = (line: string): string[] => found('manifest', { 'package.json': '{}', 'package-lock.json': `{\n${line}\n}` });
  assert.deepEqual(lock('"resolved": "https://registry.example/a.tgz"'), ['package-lock.json:2 address of a registry']);
  assert.deepEqual(lock('"integrity": "sha512-resolved"'), []);
});

test('manifest: the shell imports only what runs in production', () => {
  const files = { 'package.json': MANIFEST, 'docs/decisions/x.md': '`hash-wasm` `acorn` `node-x`' };
  assert.deepEqual(found('manifest', {
    ...files,
    'shell/a.ts': [
      `import { a } from 'hash-wasm/dist/x.js';`, `import { b } from 'node:fs';`, `import { c } from 'acorn';`,
      `import type { D } from '@scope/d/e.js';`,
    ].join('\n'),
    'test/a.test.ts': `import { c } from 'acorn';`,
  }), [
    'shell/a.ts:5 acorn is not among the dependencies',
    'shell/a.ts:6 @scope/d is not among the dependencies',
  ]);
});
