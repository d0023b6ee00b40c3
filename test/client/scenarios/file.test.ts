// Scenario files: what they may say, what is refused in one line, and the paths between their points.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { defaultSettings, PERP_INITIAL, PERP_MAINTENANCE, PPM } from '../../../core/settings.ts';
import { CONTRACT } from '../../../core/units.ts';
import { BadSetting } from '../../../shell/process/bad-setting.ts';
import { readConfig } from '../../../shell/process/config.ts';
import { readScenario, scenarioOf, smileAt, valueAt } from '../../../shell/process/scenario-file.ts';

const INDEX = { BTC: { '0 s': '100000' } };
const FOLDER = 'client/scenarios';
/** Of the mark: how far from it a fool may buy, which its margin must cover too, and more than its fee. */
const [REACH, FEE] = [0.02, 0.002];

const read = (file: object): ReturnType<typeof scenarioOf> => scenarioOf('file', JSON.stringify({ index: INDEX, ...file }));

test('every scenario that comes along is read, and the smallest file has an index', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  assert.ok(files.length > 0);
  for (const name of files) assert.ok(readScenario(join(FOLDER, name)).participants.length > 0);
  const { end, participants, start, step, surface, underlyings } = read({});
  assert.deepEqual([start, end, step], [Date.parse('2026-01-05T07:20:00Z'), 3_600_000, 10_000]);
  assert.deepEqual([participants, surface, underlyings], [[], [], ['BTC', 'ETH']]);
  assert.deepEqual(read({ index: { SOL: { '0 s': 150 } } }).underlyings, ['BTC', 'ETH', 'SOL']);
});

test('the fools of the scenarios that are shown can open their position, and cannot keep it', () => {
  const page = /```json\n(.*?)```/s.exec(readFileSync('docs/SCENARIOS.md', 'utf8'))![1]!;
  const values = defaultSettings();
  for (const { index, participants } of [scenarioOf('page', page), readScenario(join(FOLDER, 'crash.json'))]) {
    const fools = participants.filter(({ persona }) => persona === 'liquidated_fool');
    assert.ok(fools.length > 0);
    for (const { at, cash, side, size, underlying } of fools) {
      assert.equal(side, 'Buy');
      const path = index.find((one) => one.underlying === underlying)!;
      const worst = Math.min(...path.points.filter((point) => point.at >= at).map(({ value }) => value));
      const [entry, contracts] = [valueAt(path, at), size / CONTRACT];
      const needed = (1 + REACH) * values[PERP_INITIAL]! / PPM + REACH + FEE;
      const isOpened = cash! > contracts * entry * needed;
      const isKept = cash! - contracts * (entry - worst) > contracts * worst * values[PERP_MAINTENANCE]! / PPM;
      assert.deepEqual({ isOpened, isKept }, { isOpened: true, isKept: false });
    }
  }
});

test('what is wrong in a scenario is refused in one line that names the place', () => {
  const person = { name: 'somebody', persona: 'whale', size: 1 };
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ stop: 1 }, /^file has an unknown field "stop" \(known: start, /], [{ start: 'now' }, /^file: start must be a time in UTC like /],
    [{ step: '0 s' }, /^file: step must make at most 100000 steps/], [{ step: '1 ms', end: '9 d' }, /^file: step must make at most/],
    [{ end: '5 weeks' }, /^file: end must be a time like "90 s" \(ms, s, min, h, d\), not "5 weeks"$/],
    [{ seed: -1 }, /^file: seed must be a number from 0 to /], [{ settings: { fee: 1 } }, /^file: settings: "fee" is not a setting/],
    [{ index: { btc: {} } }, /^file: index: "btc" must be an underlying/],
    [{ index: { BTC: { '1 s': 1 } } }, /^file: index of BTC must begin at/],
    [{ index: { BTC: { '0 s': 1, '60 s': 1, '1 min': 2 } } }, /^file: index of BTC names a time twice$/],
    [{ index: { BTC: { '0 s': '1.0000001' } } }, /^file: index of BTC, 0 s must be a number from 1 to 1000000000 with at most 6 decimals/],
    [{ surface: { BTC: { '0 s': { atm_vol: 9 } } } }, /^file: surface of BTC, 0 s: atm_vol must be a number from 0.01 to 5/],
    [{ participants: {} }, /^file: participants must be a list of at most 100$/],
    [{ participants: [{ ...person, name: 'x' }] }, /^file: participant 1 needs a name of 3 to 20 letters/],
    [{ participants: [{ ...person, persona: 'ghost' }] }, /^file: participant 1 needs a persona \(tight_maker, .*\), not "ghost"$/],
    [{ participants: [{ ...person, underlying: 'ETH' }] }, /^file: participant 1 trades "ETH", which has no index path$/],
    [{ participants: [{ ...person, symbol: 'ETH-PERP' }] }, /^file: participant 1 trades "ETH-PERP", which is no contract of its/],
    [{ participants: [{ ...person, side: 'buy' }] }, /^file: participant 1 needs a side: Buy or Sell$/],
    [{ participants: [{ ...person, size: 0 }] }, /^file: participant 1: size must be a number from /],
    [{ participants: [{ ...person, contracts: 100 }] }, /^file: participant 1: contracts must be a number from 0 to 99/],
    [{ participants: [person, { ...person, name: 'SOMEBODY' }] }, /^file: each participant needs a name of its own$/],
  ];
  for (const [file, line] of cases) {
    assert.throws(() => read(file), (error: Error) => {
      assert.match(error.message, line);
      return error instanceof BadSetting && !error.message.includes('\n');
    });
  }
  for (const path of ['none.json', 'package.json', 'README.md']) {
    assert.throws(() => readConfig(['--scenario', path], {}), BadSetting, path);
  }
});

test('a flag that the file of a scenario sets is refused beside it, whichever way it is played', () => {
  const file = join(FOLDER, 'crash.json');
  for (const [flag, value] of [['feed', 'sim'], ['clock-speed', '1'], ['clock-start', '2026-01-05T07:28:00Z'], ['seed', '2']]) {
    assert.throws(() => readConfig(['--scenario', file, `--${flag}`, value!], {}), /--[a-z-]+ is not for a scenario/);
    assert.throws(() => readConfig(['scenario', file, `--${flag}`, value!], {}), BadSetting);
  }
  const config = readConfig(['scenario', file, '--port', '0'], {});
  assert.ok(!('help' in config) && config.playsScenario && config.feed === 'manual' && config.clock?.speed === 0);
});

test('a path is exact at its points, between its neighbours elsewhere, and stays at its last value', () => {
  const points = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 1e8 }), fc.integer({ min: 1e6, max: 1e15 })), {
    selector: ([at]) => at, minLength: 1, maxLength: 20,
  });
  fc.assert(fc.property(points, fc.integer({ min: 1e6, max: 1e15 }), fc.nat({ max: 2e8 }), (more, first, time) => {
    const all = [{ at: 0, value: first }, ...more.map(([at, value]) => ({ at, value })).sort((a, b) => a.at - b.at)];
    const path = { underlying: 'BTC', points: all };
    for (const { at, value } of all) assert.equal(valueAt(path, at), value);
    const before = all.findLast(({ at }) => at <= time)!;
    const after = all.find(({ at }) => at > time) ?? before;
    const value = valueAt(path, time);
    assert.ok(Number.isSafeInteger(value));
    assert.ok(value >= Math.min(before.value, after.value) && value <= Math.max(before.value, after.value));
  }));
});

test('a smile holds until the next one', () => {
  const [calm, wild] = [{ atm: 1, skew: 0, curvature: 0 }, { atm: 2, skew: 1, curvature: 1 }];
  const path = { underlying: 'BTC', points: [{ at: 0, value: calm }, { at: 10, value: wild }] };
  assert.deepEqual([0, 9, 10, 99].map((time) => smileAt(path, time)), [calm, calm, wild, wild]);
});
