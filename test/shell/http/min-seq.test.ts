// X-Strikebook-Seq and min_seq: an answer says up to which command it goes, and a read with `min_seq` has everything up to there, waits for
// it, or is refused by name.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SeqWaits } from '../../../shell/http/min-seq.ts';
import type { Responder } from '../../../shell/http/message.ts';
import { ADMIN_TOKEN, option, startVenue, trader } from '../../client/venue.ts';

const { url } = await startVenue({ after });

async function read(path: string): Promise<{ status: number; seq: number; body: unknown }> {
  const answer = await fetch(url + path);
  return { status: answer.status, seq: Number(answer.headers.get('x-strikebook-seq')), body: await answer.json() };
}

test('an order\'s answer names its command, and every later read goes at least as far', async () => {
  const client = await trader(url);
  assert.ok(client.seq > 0, 'connecting has read');
  const { symbol, low } = await option(client);
  let last = client.seq;
  for (let nth = 0; nth < 20; nth++) {
    const seqs: (number | null)[] = [];
    const order = await client.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low }, { onAnswer: ({ seq }) => seqs.push(seq) });
    assert.ok(seqs[0]! > last, 'each order is a command of its own');
    last = seqs[0]!;
    assert.equal(client.seq, last);
    const { status, seq, body } = await read(`/orders/status?wallet=${client.wallet}&order_id=${order.order_id}&min_seq=${last}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(seq >= last);
    assert.equal((body as { data: { order_id: number } }).data.order_id, order.order_id);
  }
});

test('a rejected order\'s answer goes as far as the reads before it, and a bulk as far as its last order', async () => {
  const client = await trader(url);
  const { symbol, low } = await option(client);
  await client.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low, client_id: 'one' });
  const before = client.seq;
  const seqs: (number | null)[] = [];
  const onAnswer = ({ seq }: { seq: number | null }): void => void seqs.push(seq);
  await client.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low, client_id: 'one' }, { onAnswer });
  assert.ok(seqs[0]! >= before);
  const order = { symbol, side: 'Buy', size: '0.1', price: low } as const;
  await client.placeOrders([order, order, order], { onAnswer });
  assert.ok(seqs[1]! >= seqs[0]! + 3);
});

test('an operator\'s write names its command, and a refused one none', async () => {
  const halt = async (scope: string): Promise<[status: number, seq: number]> => {
    const { status, headers } = await fetch(`${url}/admin/halt`, {
      method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scope, mode: 'open' }),
    });
    return [status, Number(headers.get('x-strikebook-seq'))];
  };
  const { seq: before } = await read('/markets');
  const [status, seq] = await halt('ETH');
  assert.deepEqual([status, seq > before], [200, true]);
  assert.ok((await read(`/markets?min_seq=${seq}`)).seq >= seq);
  const [refused, none] = await halt('DOGE');
  assert.ok(refused >= 400 && none === 0, `${refused} ${none}`);
});

test('a read of a command that does not come is 503 behind after a second, with what to do', async () => {
  const { seq } = await read('/time');
  assert.equal(seq, 0, 'the time is not of a command');
  const { seq: now } = await read('/markets');
  const asked = performance.now();
  const { status, body } = await read(`/markets?min_seq=${now + 1_000_000}`);
  assert.equal(status, 503);
  assert.deepEqual(body, { error: 'behind', message: `This node has not reached seq ${now + 1_000_000} yet`, retry_after_secs: 1 });
  assert.ok(performance.now() - asked >= 900, 'it has waited');
  // Beyond 2^32 the low words alone would compare wrongly.
  for (const far of [now + 2 ** 32, now + 2 ** 31, Number.MAX_SAFE_INTEGER]) {
    assert.equal((await read(`/markets?min_seq=${far}`)).status, 503, String(far));
  }
  for (const bad of ['-1', 'x', '1.5', '']) assert.equal((await read(`/markets?min_seq=${bad}`)).status, 400, bad);
});

test('a read waits for a command that comes within the second', async () => {
  const client = await trader(url);
  const { symbol, low } = await option(client);
  await client.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low });
  const asked = read(`/orders?wallet=${client.wallet}&min_seq=${client.seq + 1}`);
  await client.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low, client_id: 'awaited' });
  const { status, body } = await asked;
  assert.equal(status, 200);
  assert.ok((body as { data: { client_id: string }[] }).data.length >= 1);
});

test('a waiting read whose client has left is dropped, and one whose handler fails is a 500', async () => {
  let reached = 0;
  const faults: unknown[] = [];
  const waits = new SeqWaits((seq) => seq <= reached, () => 0, (_, error) => void faults.push(error));
  const sent: number[] = [];
  const responder = (aborted: boolean): Responder => ({ aborted, send: (status) => void sent.push(status) });
  const went: string[] = [];
  waits.when(0, responder(false), 'bare', () => went.push('at once'));
  waits.when(1, responder(true), 'bare', () => went.push('left'));
  waits.when(1, responder(false), 'bare', () => went.push('waited'));
  waits.when(1, responder(false), 'bare', () => { throw new Error('a fault of the handler'); });
  waits.when(1, responder(false), 'bare', async () => { throw new Error('a later fault'); });
  assert.deepEqual(went, ['at once']);
  reached = 1;
  while (faults.length < 2) await sleep(1);
  assert.deepEqual(went, ['at once', 'waited']);
  assert.deepEqual(sent, [500, 500]);
});
