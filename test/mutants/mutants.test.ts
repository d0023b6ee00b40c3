// The list of faults follows the code, and some of the core's are planted in every run; STRIKEBOOK_LONG=1 plants all of them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { transformSync } from 'esbuild';
import { mutate, runMutants } from '../../scripts/mutants.ts';
import { MUTANTS } from './list.ts';

const isLong = process.env['STRIKEBOOK_LONG'] === '1';
/** In every run: those that tests of the core alone notice, since a busy machine may hide a fault of a venue's threads. */
const PLANTABLE = isLong ? MUTANTS : MUTANTS.filter(({ tests }) => tests.every((file) => file.startsWith('test/core/')));
/** So many are planted, spread evenly over them. */
const PLANTED = isLong ? PLANTABLE.length : 4;
const WORKERS = 2;

test('mutants: each line is there exactly once, each fault parses, each test file exists, no two have one name', () => {
  for (const mutant of MUTANTS) {
    const loader = mutant.file.endsWith('.ts') ? 'ts' : 'js';
    transformSync(mutate(readFileSync(mutant.file, 'utf8'), mutant), { loader, logLevel: 'silent' });
    for (const file of mutant.tests) assert.ok(readFileSync(file, 'utf8').includes("from 'node:test'"), `${mutant.name}: ${file}`);
  }
  assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length);
});

test('mutants: what is planted is caught', async () => {
  const some = Array.from({ length: PLANTED }, (_, i) => PLANTABLE[Math.floor((i + 0.5) * PLANTABLE.length / PLANTED)]!);
  assert.deepEqual(await runMutants(some, WORKERS, () => {}), []);
});

test('mutants: one that no test of its own notices is told', async () => {
  const { file, find } = MUTANTS[0]!;
  const harmless = { name: 'a comment', file, find, replace: `/* */ ${find}`, tests: ['test/core/ledger/wide.test.ts'] };
  assert.deepEqual(await runMutants([harmless], 1, () => {}), ['a comment']);
});
