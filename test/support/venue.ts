// A core with its sequencer in one thread, for tests: commands go in, results and events come out, and every sequenced record is kept, so
// that the run can be replayed into another state.

import { createState, SEQ, stateSections, type State } from '../../core/engine/state.ts';
import { apply } from '../../core/engine/apply.ts';
import { hashSections } from '../../core/snapshot/hash.ts';
import type { Section } from '../../core/columns.ts';
import { createAdmission, type Admission, type AdmissionRules } from '../../core/sequencer/admission.ts';
import { NEW_WALLETS_AN_HOUR } from '../../core/sequencer/rate-budgets.ts';
import { createSequencer, runDue, takeCommand, takeVenueCommand, type OutPort, type Sequencer } from '../../core/sequencer/sequencer.ts';
import { RECORD_BYTES, checked, SMALL, type Limits } from '../../core/limits.ts';
import { DEFAULT_LIMITS, UNLIMITED } from '../../core/tiers.ts';
import { defaultSettings } from '../../core/settings.ts';
import { REPLY_WORD_STATUS } from '../../core/codec/reply.ts';
import { recordSeq, viewsOf, type Views } from '../../core/codec/record.ts';
import { instrumentTotal } from './raw.ts';
import { RecordWriter, type Contract } from './records.ts';

/** 2026-01-05 00:00 UTC, a Monday. */
export const START = Date.UTC(2026, 0, 5);

/** More rows for markets than the listing rule fills. */
export const WIDE: Limits = checked({ ...SMALL, instruments: 4_096 });

/** Tiers without limits. */
export const FREE_ROW = {
  orders: UNLIMITED, cancels: UNLIMITED, requests: UNLIMITED, quotes: UNLIMITED, openOrders: UNLIMITED, positions: UNLIMITED,
};
export const FREE = { table: [FREE_ROW, FREE_ROW, FREE_ROW, FREE_ROW] };

/** A port that keeps one record at a time. */
class OnePort implements OutPort {
  readonly views: Views = viewsOf(new ArrayBuffer(RECORD_BYTES));
  open = true;
  kept: Uint8Array[] = [];
  hasRoom(): boolean { return this.open; }
  claim(): number { return 0; }
  commit(): void { this.kept.push(this.views.u8.slice(0, this.views.u32[0]!)); }
}

export type EventRow = { kind: number; slots: Float64Array };

/** `state`: one that runs already; else `prepare` may set counters of the empty one before the first command. */
export type VenueOptions = {
  limits?: Limits; rules?: Partial<AdmissionRules>; settings?: Float64Array; state?: State; prepare?: (state: State) => void;
};

export class TestVenue {
  readonly state: State;
  readonly admission: Admission;
  readonly sequencer: Sequencer;
  readonly write = new RecordWriter();
  readonly log = new OnePort();
  readonly reply = new OnePort();
  events: EventRow[] = [];
  now = START;

  constructor(options: VenueOptions = {}) {
    this.state = options.state ?? createState(options.limits ?? SMALL);
    this.state.events.listener = (kind, slots) => this.events.push({ kind, slots: slots.slice() });
    this.admission = createAdmission(this.state, {
      table: DEFAULT_LIMITS, rated: false, adminWallets: new Uint32Array(0), newWallets: NEW_WALLETS_AN_HOUR, ...options.rules,
    });
    this.sequencer = createSequencer(this.state, this.admission, this.log);
    if (options.state !== undefined) return;
    options.prepare?.(this.state);
    this.venue(this.write.configure(options.settings ?? defaultSettings()));
    this.venue(this.write.addUnderlying('BTC', 600_000));
    this.venue(this.write.addUnderlying('ETH', 700_000));
  }

  venue(views: Views): void {
    this.events = [];
    if (!takeVenueCommand(this.sequencer, views, this.now)) throw new Error('no room');
  }

  /** The code of the reply; numbers and image are in `state.outcome`. */
  send(views: Views): number {
    this.events = [];
    if (!takeCommand(this.sequencer, views, 0, this.now, this.reply)) throw new Error('no room');
    return viewsOf(this.reply.kept.pop()!.buffer as ArrayBuffer).u32[REPLY_WORD_STATUS]! & 0xffff;
  }

  /** Sets both indexes and lets the listing finish. */
  open(btc = 100_000, eth = 3_000): this {
    this.venue(this.write.index(0, btc * 1e6, 1));
    this.venue(this.write.index(1, eth * 1e6, 1));
    this.settle();
    return this;
  }

  /** Runs all work that is due. */
  settle(): void {
    while (runDue(this.sequencer, this.now)) { /* bounded by the work in hand */ }
  }

  advance(ms: number): void {
    this.now += ms;
    this.settle();
  }

  /** The contract in an instrument's slot, as orders name it. */
  contract(slot: number): Contract {
    const { instruments } = this.state;
    return {
      underlying: instruments.underlying[slot] === 0 ? 'BTC' : 'ETH', expiry: instruments.expiry[slot]!, strike: instruments.strike[slot]!,
      kind: instruments.kind[slot]!,
    };
  }

  /** Slots of the contracts for which `wanted` is true, in the order of listing. */
  slots(wanted: (contract: Contract) => boolean): number[] {
    return Array.from({ length: instrumentTotal(this.state) }, (_, slot) => slot).filter((slot) => wanted(this.contract(slot)));
  }

  mark(slot: number): number {
    return this.state.valuation.mark[slot]!;
  }

  number(index: number): number {
    return this.state.result.numbers[index]!;
  }

  seq(): number {
    return this.state.clock[SEQ]!;
  }

  hash(): string {
    return hashOf(this.state);
  }

  /** Applies every record so far to a fresh state, or to `onto` from its seq on. */
  replay(onto = createState(this.state.limits)): State {
    for (const record of this.log.kept) {
      const views = viewsOf(record.buffer as ArrayBuffer);
      if (recordSeq(views, 0) > onto.clock[SEQ]!) apply(onto, views, 0);
    }
    return onto;
  }
}

/** Of each state, made once: a test that asks for the hash after every step would make them anew more slowly than it hashes. */
const sectionsOf = new WeakMap<State, readonly Section[]>();

export function hashOf(state: State): string {
  let sections = sectionsOf.get(state);
  if (sections === undefined) sectionsOf.set(state, sections = stateSections(state));
  return Buffer.from(hashSections(sections).buffer).toString('hex');
}
