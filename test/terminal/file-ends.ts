// What ends after all tests of a file, the newest first: the page is closed before its venue, so that it never sees the venue go.

import { after } from 'node:test';
import type { Ends } from '../support/temporary.ts';

export function fileEnds(): Ends {
  const ends: (() => unknown)[] = [];
  after(async () => {
    for (const end of ends) await end();
  });
  return { after: (end) => { ends.unshift(end); } };
}
