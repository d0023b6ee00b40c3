// Routes of the Hyperliquid dialect (docs/HYPERLIQUID.md). Its bodies are those of that protocol's clients, so no
// description of ours lists them.

import type { ApiContext } from '../context.ts';
import { answerExchange } from '../hl/exchange.ts';
import { answerInfo } from '../hl-info/info.ts';
import { statusOf, type Checked, type Refused } from '../../http/errors.ts';
import { checkEncoding, parseJson } from '../../http/json.ts';
import type { HttpRequest, Responder } from '../../http/message.ts';
import { route, type Route } from '../../http/router.ts';
import type { JsonObject } from '../../process/json-object.ts';

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const UNPROCESSABLE = 422;

export function hlRoutes(api: ApiContext): readonly Route[] {
  const row = { method: 'POST', auth: 'none', rate: 'api', envelope: 'bare' } as const;
  return [
    route({
      ...row, path: '/hl/info', doc: 'Reads of the Hyperliquid dialect.',
      handler: ({ request }, responder) => sendInfo(api, request, responder),
    }),
    route({
      ...row, path: '/hl/exchange', doc: 'Signed actions of the Hyperliquid dialect.',
      handler: ({ request }, responder) => sendExchange(api, request, responder),
    }),
  ];
}

async function sendInfo(api: ApiContext, request: HttpRequest, responder: Responder): Promise<void> {
  const sent = bodyOf(request);
  send(responder, sent.ok ? await answerInfo(api, request.source, sent.value) : sent);
}

async function sendExchange(api: ApiContext, request: HttpRequest, responder: Responder): Promise<void> {
  const sent = bodyOf(request);
  send(responder, sent.ok ? await answerExchange(api, request.source, sent.value) : sent);
}

function bodyOf({ body, headers }: HttpRequest): Checked<JsonObject> {
  const encoding = checkEncoding(headers['content-encoding'], headers['content-type']);
  return encoding.ok ? parseJson(body) : encoding;
}

function send(responder: Responder, answer: Checked<unknown>): void {
  if (answer.ok) responder.send(200, JSON.stringify(answer.value));
  else sendText(responder, answer);
}

function sendText(responder: Responder, { code, message }: Refused): void {
  const status = statusOf(code);
  responder.send(status === 429 || status >= 500 ? status : UNPROCESSABLE, message, TEXT);
}
