// Signed request bodies for the tests, as a client builds them: every signed field goes into the body as it is, with an unused nonce
// unless the test names one.

import type { Signer } from './wallets.ts';

type OrderBody = {
  wallet: string; symbol: string; side: string; size: string; price: string; tif: string; client_id?: string; route?: string;
  nonce: number | bigint; signature: string; [more: string]: unknown;
};

let lastNonce = 1_000;

/** A nonce that no request of this process has had. */
export function freshNonce(): number {
  return ++lastNonce;
}

type OrderFields = {
  symbol: string; side?: string; size?: string; price?: string; tif?: string; client_id?: string; nonce?: number | bigint;
  wallet?: string; route?: string; reduce_only?: boolean;
};

export function order(signer: Signer, fields: OrderFields): OrderBody {
  const { symbol, side = 'Buy', size = '1', price = '100', tif = 'gtc', client_id: clientId = '', nonce = freshNonce(), route } = fields;
  const { wallet = signer.address, reduce_only: reduceOnly } = fields;
  const message = { wallet, symbol, side, size, price, tif, clientId, nonce };
  const body = { wallet, symbol, side, size, price, tif, client_id: clientId, nonce };
  if (route === undefined) return { ...body, signature: signer.sign('PlaceOrder', message) };
  const routed = { ...message, route };
  if (reduceOnly !== true) return { ...body, route, signature: signer.sign('PlaceOrderRouted', routed) };
  return { ...body, route, reduce_only: true, signature: signer.sign('PlaceOrderReduceOnly', { ...routed, reduceOnly }) };
}

type ExtendedFields = {
  post_only?: boolean | 'slide'; expires_at?: number; valid_until?: number; stp?: string;
  trigger?: { by: string; direction: string; price: string }; link_id?: string; underlying?: string;
};

function extensionOf(fields: ExtendedFields) {
  const { post_only, expires_at, valid_until, stp, trigger, link_id } = fields;
  return {
    postOnly: post_only === true ? 'reject' : post_only === 'slide' ? post_only : '', expiresAt: expires_at ?? 0,
    validUntil: valid_until ?? 0, stp: stp ?? '',
    triggerBy: trigger?.by ?? '', triggerDirection: trigger?.direction ?? '', triggerPrice: trigger?.price ?? '', linkId: link_id ?? '',
  };
}

/** An order with fields of the extended form, which are signed whatever they are. */
export function extendedOrder(signer: Signer, fields: OrderFields & ExtendedFields): OrderBody {
  const { symbol, side = 'Buy', size = '1', price = '100', tif = 'gtc', client_id: clientId, nonce = freshNonce(), ...more } = fields;
  const { wallet = signer.address, reduce_only: reduceOnly = false } = fields;
  const message = { wallet, symbol, side, size, price, tif, clientId: clientId ?? '', ...extensionOf(fields), reduceOnly, nonce };
  return {
    ...more, wallet, symbol, side, size, price, tif, nonce, ...(clientId === undefined ? {} : { client_id: clientId }),
    signature: signer.sign('PlaceOrderExtended', message),
  };
}

export function extendedReplace(signer: Signer, orderId: number | string, fields: OrderFields & ExtendedFields) {
  const { symbol, side = 'Buy', size = '1', price = '100', tif = 'gtc', client_id: clientId = '', nonce = freshNonce(), ...more } = fields;
  const { wallet = signer.address, reduce_only: reduceOnly = false } = fields;
  const order = { symbol, side, size, price, tif, clientId, ...extensionOf(fields), reduceOnly, nonce };
  const signature = signer.sign('ReplaceOrderExtended', { wallet, orderId: String(orderId), ...order });
  return { ...more, wallet, order_id: orderId, symbol, side, size, price, tif, client_id: clientId, nonce, signature };
}

/** The body of PUT /order. */
export function replace(signer: Signer, orderId: number | string, fields: Omit<OrderFields, 'route'>) {
  const { symbol, side = 'Buy', size = '1', price = '100', tif = 'gtc', client_id: clientId = '', nonce = freshNonce() } = fields;
  const { wallet = signer.address, reduce_only: reduceOnly } = fields;
  const message = { wallet, orderId: String(orderId), symbol, side, size, price, tif, clientId, nonce };
  const body = { wallet, order_id: orderId, symbol, side, size, price, tif, client_id: clientId, nonce };
  if (reduceOnly !== true) return { ...body, signature: signer.sign('ReplaceOrder', message) };
  return { ...body, reduce_only: true, signature: signer.sign('ReplaceOrderReduceOnly', { ...message, reduceOnly }) };
}

type AmendTerms = { size?: string; price?: string; trigger_price?: string; valid_until?: number; wallet?: string; nonce?: number };

/** The body of POST /amend. */
export function amend(signer: Signer, orderId: number | string, fields: AmendTerms = {}) {
  const { size = '1', price = '100', trigger_price, valid_until, wallet = signer.address, nonce = freshNonce() } = fields;
  const signature = signer.sign('AmendOrder', {
    wallet, orderId: String(orderId), size, price, triggerPrice: trigger_price ?? '', validUntil: valid_until ?? 0, nonce,
  });
  const more = { ...(trigger_price !== undefined && { trigger_price }), ...(valid_until !== undefined && { valid_until }) };
  return { wallet, order_id: orderId, size, price, ...more, nonce, signature };
}

export function marginMode(signer: Signer, mode: string, wallet = signer.address, nonce: number = freshNonce()) {
  return { wallet, margin_mode: mode, nonce, signature: signer.sign('SetMarginMode', { wallet, marginMode: mode, nonce }) };
}

type MmpFields = {
  currency?: string; interval_ms?: number; frozen_time_ms?: number; qty_limit?: string | number; delta_limit?: string | number;
  vega_limit?: string | number; wallet?: string; nonce?: number;
};

/** Limits are signed as the texts that JSON shows. */
export function mmpConfig(signer: Signer, fields: MmpFields = {}) {
  const { currency = 'BTC', interval_ms = 60_000, frozen_time_ms = 300_000, wallet = signer.address, nonce = freshNonce() } = fields;
  const text = (limit: string | number | undefined) => (limit === undefined ? '' : String(limit));
  const { qty_limit, delta_limit, vega_limit } = fields;
  const signature = signer.sign('SetMmpConfig', {
    wallet, currency, intervalMs: interval_ms, frozenTimeMs: frozen_time_ms, qtyLimit: text(qty_limit), deltaLimit: text(delta_limit),
    vegaLimit: text(vega_limit), nonce,
  });
  return { wallet, currency, interval_ms, frozen_time_ms, qty_limit, delta_limit, vega_limit, nonce, signature };
}

export function mmpName(structure: 'DeleteMmpConfig' | 'ResetMmp', signer: Signer) {
  const [wallet, currency, nonce] = [signer.address, 'BTC', freshNonce()];
  return { wallet, currency, nonce, signature: signer.sign(structure, { wallet, currency, nonce }) };
}

export function cancel(signer: Signer, id: number | string, wallet = signer.address, nonce: number = freshNonce()) {
  return { wallet, order_id: id, nonce, signature: signer.sign('CancelOrder', { wallet, orderId: String(id), nonce }) };
}

export function cancelByCloid(signer: Signer, clientId: string, nonce: number = freshNonce()) {
  const wallet = signer.address;
  return { wallet, client_id: clientId, nonce, signature: signer.sign('CancelOrderByClientId', { wallet, clientId, nonce }) };
}

export function approve(signer: Signer, agent: string, more: { expires_at?: number; wallet?: string; nonce?: number } = {}) {
  const { expires_at: expiresAt, nonce = freshNonce() } = more;
  const signature = expiresAt === undefined
    ? signer.sign('ApproveAgent', { agent, nonce }) : signer.sign('ApproveAgentUntil', { agent, expiresAt, nonce });
  const { wallet, expires_at } = more;
  return { agent, nonce, signature, expires_at, wallet };
}

export function revoke(signer: Signer, agent: string, more: { wallet?: string; nonce?: number } = {}) {
  const { nonce = freshNonce() } = more;
  return { agent, nonce, signature: signer.sign('RevokeAgent', { agent, nonce }), ...(more.wallet ? { wallet: more.wallet } : {}) };
}
