// First step of a request: refused for its head, answered here, or passed to the route.

import type { HttpRequest as NativeRequest, HttpResponse as NativeResponse } from 'uWebSockets.js';
import { sendRefusal, type Refused } from '../errors.ts';
import { preflightHeaders } from '../headers.ts';
import type { HttpRequest } from '../message.ts';
import { HttpExchange, type EdgeContext } from './http-exchange.ts';
import { framingOf } from './framing.ts';
import { guard } from './guard.ts';
import { handshakeRefusal } from './handshake.ts';
import { copyHeaders } from './head.ts';
import { sourceOf } from './peer.ts';

export function takeRequest(context: EdgeContext, res: NativeResponse, req: NativeRequest): void {
  const { bounds, counts } = context.state;
  const exchange = new HttpExchange(context, res, req);
  guard(() => {
    const { refusal: misframed, isChunked, closes } = framingOf(req);
    const refusal = misframed ?? context.trust.hosts.refusalOf(req.getHeader('host'));
    if (closes || refusal !== null) exchange.closes();
    if (refusal !== null) {
      const hasMore = isChunked || (misframed === null && Number(req.getHeader('content-length')) > 0);
      const refuse = (): void => exchange.refuseNow(refusal, hasMore);
      return context.route({ ...copyRequest(context, exchange, res, req), refuse }, exchange);
    }
    if (exchange.method === 'OPTIONS') return exchange.send(204, '', preflightHeaders(context.cors));
    if (counts.requests > bounds.requests) return exchange.refuseBusy();
    const length = req.getHeader('content-length');
    const request = copyRequest(context, exchange, res, req);
    if (Number(length) > bounds.drainBytes) return exchange.refuseTooLarge(request);
    if (!exchange.charge(request.source)) return;
    if (length !== '' && length !== '0') return exchange.receive(request);
    exchange.received();
    const refused = isHandshake(context, exchange, req) ? handshakeRefusal(req) : null;
    if (refused === null) return context.route(request, exchange);
    return context.route({ ...request, refuse: () => sendRefusal(exchange, 'bare', refused) }, exchange);
  }, (error) => exchange.fail(error));
}

function isHandshake({ socketPaths }: EdgeContext, { method, path }: HttpExchange, req: NativeRequest): boolean {
  return method === 'GET' && socketPaths.includes(path) && req.getHeader('sec-websocket-version') !== '';
}

function copyRequest({ trust }: EdgeContext, exchange: HttpExchange, res: NativeResponse, req: NativeRequest): HttpRequest {
  const { method, path } = exchange;
  const query = req.getQuery() ?? '';
  const source = exchange.source = sourceOf(res, req, trust);
  return { method, path, query, headers: copyHeaders(req, method), body: null, source };
}

export function refuseUpgrade(context: EdgeContext, res: NativeResponse, req: NativeRequest, refused: Refused): void {
  const exchange = new HttpExchange(context, res, req);
  exchange.closes();
  sendRefusal(exchange, 'bare', refused);
}
