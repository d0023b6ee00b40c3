// The accepted log of a node in a cluster. A leader's frames are offered to the log one at a time, and written to the journal when they
// come back. What others wrote goes to main first, which applies it and passes it through the ring, and is written as the same frames. So
// all journals hold the same frames.

import { assert } from '../../../core/assert.ts';
import type { Digest } from '../journal/digests.ts';
import type { AcceptedLog, OfferedFrame } from './accepted-log.ts';
import type { KnownFrames } from './known-frames.ts';
import type { LogNode, LogNodeOwner } from './log-node.ts';
import { MESSAGE_RECORD_BYTES, type Message } from './message.ts';
import type { Halt, ResumePoint } from './reader-rule.ts';
import type { Frame } from './replica.ts';

type ClusterLogParts = {
  readonly write: (frame: OfferedFrame) => void;
  /** The last seq in the journal. */
  readonly written: () => number;
  readonly toMain: (bytes: Uint8Array) => void;
  readonly wake: () => void;
  /** Frames in the journal after the point where the log is taken up. */
  readonly known: KnownFrames;
  readonly isDiskSound: () => boolean;
  readonly leading: (epoch: number) => void;
  readonly deposed: () => void;
  readonly resigned: () => void;
  readonly halted: (halt: Halt) => void;
};

/** What main would begin to lead with; `isAlike`: its settings are those in force. */
export type PreparedLead = Frame & { readonly isAlike: boolean };

type Coming = { readonly frame: OfferedFrame; readonly point: ResumePoint };

export class ClusterLog implements AcceptedLog, LogNodeOwner {
  readonly frameBytes = MESSAGE_RECORD_BYTES;
  readonly #parts: ClusterLogParts;
  #node: LogNode | null = null;
  #offered: OfferedFrame | null = null;
  #coming: Coming[] = [];
  /** Bytes of the first of them that have come through the ring, which may bring it in parts. */
  #arrived = 0;
  #digests: Digest[] = [];
  /** Digests of the leader that this node's own have not been compared with, by seq. */
  readonly #theirs = new Map<number, Digest>();
  #unapplied = 0;
  #prepared: PreparedLead | null = null;
  #point: ResumePoint;
  #isLeading = false;
  #isOver = false;

  constructor(from: ResumePoint, parts: ClusterLogParts) {
    this.#point = from;
    this.#parts = parts;
  }

  /** Before its first turn. */
  join(node: LogNode): void {
    this.#node = node;
  }

  /** Where the log is taken up after a restart: everything before is in the journal. */
  get point(): ResumePoint {
    return this.#point;
  }

  get frameEnd(): number {
    return this.#coming[0]?.frame.last ?? Infinity;
  }

  readonly isIdle = (): boolean => {
    if (this.#offered !== null || this.#isOver) return false;
    return this.#coming.length > 0 || (this.#isLeading && this.#node!.canOffer());
  };

  readonly offer = (frame: OfferedFrame): void => {
    const coming = this.#coming[0];
    if (coming !== undefined) return this.#take(coming, frame);
    this.#offered = frame;
    // The log may answer in a later turn, when the ring has moved on, but the frame stays in it until it is accepted.
    this.#node!.offer(frame);
  };

  accepted(message: Message, position: number, isOwn: boolean): void {
    if (this.#isLeading && !isOwn) this.#isOver = true;
    if (this.#isOver) return;
    const { kind, first, last, hash, epoch, bytes } = message;
    const { reader } = this.#node!.state;
    const point: ResumePoint = { position, hash, seq: reader.seq, epoch, owner: reader.owner };
    const isKnown = first > 0 && first <= this.#parts.written();
    if (isKnown && !this.#isAsWritten(message)) return;
    if (first === 0 || isKnown) {
      if (this.#coming.length === 0 && this.#offered === null) this.#point = point;
      this.#parts.wake();
      return;
    }
    if (isOwn && kind === 'frame') return this.#writeOffered(last, point);
    for (const digest of message.digests) this.#theirs.set(digest.seq, digest);
    this.#coming.push({ frame: { bytes, first, last, digests: [] }, point });
    this.#unapplied++;
    this.#parts.toMain(bytes);
  }

  applied(): void {
    this.#unapplied--;
  }

  prepare(prepared: PreparedLead): void {
    this.#prepared = prepared;
  }

  /** The last accepted seq that main must know before it can prepare. */
  get unprepared(): number | null {
    const { seq } = this.#node!.state.reader;
    const isBehind = this.#coming.length > 0 || this.#unapplied > 0 || this.#isLeading;
    return isBehind || this.#prepared?.first === seq + 1 ? null : seq;
  }

  /** All that was accepted is in the journal. */
  get isWritten(): boolean {
    return this.#coming.length === 0 && this.#unapplied === 0 && this.#parts.written() === this.#node!.state.reader.seq;
  }

  /** The last seq of a journal that holds more than the log, or null. Frames that are read once more look so until they are. */
  get beyond(): number | null {
    const written = this.#parts.written();
    return written > this.#node!.state.reader.seq ? written : null;
  }

  fitness(): ReturnType<LogNodeOwner['fitness']> {
    const isApplied = this.isWritten && this.#prepared?.first === this.#node!.state.reader.seq + 1;
    return { isApplied, isAlike: this.#prepared?.isAlike ?? false, isSound: this.#parts.isDiskSound() };
  }

  leadFrame(): Frame {
    return this.#prepared!;
  }

  leading(epoch: number): void {
    this.#isLeading = true;
    this.#parts.leading(epoch);
  }

  deposed(): void {
    this.#isLeading = false;
    this.#parts.deposed();
  }

  resigned(): void {
    this.#isLeading = false;
    this.#parts.resigned();
  }

  halted(halt: Halt): void {
    this.#isLeading = false;
    this.#parts.halted(halt);
  }

  /** True if the message is the frame that the journal has since an earlier run. */
  #isAsWritten({ first, last, bytes }: Message): boolean {
    const { known, written } = this.#parts;
    const isSame = known.holdsNext(first, last, bytes);
    if (last >= written()) known.close();
    if (isSame) return true;
    this.#isOver = true;
    this.halted({ name: 'log_diverged', detail: `this journal does not hold seq ${first} to ${last} as the log does` });
    return false;
  }

  #compare({ seq, low, high }: Digest): void {
    const theirs = this.#theirs.get(seq);
    // Older ones came while this node was behind with its own.
    for (const known of this.#theirs.keys()) if (known <= seq) this.#theirs.delete(known);
    if (theirs === undefined || (theirs.low === low && theirs.high === high)) return;
    this.halted({ name: 'log_diverged', detail: `the output of the commands up to seq ${seq} differs from the leader's` });
  }

  #writeOffered(last: number, point: ResumePoint): void {
    const frame = this.#offered;
    assert(frame !== null && frame.last === last, 'cluster log: an accepted frame of its own is the one that was offered');
    this.#offered = null;
    this.#parts.write(frame);
    this.#point = point;
    this.#parts.wake();
  }

  /** What main applied comes through the ring as the log has it. */
  #take({ frame, point }: Coming, part: OfferedFrame): void {
    const end = this.#arrived + part.bytes.length;
    const isSame = Buffer.compare(part.bytes, frame.bytes.subarray(this.#arrived, end)) === 0;
    assert(isSame, 'cluster log: what main passes on is the accepted frame');
    this.#arrived = end;
    this.#digests.push(...part.digests);
    part.digests.forEach((digest) => this.#compare(digest));
    if (end < frame.bytes.length) return;
    this.#coming.shift();
    this.#parts.write({ ...frame, digests: this.#digests });
    this.#arrived = 0;
    this.#digests = [];
    this.#point = point;
  }
}
