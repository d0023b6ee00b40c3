// Faults planted in client/python: each is noticed by the Python test that is named beside it (test_faults.py).

import { test } from 'node:test';
import { IN_PYTHON } from '../support/python.ts';
import { runPython } from './run.ts';

test('every fault that is planted in client/python is caught by its test', IN_PYTHON, (t) => runPython(t, 'test_faults.py'));
