// Checks the rules of the house over the whole tree: `node scripts/tidy.ts` prints one line per finding and exits 1 if
// there is one; `--seams` lists the exports that only tests import, and why, instead; `--commits` checks the subjects of commits;
// `--words` counts the words of comments and documents. Takes the working folder as the tree.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from './tidy/check.ts';
import { SUBJECTS_SINCE } from './tidy/house.ts';
import type { File, Finding } from './tidy/syntax.ts';
import { countWords, subjectFault } from './tidy/words.ts';

/** Folders that are installed, built or generated. */
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

/** Prints one line for each commit whose subject has a fault; returns how many. A clone without its history is not checked, and says so. */
function checkCommits(): number {
  const log = spawnSync('git', ['log', '--format=%h %s', `${SUBJECTS_SINCE}..HEAD`], { encoding: 'utf8' });
  if (log.status !== 0) {
    console.log('commits: not checked, this clone has no history');
    return 0;
  }
  const commits = log.stdout.split('\n').filter(Boolean).map((line) => {
    const [hash, ...subject] = line.split(' ');
    return { hash, fault: subjectFault(subject.join(' ')) };
  });
  const faults = commits.filter(({ fault }) => fault !== null);
  for (const { hash, fault } of faults) console.log(`${hash} commits ${fault}`);
  console.log(`commits: ${commits.length} subjects, ${faults.length === 0 ? 'clean' : `${faults.length} findings`}`);
  return faults.length;
}

function main(): number {
  if (process.argv.includes('--commits')) return checkCommits();
  const files = readTree(process.cwd());
  if (process.argv.includes('--words')) {
    for (const [part, words] of countWords(files)) console.log(`${part}: ${words} words`);
    return 0;
  }
  const { findings, seams } = check(files);
  if (process.argv.includes('--seams')) {
    print(seams);
    return 0;
  }
  print(findings);
  console.log(`tidy: ${files.length} files, ${findings.length === 0 ? 'clean' : `${findings.length} findings`}`);
  return findings.length;
}

process.exitCode = main() === 0 ? 0 : 1;
