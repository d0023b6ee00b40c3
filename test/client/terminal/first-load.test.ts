// The trading page as it is built: what a first visit loads, and that what the page need not have at first is not among it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const PAGE = fileURLToPath(new URL('../../../dist/page/', import.meta.url));
const FIRST_LOAD_BYTES = 120_000;

test('given the built page, when it is first loaded, then all it names is at most 120 kB compressed', () => {
  const html = readFileSync(join(PAGE, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map((match) => match[1]!);
  assert.ok(named.length >= 2);
  const bytes = named.map((name) => readFileSync(join(PAGE, `${name}.gz`)).length);
  assert.ok(bytes.reduce((sum, each) => sum + each, html.length) <= FIRST_LOAD_BYTES, `${bytes.join(' + ')} bytes`);
});
