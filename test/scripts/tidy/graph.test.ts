// Tests of tidy's rules about files as a whole: layers, circles, exports, dead files and exports, seams.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { check } from '../../../scripts/tidy/check.ts';
import { found, tree } from './fixture.ts';

test('layers: the core imports downwards and within a row', () => {
  assert.deepEqual(found('layers', {
    'core/book/match.ts': [
      `import { a } from '../units.ts';`, `import type { B } from '../codec/record.ts';`, `import { c } from './levels.ts';`,
    ].join('\n'),
    'core/book/levels.ts': '',
    'core/limits.ts': `import { a } from './units.ts';`,
  }), []);
});

test('layers: an import upwards is caught, of a type too', () => {
  assert.deepEqual(found('layers', {
    'core/codec/record.ts': `import type { Book } from '../book/books.ts';\nimport { type Nonces } from '../nonces.ts';`,
    'core/book/books.ts': '',
    'core/nonces.ts': '',
  }), [
    'core/codec/record.ts:3 codec imports upwards, from book',
    'core/codec/record.ts:4 codec imports upwards, from nonces',
  ]);
});

test('layers: the shell too imports downwards', () => {
  assert.deepEqual(found('layers', {
    'shell/http/fields.ts': `import { HEX } from './hex.ts';\nimport type { Api } from '../api/context.ts';`,
    'shell/api/context.ts': `import type { HttpRequest } from '../http/fields.ts';`,
    'shell/http/hex.ts': '',
  }), ['shell/http/fields.ts:4 http imports upwards, from api']);
});

test('layers: a layer the house does not know is caught', () => {
  assert.deepEqual(found('layers', { 'core/helpers/text.ts': '', 'shell/helpers.ts': '' }), [
    'core/helpers/text.ts:1 helpers is no layer of the core', 'shell/helpers.ts:1 helpers is no layer of the shell',
  ]);
});

test('layers: the core imports no package, no node module and no shell', () => {
  assert.deepEqual(found('layers', {
    'core/math/exact.ts': [
      `import { createHash } from 'node:crypto';`, `import { keccak } from 'hash-wasm';`,
      `import { now } from '../../shell/process/clock.ts';`,
    ].join('\n'),
  }), [
    'core/math/exact.ts:3 core imports node:crypto',
    'core/math/exact.ts:4 core imports hash-wasm',
    'core/math/exact.ts:5 core imports shell/process/clock.ts',
  ]);
});

test('layers: the shell imports core and packages, never test, scripts or bench', () => {
  assert.deepEqual(found('layers', {
    'shell/process/main.ts': [
      `import { a } from '../../core/units.ts';`, `import { b } from 'node:fs';`, `await import('../../bench/load.ts');`,
      `import '../../test/x.ts';`,
    ].join('\n'),
    'test/a.test.ts': `import { a } from '../shell/process/main.ts';\nimport { b } from '../scripts/demo.ts';`,
  }), ['shell/process/main.ts:5 shell imports bench/load.ts', 'shell/process/main.ts:6 shell imports test/x.ts']);
});

test('layers: the client library imports tables of core and shell, and reaches nothing of Node and no package but its own', () => {
  assert.deepEqual(found('layers', {
    'client/src/main.ts': [
      `import { a } from '../../core/codec/table.ts';`, `import { b } from '@noble/hashes/sha3.js';`,
      `import { c } from 'node:fs';`,
      `import { d } from '../../bench/load.ts';`, `import { e } from '../../shell/http/hex.ts';`,
    ].join('\n'),
    'client/examples/maker.ts': `import { setTimeout } from 'node:timers/promises';\nimport '../src/main.ts';`,
    'core/codec/table.ts': '',
    'shell/http/hex.ts': `import type { Far } from '../process/clock.ts';\nimport 'ws';`,
    'shell/process/clock.ts': `import 'node:net';`,
    'shell/process/main.ts': `import { f } from '../../client/src/main.ts';`,
  }), [
    'client/src/main.ts:5 the client library reaches node:fs',
    'client/src/main.ts:6 client imports bench/load.ts',
    'shell/http/hex.ts:4 the client library reaches ws',
    'shell/process/clock.ts:3 the client library reaches node:net',
    'shell/process/main.ts:3 shell imports client/src/main.ts',
  ]);
});

test('circles: of files, told once and in full', () => {
  assert.deepEqual(found('circles', {
    'shell/http/a.ts': `import { b } from './b.ts';`,
    'shell/http/b.ts': `import type { C } from './c.ts';`,
    'shell/http/c.ts': `import { a } from './a.ts';`,
    'shell/http/d.ts': `import { a } from './a.ts';`,
  }), ['shell/http/a.ts:1 circle of imports: shell/http/a.ts > shell/http/b.ts > shell/http/c.ts > shell/http/a.ts']);
});

test('circles: of benches and scripts too, not of tests', () => {
  const circle = (folder: string): Record<string, string> => ({
    [`${folder}/a.ts`]: `import { b } from './b.ts';\nexport const a = b;`,
    [`${folder}/b.ts`]: `import { a } from './a.ts';\nexport const b = a;`,
  });
  for (const folder of ['bench', 'scripts']) assert.equal(found('circles', circle(folder)).length, 1, folder);
  assert.deepEqual(found('circles', circle('test')), []);
});

test('circles: of layers in one row', () => {
  const files = {
    'core/ledger/wide.ts': `import { a } from '../positions/rows.ts';`,
    'core/positions/rows.ts': '',
    'core/positions/index.ts': `import { b } from '../ledger/cash.ts';`,
    'core/ledger/cash.ts': '',
  };
  assert.deepEqual(found('circles', files), ['core/ledger/wide.ts:1 circle of imports: core/ledger > core/positions > core/ledger']);
  assert.deepEqual(found('circles', { ...files, 'core/positions/index.ts': '' }), []);
});

test('exports: default exports, export * and barrels', () => {
  assert.deepEqual(found('exports', {
    'shell/a.ts': 'export default 1;',
    'shell/b.ts': 'const x = 1;\nexport { x as default };',
    'shell/c.ts': `export * from './a.ts';\nexport const y = 1;`,
    'shell/d.ts': `export { x } from './b.ts';\nexport type { T } from './e.ts';`,
    'shell/e.ts': `import { x } from './b.ts';\nexport { x };`,
  }), [
    'shell/a.ts:3 default export',
    'shell/b.ts:4 default export',
    'shell/c.ts:3 export * names nothing',
    'shell/d.ts:1 barrel: the file only passes on the exports of others',
    'shell/e.ts:1 barrel: the file only passes on the exports of others',
  ]);
});

test('exports: named exports, types alone and an entry without exports pass', () => {
  assert.deepEqual(found('exports', {
    'shell/a.ts': 'export const a = 1;\nexport function f(): void {}',
    'shell/b.ts': `import type { A } from './a.ts';\nexport type B = A;`,
    'shell/c.ts': `import { a } from './a.ts';\nexport { a };\nexport interface C { c: number }`,
    'shell/process/main.ts': `import './a.ts';`,
  }), []);
});

test('dead files: an import, a type import, import() and a path in a string keep a file', () => {
  const files = {
    'shell/process/start.js': `// Starts,\n// if it can.\nawait import('./main.ts');`,
    'shell/process/main.ts': `import type { A } from './a.ts';\nnew Worker(new URL('./turns/journal.ts', import.meta.url));`,
    'shell/process/a.ts': '',
    'shell/process/turns/journal.ts': '',
    'bench/main.ts': '',
    'test/x/y.test.ts': `import { help } from './help.ts';\nspawn(node, ['scripts/tool/once.ts']);`,
    'test/x/help.ts': '',
    'scripts/tool/once.ts': '',
  };
  assert.deepEqual(found('dead', files), []);
  assert.deepEqual(found('dead', { ...files, 'test/x/y.test.ts': '', 'shell/process/main.ts': '' }), [
    'scripts/tool/once.ts:1 file is reached from no entry',
    'shell/process/a.ts:1 file is reached from no entry',
    'shell/process/turns/journal.ts:1 file is reached from no entry',
    'test/x/help.ts:1 file is reached from no entry',
  ]);
});

test('dead exports: every form of use counts', () => {
  assert.deepEqual(found('dead', {
    'core/units.ts': [
      'export type Price = number;', 'export interface Row { at: number }', 'export const BUY = 0, SELL = 1;', 'export class Book {}',
      'export function f(): void {}', 'const g = 1;', 'export { g as h };', 'export declare const unit: unique symbol;',
    ].join('\n'),
    'shell/process/main.ts': [
      `import type { Price } from '../../core/units.ts';`, `import { type Row, BUY } from '../../core/units.ts';`,
      `import * as units from '../../core/units.ts';`, 'let a: Price; let b: units.Book; units.SELL; units.f();',
      `export { h } from '../../core/units.ts';`, `import type * as kinds from '../../core/units.ts';`, 'let c: typeof kinds.unit;',
    ].join('\n'),
    'scripts/demo.ts': `import { h } from '../shell/process/main.ts';`,
  }), []);
});

test('dead exports: unused, used by tests alone and not by their own file, and types are caught', () => {
  assert.deepEqual(found('dead', {
    'core/units.ts': [
      'export const BUY = 0;', 'export type Price = number;', 'export const { a, b: [c] } = BUY;', 'export const kept = 1;',
      'export const lone = 2;',
    ].join('\n'),
    'shell/process/main.ts': [
      `import { kept } from '../../core/units.ts';`, `import * as units from '../../core/units.ts';`, 'units.a; other.units.c;',
    ].join('\n'),
    'test/units.test.ts': `import { BUY, lone, type Price } from '../core/units.ts';`,
    'core/limits.ts': 'export const half = 1;\nexport const whole = half + half;\n// whole',
    'bench/main.ts': `import { whole } from '../core/limits.ts';`,
    'test/limits.test.ts': `import { half } from '../core/limits.ts';`,
  }), [
    'core/units.ts:4 export Price is never imported',
    'core/units.ts:5 export c is never imported',
    'core/units.ts:7 export lone is never imported',
  ]);
});

test('dead exports: a namespace handed on as a whole uses everything', () => {
  assert.deepEqual(found('dead', {
    'core/errors.ts': 'export const OK = 0;\nexport const BUSY = 1;',
    'shell/process/main.ts': `import * as errors from '../../core/errors.ts';\nObject.entries(errors);`,
  }), []);
});

test('dead exports: of tests and bench too what nobody imports is dead, and what a test imports is alive', () => {
  assert.deepEqual(found('dead', {
    'bench/main.ts': 'export const scale = 2;\nexport const machine = 3;',
    'test/x/y.test.ts': "import { machine } from '../../bench/main.ts';\nimport { one } from './support.ts';",
    'test/x/support.ts': 'export const one = 1;\nexport const two = one + one;',
  }), ['bench/main.ts:3 export scale is never imported', 'test/x/support.ts:4 export two is never imported']);
});

test('dead exports: of scripts and of the client library what a test uses is alive, and all that the library shows the world', () => {
  assert.deepEqual(found('dead', {
    'client/src/main.ts': `export const connect = 1;\nexport { sign } from './sign.ts';`,
    'client/src/sign.ts': 'export const sign = 1;\nexport const parts = 2;\nexport type Terms = number;',
    'scripts/runs.ts': 'export const flags = 1;\nexport const words = 2;',
    'test/client/sign.test.ts': `import { parts } from '../../client/src/sign.ts';\nimport { flags } from '../../scripts/runs.ts';`,
  }), ['client/src/sign.ts:5 export Terms is never imported', 'scripts/runs.ts:4 export words is never imported']);
});

test('seams: a marked export may stand, and is listed', () => {
  const files = {
    'core/units.ts': [
      '// seam: funding reads it',
      '/** Hours of a year. */', 'export const YEAR = 8_760;', '', '// for tests: an end of the range', 'export const LAST = 1;',
      '', '// seam: later', 'export type Fee = number;',
    ].join('\n'),
    'shell/process/main.ts': `import '../../core/units.ts';`,
  };
  const { findings, seams } = check(tree(files));
  assert.deepEqual(findings, []);
  assert.deepEqual(seams.map(({ path, line, message }) => `${path}:${line} ${message}`), [
    'core/units.ts:5 YEAR: funding reads it',
    'core/units.ts:8 LAST: an end of the range',
    'core/units.ts:11 Fee: later',
  ]);
});

test('seams: a mark without a reason, without an export, or on an export in use is caught', () => {
  assert.deepEqual(found('seam', {
    'core/units.ts': [
      '// seam:', 'export const a = 1;', '', '// seam: nothing follows', '', 'const b = 2;', '// seam: used by now', 'export const c = b;',
      '', '// for tests: used too', 'export const d = b;',
    ].join('\n'),
    'shell/process/main.ts': `import { c, d } from '../../core/units.ts';`,
  }), [3, 6, 9, 12].map(line => `core/units.ts:${line} mark stands before no export that needs it, or gives no reason`));
});

test('layers: the trading page imports the client library and its packages, only its what-if the core, and only tests import it', () => {
  assert.deepEqual(found('layers', {
    'client/terminal/main.tsx': [
      `import { render } from 'preact';`, `import { connect } from '../src/main.ts';`, `import { a } from '../../core/units.ts';`,
      `import type { B } from '../../shell/http/limits.ts';`, `import { c } from 'ethers';`,
      `export const page = <p>{a(render, connect, c)}</p>;`,
    ].join('\n'),
    'client/terminal/whatif/core.ts': `import { a } from '../../../core/units.ts';`,
    'scripts/show.ts': `import { page } from '../client/terminal/main.tsx';`,
    'test/terminal/page.test.ts': `import { page } from '../../client/terminal/main.tsx';`,
  }), [
    'client/terminal/main.tsx:3 the trading page imports core/units.ts',
    'client/terminal/main.tsx:4 the trading page imports shell/http/limits.ts',
    'client/terminal/main.tsx:5 the trading page imports ethers',
    'scripts/show.ts:3 only tests import client/terminal/main.tsx',
  ]);
});

test('files with JSX are read with their own lines, and exports of theirs that nobody imports are dead', () => {
  const row = '(\n  <p\n    class="row"\n  >\n    {label}\n  </p>\n)';
  assert.deepEqual(found('dead', {
    'client/terminal/main.tsx': `import { Row } from './row.tsx';\nRow;\n`,
    'client/terminal/row.tsx': [
      'type Props = { readonly label: string };', `export const Row = ({ label }: Props) => ${row};`, 'export type Unused = 1;',
      'export const unused = 1;',
    ].join('\n'),
  }), [
    'client/terminal/row.tsx:9 export Unused is never imported', 'client/terminal/row.tsx:10 export unused is never imported',
  ]);
});
