// Bounds of the api thread over HTTP: budgets with their headers, readiness, full queues, late answers, faults.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import { BOUNDS, LIMITS } from '../../../shell/http/limits.ts';
import { READ_TIMED_OUT } from '../../../shell/ipc/queries.ts';
import { IN_FLIGHT } from '../../../shell/process/wiring.ts';
import { exchange } from '../http/server/client.ts';
import { Harness, turn, until, type Options } from './harness.ts';
import { approve, cancel, order } from './requests.ts';
import { ethersSigner } from './wallets.ts';

async function withVenue(options: Options, run: (venue: Harness, symbol: string) => Promise<void>): Promise<void> {
  const venue = new Harness(options);
  try {
    await run(venue, venue.calls()[0]!);
  } finally {
    venue.close();
  }
}

const OUTSIDE = { network: '203.0.113.7', digest: 77, loopback: false };

const RATED = { flags: ['--rate-limits', 'on'] };

test('every answer has the wallet\'s budget; once spent it is 429 until the minute ends', () => withVenue(RATED, async (venue, symbol) => {
  const owner = ethersSigner(700);
  const reset = String(Math.floor(venue.core.now / 60_000) * 60 + 60);
  const shown = ({ headers }: { headers: Record<string, string> }) => (
    ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`])
  );
  const limit = DEFAULT_LIMITS[0]!.orders;
  for (let left = limit - 1; left >= 0; left--) {
    // A rejection and a value check count like any other, the latter also before the wallet has an account.
    const fields = left % 2 === 0 ? { route: 'rfq_only' } : { size: '0' };
    const answer = await venue.post('/order', order(owner, { symbol, ...fields }));
    assert.equal(answer.status, left % 2 === 0 ? 200 : 400);
    assert.deepEqual(shown(answer), [String(limit), String(left), reset]);
  }
  venue.core.now += 1_500;
  const over = await venue.post('/order', order(owner, { symbol }));
  assert.deepEqual([over.status, over.body], [429, {
    error: 'rate_limit_exceeded', message: `Rate limit exceeded: ${limit} per minute`, retry_after_secs: 59, limit,
  }]);
  assert.deepEqual([shown(over), over.headers['retry-after']], [[String(limit), '0', reset], '59']);
  const cancelled = await venue.post('/cancel', cancel(owner, 1));
  assert.deepEqual([cancelled.status, shown(cancelled)[0]], [200, String(DEFAULT_LIMITS[0]!.cancels)]);
  assert.deepEqual(shown(await venue.post('/approve-agent', approve(owner, owner.address)))[0], String(DEFAULT_LIMITS[0]!.requests));
  venue.core.now += 60_000;
  assert.equal((await venue.post('/order', order(owner, { symbol, tif: 'ioc' }))).status, 200);
}));

test('after a clock is set back, a spent budget stays spent until time catches up, and Retry-After says so', () => (
  withVenue(RATED, async (venue, symbol) => {
    const owner = ethersSigner(701);
    const minute = Math.floor(venue.core.now / 60_000) * 60_000;
    venue.core.now = minute + 30_000;
    const place = () => venue.post('/order', order(owner, { symbol, route: 'rfq_only' }));
    for (let i = 0; i < DEFAULT_LIMITS[0]!.orders; i++) assert.equal((await place()).status, 200);
    for (const [back, seconds] of [[0, 30], [600_000, 630], [86_400_000, 3_600]] as const) {
      venue.core.now = minute + 30_000 - back;
      const { status, headers, body } = await place();
      assert.deepEqual([status, headers['retry-after'], body.retry_after_secs], [429, String(seconds), seconds]);
      assert.equal(headers['x-ratelimit-reset'], String(minute / 1_000 + 60));
    }
    venue.core.now = minute + 60_000;
    assert.equal((await place()).status, 200);
  })
));

test('one source may open 20 new wallets an hour, and loopback any number', async () => {
  const open = (venue: Harness, symbol: string, seed: number) => venue.post('/order', order(ethersSigner(seed), { symbol, tif: 'ioc' }));
  await withVenue({ source: OUTSIDE }, async (venue, symbol) => {
    for (let i = 0; i < 20; i++) assert.equal((await open(venue, symbol, 720 + i)).status, 200);
    const over = await open(venue, symbol, 740);
    assert.deepEqual([over.status, over.body.error, over.body.limit, over.body.retry_after_secs], [429, 'rate_limit_exceeded', 20, 3_600]);
    assert.equal(over.headers['retry-after'], '3600');
  });
  await withVenue({}, async (venue, symbol) => {
    for (let i = 0; i < 22; i++) assert.equal((await open(venue, symbol, 720 + i)).status, 200);
  });
});

const RATED_OUTSIDE = { ...RATED, source: OUTSIDE };

test('wider networks and the venue have bounds on new wallets, and an approval counts as one', async () => {
  let block = { digest: 0xb10c, subnet: 0 };
  let network = 0;
  const comeTo = async (venue: Harness, seed: number): Promise<number> => {
    const source = { network: `2001:db8:0:${network}::/64`, digest: 1_000 + network++, loopback: false, block };
    return venue.direct('POST', '/approve-agent', approve(ethersSigner(seed), ethersSigner(1).address), source);
  };
  const flags = ['--new-wallets', '20,3,5,7'];
  await withVenue({ flags }, async (venue) => {
    const come = (): Promise<number> => comeTo(venue, 10_000 + network);
    assert.deepEqual([await come(), await come(), await come(), await come()], [200, 200, 200, 429], 'its /56 is full');
    block = { digest: 0xb10c, subnet: 1 };
    assert.deepEqual([await come(), await come(), await come()], [200, 200, 429], 'its /48 is full');
    block = { digest: 0xb10d, subnet: 0 };
    assert.deepEqual([await come(), await come(), await come()], [200, 200, 429], 'the hour is full');
    assert.equal((await venue.post('/approve-agent', approve(ethersSigner(900), ethersSigner(1).address))).status, 200, 'not for loopback');
  });
  const names = ['network source', 'IPv6 /56', 'IPv6 /48', 'venue'];
  const texts = names.map((name) => `Rate limit exceeded: 1 new wallets per hour and ${name}`);
  for (const [at, text] of texts.entries()) {
    const limits = [9, 9, 9, 9].map((limit, i) => (i === at ? 1 : limit)).join();
    const source = { network: '2001:db8::/64', digest: 5, loopback: false, block };
    await withVenue({ flags: ['--new-wallets', limits], source }, async (venue) => {
      await venue.post('/approve-agent', approve(ethersSigner(901), ethersSigner(1).address));
      const { status, body } = await venue.post('/approve-agent', approve(ethersSigner(902), ethersSigner(1).address));
      assert.deepEqual([status, body.message, body.limit], [429, text, 1]);
    });
  }
});

test('a request refused before it is read counts for its source; the headers say what is left', () => withVenue(RATED, async (venue) => {
  const left = async (text: string, status: number): Promise<number> => {
    const { answers } = await exchange(venue.edge.port, [text], 1);
    const { headers, status: told } = answers[0]!;
    assert.deepEqual([told, headers['x-ratelimit-limit']], [status, String(LIMITS.sourceRequests.loopback)]);
    return Number(headers['x-ratelimit-remaining']);
  };
  const size = BOUNDS.bodyBytes + 1;
  const chunk = ' '.repeat(size);
  const head = 'POST /order HTTP/1.1\r\nHost: localhost\r\n';
  const first = await left(`${head}Content-Length: ${size}\r\n\r\n${chunk}`, 413);
  assert.equal(await left(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, 411), first - 1);
  assert.equal(await left(`${head}Content-Length: ${2 ** 40}\r\n\r\n`, 413), first - 2);
  assert.equal(await left(`${head}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`, 400), first - 3);
}));

test('a source has a budget of requests', () => withVenue(RATED_OUTSIDE, async (venue) => {
  for (let i = 0; i < BOUNDS.sourceRequests; i++) assert.equal(await venue.direct('GET', '/nowhere', null, OUTSIDE), 404);
  const over = await venue.get('/markets');
  const shown = [over.status, over.body.error, over.headers['x-ratelimit-limit']];
  assert.deepEqual(shown, [429, 'rate_limit_exceeded', String(BOUNDS.sourceRequests)]);
  assert.equal((await venue.get('/health')).status, 200);
  venue.core.now += 60_000;
  assert.equal((await venue.get('/markets')).status, 200);
}));

/** Signed by nobody, and by somebody who may not act: the second is seen by main alone. */
const UNSIGNED = { signature: `0x${'00'.repeat(65)}` };
const strangers = (symbol: string) => ({ ...order(ethersSigner(751), { symbol }), wallet: ethersSigner(750).address });

test('75 badly signed orders, or thousands, do not lock out others behind the same source', () => (
  withVenue(RATED_OUTSIDE, async (venue, symbol) => {
    const owner = ethersSigner(750);
    const good = async (): Promise<void> => {
      const { status, body } = await venue.post('/order', order(owner, { symbol, tif: 'ioc' }));
      assert.deepEqual([status, body.status], [200, 'ACKED']);
    };
    await good();
    const stranger = strangers(symbol);
    for (let i = 0; i < 75; i++) assert.equal(await venue.direct('POST', '/order', stranger, OUTSIDE), 401);
    await good();
    const unsigned = { ...stranger, ...UNSIGNED };
    for (let i = 0; i < BOUNDS.sourceDiagnosed; i++) assert.equal(await venue.direct('POST', '/order', unsigned, OUTSIDE), 400);
    await good();
    assert.equal((await venue.post('/bulk_order', { orders: [order(owner, { symbol, tif: 'ioc' })] })).body.results[0].success, true);
  })
));

test('badly signed bulks exhaust a bound on checks: then bulks are 429, and single orders still work', () => (
  withVenue(RATED_OUTSIDE, async (venue, symbol) => {
    const owner = ethersSigner(750);
    let recoveries = 0;
    const { backend } = venue;
    const { recover } = backend;
    backend.recover = (...parts) => {
      recoveries++;
      return recover.apply(backend, parts);
    };
    const items = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? strangers(symbol) : { ...strangers(symbol), ...UNSIGNED }));
    const statuses: number[] = [];
    for (let i = 0; i < 3 * BOUNDS.sourceBulkFailures / items.length; i++) {
      statuses.push(await venue.direct('POST', '/bulk_order', { orders: items }, OUTSIDE));
    }
    assert.deepEqual([...new Set(statuses)], [200, 429]);
    // One beyond the budget is on its way when it is spent; a try to find the reason of a failure is a recovery too.
    const most = BOUNDS.sourceBulkFailures;
    assert.ok(recoveries >= most && recoveries <= most + items.length, `${recoveries} recoveries`);
    const refused = await venue.post('/bulk_order', { orders: [order(owner, { symbol })] });
    const told = `Rate limit exceeded: ${most} failed signatures per minute`;
    assert.deepEqual([refused.status, refused.body.message], [429, told]);
    assert.equal((await venue.post('/order', order(owner, { symbol, tif: 'ioc' }))).body.status, 'ACKED');
    venue.core.now += 60_000;
    assert.equal((await venue.post('/bulk_order', { orders: [order(owner, { symbol, tif: 'ioc' })] })).status, 200);
  })
));

test('before the venue is ready, and once it stops, only /health is answered', () => withVenue({}, async (venue, symbol) => {
  const isClosed = async (reason: string) => {
    const write = await venue.post('/order', order(ethersSigner(760), { symbol }));
    for (const { status, body, headers } of [write, await venue.get('/markets'), await venue.get('/nowhere')]) {
      assert.deepEqual([status, body.error, body.message, body.retry_after_secs], [503, 'not_ready', reason, 1]);
      assert.equal(headers['retry-after'], undefined);
    }
    assert.deepEqual([(await venue.get('/health')).status, (await venue.get('/health')).body], [200, { status: 'ok' }]);
    const ready = await venue.get('/ready');
    const told = [ready.status, ready.body.status, ready.body.retry_after_secs, ready.headers['retry-after']];
    assert.deepEqual(told, [503, 'not_ready', 1, undefined]);
    return ready.body.components as { name: string; ready: boolean; detail: string }[];
  };
  venue.setReady(false);
  const starting = await isClosed('The service is starting');
  assert.deepEqual(starting[0], { name: 'recovery', state: 'not_ready', ready: false, detail: 'recovered 0 of 0 commands' });
  venue.setReady(true);
  const ready = await venue.get('/ready');
  assert.deepEqual([ready.status, ready.body.status], [200, 'ready']);
  assert.ok(ready.body.components.every(({ ready: one }: { ready: boolean }) => one));
  venue.service.closeIntake();
  await isClosed('The service is stopping');
}));

test('when main stalls, some requests wait, the rest are 503, late ones 500; all recovers', () => withVenue({}, async (venue, symbol) => {
  const owner = ethersSigner(770);
  assert.equal((await venue.post('/order', order(owner, { symbol, tif: 'ioc' }))).status, 200);
  venue.isMainStuck = true;
  const body = order(owner, { symbol, tif: 'ioc' });
  const waiting: Promise<number>[] = [];
  while (waiting.length < IN_FLIGHT) {
    waiting.push(venue.direct('POST', '/order', body));
    // As fast as signatures are checked, so that none waits for its check.
    if (waiting.length % BOUNDS.checksPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(venue.service.waiting(), IN_FLIGHT);
  const over = await venue.post('/order', body);
  const told = [over.status, over.body.error, over.body.retry_after_secs, over.headers['retry-after']];
  assert.deepEqual(told, [503, 'engine_busy', 1, undefined], 'the header is a 429’s alone (decision 6.4)');
  venue.core.now += 10_000;
  venue.service.sweep();
  assert.deepEqual([...new Set(await Promise.all(waiting))], [500]);
  assert.equal((await venue.post('/order', body)).status, 503, 'room comes with the late replies, not before');
  venue.unstick();
  // The intake is open again as soon as replies have come, each of a request that nobody waits for any more.
  while (await venue.direct('POST', '/order', body) === 503) await turn();
  const again = await venue.post('/order', body);
  assert.deepEqual([again.status, again.headers['idempotent-replay']], [200, 'true'], 'the nonce tells the outcome');
}));

test('when the reader stalls, a read is 503 after its time, and its late answer is dropped', () => withVenue({}, async (venue) => {
  venue.answers.set('markets', () => 'later');
  const waiting = venue.get('/markets');
  await until(() => venue.asked.length === 1);
  venue.core.now += 9_999;
  venue.service.sweep();
  assert.equal(venue.service.waiting(), 1);
  venue.core.now += 1;
  venue.service.sweep();
  const answer = await waiting;
  assert.deepEqual([answer.status, answer.headers['retry-after'], answer.body], [503, undefined, {
    error: 'engine_busy', message: 'No answer in time: reads are behind, ask again later', retry_after_secs: 1,
  }]);
  venue.answer(venue.asked[0]!.request, 200, '{}');
  // Given up by the reader, with its client still there, it is the same.
  const other = venue.get('/markets');
  await until(() => venue.asked.length === 2);
  venue.answer(venue.asked[1]!.request, READ_TIMED_OUT, '');
  const early = await other;
  assert.deepEqual([early.status, early.headers['retry-after'], early.body], [503, undefined, answer.body]);
  venue.answers.clear();
  assert.equal((await venue.get('/markets')).status, 200);
}));

test('an exception inside is a 500, and the venue runs on', () => withVenue({}, async (venue, symbol) => {
  const owner = ethersSigner(780);
  venue.answers.set('outcome', () => ({ status: 200, body: 'no json' }));
  const body = order(owner, { symbol, tif: 'ioc' });
  assert.equal((await venue.post('/order', body)).status, 200);
  const broken = await venue.post('/order', body);
  assert.deepEqual([broken.status, broken.body], [500, { error: 'internal_error', message: 'Internal error' }]);
  venue.answers.set('order', () => ({ status: 500, body: '{}' }));
  const other = await venue.post('/order', order(owner, { symbol, tif: 'ioc' }));
  assert.equal((await venue.post('/cancel', cancel(owner, other.body.order_id))).status, 500);
  assert.deepEqual(venue.faults.map(({ place }) => place), ['outcome', 'order']);
  assert.equal((await venue.post('/order', order(owner, { symbol, tif: 'ioc' }))).body.status, 'ACKED');
}));

test('if the reader is full, a used nonce has no known result and a late cancel is 503; neither is refused', () => (
  withVenue({}, async (venue, symbol) => {
    const owner = ethersSigner(781);
    const body = order(owner, { symbol, tif: 'ioc' });
    const first = await venue.post('/order', body);
    const busy = { status: 503, body: '{"error":"engine_busy","message":"Too many reads are waiting"}' };
    venue.answers.set('outcome', () => busy);
    venue.answers.set('order', () => busy);
    const again = await venue.post('/order', body);
    assert.deepEqual([again.status, again.body], [
      500, { error: 'internal_error', message: 'No answer in time; a signed request may be sent again with the same nonce' },
    ], 'neither refused nor another request');
    const bulk = await venue.post('/bulk_order', { orders: [body] });
    assert.equal(bulk.body.results[0].error, 'No response from engine');
    const cancelled = cancel(owner, first.body.order_id);
    const late = await venue.post('/cancel', cancelled);
    assert.deepEqual([late.status, late.body], [
      503, { error: 'engine_busy', message: 'Too many requests in flight', retry_after_secs: 1 },
    ]);
    assert.deepEqual(venue.faults, []);
    venue.answers.clear();
    const known = await venue.post('/order', body);
    assert.deepEqual([known.status, known.headers['idempotent-replay'], known.body], [200, 'true', first.body]);
    assert.equal((await venue.post('/cancel', cancelled)).body.status, 'REJECTED');
  })
));
