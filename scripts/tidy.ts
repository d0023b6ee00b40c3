// Checks the rules of the house over the whole tree: `node scripts/tidy.ts` prints one line per finding and exits 1 if
// there is one; `--seams` lists the exports that only tests import, and why, instead. Takes the working folder as the tree.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from './tidy/check.ts';
import type { File, Finding } from './tidy/syntax.ts';

/** What is installed, built or run into the tree, and not written. */
const NOT_OURS = new Set(['node_modules', '.git', '.cache', 'data', 'dist', 'client/dist', 'client/LICENSE']);

function readTree(root: string): File[] {
  const files: File[] = [];
  const read = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (NOT_OURS.has(path) || path.endsWith('.log')) continue;
      if (entry.isDirectory()) read(path);
      else if (entry.isFile()) readText(path);
    }
  };
  const readText = (path: string): void => {
    const text = readFileSync(join(root, path), 'utf8');
    if (!text.includes('\0')) files.push({ path, text });
  };
  read('');
  return files;
}

function print(findings: readonly Finding[]): void {
  for (const { path, line, rule, message } of findings) console.log(`${path}:${line} ${rule} ${message}`);
}

const files = readTree(process.cwd());
const { findings, seams } = check(files);
if (process.argv.includes('--seams')) {
  print(seams);
} else {
  print(findings);
  console.log(`tidy: ${files.length} files, ${findings.length === 0 ? 'clean' : `${findings.length} findings`}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
