// Health of the venue, from shared memory only: two loads per request. A thread silent for BOUNDS.silentMs, a stalled clock or a silent
// feed fails /ready; requests are still accepted, because each has its own timeout.

import { BOUNDS } from '../http/limits.ts';
import type { Config } from '../process/config.ts';
import type { ClockStatus, FeedStatus, MarketStatus } from '../ipc/status.ts';
import { ROLES } from '../ipc/cluster-status.ts';
import { SharedValue } from '../ipc/shared-value.ts';
import { HeartbeatWatch, type SharedCounters } from '../ipc/counters.ts';
import type { StatusDescriptions, CounterName } from '../process/wiring.ts';
import {
  component, marketComponents, notReady, underlyingsOf, type Component, type Problem, type ThreadStatuses, type UnderlyingHealth,
} from './health-components.ts';

const BEATS = { engine: 'beatMain', journal: 'beatJournal', reader: 'beatReader', history: 'beatHistory' } as const;
const NO_STATUSES: ThreadStatuses = { market: null, clock: null, feed: null };
const DISK_PROBLEMS: readonly (Problem | null)[] = [
  null,
  { key: 'disk', level: 'degraded', text: 'low: orders are refused', over: 'the disk has room again' },
  { key: 'disk', level: 'not_ready', text: 'full: the venue stops', over: 'the disk has room again' },
];

export type VenueStatus = {
  readonly status: 'ready' | 'not_ready';
  readonly degraded: boolean;
  readonly components: readonly Component[];
  readonly underlyings: readonly UnderlyingHealth[];
  readonly statuses: ThreadStatuses;
};

type Parts = {
  readonly counters: SharedCounters<CounterName>;
  readonly statuses: StatusDescriptions;
  readonly feed: Config['feed'];
};

export class Readiness {
  readonly #feed: Config['feed'];
  readonly #statuses;
  readonly #mainReady;
  readonly #readerReady;
  readonly #disk;
  readonly #role;
  readonly #behind;
  readonly #recovered;
  readonly #recoveryTotal;
  readonly #counters: SharedCounters<CounterName>;
  #watches: ReadonlyMap<string, HeartbeatWatch> | null = null;
  #now: number;
  #isClosing = false;

  constructor({ counters, statuses, feed }: Parts, now: number) {
    this.#now = now;
    this.#feed = feed;
    this.#counters = counters;
    this.#statuses = {
      market: new SharedValue<MarketStatus>(statuses.reader), clock: new SharedValue<ClockStatus>(statuses.main),
      feed: new SharedValue<FeedStatus>(statuses.feed),
    };
    this.#mainReady = counters.counter('mainReady');
    this.#readerReady = counters.counter('readerReady');
    this.#disk = counters.counter('disk');
    this.#role = counters.counter('role');
    this.#behind = counters.counter('behind');
    this.#recovered = counters.counter('recovered');
    this.#recoveryTotal = counters.counter('recoveryTotal');
  }

  watch(now: number): void {
    this.#now = now;
    for (const watch of this.#watched()?.values() ?? []) watch.silentMs(now);
  }

  close(): void {
    this.#isClosing = true;
  }

  refusal(): string | null {
    if (this.#isClosing) return 'The service is stopping';
    return this.#isRecovered() ? null : 'The service is starting';
  }

  status(): VenueStatus {
    const { market, clock, feed } = this.#statuses;
    const isRecovered = this.#isRecovered();
    const statuses = isRecovered ? { market: market.read(), clock: clock.read(), feed: feed.read() } : NO_STATUSES;
    const progress = `recovered ${this.#recovered.load()} of ${this.#recoveryTotal.load()} commands`;
    const disk = DISK_PROBLEMS[this.#disk.load()] ?? null;
    const components = [
      isRecovered ? component('recovery', [], 'done') : notReady('recovery', progress),
      ...Object.keys(BEATS).map((name) => this.#thread(name)),
      ...this.#log(),
      component('disk', disk === null ? [] : [disk], 'ok'),
      ...marketComponents(statuses, this.#feed),
      this.#isClosing ? notReady('edge', 'stopping') : component('edge', [], 'open'),
    ];
    return {
      status: components.every(({ ready }) => ready) ? 'ready' : 'not_ready',
      degraded: components.some(({ state }) => state === 'degraded'), components,
      underlyings: underlyingsOf(statuses, this.#feed), statuses,
    };
  }

  #log(): readonly Component[] {
    if (this.#role.load() === ROLES.alone) return [];
    const behind = this.#behind.load();
    return [behind === 0 ? component('log', [], 'up to date at the start') : notReady('log', `reads the log: ${behind} messages to go`)];
  }

  #isRecovered(): boolean {
    return this.#mainReady.load() === 1 && this.#readerReady.load() === 1;
  }

  #thread(name: string): Component {
    const watch = this.#watched()?.get(name);
    if (watch === undefined) return notReady(name, 'starting');
    const silentMs = watch.silentMs(this.#now);
    if (silentMs < BOUNDS.silentMs) return component(name, [], 'running');
    const text = `the thread has stood still for ${Math.floor(silentMs / 1_000)} s`;
    return component(name, [{ key: name, level: 'not_ready', text, over: 'the thread moves again' }], 'running');
  }

  #watched(): ReadonlyMap<string, HeartbeatWatch> | null {
    if (this.#mainReady.load() !== 1) return null;
    return this.#watches ??= new Map(Object.entries(BEATS).map(([name, beat]) => (
      [name, new HeartbeatWatch(this.#counters.counter(beat), this.#now)]
    )));
  }
}
