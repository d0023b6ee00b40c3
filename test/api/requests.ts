// Signed request bodies for the tests, as a client would build them: every field that is signed goes into the body as it is,
// and a nonce nobody has used unless the test names one.

import type { Signer } from './wallets.ts';

export type OrderBody = {
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
  wallet?: string; route?: string;
};

export function order(signer: Signer, fields: OrderFields): OrderBody {
  const { symbol, side = 'Buy', size = '1', price = '100', tif = 'gtc', client_id: clientId = '', nonce = freshNonce(), route } = fields;
  const wallet = fields.wallet ?? signer.address;
  const message = { wallet, symbol, side, size, price, tif, clientId, nonce };
  const signature = route === undefined ? signer.sign('PlaceOrder', message) : signer.sign('PlaceOrderRouted', { ...message, route });
  return { wallet, symbol, side, size, price, tif, client_id: clientId, nonce, signature, ...(route === undefined ? {} : { route }) };
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
