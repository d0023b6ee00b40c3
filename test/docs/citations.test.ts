// Every citation in code, tests and documents leads to a page and a row of this repository: `decision 3.12`, `wire contract 4.2`,
// `interface.md, Bulk`, `MARGIN.md, "Liquidation"`, `docs/decisions/journal.md`; and every link between documents to a heading.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CODE = ['core', 'shell', 'client/src', 'client/terminal', 'scripts', 'bench', 'test']
  .flatMap((folder) => filesOf(folder, /\.(ts|js|json)$/));
const PAGES = [...filesOf('docs', /\.md$/), 'README.md', 'CHANGELOG.md', 'client/README.md'];
// Examples and files made up for a test are no citations.
const MADE_UP = /^(docs\/spec\/README\.md|test\/docs\/citations\.test\.ts|test\/scripts\/tidy\/.*)$/;
const CITING = [...CODE, ...PAGES].filter((path) => !MADE_UP.test(path));

const NUMBERS = String.raw`(\d+\.\d+(?:(?:,? and |,? or |, | to )\d+\.\d+)*)`;
const HEADINGS = new Map(PAGES.map((path) => [path, [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!)]));

type Citation = { readonly path: string; readonly text: string; readonly found: boolean };

function filesOf(folder: string, name: RegExp): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesOf(path, name);
    return name.test(entry.name) ? [path] : [];
  });
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The text of a file with the comment marks at line starts taken away, so that a citation may be wrapped. */
function prose(path: string): string {
  return read(path).replaceAll(/\n\s*(?:\/\/|\*)?\s*/g, ' ');
}

function citations(pattern: RegExp, leads: (match: RegExpMatchArray) => boolean): readonly Citation[] {
  return CITING.flatMap((path) => [...prose(path).matchAll(pattern)].map((match) => ({ path, text: match[0], found: leads(match) })));
}

/** All of these lead somewhere, and there are at least so many: a pattern that finds none would prove nothing. */
function allLead(found: readonly Citation[], least: number): void {
  assert.deepEqual(found.filter((one) => !one.found).map(({ path, text }) => `${path}: ${text}`), []);
  assert.ok(found.length >= least, `${found.length} citations`);
}

function numbersIn(list: string): readonly string[] {
  return [...list.matchAll(/\d+\.\d+/g)].map(([number]) => number);
}

/** The text of a page under a heading that begins so, up to the next heading. */
function section(page: string, begins: string): string | null {
  return read(page).split(/^#+ /m).slice(1).find((part) => part.toLowerCase().startsWith(begins.toLowerCase())) ?? null;
}

function hasHeading(page: string, name: string): boolean {
  return HEADINGS.get(page)!.some((heading) => heading.replace(/^\d+\. /, '').toLowerCase() === name.toLowerCase());
}

test('a decision with a number is a row of docs/spec/decisions.md', () => {
  const rows = new Set([...read('docs/spec/decisions.md').matchAll(/^\| (\d+\.\d+) \|/gm)].map(([, number]) => number));
  const pattern = new RegExp(String.raw`\bdecisions? ${NUMBERS}`, 'gi');
  allLead(citations(pattern, ([, list]) => numbersIn(list!).every((number) => rows.has(number))), 100);
});

test('no page of docs/decisions is cited by a number: they have names', () => {
  allLead(citations(/\bdecision (?:page )?\d+(?![.\d])|docs\/decisions\/\d+|\bpage \d+\)/gi, () => false), 0);
});

test('a part of the wire contract is a section of docs/spec/wire.md, with its row where one is named', () => {
  const row = String.raw`(?:(?:, (?:rows? )?)(\d+)(?: to (\d+))?(?![.\d]))?`;
  const pattern = new RegExp(String.raw`\bwire(?: contract|\.md)?,? (?:sections? )?${NUMBERS}${row}`, 'g');
  allLead(citations(pattern, ([, list, first, last]) => numbersIn(list!).every((number) => {
    const text = section('docs/spec/wire.md', `${number} `);
    return text !== null && [first, last].every((row) => row === undefined || new RegExp(`^\\| ${row} \\|`, 'm').test(text));
  })), 20);
});

test('what is cited of the interface is a heading of docs/spec/interface.md, with its point where one is named', () => {
  const pattern = /interface\.md,? "?([A-Za-z][A-Za-z ]+?)"?((?:,? and|,)? \d+(?: and \d+)?)?(?=[.,;):"]|$)/g;
  allLead(citations(pattern, ([, name, points]) => {
    if (!hasHeading('docs/spec/interface.md', name!)) return false;
    return [...(points ?? '').matchAll(/\d+/g)].every(([point]) => (
      new RegExp(`^${point}\\. `, 'm').test(section('docs/spec/interface.md', name!)!)
    ));
  }), 4);
});

test('what is cited of the margin page is a heading of it', () => {
  allLead(citations(/\bMARGIN\.md,? \(?"([^"]+)"/g, ([, name]) => hasHeading('docs/MARGIN.md', name!)), 10);
});

test('nothing cites a page that is not in the repository', () => {
  const gone = /(?<![\w/-])(?:margin|hyperliquid|house|words)\.md/g;
  allLead(citations(gone, () => false), 0);
  const named = /\bdocs\/[\w./-]+\.(?:md|json)/g;
  allLead(citations(named, ([path]) => existsSync(join(ROOT, path))), 20);
  allLead(citations(/\bdocs\/([A-Z]+\.md): ([A-Z][\w ]+)\)/g, ([, page, name]) => hasHeading(`docs/${page}`, name!)), 1);
});

/** As GitHub makes them of headings. */
function anchorsOf(path: string): readonly string[] {
  const headings = [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);
  return headings.map((heading) => heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
}

test('every link of a document leads to a file, and to a heading of it', () => {
  assert.ok(PAGES.length > 25, `${PAGES.length} pages`);
  for (const page of PAGES) {
    const links = [...read(page).matchAll(/\]\(([^)#:]*)(?:#([^)]+))?\)/g)];
    const lost = links.filter(([, target, anchor]) => {
      const path = target === '' ? page : join(dirname(page), target!);
      return !existsSync(join(ROOT, path)) || (anchor !== undefined && !anchorsOf(path).includes(anchor));
    });
    assert.deepEqual(lost.map(([link]) => link), [], page);
  }
});

test('every npm script that a document names exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const page of PAGES) {
    for (const [, name] of read(page).matchAll(/npm run (?:-s )?([a-z:-]+)/g)) assert.ok(name! in scripts, `${page}: npm run ${name}`);
  }
});

test('every file that a document names between backticks exists', () => {
  const named = /`((?:core|shell|client|test|scripts|bench|docs)\/[\w.-]+(?:\/[\w.-]+)*)`/g;
  const found = PAGES.flatMap((path) => [...read(path).matchAll(named)].map(([text, file]) => (
    { path, text, found: existsSync(join(ROOT, file!)) || existsSync(join(ROOT, `${file!}.test.ts`)) }
  )));
  allLead(found, 50);
});
