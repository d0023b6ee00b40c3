// Routes of cancels: by order id and by client id. A cancel, or a replace, of an order that is done is answered with how it
// ended, which the reader knows (decision 3.5).

import { CANCEL_BY_CLIENT_ID, CANCEL_ORDER } from '../../../core/codec/commands.ts';
import { NONCE_USED, NOT_OPEN, OK, ORDER_NOT_FOUND } from '../../../core/errors.ts';
import { cancelByClientIdNumbers, cancelNumbers, type Signed, type WriteNumbers } from '../../api/command.ts';
import { guarded, sendBusy, sendTimeout, type Api } from '../../api/context.ts';
import type { Reply } from '../../api/reply.ts';
import { answerUsedNonce, budgetHeaders, sayRefusal, submit } from '../../api/submit.ts';
import { clientIdCode } from '../../api/values.ts';
import type { OrderFacts, OrderStanding } from '../../reader/protocol.ts';
import type { Uint64, Values } from '../fields.ts';
import { infoOfNothing, infoOfOrder, orderUpdate, rejectedUpdate, type OrderInfo } from '../order-update.ts';
import { route, type Route } from '../router.ts';
import { DONE_TEXTS, sayCode } from '../texts.ts';
import { addressOf, CLIENT_ID_TEXT_BYTES, SIGNED, type Asked } from './signed.ts';

const CANCEL = { ...SIGNED, order_id: { kind: 'uint64', text: true } } as const;
const CANCEL_BY_CLOID = { ...SIGNED, client_id: { kind: 'text', maxBytes: CLIENT_ID_TEXT_BYTES } } as const;

/** What a request names an order by: one of the two. */
type Named = { readonly orderId: string } | { readonly clientId: string };
type Cancel = {
  readonly wallet: string; readonly named: Named; readonly kind: number; readonly code: number; readonly numbers: WriteNumbers;
};

export function cancelRoutes(api: Api): readonly Route[] {
  const row = { auth: 'sig', rate: 'cancel', envelope: 'bare' } as const;
  return [
    route({
      ...row, method: 'POST', path: '/cancel', doc: 'Cancels an open order by its id.', body: CANCEL,
      handler: ({ request, body }, responder) => cancelById({ api, request, responder, envelope: 'bare' }, body),
    }),
    route({
      ...row, method: 'POST', path: '/cancel-by-cloid', doc: 'Cancels an open order by its client id.', body: CANCEL_BY_CLOID,
      handler: ({ request, body }, responder) => cancelByCloid({ api, request, responder, envelope: 'bare' }, body),
    }),
  ];
}

function cancelById(asked: Asked, body: Values<typeof CANCEL>): void {
  const id = body.order_id;
  const cancel = { wallet: body.wallet, named: { orderId: plainId(id) }, kind: CANCEL_ORDER, code: OK, numbers: cancelNumbers(id) };
  const wallet = addressOf(body.wallet);
  submit(asked.api, {
    ...asked, structure: 'CancelOrder', values: { wallet, orderId: id.text, nonce: body.nonce }, nonce: body.nonce,
    signature: body.signature, command: (signed) => cancelCommand(asked, cancel, wallet, signed),
    settle: (reply, signed) => settleCancel(asked, cancel, wallet, reply, signed),
  });
}

/** The number as a number shows: a text may have come with zeros in front, and those were signed. */
export function plainId(id: Uint64): string {
  return BigInt(id.text).toString();
}

function cancelByCloid(asked: Asked, body: Values<typeof CANCEL_BY_CLOID>): void {
  const clientId = body.client_id;
  const numbers = cancelByClientIdNumbers(clientId);
  const cancel = { wallet: body.wallet, named: { clientId }, kind: CANCEL_BY_CLIENT_ID, code: clientIdCode(clientId), numbers };
  const wallet = addressOf(body.wallet);
  submit(asked.api, {
    ...asked, structure: 'CancelOrderByClientId', values: { wallet, clientId, nonce: body.nonce }, nonce: body.nonce,
    signature: body.signature, command: (signed) => cancelCommand(asked, cancel, wallet, signed),
    settle: (reply, signed) => settleCancel(asked, cancel, wallet, reply, signed),
  });
}

function cancelCommand(asked: Asked, { kind, code, numbers }: Cancel, wallet: Uint8Array, signed: Signed) {
  return { kind, wallet, signed, source: asked.request.source, code, numbers };
}

function settleCancel(asked: Asked, cancel: Cancel, wallet: Uint8Array, reply: Reply, signed: Signed): void {
  const { api, responder } = asked;
  if (reply.code === OK) return responder.send(200, cancelled(cancel, reply.order, reply.time, reply.numbers), budgetHeaders(api, reply));
  if (reply.code === NONCE_USED) {
    return answerUsedNonce(api, asked, reply, signed, wallet, ({ order, time, numbers }) => cancelled(cancel, order, time, numbers));
  }
  const reject = (order: OrderFacts | null, reason: string): void => {
    responder.send(200, rejectedUpdate(cancel.wallet, infoOfCancel(cancel, order), reply.time, reason), budgetHeaders(api, reply));
  };
  if (reply.code === NOT_OPEN) return askStanding(asked, cancel.wallet, cancel.named, reject);
  const reason = sayRefusal(api, asked, reply, signed, { order: nameOf(cancel.named) });
  if (reason !== null) reject(null, reason);
}

function nameOf(named: Named): string {
  return 'orderId' in named ? named.orderId : named.clientId;
}

function cancelled(cancel: Cancel, order: OrderFacts | null, time: number, numbers: readonly number[]): string {
  return orderUpdate({
    time, wallet: cancel.wallet, info: infoOfCancel(cancel, order), status: 'CANCELED', reason: null, filled: numbers[1]!,
    orderId: numbers[0]!, isMmpTriggered: false,
  });
}

function infoOfCancel({ named }: Cancel, order: OrderFacts | null): OrderInfo {
  if (order !== null) return infoOfOrder(order);
  return 'orderId' in named ? infoOfNothing(null, named.orderId) : infoOfNothing(named.clientId, null);
}

/**
 * The core holds open orders only: gives `reject` what the reader knows of the one named, and why it cannot be cancelled. An
 * order that is open after all (its client id used again by now) is not the one that was meant.
 */
export function askStanding(asked: Asked, wallet: string, named: Named, reject: (order: OrderFacts | null, reason: string) => void): void {
  const { api } = asked;
  const parameters = 'orderId' in named ? { wallet, order_id: named.orderId } : { wallet, client_id: named.clientId };
  const sent = api.reads.ask('order', parameters, ({ status, body }) => guarded(api, 'standing', asked, () => {
    if (status !== 200) throw new Error(`the reader answered ${status} to an order's standing`);
    const standing = JSON.parse(Buffer.from(body).toString('utf8')) as OrderStanding;
    reject(standing.state === 'open' ? null : standing.order, standingReason(named, standing));
  }), () => sendTimeout(asked));
  if (!sent) sendBusy(asked);
}

function standingReason(named: Named, { state, order }: OrderStanding): string {
  const id = order?.order_id ?? Number(nameOf(named));
  switch (state) {
    case 'filled': return DONE_TEXTS.filled(id);
    case 'cancelled': return DONE_TEXTS.cancelled(id);
    case 'forgotten': return DONE_TEXTS.forgotten(id, order?.symbol ?? '');
    default: return sayCode(ORDER_NOT_FOUND, { order: nameOf(named) }).text;
  }
}
