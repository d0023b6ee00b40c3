// Signed requests by socket, many in flight: the bodies of REST with the type of a message. After a loss of the connection
// what has no answer goes out again, the very same bytes in the same order, before anything new: the venue acts on a nonce once
// and tells its first outcome. Never more in flight than the venue takes of one wallet.

import { attempts, type CallOptions, type Patience } from './attempts.ts';
import { StrikebookError, VENUE_CODES } from './errors.ts';
import type { Request } from './http.ts';
import type { Frame } from './link.ts';
import { REQUESTS_IN_FLIGHT } from '../../shell/bounds/api.ts';

/** The message that carries what a route takes. */
const TYPES: Readonly<Record<string, string | undefined>> = {
  'POST /order': 'PlaceOrder', 'PUT /order': 'ReplaceOrder',
  'POST /cancel': 'CancelOrder', 'POST /cancel-by-cloid': 'CancelOrderByClientId',
  'POST /bulk_order': 'BulkPlaceOrder', 'PUT /bulk_order': 'BulkReplaceOrder',
  'POST /cancel-all': 'CancelAll', 'POST /cancel-after': 'CancelAfter', 'POST /cancel-on-disconnect': 'SetCancelOnDisconnect',
  'DELETE /bulk_order': 'BulkCancelOrder', 'DELETE /bulk_order_cloid': 'BulkCancelOrderByClientId',
};

type Sent = {
  /** What follows the id. */
  readonly rest: string; readonly type: string;
  /** Losses of the connection that it may still live through. */
  lives: number;
  resolve(answer: Frame): void;
  reject(error: StrikebookError): void;
};

export class Entry {
  readonly #say: (text: string) => void;
  readonly #defaults: Patience;
  /** In the order in which they are to go out. */
  readonly #waiting: Sent[] = [];
  /** By id, in the order in which they went out; null when nobody waits for the answer any more, which the venue still owes. */
  readonly #inFlight = new Map<number, Sent | null>();
  #isUp = false;
  #isClosed = false;
  #lastId = 0;

  constructor(say: (text: string) => void, defaults: Patience) {
    this.#say = say;
    this.#defaults = defaults;
  }

  /** The answer. Throws what is refused without an outcome, with the code it has over REST. */
  send<Answer>({ method, path, body = '{}' }: Request<Answer>, call: CallOptions): Promise<Answer> {
    const type = TYPES[`${method} ${path}`];
    if (type === undefined) return Promise.reject(new StrikebookError('invalid_argument', `${method} ${path} does not go by socket`));
    const rest = body === '{}' ? '}' : `,${body.slice(1)}`;
    return attempts({ ...this.#defaults, ...call }, true, async (number, timeoutMs, retries) => {
      const frame = await this.#once(type, rest, timeoutMs, retries, call.signal);
      const facts = { status: 0, isReplay: frame.replayed === true, limit: null, remaining: null, reset: null, attempts: number };
      this.#defaults.onAnswer?.(facts);
      call.onAnswer?.(facts);
      return outcomeOf(type, frame) as Answer;
    });
  }

  /** True when the message answers a request. */
  take(frame: Frame): boolean {
    const sent = typeof frame.id === 'number' ? this.#inFlight.get(frame.id) : undefined;
    if (sent === undefined) return false;
    this.#inFlight.delete(frame.id as number);
    sent?.resolve(frame);
    this.#fill();
    return true;
  }

  up(): void {
    this.#isUp = true;
    this.#fill();
  }

  down(reason: string): void {
    this.#isUp = false;
    const unanswered = [...this.#inFlight.values()].filter((sent) => sent !== null);
    this.#inFlight.clear();
    const alive = unanswered.filter((sent) => --sent.lives >= 0);
    this.#waiting.unshift(...alive);
    for (const sent of unanswered) if (sent.lives < 0) sent.reject(new StrikebookError('no_answer', `${sent.type}: ${reason}`));
  }

  close(): void {
    this.#isClosed = true;
    for (const sent of [...this.#inFlight.values(), ...this.#waiting.splice(0)]) sent?.reject(closed());
    this.#inFlight.clear();
  }

  #once(type: string, rest: string, timeoutMs: number, lives: number, signal: AbortSignal | undefined): Promise<Frame> {
    if (this.#isClosed) return Promise.reject(closed());
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
        type, rest, lives, resolve: (frame) => { over(); resolve(frame); }, reject: (error) => { over(); reject(error); },
      };
      if (signal?.aborted) return aborted();
      signal?.addEventListener('abort', aborted, { once: true });
      this.#waiting.push(sent);
      this.#fill();
    });
  }

  #fill(): void {
    while (this.#isUp && this.#inFlight.size < REQUESTS_IN_FLIGHT) {
      const sent = this.#waiting.shift();
      if (sent === undefined) return;
      const id = ++this.#lastId;
      this.#inFlight.set(id, sent);
      this.#say(`{"type":"${sent.type}","id":${id}${sent.rest}`);
    }
  }

  #forget(sent: Sent): void {
    const at = this.#waiting.indexOf(sent);
    if (at >= 0) this.#waiting.splice(at, 1);
    for (const [id, one] of this.#inFlight) if (one === sent) this.#inFlight.set(id, null);
  }
}

/** Throws what never came to an outcome: an order's then lacks its `info`, another's has the code in `error` and the text apart. */
function outcomeOf(type: string, frame: Frame): unknown {
  const isRefused = frame.type === 'OrderResult' ? frame.info === undefined : frame.message !== undefined;
  if (!isRefused) return frame;
  const code = VENUE_CODES.find((known) => known === frame.error) ?? 'bad_answer';
  throw new StrikebookError(code, `${type}: ${String(frame.reason ?? frame.message)}`, { details: frame });
}

function closed(): StrikebookError {
  return new StrikebookError('closed', 'The socket was closed');
}
