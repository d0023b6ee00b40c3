// Routes of orders: place, cancel by id, cancel by client id. The body's fields are read by the router; meaning is judged
// after the signature, on the client's own texts (decision 3.12). Perps and reduce_only are refused by name until the
// core knows them.

import { CANCEL_BY_CLIENT_ID, CANCEL_ORDER, FLAG_MMP_OPT_OUT, FLAG_RFQ_ONLY, PLACE_ORDER } from '../../../core/codec/commands.ts';
import { significantFigures } from '../../../core/codec/decimal.ts';
import { NONCE_USED, NOT_OPEN, OK, ORDER_NOT_FOUND } from '../../../core/errors.ts';
import { createOptionTerms, formatSymbol, parsePerpSymbol, unpackUnderlying } from '../../../core/instruments/symbol.ts';
import { cancelByClientIdNumbers, cancelNumbers, orderNumbers, type Signed, type WriteNumbers } from '../../api/command.ts';
import { guarded, sendBusy, sendTimeout, type Api } from '../../api/context.ts';
import type { Reply } from '../../api/reply.ts';
import { answerUsedNonce, budgetHeaders, sayRefusal, submit } from '../../api/submit.ts';
import { clientIdCode, orderValues } from '../../api/values.ts';
import { parseHex } from '../../auth/hex.ts';
import type { OrderFacts, OrderStanding } from '../../reader/protocol.ts';
import { refuse, sendError, type Refusal } from '../errors.ts';
import type { Uint64, Values } from '../fields.ts';
import type { HttpRequest, Responder } from '../message.ts';
import { infoOfNothing, infoOfOrder, orderUpdate, type OrderInfo } from '../order-update.ts';
import { route, type Route } from '../router.ts';
import { DONE_TEXTS, sayCode } from '../texts.ts';

const SIGNED = { wallet: { kind: 'address' }, nonce: { kind: 'uint64' }, signature: { kind: 'signature' } } as const;
const TEXT_BYTES = 256;
const CLIENT_ID_TEXT_BYTES = 1_024;
const ROUTES = ['best_execution', 'book_only', 'rfq_only'] as const;

const PLACE = {
  ...SIGNED,
  symbol: { kind: 'text', maxBytes: TEXT_BYTES }, side: { kind: 'text', maxBytes: TEXT_BYTES },
  size: { kind: 'decimalText' }, price: { kind: 'decimalText' }, tif: { kind: 'text', maxBytes: TEXT_BYTES },
  client_id: { kind: 'text', maxBytes: CLIENT_ID_TEXT_BYTES, optional: true, doc: 'Required unless `route` is given.' },
  route: { kind: 'choice', values: ROUTES, optional: true }, reduce_only: { kind: 'boolean', optional: true },
  mmp_enabled: { kind: 'boolean', optional: true }, is_perp: { kind: 'boolean', optional: true },
} as const;
const CANCEL = { ...SIGNED, order_id: { kind: 'uint64', text: true } } as const;
const CANCEL_BY_CLOID = { ...SIGNED, client_id: { kind: 'text', maxBytes: CLIENT_ID_TEXT_BYTES } } as const;

type PlaceBody = Values<typeof PLACE>;

/** One request under way: who asks, and who is answered. */
type Asked = { readonly api: Api; readonly request: HttpRequest; readonly responder: Responder; readonly envelope: 'bare' };

export function orderRoutes(api: Api): readonly Route[] {
  const row = { auth: 'sig', envelope: 'bare' } as const;
  return [
    route({
      ...row, method: 'POST', path: '/order', rate: 'order', doc: 'Places an order.', body: PLACE,
      handler: ({ request, body }, responder) => place({ api, request, responder, envelope: 'bare' }, body),
    }),
    route({
      ...row, method: 'POST', path: '/cancel', rate: 'cancel', doc: 'Cancels an open order by its id.', body: CANCEL,
      handler: ({ request, body }, responder) => cancelById({ api, request, responder, envelope: 'bare' }, body),
    }),
    route({
      ...row, method: 'POST', path: '/cancel-by-cloid', rate: 'cancel', doc: 'Cancels an open order by its client id.',
      body: CANCEL_BY_CLOID,
      handler: ({ request, body }, responder) => cancelByCloid({ api, request, responder, envelope: 'bare' }, body),
    }),
  ];
}

/** Addresses have passed the field checks. */
function addressOf(text: string): Uint8Array {
  const bytes = new Uint8Array(20);
  parseHex(text, bytes);
  return bytes;
}

/** What the venue does not do yet, and what one field demands of another. */
function refusePlace(body: PlaceBody): Refusal | null {
  if (body.client_id === undefined && body.route === undefined) return refuse('missing_field', 'Missing required field: client_id');
  if (body.reduce_only === true) {
    if (body.route === undefined) return refuse('missing_field', 'Missing required field: route');
    return refuse('invalid_parameter', 'Invalid parameter: reduce_only is not available yet');
  }
  const isPerp = body.is_perp === true || parsePerpSymbol(body.symbol, createOptionTerms());
  return isPerp ? refuse('invalid_parameter', 'Invalid parameter: perp orders are not available yet') : null;
}

function place(asked: Asked, body: PlaceBody): void {
  const { api, responder } = asked;
  const refused = refusePlace(body);
  if (refused !== null) return sendError(responder, 'bare', refused.code, refused.message);
  const clientId = body.client_id ?? '';
  const wallet = addressOf(body.wallet);
  const { symbol, side, size, price, tif, nonce, signature } = body;
  const values = { wallet, symbol, side, size, price, tif, route: body.route ?? '', clientId, nonce };
  const derived = orderValues({ side, tif, size, price, symbol, clientId });
  const flags = (body.route === 'rfq_only' ? FLAG_RFQ_ONLY : 0) | (body.mmp_enabled === false ? FLAG_MMP_OPT_OUT : 0);
  const info: OrderInfo = {
    symbol: derived.code === OK ? formatSymbol(derived.terms) : symbol, price, size, side, tif, clientId, orderId: null, nonce: nonce.text,
    mmpEnabled: body.mmp_enabled !== false,
  };
  const facts = {
    price, figures: String(significantFigures(price)), symbol: info.symbol, client_id: clientId,
    underlying: unpackUnderlying(derived.terms.underlyingLo, derived.terms.underlyingHi),
  };
  submit(api, {
    ...asked, structure: body.route === undefined ? 'PlaceOrder' : 'PlaceOrderRouted', values, nonce, signature,
    command: (signed) => ({
      kind: PLACE_ORDER, wallet, signed, source: asked.request.source, code: derived.code, numbers: orderNumbers(derived, clientId, flags),
    }),
    settle: (reply, signed) => {
      if (reply.code === NONCE_USED) {
        return answerUsedNonce(api, asked, reply, signed, wallet, ({ time, numbers }) => acked(body.wallet, info, time, numbers, false));
      }
      const headers = budgetHeaders(api, reply);
      if (reply.code === OK) {
        return responder.send(200, acked(body.wallet, info, reply.time, reply.numbers, reply.isMmpTriggered), headers);
      }
      const reason = sayRefusal(api, asked, reply, signed, facts);
      if (reason !== null) responder.send(200, rejected(body.wallet, info, reply.time, reason), headers);
    },
  });
}

/** Numbers of an accepted order: id, filled size. */
function acked(wallet: string, info: OrderInfo, time: number, numbers: readonly number[], isMmpTriggered: boolean): string {
  const orderId = numbers[0]!;
  return orderUpdate({
    time, wallet, info: { ...info, orderId }, status: 'ACKED', reason: null, filled: numbers[1]!, orderId, isMmpTriggered,
  });
}

function rejected(wallet: string, info: OrderInfo, time: number, reason: string): string {
  return orderUpdate({ time, wallet, info, status: 'REJECTED', reason, filled: 0, orderId: null, isMmpTriggered: false });
}

/** What a cancel names its order by: one of the two. */
type Named = { readonly orderId: string } | { readonly clientId: string };
type Cancel = {
  readonly wallet: string; readonly nonce: Uint64; readonly signature: string; readonly named: Named; readonly kind: number;
  readonly code: number; readonly numbers: WriteNumbers;
};

function cancelById(asked: Asked, body: Values<typeof CANCEL>): void {
  const id = body.order_id;
  // The number as a number shows: a text may have come with zeros in front, and those were signed.
  const orderId = BigInt(id.text).toString();
  const cancel = { ...body, named: { orderId }, kind: CANCEL_ORDER, code: OK, numbers: cancelNumbers(id) };
  const wallet = addressOf(body.wallet);
  submit(asked.api, {
    ...asked, structure: 'CancelOrder', values: { wallet, orderId: id.text, nonce: body.nonce }, nonce: body.nonce,
    signature: body.signature, command: (signed) => cancelCommand(asked, cancel, wallet, signed),
    settle: (reply, signed) => settleCancel(asked, cancel, wallet, reply, signed),
  });
}

function cancelByCloid(asked: Asked, body: Values<typeof CANCEL_BY_CLOID>): void {
  const clientId = body.client_id;
  const numbers = cancelByClientIdNumbers(clientId);
  const cancel = { ...body, named: { clientId }, kind: CANCEL_BY_CLIENT_ID, code: clientIdCode(clientId), numbers };
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
  if (reply.code === NOT_OPEN) return askStanding(asked, cancel, reply);
  const reason = sayRefusal(api, asked, reply, signed, { order: nameOf(cancel.named) });
  if (reason !== null) sendRejectedCancel(asked, cancel, reply, null, reason);
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

function sendRejectedCancel(asked: Asked, cancel: Cancel, reply: Reply, order: OrderFacts | null, reason: string): void {
  asked.responder.send(200, rejected(cancel.wallet, infoOfCancel(cancel, order), reply.time, reason), budgetHeaders(asked.api, reply));
}

/** The core holds open orders only; the reader knows how a done one ended (decision 3.5). */
function askStanding(asked: Asked, cancel: Cancel, reply: Reply): void {
  const { api } = asked;
  const { wallet, named } = cancel;
  const parameters = 'orderId' in named ? { wallet, order_id: named.orderId } : { wallet, client_id: named.clientId };
  const sent = api.reads.ask('order', parameters, ({ status, body }) => guarded(api, 'standing', asked, () => {
    if (status !== 200) throw new Error(`the reader answered ${status} to an order's standing`);
    const standing = JSON.parse(Buffer.from(body).toString('utf8')) as OrderStanding;
    sendRejectedCancel(asked, cancel, reply, standing.state === 'open' ? null : standing.order, standingReason(named, standing));
  }), () => sendTimeout(asked));
  if (!sent) sendBusy(asked);
}

/** A client id may be open again by the time the reader looks: the cancel came before that order. */
function standingReason(named: Named, { state, order }: OrderStanding): string {
  const id = order?.order_id ?? Number(nameOf(named));
  switch (state) {
    case 'filled': return DONE_TEXTS.filled(id);
    case 'cancelled': return DONE_TEXTS.cancelled(id);
    case 'forgotten': return DONE_TEXTS.forgotten(id, order?.symbol ?? '');
    default: return sayCode(ORDER_NOT_FOUND, { order: nameOf(named) }).text;
  }
}
