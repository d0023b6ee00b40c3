// What a venue says of itself: with LOG=json every line is one object with its event; ids of requests are taken, made, echoed
// and told with failures; and whatever clients and the operator send, no signature and no token is in any line.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createWallet, Http, signerFor } from '../../scripts/client.ts';
import { VenueProcess } from '../../scripts/venue-process.ts';
import { openEdge } from '../../shell/edge/edge.ts';
import type { AnswerFacts } from '../../shell/edge/state.ts';

const TOKEN = 'token-of-the-log-test-0123456789';
const ID = /^[0-9a-f]{8}-[0-9a-z]+$/;

type Said = { readonly out: string; readonly err: string };

async function withVenue(flags: readonly string[], run: (venue: VenueProcess, http: Http) => Promise<void>): Promise<Said> {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const all = ['--feed', 'manual', '--admin-token', TOKEN, '--workers', '1', ...flags];
  const venue = await VenueProcess.start({ data: join(folder, 'data'), flags: all });
  try {
    await venue.ready();
    const http = new Http(venue.url);
    await run(venue, http);
    http.close();
    return await venue.stop();
  } finally {
    await venue.kill();
    rmSync(folder, { recursive: true });
  }
}

test('json: one object a line, from the start to the stop, and never a signature or the token', async () => {
  const sent: string[] = [];
  const { out, err } = await withVenue(['--log', 'json'], async (_, http) => {
    const signer = await signerFor(http);
    const wallet = createWallet();
    const admin = { authorization: `Bearer ${TOKEN}` };
    await http.post('/admin/index-price', { underlying: 'BTC', price: '100000' }, admin);
    await http.post('/admin/index-price', { underlying: 'BTC', price: '1' }, { authorization: `Bearer ${TOKEN}x` });
    const order = signer.placeOrder(wallet, { symbol: 'BTC-PERP', side: 'Buy', size: '1', price: '90000' });
    const { signature } = JSON.parse(order.body!) as { signature: string };
    sent.push(signature, signature.slice(2, 40), TOKEN);
    assert.equal((await http.send(order)).status, 200);
    await http.send({ ...order, body: order.body!.replace('90000', '80000') });
    await http.send({ ...order, body: `${order.body!}x` });
    await http.send({ ...order, path: `/order?signature=${signature}&token=${TOKEN}` });
    await http.get(`/nothing/${signature}`);
  });
  const lines = [...out.trimEnd().split('\n'), ...err.trimEnd().split('\n')].filter((line) => line !== '');
  const events = lines.map((line) => JSON.parse(line) as { time: string; level: string; event: string; thread: string; text: string });
  for (const { time, level, event, thread, text } of events) {
    assert.equal(new Date(time).toISOString(), time);
    assert.ok(['info', 'warn', 'error'].includes(level) && event !== '' && thread !== '' && text !== '');
  }
  assert.deepEqual(events.map(({ event }) => event), ['ready', 'stopping', 'stopped']);
  for (const secret of sent) assert.ok(!`${out}${err}`.includes(secret), 'a secret in the log');
});

test('text is the default: lines for people, and nothing on standard error when nothing is wrong', async () => {
  const { out, err } = await withVenue([], async (_, http) => { await http.get('/markets'); });
  assert.match(out, /^Strikebook is ready at /);
  assert.match(out, /\nstopping: SIGTERM\nstopped at seq \d+, head [0-9a-f]{64}\n$/);
  assert.equal(err, '');
});

test('ids of requests: a good one is kept, another is replaced, and each answer has one', async () => {
  await withVenue([], async (_, http) => {
    const idOf = async (sent?: string, path = '/health'): Promise<unknown> => (
      (await http.send({ method: 'GET', path, headers: sent === undefined ? {} : { 'x-request-id': sent } })).headers['x-request-id']
    );
    assert.equal(await idOf('My-Id_1.2:3'), 'My-Id_1.2:3');
    assert.equal(await idOf('x'.repeat(64), '/nowhere'), 'x'.repeat(64));
    for (const bad of [undefined, '', 'x'.repeat(65), 'a b', '<script>', 'a"b']) assert.match(String(await idOf(bad)), ID);
    assert.notEqual(await idOf(), await idOf());
  });
});

test('a failure is told with the id of its request, and the client sees no stack', async () => {
  const faults: [string, unknown, string | undefined][] = [];
  const answers: AnswerFacts[] = [];
  const edge = openEdge({
    host: '127.0.0.1', port: 0, trustProxy: false, cors: '*', route: () => { throw new Error('a secret of ours'); },
    sockets: { path: '/ws', admit: () => null, open: () => ({ message: () => undefined, close: () => undefined }), errorFrame: () => '' },
    onFault: (place, error, id) => faults.push([place, error, id]), onAnswer: (answer) => answers.push(answer),
  });
  try {
    const response = await fetch(`http://127.0.0.1:${edge.port}/x?y=1`, { headers: { 'x-request-id': 'mine' } });
    assert.deepEqual([response.status, await response.json()], [500, { error: 'internal_error', message: 'Internal error' }]);
    assert.deepEqual(faults.map(([place, , id]) => [place, id]), [['route', 'mine']]);
    const [{ seconds, ...facts }] = answers as [AnswerFacts];
    assert.deepEqual(facts, { id: 'mine', method: 'GET', path: '/x', route: 0, status: 500 });
    assert.ok(seconds >= 0);
  } finally {
    edge.close();
  }
});
