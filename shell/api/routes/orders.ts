// Routes to place and replace orders. Values are checked after the signature, on the client's own texts (decision 3.12).

import {
  FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, FLAG_RFQ_ONLY, PERP, PLACE_ORDER, REPLACE_ORDER,
} from '../../../core/codec/commands.ts';
import { DECIMALS, formatDecimal, significantFigures } from '../../../core/codec/decimal.ts';
import type { Values } from '../../../core/codec/signed-commands.ts';
import { CLIENT_ID_FORMAT, NOT_LISTED, OK, PERP_WITHOUT_UNDERLYING, SYMBOL_FORMAT, UNDERLYING_DIFFERS } from '../../../core/errors.ts';
import { symbolDetail, underlyingOfPerp } from '../../../core/instruments/symbol.ts';
import type { Action, Effect } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { EXTENSION, extensionOf, isExtended, shownTerms, type Extension } from '../extended-order.ts';
import { extensionFields, orderFields } from '../order-fields.ts';
import { typedForm, type PerpForm, type SignedForm } from '../signature.ts';
import { isCloid, orderValues, perpOrderOf, type OrderTexts, type OrderValues } from '../values.ts';
import { refuse, type Refused } from '../../http/errors.ts';
import type { Sent, FieldValues } from '../../http/fields.ts';
import { ackedUpdate, rejectedUpdate, type OrderInfoParts } from '../../http/bodies/order-update.ts';
import type { Route } from '../../http/router.ts';
import { parseFailureText, outcomeText, type Facts } from '../../http/outcome-texts.ts';
import { plainId } from './cancels.ts';
import { SIDES, TIFS } from '../../ipc/enum-names.ts';
import { TEXT_BYTES } from './query-fields.ts';
import { addressOf, CLIENT_ID_TEXT_BYTES, SIGNED, signedRoute } from './signed.ts';

const ROUTES = ['best_execution', 'book_only', 'rfq_only'] as const;

const TERMS = {
  symbol: { kind: 'text', maxBytes: TEXT_BYTES }, side: { kind: 'text', maxBytes: TEXT_BYTES, values: SIDES },
  size: { kind: 'decimalText' }, price: { kind: 'decimalText' },
  tif: { kind: 'text', maxBytes: TEXT_BYTES, values: TIFS, doc: 'Required by REST. By socket optional, default `gtc`.' },
  reduce_only: { kind: 'boolean', optional: true }, mmp_enabled: { kind: 'boolean', optional: true },
  builder_code_address: { kind: 'ignored', optional: true, doc: 'Accepted from clients of the live venue and ignored.' },
  ...EXTENSION,
} as const;
export const PLACE = {
  ...SIGNED, ...TERMS,
  client_id: {
    kind: 'text', maxBytes: CLIENT_ID_TEXT_BYTES, optional: true,
    doc: 'Required by REST unless `route` or a field of an extended order is given. By socket optional, default empty. For a perp: '
      + 'empty, or 0x and 32 hex digits.',
    neededWith: (sent: Sent) => sent('route') === undefined && !isExtended(sent),
  },
  route: {
    kind: 'choice', values: ROUTES, optional: true, doc: 'Required for an option with `reduce_only`. An extended order does not sign it.',
    neededWith: (sent: Sent) => (
      sent('reduce_only') === true && perpNamed(sent('symbol'), sent('is_perp')) === null && !isExtended(sent)
    ),
  },
  is_perp: { kind: 'boolean', optional: true },
  underlying: { kind: 'text', maxBytes: TEXT_BYTES, optional: true, doc: 'Required for a perp.' },
} as const;
export const REPLACE = {
  ...SIGNED, order_id: { kind: 'uint64', text: true }, ...TERMS,
  client_id: { kind: 'text', maxBytes: CLIENT_ID_TEXT_BYTES, default: '', doc: 'Optional, default the empty string.' },
} as const;
/** Fields with one usual value may be absent by socket (wire contract 4.2). */
export const PLACE_BY_SOCKET = {
  ...PLACE, tif: { ...PLACE.tif, default: 'gtc' }, client_id: { ...PLACE.client_id, default: '' },
} as const;
export const REPLACE_BY_SOCKET = { ...REPLACE, tif: { ...REPLACE.tif, default: 'gtc' } } as const;

type PlaceBody = FieldValues<typeof PLACE>;
type ReplaceBody = FieldValues<typeof REPLACE>;

/** `accepted` replaces `info` if the order was accepted. */
type Order = {
  readonly wallet: string; readonly address: Uint8Array; readonly flags: number; readonly derived: OrderValues;
  readonly info: OrderInfoParts;
  readonly waits: boolean;
  readonly accepted: OrderInfoParts;
};

export function orderRoutes(api: ApiContext): readonly Route[] {
  const row = { envelope: 'bare', compat: 'order', path: '/order' } as const;
  return [
    signedRoute(api, {
      ...row, command: PLACE_ORDER, method: 'POST', doc: 'Places an order.', body: PLACE,
    }, (body) => placeAction(api, body)),
    signedRoute(api, {
      ...row, command: REPLACE_ORDER, method: 'PUT', doc: 'Cancels an open order and places another in one step.', body: REPLACE,
    }, replaceAction),
  ];
}

/** In a bulk and by socket, the engine reports an invalid symbol (decision 3.13). */
export function placeAction(api: ApiContext, body: PlaceBody, isBySocket = false): Action | Refused {
  if (isExtended((name) => body[name as keyof PlaceBody])) return extendedAction(body, isBySocket);
  const underlying = perpNamed(body.symbol, body.is_perp);
  return underlying === null ? optionAction(body, isBySocket) : perpAction(api, body, underlying);
}

function perpNamed(symbol: unknown, isPerp: unknown): string | null {
  if (typeof symbol !== 'string') return null;
  return underlyingOfPerp(symbol) ?? (isPerp === true ? symbol : null);
}

function optionAction(body: PlaceBody, isBySocket: boolean): Action {
  const { symbol, side, size, price, tif, nonce, route: way } = body;
  const clientId = body.client_id ?? '';
  const order = orderOf(body, { symbol, side, size, price, tif, clientId });
  const terms = { wallet: order.address, symbol, side, size, price, tif, clientId, nonce };
  const says = saysOf(order, symbol, isBySocket);
  if (way === undefined) return actionOf(body, order, typedForm('PlaceOrder', terms), says);
  const routed = { ...terms, route: way };
  if (body.reduce_only !== true) return actionOf(body, order, typedForm('PlaceOrderRouted', routed), says);
  return actionOf(body, order, typedForm('PlaceOrderReduceOnly', { ...routed, reduceOnly: true }), says);
}

/** The symbol alone says whether it is a perp, because it is what was signed. */
function extendedAction(body: PlaceBody, isBySocket: boolean): Action | Refused {
  if (body.route === 'rfq_only') return refuse('invalid_parameter', 'Invalid parameter: an extended order cannot have the route rfq_only');
  const { symbol, side, size, price, tif, nonce } = body;
  const clientId = body.client_id ?? '';
  const order = orderOf(body, { symbol, side, size, price, tif, clientId });
  const { derived } = order;
  const extension = extensionOf(body);
  const fields = extensionFields(extension, derived);
  const { terms, underlying } = derived.contract;
  if (derived.code === OK && terms.kind === PERP && !body.underlying) derived.code = PERP_WITHOUT_UNDERLYING;
  else if (derived.code === OK && terms.kind === PERP && body.underlying !== underlying) derived.code = UNDERLYING_DIFFERS;
  const reduceOnly = body.reduce_only === true;
  const values = { wallet: order.address, symbol, side, size, price, tif, clientId, ...extension, reduceOnly, nonce };
  const action = actionOf(body, order, typedForm('PlaceOrderExtended', values), saysOf(order, symbol, isBySocket));
  return { ...action, fields: { ...action.fields, ...fields } };
}

/** The signed hash has the client id and the asset index, so with invalid ones the signature cannot be checked. */
function perpAction(api: ApiContext, body: PlaceBody, underlying: string): Action | Refused {
  const { side, size, price, tif, nonce, client_id: clientId = '' } = body;
  if (clientId !== '' && !isCloid(clientId)) return refuse('invalid_parameter', outcomeText(CLIENT_ID_FORMAT, {}).text);
  const asset = api.underlyings.indexOf(underlying);
  if (asset < 0) return refuse('invalid_parameter', `Invalid perp symbol: ${body.symbol}`);
  const texts = { symbol: `${underlying}-PERP`, side, size, price, tif, clientId };
  const order = orderOf(body, texts);
  const { derived } = order;
  if (derived.code === OK && !body.underlying) derived.code = PERP_WITHOUT_UNDERLYING;
  else if (derived.code === OK && body.underlying !== underlying) derived.code = UNDERLYING_DIFFERS;
  const perp = perpOrderOf(asset, texts, body.reduce_only === true);
  const sole = { underlying, side: perp.isBuy ? 'Buy' : 'Sell', tif: tif.toLowerCase(), clientId: perp.cloid ?? '' };
  const form: PerpForm = { structure: 'Agent', wallet: order.address, order: perp, nonce, values: texts };
  return actionOf(body, { ...order, accepted: { ...order.info, ...sole } }, form);
}

function actionOf(body: PlaceBody, order: Order, form: SignedForm, says?: Action['says']): Action {
  const { wallet, address, info, derived, flags } = order;
  return {
    kind: PLACE_ORDER, wallet: address, code: derived.code, fields: orderFields(derived, body.client_id ?? '', flags),
    signature: { form, nonce: body.nonce, text: body.signature }, says, facts: () => factsOf(order),
    done: (effect) => acked(order, effect), rejected: (time, _, reason) => rejectedUpdate(wallet, info, time, reason),
  };
}

export function replaceAction(body: ReplaceBody): Action {
  const { symbol, side, size, price, tif, nonce, signature, client_id: clientId, order_id: id } = body;
  const order = orderOf(body, { symbol, side, size, price, tif, clientId });
  const { wallet, address, info, derived, flags } = order;
  const orderId = plainId(id);
  const values = { wallet: address, orderId: id.text, symbol, side, size, price, tif, clientId, nonce };
  const extension = isExtended((name) => body[name as keyof ReplaceBody]) ? extensionOf(body) : null;
  const extended = extension === null ? {} : extensionFields(extension, derived);
  const fields = { ...orderFields(derived, clientId, flags), ...extended, orderId: id };
  const form = replaceForm(values, body.reduce_only === true, extension);
  return {
    kind: REPLACE_ORDER, wallet: address, code: derived.code, fields, signature: { form, nonce, text: signature },
    names: { orderId }, facts: () => ({ ...factsOf(order), order: orderId }),
    done: (effect) => acked(order, effect), rejected: (time, _, reason) => rejectedUpdate(wallet, info, time, reason),
    says: saysOf(order, symbol, true),
  };
}

function replaceForm(values: Values<'ReplaceOrder'>, reduceOnly: boolean, extension: Extension | null): SignedForm {
  if (extension !== null) return typedForm('ReplaceOrderExtended', { ...values, ...extension, reduceOnly });
  return reduceOnly ? typedForm('ReplaceOrderReduceOnly', { ...values, reduceOnly }) : typedForm('ReplaceOrder', values);
}

/** A replay reports the flags of the first request (decision 3.3). */
function acked({ wallet, accepted, derived, waits }: Order, effect: Effect): string {
  const { flags, numbers } = effect;
  const info = flags === undefined ? accepted : { ...accepted, mmpEnabled: (flags & FLAG_MMP_OPT_OUT) === 0 };
  const hasMoved = info.terms?.post_only === 'slide' && numbers[2] !== derived.price;
  return ackedUpdate(wallet, hasMoved ? { ...info, price: formatDecimal(numbers[2]!, DECIMALS) } : info, waits, effect);
}

function saysOf({ derived }: Order, sent: string, parses: boolean): (code: number) => string | undefined {
  return (code) => {
    if (code === NOT_LISTED) return outcomeText(NOT_LISTED, { symbol: sent }).text;
    return parses && code === SYMBOL_FORMAT ? parseFailureText(symbolDetail(derived.contract.fault)) : undefined;
  };
}

function factsOf({ derived, info: { price, symbol, clientId } }: Order): Facts {
  const { underlying } = derived.contract;
  return { price, figures: String(significantFigures(price)), symbol, client_id: clientId ?? '', underlying };
}

function orderOf(body: PlaceBody | ReplaceBody, texts: OrderTexts): Order {
  const derived = orderValues(texts);
  const { price, size, side, tif, clientId } = texts;
  const { terms, underlying } = derived.contract;
  const symbol = derived.code === OK ? derived.contract.symbol : texts.symbol;
  const isPerp = terms.kind === PERP;
  const reduceOnly = body.reduce_only === true;
  const waits = (body.trigger ?? null) !== null;
  const mmpEnabled = waits ? body.mmp_enabled === true : body.mmp_enabled !== false;
  const isRfqOnly = 'route' in body && body.route === 'rfq_only';
  const named = 'underlying' in body ? body.underlying ?? null : underlying;
  const info = {
    symbol, price, size, side, tif, clientId, orderId: null, isPerp, underlying: isPerp ? named : null, reduceOnly, nonce: body.nonce.text,
    mmpEnabled, terms: shownTerms(body),
  };
  return {
    wallet: body.wallet, address: addressOf(body.wallet), derived, info, waits, accepted: info,
    flags: (isRfqOnly ? FLAG_RFQ_ONLY : 0) | (mmpEnabled ? 0 : FLAG_MMP_OPT_OUT) | (reduceOnly ? FLAG_REDUCE_ONLY : 0),
  };
}
