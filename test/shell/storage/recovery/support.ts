// A core that journals, in one thread: commands of the seeded driver or a test go through admission and sequencer, and every record is
// appended to a real journal, several per frame. For tests of recovery.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CODEC, BEHAVIOUR } from '../../../../core/version.ts';
import { SEQ, TIME, type State } from '../../../../core/engine/state.ts';
import { JournalWriter } from '../../../../shell/storage/journal/writer.ts';
import { hashAt } from '../../../../shell/storage/journal/read.ts';
import type { SnapshotHead } from '../../../../shell/storage/journal/snapshot-format.ts';
import { writeSnapshot } from '../../../../shell/storage/journal/snapshot-write.ts';
import { snapshotSections } from '../../../../shell/storage/recovery.ts';
import { START, TestVenue } from '../../../support/venue.ts';

const VENUE = '0123456789abcdef';

export function freshFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-recovery-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function openWriter(folder: string, { behaviour = BEHAVIOUR, codec = CODEC } = {}): JournalWriter {
  return JournalWriter.open({ dataFolder: folder, venue: VENUE, behaviour, codec, durability: 'full', time: START });
}

/** A venue whose records go to a journal when `flush` is called: one frame each time. */
export class JournaledVenue extends TestVenue {
  readonly writer: JournalWriter;

  constructor(writer: JournalWriter, state?: State) {
    super(state === undefined ? {} : { state });
    this.writer = writer;
    if (state !== undefined) this.now = Math.max(this.now, state.clock[TIME]!);
  }

  flush(): void {
    const records = this.log.kept.splice(0);
    if (records.length === 0) return;
    const first = this.writer.head.seq + 1;
    this.writer.append(new Uint8Array(Buffer.concat(records)), first, first + records.length - 1);
  }

  snapshot(folder: string): void {
    writeSnapshot(folder, this.snapshotHead(folder), snapshotSections(this.state));
  }

  snapshotHead(folder: string): SnapshotHead {
    const seq = this.state.clock[SEQ]!;
    const headHash = hashAt(folder, seq);
    if (headHash === null) throw new Error(`no frame ends at ${seq}`);
    const [low, high] = this.state.events.digest;
    return { seq, headHash, behaviour: BEHAVIOUR, codec: CODEC, digest: [low!, high!], meta: {} };
  }
}
