// A venue in which one wallet has traded a perp with another, through the client library: what the published clients
// tell of it is compared with our own answers.

import { privateKeySigner, createPrivateKey } from '../../client/src/signer.ts';
import { connect, type Strikebook } from '../../client/src/main.ts';
import { VenueProcess } from '../../scripts/venue-process.ts';
import { temporaryFolder, type Ends } from '../support/temporary.ts';

export const SYMBOL = 'BTC-PERP';
export const CLOID = `0x${'c1'.repeat(16)}`;
const TOKEN = 'a-token-of-the-client-tests';

export type TradedVenue = {
  readonly venue: VenueProcess; readonly url: string; readonly data: string; readonly key: string; readonly trader: Strikebook;
  readonly maker: Strikebook;
};

/** The trader is long 0.3 with an open order, one that waits for a trigger, and one that was cancelled. */
export async function tradedVenue(t: Ends): Promise<TradedVenue> {
  const opened = await openedVenue(t);
  const { maker, trader } = opened;
  const order = { symbol: SYMBOL, tif: 'gtc' } as const;
  await maker.placeOrder({ ...order, side: 'Sell', size: '1', price: '100100' });
  await maker.placeOrder({ ...order, side: 'Sell', size: '2', price: '100200' });
  await maker.placeOrder({ ...order, side: 'Buy', size: '1', price: '99900' });
  await trader.placeOrder({ ...order, side: 'Buy', size: '0.5', price: '100100', tif: 'ioc' });
  await trader.placeOrder({ ...order, side: 'Sell', size: '0.2', price: '99900', tif: 'ioc' });
  await trader.placeOrder({ ...order, side: 'Buy', size: '0.1', price: '99000', client_id: CLOID });
  await trader.stopMarket({ symbol: SYMBOL, side: 'Sell', size: '0.3', price: '90000', stop: '95000', by: 'mark' });
  const { order_id: id } = await trader.placeOrder({ ...order, side: 'Buy', size: '0.4', price: '98000' });
  await trader.cancelOrder(id!);
  return opened;
}

async function openedVenue(t: Ends): Promise<TradedVenue> {
  const data = temporaryFolder(t);
  const venue = await startedVenue(t, data);
  const { url } = venue;
  await setIndex(url, 'BTC', '100000');
  await setIndex(url, 'ETH', '3500.5');
  const key = createPrivateKey();
  const [trader, maker] = await Promise.all([key, createPrivateKey()].map((one) => connect(url, { signer: privateKeySigner(one) })));
  return { venue, url, data, key, trader: trader!, maker: maker! };
}

export async function startedVenue(t: Ends, data: string, port?: number): Promise<VenueProcess> {
  const venue = await VenueProcess.start({
    data, flags: ['--feed', 'manual', '--workers', '1', '--rate-limits', 'off', '--admin-token', TOKEN],
    ...(port !== undefined && { port }),
  });
  t.after(() => venue.kill());
  await venue.ready();
  return venue;
}

async function setIndex(url: string, underlying: string, price: string): Promise<void> {
  await fetch(`${url}/admin/index-price`, {
    method: 'POST', headers: { authorization: `Bearer ${TOKEN}` }, body: JSON.stringify({ underlying, price }),
  });
}
