// Main's loop: passes commands of the api threads in turn, the venue's own and due work to the sequencer. O(1) writes
// per command. It never waits: without room it leaves everything in place, sets `blocked`, and continues when a
// consumer of the log rings.

import { findAccount } from '../../../core/accounts/accounts.ts';
import {
  CONNECTION_GONE, FLAG_INDEX_AGELESS, FLAG_INDEX_STALE, isSignedKind, SET_CANCEL_ON_DISCONNECT, WORD_WALLET,
} from '../../../core/codec/commands.ts';
import { ACCOUNT, ACCOUNT_CLOSED } from '../../../core/codec/events.ts';
import { OK } from '../../../core/errors.ts';
import { RECORD_BYTES } from '../../../core/limits.ts';
import { MOST_REPLY_BYTES } from '../../../core/codec/reply.ts';
import { recordCode, recordKind, writeCode, type Views } from '../../../core/codec/record.ts';
import { SEQ, TIME, type State } from '../../../core/engine/state.ts';
import { nextExpiry } from '../../../core/lifecycle/expiry.ts';
import { nextDue } from '../../../core/lifecycle/ticks.ts';
import { createAdmission, type AdmissionRules } from '../../../core/sequencer/admission.ts';
import {
  createSequencer, endHours, noteTime, runDue, takeCommand, takeVenueCommand, type OutPort,
} from '../../../core/sequencer/sequencer.ts';
import { now, realMs, sharedSteady } from '../clock.ts';
import type { ClockSteps } from '../clock-steps.ts';
import type { Meters } from '../observability/meters.ts';
import { Doorbell, Ringer } from '../../ipc/doorbell.ts';
import { runConsumer, type ConsumerHandle } from '../../ipc/consumer-loop.ts';
import { reached, type SharedCounters } from '../../ipc/counters.ts';
import { ringConsumer, ringGauge, ringProducer, type RingProducer } from '../../ipc/ring.ts';
import { indexRecord, type IndexTick } from '../venue-commands.ts';
import { Presence } from './presence.ts';
import { sentAt } from '../../ipc/command-ring.ts';
import { budgetCells } from '../../ipc/shared-budgets.ts';
import { DIGEST_EVERY, DISK_STATES, LOG_READER, type CounterName, type MainWiring } from '../wiring.ts';

const LONGEST_SLEEP = 60_000;

/**
 * While the reader has at most this many bytes of the log unread, due steps and index prices are sequenced at once. Beyond, the next step
 * waits until the reader has released twice the bytes of the last one. So with a fast clock the log keeps room for clients, and reads
 * wait for some hundred steps at most.
 */
export const LOG_AHEAD_BYTES = 16_384;
const RELEASED_A_BYTE = 2;
/** Even if the reader hangs; less often in proportion to a fast clock. */
const STEP_EVERY_MS = 1;
export type MainLoopOptions = {
  readonly wiring: MainWiring;
  readonly counters: SharedCounters<CounterName>;
  readonly state: State;
  readonly rules: AdmissionRules;
  readonly meters: Meters;
  readonly steps?: ClockSteps | null;
  readonly onDigest: (digest: { seq: number; low: number; high: number }) => void;
  readonly opened?: readonly (readonly Views[])[];
};

function portOf(ring: RingProducer, largest: number): OutPort {
  return {
    views: ring.views, hasRoom: () => ring.room() >= largest, claim: (bytes) => ring.claim(bytes), commit: () => ring.publish(),
  };
}

export class MainLoop {
  readonly state: State;
  readonly #options: MainLoopOptions;
  readonly #sequencer;
  readonly #log: RingProducer;
  readonly #unread: () => number;
  readonly #commands;
  readonly #replies: OutPort[];
  readonly #apis: Ringer[];
  readonly #journal: Ringer;
  readonly #durable;
  readonly #blocked;
  readonly #disk;
  /** Only the newest price of each underlying: a feed never queues. */
  readonly #index = new Map<number, { tick: IndexTick; flags: number }>();
  readonly #presence: Presence;
  readonly #steps: ClockSteps | null;
  readonly #acts: (() => void)[] = [];
  #mayWait = true;
  #consumer: ConsumerHandle | null = null;
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Infinity;
  #firstRing = 0;
  #clockLimit = Infinity;
  #isBlocked = false;
  #stepPosition = 0;
  #stepAt = 0;
  #isPresenceOn = false;
  /** Where a command lies in the log that is not applied, or -1. */
  #unpublished = -1;

  constructor(options: MainLoopOptions) {
    const { wiring, counters, state } = options;
    this.state = state;
    this.#steps = options.steps ?? null;
    this.#options = options;
    const ring = ringProducer(wiring.log);
    this.#log = ring;
    this.#unread = ringGauge(wiring.log, LOG_READER);
    const log: OutPort = {
      ...portOf(ring, RECORD_BYTES),
      claim: (bytes) => (this.#unpublished = ring.claim(bytes)),
      commit: () => {
        this.#unpublished = -1;
        options.meters.setTimestamp(this.seq, sharedSteady());
        ring.publish();
      },
    };
    this.#sequencer = createSequencer(state, createAdmission(state, options.rules, budgetCells(wiring.budgets)), log);
    this.#commands = wiring.commands.map((ring) => ringConsumer(ring, 0));
    this.#presence = new Presence(state, this.#commands);
    options.opened?.forEach((notices, api) => notices.forEach((notice) => this.#presence.onNotice(api, notice, 0)));
    state.events.listener = (kind, slots) => {
      if (kind === ACCOUNT_CLOSED) this.#presence.forget(slots[ACCOUNT]!);
    };
    this.#replies = wiring.replies.map((ring) => portOf(ringProducer(ring), MOST_REPLY_BYTES));
    this.#apis = wiring.ringApis.map((description) => new Ringer(description));
    this.#journal = new Ringer(wiring.ringJournal);
    this.#durable = counters.counter('durable');
    this.#blocked = counters.counter('blocked');
    this.#disk = counters.counter('disk');
  }

  start(): void {
    this.#options.meters.set('seq', this.seq);
    this.#consumer = runConsumer({
      doorbell: new Doorbell(this.#options.wiring.doorbell), drain: (limit) => this.#naming(() => this.#drain(limit)),
    });
    this.#steps?.wakeBy(this.#consumer.wake);
  }

  /** False if the log has no room. */
  send(views: Views): boolean {
    const taken = this.#naming(() => this.#take(views, now()));
    this.#journal.ring();
    // The loop runs later, because the caller reads the result from the state first.
    setImmediate(() => this.#consumer?.wake());
    return taken;
  }

  setIndex(underlying: number, tick: IndexTick, { isAgeless, isStale }: { isAgeless: boolean; isStale: boolean }): void {
    const flags = (isAgeless ? FLAG_INDEX_AGELESS : 0) | (isStale ? FLAG_INDEX_STALE : 0);
    this.#index.set(underlying, { tick, flags });
    this.#consumer?.wake();
  }

  /** Runs `act` at once, or where the clock moves by steps when nothing is due any more, so that timing decides nothing. */
  whenIdle(act: () => void): void {
    if (this.#steps === null) return act();
    this.#acts.push(act);
    this.#consumer?.wake();
  }

  holdClockAt(time: number): void {
    this.#clockLimit = time;
  }

  isIndexTaken(underlying: number): boolean {
    return !this.#index.has(underlying);
  }

  get seq(): number {
    return this.state.clock[SEQ]!;
  }

  get time(): number {
    return this.state.clock[TIME]!;
  }

  isDurable(seq: number): boolean {
    return reached(this.#durable.load(), seq >>> 0);
  }

  startPresence(): void {
    this.#isPresenceOn = true;
    this.#consumer?.wake();
  }

  stopPresence(): void {
    this.#isPresenceOn = false;
  }

  /** Takes what is left and does what is due. Time stands still: a fast clock would add work faster than it is done. */
  stop(): void {
    this.#clockLimit = Math.min(this.#clockLimit, now());
    this.#steps?.abandon();
    this.#acts.length = 0;
    while (this.#drain(Infinity) > 0) { /* the api threads have closed: what lies here is the end */ }
    this.#consumer?.stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const ringer of [this.#journal, ...this.#apis]) ringer.close();
  }

  #naming<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (this.#unpublished < 0) throw error;
      const kind = recordKind(this.#log.views, this.#unpublished);
      const stack = error instanceof Error ? error.stack : String(error);
      throw new Error(`command ${this.seq} (kind ${kind}) failed when applied and is not in the journal: ${stack}`, { cause: error });
    }
  }

  #drain(limit: number): number {
    if (!this.#hasLogRoom()) return 0;
    const time = Math.min(now(), this.#clockLimit);
    this.#sequencer.admission.diskLow = this.#disk.load() !== DISK_STATES.ok;
    let own = 0;
    if (endHours(this.#sequencer, time)) {
      this.#afterCommand();
      own++;
    }
    if (this.#mayStep()) own += this.#step(time);
    const done = this.#steps === null ? this.#drainApis(limit, time) : own > 0 ? 0 : this.#drainStepped(this.#steps, time);
    if (this.#presence.hasUpdates && this.#isPresenceOn && this.#steps?.isUnderWay !== true) own += this.#sendPresence(time);
    if (own + done > 0) this.#journal.ring();
    else this.#scheduleWakeUp(time);
    return own + done;
  }

  #mayStep(): boolean {
    const waiting = this.#unread();
    const released = (this.#log.published() - waiting) | 0;
    const unused = (released - this.#stepPosition) | 0;
    if (waiting <= LOG_AHEAD_BYTES) this.#stepPosition = released;
    // Released bytes are not saved up: after a long load all steps would come at once, and 32 bits would overflow.
    else if (unused > LOG_AHEAD_BYTES) this.#stepPosition = (released - LOG_AHEAD_BYTES) | 0;
    return ((released - this.#stepPosition) | 0) >= 0 || sharedSteady() >= this.#stepAt;
  }

  /** Due work precedes this turn's commands. One step per batch, so that neither starves the other. */
  #step(time: number): number {
    const from = this.#log.published();
    let done = this.#drainIndex(time);
    if (runDue(this.#sequencer, time)) {
      this.#afterCommand();
      done++;
    }
    this.#stepPosition = (this.#stepPosition + RELEASED_A_BYTE * (this.#log.published() - from)) | 0;
    if (done > 0) this.#stepAt = sharedSteady() + STEP_EVERY_MS / realMs(1);
    return done;
  }

  #drainStepped(steps: ClockSteps, time: number): number {
    if (this.#index.size > 0 || nextDue(this.state) <= time) return 0;
    if (!steps.isPlaying && (steps.isUnderWay || steps.takeNext())) {
      if (steps.isUnderWay) this.#goOn(steps, time);
      return 1;
    }
    const act = this.#acts.shift();
    if (act === undefined) return this.#drainApis(this.#commands.length, time);
    act();
    return 1;
  }

  #goOn(steps: ClockSteps, time: number): void {
    if (steps.advance(nextDue(this.state))) return;
    if (this.time === time) steps.end();
    else if (noteTime(this.#sequencer, time)) this.#afterCommand();
  }

  #drainApis(limit: number, time: number): number {
    const { length } = this.#commands;
    let done = 0;
    for (let i = 0; i < length; i++) done += this.#drainApi((this.#firstRing + i) % length, limit / length, time);
    this.#mayWait = done > 0 || !this.#presence.isWaiting;
    if (!this.#mayWait) for (let i = 0; i < length; i++) done += this.#drainApi(i, limit / length, time);
    this.#mayWait = true;
    if (done > 0) this.#firstRing = (this.#firstRing + 1) % length;
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
      if (!isSignedKind(recordKind(ring.views, at))) this.#presence.onNotice(index, ring.views, at);
      else {
        if (recordKind(ring.views, at) === SET_CANCEL_ON_DISCONNECT && !this.#fillInPresence(index, ring.views, at)) break;
        if (begun === 0) begun = sharedSteady();
        const before = this.seq;
        if (!takeCommand(this.#sequencer, ring.views, at, time, reply, ring)) break;
        const ended = sharedSteady();
        if (this.seq !== before) this.#afterCommand();
        if (this.state.result.code === OK) this.#presence.signed(index, ring.views, at, this.#accountOf(ring.views, at));
        this.#measure(ring.views, at, begun, ended);
        begun = ended;
      }
      ring.advance();
      done++;
    }
    if (done > 0) {
      ring.release();
      if (this.isDurable(this.seq)) this.#apis[index]!.ring();
    }
    return done;
  }

  /** Whether the connection of a SET_CANCEL_ON_DISCONNECT is gone. False: not known yet. */
  #fillInPresence(index: number, views: Views, at: number): boolean {
    const code = recordCode(views, at);
    const isAsked = code === OK || code === CONNECTION_GONE;
    if (!isAsked || !this.#isPresenceOn) return true;
    const account = findAccount(this.state.accounts, views.u32, (at >>> 2) + WORD_WALLET);
    const isGone = this.#presence.isGone(index, views, at, account, this.#mayWait);
    if (isGone !== null) writeCode(views, at, isGone ? CONNECTION_GONE : OK);
    return isGone !== null;
  }

  #accountOf(views: Views, at: number): number {
    const { account } = this.#sequencer.admission;
    return account >= 0 ? account : findAccount(this.state.accounts, views.u32, (at >>> 2) + WORD_WALLET);
  }

  #sendPresence(time: number): number {
    const before = this.seq;
    this.#presence.sendUpdates((record) => this.#take(record, time));
    return this.seq - before;
  }

  #measure(views: Views, at: number, begun: number, ended: number): void {
    const { meters } = this.#options;
    meters.observe('ring', Math.max(0, begun - sentAt(views, at)) / 1_000);
    meters.observe('apply', (ended - begun) / 1_000);
    meters.countCommand(recordKind(views, at), this.state.result.code);
  }

  /** A due expiry comes first: until its tick, later seconds have no sample of the index in force. */
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

  /** Checks again after setting `blocked`, so that no release is missed. */
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
