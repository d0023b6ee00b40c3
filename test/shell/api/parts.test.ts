// The small parts of the api thread by themselves: pending requests, the queue of signature checks, source quotas, texts.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as codes from '../../../core/errors.ts';
import { BOUNDS, LIMITS, partsOf } from '../../../shell/http/limits.ts';
import { QUOTA_ROWS } from '../../../shell/http/quota.ts';
import { SignatureCheckQueue } from '../../../shell/api/signature-checks.ts';
import { createMeters, Meters } from '../../../shell/process/observability/meters.ts';
import { PendingRequests } from '../../../shell/api/pending-requests.ts';
import { WrappingIdTable } from '../../../shell/process/wrapping-id-table.ts';
import type { ApiContext } from '../../../shell/api/context.ts';
import { Submission } from '../../../shell/api/submit.ts';
import { SourceQuotas } from '../../../shell/api/source-quotas.ts';
import { canonicalSymbol } from '../../../shell/api/values.ts';
import { BUSY } from '../../../shell/http/errors.ts';
import { rateLimited } from '../../../shell/http/rate-headers.ts';
import { sourceOfAddress, type Source } from '../../../shell/http/source.ts';
import { CODE_TEXTS, numberFacts, outcomeText } from '../../../shell/http/outcome-texts.ts';

const SOURCE_BUSY = 'Too many signatures of this network source are waiting';
const from = (address: string): Source => sourceOfAddress(Uint8Array.from(address.split('.'), Number));

test('a pending request settles or expires, never both, and keeps its place until its answer arrives', () => {
  const pending = new PendingRequests<string>(3, 100, 0xfffffffe);
  const log: string[] = [];
  const add = (now: number, name: string) => (
    pending.add(now, { settle: (answer) => log.push(`${name} ${answer}`), expire: () => log.push(`${name} late`) })
  );
  const numbers = [add(0, 'a'), add(10, 'b'), add(50, 'c')];
  assert.deepEqual(numbers, [0xfffffffe, 0xffffffff, 0]);
  assert.deepEqual([pending.isFull, pending.size, pending.open], [true, 3, 3]);
  pending.settle(0xffffffff, 'answer');
  pending.settle(0xffffffff, 'twice');
  pending.settle(77, 'nobody');
  pending.sweep(99);
  assert.deepEqual(log, ['b answer']);
  pending.sweep(100);
  pending.sweep(100);
  assert.deepEqual([log.splice(0), pending.size, pending.open], [['b answer', 'a late'], 2, 1]);
  pending.settle(0xfffffffe, 'too late');
  assert.deepEqual([log, pending.size, pending.open], [[], 1, 1]);
  pending.settle(0, 'answer');
  assert.deepEqual([log, pending.size, pending.open], [['c answer'], 0, 0]);
});

test('a late answer reaches the handler that must undo it, once', () => {
  const pending = new PendingRequests<string>(2, 100);
  const log: string[] = [];
  const say = (word: string) => (answer: string) => void log.push(`${word} ${answer}`);
  const waiter = { settle: say('settled'), expire: () => log.push('expired'), late: say('late') };
  const number = pending.add(0, waiter);
  const other = pending.add(0, waiter);
  pending.settle(other, 'in time');
  pending.sweep(100);
  pending.settle(number, 'after all');
  pending.settle(number, 'twice');
  assert.deepEqual([log, pending.size, pending.open], [['settled in time', 'expired', 'late after all'], 0, 0]);
});

test('an abandoned request frees its place at once, and expires unless it already had', () => {
  const pending = new PendingRequests<string>(3, 100);
  const log: string[] = [];
  const expire = (from: number) => log.push(`expired from ${from}`);
  const add = (now: number, answers = 1) => pending.add(now, { settle: (answer) => log.push(answer), expire }, answers);
  const [first, second] = [add(0), add(50, 2)];
  pending.settle(second, 'one of two');
  pending.abandon(second);
  assert.deepEqual([log.splice(0), pending.size, pending.open], [['one of two', 'expired from 1'], 1, 1]);
  pending.sweep(100);
  pending.abandon(first);
  pending.abandon(first);
  pending.settle(first, 'too late');
  pending.sweep(200);
  assert.deepEqual([log, pending.size, pending.open], [['expired from 0'], 0, 0]);
});

test('an id that is still in use is not given again', () => {
  const pending = new PendingRequests<string>(10, 100, 0xffffffff);
  const nobody = { settle: () => undefined, expire: () => undefined };
  assert.deepEqual([pending.add(0, nobody), pending.add(0, nobody)], [0xffffffff, 0]);
  const again = new PendingRequests<string>(10, 100, 5);
  assert.equal(again.add(0, nobody), 5);
  assert.equal(again.add(0, nobody), 6);
});

test('when ids wrap around, those of waiting items are skipped, and without a free slot adding throws', () => {
  const numbered = new WrappingIdTable<string>(3, 0xffffffff);
  assert.deepEqual(['a', 'b', 'c', 'd'].map((item) => numbered.add(item)), [0xffffffff, 0, 1, 2]);
  assert.throws(() => numbered.add('e'), new RangeError('no free id: 4 items are pending'));
  for (const number of [0xffffffff, 1, 2, 7]) numbered.remove(number);
  assert.deepEqual([numbered.add('e'), numbered.add('f'), numbered.add('g')], [3, 5, 6]);
  assert.deepEqual([0, 3, 4, 5, 6, 0xffffffff, 1].map((number) => numbered.get(number)), ['b', 'e', null, 'f', 'g', null, null]);
  numbered.remove(4);
  assert.equal(numbered.get(0), 'b');
});

test('signature checks run a few per turn and in order; beyond the bound they are refused', async () => {
  const checks = new SignatureCheckQueue(new Meters(createMeters(['api']), 'api'));
  const order: number[] = [];
  const source = from('127.0.0.1');
  const room = partsOf(BOUNDS.checksWaiting).loopback;
  const jobs = BOUNDS.checksPerTurn + room;
  for (let i = 0; i < jobs; i++) assert.equal(checks.run(source, () => order.push(i)), null);
  assert.deepEqual([order.length, checks.waiting], [BOUNDS.checksPerTurn, room]);
  assert.equal(checks.run(source, () => order.push(-1))?.message, SOURCE_BUSY);
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(order.length <= BOUNDS.checksPerTurn * 3, 'not all at once');
  while (checks.waiting > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(order, Array.from({ length: jobs }, (_, i) => i));
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
  for (let i = 0; i < BOUNDS.checksPerTurn; i++) checks.run(source, () => order.push(i));
  assert.equal(checks.waiting, 0, 'a new turn has its own');
});

test('signature checks take turns by source, and each source has a share of the queue', async () => {
  const checks = new SignatureCheckQueue(new Meters(createMeters(['api']), 'api'));
  const done: string[] = [];
  const run = (source: Source, times = 1): (string | null)[] => Array.from({ length: times }, () => (
    checks.run(source, () => done.push(source.network))?.message ?? null
  ));
  const [one, other, late] = [from('203.0.113.1'), from('203.0.113.2'), from('203.0.113.3')];
  const part = partsOf(BOUNDS.checksWaiting).amount;
  const told = run(one, BOUNDS.checksPerTurn + part + 1);
  assert.deepEqual([told.slice(0, -1).every((refusal) => refusal === null), told.at(-1)], [true, SOURCE_BUSY]);
  assert.deepEqual([run(other, 2), run(late)], [[null, null], [null]]);
  done.length = 0;
  await new Promise((resolve) => setImmediate(resolve));
  const ahead = [one, other, late, one, other].map(({ network }) => network);
  assert.deepEqual(done.slice(0, BOUNDS.checksPerTurn), [...ahead, ...Array.from({ length: BOUNDS.checksPerTurn - 5 }, () => one.network)]);
  assert.deepEqual(run(one, BOUNDS.checksPerTurn + 1).at(-1), SOURCE_BUSY, 'whose line is shorter has room, up to its part');
  let beyond: string | null = null;
  for (let i = 4; beyond === null; i++) [beyond = null] = run(from(`203.0.113.${i}`), part).filter((refusal) => refusal !== null);
  assert.deepEqual([beyond, checks.waiting], [BUSY.message, BOUNDS.checksWaiting], 'all sources together have a bound, too');
  while (checks.waiting > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('a check that a running check adds goes to the end of the queue', async () => {
  const checks = new SignatureCheckQueue(new Meters(createMeters(['api']), 'api'));
  const source = from('203.0.113.1');
  const order: string[] = [];
  for (let i = 0; i < BOUNDS.checksPerTurn; i++) checks.run(source, () => undefined);
  checks.run(source, () => {
    order.push('first');
    checks.run(source, () => order.push('asked for by the first'));
  });
  checks.run(source, () => order.push('second'));
  while (checks.waiting > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(order, ['first', 'second', 'asked for by the first']);
});

test('quotas are per source and minute, and bounded in number', () => {
  let now = 60_000 * 1_000;
  const sources = new SourceQuotas(() => now, true);
  const one = { network: '203.0.113.1', digest: 1, loopback: false };
  const two = { network: '203.0.113.2', digest: 2, loopback: false };
  for (let i = 0; i < BOUNDS.sourceRequests; i++) assert.equal(sources.takeRequest(one), null);
  assert.deepEqual(sources.takeRequest(one), { limit: BOUNDS.sourceRequests, left: 0, windowEnd: 60_060 });
  assert.equal(sources.takeRequest(two), null);
  const standing = () => [sources.mayDiagnose(two), sources.failuresSpent(two, true)?.limit, sources.failuresSpent(two, false)?.limit];
  const fail = (upTo: number, from = 0): void => {
    for (let i = from; i < upTo; i++) sources.countFailure(two);
  };
  fail(BOUNDS.sourceDiagnosed - 1);
  assert.deepEqual(standing(), [true, undefined, undefined]);
  fail(BOUNDS.sourceBulkFailures - 1, BOUNDS.sourceDiagnosed - 1);
  assert.deepEqual(standing(), [false, undefined, undefined]);
  fail(BOUNDS.sourceFailures - 1, BOUNDS.sourceBulkFailures - 1);
  assert.deepEqual(standing(), [false, BOUNDS.sourceBulkFailures, undefined]);
  fail(BOUNDS.sourceFailures, BOUNDS.sourceFailures - 1);
  assert.deepEqual(sources.failuresSpent(two, false), { limit: BOUNDS.sourceFailures, left: 0, windowEnd: 60_060 });
  assert.equal(sources.failuresSpent(one, true), null);
  const loop = { network: '127.0.0.1', digest: 3, loopback: true };
  for (let i = 0; i < BOUNDS.sourceRequests * 2; i++) assert.equal(sources.takeRequest(loop), null);
  assert.ok(LIMITS.sourceRequests.loopback > BOUNDS.sourceRequests * 2);
  now += 60_000;
  assert.deepEqual([sources.takeRequest(one), sources.failuresSpent(two, false), sources.mayDiagnose(two)], [null, null, true]);
  for (let i = 0; i < QUOTA_ROWS; i++) sources.takeRequest({ network: `10.${i}`, digest: 1, loopback: false });
  let isLimited = false;
  for (let i = 0; i <= BOUNDS.sourceRequests; i++) {
    isLimited = sources.takeRequest({ network: `11.${i}`, digest: 1, loopback: false }) !== null;
  }
  assert.equal(isLimited, true, 'sources beyond the table share one row');
  assert.equal(sources.takeRequest(one), null);
});

test('every result that a reply can carry has a text', () => {
  // NOT_OPEN is composed from the reader; the last two are refusals of the venue's own commands.
  const elsewhere = new Set<number>([codes.OK, codes.NOT_OPEN, codes.UNKNOWN_UNDERLYING, codes.TOO_MANY_UNDERLYINGS]);
  const names = Object.entries<number>(codes).filter(([name, code]) => !name.startsWith('DONE_') && !elsewhere.has(code));
  assert.ok(names.length > 30);
  for (const [name, code] of names) {
    const { text } = outcomeText(code, { limit: '60' });
    assert.ok(text.length > 0 && !text.includes('{'), name);
  }
  assert.throws(() => outcomeText(9_999, {}), RangeError);
  const told = CODE_TEXTS.map(({ code }) => code);
  assert.deepEqual(told, [...new Set(told)], 'a code has one row');
});

test('money has two decimals, with halves rounded away from zero', () => {
  const cases: [number, string][] = [
    [0, '0.00'], [1, '0.00'], [4_999, '0.00'], [5_000, '0.01'], [-4_999, '0.00'], [-5_000, '-0.01'], [1_005_000, '1.01'],
    [-1_005_000, '-1.01'],
    [1_994_999, '1.99'], [1_995_000, '2.00'], [10_000_000_000_000, '10000000.00'], [Number.MAX_SAFE_INTEGER, '9007199254.74'],
    [-Number.MAX_SAFE_INTEGER, '-9007199254.74'],
  ];
  for (const [micros, text] of cases) assert.equal(numberFacts([micros])['required'], text, String(micros));
});

test('after Retry-After the window has ended, and Retry-After is at least a second', () => {
  for (const time of [0, 1, 999, 1_000, 59_001, 59_999, 60_000]) {
    const { headers, extra } = rateLimited({ limit: 60, left: 0, windowEnd: 60 }, time);
    const seconds = Number(headers!['Retry-After']);
    assert.ok(seconds >= 1 && time / 1_000 + seconds >= 60 && (seconds === 1 || time / 1_000 + seconds < 61));
    assert.deepEqual(extra, { retry_after_secs: seconds, limit: 60 });
  }
});

test('symbols in exchange style become canonical, and others stay unchanged', () => {
  assert.equal(canonicalSymbol('BTC-5JAN26-100000-C'), 'BTC-20260105-100000-C');
  assert.equal(canonicalSymbol('BTC-20260105-100000-C'), 'BTC-20260105-100000-C');
  assert.equal(canonicalSymbol('nonsense'), 'nonsense');
});

test('given a source with too many failed signatures, then its requests are refused unparsed, alone or in a bulk', () => {
  const now = 60_000;
  const sources = new SourceQuotas(() => now, true);
  const source = { network: '203.0.113.1', digest: 1, loopback: false };
  for (let i = 0; i < BOUNDS.sourceFailures; i++) sources.countFailure(source);
  for (const isBulk of [false, true]) {
    const results: (string | null)[] = [];
    const make = (): never => assert.fail('parsed');
    const api = { sources, now: () => now, leadership: { refuseWrite: () => null } } as unknown as ApiContext;
    new Submission(api, { source, query: '' }, [make, make], isBulk, (all) => {
      results.push(...all.map((result) => (result.ok ? null : result.code)));
    }).start();
    assert.deepEqual(results, ['rate_limit_exceeded', 'rate_limit_exceeded']);
  }
});
