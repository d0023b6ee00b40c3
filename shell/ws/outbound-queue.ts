// What goes to one connection: in its encoding, in as few writes as its pace (turn.ts) allows, and no more than a client may
// leave unread. A client that does not read loses of each stream what the channel table allows: older states of a book, or
// all until there is room for a new snapshot; where nothing may be missing it is told why and closed. It costs the others
// nothing: nothing here waits, and what is kept for it is bounded.

import { BOUNDS } from '../http/limits.ts';
import type { Socket } from '../http/server/sockets.ts';
import type { Channel } from '../ipc/channels.ts';
import type { Encoding, OutboundMessage } from './outbound-message.ts';
import type { MemoryHolder, OutboundMemory } from './outbound-memory.ts';
import type { ScheduledWriter, WriteSlot, WriteScheduler } from './write-scheduler.ts';

/** Messages that come one after the other. */
export type OutboundStream = {
  /** Told to a client that does not read. */
  readonly name: string;
  readonly slow: Channel['slow'];
  /** There is room again: makes a new snapshot come, by `restart` when it is here. */
  requestSnapshot(): void;
};

type BacklogEntry = { readonly message: OutboundMessage; readonly stream: OutboundStream; readonly isLive: boolean };

/** Messages of one Subscribe that wait for its snapshots, then for room. */
export class Backlog {
  entries: BacklogEntry[] = [];
  #isReleased = false;
  readonly #whenReleased: (() => void)[] = [];

  /** What happens when all have been sent, in this order. */
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

/** A message takes at most so many bytes for each unit of its length (a text is UTF-8 on the wire), and so many before it. */
const UNIT_BYTES = 3;
const HEAD_BYTES = 10;

export class OutboundQueue implements ScheduledWriter, MemoryHolder {
  readonly slot: WriteSlot;
  readonly #socket: Socket;
  readonly #isPacked: boolean;
  readonly #scheduler: WriteScheduler;
  readonly #memory: OutboundMemory;
  /** Gathered: `#count` messages, each with its flow behind it. */
  readonly #batch: (OutboundMessage | OutboundStream | null)[] = [];
  #count = 0;
  #isUrgent = false;
  /** The client has at most so many bytes unread; the socket is asked once for each write, and when that seems too many. */
  #maxUnread = Infinity;
  /** Newest message of each conflated flow and symbol that there was no room for. */
  readonly #conflated = new Map<OutboundStream, Map<string, OutboundMessage>>();
  /** Flows of which messages were left out, until they restart. */
  readonly #skipped = new Set<OutboundStream>();
  #isAwaitingSnapshot = false;
  readonly #releasing: Backlog[] = [];
  /** Holds with something in them, released or not. */
  readonly #backlogs = new Set<Backlog>();
  /** Of all holds together; live ones are those that nobody asked for one by one. */
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

  /** Books: what is late is only older. */
  get canWait(): boolean {
    return !this.#isUrgent;
  }

  /** Writes what was gathered, in one piece; false when there is nothing. */
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

  /** Keeps for the release what the client has asked for: what stands, what it is told again, answers. */
  enqueue(backlog: Backlog, message: OutboundMessage, stream: OutboundStream): void {
    this.#enqueue(backlog, { message, stream, isLive: false });
  }

  /** Keeps a message that came while others are held. */
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

  /** Sends answers and then what was held, as fast as the client reads. */
  release(backlog: Backlog, answers: readonly OutboundMessage[] = []): void {
    this.flush();
    const before = backlog.entries.length;
    for (const message of answers) this.enqueue(backlog, message, ANSWERS);
    if (answers.length > 0) backlog.entries = backlog.entries.slice(before).concat(backlog.entries.slice(0, before));
    this.#releasing.push(backlog);
    if (this.#releasing.length === 1) this.#sendBacklog();
  }

  /** The flow that was to renew itself begins again with what is held, or not at all: the next one may. */
  endSnapshotRequest(backlog: Backlog | null): void {
    this.#isAwaitingSnapshot = false;
    if (backlog !== null) this.release(backlog);
  }

  /** The client has read something. */
  drain(): void {
    this.#socket.cork(() => this.#sendBacklog());
  }

  /** A snapshot stands for what was left out of the flow; `symbol`: for what was left out of that one. */
  supersede(stream: OutboundStream, symbol?: string): void {
    // What stands before the snapshot is still to be left out.
    this.flush();
    if (symbol !== undefined) {
      const kept = this.#conflated.get(stream);
      if (kept?.delete(symbol) === true && kept.size === 0) this.#conflated.delete(stream);
      return;
    }
    this.#conflated.delete(stream);
    this.#skipped.delete(stream);
  }

  /** Whether something of the flow was left out that is still to come. */
  isBehind(stream: OutboundStream): boolean {
    this.flush();
    return this.#skipped.has(stream) || this.#conflated.has(stream);
  }

  /** The flow needs a new snapshot, as soon as there is room. */
  requestSnapshotLater(stream: OutboundStream): void {
    this.#skipped.add(stream);
    this.#requestNextSnapshot();
  }

  /** Nothing more of this flow is wanted, nor of what is held of it. */
  dropStream(stream: OutboundStream, backlog: Backlog | null): void {
    // What finds no room is still left out of this flow, and goes with it.
    this.flush();
    this.#conflated.delete(stream);
    this.#skipped.delete(stream);
    this.discard(stream, backlog, () => true);
  }

  /** Some of what is held of this flow is not wanted any more. */
  discard(stream: OutboundStream, backlog: Backlog | null, isUnwanted: (message: OutboundMessage) => boolean): void {
    if (backlog === null) return;
    const isDiscarded = (entry: BacklogEntry): boolean => entry.stream === stream && isUnwanted(entry.message);
    this.#uncount(backlog.entries.filter(isDiscarded));
    backlog.entries = backlog.entries.filter((entry) => !isDiscarded(entry));
  }

  /** These are held no more. */
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

  /** The connection is over: nothing is held for it any more. */
  close(): void {
    this.#isOver = true;
    this.#releasing.length = 0;
    for (const backlog of this.#backlogs) this.#uncount(backlog.entries.splice(0));
    this.#backlogs.clear();
  }

  /** Tells why in the close frame. */
  closeConnection(reason: string): void {
    this.#socket.close(POLICY_VIOLATION, reason);
  }

  /** The reason is JSON (wire contract 4.1). */
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

  /** Whether nothing was left out that is still to come. */
  get #isCaughtUp(): boolean {
    return this.#skipped.size === 0 && this.#conflated.size === 0;
  }

  get #hasRoom(): boolean {
    return !this.#hasUnread(BOUNDS.bookBacklog);
  }

  /** Whether the client has more than so many bytes unread. */
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

  /** While there is room: what was held, the newest of what was left out, one new snapshot after the other. */
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
    // Behind the others: one that gets none, as of a market that is deleted, must not keep them from theirs.
    this.#skipped.delete(stream);
    this.#skipped.add(stream);
    stream.requestSnapshot();
  }
}
