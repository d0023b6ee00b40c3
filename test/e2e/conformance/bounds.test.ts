// The bounds of the law that no other test shows: each at its last accepted value and at the first refused one.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { cancel, cancelByCloid, freshNonce, marginMode, order, replace } from '../../shell/api/requests.ts';
import { Desk, LONG, someone, type Answer } from './desk.ts';
import { BOUNDS, TIERS } from '../../../client/conformance/law/bounds.ts';

const ZEROS = `0x${'0'.repeat(40)}`;

let desk: Desk;
before(async () => { desk = await Desk.open({ start: '2026-01-05T07:00:00Z', caps: {} }); });
after(() => desk?.close());

const limitOf = ({ headers }: Answer): number => Number(headers.get('x-ratelimit-limit'));
const leftOf = ({ headers }: Answer): number => Number(headers.get('x-ratelimit-remaining'));

/** By tier: the record of GET /user-tier, and the headers of an order, a cancel and a request. */
async function checkTier(tier: keyof typeof TIERS): Promise<void> {
  const [orders, cancels, requests, openOrders, positions] = TIERS[tier];
  const signer = someone();
  await desk.tier(signer, tier);
  const { body } = await desk.get(`/user-tier?wallet=${signer.address}`);
  assert.deepEqual(body.data, {
    wallet_address: signer.address, tier, limits: {
      max_open_orders: openOrders, max_open_positions: positions, orders_per_minute: orders, cancels_per_minute: cancels,
      api_requests_per_minute: requests,
    },
  });
  const placed = await desk.post('/order', order(signer, { symbol: LONG, price: '1' }));
  const cancelled = await desk.post('/cancel', cancel(signer, placed.body.order_id));
  const asked = await desk.post('/margin-mode', marginMode(signer, 'portfolio'));
  const read = await desk.get(`/portfolio?wallet=${signer.address}`);
  assert.deepEqual([placed, cancelled, asked, read].map(limitOf), [orders, cancels, requests, requests]);
}

/** How much of a budget a request takes: asked twice, since the minute may turn between the two answers. */
async function takes(count: number, what: string, ask: () => Promise<Answer>): Promise<void> {
  const spent: number[] = [];
  for (let i = 0; i < 3; i++) spent.push(leftOf(await ask()));
  const steps = spent.slice(1).map((left, i) => spent[i]! - left);
  assert.ok(steps.includes(count), `${what}: ${spent.join(', ')}`);
}

async function checkPlacements(): Promise<void> {
  const signer = someone();
  const terms = { symbol: LONG, price: '1', tif: 'ioc' };
  await takes(1, 'POST /order', () => desk.post('/order', order(signer, terms)));
  await takes(1, 'PUT /order', () => desk.send('PUT', '/order', replace(signer, 999_999, terms)));
  await takes(2, 'POST /bulk_order', () => desk.post('/bulk_order', { orders: [order(signer, terms), order(signer, terms)] }));
  const replacements = () => [replace(signer, 999_999, terms), replace(signer, 999_998, terms)];
  await takes(2, 'PUT /bulk_order', () => desk.send('PUT', '/bulk_order', { replacements: replacements() }));
}

async function checkCancellations(): Promise<void> {
  const signer = someone();
  for (const [method, path] of [['POST', '/cancel'], ['DELETE', '/order']] as const) {
    await takes(1, `${method} ${path}`, () => desk.send(method, path, cancel(signer, 999_999)));
  }
  for (const [method, path] of [['POST', '/cancel-by-cloid'], ['DELETE', '/order_cloid']] as const) {
    await takes(1, `${method} ${path}`, () => desk.send(method, path, cancelByCloid(signer, 'none')));
  }
  const ids = () => ({ cancels: [cancel(signer, 999_999), cancel(signer, 999_998)] });
  await takes(2, 'DELETE /bulk_order', () => desk.send('DELETE', '/bulk_order', ids()));
  const names = () => ({ cancels: [cancelByCloid(signer, 'none'), cancelByCloid(signer, 'nor this')] });
  await takes(2, 'DELETE /bulk_order_cloid', () => desk.send('DELETE', '/bulk_order_cloid', names()));
}

/** `passes` are taken, `fails` are 400 invalid_parameter. */
async function checkEdge(passes: Promise<Answer>, fails: Promise<Answer>): Promise<void> {
  const taken = await passes;
  assert.equal(taken.status, 200, taken.text);
  const refused = await fails;
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_parameter']);
}

const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

const CHECKS: { readonly [item: string]: () => Promise<void> } = {
  'GET /orderbook depth': async () => {
    const book = (depth: string) => desk.get(`/orderbook?instrument_name=${LONG}&depth=${depth}`);
    const signer = someone();
    await desk.tier(signer, 'market_maker');
    for (let i = 1; i <= 22; i++) await desk.rest(signer, { symbol: LONG, price: String(i), size: '0.001' });
    const levels = async (path: string): Promise<number> => (await desk.get(path)).body.bids.length;
    assert.equal(await levels(`/orderbook?instrument_name=${LONG}`), 20);
    assert.equal(await levels(`/orderbook?instrument_name=${LONG}&depth=1`), 1);
    assert.equal(await levels(`/orderbook?instrument_name=${LONG}&depth=501`), 22);
    await checkEdge(book('1'), book('0'));
  },
  'default test balance': async () => {
    const { body } = await desk.get(`/portfolio?wallet=${someone().address}`);
    assert.deepEqual([body.available_balance, body.margin_summary.equity], ['10000000', '10000000']);
  },
  'limits of the tier default': () => checkTier('default'),
  'limits of the tier tier1': () => checkTier('tier1'),
  'limits of the tier tier2': () => checkTier('tier2'),
  'limits of the tier market_maker': () => checkTier('market_maker'),
  'what is counted as placement': checkPlacements,
  'what is counted as cancellation': checkCancellations,
  'candles of a request': () => {
    const candles = (count: number) => desk.get(`/candles?resolution=1m&start_time_ms=0&end_time_ms=${count * 60_000}`);
    return checkEdge(candles(5_000), candles(5_001));
  },
  'simulated orders': () => {
    const legs = (count: number) => encodeURIComponent(JSON.stringify(many(count, { symbol: LONG, side: 'Buy', size: '1' })));
    const greeks = (count: number) => desk.get(`/portfolio/greeks?wallet=${ZEROS}&simulated_orders=${legs(count)}`);
    return checkEdge(greeks(100), greeks(101));
  },
  'simulated positions': () => {
    const grid = (count: number) => desk.post('/risk/simulate/portfolio', { positions: many(count, { symbol: LONG, amount: '1' }) });
    return checkEdge(grid(500), grid(501));
  },
  'payout ids of a request': () => {
    const signer = someone();
    const seen = (count: number) => {
      const [ids, nonce] = [Array.from({ length: count }, (_, i) => i + 1), freshNonce()];
      const message = { wallet: signer.address, payoutIds: ids.join(','), seen: true, nonce };
      const signature = signer.sign('SetSettlementPayoutSeen', message);
      return desk.post('/settlement-payouts/seen', { wallet: signer.address, ids, nonce, signature });
    };
    return checkEdge(seen(100), seen(101));
  },
};

test('every bound that no other test shows is checked here', () => {
  assert.deepEqual(Object.keys(CHECKS).sort(), BOUNDS.filter(({ shown }) => shown === undefined).map(({ item }) => item).sort());
});

for (const [item, check] of Object.entries(CHECKS)) test(`bound: ${item}`, check);
