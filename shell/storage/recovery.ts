// Recovery, the only way to start: builds the state from the newest usable snapshot and the journal after it. Damage, another behaviour,
// or a command that fails has a named error.

import { existsSync } from 'node:fs';
import { QUARANTINE, WORD_QUARANTINED_SEQ, readSafe } from '../../core/codec/commands.ts';
import { recordKind, recordSeq, viewsOf, type Views } from '../../core/codec/record.ts';
import { apply, skipCommand } from '../../core/engine/apply.ts';
import { createState, SEQ, stateSections, type State } from '../../core/engine/state.ts';
import type { Limits } from '../../core/limits.ts';
import { restoreState } from '../../core/snapshot/restore.ts';
import { usedBytes } from '../../core/snapshot/hash.ts';
import type { Column } from '../../core/columns.ts';
import { BEHAVIOUR, CODEC } from '../../core/version.ts';
import { steady } from '../process/clock.ts';
import { appliedSeqOf, historyPath, usableSeqOf } from './history/history-file.ts';
import type { KnownHead } from './journal/head-file.ts';
import { JournalRefusal } from './journal/journal-errors.ts';
import { readFrames, type Frame } from './journal/read.ts';
import { listSegments, readMetaOf } from './journal/segment.ts';
import {
  loadSnapshot, readSnapshots, setSnapshotAside, snapshotHeads, type Snapshot, type SnapshotDamage,
} from './journal/snapshot-read.ts';
import type { ColumnType } from './journal/snapshot-format.ts';
import { CommandFailed, SnapshotMismatch, VersionMismatch, RecoveryCancelled } from './recovery-errors.ts';

/** TURN_EVERY_MS: longest time without an event loop turn. */
const RECORDS_A_STEP = 64;
const TURN_EVERY_MS = 50;

type RecoveryOptions = {
  readonly dataFolder: string;
  readonly limits: Limits;
  /** A snapshot above it is not used: the reader's read models end there. */
  readonly snapshotUpTo?: number;
  readonly toSeq?: number;
  readonly skip?: readonly number[];
  readonly onSnapshotDamage?: (damage: SnapshotDamage) => void;
  /** Called before anything is applied, and again if recovery restarts. */
  readonly onState?: (state: State) => void;
  readonly onRecord?: (state: State, views: Views, at: number) => void;
  readonly onProgress?: (seq: number) => void;
  readonly isCancelled?: () => boolean;
};

type Recovered = { readonly state: State; readonly snapshotSeq: number };

/** Compare before anything is written: a journal that grew again would pass by its length. */
export function knownHeads(dataFolder: string, venue: string): KnownHead[] {
  const applied = appliedSeqOf(dataFolder, venue);
  return [...snapshotHeads(dataFolder), ...(applied === null ? [] : [{ name: 'history.db', seq: applied }])];
}

/**
 * The journal must reach back to where the history continues, or to seq 1 if it must be rebuilt. Call before the history is opened, which
 * makes an empty file if none is usable.
 */
export function requireJournalForHistory(dataFolder: string, venue: string): void {
  const segments = listSegments(dataFolder);
  const first = segments.findLast((number) => !segments.includes(number - 1));
  if (first === undefined) return;
  const applied = usableSeqOf(dataFolder, venue);
  const { firstSeq } = readMetaOf(dataFolder, first);
  if (firstSeq <= (applied ?? 0) + 1) return;
  const unusable = existsSync(historyPath(dataFolder)) ? ' cannot be used by this version and' : '';
  const history = applied === null ? `history.db${unusable} is to be made from seq 1` : `history.db goes on at seq ${applied + 1}`;
  throw new JournalRefusal('segment_missing', `segment ${first - 1} is missing: ${history}, segment ${first} starts at ${firstSeq}`);
}

export function recover(options: RecoveryOptions): Recovered {
  const steps = recovery(options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export async function recoverAsync(options: RecoveryOptions): Promise<Recovered> {
  const steps = recovery(options);
  let until = steady() + TURN_EVERY_MS;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (steady() < until) continue;
    await new Promise((resolve) => setImmediate(resolve));
    until = steady() + TURN_EVERY_MS;
  }
}

function* recovery(options: RecoveryOptions): Generator<void, Recovered> {
  const skip = new Set(options.skip ?? []);
  for (;;) {
    try {
      return yield* attempt(options, skip);
    } catch (error) {
      // A failed command leaves a half-changed state: if it is quarantined further on, restart without it.
      if (!(error instanceof CommandFailed) || skip.has(error.seq) || !isQuarantined(options.dataFolder, error.seq)) throw error;
      skip.add(error.seq);
    }
  }
}

function* attempt(options: RecoveryOptions, skip: ReadonlySet<number>): Generator<void, Recovered> {
  const state = createState(options.limits);
  const snapshot = newestSnapshot(options);
  if (snapshot !== null) loadInto(state, snapshot);
  options.onState?.(state);
  const from = state.clock[SEQ]! + 1;
  const known = snapshot === null ? [] : [{ name: 'snapshot', seq: snapshot.seq, hash: snapshot.headHash }];
  const range = options.toSeq === undefined ? { known } : { known, toSeq: options.toSeq };
  if (options.toSeq === undefined || options.toSeq >= from) {
    for (const frame of readFrames(options.dataFolder, from, range)) {
      if (frame.behaviour !== BEHAVIOUR || frame.codec !== CODEC) throw new VersionMismatch(frame);
      const views = viewsOf(frame.bytes.buffer, frame.bytes.byteOffset, frame.bytes.byteLength);
      for (let at = 0; at < frame.bytes.length;) {
        if (options.isCancelled?.() === true) throw new RecoveryCancelled();
        at = replaySome(state, { frame, views, at }, options, skip);
        yield;
      }
      options.onProgress?.(state.clock[SEQ]!);
    }
  }
  return { state, snapshotSeq: snapshot?.seq ?? 0 };
}

function newestSnapshot(options: RecoveryOptions): Snapshot | null {
  const onDamage = (damage: SnapshotDamage): void => {
    options.onSnapshotDamage?.(damage);
    setSnapshotAside(damage);
  };
  for (const snapshot of readSnapshots(options.dataFolder, onDamage)) {
    if (snapshot.seq <= Math.min(options.snapshotUpTo ?? Infinity, options.toSeq ?? Infinity)) return snapshot;
  }
  return null;
}

function loadInto(state: State, snapshot: Snapshot): void {
  const columns = new Map(stateSections(state).map((section) => [section.name, section.column]));
  for (const { name, type, elements } of snapshot.sections) {
    const column = columns.get(name);
    if (column === undefined || typeOf(column) !== type || elements > column.length) throw new SnapshotMismatch(snapshot, name);
  }
  const saved = new Map(snapshot.sections.map(({ name, elements }) => [name, elements]));
  for (const name of columns.keys()) if (!saved.has(name)) throw new SnapshotMismatch(snapshot, name);
  loadSnapshot(snapshot, ({ name, bytes }) => {
    const column = columns.get(name)!;
    return new Uint8Array(column.buffer, column.byteOffset, bytes);
  });
  restoreState(state, { elements: (name) => saved.get(name) ?? -1, fill: () => {} });
}

type FrameCursor = { readonly frame: Frame; readonly views: Views; readonly at: number };

function replaySome(state: State, { frame, views, at: from }: FrameCursor, options: RecoveryOptions, skip: ReadonlySet<number>): number {
  let at = from;
  for (let count = 0; count < RECORDS_A_STEP && at < frame.bytes.length; count++, at += views.u32[at >>> 2]!) {
    const seq = recordSeq(views, at);
    if (seq <= state.clock[SEQ]! || seq > (options.toSeq ?? Infinity)) continue;
    if (skip.has(seq)) {
      skipCommand(state, views, at);
      continue;
    }
    options.onRecord?.(state, views, at);
    try {
      apply(state, views, at);
    } catch (error) {
      throw new CommandFailed(seq, recordKind(views, at), error);
    }
  }
  return at;
}

function isQuarantined(dataFolder: string, seq: number): boolean {
  for (const frame of readFrames(dataFolder, seq + 1)) {
    const views = viewsOf(frame.bytes.buffer, frame.bytes.byteOffset, frame.bytes.byteLength);
    for (let at = 0; at < frame.bytes.length; at += views.u32[at >>> 2]!) {
      if (recordKind(views, at) === QUARANTINE && readSafe(views, (at >>> 2) + WORD_QUARANTINED_SEQ) === seq) return true;
    }
  }
  return false;
}

export function typeOf(column: Column): ColumnType {
  if (column instanceof Uint8Array) return 'u8';
  if (column instanceof Int32Array) return 'i32';
  return column instanceof Uint32Array ? 'u32' : 'f64';
}

export function snapshotSections(state: State): { name: string; type: ColumnType; elements: number; bytes: Uint8Array }[] {
  return stateSections(state).map((section) => ({
    name: section.name, type: typeOf(section.column), elements: section.used(), bytes: usedBytes(section),
  }));
}
