// One HTTP request and its one answer. The order of things is the web server's law: the abort handler first, then
// everything of the request is copied, since it is gone when the callback returns; the answer is written in one cork.
// The route runs when the whole body is here, so a truncated request never acts. Whatever goes wrong inside ends in an
// answer: never an aborted process, never a request without one.
// HTTP the parser itself refuses (no Host where there is any other header, a length that is no number or stands beside a transfer
// coding, HTTP/1.0, a head too large) is answered by the web server with 400, 505 or 431 in HTML and closes; what it lets through and
// could be read in two ways (two lengths, an empty one, a coding that is not chunked) is 400 here. A request line that reaches the
// parser in two pieces, cut in front of its path or within ` HTTP/1.1`, is such a 505 too (test/edge/splits.test.ts): nothing has acted,
// and the client sends it again. It knows no extensions of chunks and no trailers, and shows neither: it reads the first as digits, so
// that the body never ends, and takes the second for the next request. Pipelining works while each answer is given before its callback
// returns; a request that arrives behind one still being answered closes the connection (RFC 9112 9.3.2 lets the client try again).

import type { HttpRequest as NativeRequest, HttpResponse as NativeResponse } from 'uWebSockets.js';
import { steady } from '../clock.ts';
import { BUSY, INTERNAL, sendError, sendRefusal } from '../http/errors.ts';
import { preflightHeaders } from '../http/headers.ts';
import type { HttpRequest, Responder, ResponseHeaders, BudgetLeft, Stream } from '../http/message.ts';
import { LIMIT, rateHeaders } from '../http/rate-headers.ts';
import { statusLine } from '../http/status-line.ts';
import type { Source } from '../http/source.ts';
import { guard } from './guard.ts';
import type { Live } from './living.ts';
import type { EdgeState } from './state.ts';
import { isFramedOnce } from './framing.ts';
import type { Openings } from './openings.ts';
import { peerOf, sourceOf, type Trust } from './peer.ts';
import { beyondShare, type Share } from './shares.ts';

export type RouteRequest = (request: HttpRequest, responder: Responder) => unknown;

type Entry = {
  readonly state: EdgeState; readonly route: RouteRequest; readonly trust: Trust; readonly cors: string | null;
  /** Null behind a proxy, from which all connections come. */
  readonly openings: Openings | null;
};

/** Takes one request. Called inside the web server's callback; never throws. */
export function takeRequest(entry: Entry, res: NativeResponse, req: NativeRequest): void {
  const { bounds, counts } = entry.state;
  const exchange = new Exchange(entry, res, req);
  guard(() => {
    if (!isFramedOnce(req)) return exchange.refuseFraming(copyRequest(entry, exchange, res, req));
    if (exchange.method === 'OPTIONS') return exchange.send(204, '', preflightHeaders(entry.cors));
    if (counts.requests > bounds.requests) return exchange.refuseBusy();
    const length = req.getHeader('content-length');
    const hasLength = length !== '' || req.getHeader('transfer-encoding') !== '';
    const request = copyRequest(entry, exchange, res, req);
    if (Number(length) > bounds.bodyBytes) return exchange.refuseTooLarge(request, Number(length) > bounds.drainBytes);
    if (!exchange.charge(request.source)) return;
    if (hasLength && length !== '0') return exchange.receive(request);
    exchange.received();
    return entry.route(request, exchange);
  }, (error) => exchange.fail(error));
}

function copyRequest({ trust }: Entry, exchange: Exchange, res: NativeResponse, req: NativeRequest): HttpRequest {
  const { method, path } = exchange;
  // The query is '' or undefined when there is none.
  const query = req.getQuery() ?? '';
  const source = exchange.source = sourceOf(res, req, trust);
  return { method, path, query, headers: copyHeaders(req, method), body: null, source };
}

/** Each by its name: a loop over the names would make an object that is slow for as long as it lives. */
function copyHeaders(req: NativeRequest, method: string): HttpRequest['headers'] {
  const hasNoBody = isRead(method);
  return {
    accept: req.getHeader('accept'), authorization: req.getHeader('authorization'),
    'content-encoding': hasNoBody ? '' : req.getHeader('content-encoding'),
    'content-type': hasNoBody ? '' : req.getHeader('content-type'),
    host: hasNoBody ? req.getHeader('host') : '', origin: hasNoBody ? req.getHeader('origin') : '',
  };
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Status line and headers, JSON unless they say otherwise; `common` are those of every answer, `id` is the request's, '' for none. The
 * web server takes what is given as the status as it is, so all go in one call: a call for each cost more than the answer's body.
 */
export function headOf(status: number, headers: ResponseHeaders, common: string, id: string): string {
  let head = statusLine(status);
  if (headers['content-type'] === undefined && status !== 204) head += '\r\ncontent-type: application/json';
  for (const name in headers) head += `\r\n${name}: ${headers[name]!}`;
  if (headers['cache-control'] === undefined) head += '\r\ncache-control: no-store';
  head += common;
  return id === '' ? head : `${head}\r\nx-request-id: ${id}`;
}

/** A request after which its client wants no other on the connection (RFC 9112 9.6). */
const CLOSE = /\bclose\b/i;
/** A request's own id, if it is one that may stand in a header and in a log. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;

class Exchange implements Responder, Live {
  aborted = false;
  place = -1;
  route = 0;
  budget: BudgetLeft | null = null;
  /** Null until the request has been looked at. */
  source: Source | null = null;
  /** As in HttpRequest. */
  readonly method: string;
  readonly path: string;
  readonly #id: string;
  readonly #from = steady();
  readonly #state: EdgeState;
  readonly #route: RouteRequest;
  readonly #openings: Openings | null;
  readonly #res: NativeResponse;
  #share: Share | null = null;
  #isOver = false;
  #isReceived = false;
  #closes: boolean;
  #parts: Uint8Array[] = [];
  #heldBytes = 0;
  #receivedBytes = 0;
  #windowBytes = 0;
  #since: number;
  /** Of an answer in parts: what to do when there is room again, and when it is over. */
  #ready: (() => void) | null = null;
  #over: (() => void) | null = null;

  constructor({ state, route, openings }: Entry, res: NativeResponse, req: NativeRequest) {
    res.onAborted(() => {
      this.aborted = true;
      this.#end();
    });
    this.#state = state;
    this.#route = route;
    this.#openings = openings;
    this.#res = res;
    this.method = req.getCaseSensitiveMethod();
    this.path = req.getUrl();
    const id = req.getHeader('x-request-id');
    const connection = req.getHeader('connection');
    this.#closes = connection !== '' && CLOSE.test(connection);
    this.#id = id !== '' && REQUEST_ID.test(id) ? id : `${state.idPrefix}${(++state.lastId).toString(36)}`;
    this.#since = state.tick;
    state.counts.requests++;
    state.live.add(this);
  }

  send(status: number, body: string | Uint8Array, headers: ResponseHeaders = {}): void {
    this.#send(status, body, headers);
  }

  /** `body` null: an answer to HEAD whose body nobody has made. */
  #send(status: number, body: string | Uint8Array | null, headers: ResponseHeaders): void {
    if (this.#isOver) return;
    this.#end();
    try {
      this.#res.cork(() => this.#write(status, body, headers));
    } catch (error) {
      this.#fault(error);
      guard(() => this.#res.close(), (second) => this.#fault(second));
    }
    this.#report(status);
  }

  /** Parts are sent chunked. What waits in memory is one part: the next is asked for when the last has left. */
  begin(status: number, headers: ResponseHeaders, over: () => void): Stream {
    const res = this.#res;
    const isOver = (): boolean => this.#isOver;
    let isBegun = false;
    const guarded = (work: () => void): void => {
      if (!this.#isOver) guard(() => res.cork(work), (error) => this.fail(error));
    };
    if (this.method === 'HEAD') this.#send(status, null, headers);
    if (this.#isOver) over();
    else {
      this.#over = () => {
        this.#report(status);
        over();
      };
    }
    const head = (): void => {
      if (isBegun) return;
      isBegun = true;
      const { headers: closing, lastingHeaders } = this.#state;
      res.writeStatus(headOf(status, this.#shown(headers), this.#closes ? closing : lastingHeaders, this.#id));
      res.onWritable(() => {
        this.#goOn();
        return true;
      });
    };
    return {
      get isOver() { return isOver(); },
      write: (part, ready) => guarded(() => {
        head();
        this.#ready = ready;
        this.#since = this.#state.tick;
        if (res.write(part)) setImmediate(() => this.#goOn());
      }),
      end: () => guarded(() => {
        head();
        this.#end();
        // Never the last of its connection: told so now, the web server would write that header into the body.
        res.end();
      }),
      cut: () => this.#cut(),
    };
  }

  /** Counts the request for its source; false when that has too many, and is told so. */
  charge(source: Source): boolean {
    const share = this.#share = this.#state.shares.of(source);
    if (++share.requests <= share.most.requests) return true;
    this.#refuseShare('requests in flight', share.most.requests);
    return false;
  }

  /** The whole request is here: from now on it is the answer that takes time. */
  received(): void {
    this.#isReceived = true;
    this.#since = this.#state.tick;
  }

  /** Collects the body, then runs the route with it, if the source may have it read now. */
  receive(request: HttpRequest): void {
    const { source } = request;
    this.#res.onData((chunk, isLast) => guard(() => {
      if (this.#isOver) return;
      this.#take(request, chunk);
      if (!isLast || this.#isOver) return;
      this.received();
      const { bounds, reading } = this.#state;
      if (this.#receivedBytes > bounds.bodyBytes) return this.refuseTooLarge(request, false);
      const beyond = reading.beyond(source, this.#receivedBytes);
      if (beyond === 'source') return this.#refuseShare('bytes of bodies and messages in a second', reading.mostOf(source));
      if (beyond === 'thread') return this.refuseBusy();
      const body = this.#join();
      guard(() => this.#route({ ...request, body }, this), (error) => this.fail(error));
    }, (error) => this.fail(error)));
  }

  onTick(tick: number): void {
    const { answerTicks, stallTicks, stallBytes } = this.#state.bounds;
    if (this.#isReceived) {
      if (tick - this.#since < answerTicks) return;
      return this.#over === null ? this.fail(new Error('request was not answered')) : this.#cut();
    }
    if (tick - this.#since < stallTicks) return;
    if (this.#receivedBytes - this.#windowBytes < stallBytes) {
      this.#closes = true;
      return sendError(this, 'bare', 'request_timeout', 'Request body did not arrive in time');
    }
    this.#since = tick;
    this.#windowBytes = this.#receivedBytes;
  }

  onClose(): void {
    if (this.#over !== null) return this.#cut();
    this.#closes = true;
    sendError(this, 'bare', 'internal_error', 'The service stopped before the answer was known');
  }

  refuseBusy(): void {
    sendRefusal(this, 'bare', BUSY);
  }

  #refuseShare(what: string, limit: number): void {
    sendRefusal(this, 'bare', beyondShare(what, limit));
  }

  /** Whether the answer ends its connection. */
  #isLast(): boolean {
    return this.#closes || (this.#openings !== null && this.#openings.isScarce() && !(this.source ?? peerOf(this.#res)).loopback);
  }

  /**
   * Nobody knows where the next request would begin, so the connection closes. In the next turn: until there is an answer the web
   * server takes no request from what came with this one, and hangs up on it instead.
   */
  refuseFraming(request: HttpRequest): void {
    this.#closes = true;
    const told = 'The length of the body must be told once: Content-Length or Transfer-Encoding: chunked';
    const refuse = (): void => sendError(this, 'bare', 'invalid_request', told);
    setImmediate(() => guard(() => this.#route({ ...request, refuse }, this), (error) => this.fail(error)));
  }

  /** What is still under way of the body is read and dropped, unless it is too much even for that. */
  refuseTooLarge(request: HttpRequest, closes: boolean): void {
    this.#closes = closes;
    const told = `Request body is larger than ${this.#state.bounds.bodyBytes} bytes`;
    this.#route({ ...request, refuse: () => sendError(this, 'bare', 'payload_too_large', told) }, this);
  }

  fail(error: unknown): void {
    this.#state.fault('route', error, this.#id);
    sendRefusal(this, 'bare', INTERNAL);
  }

  /** The chunk is the web server's memory, so it is copied; beyond a bound it is only counted. */
  #take(request: HttpRequest, chunk: ArrayBuffer): void {
    const { bounds, counts } = this.#state;
    const share = this.#share!;
    this.#receivedBytes += chunk.byteLength;
    if (this.#receivedBytes > bounds.drainBytes) return this.refuseTooLarge(request, true);
    if (this.#receivedBytes > bounds.bodyBytes) return this.#drop();
    if (counts.bodyBytes + chunk.byteLength > bounds.bodyMemoryBytes) return this.refuseBusy();
    if (share.bodyBytes + chunk.byteLength > share.most.bodyBytes) {
      return this.#refuseShare('bytes of bodies on their way', share.most.bodyBytes);
    }
    if (chunk.byteLength === 0) return;
    this.#parts.push(new Uint8Array(chunk.slice(0)));
    this.#heldBytes += chunk.byteLength;
    counts.bodyBytes += chunk.byteLength;
    share.bodyBytes += chunk.byteLength;
  }

  #join(): Uint8Array | null {
    const parts = this.#parts;
    const length = this.#heldBytes;
    this.#drop();
    if (parts.length < 2) return parts[0] ?? null;
    const body = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      body.set(part, at);
      at += part.length;
    }
    return body;
  }

  #drop(): void {
    this.#state.counts.bodyBytes -= this.#heldBytes;
    if (this.#share !== null) this.#share.bodyBytes -= this.#heldBytes;
    this.#heldBytes = 0;
    this.#parts = [];
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#drop();
    this.#state.counts.requests--;
    if (this.#share !== null) this.#share.requests--;
    this.#state.live.remove(this);
    const over = this.#over;
    this.#over = null;
    this.#ready = null;
    if (over !== null) guard(over, (error) => this.#fault(error));
  }

  #report(status: number): void {
    const seconds = (steady() - this.#from) / 1_000;
    try {
      this.#state.answered({ id: this.#id, method: this.method, path: this.path, route: this.route, status, seconds });
    } catch (error) {
      this.#fault(error);
    }
  }

  #fault(error: unknown): void {
    this.#state.fault('answer', error, this.#id);
  }

  #goOn(): void {
    const ready = this.#ready;
    this.#ready = null;
    this.#since = this.#state.tick;
    if (ready !== null && !this.#isOver) guard(ready, (error) => this.fail(error));
  }

  #cut(): void {
    if (this.#isOver) return;
    guard(() => this.#res.close(), (error) => this.#fault(error));
    this.#end();
  }

  #shown(headers: ResponseHeaders): ResponseHeaders {
    const { budget } = this;
    if (budget === null || headers[LIMIT] !== undefined) return headers;
    return { ...rateHeaders(budget), ...headers };
  }

  #write(status: number, body: string | Uint8Array | null, headers: ResponseHeaders): void {
    const res = this.#res;
    const isLast = this.#isLast();
    const head = headOf(status, this.#shown(headers), isLast ? this.#state.headers : this.#state.lastingHeaders, this.#id);
    const isBare = body === null || status === 204 || this.method === 'HEAD';
    // A length given to `endWithoutBody` would leave the answer open, and the next request would close the connection. The length
    // is that of GET's answer or none (RFC 9110 8.6).
    const isTold = isBare && body !== null && status !== 204;
    const length = isTold ? `\r\ncontent-length: ${Buffer.byteLength(body)}` : '';
    if (!isBare) res.writeStatus(head).end(body, isLast);
    else if (!isLast) res.writeStatus(head + length).endWithoutBody();
    else {
      // The web server ends a connection with a body only: here the head ends with this text, and the connection when it is on its way.
      res.writeStatus(`${head}${length}\r\nconnection: close\r\n`);
      setImmediate(() => guard(() => { if (!this.aborted) res.close(); }, (error) => this.#fault(error)));
    }
  }
}
