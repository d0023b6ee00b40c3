// Requests to one venue and their answers. A request is a value: if its answer was lost or the venue was busy, the same signed bytes go
// out again. The venue acts on a nonce once and answers the same request with its first result. Uses `fetch` alone.

import { attempts, tellAnswer, type AnswerFacts, type CallOptions, type Patience } from './attempts.ts';
import { StrikebookError, VENUE_CODES, type ErrorCode } from './errors.ts';
import { tellFault } from './listeners.ts';

/** A request as it goes out; `Answer` is what the body of its answer holds. */
export type Request<Answer> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: string;
  /** Never set: it carries the type. */
  readonly answer?: Answer;
};

export type HttpOptions = Patience & {
  /** Instead of the global one. */
  readonly fetch?: typeof fetch;
  /** Headers of every request, such as those of a proxy. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Gets an error thrown by `onAnswer`, or by its promise. What it throws itself is told to nobody. */
  readonly onError?: (error: unknown) => void;
};

/** Enough was waited already. */
const AT_ONCE = ['timeout'] as const;

/**
 * From here on, what has no code of the venue is not its word, and as when a connection is lost the same bytes may go out again: its web
 * server's 505, of a request line that came in two pieces, cut in the wrong place, or a proxy's 502 of a venue that was lost behind it.
 */
const FAILURES = 500;

type Got = { readonly status: number; readonly headers: Headers; readonly body: unknown };

export class Http {
  readonly url: string;
  readonly #options: HttpOptions;

  constructor(url: string, options: HttpOptions = {}) {
    this.url = url.replace(/\/+$/, '');
    this.#options = options;
  }

  /** The body of the answer. Throws a StrikebookError on everything but a 2xx with JSON (or with no body, which is null). */
  send<Answer>(request: Request<Answer>, call: CallOptions = {}): Promise<Answer> {
    const carriage = { isWrite: request.method !== 'GET', atOnce: AT_ONCE };
    return attempts({ ...this.#options, ...call }, carriage, async (attempt, timeoutMs) => {
      const got = await this.#attempt(request, timeoutMs, call.signal);
      const facts = factsOf(got, attempt);
      tellAnswer(facts, [this.#options.onAnswer, call.onAnswer], (error) => tellFault(this.#options.onError, error));
      return bodyOf(got, request) as Answer;
    });
  }

  async #attempt({ method, path, body }: Request<unknown>, timeoutMs: number, caller: AbortSignal | undefined): Promise<Got> {
    // A signal of its own, let go of afterwards: what joins signals keeps each one for as long as the caller's lives.
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const late = setTimeout(end, timeoutMs);
    caller?.addEventListener('abort', end, { once: true });
    if (caller?.aborted) end();
    const content = body === undefined ? {} : { body };
    const headers = {
      accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...this.#options.headers,
    };
    try {
      const answer = await (this.#options.fetch ?? fetch)(this.url + path, { method, headers, signal: ending.signal, ...content });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: parse(text, answer.status) };
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

function parse(text: string, status: number): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `The answer, of status ${status}, is no JSON: ${text.slice(0, 200)}`;
    throw new StrikebookError(strangeCode(status), message, { status, details: text, cause });
  }
}

/** Of an answer that is not a venue's. */
function strangeCode(status: number): ErrorCode {
  return status >= FAILURES ? 'no_answer' : 'bad_answer';
}

function bodyOf({ status, headers, body }: Got, { method, path }: Request<unknown>): unknown {
  if (status >= 200 && status < 300) return body;
  // GET /ready says in its body what is missing, and has no error code.
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
    remaining: number('x-ratelimit-remaining'), reset: number('x-ratelimit-reset'), attempts,
  };
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown } };
  return String(cause?.message ?? message ?? error);
}
