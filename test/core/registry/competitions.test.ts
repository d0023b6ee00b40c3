// Competitions (decision 5.7, wire 2.6): definitions with ids from 1 and texts of bounded UTF-8. Invalid ones, and all when the store
// is full, are refused. The same after a snapshot load.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { HOUR } from '../../../core/units.ts';
import { COMPETITION_CREATED, COMPETITION_ID, COMPETITION_SLOTS } from '../../../core/codec/events.ts';
import { COMPETITION_TEXT_BYTES, RECORD_BYTES, SMALL } from '../../../core/limits.ts';
import { BYTE_COMPETITION_TEXTS } from '../../../core/codec/commands.ts';
import { competitionCount, competitionOf } from '../../../core/registry/competitions.ts';
import { RegistryScene, reload } from './support.ts';

test('competitions: a definition is read back as it was made, before and after a snapshot load', () => {
  const scene = new RegistryScene();
  const { now } = scene;
  const texts = ['März-Cup', 'Größter Gewinn gewinnt', 'https://example.org/rules', 'One account each.\nNo bots? Yes, bots.'];
  assert.equal(scene.compete(now + HOUR, now + 2 * HOUR, 0b101, 2, texts), C.OK);
  assert.equal(scene.number(0), 1);
  const told = scene.events.find(({ kind }) => kind === COMPETITION_CREATED)!.slots.subarray(1, COMPETITION_SLOTS);
  assert.deepEqual([...told], [1, now + HOUR, now + 2 * HOUR, 0b101, 2]);
  assert.equal(scene.compete(now - HOUR, now + HOUR, 0b010, 1, ['B', '', '', '']), C.OK, 'a start in the past becomes now');
  for (const state of [scene.state, reload(scene.state)]) {
    assert.equal(competitionCount(state), 2);
    assert.deepEqual(competitionOf(state, 1), {
      id: 1, name: texts[0], description: texts[1], rulesUrl: texts[2], rulesContent: texts[3], start: now + HOUR, end: now + 2 * HOUR,
      createdAt: now, conditions: ['pnl', 'efficiency'], primary: 'efficiency',
    });
    assert.deepEqual(competitionOf(state, 2), {
      id: 2, name: 'B', description: '', rulesUrl: '', rulesContent: '', start: now, end: now + HOUR, createdAt: now,
      conditions: ['volume'], primary: 'volume',
    });
    for (const id of [0, 3, -1, 1.5, NaN]) assert.equal(competitionOf(state, id), null);
  }
});

test('competitions: an invalid definition is refused and stores nothing', () => {
  const scene = new RegistryScene();
  const { now } = scene;
  const texts = (at: number, bytes: number): string[] => ['Cup', '', '', ''].map((text, i) => (i === at ? 'x'.repeat(bytes) : text));
  const wrong: Parameters<RegistryScene['compete']>[] = [
    [now + 2, now + 2], [now + 2, now + 1], [now - 2, now], [now, now + 0.5], [-1, now + 1], [NaN, now + 1],
    [now, now + 1, 0, 0], [now, now + 1, 0b110, 0], [now, now + 1, 0b1001, 0], [now, now + 1, 0b111, 3],
    [now, now + 1, 1, 0, ['', '', '', '']],
    ...COMPETITION_TEXT_BYTES.map((most, at): Parameters<RegistryScene['compete']> => [now, now + 1, 1, 0, texts(at, most + 1)]),
  ];
  for (const one of wrong) assert.equal(scene.compete(...one), C.INVALID_COMPETITION, JSON.stringify(one).slice(0, 80));
  assert.equal(competitionCount(scene.state), 0);
  COMPETITION_TEXT_BYTES.forEach((most, at) => assert.equal(scene.compete(now, now + 1, 1, 0, texts(at, most)), C.OK));
  const all = COMPETITION_TEXT_BYTES.map((most) => 'y'.repeat(most));
  assert.equal(scene.compete(now, now + 1, 1, 0, all), C.OK);
  assert.equal(competitionOf(scene.state, 5)!.rulesContent, all[3]);
  assert.ok(BYTE_COMPETITION_TEXTS + COMPETITION_TEXT_BYTES.reduce((sum, most) => sum + most, 0) <= RECORD_BYTES);
});

test('competitions: when the store is full, another is refused with TOO_MANY_COMPETITIONS', () => {
  const scene = new RegistryScene();
  for (let id = 1; id <= SMALL.competitions; id++) {
    assert.equal(scene.compete(scene.now, scene.now + id), C.OK);
    assert.deepEqual(scene.emitted(COMPETITION_CREATED, COMPETITION_ID), [id]);
  }
  assert.equal(scene.compete(scene.now, scene.now + 1), C.TOO_MANY_COMPETITIONS);
  assert.equal(competitionCount(scene.state), SMALL.competitions);
});
