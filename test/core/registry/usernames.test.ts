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
import { Office, reload } from './support.ts';

test('usernames: a name is kept as given, found in any case, and free again when its wallet takes another', () => {
  const office = new Office();
  assert.equal(office.name(1, 'Alice_9'), C.OK);
  const { state } = office;
  assert.equal(usernameOf(state, office.account(1)), 'Alice_9');
  for (const text of ['Alice_9', 'alice_9', 'ALICE_9']) assert.equal(accountOfUsername(state, text), office.account(1));
  const others = ['', 'Alice', 'Alice_99', 'Alicä_9', 'Alice?9', 'x'.repeat(21)];
  for (const text of others) assert.equal(accountOfUsername(state, text), -1, text);
  assert.equal(office.name(2, 'aLICE_9'), C.USERNAME_TAKEN);
  assert.equal(usernameOf(state, office.account(2)), '');
  office.advance(DAY);
  assert.equal(office.name(1, 'bob'), C.OK);
  assert.equal(office.name(2, 'aLICE_9'), C.OK);
  assert.equal(accountOfUsername(state, 'alice_9'), office.account(2));
  assert.equal(state.usernames.chains.counters[1], 2, 'the index has a row for each name');
  assert.equal(usernameOf(state, -1), '');
});

test('usernames: ignoring case does not mix letters with signs that differ from them in the same bit', () => {
  // '_' and DEL, '0' and DLE differ by the bit that distinguishes a small letter from a capital.
  const office = new Office();
  assert.equal(office.name(1, 'a_b'), C.OK);
  for (const text of ['a\x7fb', 'A_B\0', 'a\x7fB']) assert.equal(accountOfUsername(office.state, text), -1);
  assert.equal(office.name(2, 'a__'), C.OK);
});

test('usernames: one change a UTC day; the same name again is not a change, another case is', () => {
  const office = new Office();
  office.now = Math.floor(office.now / DAY) * DAY + DAY - 1;
  assert.equal(office.name(1, 'alice'), C.OK);
  assert.equal(office.name(1, 'alice'), C.OK);
  assert.equal(office.name(1, 'Alice'), C.USERNAME_CHANGED_TODAY);
  assert.equal(usernameOf(office.state, office.account(1)), 'alice');
  office.now += 1;
  assert.equal(office.name(1, 'Alice'), C.OK, 'a new day');
  assert.equal(usernameOf(office.state, office.account(1)), 'Alice');
  assert.equal(office.name(1, 'bob'), C.USERNAME_CHANGED_TODAY);
});

test('usernames: a request is approved at once; ids count from 1, and a refused request gets none', () => {
  const office = new Office();
  assert.equal(office.request(1, 'alice'), C.OK);
  assert.equal(office.number(0), 1);
  assert.deepEqual([office.told(USERNAME_CHANGED, NAMED_REQUEST), office.told(USERNAME_CHANGED, NAMED_LENGTH)], [[1], [5]]);
  assert.equal(office.request(2, 'ALICE'), C.USERNAME_TAKEN);
  assert.equal(office.name(2, 'bob'), C.OK);
  assert.equal(office.number(0), 0);
  assert.equal(office.request(3, 'carol'), C.OK);
  assert.equal(office.number(0), 2);
});

test('usernames: after any sequence, names and owners equal those of plain maps, before and after a snapshot load', () => {
  const step = fc.record({
    wallet: fc.integer({ min: 0, max: 5 }), days: fc.constantFrom(0, 0, 0, 1), kind: fc.constantFrom(SET_USERNAME, REQUEST_USERNAME),
    name: fc.constantFrom('alice', 'Alice', 'ALICE', 'bob', 'b_b', 'Bob', 'carol', 'x'.repeat(20), 'X'.repeat(20)),
  });
  fc.assert(fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const office = new Office();
    const names = new Map<number, string>();
    const days = new Map<number, number>();
    for (const { wallet, days: later, kind, name } of steps) {
      office.now += later * DAY;
      const day = Math.floor(office.now / DAY);
      const owner = [...names].find(([, other]) => other.toLowerCase() === name.toLowerCase())?.[0];
      const isSame = names.get(wallet) === name;
      const expected = owner !== undefined && owner !== wallet ? C.USERNAME_TAKEN
        : !isSame && days.get(wallet) === day ? C.USERNAME_CHANGED_TODAY : C.OK;
      assert.equal(office.name(wallet, name, kind), expected);
      if (expected === C.OK && !isSame) days.set(wallet, day);
      if (expected === C.OK) names.set(wallet, name);
    }
    for (const state of [office.state, reload(office.state)]) {
      for (let wallet = 0; wallet < 6; wallet++) {
        const name = names.get(wallet) ?? '';
        assert.equal(usernameOf(state, office.account(wallet)), name);
        if (name !== '') assert.equal(accountOfUsername(state, name.toUpperCase()), office.account(wallet));
      }
    }
  }), { numRuns: 60 });
});
