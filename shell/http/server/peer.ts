// Finds the source of a request: the peer's address, or the one that a trusted proxy names. A browser page on this machine also connects
// from loopback, so a request with an Origin counts as loopback only if the page is the venue's own.

import type { HttpRequest as NativeRequest, HttpResponse as NativeResponse } from 'uWebSockets.js';
import { forwardedSource, withoutLoopback, sourceOfAddress, type Source } from '../source.ts';

export type Trust = { readonly proxy: boolean; readonly origins: ReadonlySet<string> };

const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Origins of the venue's pages at a local port. Not taken from `Host`, which a foreign name pointing to this machine also controls. */
export function loopbackOrigins(port: number): readonly string[] {
  return OWN_HOSTS.map((host) => new URL(`http://${host}:${port}`).origin);
}

export function peerOf(res: NativeResponse): Source {
  return sourceOfAddress(new Uint8Array(res.getRemoteAddress()));
}

export function sourceOf(res: NativeResponse, req: NativeRequest, trust: Trust): Source {
  const source = trust.proxy ? proxiedSource(res, req) : peerOf(res);
  if (!source.loopback) return source;
  const origin = req.getHeader('origin');
  return origin === '' || trust.origins.has(origin) ? source : withoutLoopback(source);
}

/** All X-Forwarded-For lines count, in order, since some proxies add a line. A request without one did not come through the proxy. */
function proxiedSource(res: NativeResponse, req: NativeRequest): Source {
  const lines: string[] = [];
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value);
  });
  return lines.length === 0 ? peerOf(res) : forwardedSource(lines.join(','));
}
