// npm run docs
// Writes the tables of limits into docs/ARCHITECTURE.md, and the table of last runs into docs/RELIABILITY.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { withEvidence } from './docs/evidence.ts';
import { withLimits } from './docs/limits.ts';

for (const [name, write] of [['ARCHITECTURE', withLimits], ['RELIABILITY', withEvidence]] as const) {
  const page = new URL(`../docs/${name}.md`, import.meta.url);
  writeFileSync(page, write(readFileSync(page, 'utf8')));
}
