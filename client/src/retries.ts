// When and how often a request is retried, the same for REST and the socket. Times in ms.

import { StrikebookError, type ErrorCode } from './strikebook-error.ts';
import { callListener } from './listeners.ts';
import { hasOpenItems } from './refusals.ts';

/** What the headers or the socket message say beside the answer; null where they say nothing. */
export type AnswerFacts = {
  /** HTTP status; 0 by socket. */
  readonly status: number;
  /** The venue repeats the result of an earlier attempt. */
  readonly isReplay: boolean;
  /** Requests per window; the window's end is in seconds since the epoch. */
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly reset: number | null;
  /** The answer has everything up to this command. */
  readonly seq: number | null;
  readonly attempts: number;
};

export type RetryOptions = {
  /** Per attempt. */
  readonly timeoutMs?: number;
  /** Further attempts after a lost answer or a busy venue. */
  readonly retries?: number;
  readonly onAnswer?: (facts: AnswerFacts) => void;
};
export type CallOptions = RetryOptions & {
  /** Ends the call, also between attempts. */
  readonly signal?: AbortSignal;
};

export function reportAnswer(
  facts: AnswerFacts, listeners: readonly RetryOptions['onAnswer'][], fault: (error: unknown) => void,
): void {
  for (const listener of listeners) callListener(() => listener?.(facts), fault);
}

/** A timer with a larger delay fires immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
const TIMEOUT_MS = 10_000;
const RETRIES = 4;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;
/** A write's result is unknown. `internal_error` may mean that it was not durable in time. */
const UNKNOWN: readonly ErrorCode[] = ['timeout', 'no_answer', 'internal_error'];
const BUSY: readonly ErrorCode[] = ['engine_busy', 'not_ready', 'behind', 'no_quorum', 'not_leader'];
/** Decided before the nonce is checked, so they do not tell whether an earlier attempt acted. */
const DECIDED_BEFORE_NONCE: readonly ErrorCode[] = [
  ...BUSY, 'log_full', 'rate_limit_exceeded', 'unauthorized', 'request_timeout', 'bad_answer',
];

export class RetryDelays {
  isClosed = false;
  readonly #ends = new Set<() => void>();

  begin(end: () => void): void {
    if (this.isClosed) end();
    else this.#ends.add(end);
  }

  over(end: () => void): void {
    this.#ends.delete(end);
  }

  close(): void {
    this.isClosed = true;
    for (const end of this.#ends) end();
  }
}

type RetryRules = {
  readonly isWrite: boolean;
  /** Retried at once: enough time has passed, or the request waits in a queue anyway. */
  readonly atOnce: readonly ErrorCode[];
  readonly waits?: RetryDelays;
};

/**
 * Repeats `attempt` until an answer, or an error that a retry would not change. If one attempt may have acted, only an answer or a refusal
 * of the request itself settles the result.
 */
export async function withRetries<Answer>(
  { timeoutMs = TIMEOUT_MS, retries = RETRIES, signal }: CallOptions, { isWrite, atOnce, waits = new RetryDelays() }: RetryRules,
  attempt: (number: number, timeoutMs: number) => Promise<Answer>,
): Promise<Answer> {
  let lost: StrikebookError | null = null;
  for (let number = 1; ; number++) {
    let refused: StrikebookError | null = null;
    try {
      const answer = await attempt(number, Math.min(timeoutMs, LONGEST_TIMER_MS));
      if (number > retries || !isWrite || !hasOpenItems(answer)) return answer;
      lost = new StrikebookError('no_answer', 'Items of the bulk have no outcome', { details: answer });
    } catch (error) {
      if (!(error instanceof StrikebookError)) throw error;
      if (isWrite && UNKNOWN.includes(error.code)) lost = error;
      if (number > retries || !isRetryable(error, isWrite)) throw finalError(error, lost);
      if (atOnce.includes(error.code)) continue;
      refused = error;
    }
    await wait(delayOf(refused, number), signal, waits);
  }
}

function isRetryable({ code }: StrikebookError, isWrite: boolean): boolean {
  return BUSY.includes(code) || (UNKNOWN.includes(code) && (isWrite || code !== 'internal_error'));
}

/** An unknown result wins over a last error that does not settle it. */
function finalError(last: StrikebookError, lost: StrikebookError | null): StrikebookError {
  if (lost === null || !DECIDED_BEFORE_NONCE.includes(last.code)) return last;
  const { code, message, status, details } = lost;
  return new StrikebookError(code, `${message}; the last attempt: ${last.message}`, { status, details, cause: last });
}

/** Doubles with each attempt, with jitter, but not less than the venue asked for. */
function delayOf(refused: StrikebookError | null, attempt: number): number {
  const asked = (refused?.details as { retry_after_secs?: number } | null | undefined)?.retry_after_secs ?? 0;
  const own = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
  return Math.min(Math.max(own, asked * 1_000), LONGEST_TIMER_MS);
}

function wait(ms: number, signal: AbortSignal | undefined, waits: RetryDelays): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      waits.over(end);
      resolve();
    };
    const aborted = (): void => {
      reject(new StrikebookError('aborted', 'The call was aborted between two attempts', { cause: signal?.reason }));
      end();
    };
    const timer = setTimeout(end, ms);
    waits.begin(end);
    if (signal?.aborted) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}
