// The fields that a body must have, by endpoint, and a body that has them all: each left out alone is a `missing_field` that names it.

const WALLET = `0x${'34'.repeat(20)}`;
const SIGNED = { wallet: WALLET, nonce: 1, signature: `0x${'11'.repeat(64)}1b` };
const TERMS = { symbol: 'BTC-20260327-100000-C', side: 'Buy', size: '1', price: '1', tif: 'gtc' };
const AGENT = { agent: WALLET, nonce: 1, signature: SIGNED.signature };
const MMP_NAME = { ...SIGNED, currency: 'BTC' };

type Body = { readonly [field: string]: unknown };

/** By method and path. Every field shown is required; the others of the interface are optional. */
export const REQUESTS: { readonly [what: string]: Body } = {
  'POST /approve-agent': AGENT,
  'POST /revoke-agent': AGENT,
  'DELETE /revoke-agent': AGENT,
  'DELETE /revoke-all-agents': { nonce: 1, signature: SIGNED.signature },
  'POST /order': { ...SIGNED, ...TERMS, client_id: '' },
  'PUT /order': { ...SIGNED, order_id: 1, ...TERMS },
  'POST /amend': { ...SIGNED, order_id: 1, size: '1', price: '1' },
  'DELETE /order': { ...SIGNED, order_id: 1 },
  'POST /cancel': { ...SIGNED, order_id: 1 },
  'DELETE /order_cloid': { ...SIGNED, client_id: 'a' },
  'POST /cancel-by-cloid': { ...SIGNED, client_id: 'a' },
  'POST /cancel-all': SIGNED,
  'POST /void-nonces': { ...SIGNED, up_to: 0 },
  'POST /cancel-after': { ...SIGNED, timeout_ms: 0 },
  'POST /cancel-on-disconnect': { ...SIGNED, enabled: true, grace_ms: 0 },
  'POST /bulk_order': { orders: [{}] },
  'PUT /bulk_order': { replacements: [{}] },
  'PUT /bulk_amend': { amends: [{}] },
  'DELETE /bulk_order': { cancels: [{}] },
  'DELETE /bulk_order_cloid': { cancels: [{}] },
  'POST /limit_iv': { symbol: TERMS.symbol, iv: 0.5 },
  'POST /settlement-payouts/seen': { ...SIGNED, ids: [1] },
  'POST /margin-mode': { ...SIGNED, margin_mode: 'standard' },
  'POST /profile/username-request': { ...SIGNED, requested_username: 'somebody' },
  'POST /username': { ...SIGNED, username: 'somebody' },
  'POST /mmp/config': { ...MMP_NAME, interval_ms: 1_000, frozen_time_ms: 1_000 },
  'DELETE /mmp/config': MMP_NAME,
  'POST /mmp/reset': MMP_NAME,
  'POST /markets': { symbol: TERMS.symbol },
  'DELETE /markets': { symbol: TERMS.symbol },
  'POST /competitions': { name: 'A', win_conditions: ['pnl'], primary_win_condition: 'pnl', start_ts_ms: 0, end_ts_ms: 1 },
  'POST /user-tier': { wallet: WALLET, tier: 'tier1' },
  'POST /risk/simulate/portfolio': { positions: [{}] },
  'POST /risk/simulate/orders': { wallet: WALLET, orders: [{}] },
};
