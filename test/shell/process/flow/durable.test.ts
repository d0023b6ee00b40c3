// What a client may see of a real venue: its own write in every later read on any api thread, and nothing that is not yet durable.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, requestBytes } from '../../../../bench/http-load.ts';
import { createWallet, Http, signerFor, type RequestSigner, type Wallet } from '../../../../scripts/client.ts';
import { VenueProcess } from '../../../../scripts/venue-process.ts';
import { readConfig, type Config } from '../../../../shell/process/config.ts';
import { Venue, type StopResult } from '../../../../shell/process/venue.ts';
import { DISK_STATES } from '../../../../shell/process/wiring.ts';

const PAIRS = process.env['STRIKEBOOK_LONG'] === '1' ? 10_000 : 1_000;
const LANES = 40;
/** By far longer than it is looked at the stall. */
const STALL_MS = 60_000;
/** It is looked for so long, and so often. */
const LOOKED_MS = 750;
const LOOKS = 11;

function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), 'strikebook-durable-'));
}

/** A venue in this process, whose threads the test can reach; it is gone after the test. */
async function openHere(
  t: TestContext, durability = 'full',
): Promise<{ venue: Venue; http: Http; signer: RequestSigner; symbol: string; folder: string }> {
  const folder = freshFolder();
  const flags = ['--port', '0', '--data', folder, '--workers', '1', '--rate-limits', 'off', '--feed', 'sim', '--durability', durability];
  const venue = await Venue.open(readConfig(flags, {}) as Config);
  await venue.start();
  const http = new Http(`http://127.0.0.1:${venue.config.port}`);
  t.after(async () => {
    http.close();
    await venue.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { venue, http, signer: await signerFor(http), symbol: await firstSymbol(http), folder };
}

async function firstSymbol(http: Http): Promise<string> {
  for (let attempt = 0; attempt < 2_400; attempt++) {
    const { body } = await http.get('/instruments?currency=BTC');
    if (Array.isArray(body) && body.length > 0) return (body[0] as { instrument_name: string }).instrument_name;
    await sleep(25);
  }
  return assert.fail('nothing was listed');
}

/** Rests an order and cancels it in turn on one connection, and after each reads the open orders on the next of the others. */
async function writeAndRead(port: number, signer: RequestSigner, wallet: Wallet, symbol: string, pairs: number): Promise<void> {
  const writer = await Connection.open(port);
  const readers = await Promise.all(Array.from({ length: 6 }, () => Connection.open(port)));
  const read = requestBytes('GET', `/orders?wallet=${wallet.address}&status=open`, '');
  let open: number | null = null;
  for (let i = 0; i < pairs; i++) {
    const request = open === null
      ? signer.placeOrder(wallet, { symbol, side: 'Buy', size: '0.01', price: '1' })
      : signer.cancel(wallet, open);
    const answer = await writer.request(requestBytes(request.method, request.path, request.body!));
    const update = JSON.parse(answer.body.toString()) as { status: string; order_id: number };
    assert.equal(update.status, open === null ? 'ACKED' : 'CANCELED', answer.body.toString());
    open = open === null ? update.order_id : null;
    const page = JSON.parse((await readers[i % readers.length]!.request(read)).body.toString()) as { data: { order_id: number }[] };
    assert.deepEqual(page.data.map((order) => order.order_id), open === null ? [] : [open], `pair ${i}`);
  }
  for (const connection of [writer, ...readers]) connection.close();
}

test(`two api threads: each of ${PAIRS} writes is in the next read on another connection`, async () => {
  const folder = freshFolder();
  const venue = await VenueProcess.start({ data: folder, flags: ['--workers', '2', '--rate-limits', 'off'] });
  try {
    await venue.ready();
    const http = new Http(venue.url);
    const signer = await signerFor(http);
    const symbol = await firstSymbol(http);
    const port = Number(new URL(venue.url).port);
    await Promise.all(Array.from({ length: LANES }, () => writeAndRead(port, signer, createWallet(), symbol, PAIRS / LANES)));
    http.close();
  } finally {
    await venue.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('while a commit is stalled, no answer and no read shows the order', async (t) => {
  const { venue, http, signer, symbol } = await openHere(t);
  const wallet = createWallet();
  const gate = new Int32Array(new SharedArrayBuffer(8));
  venue.journal!.post({ type: 'stall', ms: STALL_MS, gate });
  // It begins with the commit of an index price.
  while (Atomics.load(gate, 1) === 0) await sleep(5);
  let isAnswered = false;
  const sentAt = performance.now();
  const order = http.send(signer.placeOrder(wallet, { symbol, side: 'Buy', size: '0.01', price: '1' })).then((answer) => {
    isAnswered = true;
    return answer;
  });
  for (let looks = 0; performance.now() - sentAt < LOOKED_MS || looks < LOOKS; looks++) {
    const { body } = await http.get(`/orders?wallet=${wallet.address}`);
    assert.ok(!isAnswered, `answered after ${looks} looks, before its commit`);
    assert.deepEqual((body as { data: unknown[] }).data, []);
  }
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  assert.equal((await order).status, 200);
  const { body } = await http.get(`/orders?wallet=${wallet.address}`);
  assert.equal((body as { data: unknown[] }).data.length, 1);
});

test('on a low disk orders are refused and cancels work; a full disk stops the venue', async (t) => {
  const { venue, http, signer, symbol } = await openHere(t);
  const wallet = createWallet();
  const place = () => http.send(signer.placeOrder(wallet, { symbol, side: 'Buy', size: '0.01', price: '1' }));
  const first = (await place()).body as { order_id: number };
  venue.journal!.post({ type: 'disk', state: 'low' });
  while (venue.counters.counter('disk').load() !== DISK_STATES.low) await sleep(5);
  const refused = await place();
  assert.equal(refused.status, 503, refused.text);
  const cancelled = await http.send(signer.cancel(wallet, first.order_id));
  assert.equal((cancelled.body as { status: string }).status, 'CANCELED');
  const stopped = new Promise<StopResult | null>((resolve) => venue.onDiskFull(() => resolve(venue.stop())));
  venue.journal!.post({ type: 'disk', state: 'stop' });
  assert.ok((await stopped)!.seq > 0);
});
