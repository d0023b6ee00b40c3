// One simulated venue: core, admission and sequencer over a simulated disk and clock, driven step by step from a seed. A crash may lose
// unsynced records, but none that a client would have got a reply for. After every step the auditor checks the state. The same seed gives
// the same run: no clock and no other chance. Keeps a histogram of what it has reached.

import assert from 'node:assert/strict';
import * as errors from '../../core/errors.ts';
import * as kinds from '../../core/codec/events.ts';
import { FOK, HOUR, IOC, MINUTE, SECOND, SELL, USDC } from '../../core/units.ts';
import { FLAG_INDEX_AGELESS, FLAG_INDEX_STALE, REQUEST_USERNAME, SET_USERNAME } from '../../core/codec/commands.ts';
import { nextDue } from '../../core/lifecycle/ticks.ts';
import { SEQ, TIME, type State } from '../../core/engine/state.ts';
import type { Views } from '../../core/codec/record.ts';
import type { AdmissionRules } from '../../core/sequencer/admission.ts';
import { MARKET_MAKER } from '../../core/tiers.ts';
import { hashOf, TestVenue } from '../support/venue.ts';
import { actOnAgents } from './agents.ts';
import { Random } from './random.ts';
import { Shadow } from './shadow.ts';
import { audit, Auditor } from './auditor.ts';
import { Clock } from './clock.ts';
import { SimulatedDisk } from './disk.ts';
import { Controls } from './controls.ts';
import { Guard } from './guard.ts';
import { checkCaches } from './caches.ts';
import { bucketsOf, CODES } from './names.ts';
import { actOnQuotes } from './quotes.ts';
import { Registry } from './registry.ts';
import { Requests } from './requests.ts';
import { Solvency } from './solvency.ts';
import { accountOf, Draw, type RunContext } from './draw.ts';
import { drawOptions, RULES, type Action, type Options } from './options.ts';
import { Storage } from './storage.ts';
import { fullTables, StretchedActions } from './stretched-actions.ts';
import { Terms } from './terms.ts';

/** Length of the settlement window before an expiry, ms. */
const WINDOW = 30 * MINUTE;
/** Steps between slow checks; a quarter of it in runs with expected replies, which are faster. */
const SLOW_EVERY = 16;
/** One run in this many has expected replies. */
const EXPECTED_EVERY = 5;

export class World {
  readonly options: Options;
  readonly histogram = new Map<string, number>();
  readonly disk: SimulatedDisk;
  venue: TestVenue;
  /** Draws and checks requests in a run with expected replies. */
  private readonly requests: Requests | null;
  private readonly strain: StretchedActions;
  private readonly clock = new Clock();
  private readonly random: Random;
  private readonly draw: Draw;
  private readonly storage: Storage;
  private readonly auditor = new Auditor();
  private readonly rules: Partial<AdmissionRules>;
  private readonly solvency: Solvency;
  /** While the venue runs work that is due. */
  private isWorking = false;
  private shadow: Shadow | null = null;
  private registry: Registry | null = null;
  private guard: Guard | null = null;
  private controls: Controls | null = null;
  private terms: Terms | null = null;
  private steps = 0;
  /** Every sequenced record, in a run that is to be replayed. */
  readonly records: Uint8Array[] = [];
  private readonly keeps: boolean;

  /** Without `crashes` nothing is lost and every record is kept in `records`; `prepare` may set counters of the empty state. */
  constructor(seed: number, { crashes = true, prepare = () => {} }: { crashes?: boolean; prepare?: (state: State) => void } = {}) {
    this.keeps = !crashes;
    this.random = new Random(seed);
    this.requests = seed % EXPECTED_EVERY === 0 ? new Requests(new Random(seed + 2 ** 35)) : null;
    this.rules = this.requests?.rules ?? RULES;
    this.strain = new StretchedActions(seed + 2 ** 34, this.requests !== null, (bucket) => this.count(bucket));
    this.solvency = new Solvency(this.strain.isRough);
    const ordinary = drawOptions(this.random);
    const options = this.requests?.options(ordinary) ?? this.strain.options(ordinary);
    this.options = crashes ? options : { ...options, weights: { ...options.weights, crash: 0, snapshot: 0 } };
    this.disk = new SimulatedDisk(new Random(seed + 2 ** 33));
    this.storage = new Storage(this.disk);
    this.draw = new Draw(this.random, this.options, this.strain.stretch.bounds ? this.strain.random : null);
    const { limits, settings } = this.options;
    this.venue = new TestVenue({ limits, settings, rules: this.rules, prepare });
    this.venue.now = this.options.start;
    this.listen();
    for (let underlying = 0; underlying < this.underlyings(); underlying++) this.sendIndex(underlying);
    this.work();
    this.commit(true);
    this.count(`regime ${this.options.regime}`);
    if (this.requests !== null) this.count('run with expected answers');
  }

  get state(): State {
    return this.venue.state;
  }

  step(): void {
    const action = this.random.weighted(this.options.weights);
    this.count(`action ${action}`);
    this.act(action);
    if (this.steps++ % (this.requests === null ? SLOW_EVERY : SLOW_EVERY / 4) === 0) this.checkSlowly();
    if (this.keeps) this.commit(false);
    this.check();
  }

  /** Compares the state with its events and checks every invariant. */
  checkSlowly(): void {
    audit(this.state);
    this.shadow!.check(this.state);
    this.registry!.check();
    const isIdle = nextDue(this.state) > this.venue.now;
    for (const checker of [this.guard!, this.terms!]) checker.check(this.state, isIdle, this.venue.now);
  }

  check(): void {
    this.auditor.check(this.state);
    this.solvency.check(this.state);
    this.terms!.settled();
  }

  private act(action: Action): void {
    const { random, venue, draw, state } = this;
    const wallet = draw.wallet();
    if (this.requests?.act(action, this.means(wallet)) === true) return;
    switch (action) {
      case 'place': case 'perp': case 'trigger': case 'replace': case 'amend': case 'linked': case 'stops': case 'bulk': case 'batch':
        return this.terms!.act(action, this.means(wallet));
      case 'cancel': {
        const { id, wallet: owner } = draw.openOrder(state);
        this.send(venue.write.cancel(owner, draw.nonce(owner), id));
        return;
      }
      case 'cancelByClientId': {
        const old = draw.openOrder(state);
        this.send(venue.write.cancelByClientId(old.wallet, draw.nonce(old.wallet), old.clientId));
        return;
      }
      case 'mode': {
        const switcher = draw.switcher(state);
        this.send(venue.write.marginMode(switcher, draw.nonce(switcher), random.chance(this.options.portfolio) ? 1 : 0));
        return;
      }
      case 'mmp': {
        const { underlying, ...terms } = draw.mmp();
        this.send(venue.write.mmp(wallet, draw.nonce(wallet), underlying, terms));
        return;
      }
      case 'endMmp': {
        const { kind, underlying } = draw.endMmp();
        this.send(venue.write.endMmp(kind, wallet, draw.nonce(wallet), underlying));
        return;
      }
      case 'tier': this.send(venue.write.tier(wallet, random.chance(this.options.makers) ? 3 : random.between(0, 3))); return;
      case 'agent':
        return actOnAgents(900 + (this.strain.stretch.small ? this.strain.random.between(0, 99) : wallet), this.means(wallet));
      case 'configure': this.command(venue.write.configure(this.strain.configured())); return;
      default: this.register(action, wallet);
    }
  }

  private means(anyone: number): RunContext {
    return {
      draw: this.draw, random: this.random, venue: this.venue, anyone, send: (views) => this.send(views),
      command: (views) => this.command(views), through: (ms) => this.through(ms), count: (bucket) => this.count(bucket),
    };
  }

  private register(action: Action, wallet: number): void {
    const { random, venue, draw, state } = this;
    switch (action) {
      case 'cancelAll': this.cancelAll(draw.cancelAll(state)); return;
      case 'massQuote': case 'cancelQuotes': case 'requote': actOnQuotes(action, this.means(wallet), this.registry!); return;
      case 'ladder': this.ladder(wallet); return;
      case 'username': {
        const kind = random.chance(0.5) ? SET_USERNAME : REQUEST_USERNAME;
        this.send(venue.write.username(kind, wallet, draw.nonce(wallet), draw.username()));
        return;
      }
      case 'seePayouts': {
        const { owner, ids } = draw.payouts(state);
        this.send(venue.write.seePayouts(owner, draw.nonce(owner), ids));
        return;
      }
      case 'revokeAll': this.send(venue.write.revokeAll(wallet, draw.nonce(wallet))); return;
      case 'voidNonces': {
        const nonce = draw.nonce(wallet);
        this.send(venue.write.voidNonces(wallet, nonce, random.between(Math.max(0, nonce - 50), nonce)));
        return;
      }
      case 'market': {
        const { kind, underlying, expiry, strike, type } = draw.market(state, venue.now);
        this.command(venue.write.market(kind, underlying, expiry, strike, type));
        return this.count(`market ${CODES.get(state.result.code)}`);
      }
      case 'competition': {
        const start = venue.now + random.between(-HOUR, HOUR);
        const end = start + random.between(-MINUTE, 2 * HOUR);
        this.command(venue.write.competition(start, end, random.between(0, 7), random.between(0, 2), ['Cup', '', '', 'rules'.repeat(300)]));
        this.count(`competition ${CODES.get(state.result.code)}`);
        return;
      }
      case 'credit':
        this.command(venue.write.credit(wallet, random.between(-20_000, 20_000) * USDC + 1, `id-${random.between(0, 40)}`));
        return this.count(`credit ${CODES.get(state.result.code)}`);
      case 'control': this.controls!.act(this.means(wallet), this.registry); return;
      case 'underlying': case 'visit': case 'leap':
        return this.strain.act(action, this.means(wallet));
      case 'switch': case 'guard': case 'presence':
        this.clock.begin();
        this.guard!.act(action, this.means(wallet));
        return;
      default: this.pass(action);
    }
  }

  /** All orders open in the scope must end and may not trade any more. */
  private cancelAll({ wallet, within, ...of }: ReturnType<Draw['cancelAll']>): void {
    const { draw, state, venue } = this;
    const account = accountOf(state, wallet);
    const open = this.registry!.countOpen(account, within, Math.max(venue.now, state.clock[TIME]!));
    const last = state.orders.counters[5]!;
    const code = this.send(venue.write.cancelAll(wallet, draw.nonce(wallet), of));
    if (code !== errors.OK) return;
    if (state.result.numbers[1] === 0) assert.equal(state.result.numbers[0], open, 'cancel-all: all of them at once');
    else this.count('cancel-all in steps');
    if (open > 0) this.count('cancel-all of something');
    this.registry!.end(account, last, within);
  }

  /** A wallet cancels more orders than one step can, and a taker arrives that would have met them. */
  private ladder(wallet: number): void {
    const { draw, random, state, venue } = this;
    this.send(venue.write.tier(wallet, MARKET_MAKER));
    const rungs = draw.ladder(state, wallet);
    for (const rung of rungs) this.send(venue.write.place(rung));
    if (this.options.weights.cancelAll > 0 && random.chance(0.5)) this.cancelAll({ wallet, within: () => true });
    const other = draw.wallet();
    const { nonce: _, ...rung } = rungs[0]!;
    const size = random.pick([1, 1_000]) * rung.size;
    this.send(venue.write.place({ ...rung, wallet: other, nonce: draw.nonce(other), side: SELL, tif: random.pick([IOC, FOK]), size }));
  }

  private pass(action: Action): void {
    const { random, venue, draw } = this;
    switch (action) {
      case 'index': this.sendIndex(random.between(0, this.underlyings() - 1)); return;
      case 'stale': this.command(venue.write.index(random.between(0, 1), 0, FLAG_INDEX_STALE)); return;
      case 'surface': {
        const atm = random.between(100_000, 2_000_000);
        this.command(venue.write.surface(random.between(0, 1), 0, atm, random.between(-100_000, 100_000), random.between(0, 200_000)));
        return;
      }
      case 'settlementPrice': {
        const { underlying, expiry, price } = draw.settlement(this.state);
        this.command(venue.write.settlementPrice(underlying, expiry, price));
        this.count(`settlement price ${CODES.get(this.state.result.code)}`);
        return;
      }
      case 'wait': venue.now += draw.pause(); return;
      case 'note': if (this.clock.note(venue.sequencer, venue.now)) this.count('idle tick'); return;
      case 'due': this.work(random.between(1, 6)); return;
      case 'hour': {
        if (random.chance(0.7)) venue.now += Math.floor(draw.toHour(venue.now) * random.fraction());
        this.through(draw.toHour(venue.now) + random.between(0, 3_000));
        return;
      }
      case 'expiry': {
        const left = draw.toExpiry(venue.now) - WINDOW - random.between(0, MINUTE);
        if (left > 0) venue.now += left;
        this.through(draw.toExpiry(venue.now) + random.between(0, 5_000));
        return;
      }
      case 'stall': venue.now += random.pick([5 * SECOND, 20 * SECOND, 10 * MINUTE, 3 * HOUR]); return;
      case 'commit': this.commit(random.chance(this.options.syncs)); return;
      case 'snapshot': this.snapshot(); return;
      case 'crash': this.crash(); return;
      default: throw new RangeError(`no such action: ${action}`);
    }
  }

  private sendIndex(underlying: number): void {
    const { venue, draw, random } = this;
    const flags = random.chance(this.options.ageless) ? FLAG_INDEX_AGELESS : 0;
    this.command(venue.write.index(underlying, draw.index(this.state, underlying), flags));
  }

  /** Advances time with a working feed: work runs when it is due, and an index update comes every 8 s, sometimes not. */
  private through(ms: number): void {
    const until = this.venue.now + ms;
    this.venue.now = Math.max(this.venue.now, until - this.strain.longest(this.state));
    const gap = this.random.pick([0, 0, 0.1, 0.9]);
    while (this.venue.now < until) {
      const next = Math.min(until, this.venue.now + 8 * SECOND);
      while (this.venue.now < next) {
        this.work();
        this.venue.now = Math.min(next, Math.max(this.venue.now + 1, nextDue(this.state)));
      }
      if (!this.random.chance(gap)) for (let underlying = 0; underlying < this.underlyings(); underlying++) this.sendIndex(underlying);
      this.work();
    }
    this.commit(true);
  }

  /** Runs the work that is due, up to `most` steps. */
  private work(most?: number): void {
    this.isWorking = true;
    this.clock.run(this.venue.sequencer, this.venue.now, most);
    this.isWorking = false;
  }

  private underlyings(): number {
    return this.state.underlyings.counters[0]!;
  }

  private command(views: Views): void {
    this.clock.begin();
    this.venue.venue(views);
  }

  private send(views: Views): number {
    this.clock.begin();
    const code = this.venue.send(views);
    this.count(`code ${CODES.get(code) ?? code}`);
    for (const table of fullTables(this.state, code)) this.count(`full ${table}`);
    return code;
  }

  private commit(synced: boolean): void {
    const records = this.venue.log.kept.splice(0);
    if (this.keeps) {
      this.records.push(...records);
      return;
    }
    const known = this.requests?.expectation.memory();
    if (records.length > 0) this.storage.append(records, { hash: hashOf(this.state), known });
    if (synced) this.storage.sync();
  }

  private snapshot(): void {
    this.commit(true);
    checkCaches(this.state);
    this.storage.beginSnapshot(this.state);
    if (this.random.chance(0.15)) {
      this.crash();
      return;
    }
    this.storage.nameSnapshots();
    if (this.random.chance(0.15)) this.crash();
    else this.storage.finishSnapshots();
  }

  /** A power cut and the recovery of a new process: synced records are there to the bit, and of the rest a prefix. */
  private crash(): void {
    if (this.random.chance(0.7)) this.commit(false);
    const { durable } = this.storage;
    this.disk.crash();
    const cold = this.random.chance(0.1);
    const { state, from, end } = this.storage.recover(this.options.limits, cold);
    const seq = state.clock[SEQ]!;
    assert.ok(seq >= durable, `crash: seq ${durable} was durable, recovered is ${seq}`);
    assert.equal(hashOf(state), end?.hash, `crash: the state recovered at seq ${seq} is not the one that was there`);
    this.count(seq > durable ? 'crash: more than was synced came back' : 'crash: what was synced came back');
    this.count(from > 0 ? 'crash: from a snapshot' : 'crash: from the beginning');
    const { now } = this.venue;
    this.venue = new TestVenue({ state, rules: this.rules });
    if (end?.known !== undefined) this.requests?.expectation.restart(end.known);
    this.venue.now = now + this.random.between(0, 20 * SECOND);
    this.clock.begin();
    this.listen();
    this.solvency.forget();
  }

  private listen(): void {
    this.shadow = new Shadow(this.state);
    this.guard = new Guard(this.state);
    this.controls = new Controls(this.state);
    this.terms = new Terms(this.state, this.guard, (bucket) => this.count(bucket));
    this.registry = new Registry(this.state, (account) => this.guard!.reasonDue(account, this.state.clock[TIME]!));
    this.state.events.listener = (kind, slots) => {
      this.shadow!.apply(kind, slots);
      this.registry!.apply(kind, slots);
      if (kind === kinds.SAFETY_FIRED) this.guard!.fire(slots[kinds.ACCOUNT]!, slots[kinds.SAFETY_REASON]!, this.state.clock[TIME]!);
      if (kind === kinds.ACCOUNT_CLOSED) this.guard!.close(slots[kinds.ACCOUNT]!);
      for (const bucket of bucketsOf(kind, slots, this.state)) this.count(bucket);
      if (kind === kinds.ORDER_ACCEPTED && this.strain.stretch.bounds) this.strain.noteBounds(slots);
      this.controls!.hear(kind, slots, this.isWorking);
      this.terms!.hear(kind, slots);
      this.requests?.hear(kind, slots);
      this.solvency.hear(this.state, kind, slots, this.isWorking);
    };
  }

  private count(bucket: string): void {
    this.histogram.set(bucket, (this.histogram.get(bucket) ?? 0) + 1);
  }
}
