// Where a body ends must have one answer: two programs that read a request differently, a proxy and we, are how one client's
// bytes become another's request (RFC 9112 6.3, 11.2). The web server refuses a length that is not all digits and a length beside
// a transfer coding; of two lines of a kind it reads the first, an empty one as none, and any coding as chunked.

import type { HttpRequest as NativeRequest } from 'uWebSockets.js';

/** Whether the head says at most once how its body ends, in a way that we read as everybody does. A walk over the head: a µs. */
export function isFramedOnce(req: NativeRequest): boolean {
  let lines = 0;
  let isKnown = true;
  req.forEach((name, value) => {
    if (name === 'content-length') {
      lines++;
      isKnown &&= value !== '';
    } else if (name === 'transfer-encoding') {
      lines++;
      isKnown &&= value.toLowerCase() === 'chunked';
    }
  });
  return isKnown && lines < 2;
}
