// Whose a request or a connection is: of the address at its other end, or, behind a proxy, of the one that the proxy names. A page in
// a browser on this machine connects from loopback too, so a request with an Origin is loopback only if the page is the venue's own.

import type { HttpRequest as NativeRequest, HttpResponse as NativeResponse } from 'uWebSockets.js';
import { forwardedSource, outside, sourceOfAddress, type Source } from '../source.ts';

/** What is believed: that a proxy names its clients, and that pages of these origins are the venue's own. */
export type Trust = { readonly proxy: boolean; readonly origins: ReadonlySet<string> };

const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Origins of a venue on this machine that listens on the port, as browsers send them. Never taken from `Host`: a name of a stranger that
 * was made to lead here stands in both.
 */
export function loopbackOrigins(port: number): readonly string[] {
  return OWN_HOSTS.map((host) => new URL(`http://${host}:${port}`).origin);
}

/** The other end of the connection: the client, or a proxy. */
export function peerOf(res: NativeResponse): Source {
  return sourceOfAddress(new Uint8Array(res.getRemoteAddress()));
}

export function sourceOf(res: NativeResponse, req: NativeRequest, trust: Trust): Source {
  const source = trust.proxy ? proxiedSource(res, req) : peerOf(res);
  if (!source.loopback) return source;
  const origin = req.getHeader('origin');
  return origin === '' || trust.origins.has(origin) ? source : outside(source);
}

/**
 * Every X-Forwarded-For line counts, in order: some proxies add a line instead of extending one. What comes without any did not come
 * by the proxy, which writes one.
 */
function proxiedSource(res: NativeResponse, req: NativeRequest): Source {
  const lines: string[] = [];
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value);
  });
  return lines.length === 0 ? peerOf(res) : forwardedSource(lines.join(','));
}
