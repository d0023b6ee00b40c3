// The page on a cluster behind one address: its leader is killed, the page says that the venue is away, and goes on with the next leader
// without a reload: what it shows is what that one answers.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect, createPrivateKey, privateKeySigner, roundPrice } from '../../client/src/main.ts';
import { price, signed } from '../../client/terminal/format.ts';
import { MISSING } from '../brokers/brokers.ts';
import { HAS_CHROMIUM, openPage } from '../support/browser.ts';
import { leads, reaches, TestCluster } from '../support/cluster.ts';
import { lastFirst, temporaryFolder, type Ends } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { agree } from './agree.ts';
import { AWAY } from './market.ts';

const PERP = 'BTC-PERP';
const SKIP = { skip: HAS_CHROMIUM ? MISSING : 'no Chromium is installed', timeout: 280_000 };

test('given a cluster, when its leader is killed, then the page is away, and trades on with the next leader', SKIP, async (t) => {
  const ends = lastFirst(t);
  const cluster = await TestCluster.start(ends);
  const first = await cluster.first('one', temporaryFolder(ends));
  const second = await cluster.node('two', temporaryFolder(ends));
  await second.ready();
  const address = await balancer(ends, Number(new URL(first.url).port));
  const page = await openPage(ends, address.url, { path: `/?contract=${PERP}`, expected: AWAY });
  page.setDefaultTimeout(60_000);
  const me = await throwawayOf(page, address.url);
  const maker = await connect(address.url, { signer: privateKeySigner(createPrivateKey()) });
  const buy = async (): Promise<void> => {
    const { mark_price: mark } = await maker.get('/orderbook', { instrument_name: PERP });
    const order = { symbol: PERP, size: '0.1', price: roundPrice(mark, 'near') } as const;
    assert.equal((await maker.placeOrder({ ...order, side: 'Sell' })).status, 'ACKED');
    assert.equal((await me.placeOrder({ ...order, side: 'Buy' })).filled_size, 0.1);
  };
  const cells = page.getByRole('grid', { name: 'Positions' }).locator('tbody tr').first().locator('td');
  const same = () => agree(async () => {
    const { positions } = await me.get('/portfolio', { wallet: me.wallet });
    return positions.map(({ amount, entry_price: entry }) => [PERP, signed(amount), price(entry)]);
  }, async () => [(await cells.allTextContents()).slice(0, 3)]);
  await buy();
  await same();
  const { head_seq: head } = await me.get('/exchange-info', {});
  await reaches(second, head);
  await page.evaluate(() => Object.assign(window, { isSame: true }));
  await first.kill();
  const away = page.locator('.banner').filter({ hasText: 'The venue has not answered since' });
  await away.waitFor();
  await leads(second);
  address.lead(Number(new URL(second.url).port));
  await away.waitFor({ state: 'detached' });
  await same();
  await buy();
  await page.getByRole('gridcell', { name: '+0.2', exact: true }).waitFor();
  await same();
  assert.equal(await page.evaluate(() => (window as unknown as { readonly isSame?: boolean }).isSame), true);
});

/** One address that leads to one node after the other. */
async function balancer(ends: Ends, port: number): Promise<{ readonly url: string; lead(to: number): void }> {
  let target = port;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const node = connectTo(target, '127.0.0.1');
    for (const [one, other] of [[socket, node], [node, socket]] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lead: (to) => { target = to; } };
}
