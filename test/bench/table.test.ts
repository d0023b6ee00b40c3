// The table of figures in docs/PERFORMANCE.md: what comes from another run than the rows before it says so.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { withTable, type Baselines } from '../../bench/table.ts';

const SAVED = JSON.parse(readFileSync(new URL('../../bench/baselines.json', import.meta.url), 'utf8')) as Baselines;
const PAGE = 'before\n<!-- figures: written by `npm run bench -- --save` -->\n<!-- /figures -->\nafter';
const MACHINE = { processor: 'P', cores: 2, memoryGib: 3, node: 'v22' };
const RUN = { date: '2026-01-02', commit: 'abcdef0', load: 0.1, lost: 0.5, machine: MACHINE };
const LATER = { ...RUN, commit: '1234567', lost: 0.25 };
const OF_RUN = '2026-01-02, commit abcdef0, P, 2 cores, 3 GiB, Node v22, load 0.1 before the run, '
  + '0.5 % of the processors given to others meanwhile.';
const OF_LATER = '2026-01-02, commit 1234567, P, 2 cores, 3 GiB, Node v22, load 0.1 before the run, '
  + '0.25 % of the processors given to others meanwhile.';
const HEAD = '\n\n| What | Figure | How |\n|---|---|---|\n| ';

function of(run: (bench: string) => typeof RUN): string {
  return withTable(PAGE, Object.fromEntries(Object.entries(SAVED).map(([name, { figures }]) => [name, { ...run(name), figures }])));
}

test('one run of all benches is one table', () => {
  const page = of(() => RUN);
  assert.ok(page.startsWith(`${PAGE.slice(0, PAGE.indexOf('\n<!-- /'))}\n${OF_RUN}${HEAD}`));
  assert.ok(page.endsWith(' |\n<!-- /figures -->\nafter'));
  assert.equal(page.split('| What | Figure | How |').length, 2);
});

test('a bench that was run by itself has a table of its own among those before and behind it', () => {
  const page = of((name) => (name === 'socket' ? LATER : RUN));
  const [, first, second, third] = page.split('| What | Figure | How |');
  assert.ok(first!.endsWith(` |\n\n${OF_LATER}\n\n`));
  assert.ok(second!.includes('One socket, 1,000 orders/s, durability full') && !second!.includes('REST, open loop'));
  assert.ok(second!.endsWith(` |\n\n${OF_RUN}\n\n`));
  assert.equal(third!.split('| The same while one of them does not read').length, 2);
  // No row is lost between them.
  const rows = (text: string): string[] => text.split('\n').filter((line) => /^\| (?!What)/.test(line));
  assert.deepEqual(rows(page), rows(of(() => RUN)));
});

test('a figure that a saved run lacks is a fault, and so is a page without a place', () => {
  const broken = { ...SAVED, socket: { ...SAVED['socket']!, figures: {} } };
  assert.throws(() => withTable(PAGE, broken), /there is no saved figure .* of socket/);
  assert.throws(() => withTable('nothing', SAVED), /no place for the figures/);
});

test('a bench that was never saved has no rows, and the others keep theirs', () => {
  const { socket: _, ...rest } = SAVED;
  const rows = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| What'));
  const all = rows(withTable(PAGE, SAVED));
  const left = rows(withTable(PAGE, rest));
  assert.ok(left.length > 20 && left.length < all.length);
  assert.deepEqual(left, all.filter((row) => left.includes(row)));
  assert.ok(!left.some((row) => row.includes('One socket, 1,000 orders/s')));
});
