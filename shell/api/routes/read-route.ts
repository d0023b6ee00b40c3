// Forwards a read to the reader, which charges the wallet and the client's network address (decision 5.3). The rate headers show the
// smaller budget, this or the source's.

import { sendBusy, sendLateRead, type ApiContext } from '../context.ts';
import { NO_QUORUM } from '../leadership.ts';
import { CHARGE_API, type Answer, type QueryName, type QueryParameters } from '../../ipc/queries.ts';
import { sendRefusal, type Envelope } from '../../http/errors.ts';
import type { Schema } from '../../http/fields.ts';
import type { HttpRequest, Responder, ResponseHeaders, BudgetLeft } from '../../http/message.ts';
import { rateHeaders, rateLimited } from '../../http/rate-headers.ts';
import { route, type Call, type NoFields, type Route, type TypedRow } from '../../http/router.ts';

export function readRoute<
  N extends QueryName, const P extends Schema = NoFields, const Q extends Schema = NoFields, const B extends Schema = NoFields,
>(api: ApiContext, row: TypedRow<P, Q, B>, name: N, parameters: (call: Call<P, Q, B>) => QueryParameters[N]): Route {
  return route<P, Q, B>({
    ...row, handler: (call, responder) => ask(api, call.request, responder, name, parameters(call), row.envelope),
  });
}

export function ask<Q extends QueryName>(
  api: ApiContext, request: HttpRequest, responder: Responder, query: Q, parameters: QueryParameters[Q], envelope: Envelope = 'bare',
  charge: number = CHARGE_API,
): void {
  const asked = { request, responder, envelope, charge };
  askThen(api, asked, query, parameters, (status, body, headers) => responder.send(status, body, headers));
}

type ReadClient = { readonly request: HttpRequest; readonly responder: Responder; readonly envelope: Envelope; readonly charge: number };
type TakeAnswer = (status: number, body: Uint8Array, headers: ResponseHeaders) => void;

export function askThen<Q extends QueryName>(
  api: ApiContext, { request, responder, envelope, charge }: ReadClient, query: Q, parameters: QueryParameters[Q], take: TakeAnswer,
): void {
  const client = { responder, envelope };
  const answer = ({ status, body, budget: charged, seq }: Answer): void => {
    responder.seq = seq;
    const budget = charged === null ? null : tighterBudget(charged, api.sources.left(request.source));
    const headers = budget === null ? {} : rateHeaders(budget);
    if (status !== 429 || budget === null) return take(status, body, headers);
    const text = Buffer.from(body).toString('utf8');
    sendRefusal(responder, envelope, rateLimited(budget, api.now(), text));
  };
  const sent = api.reads.ask(query, parameters, (answered) => {
    // The body is valid in this turn only.
    const kept = api.leadership.isThroughLog ? { ...answered, body: answered.body.slice() } : answered;
    api.leadership.speak(() => answer(kept), () => sendRefusal(responder, envelope, NO_QUORUM));
  }, () => sendLateRead(client), { charge, source: request.source });
  if (!sent) sendBusy(client);
}

function tighterBudget(charged: BudgetLeft, ofSource: BudgetLeft | null): BudgetLeft {
  return ofSource !== null && ofSource.limit === charged.limit && ofSource.left < charged.left ? ofSource : charged;
}
