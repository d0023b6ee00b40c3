// npm run docs
// Writes the tables of limits into docs/ARCHITECTURE.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { withLimits } from './docs/limits.ts';

const PAGE = new URL('../docs/ARCHITECTURE.md', import.meta.url);
writeFileSync(PAGE, withLimits(readFileSync(PAGE, 'utf8')));
