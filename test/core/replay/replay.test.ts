// Replay is equal (docs/DETERMINISM.md): journals of simulated runs give the same state and events to the last bit when applied in
// frames of any size, from a snapshot at any step, with margin sums dropped at any step, with counters that begin just below 2^31
// and 2^32, and by another version of Node. STRIKEBOOK_LONG=1: ten million records.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apply } from '../../../core/engine/apply.ts';
import { createState, SEQ, type State } from '../../../core/engine/state.ts';
import { recordSeq, viewsOf } from '../../../core/codec/record.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import type { Limits } from '../../../core/limits.ts';
import { Random } from '../../sim/random.ts';
import { World } from '../../sim/world.ts';
import { hashOf } from '../../support/venue.ts';
import { emitCore } from './emit.ts';

const RECORDS = process.env['STRIKEBOOK_LONG'] === '1' ? 10_000_000 : 30_000;
/** Steps of one run; each step makes one or several records. */
const STEPS = 3_000;
const FRAMES = [1, 7, 256];

type Run = {
  readonly seed: number; readonly limits: Limits; readonly records: readonly Uint8Array[]; readonly hash: string; readonly digest: string;
  /** Counters of records, orders and trades, and the other counters of orders, at the end. */
  readonly counters: readonly number[];
};

function digestOf(state: State): string {
  return Buffer.from(state.events.digest.slice().buffer).toString('hex');
}

/** The first runs, kept for other tests; bounded for the sake of memory. */
const known: Run[] = [];
const KNOWN_RECORDS = 50_000;

/** Makes runs until there are `total` records. */
function* runs(total: number): Generator<Run, void> {
  for (let seed = 70_001, made = 0; made < total; seed++) {
    const at = seed - 70_001;
    const run = known[at] ?? play(seed);
    if (made < KNOWN_RECORDS) known[at] = run;
    made += run.records.length;
    yield run;
  }
}

function play(seed: number, steps = STEPS, prepare: (state: State) => void = () => {}): Run {
  const world = new World(seed, { crashes: false, prepare });
  for (let step = 0; step < steps; step++) world.step();
  const { clock, orders } = world.state;
  return {
    seed, limits: world.options.limits, records: world.records, hash: hashOf(world.state), digest: digestOf(world.state),
    counters: [clock[SEQ]!, ...orders.counters.slice(0, 3)],
  };
}

function applyFrames(records: readonly Uint8Array[], state: State, size: number): void {
  for (let from = 0; from < records.length; from += size) {
    const frame = new Uint8Array(Buffer.concat(records.slice(from, from + size)));
    const views = viewsOf(frame.buffer);
    for (let at = 0; at < frame.length; at += views.u32[at >>> 2]!) {
      if (recordSeq(views, at) > state.clock[SEQ]!) apply(state, views, at);
    }
  }
}

/** Applies all records, replacing the state at random steps by one loaded from it. */
function applyReloading({ records, limits, seed }: Run): State {
  const random = new Random(seed);
  let state = createState(limits);
  for (let from = 0; from < records.length;) {
    const size = random.between(1, 2_000);
    applyFrames(records.slice(from, from + size), state, size);
    from += size;
    const next = createState(limits);
    restoreState(next, copyOf(state));
    state = next;
  }
  return state;
}

test('replay: applied in frames of 1, 7 or 256 records, or with snapshot loads, a journal gives the same state and events', (t) => {
  let [total, count] = [0, 0];
  for (const run of runs(RECORDS)) {
    for (const size of FRAMES) {
      const state = createState(run.limits);
      applyFrames(run.records, state, size);
      assert.deepEqual([hashOf(state), digestOf(state)], [run.hash, run.digest], `seed ${run.seed}, frames of ${size}`);
    }
    const state = applyReloading(run);
    assert.deepEqual([hashOf(state), digestOf(state)], [run.hash, run.digest], `seed ${run.seed}, reloaded`);
    total += run.records.length;
    count++;
  }
  t.diagnostic(`${total} records of ${count} runs`);
  assert.ok(total >= RECORDS);
});

test('replay: dropping cached margin sums at random does not change state or events', () => {
  for (const { seed, limits, records, hash, digest } of runs(RECORDS / 10)) {
    const random = new Random(seed);
    const state = createState(limits);
    for (const record of records) {
      if (random.chance(0.5)) state.cache.filledAt.fill(0);
      apply(state, viewsOf(record.slice().buffer), 0);
    }
    assert.deepEqual([hashOf(state), digestOf(state)], [hash, digest], `seed ${seed}`);
  }
});

test('replay: given counters that pass 2^31 or 2^32, a journal gives the same state and events', () => {
  for (const start of [2 ** 31 - 40, 2 ** 32 - 40]) {
    const prepare = (state: State): void => {
      state.clock[SEQ] = start;
      state.orders.counters.set([start, start - 20, start - 30]);
    };
    const { limits, records, hash, digest, counters } = play(70_003, 2_400, prepare);
    assert.ok(counters.every((count) => count > start + 40), `counters passed ${start}: ${counters}`);
    const state = createState(limits);
    prepare(state);
    applyFrames(records, state, 16);
    assert.deepEqual([hashOf(state), digestOf(state)], [hash, digest]);
    const loaded = createState(limits);
    restoreState(loaded, copyOf(state));
    assert.equal(hashOf(loaded), hash);
  }
});

test('replay: a record that is left out or applied twice throws', () => {
  const { limits, records } = runs(1).next().value!;
  const state = createState(limits);
  applyFrames(records.slice(0, 50), state, 50);
  for (const at of [49, 51]) assert.throws(() => apply(state, viewsOf(records[at]!.slice().buffer), 0), /does not follow/);
});

/** The Node that runs npm, where its major is another than this one's. */
function otherNode(): { path: string; version: string } | null {
  const path = process.env['npm_node_execpath'];
  if (path === undefined) return null;
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim();
  return version.split('.')[0] === process.version.split('.')[0] ? null : { path, version };
}

const other = otherNode();

test('replay: the core as plain JavaScript gives the same state and events on this Node', () => replayEmitted(process.execPath));

test('replay: the core as plain JavaScript gives the same on the Node that runs npm, of another major version', {
  skip: other === null ? 'npm runs on the same major version, or does not run this' : false,
}, (t) => {
  t.diagnostic(`${process.version} and ${other!.version}`);
  replayEmitted(other!.path);
});

function replayEmitted(node: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-emitted-'));
  try {
    const driver = emitCore(folder);
    for (const run of runs(RECORDS / 2)) {
      const journal = join(folder, 'journal');
      writeFileSync(journal, Buffer.concat(run.records));
      const printed = execFileSync(node, [driver, journal, JSON.stringify(run.limits)], { encoding: 'utf8' }).trim();
      assert.equal(printed, `${run.records.length} ${run.hash} ${run.digest}`, `seed ${run.seed}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
