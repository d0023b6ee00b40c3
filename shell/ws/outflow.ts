// What goes to one connection: in its encoding, in as few writes as its pace (turn.ts) allows, and no more than a client may
// leave unread. A client that does not read loses of each stream what the channel table allows: older states of a book, or
// all until there is room for a new snapshot; where nothing may be missing it is told why and closed. It costs the others
// nothing: nothing here waits, and what is kept for it is bounded.

import { BOUNDS } from '../http/limits.ts';
import type { Socket } from '../http/server/sockets.ts';
import type { Channel } from '../ipc/channels.ts';
import type { Encoding, Frame } from './frame.ts';
import type { Holder, ThreadHeld } from './held.ts';
import type { Gathering, Pace, Turn } from './turn.ts';

/** Messages that come one after the other. */
export type Flow = {
  /** Told to a client that does not read. */
  readonly name: string;
  readonly slow: Channel['slow'];
  /** There is room again: makes a new snapshot come, by `restart` when it is here. */
  renew(): void;
};

type Held = { readonly frame: Frame; readonly flow: Flow; readonly isLive: boolean };

/** Messages of one Subscribe that wait for its snapshots, then for room. */
export class Hold {
  frames: Held[] = [];
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
export const ANSWERS: Flow = { name: 'answers', slow: 'close', renew: () => undefined };

/** A message takes at most so many bytes for each unit of its length (a text is UTF-8 on the wire), and so many before it. */
const UNIT_BYTES = 3;
const HEAD_BYTES = 10;

export class Outflow implements Gathering, Holder {
  readonly pace: Pace;
  readonly #socket: Socket;
  readonly #isPacked: boolean;
  readonly #turn: Turn;
  readonly #held: ThreadHeld;
  /** Gathered: `#count` messages, each with its flow behind it. */
  readonly #gathered: (Frame | Flow | null)[] = [];
  #count = 0;
  #isUrgent = false;
  /** The client has at most so many bytes unread; the socket is asked once for each write, and when that seems too many. */
  #mostUnread = Infinity;
  /** Newest message of each conflated flow and symbol that there was no room for. */
  readonly #newest = new Map<Flow, Map<string, Frame>>();
  /** Flows of which messages were left out, until they restart. */
  readonly #stale = new Set<Flow>();
  #isRenewing = false;
  readonly #releasing: Hold[] = [];
  /** Holds with something in them, released or not. */
  readonly #holds = new Set<Hold>();
  /** Of all holds together; live ones are those that nobody asked for one by one. */
  #heldLive = 0;
  #heldBytes = 0;
  #isOver = false;

  constructor(socket: Socket, encoding: Encoding, turn: Turn, held: ThreadHeld) {
    this.#socket = socket;
    this.#isPacked = encoding === 'msgpack';
    this.#turn = turn;
    this.#held = held;
    this.pace = turn.newPace();
  }

  send(frame: Frame, flow: Flow = ANSWERS): void {
    if (!this.#turn.isOpen) {
      this.flush();
      this.#mostUnread = Infinity;
      return this.#judge(frame, flow);
    }
    const isUrgent = flow.slow === 'close';
    if (this.#count === 0 || (isUrgent && !this.#isUrgent)) this.#turn.touch(this);
    this.#isUrgent ||= isUrgent;
    this.#gathered[this.#count++] = frame;
    this.#gathered[this.#count++] = flow;
  }

  /** Books: what is late is only older. */
  get mayWait(): boolean {
    return !this.#isUrgent;
  }

  /** Writes what was gathered, in one piece; false when there is nothing. */
  flush(): boolean {
    if (this.#count === 0) return false;
    this.#socket.cork(this.#writeGathered);
    this.#count = 0;
    this.#isUrgent = false;
    return true;
  }

  readonly #writeGathered = (): void => {
    const count = this.#count;
    this.#count = 0;
    this.#mostUnread = Infinity;
    for (let i = 0; i < count; i += 2) {
      this.#judge(this.#gathered[i] as Frame, this.#gathered[i + 1] as Flow);
      this.#gathered[i] = null;
    }
  };

  /** Keeps for the release what the client has asked for: what stands, what it is told again, answers. */
  hold(hold: Hold, frame: Frame, flow: Flow): void {
    this.#hold(hold, { frame, flow, isLive: false });
  }

  /** Keeps a message that came while others are held. */
  holdLive(hold: Hold, frame: Frame, flow: Flow): void {
    if (this.#heldLive >= BOUNDS.heldMessages) return this.#endSlow({ held_messages: BOUNDS.heldMessages });
    this.#hold(hold, { frame, flow, isLive: true });
  }

  #hold(hold: Hold, held: Held): void {
    if (this.#isOver) return;
    const bytes = held.frame.json.length;
    if (this.#heldBytes + bytes > BOUNDS.heldBytes) return this.#endSlow({ held_bytes: BOUNDS.heldBytes });
    hold.frames.push(held);
    this.#holds.add(hold);
    this.#heldBytes += bytes;
    if (held.isLive) this.#heldLive++;
    this.#held.take(this, held.frame);
  }

  /** Sends answers and then what was held, as fast as the client reads. */
  release(hold: Hold, answers: readonly Frame[] = []): void {
    this.flush();
    const before = hold.frames.length;
    for (const frame of answers) this.hold(hold, frame, ANSWERS);
    if (answers.length > 0) hold.frames = hold.frames.slice(before).concat(hold.frames.slice(0, before));
    this.#releasing.push(hold);
    if (this.#releasing.length === 1) this.#goOn();
  }

  /** The flow that was to renew itself begins again with what is held, or not at all: the next one may. */
  restart(hold: Hold | null): void {
    this.#isRenewing = false;
    if (hold !== null) this.release(hold);
  }

  /** The client has read something. */
  drain(): void {
    this.#socket.cork(() => this.#goOn());
  }

  /** A snapshot stands for what was left out of the flow; `symbol`: for what was left out of that one. */
  supersede(flow: Flow, symbol?: string): void {
    // What stands before the snapshot is still to be left out.
    this.flush();
    if (symbol !== undefined) {
      const kept = this.#newest.get(flow);
      if (kept?.delete(symbol) === true && kept.size === 0) this.#newest.delete(flow);
      return;
    }
    this.#newest.delete(flow);
    this.#stale.delete(flow);
  }

  /** Whether something of the flow was left out that is still to come. */
  isBehind(flow: Flow): boolean {
    this.flush();
    return this.#stale.has(flow) || this.#newest.has(flow);
  }

  /** The flow needs a new snapshot, as soon as there is room. */
  renewLater(flow: Flow): void {
    this.#stale.add(flow);
    this.#renew();
  }

  /** Nothing more of this flow is wanted, nor of what is held of it. */
  forget(flow: Flow, hold: Hold | null): void {
    // What finds no room is still left out of this flow, and goes with it.
    this.flush();
    this.#newest.delete(flow);
    this.#stale.delete(flow);
    this.leaveOut(flow, hold, () => true);
  }

  /** Some of what is held of this flow is not wanted any more. */
  leaveOut(flow: Flow, hold: Hold | null, isUnwanted: (frame: Frame) => boolean): void {
    if (hold === null) return;
    const isOut = (held: Held): boolean => held.flow === flow && isUnwanted(held.frame);
    this.#let(hold.frames.filter(isOut));
    hold.frames = hold.frames.filter((held) => !isOut(held));
  }

  /** These are held no more. */
  #let(frames: readonly Held[]): void {
    for (const { frame, isLive } of frames) {
      this.#heldBytes -= frame.json.length;
      if (isLive) this.#heldLive--;
      this.#held.give(frame);
    }
    if (frames.length > 0) this.#held.moved(this, this.#heldBytes > 0);
  }

  endHolding(): void {
    this.close();
    this.#endSlow({ thread_held_bytes: BOUNDS.threadHeldBytes });
  }

  /** The connection is over: nothing is held for it any more. */
  close(): void {
    this.#isOver = true;
    this.#releasing.length = 0;
    for (const hold of this.#holds) this.#let(hold.frames.splice(0));
    this.#holds.clear();
  }

  /** Tells why in the close frame. */
  end(reason: string): void {
    this.#socket.close(POLICY_VIOLATION, reason);
  }

  /** The reason is JSON (wire contract 4.1). */
  #endSlow(facts: object): void {
    this.end(JSON.stringify({ reason: 'slow consumer', ...facts }));
  }

  #judge(frame: Frame, flow: Flow): void {
    if (this.#isEven && this.#hasRoom) return this.#write(frame);
    switch (flow.slow) {
      case 'close':
        if (this.#hasUnread(BOUNDS.streamBacklog)) return this.#endSlow({ stream: flow.name, unread_bytes: this.#mostUnread });
        return this.#write(frame);
      case 'conflate':
        if (!this.#newest.has(flow) && this.#hasRoom) return this.#write(frame);
        return this.#keepNewest(frame, flow);
      case 'snapshot':
        if (!this.#stale.has(flow) && this.#hasRoom) return this.#write(frame);
        this.#stale.add(flow);
        this.#renew();
    }
  }

  /** Whether nothing was left out that is still to come. */
  get #isEven(): boolean {
    return this.#stale.size === 0 && this.#newest.size === 0;
  }

  get #hasRoom(): boolean {
    return !this.#hasUnread(BOUNDS.bookBacklog);
  }

  /** Whether the client has more than so many bytes unread. */
  #hasUnread(bytes: number): boolean {
    if (this.#mostUnread > bytes) this.#mostUnread = this.#socket.bufferedBytes();
    return this.#mostUnread > bytes;
  }

  #write(frame: Frame): void {
    const message = this.#isPacked ? frame.packed : frame.json;
    this.#mostUnread += message.length * UNIT_BYTES + HEAD_BYTES;
    this.#socket.send(message, this.#isPacked);
  }

  #keepNewest(frame: Frame, flow: Flow): void {
    const kept = this.#newest.get(flow) ?? new Map<string, Frame>();
    this.#newest.set(flow, kept);
    kept.set(String(frame.value['symbol']), frame);
  }

  /** While there is room: what was held, the newest of what was left out, one new snapshot after the other. */
  #goOn(): void {
    this.#mostUnread = Infinity;
    for (let hold = this.#releasing[0]; hold !== undefined; hold = this.#releasing[0]) {
      let sent = 0;
      while (sent < hold.frames.length && this.#hasRoom) this.#write(hold.frames[sent++]!.frame);
      this.#let(hold.frames.splice(0, sent));
      if (hold.frames.length > 0) return;
      this.#releasing.shift();
      this.#holds.delete(hold);
      hold.released();
    }
    for (const [flow, kept] of this.#newest) {
      for (const [symbol, frame] of kept) {
        if (!this.#hasRoom) return;
        this.#write(frame);
        kept.delete(symbol);
      }
      this.#newest.delete(flow);
    }
    this.#renew();
  }

  #renew(): void {
    if (this.#isRenewing || !this.#hasRoom) return;
    const [flow] = this.#stale;
    if (flow === undefined) return;
    this.#isRenewing = true;
    // Behind the others: one that gets none, as of a market that is deleted, must not keep them from theirs.
    this.#stale.delete(flow);
    this.#stale.add(flow);
    flow.renew();
  }
}
