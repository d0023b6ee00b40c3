// npm run conformance
// Writes docs/CONFORMANCE.md: every row of the interface and the test that shows it.

import { writeFileSync } from 'node:fs';
import { report } from '../test/e2e/conformance/report.ts';

writeFileSync(new URL('../docs/CONFORMANCE.md', import.meta.url), report());
