// The order requests of one connection without a venue: when main hears that the connection is over, and what a fault of the venue
// leaves.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderEntry } from '../../../shell/ws/order-entry.ts';
import { QUIET_API } from '../../support/api.ts';

const SOURCE = { network: '203.0.113.1', digest: 7, loopback: false };
const CANCEL = { wallet: `0x${'ab'.repeat(20)}`, order_id: 1, nonce: 1, signature: `0x${'1b'.repeat(65)}` };

test('main hears that a connection is over once all its requests are answered', () => {
  const checks: (() => void)[] = [];
  let isOver = false;
  const api = {
    ...QUIET_API,
    connectionNotices: { open: () => ({ number: 1, isOpen: true, close: () => { isOver = true; } }) },
    sources: { failuresSpent: () => null }, fault: () => undefined,
    checks: { run: (_: unknown, check: () => void) => { checks.push(check); return null; } },
  };
  const entry = new OrderEntry({ api: api as never, source: SOURCE, connection: '', send: assert.fail, end: assert.fail });
  for (const nonce of [1, 2]) assert.ok(entry.take('CancelOrder', { ...CANCEL, nonce }, null));
  entry.close();
  assert.equal(checks.length, 2);
  checks.shift()!();
  assert.equal(isOver, false);
  checks.shift()!();
  assert.equal(isOver, true);
});

test('a fault of the venue during an order is answered with its id, and blocks no later answer', () => {
  const frames: any[] = [];
  const faults: unknown[] = [];
  const api = { ...QUIET_API, get sources() { throw new Error('broken'); }, fault: (_: string, fault: unknown) => faults.push(fault) };
  const entry = new OrderEntry({
    api: api as never, source: SOURCE, connection: '', send: (frame) => frames.push(JSON.parse(frame)), end: assert.fail,
  });
  assert.ok(entry.take('CancelOrder', { ...CANCEL, id: 1 }, null));
  assert.ok(entry.take('CancelOrder', { id: [2] }, null));
  assert.deepEqual(faults.map(String), ['Error: broken']);
  assert.deepEqual(frames.map(({ id, status, error: code }) => [id, status, code]), [
    [1, 'REJECTED', 'internal_error'], [null, 'REJECTED', 'invalid_parameter'],
  ]);
});
