// The Python of the system with what the tests of client/python need. They are skipped by name where there is none.

import { spawnSync } from 'node:child_process';

const NEEDED = ['pytest', 'websockets', 'Cryptodome', 'ecdsa'];

/** Its program. Undefined: none has all of it. */
export const PYTHON = ['/usr/bin/python3', 'python3'].find((path) => (
  spawnSync(path, ['-c', `import sys, ${NEEDED.join(', ')}; assert sys.version_info >= (3, 11)`], { stdio: 'ignore' }).status === 0
));
/** Of a test with it. */
export const IN_PYTHON = { skip: PYTHON === undefined && `no python3 with ${NEEDED.join(', ')} is installed` };
