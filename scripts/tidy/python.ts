// Rules about files of Python, those of client/python and of its tests: lengths, what the file is for, phrases. Generated ones are free.
import { BANNED_PHRASES, COLUMNS, FILE_LINES } from './house.ts';
import type { File, Finding } from './syntax.ts';

const GENERATED = '# Written by `npm run docs`';

export function checkPython({ path, text }: File): Finding[] {
  if (!path.endsWith('.py') || text.startsWith(GENERATED)) return [];
  const findings: Finding[] = [];
  const tell = (line: number, rule: string, message: string): number => findings.push({ path, line, rule, message });
  const lines = text.replace(/\n$/, '').split('\n');
  if (!text.startsWith('"""')) tell(1, 'head', 'the file does not open with a docstring that says what it is for');
  if (lines.length > FILE_LINES) tell(1, 'size', `file of ${lines.length} lines, ${FILE_LINES} allowed`);
  lines.forEach((line, at) => {
    if (line.length > COLUMNS) tell(at + 1, 'size', `line of ${line.length} columns, ${COLUMNS} allowed`);
    const comment = /(?:^|\s)# (.*)$/.exec(line)?.[1] ?? '';
    for (const phrase of BANNED_PHRASES) if (phrase.test(comment)) tell(at + 1, 'words', `"${phrase.exec(comment)![0]}"`);
  });
  return findings;
}
