// A replicated log in memory, in simulated time. It keeps its promises, and on demand it does all that a real one may do: late, lost and
// doubled requests and answers, no room, bytes read wrong, old answers; and what it must not do: a lost end, a gap, other bytes.

import type { AppendResult, ReadResult, ReplicatedLog } from '../../../shell/storage/replication/port.ts';
import type { Random } from '../random.ts';
import type { Simulation } from './simulation.ts';

/** What becomes of one append. */
type AppendFault = 'loseRequest' | 'loseAnswer' | 'landLate' | 'double' | 'full' | 'unchecked';
type ReadFault = 'notYet' | 'misread';

/** Odds of each in a thousand. */
type Odds = Partial<Record<AppendFault | ReadFault, number>>;

/** Milliseconds for which a caller waits. */
const ANSWER_MS = 1_000;
const LATE_MS = 3_000;

export class FakeLog {
  /** Undefined: a gap. */
  messages: (Uint8Array | undefined)[] = [];
  odds: Odds = {};
  /** Takes no requests meanwhile; those that came are done when it goes on. */
  isPaused = false;
  /** The next appends, before odds; null: no fault. */
  readonly appendFaults: (AppendFault | null)[] = [];
  readonly readFaults: (ReadFault | null)[] = [];
  /** How often each fault happened. */
  readonly happened = new Map<string, number>();
  readonly #simulation: Simulation;
  readonly #random: Random;
  readonly #news = new Set<() => void>();
  readonly #heartbeats = new Set<(heartbeat: Uint8Array) => void>();
  #held: (() => void)[] = [];

  constructor(simulation: Simulation, random: Random) {
    this.#simulation = simulation;
    this.#random = random;
  }

  /** The log as one node sees it. */
  port(): ReplicatedLog {
    const own: { news: () => void; heartbeat: (data: Uint8Array) => void } = { news: () => undefined, heartbeat: () => undefined };
    return {
      append: (frame, expected) => this.#append(Uint8Array.from(frame), expected),
      read: (position) => this.#read(position),
      onNews: (listener) => void this.#news.add(own.news = listener),
      say: (heartbeat) => this.#simulation.after(1, () => this.#heartbeats.forEach((listener) => listener(heartbeat))),
      onHeartbeat: (listener) => void this.#heartbeats.add(own.heartbeat = listener),
      close: async () => {
        this.#news.delete(own.news);
        this.#heartbeats.delete(own.heartbeat);
      },
    };
  }

  goOn(): void {
    this.isPaused = false;
    for (const work of this.#held.splice(0)) work();
  }

  /** What a broker must never do with what it acknowledged. */
  loseEnd(count: number): void {
    this.messages.length -= count;
  }

  get firstPosition(): number {
    const first = this.messages.findIndex((each) => each !== undefined);
    return (first < 0 ? this.messages.length : first) + 1;
  }

  get lastPosition(): number {
    return this.messages.length;
  }

  /** Older messages leave with age. */
  cut(firstPosition: number): void {
    this.messages.fill(undefined, 0, firstPosition - 1);
  }

  #append(frame: Uint8Array, expected: number): Promise<AppendResult> {
    const fault = this.#draw<AppendFault>(this.appendFaults, ['loseRequest', 'loseAnswer', 'landLate', 'double', 'full', 'unchecked']);
    return new Promise((resolve) => {
      this.#simulation.after(ANSWER_MS, () => resolve({ type: 'unknown' }));
      if (fault === 'loseRequest') return;
      const travel = fault === 'landLate' ? LATE_MS : 1 + this.#random(5);
      this.#simulation.after(travel, () => this.#whenAwake(() => {
        const result = fault === 'full' ? { type: 'full' } as const : this.#land(frame, expected, fault === 'unchecked');
        if (fault === 'double') this.#land(frame, expected, false);
        if (fault !== 'loseAnswer') this.#simulation.after(1 + this.#random(5), () => resolve(result));
      }));
    });
  }

  #land(frame: Uint8Array, expected: number, isUnchecked: boolean): AppendResult {
    if (expected !== this.messages.length && !isUnchecked) return { type: 'refused', last: this.messages.length };
    this.messages.push(frame);
    for (const listener of this.#news) listener();
    return { type: 'accepted', position: this.messages.length };
  }

  #read(position: number): Promise<ReadResult> {
    const fault = this.#draw<ReadFault>(this.readFaults, ['notYet', 'misread']);
    return new Promise((resolve) => {
      this.#simulation.after(ANSWER_MS, () => resolve({ type: 'notYet' }));
      this.#simulation.after(1 + this.#random(3), () => this.#whenAwake(() => resolve(this.#look(position, fault))));
    });
  }

  #look(position: number, fault: ReadFault | null): ReadResult {
    const bytes = this.messages[position - 1];
    if (fault === 'notYet') return { type: 'notYet' };
    const misread = (byte: number, at: number): number => (at === 30 ? byte ^ 1 : byte);
    if (bytes !== undefined) return { type: 'message', bytes: fault === 'misread' ? bytes.map(misread) : bytes };
    const next = this.messages.findIndex((each, index) => index >= position && each !== undefined);
    return next < 0 ? { type: 'notYet' } : { type: 'gap', next: next + 1 };
  }

  #whenAwake(work: () => void): void {
    if (this.isPaused) this.#held.push(work);
    else work();
  }

  #draw<Fault extends AppendFault | ReadFault>(asked: (Fault | null)[], kinds: readonly Fault[]): Fault | null {
    const fault = asked.length > 0 ? asked.shift()! : kinds.find((kind) => this.#random(1_000) < (this.odds[kind] ?? 0)) ?? null;
    if (fault !== null) this.happened.set(fault, (this.happened.get(fault) ?? 0) + 1);
    return fault;
  }
}
