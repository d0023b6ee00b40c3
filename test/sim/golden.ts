// The golden journal: records of one simulated run, committed, and what applying them gave. A change of the core after
// which an old command has another result fails by name; then BEHAVIOUR is raised and the journal written anew:
//   node test/sim/golden.ts --write
// Kept apart from the driver's seeds, so that a change of the generator changes nothing here.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { apply } from '../../core/engine/apply.ts';
import { createState } from '../../core/engine/state.ts';
import { viewsOf } from '../../core/codec/record.ts';
import { checked, SMALL } from '../../core/limits.ts';
import { BEHAVIOUR } from '../../core/version.ts';
import { hashOf } from '../support/venue.ts';
import { Simulation } from './driver.ts';

const JOURNAL = new URL('golden.journal.gz', import.meta.url);
const RESULTS = new URL('golden.json', import.meta.url);
const LIMITS = checked({ ...SMALL, instruments: 4_096, holdings: 8_192 });
const SEED = 4;
const STEPS = 900;

/** Answers: code and numbers of every command. Balances: cash and positions at the end. Events, state: their digests. */
export type Results = { behaviour: number; records: number; answers: string; balances: string; events: string; state: string };

export function readJournal(): Buffer {
  return gunzipSync(readFileSync(JOURNAL));
}

export function readResults(): Results {
  return JSON.parse(readFileSync(RESULTS, 'utf8')) as Results;
}

/** Applies the journal to a fresh state. */
export function replay(journal: Buffer): Results {
  const state = createState(LIMITS);
  const views = viewsOf(new Uint8Array(journal).buffer);
  const answers = createHash('sha256');
  let records = 0;
  for (let at = 0; at < journal.length; at += views.u32[at >>> 2]!) {
    apply(state, views, at);
    answers.update(`${state.outcome.code},${state.outcome.numbers.join()};`);
    records++;
  }
  const { accounts, holdings } = state;
  const cash = accounts.cash.subarray(0, accounts.counters[0]);
  const rows = Array.from({ length: holdings.counters[0]! }, (_, row) => row);
  const held = rows.map((row) => `${holdings.account[row]}/${holdings.instrument[row]}/${holdings.position[row]}`);
  const balances = createHash('sha256').update(`${cash.join()};${held.join()}`);
  return {
    behaviour: BEHAVIOUR, records, answers: answers.digest('hex'), balances: balances.digest('hex'),
    events: Buffer.from(state.events.digest.slice().buffer).toString('hex'), state: hashOf(state),
  };
}

if (process.argv.includes('--write')) {
  const journal = Buffer.concat(new Simulation(SEED).run(STEPS).venue.log.kept);
  writeFileSync(JOURNAL, gzipSync(journal, { level: 9 }));
  writeFileSync(RESULTS, `${JSON.stringify(replay(journal), null, 2)}\n`);
}
