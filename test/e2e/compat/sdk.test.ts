// The live venue's published client, unchanged, against our venue: every call of it that our interface has, at the root and under
// /compat, with answers of its declared types. Every method runs here or is named as outside the interface.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { ExchangeClient, InfoClient } from '@hypercallxyz/sdk';
import type { ApiContext } from '../../../shell/api/context.ts';
import { serviceRoutes } from '../../../shell/process/threads/service.ts';
import { ANOTHER_MEANING, CALLS, OUTSIDE } from './calls.ts';
import { complaintsAbout, type Answer } from './declared.ts';
import { DAILY, DAILY_EXPIRY, Desk, eventually, LONG } from './desk.ts';

const SIZE = '30';
const served = new Set(serviceRoutes({} as ApiContext).map(({ method, path }) => `${method} ${path}`));

let desk: Desk;
before(async () => {
  desk = await Desk.open();
  await trade(desk);
});
after(() => desk?.close());

/** The maker buys from both others; what it bought of the taker expires and is settled. */
async function trade({ maker, taker, writer }: Desk): Promise<void> {
  const { exchange } = desk.clients('');
  assert.equal((await exchange.setMarginMode(await taker.marginMode('portfolio'))).success, true);
  for (const [seller, symbol] of [[taker, DAILY], [taker, LONG], [writer, LONG]] as const) {
    assert.equal((await exchange.placeOrder(await maker.order({ symbol, side: 'Buy', size: SIZE, price: '50' }))).status, 'ACKED');
    const sold = await exchange.placeOrder(await seller.order({ symbol, side: 'Sell', size: SIZE, price: '50', tif: 'ioc' }));
    assert.equal(Number(sold.filled_size), Number(SIZE), JSON.stringify(sold));
  }
  await desk.leap();
  const settlement = { underlying: 'BTC', expiry: DAILY_EXPIRY, price: '101000' };
  await eventually('settled', async () => await desk.administer('/admin/settlement-price', settlement) === 200);
}

test('every method of the client runs here or is named as outside the interface', () => {
  const methods = new Set([InfoClient, ExchangeClient].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype)));
  methods.delete('constructor');
  const named = new Set(CALLS.map(({ name }) => name.split(',')[0]!));
  assert.deepEqual([...named, ...Object.keys(OUTSIDE)].sort(), [...methods].sort());
});

test('every call that runs has a route, and every one outside has none', () => {
  for (const { name, route } of CALLS) assert.ok(served.has(route), `${name}: nothing serves ${route}`);
  for (const [method, route] of Object.entries(OUTSIDE)) {
    assert.equal(served.has(route), ANOTHER_MEANING.includes(route), `${route} is served by now: ${method} has to run`);
  }
});

for (const [prefix, where] of [['', 'at the root'], ['/compat', 'under /compat']] as const) {
  test(`the client works ${where}, and its types hold`, async (t) => {
    const answers: Answer[] = [];
    for (const { name, type, rootType, run } of CALLS) {
      await t.test(name, async () => {
        const value = await run(desk.clients(prefix), desk);
        answers.push({ name, type: prefix === '' ? rootType ?? type : type, value });
      });
    }
    assert.deepEqual(await complaintsAbout(answers), []);
  });
}

test('the compiler reports a missing field, a wrong type and a word outside its list', async () => {
  const complaints = await complaintsAbout([
    { name: 'right', type: 'exchange.RevokeAgentResponse', value: { success: true, error: null, more: 1 } },
    { name: 'missing', type: 'exchange.RevokeAgentResponse', value: { error: null } },
    { name: 'type', type: 'info.AuthorizedAgentsResponse', value: { agents: [7] } },
    { name: 'address', type: 'info.AuthorizedAgentsResponse', value: { agents: ['me'] } },
    { name: 'word', type: "info.Fill['side']", value: 'buy' },
  ]);
  const about = complaints.flatMap((line) => /^(\w+): /.exec(line)?.[1] ?? []);
  assert.deepEqual(about, ['missing', 'type', 'address', 'word']);
});
