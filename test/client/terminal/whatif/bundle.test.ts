// The what-if as the page loads it: one file for a browser, which runs without anything of Node.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const MOST_BYTES = 60_000;

test('bundled for a browser, the what-if needs neither Node nor a package, and is small', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['client/terminal/whatif/what-if.ts'], bundle: true, write: false, platform: 'browser', format: 'iife',
    globalName: 'whatIf', minify: true, metafile: true, target: 'es2024',
  });
  const { text } = outputFiles[0]!;
  const inputs = Object.keys(metafile.inputs);
  assert.deepEqual(inputs.filter((path) => path.includes('node_modules')), []);
  assert.ok(gzipSync(text).length <= MOST_BYTES, `${gzipSync(text).length} bytes`);
  const context = createContext({ TextEncoder, TextDecoder });
  runInContext(text, context);
  const names = runInContext('Object.keys(whatIf)', context) as string[];
  assert.ok([...names].includes('WhatIf'));
  assert.equal(runInContext('typeof Buffer + typeof process', context), 'undefinedundefined');
});
