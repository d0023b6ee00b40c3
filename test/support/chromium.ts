// The Chromium of the system, for tests of pages. They are skipped by name where there is none.

import { existsSync } from 'node:fs';

/** Its program. Undefined: none is installed. */
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
/** Of a test in it. */
export const IN_CHROMIUM = { skip: CHROMIUM === undefined && 'no Chromium is installed' };
