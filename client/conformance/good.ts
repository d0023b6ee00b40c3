// A good request of each signed endpoint and of each that takes a body; with the operator's token also of the operator's.

import { createPrivateKey, privateKeySigner, type Unsigned } from '../src/main.ts';
import type { Answer, Target } from './checks.ts';
import { nameOf, type World } from './world.ts';

type Ask = () => Promise<Answer>;
/** Not issued yet in any venue. */
const UNKNOWN_PAYOUT = 9_000_000_000_000;
let names = 0;

/** By method and path. */
export function goodRequests(world: World, target: Target): Readonly<Record<string, Ask>> {
  const { buyer, idle, low, seller, symbol } = world;
  const { forms } = seller;
  const order = { symbol, side: 'Buy', size: '0.1', price: low } as const;
  const own = (make: () => Unsigned<unknown>, to = {}): Ask => () => world.sent(seller, make(), to);
  const resting = (make: (id: number) => Unsigned<unknown>, to = {}): Ask => async () => world.sent(seller, make(await world.rest()), to);
  const named = (make: (id: string) => Unsigned<unknown>, to = {}): Ask => async () => {
    const id = `named-${++names}`;
    await world.rest(id);
    return world.sent(seller, make(id), to);
  };
  const agent = (): string => privateKeySigner(createPrivateKey()).address;
  const approved = (make: (agent: string) => Unsigned<unknown>, to = {}): Ask => async () => {
    const one = agent();
    await world.sent(seller, forms.approveAgent(one, undefined));
    return world.sent(seller, make(one), to);
  };
  const mmp = { currency: 'BTC', interval_ms: 1_000, frozen_time_ms: 1_000, qty_limit: '1000' };
  const reading = (path: string, body: object): Ask => () => target.send('POST', path, body);
  return {
    'POST /approve-agent': own(() => forms.approveAgent(agent(), undefined)),
    'POST /revoke-agent': approved((one) => forms.revokeAgent(one), { method: 'POST', path: '/revoke-agent' }),
    'DELETE /revoke-agent': approved((one) => forms.revokeAgent(one), { method: 'DELETE', path: '/revoke-agent' }),
    'DELETE /revoke-all-agents': own(() => forms.revokeAllAgents()),
    'POST /order': own(() => forms.placeOrder(order)),
    'PUT /order': resting((id) => forms.replaceOrder({ ...order, order_id: id, size: '0.2' })),
    'POST /amend': resting((id) => forms.amendOrder({ order_id: id, size: '0.05', price: low })),
    'DELETE /order': resting((id) => forms.cancelOrder(id), { method: 'DELETE', path: '/order' }),
    'POST /cancel': resting((id) => forms.cancelOrder(id), { method: 'POST', path: '/cancel' }),
    'DELETE /order_cloid': named((id) => forms.cancelOrderByClientId(id), { method: 'DELETE', path: '/order_cloid' }),
    'POST /cancel-by-cloid': named((id) => forms.cancelOrderByClientId(id), { method: 'POST', path: '/cancel-by-cloid' }),
    'POST /cancel-all': own(() => forms.cancelAll('')),
    'POST /cancel-after': own(() => forms.cancelAfter(0)),
    'POST /cancel-on-disconnect': own(() => forms.setCancelOnDisconnect({ enabled: false, grace_ms: 0 })),
    'POST /bulk_order': own(() => forms.placeOrders([order, { ...order, size: '0.2' }])),
    'PUT /bulk_order': resting((id) => forms.replaceOrders([{ ...order, order_id: id, size: '0.2' }])),
    'PUT /bulk_amend': resting((id) => forms.amendOrders([{ order_id: id, size: '0.05', price: low }])),
    'DELETE /bulk_order': resting((id) => forms.cancelOrders([id])),
    'DELETE /bulk_order_cloid': named((id) => forms.cancelOrdersByClientId([id])),
    'POST /settlement-payouts/seen': () => world.sent(idle, idle.forms.markPayoutsSeen([UNKNOWN_PAYOUT])),
    'POST /void-nonces': () => world.sent(idle, idle.forms.voidNonces(0)),
    'POST /profile/username-request': () => world.sent(idle, idle.forms.requestUsername(nameOf(idle))),
    'POST /margin-mode': () => world.sent(idle, idle.forms.setMarginMode('portfolio')),
    'POST /username': own(() => forms.setUsername(nameOf(seller))),
    'POST /mmp/config': own(() => forms.setMmp(mmp)),
    'POST /mmp/reset': own(() => forms.resetMmp('BTC')),
    'DELETE /mmp/config': own(() => forms.deleteMmp('BTC')),
    'POST /limit_iv': reading('/limit_iv', { symbol, iv: 0.5 }),
    'POST /risk/simulate/portfolio': reading('/risk/simulate/portfolio', { positions: [{ symbol, amount: '1' }] }),
    'POST /risk/simulate/orders': reading('/risk/simulate/orders', {
      wallet: buyer.wallet, orders: [{ symbol, side: 'Buy', size: '1', price: low }],
    }),
    ...target.hasToken ? operatorsRequests(world, target) : {},
  };
}

function operatorsRequests(world: World, target: Target): Readonly<Record<string, Ask>> {
  const symbol = world.newMarket();
  return {
    'POST /markets': () => target.operate('POST', '/markets', { symbol }),
    'DELETE /markets': () => target.operate('DELETE', '/markets', { symbol }),
    'POST /competitions': () => world.compete(),
    'POST /user-tier': () => target.operate('POST', '/user-tier', { wallet: world.operated.wallet, tier: 'default' }),
  };
}
