// Tests of tidy's rules about the world: the clock, the environment, the database, sockets, shared memory, the process.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { found, foundIn } from './fixture.ts';

const faults = (path: string, code: string): string[] => foundIn('world', path, code).map(fault => fault.replace(/ belongs into.*/, ''));

const CASES: readonly (readonly [code: string, name: string, home: string])[] = [
  ['const a = Date.now();', 'Date.now', 'shell/process/clock.ts'],
  ['const a = globalThis.Date.now;', 'Date.now', 'shell/process/clock.ts'],
  ['const a = new Date();', 'new Date()', 'shell/process/clock.ts'],
  ['const a = Date();', 'Date()', 'shell/process/clock.ts'],
  ['const a = performance.now();', 'performance', 'shell/process/clock.ts'],
  ['const a = process.hrtime.bigint();', 'process.hrtime', 'shell/process/clock.ts'],
  [`import { performance as p } from 'node:perf_hooks';`, 'node:perf_hooks', 'shell/process/clock.ts'],
  ['const a = process.env.PORT;', 'process.env', 'shell/process/config.ts'],
  [`const a = process['argv'];`, 'process.argv', 'shell/process/config.ts'],
  [`import { env } from 'node:process';`, 'node:process', 'shell/process/config.ts'],
  [`import Database from 'better-sqlite3';`, 'better-sqlite3', 'shell/storage/frames.ts'],
  [`import type { Statement } from 'better-sqlite3';`, 'better-sqlite3', 'shell/storage/fills.ts'],
  [`import { App } from 'uWebSockets.js';`, 'uWebSockets.js', 'shell/http/server/app.ts'],
  [`const a = await import('uWebSockets.js');`, 'uWebSockets.js', 'shell/http/server/app.ts'],
  [`const a = createRequire(import.meta.url); a('better-sqlite3');`, 'better-sqlite3', 'shell/storage/frames.ts'],
  ['const a = (x: Int32Array) => Atomics.load(x, 0);', 'Atomics', 'shell/ipc/ring.ts'],
  ['const a = new SharedArrayBuffer(8);', 'SharedArrayBuffer', 'shell/ipc/ring.ts'],
  ['const a = process.env.PORT;', 'process.env', 'shell/process/start.js'],
  ['process.exit(1);', 'process.exit', 'shell/process/start.js'],
  ['process.kill(process.pid, 9);', 'process.kill', 'shell/process/fatal.ts'],
];

test('world: what has a home is caught outside of it, and passes there', () => {
  for (const [code, name, home] of CASES) {
    assert.deepEqual(faults('shell/http/route.ts', code), [`3 ${name}`], code);
    assert.deepEqual(faults('core/math/x.ts', code), [`3 ${name}`], code);
    assert.deepEqual(faults(home, code), [], code);
  }
});

test('world: in tests fast-check comes from the file that sets its seed', () => {
  const code = "import fc from 'fast-check';";
  assert.deepEqual(faults('test/core/x.test.ts', code), ['3 fast-check']);
  assert.deepEqual(faults('test/support/fast-check.ts', code), []);
});

test('world: process handed on as a whole is caught', () => {
  assert.deepEqual(faults('shell/http/route.ts', 'const { env } = process;'), ['3 process.env', '3 process.exit']);
});

test('world: what only looks like it passes', () => {
  assert.deepEqual(faults('shell/http/route.ts', [
    'const at = new Date(5); const text = at.toISOString(); const ms = Date.UTC(2026, 0);',
    'const a = { performance: 1, env: 2 }; a.performance;',
    'type Shared = SharedArrayBuffer; let b: Shared;',
    'process.exitCode = 1; process.on(`SIGTERM`, () => {}); process.platform;',
    'setTimeout(() => {}, 5);',
  ].join('\n')), []);
});

test('world: bench, test and scripts are free', () => {
  const code = CASES.map(([line], at) => line.replace(/\ba\b/g, `a${at}`)).join('\n');
  assert.deepEqual(found('world', { 'bench/x.ts': code, 'test/x.test.ts': code, 'scripts/x.ts': code }), []);
});
