// The outbound queue of one connection. It bounds what a client leaves unread. A slow consumer gets only the newest
// book states, or skips messages until a new snapshot. If a stream must have no gap, the connection closes with a
// reason. Slow clients never delay others.

import { BOUNDS } from '../http/limits.ts';
import type { Socket } from '../http/server/sockets.ts';
import type { Channel } from '../ipc/channels.ts';
import type { Encoding, OutboundMessage } from './outbound-message.ts';
import type { MemoryHolder, OutboundMemory } from './outbound-memory.ts';
import type { ScheduledWriter, WriteSlot, WriteScheduler } from './write-scheduler.ts';

export type OutboundStream = {
  readonly name: string;
  readonly slow: Channel['slow'];
  /** Called when there is room again; ends with `endSnapshotRequest`. */
  requestSnapshot(): void;
};

type BacklogEntry = { readonly message: OutboundMessage; readonly stream: OutboundStream; readonly isLive: boolean };

/** Messages of one Subscribe: they wait for its snapshots, then for room. */
export class Backlog {
  entries: BacklogEntry[] = [];
  #isReleased = false;
  readonly #whenReleased: (() => void)[] = [];

  whenReleased(work: () => void): void {
    if (this.#isReleased) work();
    else this.#whenReleased.push(work);
  }

  released(): void {
    this.#isReleased = true;
    for (const work of this.#whenReleased) work();
  }
}

const POLICY_VIOLATION = 1008;
export const ANSWERS: OutboundStream = { name: 'answers', slow: 'close', requestSnapshot: () => undefined };

const UNIT_BYTES = 3;
const HEAD_BYTES = 10;

export class OutboundQueue implements ScheduledWriter, MemoryHolder {
  readonly slot: WriteSlot;
  readonly #socket: Socket;
  readonly #isPacked: boolean;
  readonly #scheduler: WriteScheduler;
  readonly #memory: OutboundMemory;
  readonly #batch: (OutboundMessage | OutboundStream | null)[] = [];
  #count = 0;
  #isUrgent = false;
  /** An upper bound: the socket is asked when it is too high. */
  #maxUnread = Infinity;
  readonly #conflated = new Map<OutboundStream, Map<string, OutboundMessage>>();
  readonly #skipped = new Set<OutboundStream>();
  #isAwaitingSnapshot = false;
  readonly #releasing: Backlog[] = [];
  readonly #backlogs = new Set<Backlog>();
  #liveCount = 0;
  #backlogBytes = 0;
  #isOver = false;

  constructor(socket: Socket, encoding: Encoding, scheduler: WriteScheduler, memory: OutboundMemory) {
    this.#socket = socket;
    this.#isPacked = encoding === 'msgpack';
    this.#scheduler = scheduler;
    this.#memory = memory;
    this.slot = scheduler.newSlot();
  }

  send(message: OutboundMessage, stream: OutboundStream = ANSWERS): void {
    if (!this.#scheduler.isBatching) {
      this.flush();
      this.#maxUnread = Infinity;
      return this.#sendOrSkip(message, stream);
    }
    const isUrgent = stream.slow === 'close';
    if (this.#count === 0 || (isUrgent && !this.#isUrgent)) this.#scheduler.schedule(this);
    this.#isUrgent ||= isUrgent;
    this.#batch[this.#count++] = message;
    this.#batch[this.#count++] = stream;
  }

  get canWait(): boolean {
    return !this.#isUrgent;
  }

  flush(): boolean {
    if (this.#count === 0) return false;
    this.#socket.cork(this.#writeBatch);
    this.#count = 0;
    this.#isUrgent = false;
    return true;
  }

  readonly #writeBatch = (): void => {
    const count = this.#count;
    this.#count = 0;
    this.#maxUnread = Infinity;
    for (let i = 0; i < count; i += 2) {
      this.#sendOrSkip(this.#batch[i] as OutboundMessage, this.#batch[i + 1] as OutboundStream);
      this.#batch[i] = null;
    }
  };

  enqueue(backlog: Backlog, message: OutboundMessage, stream: OutboundStream): void {
    this.#enqueue(backlog, { message, stream, isLive: false });
  }

  enqueueLive(backlog: Backlog, message: OutboundMessage, stream: OutboundStream): void {
    if (this.#liveCount >= BOUNDS.heldMessages) return this.#closeSlow({ held_messages: BOUNDS.heldMessages });
    this.#enqueue(backlog, { message, stream, isLive: true });
  }

  #enqueue(backlog: Backlog, entry: BacklogEntry): void {
    if (this.#isOver) return;
    const bytes = entry.message.json.length;
    if (this.#backlogBytes + bytes > BOUNDS.heldBytes) return this.#closeSlow({ held_bytes: BOUNDS.heldBytes });
    backlog.entries.push(entry);
    this.#backlogs.add(backlog);
    this.#backlogBytes += bytes;
    if (entry.isLive) this.#liveCount++;
    this.#memory.add(this, entry.message);
  }

  release(backlog: Backlog, answers: readonly OutboundMessage[] = []): void {
    this.flush();
    const before = backlog.entries.length;
    for (const message of answers) this.enqueue(backlog, message, ANSWERS);
    if (answers.length > 0) backlog.entries = backlog.entries.slice(before).concat(backlog.entries.slice(0, before));
    this.#releasing.push(backlog);
    if (this.#releasing.length === 1) this.#sendBacklog();
  }

  endSnapshotRequest(backlog: Backlog | null): void {
    this.#isAwaitingSnapshot = false;
    if (backlog !== null) this.release(backlog);
  }

  drain(): void {
    this.#socket.cork(() => this.#sendBacklog());
  }

  supersede(stream: OutboundStream, symbol?: string): void {
    // Messages before the snapshot may still be skipped.
    this.flush();
    if (symbol !== undefined) {
      const kept = this.#conflated.get(stream);
      if (kept?.delete(symbol) === true && kept.size === 0) this.#conflated.delete(stream);
      return;
    }
    this.#conflated.delete(stream);
    this.#skipped.delete(stream);
  }

  isBehind(stream: OutboundStream): boolean {
    this.flush();
    return this.#skipped.has(stream) || this.#conflated.has(stream);
  }

  requestSnapshotLater(stream: OutboundStream): void {
    this.#skipped.add(stream);
    this.#requestNextSnapshot();
  }

  dropStream(stream: OutboundStream, backlog: Backlog | null): void {
    // The flush may still skip messages of this stream.
    this.flush();
    this.#conflated.delete(stream);
    this.#skipped.delete(stream);
    this.discard(stream, backlog, () => true);
  }

  discard(stream: OutboundStream, backlog: Backlog | null, isUnwanted: (message: OutboundMessage) => boolean): void {
    if (backlog === null) return;
    const isDiscarded = (entry: BacklogEntry): boolean => entry.stream === stream && isUnwanted(entry.message);
    this.#uncount(backlog.entries.filter(isDiscarded));
    backlog.entries = backlog.entries.filter((entry) => !isDiscarded(entry));
  }

  #uncount(entries: readonly BacklogEntry[]): void {
    for (const { message, isLive } of entries) {
      this.#backlogBytes -= message.json.length;
      if (isLive) this.#liveCount--;
      this.#memory.remove(message);
    }
    if (entries.length > 0) this.#memory.onRead(this, this.#backlogBytes > 0);
  }

  evict(): void {
    this.close();
    this.#closeSlow({ thread_held_bytes: BOUNDS.threadHeldBytes });
  }

  close(): void {
    this.#isOver = true;
    this.#releasing.length = 0;
    for (const backlog of this.#backlogs) this.#uncount(backlog.entries.splice(0));
    this.#backlogs.clear();
  }

  closeConnection(reason: string): void {
    this.#socket.close(POLICY_VIOLATION, reason);
  }

  #closeSlow(facts: object): void {
    this.closeConnection(JSON.stringify({ reason: 'slow consumer', ...facts }));
  }

  #sendOrSkip(message: OutboundMessage, stream: OutboundStream): void {
    if (this.#isCaughtUp && this.#hasRoom) return this.#write(message);
    switch (stream.slow) {
      case 'close':
        if (this.#hasUnread(BOUNDS.streamBacklog)) return this.#closeSlow({ stream: stream.name, unread_bytes: this.#maxUnread });
        return this.#write(message);
      case 'conflate':
        if (!this.#conflated.has(stream) && this.#hasRoom) return this.#write(message);
        return this.#keepNewest(message, stream);
      case 'snapshot':
        if (!this.#skipped.has(stream) && this.#hasRoom) return this.#write(message);
        this.#skipped.add(stream);
        this.#requestNextSnapshot();
    }
  }

  get #isCaughtUp(): boolean {
    return this.#skipped.size === 0 && this.#conflated.size === 0;
  }

  get #hasRoom(): boolean {
    return !this.#hasUnread(BOUNDS.bookBacklog);
  }

  #hasUnread(bytes: number): boolean {
    if (this.#maxUnread > bytes) this.#maxUnread = this.#socket.bufferedBytes();
    return this.#maxUnread > bytes;
  }

  #write(message: OutboundMessage): void {
    const bytes = this.#isPacked ? message.msgpack : message.json;
    this.#maxUnread += bytes.length * UNIT_BYTES + HEAD_BYTES;
    this.#socket.send(bytes, this.#isPacked);
  }

  #keepNewest(message: OutboundMessage, stream: OutboundStream): void {
    const kept = this.#conflated.get(stream) ?? new Map<string, OutboundMessage>();
    this.#conflated.set(stream, kept);
    kept.set(String(message.value['symbol']), message);
  }

  /** While there is room, in this order: backlogs, conflated messages, snapshot requests one by one. */
  #sendBacklog(): void {
    this.#maxUnread = Infinity;
    for (let backlog = this.#releasing[0]; backlog !== undefined; backlog = this.#releasing[0]) {
      let sent = 0;
      while (sent < backlog.entries.length && this.#hasRoom) this.#write(backlog.entries[sent++]!.message);
      this.#uncount(backlog.entries.splice(0, sent));
      if (backlog.entries.length > 0) return;
      this.#releasing.shift();
      this.#backlogs.delete(backlog);
      backlog.released();
    }
    for (const [stream, kept] of this.#conflated) {
      for (const [symbol, message] of kept) {
        if (!this.#hasRoom) return;
        this.#write(message);
        kept.delete(symbol);
      }
      this.#conflated.delete(stream);
    }
    this.#requestNextSnapshot();
  }

  #requestNextSnapshot(): void {
    if (this.#isAwaitingSnapshot || !this.#hasRoom) return;
    const [stream] = this.#skipped;
    if (stream === undefined) return;
    this.#isAwaitingSnapshot = true;
    // It goes last, because a stream that gets no snapshot, such as a deleted market's, must not block others.
    this.#skipped.delete(stream);
    this.#skipped.add(stream);
    stream.requestSnapshot();
  }
}
