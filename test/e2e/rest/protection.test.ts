// The answer to an order whose own fills breach its wallet's limits (decision 5.8): ACKED with its id, filled size, `mmp_triggered` and
// reason, by REST, in bulks and by socket, first and repeated, also after a restart. The counterparty's order is answered as any other.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mmpConfig, order, replace } from '../../shell/api/requests.ts';
import { ethersSigner } from '../../shell/api/wallets.ts';
import { RestVenue, type Body } from './venue.ts';

type Signer = ReturnType<typeof ethersSigner>;
type Ask = (signed: Body) => Promise<Body>;
/** One way to send an order; `type`: of the message by socket. */
type Way = { readonly name: string; readonly method: 'POST' | 'PUT'; readonly type: string; readonly list: string };

const REASON = 'MMP triggered during fill processing';
const WAYS: readonly Way[] = [
  { name: 'place', method: 'POST', type: 'PlaceOrder', list: 'orders' },
  { name: 'replace', method: 'PUT', type: 'ReplaceOrder', list: 'replacements' },
];

let venue: RestVenue;
let symbol = '';
let signers = 900;
/** What was signed and the first answer to it, with the way that it goes again. */
const told: { readonly name: string; readonly ask: Ask; readonly signed: Body; readonly first: Body }[] = [];

async function send(method: string, path: string, body: object): Promise<Body> {
  const answer = await venue.send({ method, path, body: JSON.stringify(body) });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function placed(signer: Signer, fields: object): Promise<Body> {
  const body = await send('POST', '/order', order(signer, { symbol, price: '1000', ...fields }));
  assert.equal(body['status'], 'ACKED', JSON.stringify(body));
  return body;
}

/** A new wallet that may be filled for one contract at most. */
async function guardedWallet(): Promise<Signer> {
  const signer = ethersSigner(++signers);
  await send('POST', '/mmp/config', mmpConfig(signer, { qty_limit: '1' }));
  return signer;
}

/** Messages of a socket up to the first that `isLast`. */
async function hear(query: string, message: object, isLast: (frame: Body) => boolean): Promise<Body[]> {
  const socket = new WebSocket(`${venue.url.replace('http', 'ws')}/ws${query}`);
  try {
    return await new Promise<Body[]>((resolve, reject) => {
      const frames: Body[] = [];
      socket.onopen = () => socket.send(JSON.stringify(message));
      socket.onerror = () => reject(new Error('the socket does not open'));
      socket.onmessage = ({ data }) => {
        frames.push(JSON.parse(data as string) as Body);
        if (isLast(frames.at(-1)!)) resolve(frames);
      };
    });
  } finally {
    socket.close();
  }
}

/** Answers of one order, whichever way it is sent: the fields of its order update. */
function asksOf({ method, type, list }: Way): readonly (readonly [string, Ask])[] {
  const bulkData = ({ results }: Body): Body => {
    assert.deepEqual([results.length, results[0].success, results[0].error], [1, true, undefined], JSON.stringify(results));
    return results[0].data as Body;
  };
  const bySocket = async (message: Body, answer: string): Promise<Body> => (
    (await hear('', { id: 1, ...message }, (frame) => frame['type'] === answer)).at(-1)!
  );
  return [
    ['REST', (signed) => send(method, '/order', signed)],
    ['a bulk', async (signed) => bulkData(await send(method, '/bulk_order', { [list]: [signed] }))],
    ['the socket', (signed) => bySocket({ type, ...signed }, 'OrderResult')],
    ['a bulk by the socket', async (signed) => bulkData(await bySocket({ type: `Bulk${type}`, [list]: [signed] }, 'BulkOrderResult'))],
  ];
}

function outcomeOf(body: Body): unknown[] {
  return ['status', 'reason', 'order_status', 'end_reason', 'filled_size', 'mmp_triggered'].map((field) => body[field] as unknown);
}

before(async () => {
  venue = await RestVenue.start();
  symbol = (await venue.symbols()).find((name) => name.endsWith('-100000-C'))!;
});

after(() => venue.stop());

for (const way of WAYS) {
  test(`${way.name}: an order whose own fills breach its wallet’s limits is ACKED with its filled size`, async () => {
    const quoter = ethersSigner(++signers);
    for (const [name, ask] of asksOf(way)) {
      for (const [size, standing] of [['3', ['canceled', REASON]], ['2', ['filled', 'Filled']]] as const) {
        const guarded = await guardedWallet();
        await placed(quoter, { side: 'Sell', size: '2' });
        const signed = way.name === 'place' ? order(guarded, { symbol, price: '1000', size })
          : replace(guarded, (await placed(guarded, { price: '10' }))['order_id'] as number, { symbol, price: '1000', size });
        const first = await ask(signed);
        assert.deepEqual(outcomeOf(first), ['ACKED', REASON, ...standing, 2, true], `${name}, ${size}`);
        assert.equal(typeof first['order_id'], 'number');
        told.push({ name: `${way.name} by ${name}, ${size}`, ask, signed, first });
        assert.equal((await send('POST', '/order', order(guarded, { symbol, price: '1' })))['reason'], 'Order canceled by MMP trigger');
      }
    }
  });

  test(`${way.name}: an order that triggers its counterparty’s protection is answered as any other`, async () => {
    const taker = ethersSigner(++signers);
    for (const [name, ask] of asksOf(way)) {
      const guarded = await guardedWallet();
      const offer = await placed(guarded, { side: 'Sell', size: '4' });
      const signed = way.name === 'place' ? order(taker, { symbol, price: '1000', size: '3' })
        : replace(taker, (await placed(taker, { price: '10' }))['order_id'] as number, { symbol, price: '1000', size: '3' });
      const first = await ask(signed);
      assert.deepEqual(outcomeOf(first), ['ACKED', null, 'filled', 'Filled', 3, false], name);
      told.push({ name: `${way.name} by ${name}, counterparty`, ask, signed, first });
      const messages = await hear(
        `?wallet=${guarded.address}`, { type: 'Subscribe', channel: 'order_updates', from_seq: 0 },
        (frame) => frame['type'] === 'OrderUpdate' && frame['status'] === 'CANCELED',
      );
      const { order_id: id, filled_size: filled, reason } = messages.at(-1)!;
      assert.deepEqual([id, filled, reason], [offer['order_id'], '3', REASON], 'its own order is told of the trigger');
    }
  });
}

test('the stream has the end of an order that breached its own limits, with filled size and reason', async () => {
  const [quoter, guarded] = [ethersSigner(++signers), await guardedWallet()];
  await placed(quoter, { side: 'Sell', size: '2' });
  const { order_id: id } = await placed(guarded, { size: '5' });
  const messages = await hear(
    `?wallet=${guarded.address}`, { type: 'Subscribe', channel: 'order_updates', from_seq: 0 },
    (frame) => frame['type'] === 'OrderUpdate' && frame['status'] !== 'ACKED',
  );
  const updates = messages.filter(({ type }) => type === 'OrderUpdate');
  assert.deepEqual(updates.map(({ order_id: of, status, filled_size: filled, reason }) => [of, status, filled, reason]), [
    [id, 'ACKED', '0', null], [id, 'CANCELED', '2', REASON],
  ]);
});

async function checkAgain(): Promise<void> {
  assert.equal(told.length, 24);
  for (const { name, ask, signed, first } of told) {
    const { replayed: _, ...again } = await ask(signed);
    assert.deepEqual(again, first, name);
  }
}

test('each repeated request gets its first answer', checkAgain);

test('after a restart each repeated request still gets its first answer', async () => {
  venue = await venue.at('2026-01-05T00:10:00Z');
  await checkAgain();
});
