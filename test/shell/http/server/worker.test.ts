// An HTTP server in a worker thread: it starts, serves a head of 40 kB, closes with a socket open, and lets the worker and the process
// end by themselves. It runs in its own process, because a server left open would abort the test's.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

test('a worker with an HTTP server closes and exits with 0, and so does its process', async () => {
  const program = fileURLToPath(new URL('edge-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program]);
  let out = '';
  child.stdout.on('data', (data) => { out += data; });
  child.stderr.on('data', (data) => { out += data; });
  const end = await new Promise<unknown[]>((resolve) => child.on('close', (...values) => resolve(values)));
  assert.deepEqual([...end, out], [0, null, '200 40000\nworker 0\n']);
});
