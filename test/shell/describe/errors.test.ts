// Refusals of a running venue against the description of their route: one that answers {success, data, error}, one that answers bare,
// each before and after the route is found.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createWallet, type Answer, type Request, type Wallet } from '../../../scripts/client.ts';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { RestVenue } from '../../e2e/rest/venue.ts';
import { closed, createAjv } from './closed.ts';
import type { Document } from './served.ts';

const ajv = createAjv();
const ELSEWHERE = { 'x-forwarded-for': '203.0.113.7' };
let venue: RestVenue;
let document: Document;

before(async () => {
  // Nobody may cancel, so that each is refused for its rate.
  venue = await RestVenue.start({ default: { cancels: 0 } }, ['--trust-proxy', 'on', '--workers', '1']);
  document = (await venue.get('/openapi.json')).body as unknown as Document;
});
after(() => venue.stop());

async function refused(request: Request, status: number, isWrapped: boolean): Promise<void> {
  const answer: Answer = await venue.send(request);
  const name = `${request.method} ${request.path.split('?')[0]!}`;
  assert.equal(answer.status, status, `${name}: ${answer.text}`);
  assert.equal('success' in (answer.body as object), isWrapped, `${name}: ${answer.text}`);
  const described = document.paths[request.path.split('?')[0]!]![request.method.toLowerCase()]!.responses[status]?.content;
  assert.ok(described, `${name} has no ${status}`);
  const validate = ajv.compile(closed(described['application/json']!.schema, document.components));
  assert.ok(validate(answer.body), `${name}: ${ajv.errorsText(validate.errors)} in ${answer.text}`);
}

test('a spent budget of a wallet or a source is refused as the route\'s description says', async () => {
  const symbol = 'BTC-PERP';
  const wallet = await venue.opened(symbol);
  const { sign } = venue;
  const byId = sign.cancel(wallet, 1);
  await refused({ ...byId, method: 'DELETE', path: '/order' }, 429, true);
  await refused({ ...sign.cancelByCloid(wallet, 'a'), method: 'DELETE', path: '/order_cloid' }, 429, true);
  await refused(sign.cancelAll(wallet), 429, true);
  await refused(sign.cancel(wallet, 1), 429, false);
  const one = { method: 'GET', path: '/docs/none', headers: ELSEWHERE };
  await Promise.all(Array.from({ length: BOUNDS.sourceRequests }, () => venue.send(one)));
  await refused({ ...sign.cancelAll(wallet), headers: ELSEWHERE }, 429, false);
  await refused({ ...sign.cancel(wallet, 1), headers: ELSEWHERE }, 429, false);
});

test('an account beyond the exact range gets the described errors from /portfolio and /profile', async () => {
  const [buyer, seller] = [createWallet(), createWallet()];
  const index = (price: string) => venue.admin('POST', '/admin/index-price', { underlying: 'BTC', price });
  const place = (wallet: Wallet, side: 'Buy' | 'Sell') => (
    venue.send(venue.sign.placeOrder(wallet, { symbol: 'BTC-PERP', side, size: '50', price: '1000' }))
  );
  await index('1000');
  await place(seller, 'Sell');
  await place(buyer, 'Buy');
  await index('1000000000');
  await refused({ method: 'GET', path: `/portfolio?wallet=${buyer.address}` }, 503, true);
  await refused({ method: 'GET', path: `/profile?wallet=${buyer.address}` }, 503, false);
});

test('/metrics from outside loopback needs the admin token, as described', async () => {
  await refused({ method: 'GET', path: '/metrics', headers: { 'x-forwarded-for': '203.0.113.8' } }, 401, false);
  assert.deepEqual(document.paths['/metrics']!['get']!.security, [{}, { admin: [] }]);
});
