// Published signatures are accepted by a venue: each limit order of another venue's vectors and each request of the live client is sent
// as JSON of this interface and accepted as its signer's. What only the hash of a vector shows (vaults, triggers, expiries) is in
// test/shell/api/auth/.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { concat, toBeHex } from 'ethers';
import { Harness } from '../../shell/api/harness.ts';

type Limit = {
  readonly a: number; readonly b: boolean; readonly p: string; readonly s: string; readonly r: boolean; readonly c?: string;
  readonly t: { readonly limit?: { readonly tif: string } };
};
type Vector = {
  readonly name: string; readonly address: string; readonly nonce: number; readonly agentSource: string;
  readonly action: { readonly orders?: readonly Limit[] };
  readonly expected?: { readonly r: string; readonly s: string; readonly v: number };
};
type Golden = { readonly encodeType: string; readonly message: Record<string, any>; readonly signature: string; readonly signer: string };
type File = { readonly l1_action_vectors: readonly Vector[]; readonly hypercall_eip712_golden: readonly Golden[] };

const UNDERLYINGS = ['BTC', 'ETH'];
const { l1_action_vectors: perps, hypercall_eip712_golden: golden } = JSON.parse(
  readFileSync(new URL('../../vectors/signing.json', import.meta.url), 'utf8'),
) as File;
const limits = perps.filter(({ action, expected, agentSource }) => (
  action.orders?.[0]?.t.limit !== undefined && expected !== undefined && agentSource === 'b'
));

function venueOf(t: { after(work: () => void): void }, flags: readonly string[] = []): Harness {
  const venue = new Harness({ flags });
  t.after(() => venue.close());
  return venue;
}

test('the published vectors contain limit orders, signed for a test chain', () => {
  assert.deepEqual(limits.map(({ name }) => name), ['limit order', 'limit order with cloid', 'order base']);
});

for (const { name, address, nonce, action, expected } of limits) {
  test(`a published perp order is accepted by this venue: ${name}`, async (t) => {
    const venue = venueOf(t);
    const [order] = action.orders!;
    const underlying = UNDERLYINGS[order!.a]!;
    const body = {
      wallet: address, symbol: `${underlying}-PERP`, underlying, side: order!.b ? 'Buy' : 'Sell', size: order!.s, price: order!.p,
      tif: order!.t.limit!.tif.toLowerCase(), client_id: order!.c ?? '', reduce_only: order!.r, nonce,
      signature: concat([expected!.r, expected!.s, toBeHex(expected!.v)]),
    };
    const { status, body: update } = await venue.post('/order', body);
    const { status: state, wallet_address: wallet, info } = update;
    assert.deepEqual([status, state, wallet, info?.nonce], [200, 'ACKED', address, nonce], JSON.stringify(update));
    const changed = await venue.post('/order', { ...body, nonce: nonce + 1 });
    assert.deepEqual([changed.status, changed.body.error], [401, 'unauthorized']);
  });
}

/** Path and body of each structure among the live client's golden signatures. */
const REQUESTS: { readonly [structure: string]: (message: Record<string, any>) => readonly [path: string, body: object] } = {
  ApproveAgent: ({ agent, nonce }) => ['/approve-agent', { agent, nonce }],
  PlaceOrder: ({ clientId, ...message }) => ['/order', { ...message, client_id: clientId }],
  CancelOrder: ({ wallet, orderId, nonce }) => ['/cancel', { wallet, order_id: Number(orderId), nonce }],
  SetMarginMode: ({ wallet, marginMode, nonce }) => ['/margin-mode', { wallet, margin_mode: marginMode, nonce }],
};

for (const { encodeType, message, signature, signer } of golden) {
  const structure = encodeType.slice(0, encodeType.indexOf('('));
  test(`a golden signature of the live client is accepted: ${structure}`, async (t) => {
    const venue = venueOf(t, ['--service-name', 'Hypercall']);
    const [path, body] = REQUESTS[structure]!(message);
    const { status, body: answer } = await venue.post(path, { ...body, signature });
    assert.equal(status, 200, JSON.stringify(answer));
    if ('wallet' in message) assert.equal(message['wallet'], signer);
    const other = await venue.post(path, { ...body, nonce: message['nonce'] + 1_000, signature });
    // Whoever signs an approval is its wallet: of another nonce, it is another one's.
    if (structure !== 'ApproveAgent') assert.deepEqual([other.status, other.body.error], [401, 'unauthorized']);
  });
}
