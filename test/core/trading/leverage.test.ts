// The leverage of a perp is stored by wallet and underlying, within what margin allows, and changes nothing else.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { INVALID_LEVERAGE, OK, UNKNOWN_UNDERLYING } from '../../../core/errors.ts';
import { REQUESTS } from '../../../core/codec/signed-commands.ts';
import { leverageOf } from '../../../core/positions/perp-accounts.ts';
import { defaultSettings, PERP_INITIAL, PPM } from '../../../core/settings.ts';
import { mostLeverage, shownLeverage } from '../../../core/trading/leverage.ts';
import { BUY } from '../../../core/units.ts';
import { createState } from '../../../core/engine/state.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { copyOfRecord } from '../../support/batch.ts';
import { hashOf } from '../../support/venue.ts';
import { Desk, type Bytes } from './desk.ts';
import { check } from './support.ts';

const BTC = 0;
const ETH = 1;

function chosen(desk: Desk, leverage: number, underlying = 'BTC'): Bytes {
  return copyOfRecord(desk.write.leverage(0, 0, underlying, leverage));
}

function shown(desk: Desk, wallet: number): number[] {
  return [BTC, ETH].map((underlying) => shownLeverage(desk.state, desk.account(wallet), underlying));
}

test('leverage: each wallet chooses its own for each perp, and without a choice it is the most that margin allows', () => {
  const desk = new Desk();
  const rate = REQUESTS;
  assert.equal(desk.batch(1, [chosen(desk, 3), chosen(desk, 7, 'ETH')], { rate }), OK);
  assert.equal(desk.batch(2, [chosen(desk, 10)], { rate }), OK);
  assert.deepEqual([shown(desk, 1), shown(desk, 2)], [[3, 7], [10, 10]]);
  assert.equal(desk.batch(1, [chosen(desk, 4)], { rate }), OK);
  assert.deepEqual([shown(desk, 1), shown(desk, 2)], [[4, 7], [10, 10]]);
  check(desk.state);
});

test('leverage: 0, more than margin allows, and an underlying that is unknown are refused, and the choice before stays', () => {
  const desk = new Desk();
  desk.batch(1, [chosen(desk, 3)]);
  assert.equal(desk.batch(1, [chosen(desk, 11), chosen(desk, 0), chosen(desk, 2 ** 32 - 1), chosen(desk, 5, 'DOGE')]), OK);
  assert.deepEqual(desk.codes(), [INVALID_LEVERAGE, INVALID_LEVERAGE, INVALID_LEVERAGE, UNKNOWN_UNDERLYING]);
  assert.deepEqual(desk.answers()[0]!.slice(0, 2), [INVALID_LEVERAGE, 10]);
  assert.deepEqual(shown(desk, 1), [3, 10]);
});

test('leverage: when margin allows less than was chosen, that is shown, and the choice comes back with margin', () => {
  const desk = new Desk();
  desk.batch(1, [chosen(desk, 8)]);
  const settings = defaultSettings();
  settings[PERP_INITIAL] = PPM / 5;
  desk.venue(desk.write.configure(settings));
  assert.deepEqual(shown(desk, 1), [5, 5]);
  desk.venue(desk.write.configure(defaultSettings()));
  assert.deepEqual(shown(desk, 1), [8, 10]);
});

test('leverage: it is in the hash of the state and in a snapshot, and a replay of the log chooses it again', () => {
  const desk = new Desk();
  desk.batch(1, [chosen(desk, 2)]);
  const before = desk.hash();
  desk.batch(1, [chosen(desk, 6)]);
  assert.notEqual(desk.hash(), before);
  const loaded = createState(desk.state.limits);
  restoreState(loaded, copyOf(desk.state));
  assert.equal(leverageOf(loaded.perpAccounts, desk.account(1), BTC), 6);
  assert.equal(hashOf(desk.replay()), desk.hash());
});

test('leverage: no order is refused or taken because of it', () => {
  const [plain, other] = [new Desk(), new Desk()];
  other.batch(1, [chosen(other, 1)]);
  plain.batch(1, [plain.item(BUY, 1, 1)]);
  for (const size of [90, 900, 2_000]) {
    const codes = [plain, other].map((desk) => {
      desk.batch(1, [desk.item(BUY, 99_000, size)]);
      return desk.codes();
    });
    assert.deepEqual(codes[0], codes[1]);
  }
});

test('property: the most that is allowed never needs more margin than there is, and one more would', () => {
  fc.assert(fc.property(fc.integer({ min: PPM / 200, max: PPM }), (initial) => {
    const settings = { values: defaultSettings() } as Parameters<typeof mostLeverage>[0];
    settings.values[PERP_INITIAL] = initial;
    const most = mostLeverage(settings);
    assert.ok(most * initial <= PPM && (most + 1) * initial > PPM && most >= 1);
  }));
});
