// A node of the cluster at work: carries out what the rules (replica.ts) want with a log behind the port, reads on when there is news, and
// exchanges heartbeats. It has no timer and no clock of its own: its owner calls `tick` several times a second.

import {
  canLead, canOffer, confirm, haltBy, lead, mayAnswer, offer, onGap, onRead, onResult, onTick, resign, startReplica, ticket,
  type Effect, type Frame, type Out, type Replica, type Versions,
} from './replica.ts';
import { hasQuorum, isSilent, isWithoutRoom } from './append.ts';
import { isConfirmedSince, LEASE_MS } from './confirmed.ts';
import { conflictOf, decodeHeartbeat, encodeHeartbeat, hear, isClockOff, type Peers } from './heartbeat.ts';
import { decodeMessage, encodeMessage, hashOf, type LogIdentity, type Member, type Message } from './message.ts';
import type { ReadResult, ReplicatedLog } from './port.ts';
import { isSame, type Halt, type ResumePoint } from './reader-rule.ts';
import type { Fitness } from './takeover.ts';

/** So long must a leader's clock differ from the others'. */
const CLOCK_OFF_MS = 1_000;
/** Positions that a node which is behind asks for at once. */
const READ_AHEAD = 16;

export interface LogNodeOwner {
  /** Frames and LEADs hold records for the journal. */
  accepted(message: Message, position: number, isOwn: boolean): void;
  leading(epoch: number): void;
  /** Frames that were offered and not accepted never will be. */
  deposed(): void;
  resigned(): void;
  halted(halt: Halt): void;
  fitness(): Fitness;
  leadFrame(): Frame;
}

type LogNodeOptions = {
  readonly log: ReplicatedLog;
  readonly identity: LogIdentity;
  readonly me: Member;
  readonly versions: Versions;
  readonly from: ResumePoint;
  /** Where the log begins. */
  readonly firstPosition: number;
  /** Where it ended when the node joined. */
  readonly lastPosition: number;
  /** As an earlier run left it. */
  readonly heard: number;
  readonly owner: LogNodeOwner;
  /** A replica follows and never leads. */
  readonly mayLead: boolean;
  readonly url: string;
  readonly steady: () => number;
  readonly time: () => number;
};

export class LogNode {
  readonly #options: LogNodeOptions;
  readonly #replica: Replica;
  readonly peers: Peers = new Map();
  strangers = 0;
  #isReading = false;
  #hasNews = false;
  #isClosed = false;

  constructor(options: LogNodeOptions) {
    const { log, me, versions, from, firstPosition, heard, steady } = options;
    this.#options = options;
    this.#replica = startReplica({ me, versions, hashOf, from, firstPosition, heard, now: steady() });
    log.onNews(() => this.#readOn());
    log.onHeartbeat((data) => this.#hear(data));
    this.#readOn();
  }

  get state(): Readonly<Replica> {
    return this.#replica;
  }

  get isLeading(): boolean {
    return this.#replica.isLeading;
  }

  get hasQuorum(): boolean {
    return hasQuorum(this.#replica.append, this.#options.steady());
  }

  get isWithoutRoom(): boolean {
    return isWithoutRoom(this.#replica.append);
  }

  /** A position that another node has accepted and this one has not read, so that it does not lead; null: there is none. */
  get missing(): number | null {
    const { waiting: { heard }, reader: { position } } = this.#replica;
    return heard > position ? heard : null;
  }

  get isClockOff(): boolean {
    return isClockOff(this.peers, this.#options.steady());
  }

  /** A leader resigns then; who does not lead yet is unfit at once. */
  get isClockLongOff(): boolean {
    return isClockOff(this.peers, this.#options.steady(), CLOCK_OFF_MS);
  }

  canOffer(): boolean {
    return canOffer(this.#replica);
  }

  /** One frame at a time: call when `canOffer`. */
  offer(frame: Frame): void {
    this.#act((now, out) => offer(this.#replica, frame, now, out));
  }

  mayAnswer(pickedUp: number): boolean {
    return mayAnswer(this.#replica, pickedUp);
  }

  ticket(): number {
    return ticket(this.#replica);
  }

  /** True: this node still led after `taken`. Else asks the log: ask again. */
  confirmsSince(taken: number): boolean {
    if (!this.#replica.isLeading) return false;
    if (isConfirmedSince(this.#replica.confirmedId, taken)) return true;
    this.#act((now, out) => confirm(this.#replica, taken, now, out));
    return false;
  }

  resign(): void {
    this.#act((now, out) => resign(this.#replica, now, out));
  }

  /** Call every 50 to 250 ms. */
  tick(): void {
    if (this.#isClosed) return;
    this.#act((now, out) => {
      onTick(this.#replica, now, out);
      this.#keepLease(now, out);
      this.#tryToLead(now, out);
    });
    this.#readOn();
  }

  /** Call every 250 ms. */
  beat(): void {
    const { log, identity, me, steady, time, url } = this.#options;
    const { append, reader, isLeading, halted } = this.#replica;
    if (this.#isClosed || halted !== null || isSilent(append, steady())) return;
    const { epoch, position, head, seq } = reader;
    log.say(encodeHeartbeat({ ...me, epoch, isLeading, position, head, seq, time: time(), url }, identity));
  }

  close(): void {
    this.#isClosed = true;
  }

  /** An idle leader shows that it still leads, so that reads need not wait. */
  #keepLease(now: number, out: Out): void {
    const { isLeading, confirmed, append } = this.#replica;
    if (isLeading && append.pending === null && now - confirmed >= LEASE_MS / 2) confirm(this.#replica, ticket(this.#replica), now, out);
  }

  #tryToLead(now: number, out: Out): void {
    const { owner, mayLead } = this.#options;
    if (!mayLead || this.isClockOff || !canLead(this.#replica, now, owner.fitness())) return;
    lead(this.#replica, owner.leadFrame(), now, out);
  }

  #hear(data: Uint8Array): void {
    const { identity, me, steady, time } = this.#options;
    const heartbeat = decodeHeartbeat(data, identity);
    const { reader, waiting, isLeading, halted } = this.#replica;
    if (heartbeat === null) this.strangers++;
    if (heartbeat === null || isSame(me, heartbeat) || this.#isClosed || halted !== null) return;
    const conflict = conflictOf(heartbeat, { ...me, isLeading }, reader);
    if (conflict !== null) return this.#act((_, out) => haltBy(this.#replica, conflict, out));
    hear(this.peers, heartbeat, steady(), time());
    if (heartbeat.isLeading && heartbeat.epoch >= reader.epoch) waiting.lastHeartbeat = steady();
    waiting.heard = Math.max(waiting.heard, heartbeat.position);
    if (heartbeat.position >= reader.next) this.#readOn();
  }

  #act(work: (now: number, out: Out) => void): void {
    const out: Out = [];
    work(this.#options.steady(), out);
    for (const effect of out) this.#carryOut(effect);
  }

  #carryOut(effect: Effect): void {
    const { owner } = this.#options;
    if (effect.type === 'publish') void this.#publish(effect.id, effect.message);
    else if (effect.type === 'accepted') owner.accepted(effect.message, effect.position, effect.isOwn);
    else if (effect.type === 'leading') owner.leading(effect.epoch);
    else if (effect.type === 'halted') owner.halted(effect.halt);
    else owner[effect.type]();
  }

  async #publish(id: number, message: Message): Promise<void> {
    const { log, identity } = this.#options;
    const result = await log.append(encodeMessage(message, identity), message.at - 1);
    if (this.#isClosed) return;
    this.#act((now, out) => onResult(this.#replica, id, result, now, out));
    if (result.type !== 'accepted') this.#readOn();
  }

  #readOn(): void {
    this.#hasNews = true;
    if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    const { log } = this.#options;
    this.#isReading = true;
    while (this.#hasNews && !this.#isClosed && this.#replica.halted === null) {
      this.#hasNews = false;
      const from = this.#replica.reader.next;
      const results = await Promise.all(Array.from({ length: this.#ahead(from) }, (_, index) => log.read(from + index)));
      results.forEach((result, index) => this.#take(from + index, result));
    }
    this.#isReading = false;
  }

  #ahead(from: number): number {
    const known = Math.max(this.#replica.waiting.heard, this.#options.lastPosition);
    return Math.max(1, Math.min(READ_AHEAD, known - from + 1));
  }

  #take(position: number, result: ReadResult): void {
    if (this.#isClosed || result.type === 'notYet' || position !== this.#replica.reader.next) return;
    this.#hasNews = true;
    this.#act((now, out) => {
      if (result.type === 'gap') onGap(this.#replica, position, result.next, out);
      else onRead(this.#replica, position, decodeMessage(result.bytes, this.#options.identity), now, out);
    });
  }
}
