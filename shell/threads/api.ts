// An api thread: the web server's port, the routes and the socket, between the clients and the rings. The port opens
// first; until the venue is ready only health answers. On `stop` nothing more is taken, what is in flight is waited for,
// and the edge is closed before the thread ends (a thread that ends with an open edge aborts the whole process).

import { parentPort, workerData } from 'node:worker_threads';
import { loadBackend } from '../auth/backends/load.ts';
import { FAULT_LINES, STOP_WITHIN, SWEEP_EVERY } from '../api/bounds.ts';
import type { ControlDone } from '../api/control.ts';
import { createService } from '../api/service.ts';
import { followClock, now, steady, type SimulatedClock } from '../clock.ts';
import { openEdge } from '../edge/edge.ts';
import { guardThread } from '../fatal.ts';
import { runConsumer } from '../transport/consumer.ts';
import { SharedCounters } from '../transport/counters.ts';
import { Doorbell } from '../transport/doorbell.ts';
import { standStill } from '../transport/stall.ts';
import type { ApiWiring, Counters, Stall, ThreadSettings } from './wiring.ts';

type Start = { readonly wiring: ApiWiring; readonly counters: Counters; readonly settings: ThreadSettings };
type ToApi = { readonly type: 'stop' } | { readonly type: 'clock'; readonly clock: SimulatedClock } | Stall | ControlDone;

const STOP_POLL_MS = 10;

const port = parentPort!;
const { wiring, counters, settings } = workerData as Start;
const { config } = settings;
const name = `api ${wiring.index}`;
guardThread(name);

let faults = 0;
function fault(place: string, error: unknown): void {
  if (++faults > FAULT_LINES) return;
  const text = error instanceof Error ? error.stack ?? error.message : String(error);
  process.stderr.write(`strikebook: fault in ${name}, ${place}: ${text.replaceAll('\n', ' | ')}\n`);
}

const service = createService({
  wiring, counters: new SharedCounters(counters), settings, now, steady, fault, post: (message) => port.postMessage(message),
  backend: loadBackend(config.signatureBackend === 'auto' ? undefined : config.signatureBackend),
});
const edge = openEdge({
  host: config.host, port: config.port, route: service.route, sockets: service.endpoint, trustProxy: config.trustProxy, cors: '*',
  onFault: fault,
});
const consumer = runConsumer({ doorbell: new Doorbell(wiring.doorbell), drain: service.drain });
const sweeping = setInterval(service.sweep, SWEEP_EVERY);
port.on('message', (message: ToApi) => {
  if (message.type === 'stop') stop();
  else if (message.type === 'stall') standStill(message.ms);
  else if (message.type === 'clock') follow(message.clock);
  else service.onControlDone(message);
});
port.postMessage({ type: 'listening' });

function follow(clock: SimulatedClock): void {
  followClock(clock);
  port.postMessage({ type: 'clock-followed' });
}

let isStopping = false;
function stop(): void {
  if (isStopping) return;
  isStopping = true;
  service.closeIntake();
  const until = steady() + STOP_WITHIN;
  const polling = setInterval(() => {
    if (service.waiting() > 0 && steady() < until) return;
    clearInterval(polling);
    clearInterval(sweeping);
    edge.close();
    consumer.stop();
    service.close();
    port.postMessage({ type: 'stopped' });
    port.close();
  }, STOP_POLL_MS);
}
