// Runs test files in the given order, with one process for each, for scripts/test.ts: `node --test` would sort them. Prints what Node's
// runner prints for people, and writes which files have tests, one a line. Arguments: files at once, ms for one file, the file for these
// lines, the test files, or modules that load several.

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const [concurrency, timeout, report, ...files] = process.argv.slice(2);
const tested = new Set<string>();
const empty = new Set<string>();
const results = run({ files, concurrency: Number(concurrency), timeout: Number(timeout) });
results.on('test:fail', ({ todo }) => { if (todo === undefined || todo === false) process.exitCode = 1; });
// Node reports a file without tests as one passed test with the name of the file.
results.on('test:pass', ({ name, file }) => { if (file !== undefined) (resolve(name) === file ? empty : tested).add(file); });
const shown = results.compose(new spec());
shown.pipe(process.stdout);
await finished(shown, { writable: false });
// A test may stand in a module that its file loads.
for (const file of files.map((name) => resolve(name))) if (!empty.has(file)) tested.add(file);
writeFileSync(report!, [...tested].join('\n'));
