// Loaded before a file of tests: ends it with the first test that fails. One is enough to catch a fault, and what follows
// may take minutes to shrink.

import { afterEach } from 'node:test';

afterEach((context) => {
  // Since Node 20.12; its types do not have it yet.
  if (!(context as unknown as { passed: boolean }).passed) process.exit(1);
});
