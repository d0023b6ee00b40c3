// When connections are written to: what may wait and what may not, in which order, and that the write times of connections are spread.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WriteScheduler, type ScheduledWriter } from '../../../shell/ws/write-scheduler.ts';

const PHASES = 8;
const TICK = 1.25;

/** A turn with a clock that the test sets, and connections that say when they are written to. */
class Rig {
  time = 1_000;
  /** Names of the connections that were written to. */
  readonly written: string[] = [];
  readonly scheduler = new WriteScheduler(() => this.time);

  open(name: string): ScheduledWriter & { send(canWait: boolean): void } {
    const { scheduler, written } = this;
    let count = 0;
    const one = {
      slot: scheduler.newSlot(), canWait: true,
      send: (canWait: boolean): void => {
        if (count++ === 0 || (!canWait && one.canWait)) scheduler.schedule(one);
        one.canWait &&= canWait;
      },
      flush: (): boolean => {
        if (count === 0) return false;
        written.push(`${name} ${count}`);
        count = 0;
        one.canWait = true;
        return true;
      },
    };
    return one;
  }

  /** What is written at this time. */
  at(time: number, work: () => void = () => undefined): readonly string[] {
    this.time = time;
    this.scheduler.run(work);
    return this.written.splice(0);
  }
}

test('the first book is written at once, and the following ones together after 10 ms', () => {
  const rig = new Rig();
  const one = rig.open('a');
  const book = (): void => one.send(true);
  assert.deepEqual(rig.at(1_000, book), ['a 1']);
  assert.deepEqual(rig.at(1_002, () => { book(); book(); }), []);
  assert.deepEqual(rig.at(1_009.9, book), []);
  assert.deepEqual(rig.at(1_010), ['a 3']);
  assert.deepEqual(rig.at(1_012, book), [], 'that was its write');
  assert.deepEqual(rig.at(1_020), ['a 1']);
  assert.deepEqual(rig.at(1_047, book), ['a 1'], 'nothing went before');
});

test('an urgent message is written in its turn, once, with all that was collected before it', () => {
  const rig = new Rig();
  const one = rig.open('a');
  assert.deepEqual(rig.at(1_000, () => one.send(true)), ['a 1']);
  assert.deepEqual(rig.at(1_001, () => one.send(true)), []);
  assert.deepEqual(rig.at(1_002, () => { one.send(true); one.send(false); one.send(true); }), ['a 4']);
  assert.deepEqual(rig.at(1_003, () => one.send(false)), ['a 1']);
  assert.deepEqual(rig.at(1_004, () => one.send(true)), []);
  assert.deepEqual(rig.at(1_010), ['a 1']);
});

test('a write time with nothing to write does not count: the next book is written at once', () => {
  const rig = new Rig();
  const one = rig.open('a');
  rig.at(1_000, () => one.send(true));
  assert.deepEqual(rig.at(1_001, () => one.send(true)), []);
  assert.deepEqual(rig.at(1_002, () => one.send(false)), ['a 2']);
  assert.deepEqual(rig.at(1_010), []);
  assert.deepEqual(rig.at(1_011, () => one.send(true)), ['a 1']);
});

test('the write times of connections are spread, and a thread that stalled catches up with all of them', () => {
  const rig = new Rig();
  const all = Array.from({ length: 2 * PHASES }, (_, i) => rig.open(String(i)));
  const tell = (): void => all.forEach((one) => one.send(true));
  assert.equal(rig.at(1_000, tell).length, 2 * PHASES);
  assert.deepEqual(rig.at(1_000, tell), []);
  for (let i = 0; i < PHASES; i++) {
    // 1,000 is the moment of the first phase.
    const names = [`${(i + 1) % PHASES} 1`, `${(i + 1) % PHASES + PHASES} 1`];
    assert.deepEqual(rig.at(1_000 + (i + 1) * TICK), names);
  }
  rig.at(1_020, tell);
  rig.at(1_020, tell);
  assert.equal(rig.at(6_000).length, 2 * PHASES);
});

test('without turns a timer writes, and only while something waits', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const rig = new Rig();
  const one = rig.open('a');
  rig.at(1_000, () => one.send(true));
  rig.at(1_001, () => one.send(true));
  for (rig.time = 1_002; rig.time < 1_010; rig.time++) t.mock.timers.tick(2);
  assert.deepEqual(rig.written, []);
  t.mock.timers.tick(2);
  assert.deepEqual(rig.written, ['a 1']);
  one.send(true);
  rig.time = 1_050;
  t.mock.timers.tick(50);
  assert.deepEqual(rig.written, ['a 1'], 'no timer: what comes outside a turn is not gathered');
});
