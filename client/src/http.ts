// Requests to one venue and their answers. A request is a value: the bytes of a signed one go out again, unchanged, when an
// answer was lost or the venue was busy, since the venue acts on a nonce once and answers the same request with its first
// outcome. Times in ms. Uses `fetch` alone, so it runs wherever that is.

import { StrikebookError, VENUE_CODES, type ErrorCode } from './errors.ts';

/** A request as it goes out; `Answer` is what the body of its answer holds. */
export type Request<Answer> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: string;
  /** Never set: it carries the type. */
  readonly answer?: Answer;
};

/** What the headers of an answer say. `limit` and the others are null where the answer is not rate-limited. */
export type AnswerFacts = {
  readonly status: number;
  /** The venue had already acted on this very request: this is its first outcome. */
  readonly isReplay: boolean;
  /** Requests a window, how many are left, and when it ends, in seconds since the epoch. */
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly reset: number | null;
  /** How often the request went out. */
  readonly attempts: number;
};

export type CallOptions = {
  /** Ends the call, waiting times included. */
  readonly signal?: AbortSignal;
  /** Of one attempt. */
  readonly timeoutMs?: number;
  /** Further attempts after a lost answer or a busy venue. */
  readonly retries?: number;
  readonly onAnswer?: (facts: AnswerFacts) => void;
};

export type HttpOptions = Omit<CallOptions, 'signal'> & {
  /** Instead of the global one. */
  readonly fetch?: typeof fetch;
  /** Headers of every request, such as those of a proxy. */
  readonly headers?: Readonly<Record<string, string>>;
};

type Got = { readonly status: number; readonly headers: Headers; readonly body: unknown };

const TIMEOUT_MS = 10_000;
const RETRIES = 4;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;
/** The outcome is unknown, or nothing has happened yet: the same bytes may go out again. */
const PASSING: readonly ErrorCode[] = ['timeout', 'no_answer', 'engine_busy', 'not_ready'];

export class Http {
  readonly url: string;
  readonly #options: HttpOptions;

  constructor(url: string, options: HttpOptions = {}) {
    this.url = url.replace(/\/+$/, '');
    this.#options = options;
  }

  /** The body of the answer. Throws a StrikebookError on everything but a 2xx with JSON (or with no body, which is null). */
  async send<Answer>(request: Request<Answer>, call: CallOptions = {}): Promise<Answer> {
    const { timeoutMs = TIMEOUT_MS, retries = RETRIES } = { ...this.#options, ...call };
    const { signal } = call;
    for (let attempt = 1; ; attempt++) {
      try {
        const got = await this.#attempt(request, timeoutMs, signal);
        const facts = factsOf(got, attempt);
        this.#options.onAnswer?.(facts);
        call.onAnswer?.(facts);
        return bodyOf(got, request) as Answer;
      } catch (error) {
        if (!(error instanceof StrikebookError) || attempt > retries || !isWorthAgain(error, request)) throw error;
        await wait(waitOf(error, attempt), signal);
      }
    }
  }

  async #attempt({ method, path, body }: Request<unknown>, timeoutMs: number, caller: AbortSignal | undefined): Promise<Got> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = caller === undefined ? timeout : AbortSignal.any([caller, timeout]);
    const content = body === undefined ? {} : { body };
    const headers = {
      accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...this.#options.headers,
    };
    try {
      const answer = await (this.#options.fetch ?? fetch)(this.url + path, { method, headers, signal, ...content });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: parse(text, answer.status) };
    } catch (error) {
      if (error instanceof StrikebookError) throw error;
      if (caller?.aborted) throw new StrikebookError('aborted', `${method} ${path} was aborted`, { cause: caller.reason });
      if (timeout.aborted) throw new StrikebookError('timeout', `${method} ${path}: no answer within ${timeoutMs} ms`, { cause: error });
      throw new StrikebookError('no_answer', `${method} ${path}: ${reasonOf(error)}`, { cause: error });
    }
  }
}

function isWorthAgain({ code }: StrikebookError, { method }: Request<unknown>): boolean {
  // Of a write, `internal_error` can mean that its record was not durable in time: asking again tells the outcome.
  return PASSING.includes(code) || (code === 'internal_error' && method !== 'GET');
}

function parse(text: string, status: number): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StrikebookError('bad_answer', `The answer is no JSON: ${text.slice(0, 200)}`, { status, details: text, cause });
  }
}

function bodyOf({ status, headers, body }: Got, { method, path }: Request<unknown>): unknown {
  if (status >= 200 && status < 300) return body;
  // GET /ready says in its body what is missing, and has no error code.
  const { error, message } = (body ?? {}) as { error?: unknown; message?: unknown };
  const code = VENUE_CODES.find((known) => known === error) ?? (status === 503 ? 'not_ready' : 'bad_answer');
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

/** Doubles with each attempt, with chance in it; never shorter than the venue asked for, which a busy one knows best. */
function waitOf({ details }: StrikebookError, attempt: number): number {
  const asked = (details as { retry_after_secs?: number } | null)?.retry_after_secs ?? 0;
  const own = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
  return Math.max(own, asked * 1_000);
}

/** Throws `aborted` as soon as the signal says so. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      clearTimeout(timer);
      reject(new StrikebookError('aborted', 'The call was aborted between two attempts', { cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    if (signal?.aborted) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown } };
  return String(cause?.message ?? message ?? error);
}
