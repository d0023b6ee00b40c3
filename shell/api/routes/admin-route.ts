// Shared by operator routes: the admin token (decision 1.4) and requests to main that are not commands of a wallet.

import { createHash, timingSafeEqual } from 'node:crypto';
import { OK } from '../../../core/errors.ts';
import type { ControlDone, OperatorRequest } from '../control.ts';
import { guarded, sendBusy, sendTimeout, type ApiContext } from '../context.ts';
import { sendError, sendRefusal } from '../../http/errors.ts';
import { hintOfCode } from '../../http/hints.ts';
import type { Schema, FieldValues } from '../../http/fields.ts';
import type { HttpRequest, Responder } from '../../http/message.ts';
import { route, type Route, type Row } from '../../http/router.ts';
import { outcomeText, type Facts } from '../../http/outcome-texts.ts';

export type AdminCall = {
  readonly api: ApiContext; readonly request: HttpRequest; readonly responder: Responder; readonly envelope: 'bare';
};

export function adminRoute<const B extends Schema>(
  api: ApiContext, row: Pick<Row, 'method' | 'path' | 'doc'> & { readonly body: B }, act: (call: AdminCall, body: FieldValues<B>) => void,
): Route {
  return route({
    ...row, auth: 'admin', rate: 'none', envelope: 'bare', handler: ({ request, body }, responder) => {
      const call: AdminCall = { api, request, responder, envelope: 'bare' };
      return isAdmin(call) ? act(call, body) : refuseToken(call);
    },
  });
}

/** Compares the token in constant time, so that neither time nor length reveals anything. */
export function isAdmin({ api, request }: Pick<AdminCall, 'api' | 'request'>): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization.trim())?.[1] ?? '';
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(api.token));
}

export function refuseToken({ api, request, responder }: AdminCall): void {
  api.sources.countFailure(request.source);
  sendError(responder, 'bare', 'unauthorized', 'The admin token is missing or wrong');
}

export function sendToMain(
  call: AdminCall, place: string, command: OperatorRequest, facts: Facts, body: (done: ControlDone) => object,
): void {
  const refused = call.api.leadership.refuseWrite();
  if (refused !== null) return sendRefusal(call.responder, call.envelope, refused);
  const isSent = call.api.control.ask(command, (done) => guarded(call.api, place, call, () => {
    call.responder.seq = done.seq;
    if (done.code === OK) call.responder.send(200, JSON.stringify(body(done)));
    else refuseCode(call, done.code, facts);
  }), () => sendTimeout(call));
  if (!isSent) sendBusy(call);
}

export function refuseCode({ responder }: AdminCall, code: number, facts: Facts): void {
  const { way, text } = outcomeText(code, facts);
  if (way === 'rejected' || way === 'failed') throw new RangeError(`code ${code} is not an answer to an operator request`);
  sendError(responder, 'bare', way, text, { extra: hintOfCode(code) });
}
