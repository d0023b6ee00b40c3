// What was journaled, applied again, is the same run: into a fresh state in frames of any size, from a snapshot at any
// step, with the margin sums forgotten at any step, and with every counter started just below 2^31 and 2^32.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { apply } from '../../core/engine/apply.ts';
import { createState, SEQ, type State } from '../../core/engine/state.ts';
import { copyOf, restoreState } from '../../core/snapshot/restore.ts';
import { viewsOf } from '../../core/codec/record.ts';
import { hashOf } from '../support/venue.ts';
import { Simulation } from './driver.ts';
import { Random } from './random.ts';

const STEPS = 700;

/** Kind of each event of a state from now on, and the digest of all words up to it. */
function record(state: State): number[] {
  const seen: number[] = [];
  state.events.listener = (kind) => {
    seen.push(kind, state.events.digest[0]!, state.events.digest[1]!);
  };
  return seen;
}

/** Applies the records in frames of `size`: one buffer each, records one behind the other as in the journal. */
function applyFrames(records: readonly Uint8Array[], state: State, size: number): void {
  for (let from = 0; from < records.length; from += size) {
    const frame = records.slice(from, from + size);
    const buffer = new Uint8Array(Buffer.concat(frame));
    const views = viewsOf(buffer.buffer);
    let at = 0;
    for (const one of frame) {
      apply(state, views, at);
      at += one.length;
    }
  }
}

test('replay: frames of 1, 7 and 256 into a fresh state give the same hash', () => {
  for (const seed of [11, 12]) {
    const run = new Simulation(seed).run(STEPS);
    for (const size of [1, 7, 256]) {
      const replica = createState(run.state.limits);
      applyFrames(run.venue.log.kept, replica, size);
      assert.equal(hashOf(replica), run.venue.hash(), `seed ${seed}, frames of ${size}`);
      assert.deepEqual(replica.events.digest, run.state.events.digest);
    }
  }
});

test('replay: snapshot, load and continue equals the uninterrupted run, to every word of every event', () => {
  const random = new Random(4);
  for (const seed of [21, 22]) {
    const run = new Simulation(seed);
    const whole = createState(run.state.limits);
    let loaded: State | null = null;
    let [wholeEvents, loadedEvents]: number[][] = [record(whole), []];
    let applied = 0;
    for (let step = 0; step < STEPS; step++) {
      run.step();
      const fresh = run.venue.log.kept.slice(applied);
      applied += fresh.length;
      applyFrames(fresh, whole, 3);
      if (loaded !== null) {
        applyFrames(fresh, loaded, 3);
        assert.deepEqual(loadedEvents, wholeEvents, `seed ${seed}, step ${step}`);
        assert.equal(hashOf(loaded), hashOf(whole), `seed ${seed}, step ${step}`);
      }
      wholeEvents = record(whole);
      if (loaded === null || random.chance(0.03)) {
        const next = createState(run.state.limits);
        restoreState(next, copyOf(loaded ?? run.state));
        loaded = next;
      }
      loadedEvents = record(loaded);
    }
  }
});

test('replay: whether margin sums were filled never shows', () => {
  const random = new Random(8);
  for (const seed of [31, 32]) {
    const run = new Simulation(seed).run(STEPS);
    const replica = createState(run.state.limits);
    for (const bytes of run.venue.log.kept) {
      if (random.chance(0.5)) replica.cache.filledAt.fill(0);
      apply(replica, viewsOf(bytes.slice().buffer), 0);
    }
    assert.equal(hashOf(replica), run.venue.hash());
  }
});

test('replay: counters that start just below 2^31 and 2^32', () => {
  for (const start of [2 ** 31 - 40, 2 ** 32 - 40]) {
    const prepare = (state: State): void => {
      state.clock[SEQ] = start;
      state.orders.counters[0] = start;
      state.orders.counters[1] = start - 20;
      state.orders.counters[2] = start - 30;
    };
    const run = new Simulation(41, prepare).run(4 * STEPS);
    const passed = [run.state.clock[SEQ]!, ...run.state.orders.counters.slice(0, 3)];
    assert.ok(passed.every((count) => count > start + 40), `counters passed ${start}: ${passed}`);
    const replica = createState(run.state.limits);
    prepare(replica);
    applyFrames(run.venue.log.kept, replica, 16);
    assert.equal(hashOf(replica), run.venue.hash());
    const loaded = createState(run.state.limits);
    restoreState(loaded, copyOf(run.state));
    assert.equal(hashOf(loaded), run.venue.hash());
  }
});

test('replay: a changed bit of a record that acts, or a record left out, is noticed', () => {
  const run = new Simulation(51).run(200);
  const replica = createState(run.state.limits);
  const records = run.venue.log.kept;
  applyFrames(records.slice(0, 50), replica, 50);
  assert.throws(() => apply(replica, viewsOf(records[51]!.slice().buffer), 0), /does not follow/);
  assert.throws(() => apply(replica, viewsOf(records[49]!.slice().buffer), 0), /does not follow/);
});
