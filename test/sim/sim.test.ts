// The simulation of the whole core over a disk that loses unsynced writes, as `npm run sim` runs it: 24 seeds of 5,000 steps here, more
// until every bucket is reached; 1,000 of 20,000 with STRIKEBOOK_LONG=1. It must have no failure and catch every planted fault. Also
// tests of the simulated disk and of the clock's livelock check.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { OK } from '../../core/errors.ts';
import { BUY, MINUTE } from '../../core/units.ts';
import { PERP } from '../../core/codec/commands.ts';
import { defaultSettings, MARK_INTERVAL, PREMIUM_INTERVAL } from '../../core/settings.ts';
import { Random } from './random.ts';
import { Clock } from './clock.ts';
import { SimulatedDisk } from './disk.ts';
import { World } from './world.ts';
import { hashOf, TestVenue } from '../support/venue.ts';

const SIM = fileURLToPath(new URL('../../scripts/sim.ts', import.meta.url));
const isLong = process.env['STRIKEBOOK_LONG'] === '1';
/** Seeds from here on reach every bucket soon. */
const SEED = '15';
const SIZE = isLong ? ['--runs', '1000', '--steps', '20000'] : ['--runs', '60', '--steps', '5000', '--enough', '24'];

test('simulation: no invariant is violated, every bucket is reached, every planted fault is caught', (t) => {
  const run = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', SIM, '--seed', SEED, ...SIZE], { encoding: 'utf8' });
  for (const line of run.stdout.split('\n')) t.diagnostic(line);
  assert.equal(run.status, 0, `${run.stdout.split('\n').filter((line) => line.startsWith('sim:')).join('\n')}\n${run.stderr}`);
});

test('simulation: the same seed gives the same state, another seed another one, crashes included', () => {
  const [first, second, other] = [7, 7, 8].map((seed) => {
    const world = new World(seed);
    for (let step = 0; step < 1_500; step++) world.step();
    return hashOf(world.state);
  });
  assert.equal(first, second);
  assert.notEqual(first, other);
});

test('clock: ticks in a row without work, or endless work at one time, are reported as a livelock', () => {
  const faults = [[PREMIUM_INTERVAL, /^livelock: 3 ticks in a row/], [MARK_INTERVAL, /^livelock: .* never ends$/]] as const;
  for (const [setting, message] of faults) {
    const venue = new TestVenue().open();
    const perp = { underlying: 'BTC', expiry: 0, strike: 0, kind: PERP };
    assert.equal(venue.send(venue.write.place({ ...perp, wallet: 1, nonce: 1, side: BUY, price: 9e10, size: 1 })), OK);
    new Clock().run(venue.sequencer, venue.now);
    // An interval below any that settings allow, so that work is due again as soon as it is done.
    const values = defaultSettings();
    values[setting] = -1;
    venue.venue(venue.write.configure(values));
    venue.now += MINUTE;
    assert.throws(() => new Clock().run(venue.sequencer, venue.now), { name: 'AssertionError', message });
  }
});

test('disk: after a crash, synced bytes are whole, and each unsynced write is kept, lost or torn', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const disk = new SimulatedDisk(new Random(seed));
    const [sure, maybe] = [Buffer.from('synced'), Buffer.from('not yet')];
    disk.append('file', sure);
    disk.sync('file');
    disk.append('file', maybe);
    disk.append('new.tmp', sure);
    disk.sync('new.tmp');
    disk.rename('new.tmp', 'new');
    disk.crash();
    const file = Buffer.from(disk.read('file'));
    assert.deepEqual(file.subarray(0, sure.length), sure);
    const rest = file.subarray(sure.length);
    assert.ok(rest.every((byte, at) => byte === maybe[at] || byte === 0), 'of what was not synced, a part or nothing');
    assert.ok(disk.names().includes('new') !== disk.names().includes('new.tmp'), 'one of the two names');
    assert.deepEqual(Buffer.from(disk.read(disk.names().includes('new') ? 'new' : 'new.tmp')), sure);
  }
});
