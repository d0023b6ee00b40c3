// The tests of client/python, which are Python: each file runs against a venue of its own. Planted faults are in faults.test.ts.

import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { IN_PYTHON } from '../support/python.ts';
import { runPython } from './run.ts';

const FILES = readdirSync(new URL('.', import.meta.url)).filter((name) => /^test_.+\.py$/.test(name) && name !== 'test_faults.py');

for (const file of FILES.sort()) {
  test(`every test of ${file} passes against a venue`, IN_PYTHON, (t) => runPython(t, file));
}
