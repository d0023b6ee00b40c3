// The trading page: files of dist/page, read once at start so that all come from the same build.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sendError } from '../http/errors.ts';
import type { HttpRequest, Responder, ResponseHeaders } from '../http/message.ts';
import { acceptsGzip } from '../http/server/compression.ts';
import { route, type Route } from '../http/router.ts';

const FOLDERS = ['../page/', '../../dist/page/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', woff2: 'font/woff2', svg: 'image/svg+xml', png: 'image/png',
};
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; "
  + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PAGE_HEADERS: ResponseHeaders = {
  'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY', 'cross-origin-opener-policy': 'same-origin', 'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-cache',
};
const FOR_EVER = 'public, max-age=31536000, immutable';

type Asset = { readonly type: string; readonly plain: Uint8Array; readonly packed: Uint8Array | null };
type Page = { readonly html: Uint8Array; readonly etag: string; readonly assets: ReadonlyMap<string, Asset> };

export function tradingPageRoutes(): readonly Route[] {
  const row = { method: 'GET', auth: 'none', rate: 'none', envelope: 'bare' } as const;
  const folder = FOLDERS.find((path) => existsSync(`${path}index.html`));
  const page = folder === undefined ? null : readPage(folder);
  return [
    route({
      ...row, path: '/', doc: 'The trading page.',
      handler: ({ request }, responder) => sendPage(page, request, responder),
    }),
    route({
      ...row, path: '/assets/{file}', doc: 'Scripts and styles of that page.', params: { file: { kind: 'text', maxBytes: 64 } },
      handler: ({ request, params }, responder) => sendAsset(page, params.file, request, responder),
    }),
  ];
}

function readPage(folder: string): Page {
  const html = readFileSync(`${folder}index.html`);
  const etag = `W/"${createHash('sha256').update(html).digest('hex').slice(0, 16)}"`;
  const assets = new Map<string, Asset>();
  for (const name of readdirSync(`${folder}assets`)) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined) continue;
    const path = `${folder}assets/${name}`;
    assets.set(name, { type, plain: readFileSync(path), packed: existsSync(`${path}.gz`) ? readFileSync(`${path}.gz`) : null });
  }
  return { html, etag, assets };
}

function sendPage(page: Page | null, { headers }: HttpRequest, responder: Responder): void {
  if (page === null) return sendError(responder, 'bare', 'not_found', 'The trading page is not built: run "npm run build"');
  const { html, etag } = page;
  const known = headers['if-none-match'].split(',').map((tag) => tag.trim());
  const isKnown = known.includes(etag) || known.includes('*');
  responder.send(isKnown ? 304 : 200, isKnown ? '' : html, { ...PAGE_HEADERS, etag });
}

function sendAsset(page: Page | null, name: string, { headers }: HttpRequest, responder: Responder): void {
  const asset = page?.assets.get(name);
  if (asset === undefined) return sendError(responder, 'bare', 'not_found', `Not found: /assets/${name}`);
  const { type, plain, packed } = asset;
  // A script may run as a thread of the page, which has the policy of its own answer.
  const told = { 'content-type': type, 'content-security-policy': POLICY, 'cache-control': FOR_EVER, vary: 'Accept-Encoding' };
  if (packed === null || !acceptsGzip(headers['accept-encoding'])) return responder.send(200, plain, told);
  responder.send(200, packed, { ...told, 'content-encoding': 'gzip' });
}
