// One client of several nodes of one venue: it finds the node that leads, follows it, sends the same bytes again where an outcome is
// unknown, and never reads less than it has seen. With one address it does what it always did.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Addresses } from '../../client/src/addresses.ts';
import { Http } from '../../client/src/http.ts';
import { StrikebookError, type AnswerFacts } from '../../client/src/main.ts';
import { scriptedVenue } from './scripted-venue.ts';
import { until } from './until.ts';

const URLS = ['http://one', 'http://two', 'http://three'];

type Asked = { readonly url: string; readonly body: string | null };
type Told = { readonly status: number; readonly body: object; readonly seq?: number; readonly epoch?: number } | Error;

/** A client whose nodes answer as `node` says; what was asked is in `asked`. */
function client(node: (host: string, nth: number) => Told, urls: string | readonly string[] = URLS): { http: Http; asked: Asked[] } {
  const asked: Asked[] = [];
  const fake: typeof fetch = async (input, init) => {
    const url = String(input);
    asked.push({ url, body: (init?.body as string | undefined) ?? null });
    const told = node(new URL(url).host, asked.length);
    if (told instanceof Error) throw told;
    const headers = {
      'content-type': 'application/json', ...(told.seq !== undefined && { 'x-strikebook-seq': String(told.seq) }),
      ...(told.epoch !== undefined && { 'x-strikebook-epoch': String(told.epoch) }),
    };
    return new Response(JSON.stringify(told.body), { status: told.status, headers });
  };
  return { http: new Http(urls, { fetch: fake }), asked };
}

const OK: Told = { status: 200, body: { done: true } };
const notLeader = (leader: string | null): Told => (
  { status: 503, body: { error: 'not_leader', message: 'no', leader, retry_after_secs: 0 } }
);
const write = { method: 'POST', path: '/order', body: '{"signed":1}' } as const;

test('a write goes to the leader that a node names, with the same bytes, and later ones go there at once', async () => {
  const { http, asked } = client((host) => (host === 'three' ? OK : notLeader('http://three/')));
  await http.send(write);
  await http.send(write);
  assert.deepEqual(asked.map(({ url }) => url), ['http://one/order', 'http://three/order', 'http://three/order']);
  assert.deepEqual(new Set(asked.map(({ body }) => body)), new Set([write.body]));
  assert.equal(http.url, 'http://three');
});

test('an address that was not given is never followed, whoever names it', async () => {
  const { http, asked } = client((host) => (host === 'two' ? OK : notLeader('http://thief')));
  await http.send(write);
  assert.deepEqual(asked.map(({ url }) => new URL(url).host), ['one', 'two']);
});

test('while nobody leads the nodes are asked in turn, until one does', async () => {
  const { http, asked } = client((host, nth) => (nth > 4 && host === 'two' ? OK : notLeader(null)));
  await http.send(write);
  assert.deepEqual(asked.map(({ url }) => new URL(url).host), ['one', 'two', 'three', 'one', 'two']);
});

test('a node that does not answer is left, and the same bytes go to the next', async () => {
  const { http, asked } = client((host) => (host === 'one' ? new TypeError('fetch failed') : OK));
  await http.send(write);
  assert.deepEqual(asked, [{ url: 'http://one/order', body: write.body }, { url: 'http://two/order', body: write.body }]);
});

test('a node without a quorum, or one that is still starting, is left; one that is busy is not', async () => {
  for (const [error, next] of [['no_quorum', 'two'], ['not_ready', 'two'], ['behind', 'two'], ['engine_busy', 'one']] as const) {
    const busy: Told = { status: 503, body: { error, message: 'later', retry_after_secs: 0 } };
    const { http, asked } = client((_, nth) => (nth === 1 ? busy : OK));
    await http.send(write);
    assert.deepEqual(asked.map(({ url }) => new URL(url).host), ['one', next], error);
  }
});

test('reads ask for what was seen before, so that another node shows no less; what is not about commands does not', async () => {
  const { http, asked } = client((_, nth) => ({ ...(OK as object), seq: nth === 1 ? 41 : 40 } as Told));
  await http.send({ method: 'GET', path: '/markets' });
  await http.send({ method: 'GET', path: '/orders?wallet=0x1' });
  await http.send({ method: 'GET', path: '/markets' });
  await http.send({ method: 'GET', path: '/markets?min_seq=3' });
  await http.send({ method: 'GET', path: '/ready' });
  await http.send(write);
  assert.deepEqual(asked.map(({ url }) => url.slice('http://one'.length)), [
    '/markets', '/orders?wallet=0x1&min_seq=41', '/markets?min_seq=41', '/markets?min_seq=3', '/ready', '/order',
  ]);
  assert.equal(http.seq, 41);
});

test('behind one address of several nodes too, as soon as an answer has an epoch', async () => {
  const { http, asked } = client(() => ({ ...(OK as object), seq: 41, epoch: 1 } as Told), 'http://one');
  await http.send(write);
  await http.send({ method: 'GET', path: '/markets' });
  assert.deepEqual(asked.map(({ url }) => url), ['http://one/order', 'http://one/markets?min_seq=41']);
});

test('what a takeover may take is waited for behind one address of several nodes, and not where there is one process', async () => {
  const lost: Told = { status: 503, body: { error: 'no_quorum', message: 'later', retry_after_secs: 0 } };
  for (const [epoch, tries] of [[1, 7], [undefined, 6]] as const) {
    const { http, asked } = client((_, nth) => (nth === 1 || nth === 7 ? { ...(OK as object), epoch } as Told : lost), 'http://one');
    await http.send({ method: 'GET', path: '/markets' });
    const call = http.send(write);
    if (epoch === undefined) await assert.rejects(call, (error) => error instanceof StrikebookError && error.code === 'no_quorum');
    else await call;
    assert.equal(asked.length, tries, `a process of epoch ${epoch}`);
  }
});

test('with one address of one process nothing is added to a path, and a refusal of a node is an error', async () => {
  const { http, asked } = client((_, nth) => (nth < 3 ? { ...(OK as object), seq: 7 } as Told : notLeader('http://two')), 'http://one');
  await http.send({ method: 'GET', path: '/markets' });
  await http.send({ method: 'GET', path: '/markets' });
  await assert.rejects(http.send(write, { retries: 0 }), (error) => error instanceof StrikebookError && error.code === 'not_leader');
  assert.deepEqual(asked.map(({ url }) => url), ['http://one/markets', 'http://one/markets', 'http://one/order']);
});

test('subscriptions ask for what was seen, by REST or by socket, once an answer was of a node', async (t) => {
  const { venue, socket } = await scriptedVenue(t);
  const minSeqs = (): unknown[] => venue.got.splice(0).flatMap((frame) => (frame.type === 'Subscribe' ? [frame.min_seq] : []));
  venue.answer = ({ id }) => [{ type: 'OrderResult', id, info: {}, status: 'ACKED', command_seq: 41 }];
  await socket.subscribe('trades');
  assert.deepEqual(minSeqs(), [undefined]);
  const facts: AnswerFacts[] = [];
  await socket.send(write, { onAnswer: (one) => facts.push(one) });
  await socket.subscribe('market_updates');
  assert.deepEqual([facts.map(({ seq }) => seq), minSeqs()], [[41], [41]]);
});

test('a node that is behind what a stream has shown is asked again, and nothing counts as missed', async (t) => {
  const { venue, socket, gaps, errors } = await scriptedVenue(t, { longestWaitMs: 5 });
  const heard: number[] = [];
  venue.seqs.set('fills', 5);
  await socket.subscribe('fills', { onMessage: ({ seq }) => heard.push(seq) });
  let times = 0;
  venue.refusal = ({ type, from_seq: from }) => (
    type === 'Subscribe' && ++times < 3 ? `This node has not reached number ${from} of fills yet` : null
  );
  venue.clients.at(-1)!.terminate();
  await until('the stream is taken up again', () => times === 3);
  venue.send({ type: 'Fill', seq: 6 });
  await until('its next message', () => heard.length === 1);
  assert.deepEqual([heard, gaps, errors], [[6], [], []]);
  assert.equal(venue.got.at(-1)!.from_seq, 5);
});

test('addresses: one call that fails late does not leave a node that another call has chosen since', () => {
  const addresses = new Addresses(['http://one/', 'http://two']);
  addresses.leave('http://one');
  addresses.leave('http://one');
  assert.equal(addresses.current, 'http://two');
  assert.throws(() => new Addresses([]), /an address of the venue is missing/);
});
