// docs/RELIABILITY.md has the runs that docs/evidence records, and each of them is a run that could be repeated.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { withEvidence } from '../../scripts/docs/evidence.ts';

const DOCS = new URL('../../docs/', import.meta.url);

test('the table of last runs is what `npm run docs` writes', () => {
  const page = readFileSync(new URL('RELIABILITY.md', DOCS), 'utf8');
  assert.equal(page, withEvidence(page), 'run `npm run docs`');
});

test('each run names its date, commit, machine, command and result, the newest first', () => {
  const files = readdirSync(new URL('evidence/', DOCS));
  assert.ok(files.length > 10, `${files.length} claims`);
  for (const file of files) {
    const text = readFileSync(new URL(`evidence/${file}`, DOCS), 'utf8');
    const { claim, runs } = JSON.parse(text) as { claim: string; runs: Record<string, string>[] };
    assert.ok(claim !== '' && runs.length > 0, file);
    for (const run of runs) {
      assert.match(run['date']!, /^20\d\d-\d\d-\d\d$/, file);
      assert.match(run['commit']!, /^[0-9a-f]{7}$/, file);
      for (const field of ['machine', 'command', 'result']) assert.ok((run[field] ?? '').length > 3, `${file}: ${field}`);
    }
    assert.deepEqual(runs.map(({ date }) => date), runs.map(({ date }) => date).sort().reverse(), file);
  }
});
