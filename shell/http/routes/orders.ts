// Routes of orders: place, replace. The body's fields are read by the router; meaning is judged after the signature, on the
// client's own texts (decision 3.12). Options are signed as the structures of the venue's own domain; a perp order is
// signed over its hash, for which its asset index has to be known first (decision 3.11). A replace is signed as an option's
// is, whatever it is about.

import {
  FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, FLAG_RFQ_ONLY, PERP, PLACE_ORDER, REPLACE_ORDER,
} from '../../../core/codec/commands.ts';
import { significantFigures } from '../../../core/codec/decimal.ts';
import { NONCE_USED, NOT_OPEN, OK, PERP_WITHOUT_UNDERLYING, SYMBOL_FORMAT, UNDERLYING_DIFFERS } from '../../../core/errors.ts';
import { formatSymbol, symbolDetail, underlyingOfPerp, unpackUnderlying } from '../../../core/instruments/symbol.ts';
import { orderNumbers, replaceNumbers, type Signed } from '../../api/command.ts';
import { guarded, sendBusy, sendTimeout, type Api } from '../../api/context.ts';
import { perpOrderOf } from '../../api/perp-order.ts';
import type { Reply } from '../../api/reply.ts';
import { answerUsedNonce, budgetHeaders, sayRefusal, submit, submitPerp } from '../../api/submit.ts';
import { orderValues, type OrderTexts, type OrderValues } from '../../api/values.ts';
import { sendError } from '../errors.ts';
import type { Values } from '../fields.ts';
import { ackedUpdate, rejectedUpdate, type OrderInfo } from '../order-update.ts';
import { route, type Route } from '../router.ts';
import type { Facts } from '../texts.ts';
import { askStanding, plainId } from './cancels.ts';
import { addressOf, CLIENT_ID_TEXT_BYTES, SIGNED, TEXT_BYTES, type Asked } from './signed.ts';

const ROUTES = ['best_execution', 'book_only', 'rfq_only'] as const;

const TERMS = {
  symbol: { kind: 'text', maxBytes: TEXT_BYTES }, side: { kind: 'text', maxBytes: TEXT_BYTES },
  size: { kind: 'decimalText' }, price: { kind: 'decimalText' }, tif: { kind: 'text', maxBytes: TEXT_BYTES },
  reduce_only: { kind: 'boolean', optional: true }, mmp_enabled: { kind: 'boolean', optional: true },
} as const;
const PLACE = {
  ...SIGNED, ...TERMS,
  client_id: { kind: 'text', maxBytes: CLIENT_ID_TEXT_BYTES, optional: true, doc: 'Required unless `route` is given.' },
  route: { kind: 'choice', values: ROUTES, optional: true, doc: 'Required with `reduce_only` of an option.' },
  is_perp: { kind: 'boolean', optional: true },
  underlying: { kind: 'text', maxBytes: TEXT_BYTES, optional: true, doc: 'Required of a perp.' },
} as const;
const REPLACE = {
  ...SIGNED, order_id: { kind: 'uint64', text: true }, ...TERMS,
  client_id: { kind: 'text', maxBytes: CLIENT_ID_TEXT_BYTES, default: '' },
} as const;

type PlaceBody = Values<typeof PLACE>;
type ReplaceBody = Values<typeof REPLACE>;

/** What an answer needs of its request. `replaced`: the order whose place this one takes, null for none. */
type Order = {
  readonly wallet: string; readonly flags: number; readonly derived: OrderValues; readonly info: OrderInfo; readonly facts: Facts;
  readonly replaced: string | null;
};

export function orderRoutes(api: Api): readonly Route[] {
  const row = { auth: 'sig', rate: 'order', envelope: 'bare', path: '/order' } as const;
  return [
    route({
      ...row, method: 'POST', doc: 'Places an order.', body: PLACE,
      handler: ({ request, body }, responder) => place({ api, request, responder, envelope: 'bare' }, body),
    }),
    route({
      ...row, method: 'PUT', doc: 'Cancels an open order and places another in one step.', body: REPLACE,
      handler: ({ request, body }, responder) => replace({ api, request, responder, envelope: 'bare' }, body),
    }),
  ];
}

function place(asked: Asked, body: PlaceBody): void {
  if (body.client_id === undefined && body.route === undefined) return sendMissing(asked, 'client_id');
  // With `is_perp` the bare name of the underlying is enough.
  const underlying = underlyingOfPerp(body.symbol) ?? (body.is_perp === true ? body.symbol : null);
  if (underlying !== null) return withAsset(asked, body, underlying, (asset) => placePerp(asked, body, underlying, asset));
  if (body.reduce_only === true && body.route === undefined) return sendMissing(asked, 'route');
  placeOption(asked, body);
}

function sendMissing({ responder, envelope }: Asked, field: string): void {
  sendError(responder, envelope, 'missing_field', `Missing required field: ${field}`);
}

function placeOption(asked: Asked, body: PlaceBody): void {
  const { symbol, side, size, price, tif, nonce, signature, route: way } = body;
  const clientId = body.client_id ?? '';
  const wallet = addressOf(body.wallet);
  const order = orderOf(body, { symbol, side, size, price, tif, clientId }, way === 'rfq_only' ? FLAG_RFQ_ONLY : 0);
  const terms = { wallet, symbol, side, size, price, tif, clientId, nonce };
  const rest = {
    ...asked, nonce, signature, command: (signed: Signed) => placeCommand(asked, order, clientId, wallet, signed),
    settle: (reply: Reply, signed: Signed) => settle(asked, order, reply, signed),
  };
  if (way === undefined) return submit(asked.api, { ...rest, structure: 'PlaceOrder', values: terms });
  const routed = { ...terms, route: way };
  if (body.reduce_only !== true) return submit(asked.api, { ...rest, structure: 'PlaceOrderRouted', values: routed });
  submit(asked.api, { ...rest, structure: 'PlaceOrderReduceOnly', values: { ...routed, reduceOnly: true } });
}

/** The asset index is part of what is signed, so a perp that is none is refused before anything else. */
function withAsset(asked: Asked, { symbol }: PlaceBody, underlying: string, work: (asset: number) => void): void {
  const { api, responder, envelope } = asked;
  const sent = api.perps.find(underlying, (asset) => guarded(api, 'perp', asked, () => {
    if (asset >= 0) work(asset);
    else sendError(responder, envelope, 'invalid_parameter', `Invalid perp symbol: ${symbol}`);
  }), () => sendTimeout(asked));
  if (!sent) sendBusy(asked);
}

function placePerp(asked: Asked, body: PlaceBody, underlying: string, asset: number): void {
  const { side, size, price, tif, nonce, signature } = body;
  const clientId = body.client_id ?? '';
  const texts = { symbol: `${underlying}-PERP`, side, size, price, tif, clientId };
  const wallet = addressOf(body.wallet);
  const order = orderOf(body, texts, 0);
  const { derived } = order;
  if (derived.code === OK && !body.underlying) derived.code = PERP_WITHOUT_UNDERLYING;
  else if (derived.code === OK && body.underlying !== underlying) derived.code = UNDERLYING_DIFFERS;
  submitPerp(asked.api, {
    ...asked, nonce, signature, wallet, order: perpOrderOf(asset, texts, body.reduce_only === true), values: texts,
    command: (signed) => placeCommand(asked, order, clientId, wallet, signed),
    settle: (reply, signed) => settle(asked, order, reply, signed),
  });
}

function placeCommand({ request }: Asked, { derived, flags }: Order, clientId: string, wallet: Uint8Array, signed: Signed) {
  const numbers = orderNumbers(derived, clientId, flags);
  return { kind: PLACE_ORDER, wallet, signed, source: request.source, code: derived.code, numbers };
}

function replace(asked: Asked, body: ReplaceBody): void {
  const { symbol, side, size, price, tif, nonce, signature, client_id: clientId, order_id: id } = body;
  const wallet = addressOf(body.wallet);
  const order = { ...orderOf(body, { symbol, side, size, price, tif, clientId }, 0), replaced: plainId(id) };
  const { derived, flags } = order;
  const values = { wallet, orderId: id.text, symbol, side, size, price, tif, clientId, nonce };
  const rest = {
    ...asked, nonce, signature,
    command: (signed: Signed) => ({
      kind: REPLACE_ORDER, wallet, signed, source: asked.request.source, code: derived.code,
      numbers: replaceNumbers(derived, clientId, flags, id),
    }),
    settle: (reply: Reply, signed: Signed) => settle(asked, order, reply, signed),
  };
  if (body.reduce_only !== true) return submit(asked.api, { ...rest, structure: 'ReplaceOrder', values });
  submit(asked.api, { ...rest, structure: 'ReplaceOrderReduceOnly', values: { ...values, reduceOnly: true } });
}

/** The order of a request: its numbers, or the first check that fails, and how it is told. */
function orderOf(body: PlaceBody | ReplaceBody, texts: OrderTexts, routeFlags: number): Order {
  const derived = orderValues(texts);
  const { price, size, side, tif, clientId } = texts;
  const symbol = derived.code === OK ? formatSymbol(derived.terms) : texts.symbol;
  const underlying = unpackUnderlying(derived.terms.underlyingLo, derived.terms.underlyingHi);
  const isPerp = derived.terms.kind === PERP;
  const reduceOnly = body.reduce_only === true;
  const mmpEnabled = body.mmp_enabled !== false;
  const named = 'underlying' in body ? body.underlying ?? null : underlying;
  return {
    wallet: body.wallet, derived, replaced: null,
    flags: routeFlags | (mmpEnabled ? 0 : FLAG_MMP_OPT_OUT) | (reduceOnly ? FLAG_REDUCE_ONLY : 0),
    info: {
      symbol, price, size, side, tif, clientId, orderId: null, isPerp, underlying: isPerp ? named : null, reduceOnly,
      nonce: body.nonce.text, mmpEnabled,
    },
    facts: { price, figures: String(significantFigures(price)), symbol, client_id: clientId, underlying },
  };
}

function settle(asked: Asked, order: Order, reply: Reply, signed: Signed): void {
  const { api, responder } = asked;
  const { wallet, info, replaced } = order;
  if (reply.code === NONCE_USED) {
    return answerUsedNonce(api, asked, reply, signed, addressOf(wallet), ({ time, numbers }) => (
      ackedUpdate(wallet, info, time, numbers, false)
    ));
  }
  const headers = budgetHeaders(api, reply);
  if (reply.code === OK) return responder.send(200, ackedUpdate(wallet, info, reply.time, reply.numbers, reply.isMmpTriggered), headers);
  const reject = (reason: string): void => responder.send(200, rejectedUpdate(wallet, info, reply.time, reason), headers);
  if (replaced !== null && reply.code === NOT_OPEN) {
    return askStanding(asked, wallet, { orderId: replaced }, (_, reason) => reject(reason));
  }
  // What is wrong with the symbol of a replace is the engine's to say (decision 3.13).
  if (replaced !== null && reply.code === SYMBOL_FORMAT) return reject(`Failed to parse symbol: ${symbolDetail(order.derived.fault)}`);
  const reason = sayRefusal(api, asked, reply, signed, replaced === null ? order.facts : { ...order.facts, order: replaced });
  if (reason !== null) reject(reason);
}
