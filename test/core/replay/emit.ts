// Writes the core as plain JavaScript into a folder: types stripped and import endings changed, so that a Node without type
// stripping, or another engine, can run it. Beside it a driver that applies a journal and prints the result.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Reads argv: journal file, limits as JSON. Prints one line: records, hash of the state, digest of the events. */
const DRIVER = `
import { readFileSync } from 'node:fs';
import { createState, stateSections } from './core/engine/state.js';
import { apply } from './core/engine/apply.js';
import { hashSections } from './core/snapshot/hash.js';
import { viewsOf } from './core/codec/record.js';

const journal = new Uint8Array(readFileSync(process.argv[2]));
const state = createState(JSON.parse(process.argv[3]));
const views = viewsOf(journal.buffer, 0, journal.length);
let records = 0;
for (let at = 0; at < journal.length; at += views.u32[at >>> 2]) {
  apply(state, views, at);
  records++;
}
const hash = Buffer.from(hashSections(stateSections(state)).buffer).toString('hex');
console.log([records, hash, Buffer.from(state.events.digest.slice().buffer).toString('hex')].join(' '));
`;

/** Writes core and driver into the folder; the driver's path. */
export function emitCore(folder: string): string {
  for (const file of sources(join(ROOT, 'core'))) {
    const to = join(folder, relative(ROOT, file)).replace(/\.ts$/, '.js');
    mkdirSync(dirname(to), { recursive: true });
    const code = stripTypeScriptTypes(readFileSync(file, 'utf8'));
    writeFileSync(to, code.replace(/(from\s+'[^']+)\.ts'/g, "$1.js'"));
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const driver = join(folder, 'replay.js');
  writeFileSync(driver, DRIVER);
  return driver;
}

function sources(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
}
