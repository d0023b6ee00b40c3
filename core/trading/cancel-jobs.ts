// A short queue of cancel jobs (decision 7.3): the rest of a cancel, or a wallet's deadline. The orders of a job never trade again: whoever
// meets one cancels it.

import { assert } from '../assert.ts';
import { fixedSection, float64, uint32, type Section } from '../columns.ts';
import { DONE_CANCEL_AFTER, DONE_DISCONNECTED } from '../errors.ts';
import { LABEL_CHARS } from '../limits.ts';
import { orderAccount, orderInstrument } from '../book/pool.ts';
import { hasName, isQuote, quoteSetLength, type NamedOrders } from '../orders/names.ts';
import { orderSince, type Orders } from '../orders/orders.ts';
import { isReduceOnlyTrigger } from '../orders/untriggered.ts';

const HEAD = 0;
const LENGTH = 1;
const TURN = 2;

/** Numbers of a job. LAST: highest entry number. NEXT: next instrument slot. REASON: a DONE_ code. */
export const ACCOUNT = 0;
export const LAST = 1;
export const SCOPE = 2;
export const NEXT = 3;
export const REASON = 4;
/** ALL_ORDERS, or quotes of any set or of the set whose name follows (length, words). */
const WHICH = 5;
const SET_LENGTH = 6;
const SET = 7;
const SET_WORDS = LABEL_CHARS / 4;
const JOB = SET + SET_WORDS;
export const ALL_ORDERS = 0;
export const ALL_QUOTES = 1;
export const QUOTES_OF_SET = 2;
export const CANCEL_JOBS = 64;
/** Deadlines wait while so many jobs are queued, so commands find room. */
export const TIMED_JOBS = 32;

/** A scope other than these is an underlying's number. ONE_CONTRACT is the contract in NEXT. */
export const EVERY_CONTRACT = -1;
export const ONE_CONTRACT = -2;

/** The set's name is `length` bytes at `words[at]`. */
export type OrderFilter = { which: number; words: Uint32Array; at: number; length: number };
export const EVERY_ORDER: OrderFilter = { which: ALL_ORDERS, words: new Uint32Array(0), at: 0, length: 0 };

const scratch: { readonly filter: OrderFilter } = { filter: { which: 0, words: uint32(SET_WORDS), at: 0, length: 0 } };

export type CancelJobs = { readonly counters: Float64Array; readonly jobs: Float64Array };

export function createCancelJobs(): CancelJobs {
  return { counters: float64(3), jobs: float64(CANCEL_JOBS * JOB) };
}

export function hasCancelJobs({ counters }: CancelJobs): boolean {
  return counters[LENGTH] !== 0;
}

export function hasCancelJobRoom({ counters }: CancelJobs): boolean {
  return counters[LENGTH] < CANCEL_JOBS;
}

export function hasTimedJobRoom({ counters }: CancelJobs): boolean {
  return counters[LENGTH] < TIMED_JOBS;
}

export function firstCancelJob({ counters }: CancelJobs): number {
  return counters[HEAD] * JOB;
}

export function pushCancelJob(
  { counters, jobs }: CancelJobs, account: number, last: number, scope: number, next: number, reason: number,
  { at: word, length, which, words }: OrderFilter = EVERY_ORDER,
): void {
  assert(counters[LENGTH] < CANCEL_JOBS, 'cancel jobs: room was checked');
  assert(reason !== 0, 'cancel jobs: a job has a reason');
  const at = (counters[HEAD] + counters[LENGTH]++) % CANCEL_JOBS * JOB;
  jobs[at + ACCOUNT] = account;
  jobs[at + LAST] = last;
  jobs[at + SCOPE] = scope;
  jobs[at + NEXT] = next;
  jobs[at + REASON] = reason;
  jobs[at + WHICH] = which;
  jobs[at + SET_LENGTH] = length;
  for (let i = 0; i < (length + 3) >>> 2; i++) jobs[at + SET + i] = words[word + i];
}

export function filterOf({ jobs }: CancelJobs, at: number): OrderFilter {
  if (jobs[at + WHICH] === ALL_ORDERS) return EVERY_ORDER;
  const { filter } = scratch;
  filter.which = jobs[at + WHICH];
  filter.length = jobs[at + SET_LENGTH];
  for (let i = 0; i < SET_WORDS; i++) filter.words[i] = jobs[at + SET + i];
  return filter;
}

function isWithinFilter(orders: NamedOrders, slot: number, { at, length, which, words }: OrderFilter): boolean {
  if (which === ALL_ORDERS) return true;
  if (!isQuote(orders, slot)) return false;
  return which === ALL_QUOTES || (quoteSetLength(orders, slot) === length && hasName(orders, slot, words, at, length));
}

export function popCancelJob({ counters, jobs }: CancelJobs): void {
  assert(counters[LENGTH] > 0, 'cancel jobs: a finished job was in the queue');
  jobs.fill(0, counters[HEAD] * JOB, (counters[HEAD] + 1) * JOB);
  counters[HEAD] = (counters[HEAD] + 1) % CANCEL_JOBS;
  counters[LENGTH]--;
}

/** Waiting reduce-only orders stay, to protect the position of somebody who is away. */
export function leavesReduceOnly(reason: number): boolean {
  return reason === DONE_CANCEL_AFTER || reason === DONE_DISCONNECTED;
}

/** Of the first job that covers the order, 0 if none. */
export function cancelJobReason(cancelJobs: CancelJobs, orders: Orders, slot: number, underlying: number): number {
  const { counters, jobs } = cancelJobs;
  const account = orderAccount(orders.books, slot);
  const instrument = orderInstrument(orders.books, slot);
  const entry = orderSince(orders, slot);
  const stays = isReduceOnlyTrigger(orders, slot);
  for (let i = 0; i < counters[LENGTH]; i++) {
    const at = (counters[HEAD] + i) % CANCEL_JOBS * JOB;
    if (jobs[at + ACCOUNT] !== account || entry > jobs[at + LAST] || (stays && leavesReduceOnly(jobs[at + REASON]))) continue;
    const scope = jobs[at + SCOPE];
    const isWithin = scope === EVERY_CONTRACT || scope === underlying || (scope === ONE_CONTRACT && jobs[at + NEXT] === instrument);
    if (isWithin && isWithinFilter(orders, slot, filterOf(cancelJobs, at))) return jobs[at + REASON];
  }
  return 0;
}

export function hasCancelJobOf({ counters, jobs }: CancelJobs, account: number): boolean {
  for (let i = 0; i < counters[LENGTH]; i++) if (jobs[(counters[HEAD] + i) % CANCEL_JOBS * JOB + ACCOUNT] === account) return true;
  return false;
}

/** Every second step while there is other work. */
export function takeTurn({ counters }: CancelJobs, isAlone: boolean): boolean {
  counters[TURN] = isAlone ? 0 : 1 - counters[TURN];
  return isAlone || counters[TURN] === 1;
}

export function cancelJobSections(cancelJobs: CancelJobs): readonly Section[] {
  return [fixedSection('ended.counters', cancelJobs.counters), fixedSection('ended.items', cancelJobs.jobs)];
}
