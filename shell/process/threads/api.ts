// An api thread: web server, routes and socket. Until the venue is ready only health answers. On `stop` it finishes
// requests in flight and closes the edge before it ends: an open edge would abort the process.

import { parentPort, workerData } from 'node:worker_threads';
import { loadBackend } from '../../api/auth/recover-signer.ts';
import { BOUNDS, SWEEP_EVERY } from '../../http/limits.ts';
import type { ControlDone } from '../../api/control.ts';
import { createService } from './service.ts';
import { followClock, now, steady, type VenueClock } from '../clock.ts';
import { hostNames } from '../config.ts';
import type { AnswerReport } from '../../http/server/edge-state.ts';
import { openEdge } from '../../http/server/edge.ts';
import { Latency } from '../../http/server/latency.ts';
import { createRandom } from '../../feeds/random.ts';
import { guardThread } from '../fatal.ts';
import { Faults } from '../observability/faults.ts';
import { log, logAs } from '../observability/log.ts';
import { Meters, type Gauge } from '../observability/meters.ts';
import { startSampling } from '../observability/sampler.ts';
import { connectionsOf, openFilesLimit } from '../open-files.ts';
import { runConsumer } from '../../ipc/consumer-loop.ts';
import { SharedCounters, startHeartbeat } from '../../ipc/counters.ts';
import { Doorbell } from '../../ipc/doorbell.ts';
import { blockThread } from '../../ipc/block-thread.ts';
import { apiName, type ApiWiring, type Counters, type Measures, type Stall, type ThreadSettings } from '../wiring.ts';

type Start = { readonly wiring: ApiWiring; readonly counters: Counters; readonly measures: Measures; readonly settings: ThreadSettings };
type ToApi =
  | { readonly type: 'stop' }
  | { readonly type: 'clock'; readonly clock: VenueClock }
  | { readonly type: 'underlyings'; readonly names: readonly string[] }
  | Stall | ControlDone;

const STOP_POLL_MS = 10;
const FAILED: readonly number[] = [500, 502];

const port = parentPort!;
const { wiring, counters, measures, settings } = workerData as Start;
const { config } = settings;
const name = apiName(wiring.index);
guardThread(name);

logAs(config.log, name);
const meters = new Meters(measures.meters, name);
const faults = new Faults(name);
const stopSampling = startSampling(meters, () => {
  const { requests, sockets, bodyBytes } = edge.counts;
  const shown = { connections: edge.connections(), refusedConnections: edge.refused(), requests, sockets, bodyBytes };
  for (const [gauge, value] of Object.entries(shown)) meters.set(gauge as Gauge, value);
  meters.set('faults', faults.count);
  faults.beginSecond();
});

function answered({ id, method, path, route, status, seconds }: AnswerReport): void {
  meters.countRequest(route, status);
  meters.observe('request', seconds);
  if (!FAILED.includes(status) || !faults.mayLog()) return;
  log('warn', 'answer', `${status} to ${method} ${path}`, { request_id: id, method, path, status, seconds });
}

const service = createService({
  wiring, counters: new SharedCounters(counters), measures, settings, now, steady, fault: faults.report,
  post: (message) => port.postMessage(message),
  backend: loadBackend(config.signatureBackend === 'auto' ? undefined : config.signatureBackend),
});
const epoch = new SharedCounters(counters).counter('epoch');
const edge = openEdge({
  host: config.host, port: config.port, route: service.route, sockets: service.endpoint,
  furtherSockets: service.furtherEndpoints, trustProxy: config.trustProxy,
  origins: config.origins, allowedHosts: hostNames(config), cors: config.cors, onFault: faults.report, onAnswer: answered,
  epoch: () => epoch.load(),
  latency: config.latency === null ? null : new Latency(config.latency, createRandom((config.seed + wiring.index) >>> 0)),
  bounds: { connections: connectionsOf(openFilesLimit(), config.workers) },
});
const consumer = runConsumer({
  doorbell: new Doorbell(wiring.doorbell), drain: service.drain, recordsPerTurn: BOUNDS.turnRecords, isBusy: service.isBusy,
});
const stopBeat = startHeartbeat(new SharedCounters(wiring.beat).counter('beat'));
const sweeping = setInterval(service.sweep, SWEEP_EVERY);
port.on('message', (message: ToApi) => {
  if (message.type === 'stop') stop();
  else if (message.type === 'stall') blockThread(message.ms);
  else if (message.type === 'clock') follow(message.clock);
  else if (message.type === 'underlyings') know(message.names);
  else service.onControlDone(message);
});
port.postMessage({ type: 'listening' });

function follow(clock: VenueClock): void {
  followClock(clock);
  port.postMessage({ type: 'clock-followed' });
}

function know(underlyings: readonly string[]): void {
  service.setUnderlyings(underlyings);
  port.postMessage({ type: 'underlyings-known' });
}

let isStopping = false;
function stop(): void {
  if (isStopping) return;
  isStopping = true;
  service.closeIntake();
  const until = steady() + BOUNDS.stopMs;
  const polling = setInterval(() => {
    if (service.waiting() > 0 && steady() < until) return;
    clearInterval(polling);
    clearInterval(sweeping);
    stopBeat();
    stopSampling();
    edge.close();
    consumer.stop();
    service.close();
    port.postMessage({ type: 'stopped' });
    port.close();
  }, STOP_POLL_MS);
}
