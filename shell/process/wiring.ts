// How threads are connected. Each api thread has a command and reply ring with main, and a query and answer ring with the reader. One log
// ring goes from main to journal and reader.

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { PRODUCTION, RECORD_BYTES } from '../../core/limits.ts';
import { MOST_REPLY_BYTES } from '../../core/codec/reply.ts';
import { createRing, type RingDescription } from '../ipc/ring.ts';
import { createDoorbell, type DoorbellDescription, type RingerDescription } from '../ipc/doorbell.ts';
import { createSharedValue, type SharedValueDescription } from '../ipc/shared-value.ts';
import { createCounters, type CountersDescription } from '../ipc/counters.ts';
import { createSharedBudgets, type SharedBudgetsDescription } from '../ipc/shared-budgets.ts';
import { createSharedHead, type SharedHeadDescription } from '../ipc/shared-head.ts';
import type { Config } from './config.ts';
import { createMeters, type MetersDescription } from './observability/meters.ts';

/** Shared u32 counters; seqs are low words. Each has the one writer named first; api threads replace theirs atomically. */
const COUNTERS = [
  'durable', // journal: last committed seq, always the end of a frame; only up to it may clients be answered
  'applied', // reader: last seq applied
  'historyApplied', // history: last seq in its store
  'blocked', // main: 1 while it waits for room in the log
  'disk', // journal: one of DISK_STATES
  'recovered', // main: commands replayed so far in recovery
  'recoveryTotal', // main: commands to replay
  'startCancelled', // main: 1 when a start is to end during recovery
  'mainReady', 'readerReady', // 1 when recovery is done
  'beatMain', 'beatJournal', 'beatReader', 'beatHistory',
  'role', // journal: one of ROLES (cluster-status.ts); leader is stored by main, once it sequences
  'behind', // journal: positions of the log to read before this node counts as ready
  'confirmed', // journal of a leader: ms of the steady clock at which what the log accepted last was sent
  'quorum', // journal: one of LOG_STATES (cluster-status.ts)
  'epoch', 'position', // journal: of the log, as this node has accepted it; 0 without one
  'asked', // api threads: reads that go through the log, counted
  'told', // journal: up to which of them it led
  'candlesSpent', // api threads: until when the weight of candles is spent
] as const;

export const DISK_STATES = { ok: 0, low: 1, stop: 2 } as const;

export type CounterName = (typeof COUNTERS)[number];
export type Counters = CountersDescription<CounterName>;

/** Requests in flight per api thread. A mass quote's takes several places. */
export const IN_FLIGHT = 2_048;
const QUERY_BYTES = 65_536;
export const ANSWER_BYTES = 65_536;

export const COMMAND_RING_BYTES = 4_194_304;
export const REPLY_RING_BYTES = 1_048_576;
export const LOG_RING_BYTES = 67_108_864;
export const QUERY_RING_BYTES = 2_097_152;
export const ANSWER_RING_BYTES = 16_777_216;

type ApiBeat = CountersDescription<'beat'>;

export type ApiWiring = {
  readonly index: number;
  readonly commands: RingDescription;
  readonly replies: RingDescription;
  readonly queries: RingDescription;
  readonly answers: RingDescription;
  readonly large: MessagePort;
  readonly doorbell: DoorbellDescription;
  readonly ringMain: RingerDescription;
  readonly ringReader: RingerDescription;
  readonly ringJournal: RingerDescription;
  readonly beat: ApiBeat;
  readonly head: SharedHeadDescription;
};

export type JournalWiring = {
  readonly log: RingDescription;
  readonly replies: readonly RingDescription[];
  readonly head: SharedHeadDescription;
  readonly doorbell: DoorbellDescription;
  readonly ringMain: RingerDescription;
  readonly ringReader: RingerDescription;
  readonly ringApis: readonly RingerDescription[];
};

export type ReaderWiring = {
  readonly log: RingDescription;
  readonly queries: readonly RingDescription[];
  readonly answers: readonly RingDescription[];
  readonly large: readonly MessagePort[];
  readonly beats: readonly ApiBeat[];
  readonly head: SharedHeadDescription;
  readonly doorbell: DoorbellDescription;
  readonly ringMain: RingerDescription;
  readonly ringApis: readonly RingerDescription[];
  readonly history: MessagePort;
  readonly budgets: SharedBudgetsDescription;
};

export type MainWiring = {
  readonly budgets: SharedBudgetsDescription;
  readonly commands: readonly RingDescription[];
  readonly replies: readonly RingDescription[];
  readonly log: RingDescription;
  readonly doorbell: DoorbellDescription;
  readonly ringJournal: RingerDescription;
  readonly ringApis: readonly RingerDescription[];
};

type ShownRing = { readonly name: string; readonly ring: RingDescription; readonly consumer: number };

export type StatusDescriptions = {
  readonly main: SharedValueDescription; readonly reader: SharedValueDescription; readonly feed: SharedValueDescription;
  readonly cluster: SharedValueDescription;
};

export type Measures = { readonly meters: MetersDescription; readonly rings: readonly ShownRing[]; readonly statuses: StatusDescriptions };

export const apiName = (index: number): string => `api ${index}`;

export type Wiring = {
  readonly counters: Counters;
  readonly measures: Measures;
  readonly main: MainWiring;
  readonly journal: JournalWiring;
  readonly reader: ReaderWiring;
  readonly history: MessagePort;
  readonly apis: readonly ApiWiring[];
};

export type ThreadSettings = { readonly config: Config; readonly venue: string; readonly token: string };

/** Sent by flow-control tests: block for `ms` (the journal: in its next commit). */
export type Stall = { readonly type: 'stall'; readonly ms: number; readonly gate?: Int32Array<SharedArrayBuffer> };

export const DIGEST_EVERY = 4_096;

export const LOG_JOURNAL = 0;
export const LOG_READER = 1;

export function createWiring(apiCount: number): Wiring {
  const numbers = Array.from({ length: apiCount }, (_, index) => index);
  const commands = numbers.map(() => createRing({ bytes: COMMAND_RING_BYTES, consumers: 1, largest: RECORD_BYTES }));
  const replies = numbers.map(() => createRing({ bytes: REPLY_RING_BYTES, consumers: 1, largest: MOST_REPLY_BYTES }));
  const queries = numbers.map(() => createRing({ bytes: QUERY_RING_BYTES, consumers: 1, largest: QUERY_BYTES }));
  const answers = numbers.map(() => createRing({ bytes: ANSWER_RING_BYTES, consumers: 1, largest: ANSWER_BYTES }));
  const log = createRing({ bytes: LOG_RING_BYTES, consumers: 2, largest: RECORD_BYTES });
  const large = numbers.map(() => new MessageChannel());
  const beats = numbers.map(() => createCounters(['beat'] as const));
  const history = new MessageChannel();
  const head = createSharedHead();
  const budgets = createSharedBudgets(PRODUCTION.accounts);

  // Producers of each bell, in order. Main: apis, journal, reader. Journal: main, apis. Reader: journal, apis. Api: main,
  // journal, reader.
  const mainBell = createDoorbell(apiCount + 2);
  const journalBell = createDoorbell(1 + apiCount);
  const readerBell = createDoorbell(1 + apiCount);
  const apiBells = numbers.map(() => createDoorbell(3));
  const ofApis = (producer: number) => apiBells.map((bell) => bell.ringers[producer]!);

  return {
    counters: createCounters(COUNTERS),
    measures: {
      meters: createMeters(['main', 'journal', 'reader', 'history', ...numbers.map(apiName)]),
      rings: [
        { name: 'log to journal', ring: log, consumer: LOG_JOURNAL }, { name: 'log to reader', ring: log, consumer: LOG_READER },
        ...shown('commands', commands), ...shown('replies', replies), ...shown('queries', queries), ...shown('answers', answers),
      ],
      statuses: { main: createSharedValue(), reader: createSharedValue(), feed: createSharedValue(), cluster: createSharedValue() },
    },
    main: {
      commands, replies, log, doorbell: mainBell.doorbell, ringJournal: journalBell.ringers[0]!,
      ringApis: ofApis(0), budgets,
    },
    journal: {
      log, replies, head, doorbell: journalBell.doorbell, ringMain: mainBell.ringers[apiCount]!, ringReader: readerBell.ringers[0]!,
      ringApis: ofApis(1),
    },
    reader: {
      log, queries, answers, large: large.map((channel) => channel.port1), beats, head, doorbell: readerBell.doorbell,
      ringMain: mainBell.ringers[apiCount + 1]!, ringApis: ofApis(2), history: history.port1, budgets,
    },
    history: history.port2,
    apis: numbers.map((index) => ({
      index, commands: commands[index]!, replies: replies[index]!, queries: queries[index]!, answers: answers[index]!,
      large: large[index]!.port2, doorbell: apiBells[index]!.doorbell,
      ringMain: mainBell.ringers[index]!, ringReader: readerBell.ringers[1 + index]!, ringJournal: journalBell.ringers[1 + index]!,
      beat: beats[index]!,
      head,
    })),
  };
}

function shown(name: string, rings: readonly RingDescription[]): ShownRing[] {
  return rings.map((ring, index) => ({ name: `${name} of ${apiName(index)}`, ring, consumer: 0 }));
}

export function portsOf(wiring: object): MessagePort[] {
  const ports: MessagePort[] = [];
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    if (isPort(value)) ports.push(value);
    else for (const inner of Object.values(value)) walk(inner);
  };
  walk(wiring);
  return ports;
}

function isPort(value: object): value is MessagePort {
  return typeof (value as { postMessage?: unknown }).postMessage === 'function';
}
