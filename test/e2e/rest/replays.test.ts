// The first result of a used nonce (decision 3.3), to the letter: a protection trigger and unsigned fields are answered as at first,
// whatever the repeated request says, by REST, in a bulk and by socket, after a restart and from a rebuilt history.

import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { perp } from '../../shell/api/perps.ts';
import { cancel, mmpConfig, order, replace } from '../../shell/api/requests.ts';
import { ethersSigner } from '../../shell/api/wallets.ts';
import { RestVenue, type Body } from './venue.ts';

type Case = {
  readonly name: string; readonly method: 'POST' | 'PUT' | 'DELETE'; readonly path: string; readonly type: string; readonly list: string;
  readonly first: Body;
  /** The same signed request as it comes again. */
  readonly again: Body;
};

const PLACE = { method: 'POST', path: '/order', type: 'PlaceOrder', list: 'orders' } as const;
const REPLACE = { method: 'PUT', path: '/order', type: 'ReplaceOrder', list: 'replacements' } as const;
const CANCEL = { method: 'DELETE', path: '/order', type: 'CancelOrder', list: 'cancels' } as const;
const CLOID = `0x${'ab'.repeat(16)}`;

const quoter = ethersSigner(711);
const guarded = ethersSigner(712);
const trader = ethersSigner(713);

let venue: RestVenue;
/** First answers by the name of their case; of a cancel what its `data` holds. */
const told = new Map<string, Body>();
let cases: Case[] = [];

const send = async ({ method, path }: Pick<Case, 'method' | 'path'>, body: unknown) => {
  const answer = await venue.send({ method, path, body: JSON.stringify(body) });
  assert.equal(answer.status, 200, answer.text);
  return answer;
};
const updateOf = ({ path, method }: Case, body: Body): Body => (method === 'DELETE' && path === '/order' ? body['data'] as Body : body);

before(async () => {
  venue = await RestVenue.start();
  const symbol = (await venue.symbols()).find((name) => name.endsWith('-100000-C'))!;
  const sell = { side: 'Sell', size: '2', price: '1000' } as const;
  for (let i = 0; i < 3; i++) await send(PLACE, order(quoter, { symbol, ...sell }));
  await send({ method: 'POST', path: '/mmp/config' }, mmpConfig(guarded, { qty_limit: '1.5', frozen_time_ms: 1 }));
  const rested = (await send(PLACE, order(trader, { symbol, price: '10' }))).body;
  const protectedOnce = order(guarded, { symbol, price: '1000', size: '5' });
  const optedOut = order(trader, { symbol, price: '11' });
  const replaced = replace(trader, rested['order_id'] as number, { symbol, price: '12' });
  const bare = perp(trader, { price: '90000' });
  const named = perp(trader, { price: '90001', client_id: CLOID });
  cases = [
    { ...PLACE, name: 'triggered', first: protectedOnce, again: protectedOnce },
    { ...PLACE, name: 'opted out', first: { ...optedOut, mmp_enabled: false }, again: optedOut },
    { ...REPLACE, name: 'replaced', first: { ...replaced, mmp_enabled: false }, again: { ...replaced, mmp_enabled: true } },
    {
      ...PLACE, name: 'perp', first: { ...bare, mmp_enabled: false },
      again: { ...bare, underlying: 'ETH', tif: 'Gtc', route: 'rfq_only' },
    },
    { ...PLACE, name: 'named perp', first: named, again: { ...named, underlying: undefined } },
  ];
  for (const one of cases) told.set(one.name, updateOf(one, (await send(one, one.first)).body));
  const gone = { ...CANCEL, name: 'cancelled', first: cancel(trader, told.get('opted out')!['order_id'] as number) };
  cases.push({ ...gone, again: gone.first });
  told.set(gone.name, (await send(gone, gone.first)).body['data'] as Body);
});

after(() => venue.stop());

/** Each request again, alone and in a bulk. */
async function checkReplays(): Promise<void> {
  for (const one of cases) {
    const alone = await send(one, one.again);
    assert.equal(alone.headers['idempotent-replay'], 'true', one.name);
    assert.deepEqual(updateOf(one, alone.body), told.get(one.name), one.name);
    const bulk = (await send({ ...one, path: '/bulk_order' }, { [one.list]: [one.again] })).body;
    assert.deepEqual(bulk['results'], [{ index: 0, success: true, data: told.get(one.name), replayed: true }], one.name);
  }
}

/** The answer to a message of a socket of its own. */
async function askBySocket(message: object): Promise<Body> {
  const socket = new WebSocket(`${venue.url.replace('http', 'ws')}/ws`);
  try {
    return await new Promise<Body>((resolve, reject) => {
      socket.onopen = () => socket.send(JSON.stringify(message));
      socket.onerror = () => reject(new Error('the socket does not open'));
      socket.onmessage = ({ data }) => {
        const frame = JSON.parse(data as string) as Body;
        if (frame['type'] !== 'Hello') resolve(frame);
      };
    });
  } finally {
    socket.close();
  }
}

test('the first answers have the trigger and the opt-outs', () => {
  const { status, reason, filled_size: filled, mmp_triggered: isTriggered } = told.get('triggered')!;
  assert.deepEqual([status, reason, filled, isTriggered], ['ACKED', 'MMP triggered during fill processing', 2, true]);
  for (const name of ['opted out', 'replaced', 'perp', 'cancelled']) {
    assert.equal((told.get(name)!['info'] as Body)['mmp_enabled'], false, name);
  }
});

test('a repeated request gets its first answer', checkReplays);

test('by socket a repeated request gets its first answer', async () => {
  for (const one of cases) {
    const result = await askBySocket({ type: one.type, id: 1, ...one.again });
    const { info, status, reason, order_id: id, mmp_triggered: isTriggered } = told.get(one.name)!;
    assert.deepEqual(
      [result['info'], result['status'], result['reason'], result['order_id'], result['mmp_triggered']],
      [info, status, reason, id, isTriggered], one.name,
    );
  }
});

test('after a restart a repeated request gets its first answer', async () => {
  venue = await venue.at('2026-01-05T00:10:00Z');
  await checkReplays();
});

test('from a history rebuilt from the journal a repeated request gets its first answer', async () => {
  venue = await venue.at('2026-01-05T00:20:00Z', (data) => {
    const files = readdirSync(data).filter((name) => name.startsWith('history.db'));
    assert.ok(files.length > 0);
    for (const name of files) rmSync(join(data, name));
  });
  await checkReplays();
});
