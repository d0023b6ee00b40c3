// A running venue whose journal files are removed or replaced, and a second start on a folder whose lock file was removed.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createWallet, Http, signerFor, type RequestSigner, type Wallet } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { segmentPath } from '../../../shell/storage/journal/segment.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { refused } from './refused.ts';

const TOKEN = 'token-of-the-displaced-test';
const FLAGS = ['--feed', 'manual', '--admin-token', TOKEN, '--workers', '1'];
const ORDER = { symbol: 'BTC-PERP', side: 'Buy', size: '1', price: '90000' } as const;

type Running = { readonly venue: VenueProcess; readonly http: Http; readonly signer: RequestSigner; readonly wallet: Wallet };

async function running(t: TestContext, data: string): Promise<Running> {
  const venue = await VenueProcess.start({ data, flags: FLAGS });
  t.after(() => venue.kill());
  await venue.ready();
  const http = new Http(venue.url);
  t.after(() => http.close());
  const admin = { authorization: `Bearer ${TOKEN}` };
  assert.equal((await http.post('/admin/index-price', { underlying: 'BTC', price: '100000' }, admin)).status, 200);
  const signer = await signerFor(http);
  return { venue, http, signer, wallet: createWallet() };
}

const TAKEN: Record<string, (data: string) => void> = {
  'the journal is removed': (data) => fs.rmSync(segmentPath(data, 1)),
  'the log of the journal is removed': (data) => fs.rmSync(`${segmentPath(data, 1)}-wal`),
  'the data folder is moved': (data) => fs.renameSync(data, `${data}-moved`),
};

for (const [what, take] of Object.entries(TAKEN)) {
  test(`${what} while the venue runs: it stops before its next answer and says why`, async (t) => {
    const data = join(temporaryFolder(t), 'data');
    const { venue, http, signer, wallet } = await running(t, data);
    const first = await http.send(signer.placeOrder(wallet, ORDER));
    assert.equal(first.status, 200);
    take(data);
    const next = await http.send(signer.placeOrder(wallet, ORDER)).catch(() => null);
    assert.equal(next, null, 'nothing is acknowledged');
    const { signal, err } = await venue.ended;
    assert.equal(signal, 'SIGKILL');
    assert.match(err, /fatal in journal: .*segment-000001\.db\S* was removed or moved while the venue wrote it: nothing more is ack/);
    if (what === 'the journal is removed') return;
    // What was acknowledged is there where the segment itself is.
    const again = await running(t, fs.existsSync(data) ? data : `${data}-moved`);
    const open = JSON.parse((await again.http.get(`/orders?wallet=${wallet.address}`)).text) as { data: { order_id: number }[] };
    assert.ok(open.data.some(({ order_id: id }) => id === (JSON.parse(first.text) as { order_id: number }).order_id));
  });
}

test('a second start is refused although the lock file was removed, and the first venue trades on', {
  skip: process.platform !== 'linux' && 'only Linux has names that nobody can remove',
}, async (t) => {
  const data = join(temporaryFolder(t), 'data');
  const { venue, http, signer, wallet } = await running(t, data);
  for (const name of ['lock.db', 'lock.db-journal']) fs.rmSync(join(data, name), { force: true });
  assert.match(refused(['--data', data, '--port', '0']), /is in use by another process/);
  assert.equal((await http.send(signer.placeOrder(wallet, ORDER))).status, 200);
  while (!venue.err.includes('lock.db was removed or replaced and has been recreated')) await new Promise((then) => setTimeout(then, 20));
  assert.match(refused(['--data', data, '--port', '0']), /is in use by another process/);
  await venue.stop();
});
