// Whose a request or a connection is: of the address at its other end, or, behind a proxy, of the one that the proxy names.

import type { HttpRequest as NativeRequest, HttpResponse as NativeResponse } from 'uWebSockets.js';
import { forwardedSource, sourceOfAddress, type Source } from '../http/source.ts';

/** The other end of the connection: the client, or a proxy. */
export function peerOf(res: NativeResponse): Source {
  return sourceOfAddress(new Uint8Array(res.getRemoteAddress()));
}

/**
 * Every X-Forwarded-For line counts, in order: some proxies add a line instead of extending one. What comes without any did not come
 * by the proxy, which writes one.
 */
export function sourceOf(res: NativeResponse, req: NativeRequest, trustProxy: boolean): Source {
  if (!trustProxy) return peerOf(res);
  const lines: string[] = [];
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value);
  });
  return lines.length === 0 ? peerOf(res) : forwardedSource(lines.join(','));
}
