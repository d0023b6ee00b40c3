// A wrong answer is noticed by the test that the report names for its row: some mutants are planted in every run, all of them with
// STRIKEBOOK_LONG=1.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runMutants } from '../../../scripts/mutants.ts';
import { INTERFACE } from '../../mutants/interface.ts';
import { lines } from './report.ts';

const PLANTED = process.env['STRIKEBOOK_LONG'] === '1' ? INTERFACE.length : 2;
const WORKERS = 2;

test('mutants of the interface: each names a test that a row of the law names too', () => {
  const named = new Set(lines().map(({ shown: { file, title } }) => `${file} ${title}`));
  for (const { name, tests, title } of INTERFACE) assert.ok(named.has(`${tests[0]} ${title}`), name);
});

test('mutants of the interface: planted faults are caught, and a harmless change is not', async (t) => {
  const some = Array.from({ length: PLANTED }, (_, i) => INTERFACE[Math.floor((i + 0.5) * INTERFACE.length / PLANTED)]!);
  const harmless = { ...INTERFACE[0]!, name: 'a comment', replace: `/* */ ${INTERFACE[0]!.find}` };
  assert.deepEqual(await runMutants([harmless, ...some], WORKERS, (line) => t.diagnostic(line)), ['a comment']);
});
