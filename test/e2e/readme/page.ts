// The fenced blocks of a document, run against a venue: its reads are requested, its JavaScript runs as a module in the root folder.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** The address that the documents have for a venue. */
export const STATED = 'http://127.0.0.1:8080';
const LEAST_READS = 5;

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Texts of the fenced blocks of a language; '' for those without. */
export function blocks(page: string, language: string): string[] {
  const fenced = [...page.matchAll(/^```(\w*)\n([^]*?)^```$/gm)];
  return fenced.flatMap(([, named, text]) => (named === language ? [text!] : []));
}

/** Every `curl` of the page that reads is answered with 200. */
export async function checkReads(page: string, url: string): Promise<void> {
  const reads = blocks(page, 'sh').flatMap((block) => [...block.matchAll(/^curl (?:-H '([\w-]+): ([^']+)' )?'?(http[^'\n]+)'?$/gm)]);
  assert.ok(reads.length >= LEAST_READS, `${reads.length} addresses`);
  // A program that was waited for has kept this process from seeing which connections have ended meanwhile.
  await turn();
  for (const [line, name, value, stated] of reads) {
    const answer = await fetch(stated!.replace(STATED, url), name === undefined ? {} : { headers: { [name]: value! } });
    assert.equal(answer.status, 200, `${line}: ${await answer.text()}`);
  }
}

/** What a module prints that was written for a venue at the stated address. */
export function runModule(text: string, url: string): string {
  const input = text.replaceAll(STATED, url);
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module'];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, { cwd: ROOT, encoding: 'utf8', input, timeout: 60_000 });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}
