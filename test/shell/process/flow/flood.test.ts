// Sockets that send only pings or pongs, as fast as they can, and reconnect whenever they are closed, against a whole venue.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createWallet, Http, signerFor } from '../../../../scripts/client.ts';
import { VenueProcess } from '../../../../scripts/venue-process.ts';
import { PING, PONG } from '../../http/server/frames.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const ORDERS = 20;
const LIMIT = { timeout: 60_000 };

async function flooded(t: TestContext, opcode: number): Promise<{ venue: VenueProcess; flood: Worker }> {
  const flags = ['--feed', 'sim', '--workers', '1', '--trust-proxy', 'on'];
  const venue = await VenueProcess.start({ data: join(temporaryFolder(t), 'data'), flags });
  t.after(() => venue.kill());
  await venue.ready();
  const flood = new Worker(new URL('./flood.ts', import.meta.url), { workerData: { port: Number(new URL(venue.url).port), opcode } });
  t.after(() => flood.terminate());
  return { venue, flood };
}

for (const [name, opcode] of [['pings', PING], ['pongs', PONG]] as const) {
  test(`while 24 sockets of another source flood ${name}, orders are accepted and the venue stops cleanly`, LIMIT, async (t) => {
    const { venue, flood } = await flooded(t, opcode);
    const http = new Http(venue.url);
    t.after(() => http.close());
    await once(flood, 'message');
    const sign = await signerFor(http);
    const wallet = createWallet();
    const [contract] = (await http.get('/instruments?currency=BTC')).body as { instrument_name: string }[];
    const symbol = contract!.instrument_name;
    for (let i = 0; i < ORDERS; i++) {
      const { status, body } = await http.send(sign.placeOrder(wallet, { symbol, side: 'Buy', size: '0.1', price: '1', tif: 'gtc' }));
      assert.deepEqual([status, (body as { status: string }).status], [200, 'ACKED'], JSON.stringify(body));
    }
    const { code, out, err } = await venue.stop();
    assert.equal(code, 0, err);
    assert.match(out, /^stopped at seq /m);
  });
}
