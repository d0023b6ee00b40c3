// Usernames (decision 5.6): unique ignoring case, one change a wallet and UTC day, a request approved at once; the index is the same
// after a load. A model of plain maps gives the expected result of any sequence.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { DAY } from '../../../core/units.ts';
import { REQUEST_USERNAME, SET_USERNAME } from '../../../core/codec/commands.ts';
import { NAMED_LENGTH, NAMED_REQUEST, USERNAME_CHANGED } from '../../../core/codec/events.ts';
import { accountOfUsername, usernameOf } from '../../../core/registry/usernames.ts';
import { RegistryScene, reload } from './support.ts';

test('usernames: a name is kept as given, found in any case, and free again when its wallet takes another', () => {
  const scene = new RegistryScene();
  assert.equal(scene.name(1, 'Alice_9'), C.OK);
  const { state } = scene;
  assert.equal(usernameOf(state, scene.account(1)), 'Alice_9');
  for (const text of ['Alice_9', 'alice_9', 'ALICE_9']) assert.equal(accountOfUsername(state, text), scene.account(1));
  const others = ['', 'Alice', 'Alice_99', 'Alicä_9', 'Alice?9', 'x'.repeat(21)];
  for (const text of others) assert.equal(accountOfUsername(state, text), -1, text);
  assert.equal(scene.name(2, 'aLICE_9'), C.USERNAME_TAKEN);
  assert.equal(usernameOf(state, scene.account(2)), '');
  scene.advance(DAY);
  assert.equal(scene.name(1, 'bob'), C.OK);
  assert.equal(scene.name(2, 'aLICE_9'), C.OK);
  assert.equal(accountOfUsername(state, 'alice_9'), scene.account(2));
  assert.equal(state.usernames.chains.counters[1], 2, 'the index has a row for each name');
  assert.equal(usernameOf(state, -1), '');
});

test('usernames: ignoring case does not mix letters with signs that differ from them in the same bit', () => {
  // '_' and DEL, '0' and DLE differ by the bit that distinguishes a small letter from a capital.
  const scene = new RegistryScene();
  assert.equal(scene.name(1, 'a_b'), C.OK);
  for (const text of ['a\x7fb', 'A_B\0', 'a\x7fB']) assert.equal(accountOfUsername(scene.state, text), -1);
  assert.equal(scene.name(2, 'a__'), C.OK);
});

test('usernames: one change a UTC day; the same name again is not a change, another case is', () => {
  const scene = new RegistryScene();
  scene.now = Math.floor(scene.now / DAY) * DAY + DAY - 1;
  assert.equal(scene.name(1, 'alice'), C.OK);
  assert.equal(scene.name(1, 'alice'), C.OK);
  assert.equal(scene.name(1, 'Alice'), C.USERNAME_CHANGED_TODAY);
  assert.equal(usernameOf(scene.state, scene.account(1)), 'alice');
  scene.now += 1;
  assert.equal(scene.name(1, 'Alice'), C.OK, 'a new day');
  assert.equal(usernameOf(scene.state, scene.account(1)), 'Alice');
  assert.equal(scene.name(1, 'bob'), C.USERNAME_CHANGED_TODAY);
});

test('usernames: a request is approved at once; ids count from 1, and a refused request gets none', () => {
  const scene = new RegistryScene();
  assert.equal(scene.request(1, 'alice'), C.OK);
  assert.equal(scene.number(0), 1);
  assert.deepEqual([scene.emitted(USERNAME_CHANGED, NAMED_REQUEST), scene.emitted(USERNAME_CHANGED, NAMED_LENGTH)], [[1], [5]]);
  assert.equal(scene.request(2, 'ALICE'), C.USERNAME_TAKEN);
  assert.equal(scene.name(2, 'bob'), C.OK);
  assert.equal(scene.number(0), 0);
  assert.equal(scene.request(3, 'carol'), C.OK);
  assert.equal(scene.number(0), 2);
});

test('usernames: after any sequence, names and owners equal those of plain maps, before and after a snapshot load', () => {
  const step = fc.record({
    wallet: fc.integer({ min: 0, max: 5 }), days: fc.constantFrom(0, 0, 0, 1), kind: fc.constantFrom(SET_USERNAME, REQUEST_USERNAME),
    name: fc.constantFrom('alice', 'Alice', 'ALICE', 'bob', 'b_b', 'Bob', 'carol', 'x'.repeat(20), 'X'.repeat(20)),
  });
  fc.assert(fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const scene = new RegistryScene();
    const names = new Map<number, string>();
    const days = new Map<number, number>();
    for (const { wallet, days: later, kind, name } of steps) {
      scene.now += later * DAY;
      const day = Math.floor(scene.now / DAY);
      const owner = [...names].find(([, other]) => other.toLowerCase() === name.toLowerCase())?.[0];
      const isSame = names.get(wallet) === name;
      const expected = owner !== undefined && owner !== wallet ? C.USERNAME_TAKEN
        : !isSame && days.get(wallet) === day ? C.USERNAME_CHANGED_TODAY : C.OK;
      assert.equal(scene.name(wallet, name, kind), expected);
      if (expected === C.OK && !isSame) days.set(wallet, day);
      if (expected === C.OK) names.set(wallet, name);
    }
    for (const state of [scene.state, reload(scene.state)]) {
      for (let wallet = 0; wallet < 6; wallet++) {
        const name = names.get(wallet) ?? '';
        assert.equal(usernameOf(state, scene.account(wallet)), name);
        if (name !== '') assert.equal(accountOfUsername(state, name.toUpperCase()), scene.account(wallet));
      }
    }
  }), { numRuns: 60 });
});
