// Runs test files in the given order, with one process for each, for scripts/test.ts: `node --test` would sort them. Prints what Node's
// runner prints for people, and writes TAP into a file. Arguments: files at once, ms for one file, the file for TAP, the test files.

import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec, tap } from 'node:test/reporters';

const [concurrency, timeout, report, ...files] = process.argv.slice(2);
const results = run({ files, concurrency: Number(concurrency), timeout: Number(timeout) });
results.on('test:fail', ({ todo }) => { if (todo === undefined || todo === false) process.exitCode = 1; });
const written = results.compose(tap).pipe(createWriteStream(report!));
results.compose(new spec()).pipe(process.stdout);
await finished(written);
