// Tests of tidy's rules inside core/: what is not the same in every engine, at every time, is caught.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { found, foundIn } from './fixture.ts';

const faults = (code: string, path = 'core/math/x.ts'): string[] => foundIn('core', path, code);

test('core: plain integer code passes', () => {
  assert.deepEqual(faults([
    `import type { Price } from '../units.ts';`,
    'declare const unit: unique symbol;',
    'type Table = Map<string, Promise<Date>>;',
    'export function f(rows: Float64Array, price: Price): number {',
    '  const sorted = Array.from(rows).sort((a, b) => a - b);',
    '  if (!Number.isSafeInteger(price)) throw new RangeError(`price ${price}`);',
    '  outer: for (const row of sorted) { if (row < 0) continue outer; }',
    '  const record = { Date: 1, sort: 2, crypto: 3 };',
    '  return Math.floor(Math.sqrt(record.Date)) + Number(`1`) + Math.imul(3, 4);',
    '}',
    'export const LIST: readonly number[] = Object.freeze([1, 2]);',
    'export class Cursor { #at = 0; constructor(readonly_: number) { this.#at = readonly_; } *next() { yield this.#at; } }',
  ].join('\n')), []);
});

test('core: Math outside of the allow-list', () => {
  for (const name of ['pow', 'exp', 'log', 'sin', 'random', 'hypot', 'cbrt', 'PI']) {
    assert.deepEqual(faults(`export const a = Math.${name};`), [`3 Math.${name} is not in the allow-list`]);
  }
  assert.deepEqual(faults(`const a = Math['pow'](2, 3);`), ['3 Math.pow is not in the allow-list']);
  assert.deepEqual(faults('const f = (name) => Math[name](2);'), ['3 Math.[…] is not in the allow-list']);
  assert.deepEqual(faults('const { pow } = Math;'), ['3 Math may not be handed on']);
});

test('core: a module keeps nothing between calls but scratch, which is its own', () => {
  assert.deepEqual(faults('const scratch = { sums: new Float64Array(8) };\nconst POWERS = new Float64Array(8);\nconst of = (n) => n;'), []);
  assert.deepEqual(faults('let count = 0;'), ['3 count: a module keeps nothing between calls']);
  assert.deepEqual(faults('export const scratch = { sum: 0 };'), ['3 scratch is of one file']);
  for (const init of ['new Float64Array(8)', '{ sum: 0 }', '[0, 0]']) {
    assert.deepEqual(faults(`const sums = ${init};`), ['3 sums: room for one call is a field of the constant `scratch`']);
  }
  assert.deepEqual(faults('let block = 0;', 'core/columns.ts'), []);
});

test('core: globals outside of the allow-list', () => {
  for (const name of [
    'Date', 'performance', 'crypto', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Promise', 'JSON', 'Intl',
    'Map', 'Set', 'WeakMap', 'WeakRef', 'process', 'globalThis', 'console', 'parseFloat', 'Atomics', 'SharedArrayBuffer', 'Buffer',
    'fetch', 'eval',
  ]) {
    assert.deepEqual(faults(`export const A = [${name}];`), [`3 ${name} is not in the allow-list of globals`]);
    assert.deepEqual(faults(`export const A = { ${name} };`), [`3 ${name} is not in the allow-list of globals`]);
  }
});

test('core: a local name may not hide a global', () => {
  assert.deepEqual(faults('export function f(performance: number): number { return 1; }'), ['3 performance hides a global of that name']);
  assert.deepEqual(faults('const { now: [Date] } = a, a = 1;'), ['3 Date hides a global of that name']);
});

test('core: members that depend on the locale or the engine, or keep no order', () => {
  const sort = 'without a comparator';
  for (const [code, message] of [
    ['a.toFixed(2)', 'toFixed() is not allowed'],
    ['a.toPrecision(2)', 'toPrecision() is not allowed'],
    [`a['toFixed'](2)`, 'toFixed() is not allowed'],
    ['a?.toLocaleString()', 'toLocaleString() is not allowed'],
    ['a.localeCompare(a)', 'localeCompare() is not allowed'],
    ['Number.parseFloat(a)', 'Number.parseFloat is not in the allow-list'],
    ['Object.keys(a)', 'Object.keys is not in the allow-list'],
    ['Object.entries(a)', 'Object.entries is not in the allow-list'],
    ['a.sort()', `sort() ${sort}`],
    ['a.toSorted()', `toSorted() ${sort}`],
  ] as const) {
    assert.deepEqual(faults(`const a = 1;\n${code};`), [`4 ${message}`]);
  }
});

test('core: syntax that is not exact, not synchronous or has no order', () => {
  for (const [code, message] of [
    ['a ** 2;', '** is not exact'],
    ['a **= 2;', '** is not exact'],
    ['for (const b in a) a;', 'for-in has no order of its own'],
    ['async function f() {}', 'async: the core is synchronous'],
    ['const g = async () => 1;', 'async: the core is synchronous'],
    ['await a;', 'await: the core is synchronous'],
    ['for await (const b of a) a;', 'await: the core is synchronous'],
    [`import('./b.ts');`, 'import(): the core is synchronous'],
    ['import.meta.url;', 'import.meta: the core knows no place'],
    ['try { a; } finally { a; }', 'try: a refusal is a code, a fault is not caught here'],
  ] as const) {
    assert.deepEqual(faults(`const a = 1;\n${code}`), [`4 ${message}`]);
  }
});

test('core: BigInt in the exact paths only', () => {
  const code = 'export const a = 1n;\nexport const b = BigInt(2);';
  assert.deepEqual(faults(code), ['3 BigInt outside of the exact paths', '4 BigInt outside of the exact paths']);
  assert.deepEqual(faults(code, 'core/ledger/wide.ts'), []);
});

test('core: the rules end at the core', () => {
  assert.deepEqual(found('core', { 'shell/x.ts': 'const a = new Map([[2 ** 3, Math.random()]]);', 'test/x.test.ts': 'await a;' }), []);
});
