// docs/RELIABILITY.md bounds the rate of losses by the kills of the runs in its own table, and by no others.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const PAGE = readFileSync(new URL('../../docs/RELIABILITY.md', import.meta.url), 'utf8');

test('reliability page: the kills that bound the rate of losses are those of its runs', () => {
  const runs = [...PAGE.matchAll(/^\| [^|]* \| `npm run crash [^|]* \| (\d+) kills .* 0 lost, 0 doubled/gm)];
  assert.ok(runs.length > 10, `${runs.length} runs`);
  const kills = runs.reduce((sum, [, some]) => sum + Number(some), 0);
  const [, told, percent] = /^(\d+) kills of the runs of `npm run crash` above without a loss bound .* below (\d+\.\d+) %/m.exec(PAGE)!;
  assert.equal(Number(told), kills);
  assert.ok(300 / kills <= Number(percent), `${300 / kills} %`);
});
