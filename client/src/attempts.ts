// How often and when a request goes out again: the same for REST and the socket. Times in ms.

import { StrikebookError, type ErrorCode } from './errors.ts';
import { callListener } from './listeners.ts';
import { isOpen } from './refusals.ts';

/** What headers, or a message of the socket, say of an answer. Budgets are null where the answer tells none. */
export type AnswerFacts = {
  /** Of HTTP; 0 by socket. */
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

export type Patience = {
  /** Of one attempt. */
  readonly timeoutMs?: number;
  /** Further attempts after a lost answer or a busy venue. */
  readonly retries?: number;
  readonly onAnswer?: (facts: AnswerFacts) => void;
};
export type CallOptions = Patience & {
  /** Ends the call, waiting times included. */
  readonly signal?: AbortSignal;
};

/** `fault` gets what a listener throws, which is no outcome of the call: that may have acted. */
export function tellAnswer(
  facts: AnswerFacts, listeners: readonly Patience['onAnswer'][], fault: (error: unknown) => void,
): void {
  for (const listener of listeners) callListener(() => listener?.(facts), fault);
}

/** As much as a timer takes: one of more runs at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
const TIMEOUT_MS = 10_000;
const RETRIES = 4;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;
/** Of a write the outcome is unknown; `internal_error` can mean that its record was not durable in time. */
const UNKNOWN: readonly ErrorCode[] = ['timeout', 'no_answer', 'internal_error'];
/** Nothing has happened yet. */
const BUSY: readonly ErrorCode[] = ['engine_busy', 'not_ready'];
/** Said before the nonce is looked at, and so not whether an attempt before has acted. */
const UNTOLD: readonly ErrorCode[] = [...BUSY, 'rate_limit_exceeded', 'unauthorized', 'request_timeout', 'bad_answer'];

/** Waits for next attempts of what can be closed: they are over then, since the attempt will be told so. */
export class Waits {
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

/** What is carried, and how. */
type Carriage = {
  readonly isWrite: boolean;
  /** After these the next attempt follows in the same turn of the event loop: enough was waited, or it finds its place in a queue. */
  readonly atOnce: readonly ErrorCode[];
  readonly waits?: Waits;
};

/**
 * Makes one attempt after the other, until one brings an answer or an error that another would not change. Once an attempt may have
 * acted, only an answer or a refusal of the request itself can say that it has not.
 */
export async function attempts<Answer>(
  { timeoutMs = TIMEOUT_MS, retries = RETRIES, signal }: CallOptions, { isWrite, atOnce, waits = new Waits() }: Carriage,
  attempt: (number: number, timeoutMs: number) => Promise<Answer>,
): Promise<Answer> {
  let lost: StrikebookError | null = null;
  for (let number = 1; ; number++) {
    let refused: StrikebookError | null = null;
    try {
      const answer = await attempt(number, Math.min(timeoutMs, LONGEST_TIMER_MS));
      if (number > retries || !isWrite || !isOpen(answer)) return answer;
      lost = new StrikebookError('no_answer', 'Items of the bulk have no outcome', { details: answer });
    } catch (error) {
      if (!(error instanceof StrikebookError)) throw error;
      if (isWrite && UNKNOWN.includes(error.code)) lost = error;
      if (number > retries || !isWorthAgain(error, isWrite)) throw toldOf(error, lost);
      if (atOnce.includes(error.code)) continue;
      refused = error;
    }
    await wait(waitOf(refused, number), signal, waits);
  }
}

function isWorthAgain({ code }: StrikebookError, isWrite: boolean): boolean {
  return BUSY.includes(code) || (UNKNOWN.includes(code) && (isWrite || code !== 'internal_error'));
}

/** What the caller is told when `last` ends the attempts, one of which was lost. */
function toldOf(last: StrikebookError, lost: StrikebookError | null): StrikebookError {
  if (lost === null || !UNTOLD.includes(last.code)) return last;
  const { code, message, status, details } = lost;
  return new StrikebookError(code, `${message}; the last attempt: ${last.message}`, { status, details, cause: last });
}

/** Doubles with each attempt, with chance in it; never shorter than the venue asked for, which a busy one knows best. */
function waitOf(refused: StrikebookError | null, attempt: number): number {
  const asked = (refused?.details as { retry_after_secs?: number } | null | undefined)?.retry_after_secs ?? 0;
  const own = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
  return Math.min(Math.max(own, asked * 1_000), LONGEST_TIMER_MS);
}

/** Throws `aborted` as soon as the signal says so. */
function wait(ms: number, signal: AbortSignal | undefined, waits: Waits): Promise<void> {
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
