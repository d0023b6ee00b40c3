// A settlement through a real venue: a payout is marked as seen by its own wallet, once, and by no other.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Wallet } from '../../../scripts/client.ts';
import { RestVenue, type Body } from './venue.ts';

let venue: RestVenue;
/** The day of the nearest expiry; what comes before it takes none of the venue's time, however slow the machine is. */
const EXPIRY = '2026-01-05';
before(async () => { venue = await RestVenue.start(null, ['--clock-start', `${EXPIRY}T07:58:30Z`, '--clock-speed', '0.1']); });
after(() => venue.stop());

async function payouts(wallet: Wallet): Promise<Body[]> {
  return (await venue.get(`/settlement-payouts?wallet=${wallet.address}`)).body['data'] as Body[];
}

test('a payout is marked as seen by its own wallet, once, and by no other', async () => {
  const symbol = (await venue.symbols()).find((name) => name.startsWith(`BTC-${EXPIRY.replaceAll('-', '')}`) && name.endsWith('-C'))!;
  assert.ok(symbol !== undefined, 'the expiry of the day is listed');
  const [long, short] = [await venue.opened(symbol), await venue.opened(symbol)];
  await venue.send(venue.sign.placeOrder(long, { symbol, side: 'Buy', size: '2', price: '100' }));
  const sold = await venue.send(venue.sign.placeOrder(short, { symbol, side: 'Sell', size: '2', price: '100' }));
  assert.equal(sold.body['filled_size'], 2, JSON.stringify(sold.body));
  venue = await venue.at(`${EXPIRY}T08:00:00Z`);
  const settle = () => venue.admin('POST', '/admin/settlement-price', { underlying: 'BTC', expiry: EXPIRY, price: '200000' });
  while ((await settle()).status !== 200) await sleep(100);
  while ((await payouts(long)).length === 0 || (await payouts(short)).length === 0) await sleep(20);
  const [own] = await payouts(long) as [Body];
  const [other] = await payouts(short) as [Body];
  assert.notEqual(own['id'], other['id']);
  assert.equal(own['is_seen'], false);
  const foreign = await venue.send(venue.sign.seePayouts(long, [own['id'], other['id']]));
  assert.deepEqual([foreign.status, foreign.body], [403, {
    success: false, data: null, error: 'forbidden', message: 'A payout that is named belongs to another wallet',
  }]);
  const seen = venue.sign.seePayouts(long, [own['id']]);
  assert.deepEqual((await venue.send(seen)).body, { success: true, requested: 1, affected: 1, error: null });
  const replayed = await venue.send(seen);
  assert.deepEqual([replayed.body['affected'], replayed.headers['idempotent-replay']], [1, 'true']);
  const twice = await venue.send(venue.sign.seePayouts(long, [own['id']]));
  assert.deepEqual(twice.body, { success: true, requested: 1, affected: 0, error: null });
  assert.deepEqual((await payouts(long)).map(({ is_seen: isSeen }) => isSeen), [true]);
  assert.deepEqual((await payouts(short)).map(({ is_seen: isSeen }) => isSeen), [false]);
});
