// Tests of tidy's rules about files of Python: docstrings, lengths, phrases in comments; generated ones are free.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPython } from '../../../scripts/tidy/python.ts';

const rulesOf = (text: string, path = 'client/python/x.py'): string[] => (
  checkPython({ path, text }).map(({ rule, line }) => `${rule} ${line}`)
);
const HEAD = '"""What it is for."""\n';

test('a file of Python opens with a docstring, keeps to its lengths and uses no banned phrase', () => {
  assert.deepEqual(rulesOf(`${HEAD}x = 1\n`), []);
  assert.deepEqual(rulesOf('x = 1\n'), ['head 1']);
  assert.deepEqual(rulesOf(`${HEAD}${'x'.repeat(141)}\n`), ['size 2']);
  assert.deepEqual(rulesOf(`${HEAD}${'x = 1\n'.repeat(400)}`), ['size 1']);
  assert.deepEqual(rulesOf(`${HEAD}${'x = 1\n'.repeat(399)}`), []);
  assert.deepEqual(rulesOf(`${HEAD}# there it ${'is'} none of it\n`), ['words 2']);
});

test('generated files and files of other languages are free', () => {
  assert.deepEqual(rulesOf(`# Written by \`npm run docs\`; do not edit.\n${'x'.repeat(200)}\n`), []);
  assert.deepEqual(rulesOf('x'.repeat(200), 'docs/x.md'), []);
});
