// Whole nodes on a log that misbehaves at random, killed and stopped at random: acknowledged writes stay, and answers of a leader are never
// older than they. Every kind of fault must have come up.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../random.ts';
import { FakeLog } from './fake-log.ts';
import { Cluster } from './members.ts';
import { Simulation } from './simulation.ts';

const SEEDS = process.env['STRIKEBOOK_LONG'] === '1' ? 300 : 8;
const STEPS = 150;
const ODDS = { loseRequest: 30, loseAnswer: 40, landLate: 30, double: 20, full: 10, notYet: 20 };

type Tally = { takeovers: number; accepted: number; refused: number; faults: Set<string>; reads: number };

async function run(seed: number, tally: Tally): Promise<void> {
  const random = randomFrom(seed);
  const simulation = new Simulation();
  const log = new FakeLog(simulation, random);
  const cluster = new Cluster(simulation, log, ['one', 'two', 'three']);
  await cluster.untilLed();
  log.odds = ODDS;
  const down = new Set<number>();
  for (let step = 0; step < STEPS; step++) {
    const at = random(3);
    const node = cluster.nodes[at]!;
    const what = random(100);
    if (what < 2 && down.size === 0) {
      node.kill();
      down.add(at);
    } else if (what < 12 && down.has(at)) {
      down.delete(at);
      node.start();
    } else if (what < 15) node.isPaused = !down.has(at);
    else if (what < 30) node.goOn();
    else if (what < 32) log.isPaused = true;
    else if (what < 45) log.goOn();
    else if (cluster.leader !== undefined) cluster.write(cluster.leader);
    await simulation.run(random(400));
    for (const each of cluster.nodes) if (each.halted === null && cluster.readNow(each) !== null) tally.reads++;
  }
  log.odds = {};
  log.goOn();
  for (const at of down) cluster.nodes[at]!.start();
  for (const node of cluster.nodes) node.goOn();
  await simulation.run(15_000);
  await cluster.mustWrite(await cluster.untilLed());
  await simulation.run(2_000);
  assert.deepEqual(cluster.nodes.map(({ halted }) => halted), [null, null, null]);
  assert.equal(new Set(cluster.nodes.map(({ values }) => values.join())).size, 1);
  cluster.check();
  tally.takeovers += cluster.nodes[0]!.node.state.reader.epoch - 1;
  tally.accepted += cluster.accepted.length;
  tally.refused += cluster.refused.length;
  for (const fault of log.happened.keys()) tally.faults.add(fault);
}

test('on a log that misbehaves, with nodes killed and stopped, what was told stays true and nobody halts', async () => {
  const tally: Tally = { takeovers: 0, accepted: 0, refused: 0, faults: new Set(), reads: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      await run(seed, tally);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
  const { takeovers, refused, accepted, reads } = tally;
  assert.ok(takeovers >= SEEDS / 2 && refused > 0 && accepted > SEEDS * 10 && reads > SEEDS * 10, JSON.stringify(tally));
  assert.deepEqual([...tally.faults].sort(), Object.keys(ODDS).sort());
});
