// Rules about language: how long the head of a file and its sentences are, phrases that this project does not use, how long a document is,
// and the subjects of commits. The tables are in house.ts.
import { BANNED_PHRASES, DOCUMENT_LINES, GENERATED_DOCUMENTS, HEAD_LINES, SENTENCE_WORDS, SUBJECT_CHARS } from './house.ts';
import { areaOf } from './graph.ts';
import type { File, Finding, Module } from './syntax.ts';

/** A block of comment lines; `line` is its first, from 1. */
type Comment = { readonly line: number; readonly lines: readonly string[] };

/** Where the language of comments is checked; tests say what they mean by their titles. */
const AREAS_READ = new Set(['core', 'shell', 'client', 'scripts', 'bench']);

/** Checks a file of code: its head, the comments before its exports, and all phrases. */
export function checkWords(module: Module): Finding[] {
  if (!AREAS_READ.has(areaOf(module.path))) return [];
  const { path } = module;
  const comments = commentsOf(module.text);
  const exported = new Set(module.exports.map(({ line }) => line));
  const findings: Finding[] = [];
  comments.forEach((comment, at) => {
    const isHead = at === 0 && comment.line <= 2;
    const after = comment.line + comment.lines.length;
    if (isHead && proseOf(comment).length > HEAD_LINES) {
      findings.push({ path, line: comment.line, rule: 'head', message: `head of ${proseOf(comment).length} lines, ${HEAD_LINES} allowed` });
    }
    if (isHead || exported.has(after)) findings.push(...longSentences(path, comment));
    findings.push(...phrases(path, comment));
  });
  return findings;
}

/** Checks a document: its length, and all phrases. Generated parts, between `<!-- name -->` and `<!-- /name -->`, do not count. */
export function checkDocument({ path, text }: File): Finding[] {
  if (!path.endsWith('.md') || GENERATED_DOCUMENTS.has(path)) return [];
  const findings: Finding[] = [];
  const most = DOCUMENT_LINES[path];
  const length = withoutGenerated(text).replace(/\n$/, '').split('\n').length;
  if (most !== undefined && length > most) {
    findings.push({ path, line: 1, rule: 'size', message: `document of ${length} lines, ${most} allowed` });
  }
  text.split('\n').forEach((content, at) => {
    for (const phrase of BANNED_PHRASES) {
      if (phrase.test(content)) findings.push({ path, line: at + 1, rule: 'words', message: `"${phrase.exec(content)![0]}"` });
    }
  });
  return findings;
}

/** What is wrong with the subject of a commit; null: nothing. */
export function subjectFault(subject: string): string | null {
  if (/^(Merge|Revert) /.test(subject)) return null;
  if (subject.length > SUBJECT_CHARS) return `${subject.length} characters, ${SUBJECT_CHARS} allowed`;
  return /^[a-z][a-z0-9, /.-]*: \S/.test(subject) ? null : 'it has no scope, as in "margin: round reserve up for partial closes"';
}

function withoutGenerated(text: string): string {
  return text.replace(/<!-- ([a-z-]+)(?::[^>]*)? -->[^]*?<!-- \/\1 -->/g, '');
}

/** Words of the comments of each area, and of the documents without docs/spec and generated tables. */
export function countWords(files: readonly File[]): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  const add = (part: string, text: string): void => {
    words.set(part, (words.get(part) ?? 0) + text.split(/\s+/).filter((word) => /\w/.test(word)).length);
  };
  for (const { path, text } of files) {
    if (/\.(js|tsx?)$/.test(path)) add(`comments of ${areaOf(path)}`, commentsOf(text).flatMap(({ lines }) => lines).join(' '));
    else if (!GENERATED_DOCUMENTS.has(path) && /^(?:docs\/(?!spec\/).*|[^/]+)\.md$/.test(path)) add('documents', withoutGenerated(text));
  }
  return words;
}

function commentsOf(text: string): Comment[] {
  const comments: Comment[] = [];
  let open: { line: number; lines: string[] } | null = null;
  let isBlock = false;
  text.split('\n').forEach((content, at) => {
    const isComment = isBlock || /^\s*(\/\/|\/\*)/.test(content);
    if (isComment) {
      if (open === null) comments.push(open = { line: at + 1, lines: [] });
      open.lines.push(content.replace(/^\s*(?:\/\/|\/\*+|\*+(?!\/))?\s?/, '').replace(/\s*\*\/\s*$/, ''));
    } else {
      open = null;
    }
    if (/^\s*\/\*/.test(content) || isBlock) isBlock = !/\*\/\s*$/.test(content);
  });
  return comments;
}

/** Lines of prose: no list, table or formula, which are indented or begin with a sign. */
function proseOf({ lines }: Comment): readonly string[] {
  return lines.filter((line) => line !== '' && !/^(\s{2}|[-|*•])/.test(line));
}

function longSentences(path: string, comment: Comment): Finding[] {
  return proseOf(comment).join(' ').split(/(?<=[.!?:;])\s+/).flatMap((sentence) => {
    const words = sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;
    if (words <= SENTENCE_WORDS) return [];
    const message = `sentence of ${words} words, ${SENTENCE_WORDS} allowed: ${sentence.slice(0, 40)}…`;
    return [{ path, line: comment.line, rule: 'words', message }];
  });
}

function phrases(path: string, { line, lines }: Comment): Finding[] {
  return lines.flatMap((content, at) => BANNED_PHRASES.flatMap((phrase) => (
    phrase.test(content) ? [{ path, line: line + at, rule: 'words', message: `"${phrase.exec(content)![0]}"` }] : []
  )));
}
