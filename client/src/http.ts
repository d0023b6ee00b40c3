// Sends requests to one venue over `fetch`. After a lost answer or a busy venue, the same signed bytes are sent again: the venue acts on
// a nonce once and repeats its result.

import { Addresses } from './addresses.ts';
import { withRetries, reportAnswer, type AnswerFacts, type CallOptions, type RetryOptions } from './retries.ts';
import { StrikebookError, VENUE_CODES, type ErrorCode } from './strikebook-error.ts';
import { tellFault } from './listeners.ts';

export type Request<Answer> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  /** Default JSON. An answer in this format is its text. */
  readonly accept?: string;
  /** Never set; carries the answer's type. */
  readonly answer?: Answer;
};

export type HttpOptions = RetryOptions & {
  readonly fetch?: typeof fetch;
  readonly headers?: Readonly<Record<string, string>>;
  /** Gets exceptions of `onAnswer`. Its own exceptions are ignored. */
  readonly onError?: (error: unknown) => void;
};

/** Retried at once, because enough time has passed. */
const AT_ONCE = ['timeout'] as const;

/**
 * An answer of this status or above without a venue's code counts as lost: it comes from a proxy, or from the web server about a request
 * line in two pieces.
 */
const FAILURES = 500;

const JSON_TYPE = 'application/json';

const UNREACHED: readonly ErrorCode[] = ['no_answer', 'timeout'];
/** Not about commands. */
const SERVICE = /^\/(health|ready|cluster|time|metrics|openapi\.json|asyncapi\.json)\b/;

type Got = { readonly status: number; readonly headers: Headers; readonly body: unknown };

export class Http {
  readonly addresses: Addresses;
  readonly #options: HttpOptions;

  /** Of one venue: with several addresses requests go to the node that leads. */
  constructor(url: string | readonly string[], options: HttpOptions = {}) {
    this.addresses = new Addresses(url);
    this.#options = options;
  }

  /** The node that is asked now. */
  get url(): string {
    return this.addresses.current;
  }

  /** The newest command that an answer included. */
  get seq(): number {
    return this.addresses.seq;
  }

  /** The body, null if empty. Throws unless the answer is a 2xx with JSON. */
  send<Answer>(request: Request<Answer>, call: CallOptions = {}): Promise<Answer> {
    const carriage = { isWrite: request.method !== 'GET', atOnce: AT_ONCE };
    return withRetries({ ...this.addresses.retries, ...this.#options, ...call }, carriage, async (attempt, timeoutMs) => {
      const got = await this.#ask(request, timeoutMs, call.signal);
      const facts = factsOf(got, attempt);
      this.addresses.note(facts.seq, got.headers.has('x-strikebook-epoch'));
      reportAnswer(facts, [this.#options.onAnswer, call.onAnswer], (error) => tellFault(this.#options.onError, error));
      return bodyOf(got, request) as Answer;
    });
  }

  /** Leaves a node that does not answer or cannot act, and follows to the one that leads. */
  async #ask(request: Request<unknown>, timeoutMs: number, caller: AbortSignal | undefined): Promise<Got> {
    const { addresses } = this;
    const asked = addresses.current;
    try {
      const got = await this.#attempt(asked, request, timeoutMs, caller);
      const { error, leader } = (got.body ?? {}) as { readonly error?: unknown; readonly leader?: unknown };
      if (got.status !== 503 || addresses.isOne) return got;
      const isMoved = error === 'not_leader' && addresses.follow(asked, leader);
      if (isMoved) return await this.#attempt(addresses.current, request, timeoutMs, caller);
      if (error !== 'not_leader' && error !== 'engine_busy') addresses.leave(asked);
      return got;
    } catch (error) {
      if (error instanceof StrikebookError && UNREACHED.includes(error.code)) addresses.leave(asked);
      throw error;
    }
  }

  /** On another node a read must not show less than was seen before. */
  #pathOf({ method, path }: Request<unknown>): string {
    const { minSeq } = this.addresses;
    if (method !== 'GET' || minSeq === 0 || SERVICE.test(path) || path.includes('min_seq=')) return path;
    return `${path}${path.includes('?') ? '&' : '?'}min_seq=${minSeq}`;
  }

  async #attempt(url: string, request: Request<unknown>, timeoutMs: number, caller: AbortSignal | undefined): Promise<Got> {
    const { method, body, accept = JSON_TYPE } = request;
    const path = this.#pathOf(request);
    // Not `AbortSignal.any`, which stays in memory as long as the caller's signal lives.
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const late = setTimeout(end, timeoutMs);
    caller?.addEventListener('abort', end, { once: true });
    if (caller?.aborted) end();
    const content = body === undefined ? {} : { body };
    const headers = {
      accept, ...(body === undefined ? {} : { 'content-type': JSON_TYPE }), ...this.#options.headers,
    };
    try {
      const answer = await (this.#options.fetch ?? fetch)(url + path, { method, headers, signal: ending.signal, ...content });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: isText(answer, accept) ? text : parse(text, answer.status) };
    } catch (error) {
      if (error instanceof StrikebookError) throw error;
      if (caller?.aborted) throw new StrikebookError('aborted', `${method} ${path} was aborted`, { cause: caller.reason });
      const isLate = ending.signal.aborted;
      if (isLate) throw new StrikebookError('timeout', `${method} ${path}: no answer within ${timeoutMs} ms`, { cause: error });
      throw new StrikebookError('no_answer', `${method} ${path}: ${reasonOf(error)}`, { cause: error });
    } finally {
      clearTimeout(late);
      caller?.removeEventListener('abort', end);
    }
  }
}

function isText({ headers }: Response, accept: string): boolean {
  return accept !== JSON_TYPE && headers.get('content-type')?.startsWith(accept) === true;
}

function parse(text: string, status: number): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `The answer, of status ${status}, is no JSON: ${text.slice(0, 200)}`;
    throw new StrikebookError(strangeCode(status), message, { status, details: text, cause });
  }
}

function strangeCode(status: number): ErrorCode {
  return status >= FAILURES ? 'no_answer' : 'bad_answer';
}

function bodyOf({ status, headers, body }: Got, { method, path }: Request<unknown>): unknown {
  if (status >= 200 && status < 300) return body;
  // GET /ready has no error code.
  const { error, message } = (body ?? {}) as { error?: unknown; message?: unknown };
  const code = VENUE_CODES.find((known) => known === error) ?? (status === 503 ? 'not_ready' : strangeCode(status));
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const details = typeof body === 'object' && body !== null && !Number.isNaN(retryAfter) ? { retry_after_secs: retryAfter, ...body } : body;
  throw new StrikebookError(code, `${method} ${path}: ${String(message ?? error ?? status)}`, { status, details });
}

function factsOf({ status, headers }: Got, attempts: number): AnswerFacts {
  const number = (name: string): number | null => (headers.has(name) ? Number(headers.get(name)) : null);
  return {
    status, isReplay: headers.get('idempotent-replay') === 'true', limit: number('x-ratelimit-limit'),
    remaining: number('x-ratelimit-remaining'), reset: number('x-ratelimit-reset'), seq: number('x-strikebook-seq'), attempts,
  };
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown } };
  return String(cause?.message ?? message ?? error);
}
