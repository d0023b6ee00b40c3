// WebSocket connections: upgrade, messages, heartbeat, limits. Pings every 20 s; without a pong for 60 s it closes with 1008 `pong
// timeout` (wire.md 4.1). The web server's own pings are off, because they end a silent socket without a close frame.

import type {
  HttpRequest as NativeRequest, HttpResponse as NativeResponse, us_socket_context_t, WebSocket, WebSocketBehavior,
} from 'uWebSockets.js';
import { BOUNDS } from '../limits.ts';
import { INTERNAL, refuse, type Refused } from '../errors.ts';
import type { Source } from '../source.ts';
import { guard } from './guard.ts';
import type { ActiveItem } from './active-list.ts';
import type { EdgeState } from './edge-state.ts';
import type { EdgeContext } from './http-exchange.ts';
import { framingOf } from './framing.ts';
import { handshakeRefusal } from './handshake.ts';
import { mayOpenSocket, sourceOf } from './peer.ts';
import { sourceLimitRefusal } from './quotas.ts';
import { refuseUpgrade, takeRequest } from './take-request.ts';
import { DelayLine } from './latency.ts';
import type { Consumer } from './unread-output.ts';

/** `queued`: the client reads slowly. `dropped`: beyond the limit, the socket closes. */
type SendStatus = 'sent' | 'queued' | 'dropped' | 'closed';

export type Socket = {
  readonly id: number;
  readonly query: string;
  readonly source: Source;
  send(message: string | Uint8Array, isBinary?: boolean): SendStatus;
  cork(work: () => void): void;
  bufferedBytes(): number;
  /** False if there are too many. */
  countMessage(): boolean;
  /** `reason`: at most 123 bytes. */
  close(code: number, reason: string): void;
};

/** If it throws or rejects, the client gets an Error message and stays connected. */
export type SocketListener = {
  /** `bytes` are valid until the call returns. */
  message(bytes: Uint8Array, isBinary: boolean): unknown;
  drain?(): unknown;
  close(code: number): unknown;
};

export type SocketEndpoint = {
  readonly path: string;
  /** Null accepts the client. */
  admit(query: string, source: Source): Refused | null;
  open(socket: Socket): SocketListener;
  errorFrame(socket: Socket, refused: Refused): string | Uint8Array;
};

type UserData = { connection: SocketConnection };
type Upgrade = { readonly edge: EdgeContext; readonly endpoint: SocketEndpoint };

const SEND_STATUS: readonly SendStatus[] = ['queued', 'sent', 'dropped'];
const IDLE_SECONDS = 120;
const FOREIGN_PAGE = refuse('forbidden', 'Pages of this origin may not open a socket: see --cors');
const RATE_EXCEEDED = 'message rate exceeded';

export function socketBehavior(upgrade: Upgrade): WebSocketBehavior<UserData> {
  const { edge, endpoint } = upgrade;
  const { state } = edge;
  let lastId = 0;
  return {
    maxPayloadLength: state.bounds.messageBytes,
    maxBackpressure: state.bounds.socketBufferBytes,
    closeOnBackpressureLimit: true,
    sendPingsAutomatically: false,
    idleTimeout: IDLE_SECONDS,
    upgrade: takeUpgrade,
    open: (ws) => ws.getUserData().connection.open(ws, ++lastId),
    message: (ws, message, isBinary) => ws.getUserData().connection.receive(new Uint8Array(message), isBinary),
    drain: (ws) => ws.getUserData().connection.drain(),
    ping: (ws, message) => ws.getUserData().connection.ping(message.byteLength),
    pong: (ws, message) => ws.getUserData().connection.pong(message.byteLength),
    close: (ws, code) => ws.getUserData().connection.closed(code),
  };

  function limitRefusal(source: Source): Refused | null {
    const { network, loopback } = source;
    const { sockets, readBytes } = state.quotas;
    if (state.floodDetector?.isBarred(source) === true) {
      return sourceLimitRefusal('bytes of messages without an end', readBytes.mostOf(loopback));
    }
    return sockets.left(network, loopback) > 0 ? null : sourceLimitRefusal('sockets', sockets.mostOf(loopback));
  }

  function takeUpgrade(res: NativeResponse, req: NativeRequest, context: us_socket_context_t): void {
    guard(() => {
      const isForeign = edge.trust.hosts.refusalOf(req.getHeader('host')) !== null;
      if (isForeign || framingOf(req).refusal !== null || handshakeRefusal(req) !== null) return takeRequest(edge, res, req);
      if (!mayOpenSocket(req, edge.cors, edge.trust)) return refuseUpgrade(edge, res, req, FOREIGN_PAGE);
      const query = req.getQuery() ?? '';
      const source = sourceOf(res, req, edge.trust);
      const isFull = state.counts.sockets >= state.bounds.sockets;
      const full = isFull ? refuse('engine_busy', 'Too many connections') : limitRefusal(source);
      const refusal = full ?? endpoint.admit(query, source);
      if (refusal !== null) return refuseUpgrade(edge, res, req, refusal);
      const connection = new SocketConnection(state, endpoint, query, source);
      res.upgrade({ connection }, req.getHeader('sec-websocket-key'), '', '', context);
    }, (error) => {
      const failed = (second: unknown) => state.fault('upgrade', second);
      failed(error);
      guard(() => refuseUpgrade(edge, res, req, INTERNAL), failed);
    });
  }
}

class SocketConnection implements Socket, ActiveItem, Consumer {
  id = 0;
  place = -1;
  readonly query: string;
  readonly source: Source;
  readonly #state: EdgeState;
  readonly #endpoint: SocketEndpoint;
  #ws: WebSocket<UserData> | null = null;
  #listener: SocketListener | null = null;
  #messages = 0;
  #received = 0;
  #bytes = 0;
  #openTick = 0;
  #pongTick = 0;
  #ending: { readonly code: number; readonly reason: string; readonly endTick: number } | null = null;
  readonly #delayed: DelayLine | null;

  constructor(state: EdgeState, endpoint: SocketEndpoint, query: string, source: Source) {
    this.#state = state;
    this.#endpoint = endpoint;
    this.query = query;
    this.source = source;
    this.#delayed = state.latency === null ? null : new DelayLine(state.latency);
  }

  open(ws: WebSocket<UserData>, id: number): void {
    this.#ws = ws;
    this.id = id;
    this.#openTick = this.#pongTick = this.#state.tick;
    this.#state.counts.sockets++;
    this.#state.quotas.sockets.add(this.source.network);
    this.#state.active.add(this);
    guard(() => {
      const listener = this.#endpoint.open(this);
      if (this.#ws === null || this.#ending !== null) return listener.close(1000); // it closed its own connection at once
      this.#listener = listener;
    }, (error) => {
      this.#state.fault('socket open', error);
      this.close(1011, 'internal error');
    });
  }

  receive(bytes: Uint8Array, isBinary: boolean): void {
    if (!this.#takeFrame(bytes.length)) return;
    guard(() => this.#listener?.message(bytes, isBinary), (error) => this.#fail('socket message', error));
  }

  drain(): void {
    if (this.#ending === null) return guard(() => this.#listener?.drain?.(), (error) => this.#fail('socket drain', error));
    if (this.bufferedBytes() === 0) this.#ws?.end(this.#ending.code, this.#ending.reason);
  }

  ping(bytes: number): void {
    // The pong would wait behind data that the client does not read.
    if (this.#ending !== null) return this.cut();
    if (!this.#takeFrame(bytes) || !this.countMessage()) return;
    if (this.bufferedBytes() > BOUNDS.streamBacklog) this.close(1008, 'too many pongs are unread');
  }

  pong(bytes: number): void {
    this.#pongTick = this.#state.tick;
    if (this.#takeFrame(bytes)) this.countMessage();
  }

  #takeFrame(bytes: number): boolean {
    const { bounds, quotas: { readBytes } } = this.#state;
    const { network, loopback } = this.source;
    this.#bytes += bytes;
    if (++this.#received > bounds.ordersPerTick) return this.#refuse(RATE_EXCEEDED);
    if (this.#bytes > bounds.socketBytes) return this.#refuse(`more than ${bounds.socketBytes} bytes in a second`);
    const beyond = readBytes.take(network, loopback, Math.max(bytes, bounds.frameBytes));
    if (beyond === null) return true;
    if (beyond === 'all') return this.#refuse('more messages than are read in a second');
    return this.#refuse(`more than ${readBytes.mostOf(loopback)} bytes of one source in a second`);
  }

  #refuse(reason: string): false {
    this.close(1008, reason);
    return false;
  }

  closed(code: number): void {
    this.#ws = null;
    this.#delayed?.clear();
    this.#state.counts.sockets--;
    this.#state.quotas.sockets.give(this.source.network);
    this.#state.connections--;
    this.#state.active.remove(this);
    this.#state.unreadMessages.set(this, 0);
    this.#leave(code);
  }

  #leave(code: number): void {
    const listener = this.#listener;
    this.#listener = null;
    guard(() => listener?.close(code), (error) => this.#state.fault('socket close', error));
  }

  onTick(tick: number): void {
    const { bounds: { pingTicks, pongTicks }, floodDetector } = this.#state;
    if (floodDetector?.isBarred(this.source) === true) return this.cut();
    this.#messages = this.#received = this.#bytes = 0;
    this.#state.unreadMessages.set(this, this.bufferedBytes());
    if (this.#ending !== null) {
      if (tick >= this.#ending.endTick) this.cut();
    } else if (tick - this.#pongTick > pongTicks) this.close(1008, 'pong timeout');
    else if ((tick - this.#openTick) % pingTicks === 0) this.#ws?.ping();
  }

  onClose(): void {
    this.close(1001, 'going away');
  }

  send(message: string | Uint8Array, isBinary = typeof message !== 'string'): SendStatus {
    if (this.#ws === null || this.#ending !== null) return 'closed';
    if (this.#delayed !== null) return this.#sendLater(this.#delayed, message, isBinary);
    return SEND_STATUS[this.#ws.send(message, isBinary)]!;
  }

  #sendLater(delayed: DelayLine, message: string | Uint8Array, isBinary: boolean): SendStatus {
    const kept = typeof message === 'string' ? message : message.slice();
    delayed.add(kept.length, () => guard(() => {
      this.#ws?.send(kept, isBinary);
      if (delayed.isEmpty) this.drain();
    }, (error) => this.#fail('socket send', error)));
    return delayed.bytes === kept.length ? 'sent' : 'queued';
  }

  cork(work: () => void): void {
    this.#ws?.cork(() => guard(work, (error) => this.#fail('socket send', error)));
  }

  bufferedBytes(): number {
    return (this.#ws?.getBufferedAmount() ?? 0) + (this.#delayed?.bytes ?? 0);
  }

  countMessage(): boolean {
    return ++this.#messages <= this.#state.bounds.messagesPerTick || this.#refuse(RATE_EXCEEDED);
  }

  close(code: number, reason: string): void {
    if (this.#ws === null || this.#ending !== null) return;
    if (this.bufferedBytes() === 0) return this.#ws.end(code, reason);
    // The web server would report the end at once but keep the unread bytes for about 12 s, uncounted.
    this.#ending = { code, reason, endTick: this.#state.tick + this.#state.bounds.endTicks };
    this.#leave(code);
  }

  cut(): void {
    this.#ws?.close();
  }

  #fail(place: string, error: unknown): void {
    this.#state.fault(place, error);
    guard(() => this.send(this.#endpoint.errorFrame(this, INTERNAL)), (second) => this.#state.fault(place, second));
  }
}
