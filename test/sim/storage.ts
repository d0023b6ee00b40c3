// Journal and snapshots on the simulated disk, with the real hash chain: frames of records, each with the hash over all before it;
// snapshots under a temporary name until they are complete. Recovery takes the newest valid snapshot, then the frames after it up to
// the first invalid one. The layouts are this file's own; the chain is that of shell/storage/journal.

import { createHash } from 'node:crypto';
import { createState, SEQ, stateSections, type State } from '../../core/engine/state.ts';
import { apply } from '../../core/engine/apply.ts';
import { copyOf, restoreState } from '../../core/snapshot/restore.ts';
import { usedBytes } from '../../core/snapshot/hash.ts';
import { viewsOf } from '../../core/codec/record.ts';
import type { Limits } from '../../core/limits.ts';
import { frameHash, genesisHash, HASH_BYTES, recordFault, sameHash } from '../../shell/storage/journal/chain.ts';
import type { Memory } from './expect.ts';
import type { SimulatedDisk } from './disk.ts';

const JOURNAL = 'journal';
const FRAME_HEAD = 24;
const VENUE = '00112233445566ff';
const KEPT = 2;

type Sections = Parameters<typeof restoreState>[1];
/** The state at the end of a frame: its hash, and the memory of expect.ts at that time. */
type End = { readonly hash: string; readonly known: Memory | undefined };
type Frame = { readonly last: number; readonly bytes: Uint8Array };
/** The frames that recoveries have found so far, and where they end. */
type Found = { readonly frames: Frame[]; readonly at: number; readonly hash: Uint8Array; readonly seq: number };

export class Storage {
  readonly disk: SimulatedDisk;
  private hash = genesisHash(VENUE);
  /** Frames found by a recovery are synced, so the next recovery starts after them. */
  private found: Found = { frames: [], at: 0, hash: this.hash, seq: 0 };
  /**
   * By the seq of the snapshot it began with (0: none), the state as the last recovery from there left it. The next one from
   * there goes on with it: frames that were found and applied already would only give the same once more.
   */
  private readonly replayed = new Map<number, State>();
  /** The end of every frame that may survive a crash, by its last seq. */
  private readonly ends = new Map<number, End>();
  /** Seq of the last frame written, and of the last one that is synced. */
  written = 0;
  durable = 0;

  constructor(disk: SimulatedDisk) {
    this.disk = disk;
  }

  /** Writes the records as one frame, which ends with this state; it is not durable before `sync`. */
  append(records: readonly Uint8Array[], end: End): void {
    const bytes = Buffer.concat(records);
    const [first, last] = [this.written + 1, this.written + records.length];
    this.hash = frameHash(this.hash, first, last, bytes);
    const head = Buffer.alloc(FRAME_HEAD);
    head.writeDoubleLE(first, 0);
    head.writeDoubleLE(last, 8);
    head.writeUInt32LE(bytes.length, 16);
    this.disk.append(JOURNAL, Buffer.concat([head, this.hash, bytes]));
    this.written = last;
    this.ends.set(last, end);
  }

  sync(): void {
    if (this.written === 0) return;
    this.disk.sync(JOURNAL);
    this.durable = this.written;
    for (const seq of this.ends.keys()) if (seq < this.durable) this.ends.delete(seq);
  }

  /** Starts a snapshot of a state at `durable`; the caller finishes it unless a crash comes first. */
  beginSnapshot(state: State): void {
    const sections = stateSections(state).map((section) => ({ name: section.name, elements: section.used(), bytes: usedBytes(section) }));
    const rows = sections.map(({ name, elements, bytes }) => [name, elements, bytes.length]);
    const head = JSON.stringify({ seq: state.clock[SEQ], sections: rows });
    const body = Buffer.concat([Buffer.from(`${head}\n`), ...sections.map(({ bytes }) => bytes)]);
    const half = body.length >> 1;
    this.disk.append(`snapshot-${state.clock[SEQ]}.tmp`, createHash('sha256').update(body).digest());
    this.disk.append(`snapshot-${state.clock[SEQ]}.tmp`, body.subarray(0, half));
    this.disk.append(`snapshot-${state.clock[SEQ]}.tmp`, body.subarray(half));
  }

  /** Syncs the snapshot and renames it; a crash may still undo the rename. */
  nameSnapshots(): void {
    for (const name of this.disk.names().filter((one) => one.endsWith('.tmp'))) {
      this.disk.sync(name);
      this.disk.rename(name, name.replace('.tmp', ''));
    }
  }

  /** Syncs the names and removes the oldest. */
  finishSnapshots(): void {
    this.disk.syncNames();
    for (const old of this.snapshots().slice(KEPT)) this.disk.remove(`snapshot-${old}`);
  }

  private snapshots(): number[] {
    const seqs = this.disk.names().map((name) => /^snapshot-(\d+)$/.exec(name)?.[1]).filter((seq) => seq !== undefined);
    return seqs.map(Number).sort((a, b) => b - a);
  }

  /**
   * What a new process finds after a crash: the state of a committed prefix, and how it was known when it was written. `cold`: without
   * looking at snapshots.
   */
  recover(limits: Limits, cold: boolean): { state: State; from: number; end: End | undefined } {
    const { state, from } = this.load(limits, cold);
    const end = this.ends.get(this.written);
    this.ends.clear();
    if (end !== undefined) this.ends.set(this.written, end);
    return { state, from, end };
  }

  private load(limits: Limits, cold: boolean): { state: State; from: number } {
    for (const name of this.disk.names()) if (name.endsWith('.tmp')) this.disk.remove(name);
    const frames = this.readFrames();
    const snapshots = this.snapshots();
    for (const seq of this.replayed.keys()) if (seq !== 0 && !snapshots.includes(seq)) this.replayed.delete(seq);
    for (const seq of cold ? [] : snapshots) {
      const sections = seq <= this.written ? this.loadSnapshot(`snapshot-${seq}`) : null;
      if (sections !== null) return { state: this.replay(seq, () => restored(limits, sections), frames), from: seq };
    }
    return { state: this.replay(0, () => createState(limits), frames), from: 0 };
  }

  /** A copy of the state after all frames. */
  private replay(from: number, begin: () => State, frames: readonly Frame[]): State {
    const state = this.replayed.get(from) ?? begin();
    this.replayed.set(from, state);
    for (const { last, bytes } of frames) if (last > state.clock[SEQ]!) applyFrame(state, bytes);
    return restored(state.limits, copyOf(state));
  }

  /** Frames up to the first that is torn or breaks the chain; the rest is cut off. */
  private readFrames(): readonly Frame[] {
    const { frames, at: begin } = this.found;
    const file = Buffer.from(this.disk.read(JOURNAL, begin));
    let at = 0;
    this.hash = this.found.hash;
    this.written = this.found.seq;
    while (at + FRAME_HEAD + HASH_BYTES <= file.length) {
      const [first, last, length] = [file.readDoubleLE(at), file.readDoubleLE(at + 8), file.readUInt32LE(at + 16)];
      const start = at + FRAME_HEAD + HASH_BYTES;
      if (first !== this.written + 1 || !(last >= first) || start + length > file.length) break;
      const bytes = new Uint8Array(file.subarray(start, start + length));
      const hash = frameHash(this.hash, first, last, bytes);
      if (!sameHash(hash, file.subarray(at + FRAME_HEAD, start)) || recordFault(bytes, first, last) !== null) break;
      frames.push({ last, bytes });
      this.hash = hash;
      this.written = last;
      at = start + length;
    }
    this.disk.truncate(JOURNAL, begin + at);
    this.durable = this.written;
    this.found = { frames, at: begin + at, hash: this.hash, seq: this.written };
    return frames;
  }

  /** The content of a snapshot; null if it is incomplete. */
  private loadSnapshot(name: string): Sections | null {
    const file = Buffer.from(this.disk.read(name));
    const body = file.subarray(HASH_BYTES);
    if (!sameHash(createHash('sha256').update(body).digest(), file.subarray(0, HASH_BYTES))) return null;
    const end = body.indexOf(10);
    const { sections } = JSON.parse(body.subarray(0, end).toString()) as { sections: [string, number, number][] };
    const rows = new Map<string, { elements: number; bytes: Uint8Array }>();
    let at = end + 1;
    for (const [section, elements, length] of sections) {
      rows.set(section, { elements, bytes: body.subarray(at, at + length) });
      at += length;
    }
    return { elements: (section) => rows.get(section)?.elements ?? -1, fill: (section, target) => target.set(rows.get(section)!.bytes) };
  }
}

function restored(limits: Limits, sections: Sections): State {
  const state = createState(limits);
  restoreState(state, sections);
  return state;
}

/** Applies the records after the seq of the state. */
function applyFrame(state: State, bytes: Uint8Array): void {
  const views = viewsOf(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += views.u32[at >>> 2]!) {
    const word = (at >>> 2) + 6;
    if (views.u32[word]! + views.u32[word + 1]! * 2 ** 32 > state.clock[SEQ]!) apply(state, views, at);
  }
}
