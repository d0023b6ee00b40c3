// The web server: one port with one route for all HTTP, and WebSocket endpoints by path. Several api threads may open the same port.
// Never leave a thread while its server is open, or the process aborts: call `close()`, then `parentPort.close()`.

import { randomBytes } from 'node:crypto';
import { App, us_listen_socket_close, us_socket_local_port, type us_listen_socket } from 'uWebSockets.js';
import { commonHeaders, keepAliveHeaders, type HeaderList } from '../headers.ts';
import { type Bounds, BOUNDS, KEEP_ALIVE_SECONDS } from '../limits.ts';
import { advance, type AnswerReport, type EdgeState, type EdgeCounts } from './edge-state.ts';
import type { RouteRequest } from './http-exchange.ts';
import { Compressor } from './compression.ts';
import { FloodDetector, receiveQueuesOf } from './flood-detector.ts';
import type { Latency } from './latency.ts';
import { ActiveList } from './active-list.ts';
import { ConnectionLimiter } from './connection-limiter.ts';
import { Hosts } from './hosts.ts';
import { loopbackOrigins, peerOf, type Trust } from './peer.ts';
import { createQuotas } from './quotas.ts';
import { takeRequest } from './take-request.ts';
import { OutputBudget } from './output-budget.ts';
import { UnreadOutput } from './unread-output.ts';
import { socketBehavior, type SocketEndpoint } from './sockets.ts';

export type EdgeOptions = {
  readonly host: string;
  readonly port: number;
  readonly route: RouteRequest;
  readonly sockets: SocketEndpoint;
  readonly furtherSockets?: readonly SocketEndpoint[];
  readonly trustProxy: boolean;
  readonly origins?: readonly string[];
  /** Names that `Host` may have beside addresses, `localhost` and `origins`; every name by default. */
  readonly allowedHosts?: readonly string[] | null;
  readonly cors: string | null;
  readonly latency?: Latency | null;
  onFault(place: string, error: unknown, requestId?: string): void;
  onAnswer?(answer: AnswerReport): void;
  epoch?(): number;
  readonly bounds?: Partial<Bounds>;
};

export type Edge = {
  readonly port: number;
  readonly counts: Readonly<EdgeCounts>;
  connections(): number;
  unreadBytes(): number;
  refused(): number;
  close(): void;
};

export function openEdge(options: EdgeOptions): Edge {
  const { route, trustProxy, cors, sockets, furtherSockets = [] } = options;
  const endpoints = [sockets, ...furtherSockets];
  const state = createState(options);
  const app = App();
  const connectionLimiter = trustProxy ? null : new ConnectionLimiter(state);
  const origins = new Set(options.origins);
  const hosts = new Hosts(options.origins ?? [], options.allowedHosts ?? null);
  const trust: Trust = { proxy: trustProxy, origins, hosts };
  let refused = 0;
  // `count` is 1 at the open and -1 at the close; a socket's close is counted with it.
  app.filter((res, count) => {
    state.connections += count;
    if (count < 0) return;
    if (state.connections <= state.bounds.connections && (connectionLimiter === null || connectionLimiter.take(peerOf(res)))) return;
    refused++;
    res.close();
  });
  const context = { state, route, trust, cors, connectionLimiter, socketPaths: endpoints.map(({ path }) => path) };
  app.any('/*', (res, req) => takeRequest(context, res, req));
  for (const endpoint of endpoints) app.ws(endpoint.path, socketBehavior({ edge: context, endpoint }));

  let listening: us_listen_socket | false = false;
  app.listen(options.host, options.port, (socket) => { listening = socket; });
  if (!listening) {
    app.close();
    throw new Error(`cannot listen on ${options.host}:${options.port}`);
  }
  const listener: us_listen_socket = listening;
  const port = us_socket_local_port(listener);
  for (const origin of loopbackOrigins(port)) origins.add(origin);
  const { bounds, quotas } = state;
  if (!trustProxy) state.floodDetector = new FloodDetector(bounds, quotas.readBytes, () => receiveQueuesOf(port));
  const timer = setInterval(() => advance(state), bounds.tickMs);
  let isOpen = true;
  return {
    port,
    counts: state.counts,
    connections: () => state.connections,
    unreadBytes: () => state.unreadAnswers.bytes,
    refused: () => refused,
    close() {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(timer);
      us_listen_socket_close(listener);
      state.compressor.close();
      state.active.forEach((item) => item.onClose());
      app.close();
    },
  };
}

function createState(options: EdgeOptions): EdgeState {
  const bounds = { ...BOUNDS, ...options.bounds };
  const linesOf = (headers: HeaderList): string => headers.map(([name, value]) => `\r\n${name}: ${value}`).join('');
  const headers = linesOf(commonHeaders(options.cors));
  const state: EdgeState = {
    bounds,
    counts: { requests: 0, sockets: 0, bodyBytes: 0 },
    quotas: createQuotas(bounds, () => state.tick),
    floodDetector: null,
    unreadAnswers: new UnreadOutput(bounds.unreadBytes),
    unreadMessages: new UnreadOutput(bounds.backlogBytes),
    outputBudget: new OutputBudget(bounds),
    compressor: new Compressor(),
    latency: options.latency ?? null,
    connections: 0,
    active: new ActiveList(),
    tick: 0,
    headers,
    keepAliveHeaders: headers + linesOf(keepAliveHeaders(KEEP_ALIVE_SECONDS)),
    idPrefix: `${randomBytes(4).toString('hex')}-`,
    lastId: 0,
    answered: options.onAnswer ?? (() => undefined), epoch: options.epoch ?? (() => 0),
    fault(place, error, requestId) {
      try {
        options.onFault(place, error, requestId);
      } catch {
        // The client must still get its answer.
      }
    },
  };
  return state;
}
