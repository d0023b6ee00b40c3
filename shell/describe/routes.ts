// Routes about the venue itself: descriptions, pages, metrics. Metrics are for loopback or the admin token. Behind a proxy on this
// machine set TRUST_PROXY, or every client counts as loopback.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ApiContext } from '../api/context.ts';
import { sendError } from '../http/errors.ts';
import type { HttpRequest, Responder, ResponseHeaders } from '../http/message.ts';
import { isAdmin } from '../api/routes/admin-route.ts';
import { route, type Route } from '../http/router.ts';
import { CONTENT_TYPE, exposition, type MetricsInput } from './exposition.ts';
import { socketPage, STYLE } from './socket-page.ts';
import { SOCKET_SECTIONS } from './asyncapi-intro.ts';
import { tradingPageRoutes } from './trading-page.ts';
import { cachedWithFacts } from './venue-facts.ts';

export const METRICS_PATH = '/metrics';
/** With or without port; HTTP/1.0 may send no host. */
const OWN_HOST = /^$|^(localhost|[0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9a-f:.]+\])(:[0-9]+)?$/i;
const BUNDLE = 'swagger-ui-dist';
const FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'], ['swagger-ui.css', 'text/css; charset=utf-8'], ['favicon-32x32.png',
  'image/png'],
]);
/** Swagger UI has inline styles and data URLs. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
  + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PAGE_HEADERS: ResponseHeaders = {
  'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY', 'cross-origin-opener-policy': 'same-origin', 'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};
const SCRIPTLESS = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const START = `window.addEventListener('load', () => SwaggerUIBundle({
  url: 'openapi.json', dom_id: '#docs', deepLinking: true, docExpansion: 'list', defaultModelsExpandDepth: 0, validatorUrl: null,
  queryConfigEnabled: false,
}));
`;

const REST_STYLE = `.swagger-ui { overflow-wrap: anywhere; }
.swagger-ui .wrapper { padding: 0 12px; }
.swagger-ui .info { margin: 12px 0; }
.swagger-ui .info .title { font-size: 24px; }
.swagger-ui .info .description { max-height: 30vh; overflow: auto; border: 1px solid #8888; border-radius: 4px; padding: 0 12px; }
.swagger-ui .scheme-container { margin: 0; padding: 8px 0; }
.swagger-ui pre, .swagger-ui table { max-width: 100%; overflow-x: auto; display: block; }
@media (max-width: 640px) {
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; flex-shrink: 1; font-size: 14px; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 64px; padding: 4px 8px; }
  .swagger-ui .opblock-tag { font-size: 18px; flex-wrap: wrap; }
}
`;

type WebParts = {
  readonly api: ApiContext;
  readonly documented: () => readonly Route[];
  readonly shown: () => MetricsInput;
};

export function webRoutes({ api, documented, shown }: WebParts): readonly Route[] {
  const row = { method: 'GET', auth: 'none', rate: 'none', envelope: 'bare' } as const;
  const { config } = api;
  const description = cachedWithFacts(api, async (facts) => {
    const { openApi } = await import('./openapi.ts');
    return JSON.stringify(openApi(documented(), config, facts));
  });
  const socket = cachedWithFacts(api, async (facts) => {
    const described = (await import('./asyncapi.ts')).asyncApi(config, facts);
    return { text: JSON.stringify(described), html: socketPage(described, SOCKET_SECTIONS, SOCKET_LINKS) };
  });
  const page = pageOf(config.serviceName);
  return [
    route({
      ...row, path: METRICS_PATH, doc: 'Metrics in the text format of Prometheus. From loopback or with the admin token.',
      handler: ({ request }, responder) => sendMetrics(api, request, responder, shown),
    }),
    route({
      ...row, path: '/openapi.json', doc: 'This description.',
      handler: async (_, responder) => responder.send(200, await description()),
    }),
    route({
      ...row, path: '/asyncapi.json', doc: 'The description of the socket.',
      handler: async (_, responder) => responder.send(200, (await socket()).text),
    }),
    route({
      ...row, path: '/docs/socket', doc: 'A page that shows the description of the socket.',
      handler: async (_, responder) => {
        responder.send(200, (await socket()).html, { ...PAGE_HEADERS, 'content-security-policy': SCRIPTLESS });
      },
    }),
    route({
      ...row, path: '/docs', doc: 'A page that shows this description.',
      handler: (_, responder) => responder.send(200, page, PAGE_HEADERS),
    }),
    route({
      ...row, path: '/docs/{file}', doc: 'Scripts and styles of that page.', params: { file: { kind: 'text', maxBytes: 64 } },
      handler: ({ params }, responder) => sendFile(params.file, responder),
    }),
    ...tradingPageRoutes(),
  ];
}

function isOfThisMachine({ source, headers: { host } }: HttpRequest): boolean {
  return source.loopback && OWN_HOST.test(host);
}

function sendMetrics(api: ApiContext, request: HttpRequest, responder: Responder, shown: () => MetricsInput): void {
  if (!isOfThisMachine(request) && !isAdmin({ api, request })) {
    api.sources.countFailure(request.source);
    return sendError(responder, 'bare', 'unauthorized', 'Metrics are for loopback and the admin token');
  }
  responder.send(200, exposition(shown()), { 'content-type': CONTENT_TYPE });
}

type Served = { readonly type: string; readonly bytes: Uint8Array };

const served = new Map<string, Served>([
  ['start.js', { type: 'text/javascript; charset=utf-8', bytes: Buffer.from(START) }],
  ['rest.css', { type: 'text/css; charset=utf-8', bytes: Buffer.from(REST_STYLE) }],
  ['socket.css', { type: 'text/css; charset=utf-8', bytes: Buffer.from(STYLE) }],
]);
const SOCKET_LINKS = { style: `socket.css?${stampOf(STYLE)}`, icon: 'favicon-32x32.png' };

function sendFile(name: string, responder: Responder): void {
  const type = FILES.get(name);
  let file = served.get(name);
  if (file === undefined && type !== undefined) {
    const folder = dirname(createRequire(import.meta.url).resolve(`${BUNDLE}/package.json`));
    file = { type, bytes: readFileSync(join(folder, name)) };
    served.set(name, file);
  }
  if (file === undefined) return sendError(responder, 'bare', 'not_found', `Not found: /docs/${name}`);
  responder.send(200, file.bytes, { 'content-type': file.type, 'cache-control': 'public, max-age=31536000, immutable' });
}

function stampOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}

function pageOf(serviceName: string): string {
  const { version } = createRequire(import.meta.url)(`${BUNDLE}/package.json`) as { version: string };
  const stamp = stampOf(version + START + REST_STYLE);
  const title = serviceName.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: interface</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png?${stamp}">
<link rel="stylesheet" href="docs/swagger-ui.css?${stamp}">
<link rel="stylesheet" href="docs/rest.css?${stamp}">
<script src="docs/swagger-ui-bundle.js?${stamp}" defer></script>
<script src="docs/start.js?${stamp}" defer></script>
</head>
<body>
<p><a href="docs/socket">WebSocket</a></p>
<div id="docs"><noscript>The description itself: <a href="openapi.json">openapi.json</a></noscript></div>
</body>
</html>
`;
}
