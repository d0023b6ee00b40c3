// The web server: the only place that knows uWebSockets.js. It opens one port with one guarded route for all HTTP and one
// guarded socket endpoint, in a worker or on the main thread, and closes so that the thread can end.
// Never leave a thread with an edge open: a process.exit or an uncaught exception in it then aborts the whole process.
// So: `close()`, then `parentPort.close()`. Several workers may open one port; the system shares out the connections.

import { randomBytes } from 'node:crypto';
import { App, us_listen_socket_close, us_socket_local_port, type us_listen_socket } from 'uWebSockets.js';
import { commonHeaders, lastingHeaders, type HeaderList } from '../headers.ts';
import { type Bounds, BOUNDS, TOLD_IDLE_SECONDS } from '../limits.ts';
import { advance, type AnswerFacts, type EdgeState, type EdgeCounts } from './state.ts';
import type { RouteRequest } from './exchange.ts';
import { Compressor } from './compression.ts';
import { Floods, unreadOf } from './floods.ts';
import { Living } from './living.ts';
import { Openings } from './openings.ts';
import { loopbackOrigins, peerOf, type Trust } from './peer.ts';
import { createQuotas } from './quotas.ts';
import { takeRequest } from './requests.ts';
import { Turns } from './turns.ts';
import { Unread } from './unread.ts';
import { socketBehavior, type SocketEndpoint } from './sockets.ts';

export type EdgeOptions = {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Answers every HTTP request, now or later. What it throws or rejects with is a 500 and a call of `onFault`. */
  readonly route: RouteRequest;
  readonly sockets: SocketEndpoint;
  /** Believe the last entry of X-Forwarded-For. */
  readonly trustProxy: boolean;
  /** Origins of pages that are the venue's own beside those of its loopback address. */
  readonly origins?: readonly string[];
  /** '*', one origin, or null for no CORS headers. */
  readonly cors: string | null;
  /** An exception of ours, or a request that nobody answered: for the log and a counter. */
  onFault(place: string, error: unknown, requestId?: string): void;
  /** Every answer, once: for metrics and the log. */
  onAnswer?(answer: AnswerFacts): void;
  readonly bounds?: Partial<Bounds>;
};

export type Edge = {
  readonly port: number;
  /** What is held right now. */
  readonly counts: Readonly<EdgeCounts>;
  /** Open connections, idle ones and sockets included. */
  connections(): number;
  /** Bytes of answers that wait for their clients to read. */
  unreadBytes(): number;
  /** Connections closed at once since there were too many, or their source had opened too many of them. */
  refused(): number;
  /** Stops listening, says 1001 to the sockets, cuts what is still open. Harmless when called again. */
  close(): void;
};

/** Throws when the port cannot be had. */
export function openEdge(options: EdgeOptions): Edge {
  const { route, trustProxy, cors, sockets: endpoint } = options;
  const state = createState(options);
  const app = App();
  const openings = trustProxy ? null : new Openings(state);
  const origins = new Set(options.origins);
  const trust: Trust = { proxy: trustProxy, origins };
  let refused = 0;
  // 1 for a connection that opens; -1 when it closes, unless it has become a socket: that one's end is counted with it.
  app.filter((res, count) => {
    state.connections += count;
    if (count < 0) return;
    if (state.connections <= state.bounds.connections && (openings === null || openings.take(peerOf(res)))) return;
    refused++;
    res.close();
  });
  const entry = { state, route, trust, cors, openings, socketPath: endpoint.path };
  app.any('/*', (res, req) => takeRequest(entry, res, req));
  app.ws(endpoint.path, socketBehavior({ entry, endpoint }));

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
  if (!trustProxy) state.floods = new Floods(bounds, quotas.readBytes, () => unreadOf(port));
  const timer = setInterval(() => advance(state), bounds.tickMs);
  let isOpen = true;
  return {
    port,
    counts: state.counts,
    connections: () => state.connections,
    unreadBytes: () => state.unread.bytes,
    refused: () => refused,
    close() {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(timer);
      us_listen_socket_close(listener);
      state.compressor.close();
      state.live.tell((item) => item.onClose());
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
    floods: null,
    unread: new Unread(bounds.unreadBytes),
    backlog: new Unread(bounds.backlogBytes),
    turns: new Turns(bounds),
    compressor: new Compressor(),
    connections: 0,
    live: new Living(),
    tick: 0,
    headers,
    lastingHeaders: headers + linesOf(lastingHeaders(TOLD_IDLE_SECONDS)),
    idPrefix: `${randomBytes(4).toString('hex')}-`,
    lastId: 0,
    answered: options.onAnswer ?? (() => undefined),
    fault(place, error, requestId) {
      try {
        options.onFault(place, error, requestId);
      } catch {
        // The observer failed; the client's answer matters more.
      }
    },
  };
  return state;
}
