// Measurements of one thread in shared memory: only it writes, any api thread shows. No lock, no allocation. Times in seconds. Stages of
// a write: `check` (queue and signature), `ring` (until main takes it), `apply` (admission and core), `durable` (until it is on disk),
// `reply` (until the web server has the answer).

import { TABLES } from '../../../core/engine/tables.ts';
import { createSharedNumbers, viewSharedNumbers, type SharedNumbers } from '../../ipc/counters.ts';

export const BUCKETS: readonly number[] = [
  5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
export const STAGES = ['check', 'ring', 'apply', 'durable', 'reply'] as const;
export const GC_KINDS = ['minor', 'major', 'incremental', 'weak'] as const;
const HISTOGRAMS = [...STAGES, 'request', ...GC_KINDS] as const;
const GAUGES = [
  'loopMean', 'loopP99', 'loopMax', 'heapUsed', 'heapTotal', 'seq', 'connections', 'requests', 'sockets', 'bodyBytes',
  'refusedConnections', 'faults', 'diskFree',
] as const;
export const STATUSES = [200, 204, 400, 401, 403, 404, 405, 408, 409, 413, 429, 500, 502, 503, 0] as const;
const ROUTES = 512;
export const KINDS = 64;
export const CODES = 512;

export type Histogram = (typeof HISTOGRAMS)[number];
export type Gauge = (typeof GAUGES)[number];

/** Counts of buckets, of larger values, and the sum. */
const HISTOGRAM_CELLS = BUCKETS.length + 2;
const GAUGE_AT = HISTOGRAMS.length * HISTOGRAM_CELLS;
const REQUEST_AT = GAUGE_AT + GAUGES.length;
const COMMAND_AT = REQUEST_AT + ROUTES * STATUSES.length;
const TABLE_AT = COMMAND_AT + KINDS * CODES;
const CELLS = TABLE_AT + TABLES.length * 2;

/** More than the commands between main and the disk. */
const TIMESTAMPS = 1 << 18;

export type MetersDescription = { readonly blocks: { readonly [thread: string]: SharedNumbers }; readonly timestamps: SharedNumbers };

export function createMeters(threads: readonly string[]): MetersDescription {
  const blocks = Object.fromEntries(threads.map((name) => [name, createSharedNumbers(CELLS)]));
  return { blocks, timestamps: createSharedNumbers(TIMESTAMPS) };
}

export class Meters {
  readonly #cells: Float64Array;
  readonly #timestamps: Float64Array;

  constructor({ blocks, timestamps }: MetersDescription, thread: string) {
    const block = blocks[thread];
    if (block === undefined) throw new RangeError(`no thread is called ${thread}`);
    this.#cells = viewSharedNumbers(block);
    this.#timestamps = viewSharedNumbers(timestamps);
  }

  observe(histogram: Histogram, seconds: number): void {
    const at = HISTOGRAMS.indexOf(histogram) * HISTOGRAM_CELLS;
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++;
    this.#cells[at + bucket]! += 1;
    this.#cells[at + HISTOGRAM_CELLS - 1]! += seconds;
  }

  set(gauge: Gauge, value: number): void {
    this.#cells[GAUGE_AT + GAUGES.indexOf(gauge)] = value;
  }

  countRequest(route: number, status: number): void {
    const known = STATUSES.indexOf(status as 0);
    this.#cells[REQUEST_AT + (route < ROUTES ? route : 0) * STATUSES.length + (known < 0 ? STATUSES.length - 1 : known)]! += 1;
  }

  countCommand(kind: number, code: number): void {
    if (kind < KINDS && code < CODES) this.#cells[COMMAND_AT + kind * CODES + code]! += 1;
  }

  setTable(at: number, used: number, capacity: number): void {
    this.#cells[TABLE_AT + at * 2] = used;
    this.#cells[TABLE_AT + at * 2 + 1] = capacity;
  }

  /** In ms of `sharedSteady`. */
  setTimestamp(seq: number, ms: number): void {
    this.#timestamps[seq % TIMESTAMPS] = ms;
  }

  timestamp(seq: number): number {
    return this.#timestamps[seq % TIMESTAMPS]!;
  }

  table(at: number): { readonly used: number; readonly capacity: number } {
    return { used: this.#cells[TABLE_AT + at * 2]!, capacity: this.#cells[TABLE_AT + at * 2 + 1]! };
  }

  gauge(gauge: Gauge): number {
    return this.#cells[GAUGE_AT + GAUGES.indexOf(gauge)]!;
  }

  histogram(histogram: Histogram): { readonly counts: Float64Array; readonly sum: number } {
    const at = HISTOGRAMS.indexOf(histogram) * HISTOGRAM_CELLS;
    return { counts: this.#cells.subarray(at, at + HISTOGRAM_CELLS - 1), sum: this.#cells[at + HISTOGRAM_CELLS - 1]! };
  }

  requestCount(route: number, status: number): number {
    return this.#cells[REQUEST_AT + route * STATUSES.length + status]!;
  }

  commandCount(kind: number, code: number): number {
    return this.#cells[COMMAND_AT + kind * CODES + code]!;
  }
}
