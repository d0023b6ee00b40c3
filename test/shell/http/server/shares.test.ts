// What a network source holds is counted in one row, from its first request to the tick after its last.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOUNDS } from '../../../../shell/http/bounds/edge.ts';
import { Shares } from '../../../../shell/http/server/shares.ts';
import { sourceOfAddress } from '../../../../shell/http/source.ts';

const SOURCE = sourceOfAddress(Uint8Array.of(203, 0, 113, 7));

test('a source has one row for what it asks in a tick, and none when it holds nothing at the next', () => {
  const shares = new Shares(BOUNDS);
  const share = shares.of(SOURCE);
  assert.equal(shares.of(SOURCE), share);
  shares.onTick();
  assert.notEqual(shares.of(SOURCE), share);
});

for (const held of ['requests', 'sockets'] as const) {
  test(`a source that holds ${held} keeps its row over a tick`, () => {
    const shares = new Shares(BOUNDS);
    const share = shares.of(SOURCE);
    share[held]++;
    shares.onTick();
    assert.equal(shares.of(SOURCE), share);
  });
}
