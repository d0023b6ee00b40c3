// Tests of tidy's rules about language: heads, sentences, phrases, lengths of documents, subjects of commits, counts of words.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { check } from '../../../scripts/tidy/check.ts';
import { countWords, subjectFault } from '../../../scripts/tidy/words.ts';
import { found, foundIn } from './fixture.ts';

const words = (count: number): string => Array(count).fill('word').join(' ');

test('head: up to eight lines of prose; lists and tables beside', () => {
  const faults = (lines: readonly string[]): string[] => (
    check([{ path: 'shell/ws/x.ts', text: `${lines.map((line) => `// ${line}`).join('\n')}\n` }]).findings
      .filter(({ rule }) => rule === 'head').map(({ message }) => message)
  );
  const prose = (count: number): string[] => Array<string>(count).fill('One line.');
  assert.deepEqual(faults(prose(8)), []);
  assert.deepEqual(faults(prose(9)), ['head of 9 lines, 8 allowed']);
  assert.deepEqual(faults([...prose(8), '  a   b', '- a point', '| a | row |']), []);
});

test('words: a sentence of a head or before an export has at most 30 words', () => {
  assert.deepEqual(foundIn('words', 'core/x.ts', `\n/** ${words(30)}. ${words(30)}. */\nexport const a = 1;`), []);
  assert.deepEqual(foundIn('words', 'core/x.ts', `\n/**\n * ${words(20)}\n * ${words(11)}. */\nexport const a = 1;`), [
    `4 sentence of 31 words, 30 allowed: ${words(8)} …`,
  ]);
  assert.deepEqual(foundIn('words', 'core/x.ts', `\n// ${words(35)}.\nconst a = 1;`), [], 'a comment inside may be a list');
});

test('words: phrases that a stranger reads twice are told, in comments and in documents, not in code', () => {
  const phrase = 'a number that is ' + 'none';
  assert.deepEqual(foundIn('words', 'shell/x.ts', `f();\n  // ${phrase}\n`), [`4 "is ${'none'}"`]);
  assert.deepEqual(foundIn('words', 'shell/x.ts', `f('${phrase}');`), []);
  assert.deepEqual(found('words', { 'docs/a.md': `# A\n\n${phrase}\n` }), [`docs/a.md:3 "is ${'none'}"`]);
});

test('size: a document has its length without its generated tables', () => {
  const generated = `<!-- table: written by x -->\n${'| a |\n'.repeat(50)}<!-- /table -->\n`;
  assert.deepEqual(found('size', { 'README.md': 'a\n'.repeat(119) + generated }), []);
  assert.deepEqual(found('size', { 'README.md': 'a\n'.repeat(121) }), ['README.md:1 document of 121 lines, 120 allowed']);
});

test('commits: a subject has a scope and at most 72 characters', () => {
  assert.equal(subjectFault('margin: round reserve up for partial closes'), null);
  assert.equal(subjectFault(`api: ${'x'.repeat(67)}`), null);
  assert.equal(subjectFault(`api: ${'x'.repeat(68)}`), '73 characters, 72 allowed');
  for (const subject of ['Round reserve up', 'Margin: round', 'margin:round', ': round']) {
    assert.match(subjectFault(subject)!, /^it has no scope/);
  }
});

test('counts: comments by area, documents without docs/spec and generated tables', () => {
  const counts = countWords([
    { path: 'core/a.ts', text: '// one two\nconst x = 1; // not counted\n/**\n * three\n */\n' },
    { path: 'core/b.ts', text: '/** four */\n' },
    { path: 'README.md', text: 'five six\n<!-- t -->\nx x x\n<!-- /t -->\n' },
    { path: 'docs/a.md', text: 'seven' }, { path: 'docs/spec/a.md', text: 'x' },
  ]);
  assert.deepEqual([...counts], [['comments of core', 4], ['documents', 3]]);
});
