// A venue that lists more contracts than it has rows: rows of settled contracts are reused, and nothing of the old contract
// remains in the index, the marks, the streams, the reader's texts or a core restored from a snapshot.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { DAY, USDC } from '../../../core/units.ts';
import { ENGINE_BUSY, OK } from '../../../core/errors.ts';
import { CALL, FLAG_INDEX_AGELESS, LIST_MARKET, PERP } from '../../../core/codec/commands.ts';
import { createState } from '../../../core/engine/state.ts';
import { findInstrument, instrumentRoom } from '../../../core/instruments/instruments.ts';
import { tradingMode } from '../../../core/instruments/trading-mode.ts';
import { checked, SMALL } from '../../../core/limits.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { Names } from '../../../shell/reader/text.ts';
import { audit } from '../../sim/auditor.ts';
import { instrumentTotal } from '../../support/raw.ts';
import { Scene } from '../../support/scene.ts';
import { hashOf } from '../../support/venue.ts';

test('rows of settled contracts are reused with a new id, and nothing of the old contract remains', () => {
  const scene = new Scene({ limits: checked({ ...SMALL, instruments: 700 }) });
  const { instruments, settlement, streams, valuation } = scene.state;
  const names = new Names(scene.state);
  const first = scene.atm;
  const { expiry, strike, kind } = scene.contract(first);
  assert.equal(names.symbol(first).slice(0, 4), 'BTC-');
  const symbol = names.symbol(first);
  scene.sell(1, 1_000, 1);
  scene.buy(2, 1_000, 0.5);
  scene.venue(scene.write.tradingMode(2, 0, scene.contract(first)));
  assert.ok(streams.trades[first]! > 0);
  const ids = new Set<number>();
  let reused = 0;
  for (let day = 0; day < 12; day++) {
    scene.advance(DAY);
    scene.venue(scene.write.index(0, (100_000 + day * 400) * USDC, 1));
    scene.settle();
    audit(scene.state);
    for (let slot = 0; slot < instrumentTotal(scene.state); slot++) {
      const one = scene.contract(slot);
      const found = findInstrument(instruments, instruments.underlying[slot]!, one.expiry, one.strike, one.kind);
      assert.equal(found, slot, 'the index finds each contract, settled or not');
    }
    if (instruments.id[first]! > instrumentTotal(scene.state)) reused++;
    instruments.id.subarray(0, instrumentTotal(scene.state)).forEach((id) => ids.add(id));
  }
  assert.equal(instrumentTotal(scene.state), 700);
  assert.ok(reused > 0, 'the row of the first contract was reused');
  assert.equal(ids.size, instruments.counters[1], 'no id is used twice');
  assert.equal(findInstrument(instruments, 0, expiry, strike, kind), -1);
  assert.notEqual(names.symbol(first), symbol);
  assert.deepEqual([settlement.price[first], streams.trades[first], streams.books[first], tradingMode(instruments, first)], [0, 0, 0, 0]);
  assert.ok(valuation.mark[first]! > 0 || instruments.status[first] === 1);
  const settled = [...instruments.status.subarray(0, 700)].filter((status) => status === 3).length;
  assert.equal(instrumentRoom(instruments), settled);

  const loaded = createState(scene.state.limits);
  restoreState(loaded, copyOf(scene.state));
  assert.equal(hashOf(loaded), scene.hash());
  for (let slot = 0; slot < 700; slot++) {
    const one = scene.contract(slot);
    assert.equal(findInstrument(loaded.instruments, instruments.underlying[slot]!, one.expiry, one.strike, one.kind), slot);
  }
  assert.equal(hashOf(scene.replay()), scene.hash());
});

test('rows: one row is reserved for the perp of each underlying that can still be added', () => {
  const scene = new Scene({ limits: checked({ ...SMALL, instruments: 96 }) });
  const { instruments } = scene.state;
  assert.equal(instrumentTotal(scene.state), 94, 'options fill all rows that are not reserved');
  scene.venue(scene.write.market(LIST_MARKET, 0, scene.contract(scene.atm).expiry + 30 * DAY, 77_777 * USDC, CALL));
  assert.equal(scene.state.result.code, ENGINE_BUSY);
  for (const [underlying, name] of [[2, 'SOL'], [3, 'XRP']] as const) {
    scene.venue(scene.write.addUnderlying(name, 900_000));
    const slot = instruments.perpOf[underlying]!;
    assert.ok(slot >= 0, `${name} has its perp`);
    scene.venue(scene.write.index(underlying, 150 * USDC, FLAG_INDEX_AGELESS));
    scene.settle();
    assert.equal(scene.mark(slot), 150 * USDC);
    const order = { underlying: name, expiry: 0, strike: 0, kind: PERP, wallet: 1, nonce: scene.next(), side: 0, price: USDC, size: 1 };
    assert.equal(scene.send(scene.write.place(order)), OK);
  }
  assert.equal(instrumentRoom(instruments), 0);
  audit(scene.state);
  assert.equal(hashOf(scene.replay()), scene.hash());
});
