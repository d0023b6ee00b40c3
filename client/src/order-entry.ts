// Signed requests by socket, with many in flight. A lost or late request is sent again as the same bytes, before anything newer: the venue
// acts on a nonce once. It answers in order, so an answer to a later request means that an earlier one was lost. Retries for a busy venue
// do not hold up other requests.

import { withRetries, reportAnswer, RetryDelays, type CallOptions, type RetryOptions } from './retries.ts';
import { StrikebookError, VENUE_CODES } from './strikebook-error.ts';
import type { Request } from './http.ts';
import { HEARTBEATS_TO_GIVE_UP, type SocketMessage } from './reconnecting-socket.ts';
import { BOUNDS } from '../../shell/http/limits.ts';

const TYPES: Readonly<Record<string, string | undefined>> = {
  'POST /order': 'PlaceOrder', 'PUT /order': 'ReplaceOrder',
  'POST /amend': 'AmendOrder', 'PUT /bulk_amend': 'BulkAmendOrder',
  'POST /cancel': 'CancelOrder', 'POST /cancel-by-cloid': 'CancelOrderByClientId',
  'POST /bulk_order': 'BulkPlaceOrder', 'PUT /bulk_order': 'BulkReplaceOrder',
  'POST /mass-quote': 'MassQuote', 'POST /cancel-quotes': 'CancelQuotes',
  'POST /cancel-all': 'CancelAll', 'POST /void-nonces': 'VoidNonces',
  'POST /cancel-after': 'CancelAfter', 'POST /cancel-on-disconnect': 'SetCancelOnDisconnect',
  'DELETE /bulk_order': 'BulkCancelOrder', 'DELETE /bulk_order_cloid': 'BulkCancelOrderByClientId',
};

/** A request across its attempts; `serial` is its place in the order. */
type Call = {
  readonly serial: number; readonly type: string;
  readonly rest: string;
  times: number;
};
type Sent = { readonly call: Call; resolve(answer: SocketMessage): void; reject(error: StrikebookError): void };
/** Null if the caller gave up. The entry stays until the venue has answered this or a later request. */
type InFlight = { readonly id: number; sent: Sent | null };

/** Retried at once: a lost request waits for the next connection, and a late one has waited enough. */
const AT_ONCE = ['timeout', 'no_answer'] as const;
const HEAD_BYTES = 64;
const encoder = new TextEncoder();

type Nodes = { readonly retries: RetryOptions; moved(leader: unknown): void; note(seq: number): void };

export class OrderEntryClient {
  readonly #say: (text: string) => void;
  readonly #nodes: Nodes;
  readonly #defaults: RetryOptions;
  readonly #fault: (error: unknown) => void;
  readonly #waiting: Sent[] = [];
  /** In the order of sending, which is the order of answers. Not a Map, which would keep most deleted entries in memory. */
  readonly #inFlight: InFlight[] = [];
  #isUp = false;
  #isHeldBack = false;
  readonly #waits = new RetryDelays();
  #lastId = 0;
  #lastSerial = 0;
  #unansweredBeats = 0;

  constructor(say: (text: string) => void, nodes: Nodes, defaults: RetryOptions, fault: (error: unknown) => void) {
    this.#say = say;
    this.#nodes = nodes;
    this.#defaults = defaults;
    this.#fault = fault;
  }

  send<Answer>({ method, path, body = '{}' }: Request<Answer>, call: CallOptions): Promise<Answer> {
    const type = TYPES[`${method} ${path}`];
    if (type === undefined) return Promise.reject(new StrikebookError('invalid_argument', `${method} ${path} does not go by socket`));
    const rest = body === '{}' ? '}' : `,${body.slice(1)}`;
    // The venue would close the connection, with the other requests in flight.
    if (type.length + encoder.encode(rest).length + HEAD_BYTES > BOUNDS.messageBytes) {
      return Promise.reject(new StrikebookError('payload_too_large', `${type} exceeds ${BOUNDS.messageBytes} bytes`));
    }
    const out: Call = { serial: ++this.#lastSerial, type, rest, times: 0 };
    const carriage = { isWrite: true, atOnce: AT_ONCE, waits: this.#waits };
    return withRetries({ ...this.#nodes.retries, ...this.#defaults, ...call }, carriage, async (_, timeoutMs) => {
      const frame = await this.#once(out, timeoutMs, call.signal);
      if (frame['error'] === 'not_leader') this.#nodes.moved(frame['leader']);
      const limit = typeof frame.limit === 'number' ? frame.limit : null;
      const seq = typeof frame['command_seq'] === 'number' ? frame['command_seq'] : null;
      if (seq !== null) this.#nodes.note(seq);
      const facts = { status: 0, isReplay: frame.replayed === true, limit, remaining: null, reset: null, seq, attempts: out.times };
      reportAnswer(facts, [this.#defaults.onAnswer, call.onAnswer], this.#fault);
      return outcomeOf(type, frame) as Answer;
    });
  }

  take(frame: SocketMessage): boolean {
    const at = this.#inFlight.findIndex(({ id }) => id === frame.id);
    if (at < 0) return false;
    const passed = this.#inFlight.splice(0, at + 1);
    const { sent } = passed.pop()!;
    const lost = passed.flatMap((one) => one.sent ?? []);
    for (const one of lost) one.reject(new StrikebookError('no_answer', `${one.call.type}: what was sent after it was answered first`));
    sent?.resolve(frame);
    this.#unansweredBeats = 0;
    if (lost.length > 0) this.#holdBack();
    else this.#fill();
    return true;
  }

  /** Called per heartbeat. False if the connection no longer brings answers. */
  beat(): boolean {
    this.#unansweredBeats = this.#inFlight.length === 0 ? 0 : this.#unansweredBeats + 1;
    return this.#unansweredBeats < HEARTBEATS_TO_GIVE_UP;
  }

  up(): void {
    this.#isUp = true;
    this.#fill();
  }

  /** Requeues the requests that have an attempt left, synchronously and in order. */
  down(reason: string): void {
    this.#isUp = false;
    this.#unansweredBeats = 0;
    for (const { sent } of this.#inFlight.splice(0)) {
      sent?.reject(new StrikebookError('no_answer', `${sent.call.type}: ${reason}`));
    }
  }

  close(): void {
    this.#waits.close();
    for (const { sent } of this.#inFlight.splice(0)) sent?.reject(closed());
    for (const sent of this.#waiting.splice(0)) sent.reject(closed());
  }

  #once(call: Call, timeoutMs: number, signal: AbortSignal | undefined): Promise<SocketMessage> {
    if (this.#waits.isClosed) return Promise.reject(closed());
    const { type } = call;
    return new Promise((resolve, reject) => {
      const end = (error: StrikebookError): void => {
        this.#forget(sent);
        sent.reject(error);
      };
      const late = setTimeout(() => end(new StrikebookError('timeout', `${type}: no answer within ${timeoutMs} ms`)), timeoutMs);
      const aborted = (): void => end(new StrikebookError('aborted', `${type} was aborted`, { cause: signal?.reason }));
      const over = (): void => {
        clearTimeout(late);
        signal?.removeEventListener('abort', aborted);
      };
      const sent: Sent = {
        call, resolve: (frame) => { over(); resolve(frame); }, reject: (error) => { over(); reject(error); },
      };
      if (signal?.aborted) return aborted();
      signal?.addEventListener('abort', aborted, { once: true });
      const before = this.#waiting.findLastIndex((one) => one.call.serial < call.serial);
      this.#waiting.splice(before + 1, 0, sent);
      this.#fill();
    });
  }

  #holdBack(): void {
    this.#isHeldBack = true;
    setTimeout(() => {
      this.#isHeldBack = false;
      this.#fill();
    });
  }

  #fill(): void {
    while (this.#isUp && !this.#isHeldBack && this.#inFlight.length < BOUNDS.requestsInFlight) {
      const sent = this.#waiting.shift();
      if (sent === undefined) return;
      const id = ++this.#lastId;
      const { call } = sent;
      call.times++;
      this.#inFlight.push({ id, sent });
      this.#say(`{"type":"${call.type}","id":${id}${call.rest}`);
    }
  }

  #forget(sent: Sent): void {
    const at = this.#waiting.indexOf(sent);
    if (at >= 0) this.#waiting.splice(at, 1);
    for (const one of this.#inFlight) if (one.sent === sent) one.sent = null;
  }
}

function outcomeOf(type: string, frame: SocketMessage): unknown {
  if (isSpent(frame)) throw new StrikebookError('rate_limit_exceeded', `${type}: rate_limit_exceeded`, { details: frame });
  const isRefused = hasNoResult(frame);
  if (!isRefused) return frame;
  const code = VENUE_CODES.find((known) => known === frame.error) ?? 'bad_answer';
  throw new StrikebookError(code, `${type}: ${String(frame.reason ?? frame.message)}`, { details: frame });
}

/** An answer without a result: an order lacks `info`, a mass quote has a code in `error`, others have a `message`. */
function hasNoResult({ type, error, info, message }: SocketMessage): boolean {
  if (type === 'QuoteResult') return error !== undefined;
  return type === 'OrderResult' ? info === undefined : message !== undefined;
}

/** A bulk refused for its rate is a 429 over REST; by socket each item says so. */
function isSpent({ type, retry_after_secs: wait, results }: SocketMessage): boolean {
  return type === 'BulkOrderResult' && wait !== undefined
    && (results as readonly { readonly error?: string }[]).every(({ error }) => error === 'rate_limit_exceeded');
}

function closed(): StrikebookError {
  return new StrikebookError('closed', 'The socket was closed');
}
