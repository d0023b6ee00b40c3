// One HTTP request and its one answer. Copies the request, since uWebSockets.js reuses its memory, and calls the route once the whole
// body is here. Pipelining works while each answer is written within its callback; a request behind an unanswered one closes the
// connection (RFC 9112 9.3.2). An answer that closes its connection leaves in the next turn, when no request behind it is accepted.

import type { HttpRequest as NativeRequest, HttpResponse as NativeResponse } from 'uWebSockets.js';
import { steady } from '../../process/clock.ts';
import { BUSY, errorBody, INTERNAL, sendError, sendRefusal, refuse, statusOf, type Refusal } from '../errors.ts';
import type { HttpRequest, Responder, ResponseHeaders, BudgetLeft, StreamedAnswer } from '../message.ts';
import { EPOCH, SEQ } from '../headers.ts';
import { LIMIT, rateHeaders } from '../rate-headers.ts';
import type { Source } from '../source.ts';
import { guard } from './guard.ts';
import type { ActiveItem } from './active-list.ts';
import type { EdgeState } from './edge-state.ts';
import { MIN_BYTES, compressedStream, streamHeaders, type Encoded } from './compression.ts';
import { headOf, isEmpty } from './head.ts';
import { RequestBody } from './request-body.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { ResponseWriter } from './response-writer.ts';
import { peerOf, type Trust } from './peer.ts';
import { sourceLimitRefusal } from './quotas.ts';
import type { Consumer } from './unread-output.ts';

export type RouteRequest = (request: HttpRequest, responder: Responder) => unknown;

export type EdgeContext = {
  readonly state: EdgeState; readonly route: RouteRequest; readonly trust: Trust; readonly cors: string | null;
  readonly connectionLimiter: ConnectionLimiter | null;
  readonly socketPaths: readonly string[];
};

/** A single larger write leaves at once, even inside the web server's callback. */
const CORK_BYTES = 16_384;
/** Ticks to wait for the rest of a refused body. */
const LINGER_TICKS = 2;
/** Safe in a header and in a log. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;

export class HttpExchange implements Responder, ActiveItem, Consumer {
  aborted = false;
  place = -1;
  route = 0;
  budget: BudgetLeft | null = null;
  seq = 0;
  source: Source | null = null;
  readonly method: string;
  readonly path: string;
  readonly #id: string;
  readonly #acceptEncoding: string;
  readonly #from = steady();
  readonly #state: EdgeState;
  readonly #route: RouteRequest;
  readonly #connectionLimiter: ConnectionLimiter | null;
  readonly #res: NativeResponse;
  #isCharged = false;
  #isAnswered = false;
  #isOver = false;
  #isReceived = false;
  #closes = false;
  #later: (() => void) | null = null;
  #requestBody: RequestBody | null = null;
  #windowBytes = 0;
  #since: number;
  #ready: (() => void) | null = null;
  #over: (() => void) | null = null;

  constructor({ state, route, connectionLimiter }: EdgeContext, res: NativeResponse, req: NativeRequest) {
    res.onAborted(() => {
      if (!this.#isAnswered) this.aborted = true;
      this.#end();
    });
    this.#state = state;
    this.#route = route;
    this.#connectionLimiter = connectionLimiter;
    this.#res = res;
    this.method = req.getCaseSensitiveMethod();
    this.path = req.getUrl();
    const id = req.getHeader('x-request-id');
    this.#id = id !== '' && REQUEST_ID.test(id) ? id : `${state.idPrefix}${(++state.lastId).toString(36)}`;
    this.#acceptEncoding = req.getHeader('accept-encoding');
    this.#since = state.tick;
    state.counts.requests++;
    state.active.add(this);
  }

  closes(): void {
    this.#closes = true;
  }

  /** `body` is borrowed: what cannot leave at once is copied. */
  send(status: number, body: string | Uint8Array | null, headers: ResponseHeaders = {}): void {
    if (this.#isAnswered || this.#isOver) return;
    this.#isAnswered = true;
    this.#requestBody?.drop();
    this.#since = this.#state.tick;
    const { latency } = this.#state;
    if (latency === null) return this.#encodeAndSend(status, body, headers);
    const kept = typeof body === 'object' && body !== null ? Buffer.from(body) : body;
    setTimeout(() => guard(() => this.#encodeAndSend(status, kept, headers), (error) => this.#fault(error)), latency.next());
  }

  #encodeAndSend(status: number, body: string | Uint8Array | null, headers: ResponseHeaders): void {
    if (body === null || body.length <= MIN_BYTES) return this.#sendAsIs(status, body, headers);
    const send = ({ body: sent, headers: told }: Encoded): void => this.#sendAsIs(status, sent, told);
    this.#state.compressor.encode({ body, headers }, this.method, this.#acceptEncoding, send);
  }

  #sendAsIs(status: number, body: string | Uint8Array | null, headers: ResponseHeaders): void {
    if (this.#isOver) return;
    const isBare = body === null || body.length === 0 || isEmpty(status) || this.method === 'HEAD';
    const isLast = this.#isLast() || (isBare && !this.#state.outputBudget.takeBodiless());
    const fits = this.#state.outputBudget.take(body === null ? 0 : body.length);
    if (fits && !isLast) return this.#write(status, body, headers, isBare, isLast);
    const kept = typeof body === 'object' && body !== null ? Buffer.from(body) : body;
    this.#later = () => this.#write(status, kept, headers, isBare, isLast);
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    const write = this.#later;
    this.#later = null;
    if (!this.#isOver) write?.();
  }

  #write(status: number, body: string | Uint8Array | null, headers: ResponseHeaders, isBare: boolean, isLast: boolean): void {
    const { headers: common, keepAliveHeaders } = this.#state;
    const head = headOf(status, this.#shown(headers), isLast ? `${common}\r\nconnection: close` : keepAliveHeaders, this.#id);
    try {
      if (isBare) this.#writeBare(head, isEmpty(status) ? null : body, isLast);
      else this.#writeBody(head, body!, isLast);
    } catch (error) {
      this.#breakOff(error);
    }
    this.#report(status);
  }

  #writeBare(head: string, body: string | Uint8Array | null, isLast: boolean): void {
    const res = this.#res;
    // A length passed to `endWithoutBody` would keep the answer open. It is that of the GET answer, or absent (RFC 9110
    // 8.6).
    const length = body === null ? '' : `\r\ncontent-length: ${Buffer.byteLength(body)}`;
    if (!isLast) {
      res.cork(() => { res.writeStatus(head + length).endWithoutBody(); });
      return this.#end();
    }
    // The web server closes a connection only after a body, so the head is ended here and the close follows when it has
    // left.
    res.cork(() => { res.writeStatus(`${head}${length}\r\n`); });
    this.#closeSoon();
  }

  #writeBody(head: string, body: string | Uint8Array, isLast: boolean): void {
    const res = this.#res;
    let isDone = false;
    if (!isLast) res.cork(() => { [, isDone] = res.writeStatus(head).tryEnd(body, Buffer.byteLength(body)); });
    if (isDone) return this.#end();
    const writer = new ResponseWriter(res, Buffer.from(body as string), isLast ? 0 : res.getWriteOffset(), isLast);
    if (isLast) writer.begin(head);
    res.onWritable(() => {
      guard(() => this.#push(writer), (error) => this.#fault(error));
      return true;
    });
    this.#push(writer);
  }

  #push(writer: ResponseWriter): void {
    const { left } = writer;
    writer.push();
    if (writer.left < left) this.#since = this.#state.tick;
    if (writer.left > 0) return this.#state.unreadAnswers.set(this, writer.left);
    if (writer.isLast) this.cut();
    else this.#end();
  }

  #breakOff(error: unknown): void {
    this.#fault(error);
    this.cut();
  }

  #closeSoon(): void {
    setImmediate(() => guard(() => this.cut(), (error) => this.#fault(error)));
  }

  /** The next part is requested when the last has left. */
  begin(status: number, given: ResponseHeaders, over: () => void): StreamedAnswer {
    const res = this.#res;
    const { headers, isCompressed } = streamHeaders(given, this.#acceptEncoding);
    const isHead = this.method === 'HEAD';
    const isIgnored = isHead || this.#isAnswered;
    const isOver = (): boolean => isIgnored || this.#isOver;
    let isBegun = false;
    const guarded = (work: () => void): void => {
      if (!isOver()) guard(() => res.cork(work), (error) => this.#breakOff(error));
    };
    if (isHead) this.send(status, null, headers);
    this.#isAnswered = true;
    if (isOver()) over();
    else {
      this.#over = () => {
        this.#report(status);
        over();
      };
    }
    const head = (): void => {
      if (isBegun) return;
      isBegun = true;
      const { headers: closing, keepAliveHeaders } = this.#state;
      res.writeStatus(headOf(status, this.#shown(headers), this.#closes ? closing : keepAliveHeaders, this.#id));
      res.onWritable(() => {
        this.#goOn();
        return true;
      });
    };
    const stream: StreamedAnswer = {
      get isOver() { return isOver(); },
      write: (part, ready) => guarded(() => {
        head();
        this.#ready = ready;
        this.#since = this.#state.tick;
        if (res.write(part)) setImmediate(() => this.#goOn());
        else this.#state.unreadAnswers.set(this, part.length);
      }),
      end: () => guarded(() => {
        head();
        this.#end();
        // The web server would write a close header into the body.
        res.end();
      }),
      cut: () => this.cut(),
    };
    return isCompressed ? compressedStream(stream) : stream;
  }

  charge(source: Source): boolean {
    const { requests } = this.#state.quotas;
    this.#isCharged = requests.take(source.network, source.loopback) === null;
    if (!this.#isCharged) this.#refusePart('requests in flight', requests.mostOf(source.loopback));
    return this.#isCharged;
  }

  received(): void {
    this.#isReceived = true;
    this.#since = this.#state.tick;
  }

  receive(request: HttpRequest): void {
    const requestBody = this.#requestBody = new RequestBody(this.#state, request.source);
    this.#res.onData((chunk, isLast) => guard(() => {
      if (this.#isAnswered || this.#isOver) return;
      this.#take(request, requestBody, chunk);
      if (!isLast || this.#isAnswered) return;
      this.received();
      const body = this.#read(request, requestBody);
      if (this.#isAnswered) return;
      guard(() => this.#route({ ...request, body }, this), (error) => this.fail(error));
    }, (error) => this.fail(error)));
  }

  #take(request: HttpRequest, requestBody: RequestBody, chunk: ArrayBuffer): void {
    const beyond = requestBody.take(chunk);
    if (requestBody.received > this.#state.bounds.drainBytes) this.refuseTooLarge(request);
    else if (beyond === 'thread') this.refuseBusy();
    else if (beyond === 'source') this.#refusePart('bytes of bodies on their way', requestBody.most);
  }

  #read(request: HttpRequest, requestBody: RequestBody): Uint8Array | null {
    const { bounds, quotas: { readBytes } } = this.#state;
    const { network, loopback } = request.source;
    const { received } = requestBody;
    if (received > bounds.largeBodyBytes) this.#closes = true;
    const beyond = received > bounds.bodyBytes ? null : readBytes.take(network, loopback, received);
    if (received > bounds.bodyBytes) this.refuseTooLarge(request);
    else if (beyond === 'each') this.#refusePart('bytes of bodies and messages in a second', readBytes.mostOf(loopback));
    else if (beyond === 'all') this.refuseBusy();
    return requestBody.join();
  }

  onTick(tick: number): void {
    const { answerTicks, stallTicks, stallBytes } = this.#state.bounds;
    if (this.#isAnswered) return tick - this.#since < answerTicks ? undefined : this.cut();
    if (this.#isReceived) return tick - this.#since < answerTicks ? undefined : this.fail(new Error('request was not answered'));
    const received = this.#requestBody?.received ?? 0;
    if (tick - this.#since < stallTicks) return;
    if (received - this.#windowBytes < stallBytes) {
      this.#closes = true;
      return sendError(this, 'bare', 'request_timeout', 'Request body did not arrive in time');
    }
    this.#since = tick;
    this.#windowBytes = received;
  }

  onClose(): void {
    if (this.#over !== null) return this.cut();
    this.#closes = true;
    sendError(this, 'bare', 'internal_error', 'The service stopped before the answer was known');
    this.#flush();
  }

  refuseBusy(): void {
    sendRefusal(this, 'bare', BUSY);
  }

  #refusePart(what: string, limit: number): void {
    sendRefusal(this, 'bare', sourceLimitRefusal(what, limit));
  }

  #isLast(): boolean {
    return this.#closes || (this.#connectionLimiter?.isScarce() === true && !(this.source ?? peerOf(this.#res)).loopback);
  }

  /**
   * Closes the connection, so that no request behind this one is read. With `lingers`, the rest of the body is read first, so that its
   * sender sees the answer.
   */
  refuseNow({ code, message }: Refusal, lingers: boolean): void {
    if (this.#isAnswered || this.#isOver) return;
    this.#isAnswered = true;
    this.#requestBody?.drop();
    const body = errorBody('bare', code, message).padEnd(CORK_BYTES);
    const status = statusOf(code);
    const head = headOf(status, this.#shown({}), `${this.#state.headers}\r\nconnection: close`, this.#id);
    // `writeStatus` appends a line end: the last two bytes of the body.
    this.#res.writeStatus(`${head}\r\ncontent-length: ${body.length + 2}\r\n\r\n${body}`);
    this.#report(status);
    if (!lingers) return this.cut();
    this.#since = this.#state.tick - this.#state.bounds.answerTicks + LINGER_TICKS;
    this.#res.onData((_, isLast) => { if (isLast) this.#closeSoon(); });
  }

  refuseTooLarge(request: HttpRequest): void {
    this.#closes = true;
    const told = refuse('payload_too_large', `Request body is larger than ${this.#state.bounds.bodyBytes} bytes`);
    this.#route({ ...request, refuse: () => this.refuseNow(told, false) }, this);
  }

  fail(error: unknown): void {
    this.#state.fault('route', error, this.#id);
    sendRefusal(this, 'bare', INTERNAL);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#state.unreadAnswers.set(this, 0);
    this.#requestBody?.drop();
    this.#state.counts.requests--;
    if (this.#isCharged) this.#state.quotas.requests.give(this.source!.network);
    this.#state.active.remove(this);
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
    this.#state.unreadAnswers.set(this, 0);
    if (ready !== null && !this.#isOver) guard(ready, (error) => this.#breakOff(error));
  }

  cut(): void {
    if (this.#isOver) return;
    guard(() => this.#res.close(), (error) => this.#fault(error));
    this.#end();
  }

  #shown(headers: ResponseHeaders): ResponseHeaders {
    const shown = this.budget === null || headers[LIMIT] !== undefined ? headers : { ...rateHeaders(this.budget), ...headers };
    if (this.seq === 0) return shown;
    const epoch = this.#state.epoch();
    return { ...shown, [SEQ]: String(this.seq), ...(epoch !== 0 && { [EPOCH]: String(epoch) }) };
  }
}
