// What routes of the operator share: the admin token, compared in constant time (decision 1.4), and requests to main that are no
// command of a wallet.

import { createHash, timingSafeEqual } from 'node:crypto';
import { OK } from '../../../core/errors.ts';
import type { ControlDone, Wish } from '../control.ts';
import { guarded, sendBusy, sendTimeout, type Api } from '../context.ts';
import { sendError } from '../../http/errors.ts';
import { hintOfCode } from '../../http/hints.ts';
import type { Schema, Values } from '../../http/fields.ts';
import type { HttpRequest, Responder } from '../../http/message.ts';
import { route, type Route, type Row } from '../../http/router.ts';
import { sayCode, type Facts } from '../../http/texts.ts';

export type Asked = { readonly api: Api; readonly request: HttpRequest; readonly responder: Responder; readonly envelope: 'bare' };

/** A route that the admin token alone opens. */
export function adminRoute<const B extends Schema>(
  api: Api, row: Pick<Row, 'method' | 'path' | 'doc'> & { readonly body: B }, act: (asked: Asked, body: Values<B>) => void,
): Route {
  return route({
    ...row, auth: 'admin', rate: 'none', envelope: 'bare', handler: ({ request, body }, responder) => {
      const asked: Asked = { api, request, responder, envelope: 'bare' };
      return isAdmin(asked) ? act(asked, body) : refuseToken(asked);
    },
  });
}

/** Digests are compared, so that neither the time nor the length tells anything. */
export function isAdmin({ api, request }: Pick<Asked, 'api' | 'request'>): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization.trim())?.[1] ?? '';
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(api.token));
}

export function refuseToken({ api, request, responder }: Asked): void {
  api.sources.countFailure(request.source);
  sendError(responder, 'bare', 'unauthorized', 'The admin token is missing or wrong');
}

/** Answers with `body` when main has done what is wished, else with the text of its code; `facts` are its substitutions. */
export function control(asked: Asked, place: string, wish: Wish, facts: Facts, body: (done: ControlDone) => object): void {
  const isSent = asked.api.control.ask(wish, (done) => guarded(asked.api, place, asked, () => {
    if (done.code === OK) asked.responder.send(200, JSON.stringify(body(done)));
    else refuseCode(asked, done.code, facts);
  }), () => sendTimeout(asked));
  if (!isSent) sendBusy(asked);
}

export function refuseCode({ responder }: Asked, code: number, facts: Facts): void {
  const { way, text } = sayCode(code, facts);
  if (way === 'rejected' || way === 'failed') throw new RangeError(`outcome ${code} is none of a request of the operator`);
  sendError(responder, 'bare', way, text, { extra: hintOfCode(code) });
}
