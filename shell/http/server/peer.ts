// The source of a request: the peer's address, or the one that a trusted proxy names. A browser page on this machine
// also connects from loopback, so its requests count as loopback only if the page is the venue's own: by Origin, by the
// browser's word for the relation of page and venue (an image has no Origin), and by Host.

import type { HttpRequest as NativeRequest, HttpResponse as NativeResponse } from 'uWebSockets.js';
import type { Hosts } from './hosts.ts';
import { forwardedSource, withoutLoopback, sourceOfAddress, type Source } from '../source.ts';

export type Trust = { readonly proxy: boolean; readonly origins: ReadonlySet<string>; readonly hosts: Hosts };

const OWN_SITES = ['', 'none', 'same-origin'];

const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Not taken from `Host`, which a foreign name pointing to this machine also controls. */
export function loopbackOrigins(port: number): readonly string[] {
  return OWN_HOSTS.map((host) => new URL(`http://${host}:${port}`).origin);
}

export function peerOf(res: NativeResponse): Source {
  return sourceOfAddress(new Uint8Array(res.getRemoteAddress()));
}

export function sourceOf(res: NativeResponse, req: NativeRequest, trust: Trust): Source {
  const source = trust.proxy ? proxiedSource(res, req) : peerOf(res);
  if (!source.loopback) return source;
  return isOwnPage(req, trust) ? source : withoutLoopback(source);
}

function isOwnPage(req: NativeRequest, { origins, hosts }: Trust): boolean {
  const origin = req.getHeader('origin');
  const isOwn = (origin === '' || origins.has(origin)) && OWN_SITES.includes(req.getHeader('sec-fetch-site'));
  return isOwn && hosts.isTrusted(req.getHeader('host'));
}

/** A page opens sockets without asking CORS, so its rule is checked here. */
export function mayOpenSocket(req: NativeRequest, cors: string | null, { origins }: Trust): boolean {
  const origin = req.getHeader('origin');
  return origin === '' || cors === '*' || origin === cors || origins.has(origin) || URL.parse(origin)?.host === req.getHeader('host');
}

/** All X-Forwarded-For lines count, in order, since some proxies add a line. */
function proxiedSource(res: NativeResponse, req: NativeRequest): Source {
  const lines: string[] = [];
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value);
  });
  return lines.length === 0 ? peerOf(res) : forwardedSource(lines.join(','));
}
