// What bench/fan-out.ts and its threads have in common: sizes, and what they tell each other.

import type { ApiWiring, Counters, Measures, ReaderWiring } from '../shell/wiring.ts';
import type { RingerDescription } from '../shell/transport/doorbell.ts';
import type { RingDescription } from '../shell/transport/ring.ts';

export const INSTRUMENTS = 3_000;
/** Moments kept of an instrument's last changes; more than come while a message waits. */
export const MOMENTS = 256;
/** Buckets of 0.1 ms. */
export const BUCKETS = 5_000;
export const BUCKETS_PER_MS = 10;

type Shared = { readonly counters: Counters; readonly moments: SharedArrayBuffer };
export type CoreStart = Shared & { readonly role: 'core'; readonly log: RingDescription; readonly ringReader: RingerDescription };
export type ReaderStart = Shared & { readonly role: 'reader'; readonly wiring: ReaderWiring };
/** `samples`: buckets, of all sockets but the one that may be stuck; `totals`: bytes written to them, messages, writes. */
export type ApiStart = Shared & {
  readonly role: 'api'; readonly wiring: ApiWiring; readonly measures: Measures; readonly samples: SharedArrayBuffer;
  readonly totals: SharedArrayBuffer;
};
export type FromThread =
  | { readonly type: 'cpu'; readonly ms: number }
  | { readonly type: 'ready'; readonly symbols?: string[]; readonly port?: number }
  | { readonly type: 'unread'; readonly bytes: number } | { readonly type: 'stopped' };
export type ToThread =
  | { readonly type: 'cpu' } | { readonly type: 'stop' } | { readonly type: 'start'; readonly rate: number }
  | { readonly type: 'fill' } | { readonly type: 'unread' };
