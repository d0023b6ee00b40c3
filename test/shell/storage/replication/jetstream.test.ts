// What an answer of JetStream to an append proves, without brokers (test/brokers has them).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendResult } from '../../../../shell/storage/replication/jetstream.ts';

test('an acknowledgement and a refusal tell their positions, and brokers without room are full', () => {
  assert.deepEqual(appendResult({ seq: 5 }), { type: 'accepted', position: 5 });
  const refusal = { code: 400, err_code: 10_071, description: 'wrong last sequence: 17' };
  assert.deepEqual(appendResult({ error: refusal }), { type: 'refused', last: 17 });
  for (const err_code of [10_023, 10_047, 10_077]) {
    assert.deepEqual(appendResult({ error: { code: 503, err_code, description: 'no room' } }), { type: 'full' });
  }
});

test('an answer that is not for these bytes at the end proves nothing', () => {
  assert.deepEqual(appendResult({ seq: 5, duplicate: true }), { type: 'unknown' });
  assert.deepEqual(appendResult({}), { type: 'unknown' });
  for (const [code, err_code, description] of [[503, 10_008, 'temporarily unavailable'], [400, 10_071, 'wrong last sequence']] as const) {
    assert.deepEqual(appendResult({ error: { code, err_code, description } }), { type: 'unknown' });
  }
});
