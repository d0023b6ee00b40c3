// How much memory the first orders add to a venue: only the pages that are used, counted page by page from /proc.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createWallet, Http, signerFor } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const ORDERS = 1_000;
const WALLETS = 10;
const MOST_ADDED = 100_000_000;
/** A kernel that gives out huge pages unasked has its own idea of what is used. */
const HUGE = '/sys/kernel/mm/transparent_hugepage/enabled';

function isMeasured(): boolean {
  try {
    return !readFileSync(HUGE, 'utf8').includes('[always]');
  } catch {
    return process.platform === 'linux';
  }
}

/** Bytes of the process that are in memory. */
function residentBytes(pid: number): number {
  return 1_024 * Number(/^VmRSS:\s+([0-9]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
}

test('the first 1,000 orders add less than 100 MB to a venue', { skip: isMeasured() ? false : 'not on this system' }, async (t) => {
  const data = join(temporaryFolder(t), 'data');
  const venue = await VenueProcess.start({ data, flags: ['--feed', 'sim', '--rate-limits', 'off', '--workers', '1'] });
  t.after(() => venue.kill());
  await venue.ready();
  const http = new Http(venue.url);
  t.after(() => http.close());
  const sign = await signerFor(http);
  const symbols = ((await http.get('/instruments?currency=BTC')).body as { instrument_name: string }[]).map((one) => one.instrument_name);
  const wallets = Array.from({ length: WALLETS }, () => createWallet());
  const before = residentBytes(venue.pid);
  for (let i = 0; i < ORDERS; i++) {
    const terms = { symbol: symbols[i * 7 % symbols.length]!, side: i % 2 === 0 ? 'Sell' : 'Buy', size: '0.1', price: '500' } as const;
    const { body } = await http.send(sign.placeOrder(wallets[i % WALLETS]!, { ...terms, tif: i % 3 === 0 ? 'ioc' : 'gtc' }));
    assert.equal((body as { status: string }).status, 'ACKED', JSON.stringify(body));
  }
  const added = residentBytes(venue.pid) - before;
  assert.ok(added < MOST_ADDED, `${Math.round(added / 1e6)} MB`);
  t.diagnostic(`${Math.round(added / 1e6)} MB more than ${Math.round(before / 1e6)}`);
});
