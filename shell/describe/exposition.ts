// Metrics of all threads in the Prometheus text format (version 0.0.4). Times in seconds, sizes in bytes.

import * as commands from '../../core/codec/commands.ts';
import * as codes from '../../core/errors.ts';
import { TABLES } from '../../core/engine/tables.ts';
import { BEHAVIOUR, CODEC } from '../../core/version.ts';
import type { VenueStatus } from '../api/readiness.ts';
import type { UnderlyingHealth } from '../api/health-components.ts';
import type { Route } from '../http/router.ts';
import type { CounterName, Measures } from '../process/wiring.ts';
import { LOG_STATES, type ClusterStatus } from '../ipc/cluster-status.ts';
import type { SharedCounters } from '../ipc/counters.ts';
import { ringDepth } from '../ipc/ring.ts';
import { BUCKETS, CODES, GC_KINDS, KINDS, Meters, STAGES, STATUSES, type Gauge, type Histogram } from '../process/observability/meters.ts';

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Type = 'counter' | 'gauge' | 'histogram';
type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number, suffix?: string];

export type MetricsInput = {
  readonly measures: Measures;
  readonly counters: SharedCounters<CounterName>;
  readonly routes: readonly Route[];
  readonly status: VenueStatus;
  readonly cluster: ClusterStatus | null;
  readonly residentBytes: number;
};

const KIND_NAMES = namesOf(commands, (name, value) => (
  commands.isSignedKind(value) && value < KINDS && !/^(WORD|DOUBLE|BYTE|FLAG)_|_BYTES$/.test(name)
));
const CODE_NAMES = namesOf(codes, (name) => !name.startsWith('DONE_'));
const ORDERS: readonly number[] = [commands.PLACE_ORDER, commands.REPLACE_ORDER, commands.AMEND_ORDER];

export function exposition({ measures, counters, routes, status, cluster, residentBytes }: MetricsInput): string {
  const threads = Object.keys(measures.meters.blocks).map((name) => ({ name, meters: new Meters(measures.meters, name) }));
  const text = new Text();
  build(text);
  requests(text, threads.map(({ meters }) => meters), routes);
  work(text, threads.map(({ meters }) => meters));
  stages(text, threads.map(({ meters }) => meters));
  venue(text, status, new Meters(measures.meters, 'journal').gauge('diskFree'));
  lags(text, new Meters(measures.meters, 'main').gauge('seq'), new Map(counters.read()));
  nodes(text, cluster, new Map(counters.read()));
  rings(text, measures);
  tables(text, new Meters(measures.meters, 'main'));
  runtime(text, threads, residentBytes);
  return text.end();
}

function build(text: Text): void {
  text.family('strikebook_build_info', 'gauge', 'Versions of what commands mean and of how they are written.', [
    [{ behaviour: String(BEHAVIOUR), codec: String(CODEC) }, 1],
  ]);
}

function requests(text: Text, all: readonly Meters[], routes: readonly Route[]): void {
  const rows = [{ method: '', path: '(none)' }, ...routes];
  const samples = rows.flatMap(({ method, path }, row) => STATUSES.flatMap((status, at): Sample[] => {
    const count = sum(all, (meters) => meters.requestCount(row, at));
    return count === 0 ? [] : [[{ method, route: path, status: status === 0 ? 'other' : String(status) }, count]];
  }));
  text.family('strikebook_http_requests_total', 'counter', 'Answers to HTTP requests, by row of the route table and status.', samples);
  text.histogram('strikebook_http_request_seconds', 'From the head of a request to its answer.', [[{}, all, 'request']]);
  const gauges: readonly (readonly [string, Gauge, string])[] = [
    ['strikebook_http_connections', 'connections', 'Open connections, sockets included.'],
    ['strikebook_http_requests_in_flight', 'requests', 'Requests that have no answer yet.'],
    ['strikebook_sockets', 'sockets', 'Open WebSocket connections.'],
    ['strikebook_http_body_bytes', 'bodyBytes', 'Bytes of request bodies that are arriving.'],
  ];
  for (const [name, gauge, help] of gauges) text.family(name, 'gauge', help, [[{}, sum(all, (meters) => meters.gauge(gauge))]]);
  text.family('strikebook_http_connections_refused_total', 'counter', 'Connections closed at once: too many were open.', [
    [{}, sum(all, (meters) => meters.gauge('refusedConnections'))],
  ]);
  text.family('strikebook_faults_total', 'counter', 'Exceptions of ours while requests were answered.', [
    [{}, sum(all, (meters) => meters.gauge('faults'))],
  ]);
}

function work(text: Text, all: readonly Meters[]): void {
  const count = (kind: number, code: number): number => sum(all, (meters) => meters.commandCount(kind, code));
  const every = Array.from({ length: CODES }, (_, code) => code);
  const kinds = [...KIND_NAMES.keys()];
  text.family('strikebook_orders_total', 'counter', 'Orders accepted, those of replaces included.', [
    [{}, ORDERS.reduce((total, kind) => total + count(kind, codes.OK), 0)],
  ]);
  text.family('strikebook_commands_total', 'counter', 'Commands of clients that main took, refused ones included.', kinds.map((kind) => (
    [{ kind: KIND_NAMES.get(kind)! }, every.reduce((total, code) => total + count(kind, code), 0)]
  )));
  text.family('strikebook_rejects_total', 'counter', 'Commands of clients that were refused, by reason.', kinds.flatMap((kind) => (
    every.slice(1).flatMap((code): Sample[] => {
      const refused = count(kind, code);
      return refused === 0 ? [] : [[{ kind: KIND_NAMES.get(kind)!, reason: CODE_NAMES.get(code) ?? String(code) }, refused]];
    })
  )));
}

function stages(text: Text, all: readonly Meters[]): void {
  const help = 'Stages of a write: signature check, ring, core, disk, answer.';
  text.histogram('strikebook_stage_seconds', help, STAGES.map((stage) => [{ stage }, all, stage]));
}

function venue(text: Text, { status, degraded, components, underlyings, statuses }: VenueStatus, diskFree: number): void {
  const flag = (isSo: boolean): number => (isSo ? 1 : 0);
  text.family('strikebook_ready', 'gauge', '1 while /ready is 200.', [[{}, flag(status === 'ready')]]);
  text.family('strikebook_degraded', 'gauge', '1 while /ready says degraded.', [[{}, flag(degraded)]]);
  text.family('strikebook_component_state', 'gauge', 'Components of /ready: 0 ready, 1 degraded, 2 not ready.', (
    components.map(({ name, state }): Sample => [{ component: name }, ['ready', 'degraded', 'not_ready'].indexOf(state)])
  ));
  const each = (name: string, help: string, of: (one: UnderlyingHealth) => number | null): void => text.family(name, 'gauge', help, (
    underlyings.flatMap((one): Sample[] => (of(one) === null ? [] : [[{ underlying: one.name }, of(one)!]]))
  ));
  each('strikebook_index_age_seconds', 'Age of the index price.', ({ ageMs }) => (ageMs === null ? null : ageMs / 1_000));
  each('strikebook_index_stale', '1 while the index price is stale, or there is none.', ({ isStale }) => flag(isStale));
  each('strikebook_listed_contracts', 'Contracts that are listed, the perp among them.', ({ contracts }) => contracts);
  each('strikebook_stale_surfaces', 'Expiries whose volatility nobody has said for 60 s.', ({ staleSurfaces }) => staleSurfaces);
  each('strikebook_waiting_expiries', 'Expiries that wait for the operator\'s settlement price.', ({ waiting }) => waiting);
  text.family('strikebook_index_source', 'gauge', '1 for what the index price is made of.', (
    underlyings.map(({ name, source }): Sample => [{ underlying: name, source }, 1])
  ));
  const fund = statuses.market === null ? [] : [[{}, Number(statuses.market.fund)] as const];
  text.family('strikebook_insurance_fund_usdc', 'gauge', 'Cash of the insurance fund.', fund);
  text.family('strikebook_disk_free_bytes', 'gauge', 'Free on the disk of the data folder.', [[{}, diskFree]]);
}

/** Watermarks are the low 32 bits of sequence numbers. */
function lags(text: Text, seq: number, marks: ReadonlyMap<CounterName, number>): void {
  const behind = (mark: number): number => Math.max(0, (seq - mark) | 0);
  text.family('strikebook_seq', 'gauge', 'The last seq given.', [[{}, seq]]);
  const rows: readonly (readonly [string, CounterName, string])[] = [
    ['strikebook_durable_lag_commands', 'durable', 'Commands that are sequenced and that nobody is told of yet.'],
    ['strikebook_reader_lag_commands', 'applied', 'Commands that are sequenced and not in what reads show.'],
    ['strikebook_history_lag_commands', 'historyApplied', 'Commands that are sequenced and not taken by the history.'],
  ];
  for (const [name, mark, help] of rows) text.family(name, 'gauge', help, [[{}, behind(marks.get(mark)!)]]);
  text.family('strikebook_intake_blocked', 'gauge', '1 while main waits for room in the log.', [[{}, marks.get('blocked')!]]);
  text.family('strikebook_disk_state', 'gauge', 'Free disk: 0 enough, 1 low (orders are refused), 2 the venue stops.', [
    [{}, marks.get('disk')!],
  ]);
}

function nodes(text: Text, cluster: ClusterStatus | null, marks: ReadonlyMap<CounterName, number>): void {
  text.family('strikebook_cluster_role', 'gauge', '0: this process is the venue itself. 1: a node that follows. 2: the one that leads.', [
    [{}, marks.get('role')!],
  ]);
  text.family('strikebook_cluster_epoch', 'gauge', 'Of the newest leader, 0 without a log.', [[{}, marks.get('epoch')!]]);
  text.family('strikebook_cluster_position', 'gauge', 'Of the newest message accepted, modulo 2^32.', [[{}, marks.get('position')!]]);
  const log = marks.get('quorum')!;
  text.family('strikebook_cluster_without_quorum', 'gauge', '1 while the log accepts nothing.', [[{}, log === LOG_STATES.none ? 1 : 0]]);
  text.family('strikebook_cluster_log_full', 'gauge', '1 while the log has no room.', [[{}, log === LOG_STATES.full ? 1 : 0]]);
  const heard = cluster?.peers.filter(({ isPresent }) => isPresent) ?? [];
  text.family('strikebook_cluster_nodes', 'gauge', 'Nodes that this one hears of, itself included; 0 without a log.', [
    [{}, cluster === null ? 0 : heard.length + 1],
  ]);
  text.family('strikebook_cluster_clock_skew_seconds', 'gauge', 'Clock of another node less this one\'s.', (
    heard.map(({ node, skewMs }): Sample => [{ node }, skewMs / 1_000])
  ));
}

function rings(text: Text, { rings: list }: Measures): void {
  const used = list.map(({ name, ring, consumer }): Sample => [{ ring: name }, ringDepth(ring, consumer)]);
  text.family('strikebook_ring_used_bytes', 'gauge', 'Bytes in a ring that its consumer has not taken.', used);
  const sizes = list.map(({ name, ring }): Sample => [{ ring: name }, ring.bytes]);
  text.family('strikebook_ring_size_bytes', 'gauge', 'Bytes that a ring holds at most.', sizes);
}

function tables(text: Text, main: Meters): void {
  text.family('strikebook_table_used_rows', 'gauge', 'Rows in use of the bounded tables of the state.', (
    TABLES.map(({ name }, at): Sample => [{ table: name }, main.table(at).used])
  ));
  text.family('strikebook_table_size_rows', 'gauge', 'Rows that a table of the state has at most.', (
    TABLES.map(({ name }, at): Sample => [{ table: name }, main.table(at).capacity])
  ));
}

type Named = { readonly name: string; readonly meters: Meters };

function runtime(text: Text, threads: readonly Named[], residentBytes: number): void {
  const each = (gauge: Gauge): Sample[] => threads.map(({ name, meters }) => [{ thread: name }, meters.gauge(gauge)]);
  text.histogram('strikebook_gc_pause_seconds', 'Pauses of the garbage collector.', threads.flatMap(({ name, meters }) => (
    GC_KINDS.map((kind) => [{ thread: name, kind }, [meters], kind] as const)
  )));
  const delays = (['loopMean', 'loopP99', 'loopMax'] as const).flatMap((gauge) => threads.map(({ name, meters }): Sample => (
    [{ thread: name, statistic: gauge.slice(4).toLowerCase() }, meters.gauge(gauge)]
  )));
  text.family('strikebook_event_loop_delay_seconds', 'gauge', 'How late the event loop was in the last second.', delays);
  text.family('strikebook_heap_used_bytes', 'gauge', 'Heap in use by thread.', each('heapUsed'));
  text.family('strikebook_heap_total_bytes', 'gauge', 'Heap taken from the system by thread.', each('heapTotal'));
  text.family('process_resident_memory_bytes', 'gauge', 'Memory of the process.', [[{}, residentBytes]]);
}

type Part = readonly [labels: Labels, meters: readonly Meters[], histogram: Histogram];

class Text {
  #lines: string[] = [];

  family(name: string, type: Type, help: string, samples: readonly Sample[]): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const [labels, value, suffix = ''] of samples) this.#lines.push(`${name}${suffix}${labelText(labels)} ${value}`);
  }

  /** Buckets are cumulative. */
  histogram(name: string, help: string, parts: readonly Part[]): void {
    this.family(name, 'histogram', help, parts.flatMap(([labels, meters, histogram]) => {
      const read = meters.map((one) => one.histogram(histogram));
      let total = 0;
      const buckets = [...BUCKETS, Infinity].map((bound, at): Sample => {
        total += read.reduce((count, { counts }) => count + counts[at]!, 0);
        return [{ ...labels, le: bound === Infinity ? '+Inf' : String(bound) }, total, '_bucket'];
      });
      return [...buckets, [labels, read.reduce((seconds, one) => seconds + one.sum, 0), '_sum'], [labels, total, '_count']];
    }));
  }

  end(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function sum(all: readonly Meters[], of: (meters: Meters) => number): number {
  return all.reduce((total, meters) => total + of(meters), 0);
}

function namesOf(module: object, isOne: (name: string, value: number) => boolean): ReadonlyMap<number, string> {
  const numbers = Object.entries(module).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return new Map(numbers.filter(([name, value]) => isOne(name, value)).map(([name, value]) => [value, name.toLowerCase()]));
}
