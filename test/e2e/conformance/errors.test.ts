// Every error of the law, provoked, with one test per row against one venue process. Status, code and text are the row's, word for word;
// a rate-limit refusal has its headers and fields.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { Desk } from './desk.ts';
import { ERRORS, type ErrorRow } from '../../../client/conformance/law/errors.ts';
import { PROBES } from './probes.ts';
import type { Provoked } from './provoke.ts';

let desk: Desk;
before(async () => { desk = await Desk.open({ start: '2026-01-05T07:59:00Z', speed: 0.1 }); });
after(() => desk?.close());

test('every error that a client can provoke has a probe, and every probe an error', () => {
  const provoked = ERRORS.filter(({ shown }) => shown === undefined).map(({ when }) => when);
  assert.deepEqual(Object.keys(PROBES).sort(), provoked.sort());
});

const rows = new Map(ERRORS.map((row) => [row.when, row]));
assert.equal(rows.size, ERRORS.length);

// In the order of the probes: the last of them has the venue go on to an expiry.
for (const [when, probe] of Object.entries(PROBES)) {
  const row = rows.get(when);
  if (row === undefined) continue;
  test(`error: ${when}`, async () => check(row, await probe(desk)));
}

function check(row: ErrorRow, { answer, facts = {} }: Provoked): void {
  const text = row.text.replace(/\{(\w+)\}/g, (name, key: string) => facts[key] ?? name);
  const { status, body } = answer;
  assert.match(answer.headers.get('content-type')!, /^application\/json/);
  switch (row.code) {
    case 'REJECTED':
      assert.deepEqual([status, body.status, body.reason, body.order_id, body.filled_size], [row.status, 'REJECTED', text, null, 0]);
      break;
    case 'ACKED':
      assert.deepEqual([status, body.status, body.reason], [row.status, 'ACKED', text]);
      break;
    case 'FAILED':
      assert.deepEqual([status, body.success, body.error], [row.status, false, text]);
      break;
    case 'ITEM':
      assert.deepEqual([status, body.results[0].index, body.results[0].success, body.results[0].error], [row.status, 0, false, text]);
      break;
    default:
      assert.deepEqual([status, body.error, body.message], [row.status, row.code, text]);
  }
  if (status === 429) checkLimit(answer);
  assert.equal(answer.headers.has('retry-after'), status === 429);
  assert.equal(Number.isInteger(body.retry_after_secs), status === 429 || status === 503);
}

/** interface.md, rate limiting 5 and 6. */
function checkLimit({ headers, body }: Provoked['answer']): void {
  const limit = Number(headers.get('x-ratelimit-limit'));
  assert.deepEqual([body.limit, headers.get('x-ratelimit-remaining')], [limit, '0']);
  assert.equal(String(body.retry_after_secs), headers.get('retry-after'));
  assert.ok(body.retry_after_secs >= 1 && body.retry_after_secs <= 60);
  assert.equal(Number(headers.get('x-ratelimit-reset')) % 60, 0);
}
