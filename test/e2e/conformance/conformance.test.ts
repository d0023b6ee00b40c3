// The report is right: every test that a row of the law names exists, every route is in the law or in docs/spec, and the page in docs/ is
// the report of this tree. Whether the named tests pass, the same run shows.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { ApiContext } from '../../../shell/api/context.ts';
import { serviceRoutes } from '../../../shell/process/threads/service.ts';
import { CODE_TEXTS } from '../../../shell/http/outcome-texts.ts';
import { ENDPOINTS } from '../../../client/conformance/law/endpoints.ts';
import { ERRORS } from '../../../client/conformance/law/errors.ts';
import { lines, report } from './report.ts';

/** The titles of a file's tests, as patterns: what a template fills in may be anything. */
function titlesOf(file: string): RegExp[] {
  const found = readFileSync(file, 'utf8').matchAll(/\btest\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g);
  return [...found].map(([, quote, title]) => {
    const parts = quote === '`' ? title!.split(/\$\{[^}]*\}/) : [title!.replaceAll('\\\'', '\'')];
    return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}$`);
  });
}

test('every row of the law names a test that exists', (t) => {
  const titles = new Map<string, RegExp[]>();
  for (const { section, cells, shown: { file, title } } of lines()) {
    if (!titles.has(file)) titles.set(file, titlesOf(file));
    assert.ok(titles.get(file)!.some((pattern) => pattern.test(title)), `${section}, ${cells[0]}: ${file} has no test "${title}"`);
    t.diagnostic(`${section}: ${cells.slice(0, 2).join(' · ')} — ${file}: ${title}`);
  }
});

/** What starts the process of a venue, or one within the test's with all its threads. */
const VENUES = ['scripts/venue-process.ts', 'shell/process/venue.ts'];
/** Tests with a venue that is whole, and something beside it that the test plays. */
const PLAYED = ['test/e2e/rest/gas.test.ts', 'test/e2e/rest/candles.test.ts', 'test/shell/process/flow/durable.test.ts'];

/** Whether the file, or a file of tests that it imports, starts a venue. */
function startsVenue(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const imports = [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path]) => join(dirname(file), path!));
  return imports.some((path) => VENUES.includes(path) || (path.startsWith('test/') && startsVenue(path, seen)));
}

test('every row is shown by a real venue, or says what replaces it and why', () => {
  for (const { section, cells, shown: { file, title, double } } of lines()) {
    const isReal = startsVenue(file) && !PLAYED.includes(file);
    assert.equal(double === undefined, isReal, `${section}, ${cells[0]}: ${file}: ${title}`);
    if (double !== undefined) assert.match(double, /^\w.+: .+/, 'what, and why');
  }
  assert.ok(!startsVenue('test/shell/api/orders.test.ts') && startsVenue('test/e2e/conformance/errors.test.ts'), 'the two are told apart');
});

test('a title without a test is noticed', () => {
  const patterns = titlesOf('test/e2e/conformance/errors.test.ts');
  assert.ok(patterns.some((pattern) => pattern.test('error: the body is empty')));
  assert.ok(!patterns.some((pattern) => pattern.test('errors: the body is empty')));
});

test('every error text of the venue is a row of the law or stands between backticks in the extensions', () => {
  const plain = (text: string): string => text.replace(/\{\w+\}/g, '{}');
  const law = new Set(ERRORS.map(({ text }) => plain(text)));
  const page = plain(readFileSync('docs/spec/extensions.md', 'utf8').replace(/\s+/g, ' '));
  const extensions = new Set([...page.matchAll(/`([^`]+)`/g)].map(([, text]) => text!));
  assert.deepEqual(CODE_TEXTS.map(({ text }) => plain(text)).filter((text) => !law.has(text) && !extensions.has(text)), []);
});

test('every route is in the law or named in a page of docs/spec', () => {
  const law = new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path}`));
  const routes = serviceRoutes({} as ApiContext).map(({ method, path }) => `${method} ${path}`);
  const pages = readdirSync('docs/spec').map((page) => readFileSync(`docs/spec/${page}`, 'utf8')).join('\n');
  const isNamed = (route: string): boolean => new RegExp(`${route.split(' ')[1]!}(?![\\w/-])`).test(pages);
  assert.deepEqual(routes.filter((name) => !law.has(name) && !isNamed(name)), []);
});

test('docs/CONFORMANCE.md is what `npm run conformance` writes', () => {
  assert.equal(readFileSync('docs/CONFORMANCE.md', 'utf8'), report());
});
