// What the tests of tidy share: made-up trees, and the findings of one rule in them.
// A fixture file gets a head comment of its own, so that only what a test is about is found; its code starts at line 3.
import { check } from '../../../scripts/tidy/check.ts';
import type { File } from '../../../scripts/tidy/syntax.ts';

const HEAD = '// A file made up for a test of tidy,\n// with a head of two lines.\n';

/** Files by path; the code of a .ts file is put under a head. */
export function tree(files: Readonly<Record<string, string>>): File[] {
  return Object.entries(files).map(([path, text]) => ({ path, text: path.endsWith('.ts') ? HEAD + text : text }));
}

/** `path:line message` of every finding of `rule`. */
export function found(rule: string, files: Readonly<Record<string, string>>): string[] {
  return check(tree(files)).findings
    .filter(finding => finding.rule === rule)
    .map(({ path, line, message }) => `${path}:${line} ${message}`);
}

/** The findings of `rule` in one file, `line message` each. */
export function foundIn(rule: string, path: string, code: string): string[] {
  return found(rule, { [path]: code }).map(finding => finding.slice(path.length + 1));
}
