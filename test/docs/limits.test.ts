// docs/ARCHITECTURE.md has the limits that the code has, also those that are constants beside their use.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { withLimits } from '../../scripts/docs/limits.ts';

test('the tables of limits are what `npm run docs` writes', () => {
  const page = readFileSync(new URL('../../docs/ARCHITECTURE.md', import.meta.url), 'utf8');
  assert.equal(page, withLimits(page), 'run `npm run docs`');
});
