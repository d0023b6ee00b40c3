// Main's loop: takes commands from the api threads' rings in turn, the venue's own commands, and what has fallen due;
// gives each to the sequencer. O(1) writes a command, no waiting: without room it leaves everything where it is, says so
// in `blocked`, and goes on when a consumer of the log rings.

import { findAccount } from '../../../core/accounts/accounts.ts';
import {
  CONNECTION_GONE, FLAG_INDEX_AGELESS, FLAG_INDEX_STALE, SET_CANCEL_ON_DISCONNECT, SET_TIER, WORD_WALLET,
} from '../../../core/codec/commands.ts';
import { ACCOUNT, ACCOUNT_CLOSED } from '../../../core/codec/events.ts';
import { OK } from '../../../core/errors.ts';
import { RECORD_BYTES } from '../../../core/limits.ts';
import { REPLY_WITH_IMAGE_BYTES } from '../../../core/codec/reply.ts';
import { recordCode, recordKind, writeCode, type Views } from '../../../core/codec/record.ts';
import { SEQ, TIME, type State } from '../../../core/engine/state.ts';
import { nextExpiry } from '../../../core/lifecycle/expiry.ts';
import { nextDue } from '../../../core/lifecycle/ticks.ts';
import { createAdmission, type AdmissionRules } from '../../../core/sequencer/admission.ts';
import { createSequencer, endHours, runDue, takeCommand, takeVenueCommand, type OutPort } from '../../../core/sequencer/sequencer.ts';
import { now, realMs, sharedSteady } from '../clock.ts';
import type { Meters } from '../observability/meters.ts';
import { Doorbell, Ringer } from '../../ipc/doorbell.ts';
import { runConsumer, type ConsumerHandle } from '../../ipc/consumer-loop.ts';
import { reached, type SharedCounters } from '../../ipc/counters.ts';
import { ringConsumer, ringGauge, ringProducer, type RingProducer } from '../../ipc/ring.ts';
import { indexRecord, type IndexTick } from '../venue-commands.ts';
import { Presence } from './presence.ts';
import { sentAt } from '../../ipc/command-ring.ts';
import { DIGEST_EVERY, DISK_STATES, LOG_READER, type CounterName, type MainWiring } from '../wiring.ts';

/** Longest sleep of the timer that meets due times, ms of the venue. */
const LONGEST_SLEEP = 60_000;

/**
 * Bytes of the log that may wait for the reader while steps that are due, and new index prices, follow each other at once;
 * with more, the next come when it has released twice what the last ones took, so that under load they have their part of it. By a fast
 * clock something is always due, and costs the reader, for which every five minutes of the venue's are a row of each contract, more
 * than it costs here: the log in which clients' commands need room stays empty, and reads and a stop have some hundred steps to wait for.
 */
export const LOG_AHEAD_BYTES = 16_384;
const RELEASED_A_BYTE = 2;
/** They come as often at least while a consumer stands still, as the reader does for a snapshot; by a fast clock by so much less often. */
const STEP_EVERY_MS = 1;
type MainLoopOptions = {
  readonly wiring: MainWiring;
  readonly counters: SharedCounters<CounterName>;
  readonly state: State;
  readonly rules: AdmissionRules;
  readonly meters: Meters;
  readonly onDigest: (digest: { seq: number; low: number; high: number }) => void;
};

function portOf(ring: RingProducer, largest: number): OutPort {
  return {
    views: ring.views, hasRoom: () => ring.room() >= largest, claim: (bytes) => ring.claim(bytes), commit: () => ring.publish(),
  };
}

/** Owns the sequencer and its rings while the venue runs. */
export class MainLoop {
  readonly state: State;
  readonly #options: MainLoopOptions;
  readonly #sequencer;
  readonly #log: RingProducer;
  /** Bytes of the log that the reader has not released: the slower of its consumers as long as it waits for the journal. */
  readonly #unread: () => number;
  readonly #commands;
  readonly #replies: OutPort[];
  readonly #apis: Ringer[];
  readonly #journal: Ringer;
  readonly #durable;
  readonly #blocked;
  readonly #disk;
  /** The newest index of each underlying that has not been afterCommand yet: a feed never queues. */
  readonly #index = new Map<number, { tick: IndexTick; flags: number }>();
  readonly #presence: Presence;
  #mayWait = true;
  #consumer: ConsumerHandle | null = null;
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Infinity;
  /** The ring whose commands come first in the next pass over all of them: none does every time. */
  #first = 0;
  #latest = Infinity;
  #isBlocked = false;
  /** Position in the log that its consumers have to reach before the next step while too much of it waits. */
  #stepFrom = 0;
  /** When it comes all the same, real ms. */
  #stepAt = 0;
  #isPresenceOn = false;

  constructor(options: MainLoopOptions) {
    const { wiring, counters, state } = options;
    this.state = state;
    this.#options = options;
    const ring = ringProducer(wiring.log);
    this.#log = ring;
    this.#unread = ringGauge(wiring.log, LOG_READER);
    const log: OutPort = {
      ...portOf(ring, RECORD_BYTES),
      commit: () => {
        options.meters.setTimestamp(this.seq + 1, sharedSteady());
        ring.publish();
      },
    };
    this.#sequencer = createSequencer(state, createAdmission(state, options.rules), log);
    this.#commands = wiring.commands.map((ring) => ringConsumer(ring, 0));
    this.#presence = new Presence(state, this.#commands);
    state.events.listener = (kind, slots) => {
      if (kind === ACCOUNT_CLOSED) this.#presence.forget(slots[ACCOUNT]!);
    };
    this.#replies = wiring.replies.map((ring) => portOf(ringProducer(ring), REPLY_WITH_IMAGE_BYTES));
    this.#apis = wiring.ringApis.map((description) => new Ringer(description));
    this.#journal = new Ringer(wiring.ringJournal);
    this.#durable = counters.counter('durable');
    this.#blocked = counters.counter('blocked');
    this.#disk = counters.counter('disk');
  }

  start(): void {
    this.#options.meters.set('seq', this.seq);
    this.#consumer = runConsumer({
      doorbell: new Doorbell(this.#options.wiring.doorbell), drain: (limit) => this.#drain(limit),
    });
  }

  /** Sequences one of the venue's own commands; false when the log has no room. Its seq and its outcome are the state's afterwards. */
  send(views: Views): boolean {
    const taken = this.#take(views, now());
    this.#journal.ring();
    // It may have asked for work; in a later turn, since the caller reads its outcome from the state first.
    setImmediate(() => this.#consumer?.wake());
    return taken;
  }

  /** The newest index wins; it is afterCommand when no expiry is overdue and its consumers are not far behind in the log. */
  setIndex(underlying: number, tick: IndexTick, { isAgeless, isStale }: { isAgeless: boolean; isStale: boolean }): void {
    const flags = (isAgeless ? FLAG_INDEX_AGELESS : 0) | (isStale ? FLAG_INDEX_STALE : 0);
    this.#index.set(underlying, { tick, flags });
    this.#consumer?.wake();
  }

  /** Until told otherwise the loop's clock reads `time` at most: a feed that catches up leads it through its seconds in order. */
  holdClockAt(time: number): void {
    this.#latest = time;
  }

  /** True when no index of the underlying waits to be afterCommand. */
  isIndexTaken(underlying: number): boolean {
    return !this.#index.has(underlying);
  }

  get seq(): number {
    return this.state.clock[SEQ]!;
  }

  /** Of the last command. */
  get time(): number {
    return this.state.clock[TIME]!;
  }

  isDurable(seq: number): boolean {
    return reached(this.#durable.load(), seq >>> 0);
  }

  /** From now on the core is told who is there: the venue answers, so whoever was lost with the one before it can come back. */
  startPresence(): void {
    this.#isPresenceOn = true;
    this.#consumer?.wake();
  }

  /** Connections that end from now on end with the venue: its next start says so of all of them. */
  stopPresence(): void {
    this.#isPresenceOn = false;
  }

  /**
   * Takes what is left in the rings and does what is due by now, then no more. The time stands still meanwhile: by a fast clock
   * more would fall due than can be done.
   */
  stop(): void {
    this.#latest = Math.min(this.#latest, now());
    while (this.#drain(Infinity) > 0) { /* the api threads have closed: what lies here is the end */ }
    this.#consumer?.stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const ringer of [this.#journal, ...this.#apis]) ringer.close();
  }

  #drain(limit: number): number {
    if (!this.#hasLogRoom()) return 0;
    const time = Math.min(now(), this.#latest);
    this.#sequencer.admission.diskLow = this.#disk.load() !== DISK_STATES.ok;
    let own = 0;
    if (endHours(this.#sequencer, time)) {
      this.#afterCommand();
      own++;
    }
    if (this.#mayStep()) own += this.#step(time);
    const done = this.#drainApis(limit, time);
    if (this.#presence.hasUpdates && this.#isPresenceOn) own += this.#sendPresence(time);
    if (own + done > 0) this.#journal.ring();
    else this.#scheduleWakeUp(time);
    return own + done;
  }

  #mayStep(): boolean {
    const waiting = this.#unread();
    const released = (this.#log.published() - waiting) | 0;
    const unused = (released - this.#stepFrom) | 0;
    if (waiting <= LOG_AHEAD_BYTES) this.#stepFrom = released;
    // What was released while little was due is not saved up: steps of a long load would come all at once, and 32 bits run over.
    else if (unused > LOG_AHEAD_BYTES) this.#stepFrom = (released - LOG_AHEAD_BYTES) | 0;
    return ((released - this.#stepFrom) | 0) >= 0 || sharedSteady() >= this.#stepAt;
  }

  /**
   * What fell due comes before what clients sent, which is later: all of this turn gets this time. One step between batches of
   * commands, so neither can starve the other.
   */
  #step(time: number): number {
    const from = this.#log.published();
    let done = this.#drainIndex(time);
    if (runDue(this.#sequencer, time)) {
      this.#afterCommand();
      done++;
    }
    this.#stepFrom = (this.#stepFrom + RELEASED_A_BYTE * (this.#log.published() - from)) | 0;
    if (done > 0) this.#stepAt = sharedSteady() + STEP_EVERY_MS / realMs(1);
    return done;
  }

  #drainApis(limit: number, time: number): number {
    const { length } = this.#commands;
    let done = 0;
    for (let i = 0; i < length; i++) done += this.#drainApi((this.#first + i) % length, limit / length, time);
    // Rings that wait for others, of which none goes on, wait no more.
    this.#mayWait = done > 0 || !this.#presence.isWaiting;
    if (!this.#mayWait) for (let i = 0; i < length; i++) done += this.#drainApi(i, limit / length, time);
    this.#mayWait = true;
    if (done > 0) this.#first = (this.#first + 1) % length;
    return done;
  }

  #drainApi(index: number, limit: number, time: number): number {
    const ring = this.#commands[index]!;
    const reply = this.#replies[index]!;
    let done = 0;
    let begun = 0;
    while (done < limit) {
      const at = ring.peek();
      if (at < 0) break;
      if (recordKind(ring.views, at) < SET_TIER) this.#presence.onNotice(index, ring.views, at);
      else {
        if (recordKind(ring.views, at) === SET_CANCEL_ON_DISCONNECT && !this.#fillInPresence(index, ring.views, at)) break;
        if (begun === 0) begun = sharedSteady();
        const before = this.seq;
        if (!takeCommand(this.#sequencer, ring.views, at, time, reply, ring)) break;
        const ended = sharedSteady();
        if (this.seq !== before) this.#afterCommand();
        if (this.state.outcome.code === OK) this.#presence.signed(index, ring.views, at, this.#accountOf(ring.views, at));
        this.#measure(ring.views, at, begun, ended);
        begun = ended;
      }
      ring.advance();
      done++;
    }
    if (done > 0) {
      ring.release();
      // The journal rings when it has made the scheduleWakeUp durable; what waits for nothing (refusals) would wait for that.
      if (this.isDurable(this.seq)) this.#apis[index]!.ring();
    }
    return done;
  }

  /** Writes into a SET_CANCEL_ON_DISCONNECT whether its connection is gone, so that its answer tells; false: that is not known yet. */
  #fillInPresence(index: number, views: Views, at: number): boolean {
    const code = recordCode(views, at);
    const isAsked = code === OK || code === CONNECTION_GONE;
    if (!isAsked || !this.#isPresenceOn) return true;
    const account = findAccount(this.state.accounts, views.u32, (at >>> 2) + WORD_WALLET);
    const isGone = this.#presence.isGone(index, views, at, account, this.#mayWait);
    if (isGone !== null) writeCode(views, at, isGone ? CONNECTION_GONE : OK);
    return isGone !== null;
  }

  /** The account of a command that was taken; it may have opened it. */
  #accountOf(views: Views, at: number): number {
    const { account } = this.#sequencer.admission;
    return account >= 0 ? account : findAccount(this.state.accounts, views.u32, (at >>> 2) + WORD_WALLET);
  }

  /** What the core does not know yet of who is there. */
  #sendPresence(time: number): number {
    const before = this.seq;
    this.#presence.sendUpdates((record) => this.#take(record, time));
    return this.seq - before;
  }

  #measure(views: Views, at: number, begun: number, ended: number): void {
    const { meters } = this.#options;
    // One that came while the command before it was measured has not waited.
    meters.observe('ring', Math.max(0, begun - sentAt(views, at)) / 1_000);
    meters.observe('apply', (ended - begun) / 1_000);
    meters.countCommand(recordKind(views, at), this.state.outcome.code);
  }

  /** An expiry that has come is met first: until its tick, the seconds of the one after it would have no sample of the index in force. */
  #drainIndex(time: number): number {
    const expiry = nextExpiry(this.state.schedule);
    if (expiry !== 0 && expiry <= time) return 0;
    let done = 0;
    for (const [underlying, { tick, flags }] of this.#index) {
      if (!this.#take(indexRecord(underlying, tick, flags), time)) break;
      this.#index.delete(underlying);
      done++;
    }
    return done;
  }

  /** Sequences one of the venue's own commands; false when the log has no room. */
  #take(record: Views, time: number): boolean {
    const taken = takeVenueCommand(this.#sequencer, record, time);
    if (taken) this.#afterCommand();
    return taken;
  }

  #afterCommand(): void {
    const { seq } = this;
    this.#options.meters.set('seq', seq);
    if (seq % DIGEST_EVERY !== 0) return;
    const [low, high] = this.state.events.digest;
    this.#options.onDigest({ seq, low: low!, high: high! });
  }

  /** Says in `blocked` that a release must ring, then looks once more: a release in between is not missed. */
  #hasLogRoom(): boolean {
    const { log } = this.#sequencer;
    if (log.hasRoom()) {
      if (this.#isBlocked) this.#blocked.store(0);
      this.#isBlocked = false;
      return true;
    }
    this.#isBlocked = true;
    this.#blocked.store(1);
    return log.hasRoom();
  }

  /** Nothing can be done before the next ring: the timer wakes the loop when something falls due. */
  #scheduleWakeUp(time: number): void {
    const due = this.#index.size > 0 ? time : Math.min(nextDue(this.state), time + LONGEST_SLEEP);
    if (this.#timer !== null && due === this.#timerAt) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timerAt = due;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#consumer?.wake();
    }, Math.max(1, Math.ceil(realMs(due - time))));
  }
}
