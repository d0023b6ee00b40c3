// The simulation of the whole core over a disk that forgets, as `npm run sim` runs it: 40 seeds of 5,000 steps here, 1,000
// of 20,000 with STRIKEBOOK_LONG=1. No failure, every bucket reached, every planted fault caught; and the disk itself.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Random } from './random.ts';
import { SimulatedDisk } from './swarm/disk.ts';
import { World } from './swarm/world.ts';
import { hashOf } from '../support/venue.ts';

const SIM = fileURLToPath(new URL('../../scripts/sim.ts', import.meta.url));
const isLong = process.env['STRIKEBOOK_LONG'] === '1';
const SIZE = isLong ? ['--runs', '1000', '--steps', '20000'] : ['--runs', '40', '--steps', '5000'];

test('simulation of everything: no invariant is violated, every bucket is reached, every planted fault is caught', (t) => {
  const run = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', SIM, '--seed', '1', ...SIZE], { encoding: 'utf8' });
  for (const line of run.stdout.split('\n')) t.diagnostic(line);
  assert.equal(run.status, 0, `${run.stdout.split('\n').filter((line) => line.startsWith('sim:')).join('\n')}\n${run.stderr}`);
});

test('simulation: a seed is a run, crashes and all', () => {
  const [first, second, other] = [7, 7, 8].map((seed) => {
    const world = new World(seed);
    for (let step = 0; step < 1_500; step++) world.step();
    return hashOf(world.state);
  });
  assert.equal(first, second);
  assert.notEqual(first, other);
});

test('disk: what was synced survives a crash to the byte; of the rest each write is kept, lost or torn', () => {
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
