// Two wallets trade through the real venue: their portfolios are opposite to the micro, and a history that was deleted is made
// again from the journal, row for row.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWallet, Http, signerFor, type OrderUpdate } from '../../scripts/client.ts';
import { VenueProcess } from '../../scripts/venue-process.ts';

type Portfolio = { positions: { amount: string }[]; margin_summary: { equity: string } };

const micros = (text: string): bigint => {
  const [whole, part = ''] = text.split('.') as [string, string?];
  return BigInt(whole + part.padEnd(6, '0'));
};

test('two wallets trade, their portfolios are opposite to the micro; a deleted history is made again from the journal', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-history-'));
  let venue = await VenueProcess.start({ data: folder, flags: ['--workers', '1'] });
  await venue.ready();
  const http = new Http(venue.url);
  const signer = await signerFor(http);
  let symbols: { instrument_name: string }[] = [];
  while (symbols.length < 100) {
    symbols = (await http.get('/instruments?currency=ETH')).body as { instrument_name: string }[];
    await sleep(20);
  }
  const [maker, taker] = [createWallet(), createWallet()];
  for (let i = 0; i < 10; i++) {
    const terms = { symbol: symbols[i * 9]!.instrument_name, size: '1.234567', price: '12.345' };
    const rested = (await http.send(signer.placeOrder(maker, { ...terms, side: 'Sell' }))).body as OrderUpdate;
    const taken = (await http.send(signer.placeOrder(taker, { ...terms, side: 'Buy', tif: 'ioc' }))).body as OrderUpdate;
    assert.deepEqual([rested.status, taken.status, taken.filled_size], ['ACKED', 'ACKED', 1.234567]);
  }
  const portfolioOf = async (wallet: string) => (await http.get(`/portfolio?wallet=${wallet}`)).body as Portfolio;
  const [a, b] = [await portfolioOf(maker.address), await portfolioOf(taker.address)];
  assert.deepEqual(a.positions.map(({ amount }) => amount).sort(), b.positions.map(({ amount }) => `-${amount}`).sort());
  // The index may tick between the two reads: cash alone is compared through the fills, equity only loosely here.
  const drift = micros(a.margin_summary.equity) + micros(b.margin_summary.equity) - 20_000_000_000_000n;
  assert.ok(drift < 2_000_000_000n && drift > -2_000_000_000n, `equities differ by ${drift} micros`);

  const paths = [`/fills?wallet=${maker.address}`, `/fills?wallet=${taker.address}`, '/trades', `/orders?wallet=${maker.address}`];
  const before = await Promise.all(paths.map(async (path) => (await http.get(path)).body));
  assert.equal((before[0] as { data: unknown[] }).data.length, 10);
  http.close();
  await venue.stop();
  for (const name of readdirSync(folder)) if (name.startsWith('history.db')) rmSync(join(folder, name));

  // Neither a feed nor the clock moves the marks between two reads.
  const still = ['--feed', 'manual', '--clock-start', `${new Date().toISOString().slice(0, 19)}Z`, '--clock-speed', '0.001'];
  venue = await VenueProcess.start({ data: folder, flags: ['--workers', '1', ...still] });
  await venue.ready();
  const again = new Http(venue.url);
  assert.deepEqual(await Promise.all(paths.map(async (path) => (await again.get(path)).body)), before);
  // The two equities are exactly opposite about what both began with.
  let sum = 0n;
  for (const { address } of [maker, taker]) {
    sum += micros(((await again.get(`/portfolio?wallet=${address}`)).body as Portfolio).margin_summary.equity);
  }
  assert.equal(sum, 20_000_000_000_000n);
  again.close();
  await venue.stop();
  rmSync(folder, { recursive: true, force: true });
});
