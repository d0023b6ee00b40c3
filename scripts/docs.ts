// npm run docs
// Writes the tables of limits into docs/ARCHITECTURE.md, the table of last runs into docs/RELIABILITY.md, and the generated modules of
// client/python.

import { readFileSync, writeFileSync } from 'node:fs';
import { withEvidence } from './docs/evidence.ts';
import { withLimits } from './docs/limits.ts';
import { writePython } from './docs/python.ts';

for (const [name, write] of [['ARCHITECTURE', withLimits], ['RELIABILITY', withEvidence]] as const) {
  const page = new URL(`../docs/${name}.md`, import.meta.url);
  writeFileSync(page, write(readFileSync(page, 'utf8')));
}
await writePython(new URL('../client/python/src/strikebook/', import.meta.url));
