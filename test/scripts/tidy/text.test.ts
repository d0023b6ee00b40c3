// Tests of tidy's rules about text: lengths, head comments, unfinished work, tests switched off, paths of one machine.
// What must not stand in this file is put together from parts.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { check } from '../../../scripts/tidy/check.ts';
import { found, foundIn } from './fixture.ts';

const lines = (count: number, line = ''): string => Array(count).fill(line).join('\n');

test('size: files up to 400 lines', () => {
  assert.deepEqual(foundIn('size', 'shell/x.ts', lines(398, 'f();')), []);
  assert.deepEqual(foundIn('size', 'test/x.ts', lines(399, 'f();')), ['1 file of 401 lines, 400 allowed']);
});

test('size: a table may be longer, and holds no function', () => {
  const rows = `const rows = [\n${lines(500, '1,')}\n];`;
  assert.deepEqual(foundIn('size', 'core/errors.ts', `// table: one row per code\n${rows}`), []);
  assert.deepEqual(foundIn('size', 'core/errors.ts', `${rows}\n// table: too late`), ['1 file of 505 lines, 400 allowed']);
  assert.deepEqual(foundIn('size', 'core/errors.ts', '// table: rows\nconst f = () => 1;'), ['4 function in a file marked as a table']);
});

test('size: functions up to 70 lines, of every kind', () => {
  for (const [open, close] of [['function f(): void {', '}'], ['const f = () => {', '};'], ['class A { f() {', '} }']] as const) {
    assert.deepEqual(foundIn('size', 'bench/x.ts', `${open}\n${lines(68)}\n${close}`), []);
    assert.deepEqual(foundIn('size', 'bench/x.ts', `\n${open}\n${lines(69)}\n${close}`), ['4 function of 71 lines, 70 allowed']);
  }
});

test('size: lines up to 140 columns, comments too', () => {
  assert.deepEqual(foundIn('size', 'scripts/x.ts', `// ${'x'.repeat(137)}`), []);
  assert.deepEqual(foundIn('size', 'scripts/x.ts', `f();\n// ${'x'.repeat(138)}`), ['4 line of 141 columns, 140 allowed']);
  assert.deepEqual(found('size', { 'docs/a.md': 'x'.repeat(500) }), []);
});

test('head: every file of code opens with two lines of comment, or one long one', () => {
  const faults = (text: string): number =>
    check([{ path: 'shell/process/start.js', text }]).findings.filter(({ rule }) => rule === 'head').length;
  for (const text of [
    '// One.\n// Two.\nf();', '\n// One.\n// Two.\n', '#!/usr/bin/env node\n// One.\n// Two.\n', '/**\n * One.\n * Two.\n */\nf();',
    `// ${'x'.repeat(80)}\nf();`,
  ]) assert.equal(faults(text), 0, text);
  for (const text of [
    '', 'f();', '// One.\nf();', '// One.\n//\nf();', 'f();\n// One.\n// Two.\n', '// One.\n\n// Two.\n', '/** One. */\n',
  ]) assert.equal(faults(text), 1, text);
});

test('unfinished: marks of unfinished work, in any text', () => {
  for (const mark of [['TO', 'DO'], ['FIX', 'ME'], ['XX', 'X'], ['HA', 'CK']].map(parts => parts.join(''))) {
    assert.deepEqual(found('unfinished', { 'docs/a.md': `One.\n${mark}: two` }), [`docs/a.md:2 mark of unfinished work: ${mark}`]);
    assert.deepEqual(foundIn('unfinished', 'core/units.ts', `// ${mark}`), [`3 mark of unfinished work: ${mark}`]);
    assert.deepEqual(found('unfinished', { 'docs/a.md': `${mark}S, a${mark}, ${mark.toLowerCase()}` }), []);
  }
});

test('machine: absolute paths of one machine, in any text', () => {
  for (const folder of ['work', 'tmp', 'root', 'home']) {
    const path = ['', folder, 'venue'].join('/');
    for (const text of [path, `"${path}"`, `a=${path}`, `see (${path})`, ` /${folder}`]) {
      assert.equal(found('machine', { '.ci/run': `#!/bin/sh\n${text}` }).length, 1, text);
    }
    assert.deepEqual(found('machine', { 'README.md': `https://x.y${path} a${path} .${path} /${folder}er` }), []);
  }
});

test('switched-off: tests are not switched off for good', () => {
  const name = (word: string): string => `.${word}(`;
  for (const code of [
    `test${name('only')}'a', () => {});`, `test${name('skip')}'a', () => {});`, `it${name('todo')}'a');`,
    `test('a', t => { t${name('skip')}'because'); });`, `test('a', t => { if (x) t${name('skip')}); });`,
    `test('a', { skip: true }, () => {});`, `test('a', { skip: 'because' }, () => {});`, `test('a', { skip: x }, () => {});`,
    `test('a', { skip: x === 'y' && true }, () => {});`, `t.test('a', { only: true }, () => {});`, `test('a', { todo: x && 'y' }, f);`,
  ]) assert.equal(foundIn('switched-off', 'test/x.test.ts', code).length, 1, code);
});

test('switched-off: a condition with a reason passes', () => {
  for (const code of [
    `test('a', { skip: x && 'needs two cores' }, () => {});`, `test('a', { skip: x ? false : 'needs two cores' }, () => {});`,
    `test('a', t => { if (x) { t.skip('needs two cores'); return; } });`, 'const only = { skip: true, only: 1 }; test(only);',
  ]) assert.deepEqual(foundIn('switched-off', 'test/x.test.ts', code), [], code);
  assert.deepEqual(foundIn('switched-off', 'shell/x.ts', 'cursor.skip(4);'), []);
});

test('syntax: what does not parse is a finding', () => {
  assert.equal(found('syntax', { 'shell/x.ts': 'enum A { B }', 'core/units.ts': 'const = 1;' }).length, 2);
  assert.deepEqual(found('syntax', { 'shell/x.ts': 'const a = 1 as number; // é € 𝄞' }), []);
});
