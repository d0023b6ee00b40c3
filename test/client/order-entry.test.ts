// Requests by socket against a server that sends what a test wants: many in flight, answers, refusals, a lost connection, silence.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { AnswerFacts, CallOptions } from '../../client/src/retries.ts';
import { StrikebookError } from '../../client/src/strikebook-error.ts';
import { Forms, sign } from '../../client/src/forms.ts';
import type { Request } from '../../client/src/http.ts';
import { createPrivateKey, privateKeySigner } from '../../client/src/signer.ts';
import { errorText } from '../../shell/api/routes/bulk.ts';
import { BOUNDS } from '../../shell/http/limits.ts';
import { ONE, scriptedVenue, type Frame } from './scripted-venue.ts';
import { until } from './until.ts';

const order = (at: number): Request<{ order_id: number }> => ({ method: 'POST', path: '/order', body: `{"nonce":${at}}` });
const acked = (frame: Frame, more: object = {}): object => ({
  type: 'OrderResult', id: frame.id, info: {}, status: 'ACKED', order_id: (frame as { nonce?: number }).nonce, reason: null, ...more,
});
const refused = (frame: Frame, error: string): object => (
  { type: 'OrderResult', id: frame.id, order_id: null, status: 'REJECTED', reason: `told ${error}`, error }
);
const codeOf = (error: unknown): string => (error as StrikebookError).code;
/** What went out, without the number of the message. */
const bytesOf = ({ id: _, ...rest }: Frame): string => JSON.stringify(rest);
/** No time passes in these tests that decides anything. */
const PATIENT = { timeoutMs: 60_000 };

test('many requests are in flight, at most as many as the venue accepts, and each gets its own answer', async (t) => {
  const { venue, socket } = await scriptedVenue(t, PATIENT);
  const calls = Array.from({ length: 120 }, (_, at) => socket.send(order(at)));
  await until('the first fifty', () => venue.got.length === 50);
  // Another message needs no room among them.
  await socket.subscribe('trades');
  assert.equal(venue.got.filter(({ type }) => type === 'PlaceOrder').length, 50);
  venue.answer = (frame) => [acked(frame)];
  venue.send(...venue.got.filter(({ type }) => type === 'PlaceOrder').map((frame) => acked(frame)));
  const answers = await Promise.all(calls);
  assert.deepEqual(answers.map(({ order_id: id }) => id), answers.map((_, at) => at));
  assert.equal(new Set(venue.got.map(({ id }) => id)).size, 121);
});

test('each of a wallet\'s requests has the same body and signature as over REST', async (t) => {
  const signer = privateKeySigner(createPrivateKey());
  const facts = { chain_id: 998, signing_domain: { name: 'Strikebook', version: '1' }, perp_source: 'b', perp_assets: [] };
  const forms = new Forms(facts, signer.address);
  const { venue, socket } = await scriptedVenue(t, PATIENT, { signer, forms });
  venue.answer = (frame) => [acked(frame)];
  const terms = { symbol: ONE, side: 'Buy', size: '1', price: '5' } as const;
  await socket.placeOrder(terms, { nonce: 7n });
  const { body } = await sign(forms.placeOrder(terms, 7n), signer);
  assert.equal(JSON.stringify(venue.got[0]), `{"type":"PlaceOrder","id":1,${body!.slice(1)}`);
  await socket.replaceOrder({ ...terms, order_id: 1 });
  await socket.cancelOrder(1);
  await socket.cancelOrderByClientId('a');
  await socket.placeOrders([terms, terms]);
  await socket.replaceOrders([{ ...terms, order_id: 1 }]);
  await socket.cancelOrders([1]);
  await socket.cancelOrdersByClientId(['a']);
  await socket.amendOrder({ order_id: 1, size: '1', price: '5' });
  await socket.amendOrders([{ order_id: 1, size: '1', price: '5' }]);
  await socket.cancelAll('BTC');
  await socket.voidNonces();
  await socket.cancelAfter(5_000);
  await socket.setCancelOnDisconnect({ enabled: true, grace_ms: 0, connection: socket.connection! });
  assert.deepEqual(venue.got.slice(1).map(({ type, id, ...rest }) => [type, id, Object.keys(rest)[0]]), [
    ['ReplaceOrder', 2, 'wallet'], ['CancelOrder', 3, 'wallet'], ['CancelOrderByClientId', 4, 'wallet'], ['BulkPlaceOrder', 5, 'orders'],
    ['BulkReplaceOrder', 6, 'replacements'], ['BulkCancelOrder', 7, 'cancels'], ['BulkCancelOrderByClientId', 8, 'cancels'],
    ['AmendOrder', 9, 'wallet'], ['BulkAmendOrder', 10, 'amends'], ['CancelAll', 11, 'wallet'], ['VoidNonces', 12, 'wallet'],
    ['CancelAfter', 13, 'wallet'], ['SetCancelOnDisconnect', 14, 'wallet'],
  ]);
  assert.equal((venue.got.at(-1) as { connection?: string }).connection, '0000000000000001');
  assert.equal(socket.wallet, signer.address);
  await assert.rejects(socket.send({ method: 'GET', path: '/ready' }), (error) => codeOf(error) === 'invalid_argument');
});

test('cancelAll with voidNonces voids first, and cancels even if that is refused', async (t) => {
  const signer = privateKeySigner(createPrivateKey());
  const facts = { chain_id: 998, signing_domain: { name: 'Strikebook', version: '1' }, perp_source: 'b', perp_assets: [] };
  const { venue, socket } = await scriptedVenue(t, PATIENT, { signer, forms: new Forms(facts, signer.address) });
  const done = (frame: Frame): object => ({ type: 'ActionResult', id: frame.id, action: frame.type, success: true, data: {}, error: null });
  venue.answer = (frame) => [done(frame)];
  assert.equal((await socket.cancelAll('BTC', { voidNonces: true }) as unknown as { action: string }).action, 'CancelAll');
  const [first, second] = venue.got as unknown as { type: string; nonce: number; up_to?: number; scope?: string }[];
  assert.deepEqual([first!.type, second!.type, second!.scope], ['VoidNonces', 'CancelAll', 'BTC']);
  assert.deepEqual([first!.up_to, second!.nonce > first!.nonce], [first!.nonce, true]);
  venue.answer = (frame) => [
    frame.type === 'VoidNonces' ? { ...done(frame), success: false, data: null, error: 'invalid_parameter', message: 'no' } : done(frame),
  ];
  await assert.rejects(socket.cancelAll('', { voidNonces: true }), (error) => codeOf(error) === 'invalid_parameter');
  assert.deepEqual(venue.got.map(({ type }) => type), ['VoidNonces', 'CancelAll', 'VoidNonces', 'CancelAll']);
  await assert.rejects(socket.cancelAll('', { voidNonces: true, nonce: 5 }), (error) => codeOf(error) === 'invalid_argument');
  const agent = new Forms(facts, signer.address, { wallet: `0x${'1'.repeat(40)}` });
  assert.throws(() => agent.voidNonces(), (error) => codeOf(error) === 'invalid_argument');
  assert.throws(() => new Forms(facts, signer.address).voidNonces(6, 5), (error) => codeOf(error) === 'invalid_argument');
});

test('other fields of the caller\'s object are never sent, such as an id of its own', async (t) => {
  const signer = privateKeySigner(createPrivateKey());
  const facts = {
    chain_id: 998, signing_domain: { name: 'Strikebook', version: '1' }, perp_source: 'b',
    perp_assets: [{ asset: 0, symbol: 'BTC-PERP', underlying: 'BTC' }],
  };
  const { venue, socket } = await scriptedVenue(t, PATIENT, { signer, forms: new Forms(facts, signer.address) });
  venue.answer = (frame) => [acked(frame)];
  const own = { id: 1, type: 'limit', wallet: ONE, nonce: 5, signature: '0x', underlying: 'ETH', label: 'mine' };
  const option = { symbol: ONE, side: 'Buy', size: '1', price: '5', reduce_only: true, mmp_enabled: false, ...own } as const;
  const names = ['client_id', 'mmp_enabled', 'nonce', 'price', 'reduce_only', 'side', 'signature', 'size', 'symbol', 'tif', 'wallet'];
  const sent = async (call: Promise<unknown>): Promise<Record<string, unknown>> => {
    await call;
    const { id, type, wallet, symbol: _, ...rest } = venue.got.at(-1)! as unknown as Record<string, unknown>;
    assert.deepEqual([id, type, wallet], [venue.got.length, venue.got.length === 3 ? 'ReplaceOrder' : 'PlaceOrder', signer.address]);
    return rest;
  };
  const namesOf = (body: object): string[] => ['symbol', 'wallet', ...Object.keys(body)].sort();
  assert.deepEqual(namesOf(await sent(socket.placeOrder(option))), [...names, 'route'].sort());
  const perp = await sent(socket.placeOrder({ ...option, symbol: 'BTC-PERP', route: 'book_only' }));
  assert.deepEqual([namesOf(perp), perp['underlying']], [[...names, 'route', 'underlying'].sort(), 'BTC']);
  assert.deepEqual(namesOf(await sent(socket.replaceOrder({ ...option, order_id: 9 }))), [...names, 'order_id'].sort());
});

test('after a lost connection the same bytes are sent again in order, before anything new', async (t) => {
  const { venue, socket } = await scriptedVenue(t, PATIENT);
  const facts: AnswerFacts[] = [];
  const calls = Array.from({ length: 60 }, (_, at) => socket.send(order(at), { onAnswer: (one) => facts.push(one) }));
  const hasty = socket.send(order(60), { retries: 0 });
  await until('what is in flight', () => venue.got.length === 50);
  venue.send(acked(venue.got[0]!));
  await until('its room', () => venue.got.length === 51);
  const [, ...sent] = venue.got.splice(0).map(bytesOf);
  venue.isRefusing = true;
  venue.clients.at(-1)!.terminate();
  await until('attempts in vain', () => venue.queries.length >= 3);
  calls.push(socket.send(order(61)));
  venue.answer = (frame) => [acked(frame, { replayed: true })];
  venue.isRefusing = false;
  assert.deepEqual((await Promise.all(calls)).map(({ order_id: id }) => id), [...Array.from({ length: 60 }, (_, at) => at), 61]);
  // It had never gone out when the connection was lost.
  assert.equal((await hasty).order_id, 60);
  const fresh = Array.from({ length: 11 }, (_, at) => `{"type":"PlaceOrder","nonce":${51 + at}}`);
  assert.deepEqual(venue.got.map(bytesOf), [...sent, ...fresh]);
  assert.deepEqual(facts.map(({ isReplay }) => isReplay), facts.map((_, at) => at > 0));
});

test('messages that follow an answer reach listeners after the caller has got the answer', async (t) => {
  const { venue, socket } = await scriptedVenue(t, { ...PATIENT, onDown: (reason) => told.push(reason) });
  const told: unknown[] = [];
  const filled = (seq: number): object => ({ type: 'OrderUpdate', order_id: seq, status: 'FILLED', symbol: ONE, seq });
  venue.snapshot = () => [filled(1)];
  await socket.subscribe('order_updates', { onMessage: ({ seq }) => told.push(seq) });
  told.push('subscribed');
  await until('the first', () => told.length === 2);
  // All of it in one piece of the connection, with its end, as a quick venue writes it.
  venue.answer = (frame) => {
    if (frame.id === 2) queueMicrotask(() => venue.clients.at(-1)!.close(1_000, 'the end'));
    return [acked(frame), filled(2 * frame.id!), filled(2 * frame.id! + 1)];
  };
  const place = async (at: number): Promise<number> => (await socket.send(order(at))).order_id;
  const quote = async (at: number): Promise<void> => { told.push(`answer ${await place(at)}`); };
  await Promise.all([quote(1), quote(2)]);
  await until('the end', () => told.length === 9);
  assert.deepEqual(told, ['subscribed', 1, 'answer 1', 2, 3, 'answer 2', 4, 5, 'the end']);
});

test('after a loss, a late request keeps its place: a cancel does not overtake its order', async (t) => {
  const { venue, socket } = await scriptedVenue(t, PATIENT);
  const placed = socket.send(order(1), { timeoutMs: 20, retries: 1_000 });
  const cancelled = socket.send({ method: 'POST', path: '/cancel-by-cloid', body: '{"nonce":2}' });
  await until('the order again', () => venue.got.filter(({ type }) => type === 'PlaceOrder').length > 1);
  const before = venue.got.length;
  venue.answer = (frame) => [acked(frame)];
  venue.clients.at(-1)!.terminate();
  await Promise.all([placed, cancelled]);
  assert.deepEqual(venue.got.slice(0, 2).map(({ type }) => type), ['PlaceOrder', 'CancelOrderByClientId']);
  const again = venue.got.slice(before).map(({ type }) => type);
  // On a slow machine the order may have been late once more, on either side of it.
  assert.equal(again[again.indexOf('CancelOrderByClientId') - 1], 'PlaceOrder', again.join(' '));
});

test('an answer shows that earlier requests get none; they are sent again at once, before newer ones', async (t) => {
  const { venue, socket } = await scriptedVenue(t, PATIENT);
  const hasty = assert.rejects(socket.send(order(0), { retries: 0 }), (error) => codeOf(error) === 'no_answer');
  const calls = Array.from({ length: 51 }, (_, at) => socket.send(order(at + 1)));
  await until('what is in flight', () => venue.got.length === 50);
  venue.send(acked(venue.got[49]!));
  await until('those again', () => venue.got.length === 100);
  const again = Array.from({ length: 48 }, (_, at) => at + 1);
  assert.deepEqual(venue.got.slice(50).map(bytesOf), [...again, 50, 51].map((at) => `{"type":"PlaceOrder","nonce":${at}}`));
  venue.answer = (frame) => [acked(frame, { replayed: true })];
  venue.send(...venue.got.slice(50).map((frame) => acked(frame)));
  assert.deepEqual((await Promise.all(calls)).map(({ order_id: id }) => id), calls.map((_, at) => at + 1));
  await hasty;
});

test('if no request is answered, the connection is given up although heartbeats work, and requests go on', async (t) => {
  const { venue, socket, ups } = await scriptedVenue(t, { ...PATIENT, heartbeatMs: 200 });
  const orders = (): Frame[] => venue.got.filter(({ type }) => type === 'PlaceOrder');
  await until('the connection', () => socket.isConnected);
  const ends = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => socket.send(order(at), { retries: 0, timeoutMs: 20 })));
  assert.deepEqual(ends.map((end) => end.status === 'rejected' && codeOf(end.reason)), Array(50).fill('timeout'));
  venue.answer = (frame) => (venue.clients.length > 1 ? [acked(frame)] : []);
  assert.equal((await socket.send(order(50))).order_id, 50);
  assert.ok(orders().length === 51 && ups.length > 1);
});

test('a request is sent once and once more per retry, whatever fails, and reports its attempts', async (t) => {
  const { venue, socket } = await scriptedVenue(t, { ...PATIENT, longestWaitMs: 10 });
  let losses = Infinity;
  venue.answer = (frame) => {
    if (losses-- > 0) venue.clients.at(-1)!.terminate();
    return [acked(frame)];
  };
  for (const retries of [0, 1, 3]) {
    venue.got.length = 0;
    await assert.rejects(socket.send(order(retries), { retries }), (error) => codeOf(error) === 'no_answer');
    assert.equal(venue.got.length, retries + 1);
  }
  losses = 1;
  const facts: AnswerFacts[] = [];
  await socket.send(order(4), { onAnswer: (one) => facts.push(one) });
  assert.deepEqual(facts.map(({ attempts }) => attempts), [2]);
});

test('a message that would make the venue close the connection is refused locally as over REST', async (t) => {
  const { venue, socket, ups } = await scriptedVenue(t, PATIENT);
  venue.answer = (frame) => [acked(frame)];
  const large = { ...order(1), body: `{"nonce":1,"client_id":"${'é'.repeat(BOUNDS.messageBytes / 2)}"}` };
  const calls = [socket.send(large), socket.send(order(2))] as const;
  await assert.rejects(calls[0], (error) => codeOf(error) === 'payload_too_large');
  assert.deepEqual([(await calls[1]).order_id, venue.got.length, ups], [2, 1, [false]]);
});

test('infinite times are limited to what a timer accepts, instead of firing at once', async (t) => {
  const timers = t.mock.method(globalThis, 'setTimeout');
  const { venue, socket, ups } = await scriptedVenue(t, { timeoutMs: Infinity, heartbeatMs: Infinity, longestWaitMs: Infinity });
  const texts = ['The service is starting'];
  venue.refusal = () => texts.shift() ?? null;
  const trades = socket.subscribe('trades');
  const call = socket.send(order(1));
  await until('both', () => venue.got.length === 2);
  venue.send(acked(venue.got.find(({ type }) => type === 'PlaceOrder')!));
  assert.deepEqual([(await call).order_id, ups], [1, [false]]);
  assert.ok(timers.mock.calls.every(({ arguments: [, ms = 0] }) => ms < 2 ** 31), 'a timer that runs at once');
  socket.close();
  await assert.rejects(trades, (error) => codeOf(error) === 'closed');
});

test('without a retry left, a lost connection and a late answer are errors', async (t) => {
  const { venue, socket } = await scriptedVenue(t, PATIENT);
  const call = socket.send(order(1), { retries: 0 });
  await until('the order', () => venue.got.length === 1);
  venue.clients.at(-1)!.terminate();
  await assert.rejects(call, (error) => codeOf(error) === 'no_answer');
  await until('the next connection', () => socket.isConnected);
  const late = socket.send(order(2), { retries: 1, timeoutMs: 20 });
  await assert.rejects(late, (error) => codeOf(error) === 'timeout');
  await until('both attempts', () => venue.got.length === 3);
  assert.deepEqual(venue.got.slice(1).map(bytesOf), Array(2).fill('{"type":"PlaceOrder","nonce":2}'));
  venue.answer = (frame) => [acked(frame)];
  // An answer to what nobody waits for any more harms nothing.
  venue.send(acked({ type: 'PlaceOrder', id: 2 }));
  assert.equal((await socket.send(order(3))).order_id, 3);
});

test('refusals have the venue\'s codes; a busy venue is asked again; REJECTED by the engine is an answer', async (t) => {
  const { venue, socket } = await scriptedVenue(t, PATIENT);
  let busy = 2;
  venue.answer = (frame) => [busy-- > 0 ? refused(frame, 'engine_busy') : acked(frame)];
  assert.equal((await socket.send(order(1))).order_id, 1);
  assert.deepEqual(venue.got.map(bytesOf), Array(3).fill('{"type":"PlaceOrder","nonce":1}'));
  venue.answer = (frame) => [refused(frame, 'rate_limit_exceeded')];
  await assert.rejects(socket.send(order(2)), (error: StrikebookError) => (
    error.code === 'rate_limit_exceeded' && /PlaceOrder: told rate_limit_exceeded/.test(error.message)
  ));
  venue.answer = (frame) => [refused(frame, 'novel')];
  await assert.rejects(socket.send(order(3)), (error) => codeOf(error) === 'bad_answer');
  assert.equal(venue.got.length, 5);
  const failed = { type: 'ActionResult', action: 'CancelAll', success: false, data: null };
  venue.answer = ({ id }) => [{ ...failed, id, error: 'unauthorized', message: 'not yours' }];
  const all: Request<unknown> = { method: 'POST', path: '/cancel-all', body: '{"scope":""}' };
  await assert.rejects(socket.send(all), (error: StrikebookError) => error.code === 'unauthorized' && /not yours/.test(error.message));
  venue.answer = ({ id }) => [{ ...failed, id, error: 'Invalid symbol: X' }];
  assert.deepEqual((await socket.send(all) as { error: string }).error, 'Invalid symbol: X');
  venue.answer = (frame) => [acked(frame, { status: 'REJECTED', order_id: null, reason: 'Instrument has expired' })];
  assert.equal((await socket.send(order(4))).order_id, null);
});

test('a mass quote that the venue did not take throws and is sent again; one that the engine rejected is an answer', async (t) => {
  const { venue, socket } = await scriptedVenue(t, PATIENT);
  const page: Request<unknown> = { method: 'POST', path: '/mass-quote', body: '{"quotes":"X 1 5 - -"}' };
  const answered = { type: 'QuoteResult', status: 'REJECTED', reason: 'Newer quotes are in force', counts: {}, results: [] };
  const codes = ['engine_busy', 'internal_error'];
  venue.answer = ({ id }) => [{ ...answered, id, ...(codes.length > 0 && { error: codes.shift() }) }];
  assert.deepEqual((await socket.send(page) as { reason: string }).reason, answered.reason);
  assert.deepEqual(venue.got.map(bytesOf), Array(3).fill('{"type":"MassQuote","quotes":"X 1 5 - -"}'));
  venue.answer = ({ id }) => [{ ...answered, id, error: 'unauthorized', reason: 'not yours' }];
  await assert.rejects(socket.send(page), (error: StrikebookError) => error.code === 'unauthorized' && /not yours/.test(error.message));
});

test('a bulk with items that were not accepted or not answered in time is sent again as a single order is', async (t) => {
  const { venue, socket } = await scriptedVenue(t, PATIENT);
  const [busy, late] = (['engine_busy', 'internal_error'] as const).map((code) => (
    { success: false, error: errorText({ ok: false, code, message: 'told' }) }
  )) as [object, object];
  const [done, wrong] = [{ success: true }, { success: false, error: 'Size must be greater than 0' }];
  const bulk: Request<{ results: object[] }> = { method: 'POST', path: '/bulk_order', body: '{"orders":[]}' };
  const answers = (...turns: object[][]) => {
    venue.got.length = 0;
    venue.answer = ({ id }) => [{ type: 'BulkOrderResult', id, results: turns[Math.min(venue.got.length, turns.length) - 1]! }];
  };
  answers([done, busy, wrong], [{ ...done, replayed: true }, late, wrong], [{ ...done, replayed: true }, done, wrong]);
  assert.deepEqual((await socket.send(bulk)).results, [{ ...done, replayed: true }, done, wrong]);
  assert.deepEqual(venue.got.map(bytesOf), Array(3).fill('{"type":"BulkPlaceOrder","orders":[]}'));
  // The last attempt's answer is one, whatever is open in it.
  answers([busy, busy], [done, late]);
  assert.deepEqual((await socket.send(bulk, { retries: 1 })).results, [done, late]);
  answers([done, busy], [{ success: false, error: 'rate_limit_exceeded' }]);
  venue.answer = ((before) => (frame) => (
    before(frame).map((one) => (venue.got.length > 1 ? { ...one, retry_after_secs: 7 } : one))
  ))(venue.answer);
  await assert.rejects(socket.send(bulk), ({ code, details, cause }: StrikebookError) => (
    code === 'no_answer' && codeOf(cause) === 'rate_limit_exceeded' && (details as { results: object[] }).results.length === 2
  ));
});

test('a bulk with every item over its rate is refused as over REST; one with others is an answer', async (t) => {
  const { venue, socket } = await scriptedVenue(t, PATIENT);
  const limited = (index: number): object => ({ index, success: false, error: 'rate_limit_exceeded' });
  const bulk: Request<{ results: object[] }> = { method: 'POST', path: '/bulk_order', body: '{"orders":[]}' };
  const limits: (number | null)[] = [];
  const send = () => socket.send(bulk, { onAnswer: ({ limit }) => limits.push(limit) });
  const answers = (results: object[]) => {
    venue.answer = ({ id }) => [{ type: 'BulkOrderResult', id, retry_after_secs: 7, limit: 60, results }];
  };
  answers([limited(0), limited(1)]);
  await assert.rejects(send(), ({ code, details }: StrikebookError) => (
    code === 'rate_limit_exceeded' && (details as { retry_after_secs: number }).retry_after_secs === 7
  ));
  answers([{ index: 0, success: true, data: {} }, limited(1)]);
  assert.equal((await send()).results.length, 2);
  venue.answer = ({ id }) => [{ type: 'BulkOrderResult', id, results: [{ index: 0, success: false, error: 'Invalid symbol: X' }] }];
  assert.equal((await send()).results.length, 1);
  assert.deepEqual(limits, [60, 60, null]);
});

test('a caller can abort a call, and closing the socket ends all calls, sent or not', async (t) => {
  const { venue, socket } = await scriptedVenue(t, PATIENT);
  const ending = new AbortController();
  const optionsOf = (at: number): CallOptions => (at % 2 === 0 ? { signal: ending.signal } : { retries: at % 4 - 1 });
  const calls = Array.from({ length: 60 }, (_, at) => socket.send(order(at), optionsOf(at)));
  const ends = Promise.allSettled(calls);
  await until('what is in flight', () => venue.got.length === 50);
  ending.abort(new Error('enough'));
  // The venue is still at work on what nobody waits for: only its answer makes room.
  venue.send(acked(venue.got[0]!));
  await until('what found room then', () => venue.got.length === 51);
  await assert.rejects(socket.send(order(60), { signal: ending.signal }), (error) => codeOf(error) === 'aborted');
  socket.close();
  const codes = (await ends).map((end) => (end.status === 'rejected' ? codeOf(end.reason) : 'answered'));
  assert.deepEqual(codes, codes.map((_, at) => (at % 2 === 0 ? 'aborted' : 'closed')));
  await assert.rejects(socket.send(order(61)), (error) => codeOf(error) === 'closed');
});

test('closing the socket ends a call that waits for its next attempt, and leaves no timer', async (t) => {
  const { venue, socket } = await scriptedVenue(t, PATIENT);
  const [timers, ended] = [t.mock.method(globalThis, 'setTimeout'), t.mock.method(globalThis, 'clearTimeout')];
  venue.answer = (frame) => [{ ...refused(frame, 'engine_busy'), retry_after_secs: 3_600 }];
  const call = socket.send(order(1));
  const wait = await until('the wait', () => timers.mock.calls.find(({ arguments: [, ms] }) => ms === 3_600_000));
  socket.close();
  await assert.rejects(call, (error) => codeOf(error) === 'closed');
  assert.ok(ended.mock.calls.some(({ arguments: [timer] }) => timer === wait.result));
  assert.equal(venue.got.length, 1);
});
