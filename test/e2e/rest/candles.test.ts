// GET /candles of a venue with the feed hyperliquid, against a stand-in for its info API: what is asked and handed on, every way it can
// fail (502), the bounds of the query, and that clients cannot spend what the oracle prices need.

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { CandleSource, type CandleRequest } from '../../../shell/feeds/hyperliquid/candle-source.ts';
import { createCounters, SharedCounters } from '../../../shell/ipc/counters.ts';
import { UpstreamFailure } from '../../../shell/feeds/upstream.ts';
import { Hyperliquid } from '../../support/hyperliquid.ts';
import { BAD_ANSWERS, sendJson, Upstream, type UpstreamHandler } from '../../support/upstream.ts';
import { venueOf } from './venue.ts';

const STEP = 60_000;
const FROM = 1_700_000_040_000;
const HOUR: CandleRequest = { underlying: 'BTC', resolution: '1m', step: STEP, from: FROM, to: FROM + 60 * STEP };

const candleAt = (start: number, change: object = {}): object => ({
  t: start, T: start + STEP - 1, s: 'BTC', i: '1m', o: '29295.0', c: '29258.5', h: '29309', l: '29250.25', v: '0.98639', n: 189, ...change,
});
const answering = (...rows: unknown[]): UpstreamHandler => (_, response) => sendJson(response, rows);

type Sources = { upstream: Upstream; source: CandleSource; other: CandleSource; clock: { time: number } };

/** Those of two threads. */
async function sourceOf(t: TestContext, behave: UpstreamHandler): Promise<Sources> {
  const upstream = await Upstream.start(t, behave);
  const clock = { time: 0 };
  const spent = new SharedCounters(createCounters(['spent'])).counter('spent');
  const of = () => new CandleSource({ url: upstream.url, spent, steady: () => clock.time, stop: new AbortController().signal });
  return { upstream, source: of(), other: of(), clock };
}

test('candles are handed on in order, and only those that start within the time', async (t) => {
  const rows = [2, 0, -1, 60, 1].map((minute) => candleAt(FROM + minute * STEP));
  const { upstream, source } = await sourceOf(t, answering(...rows));
  const candles = await source.ask(HOUR);
  assert.deepEqual(upstream.questions, [
    { type: 'candleSnapshot', req: { coin: 'BTC', interval: '1m', startTime: FROM, endTime: FROM + 60 * STEP - 1 } },
  ]);
  assert.deepEqual(candles.map((candle) => candle.start_time_ms), [FROM, FROM + STEP, FROM + 2 * STEP]);
  assert.deepEqual(candles[0], {
    underlying: 'BTC', resolution: '1m', start_time_ms: FROM, end_time_ms: FROM + STEP, open: 29_295, high: 29_309, low: 29_250.25,
    close: 29_258.5, volume: 0.98639,
  });
});

test('one invalid candle fails the whole answer', async (t) => {
  const { upstream, source, clock } = await sourceOf(t, answering());
  const changes = [
    { s: 'ETH' }, { i: '5m' }, { t: FROM + 1 }, { t: String(FROM) }, { t: -STEP }, { t: null }, { o: 'NaN' }, { c: '-1' }, { h: '1' },
    { l: '0' }, { l: '29300' }, { v: '-1' }, { v: 'NaN' }, { v: null }, { o: 29_295 }, { o: '1e5' }, { h: 'Infinity' },
    { h: '9'.repeat(400) },
  ];
  for (const change of changes) {
    clock.time += 600_000;
    upstream.behave = answering(candleAt(FROM), candleAt(FROM + STEP, change));
    await assert.rejects(source.ask(HOUR), (error) => error instanceof UpstreamFailure, JSON.stringify(change));
  }
  upstream.behave = answering(candleAt(FROM), candleAt(FROM));
  await assert.rejects(source.ask(HOUR), /twice/);
  for (const answer of [null, {}, 'x', [null], [[]], [1]]) {
    clock.time += 600_000;
    upstream.behave = (_, response) => sendJson(response, answer);
    await assert.rejects(source.ask(HOUR), UpstreamFailure);
  }
});

test('clients of all threads spend at most half of the weight a minute, and at most eight ask at once', async (t) => {
  const { upstream, source, other, clock } = await sourceOf(t, answering());
  const largest = { ...HOUR, to: FROM + 5_000 * STEP };
  const paid: { readonly time: number; readonly weight: number }[] = [];
  const ask = async (from: CandleSource, question: CandleRequest): Promise<void> => {
    const weight = 20 + Math.ceil((question.to - question.from) / STEP / 60);
    await from.ask(question).then(() => paid.push({ time: clock.time, weight }), () => undefined);
  };
  for (; clock.time < 400_000; clock.time += 1_700) {
    for (const one of [source, other]) for (const question of [largest, HOUR, largest]) await ask(one, question);
    // A rest, after which much may be asked for at once.
    if (paid.length === 20) clock.time += 100_000;
  }
  const most = Math.max(...paid.map(({ time: end }) => (
    paid.filter(({ time }) => time > end - 60_000 && time <= end).reduce((sum, { weight }) => sum + weight, 0)
  )));
  assert.ok(most <= 600, String(most));
  assert.ok(most > 500 && paid.some(({ weight }) => weight === 104));
  clock.time += 600_000;
  const held: ServerResponse[] = [];
  upstream.behave = (_, response) => held.push(response);
  const small = { ...HOUR, to: FROM + STEP };
  const answers = Array.from({ length: 9 }, () => source.ask(small).then(() => 'answered', (error: Error) => error.message));
  assert.equal(await Promise.race(answers), 'too many candles are asked for, try again later');
  while (held.length < 8) await new Promise((resolve) => setTimeout(resolve, 5));
  for (const response of held) sendJson(response, []);
  assert.deepEqual((await Promise.all(answers)).slice(0, 8), Array.from({ length: 8 }, () => 'answered'));
});

test('a venue hands on candles, and every failure of their source is 502 with the usual body', async (t) => {
  const hyperliquid = await Hyperliquid.start(t);
  let behave: UpstreamHandler = answering(candleAt(FROM + STEP), candleAt(FROM));
  hyperliquid.upstream.behave = (question, response) => (
    question.type === 'candleSnapshot' ? behave(question, response) : hyperliquid.answer(question, response)
  );
  const http = await venueOf(t, ['--feed', 'hyperliquid', '--hyperliquid-ws', hyperliquid.ws, '--hyperliquid-info', hyperliquid.info]);
  const get = (query: string) => http.get(`/candles?${query}`);
  const span = `start_time_ms=${FROM}&end_time_ms=${FROM + 10 * STEP}`;

  const { status, body } = await get(`resolution=1m&${span}`) as { status: number; body: any };
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['success', 'data', 'error']);
  const { candles, ...rest } = body.data;
  assert.deepEqual(rest, { underlying: 'BTC', resolution: '1m' });
  assert.deepEqual(candles.map((candle: any) => candle.start_time_ms), [FROM, FROM + STEP]);

  const refused = [
    'underlying=DOGE', 'underlying=', 'instrument_name=BTC-20260109-100000-C', 'resolution=2m', `end_time_ms=${FROM}`,
    `end_time_ms=${FROM + 5_001 * STEP}`,
  ];
  const before = hyperliquid.upstream.questions.filter(({ type }) => type === 'candleSnapshot').length;
  for (const change of refused) {
    const query = Object.fromEntries(new URLSearchParams(`resolution=1m&${span}&${change}`));
    assert.equal((await get(String(new URLSearchParams(query)))).status, 400, change);
  }
  assert.equal(hyperliquid.upstream.questions.filter(({ type }) => type === 'candleSnapshot').length, before);

  for (const { why, behave: bad } of [...BAD_ANSWERS, { why: /no answer within 5000 ms/, behave: () => {} }]) {
    behave = bad;
    const failed = await get(`resolution=1m&${span}`) as { status: number; body: any };
    assert.equal(failed.status, 502, String(why));
    const { message, ...others } = failed.body;
    assert.deepEqual(others, { success: false, data: null, error: 'upstream_failure' });
    assert.match(message, /^Candle source failed: /);
    assert.match(message, why);
  }
});
