// A short queue of cancel jobs: the rest of a cancel-all, or a wallet's deadline (decision 7.3). The orders of a job never trade again:
// whoever meets one cancels it instead of filling it.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';
import { DONE_CANCEL_AFTER, DONE_DISCONNECTED } from '../errors.ts';

const HEAD = 0;
const LENGTH = 1;
const TURN = 2;

/** Numbers of a job: account, highest entry number, scope, next instrument slot, reason (a DONE_ code of core/errors). */
export const ACCOUNT = 0;
export const LAST = 1;
export const SCOPE = 2;
export const NEXT = 3;
export const REASON = 4;
const JOB = 5;
export const CANCEL_JOBS = 64;
/** Deadlines wait while this many jobs are queued, so commands find room. */
export const TIMED_JOBS = 32;

/** Otherwise the scope is an underlying's number. ONE_CONTRACT is the contract in NEXT. */
export const EVERY_CONTRACT = -1;
export const ONE_CONTRACT = -2;

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

/** Offset of the first job in `jobs`. */
export function firstCancelJob({ counters }: CancelJobs): number {
  return counters[HEAD] * JOB;
}

export function pushCancelJob(
  { counters, jobs }: CancelJobs, account: number, last: number, scope: number, next: number, reason: number,
): void {
  assert(counters[LENGTH] < CANCEL_JOBS, 'cancel jobs: room was checked');
  assert(reason !== 0, 'cancel jobs: a job has a reason');
  const at = (counters[HEAD] + counters[LENGTH]++) % CANCEL_JOBS * JOB;
  jobs[at + ACCOUNT] = account;
  jobs[at + LAST] = last;
  jobs[at + SCOPE] = scope;
  jobs[at + NEXT] = next;
  jobs[at + REASON] = reason;
}

export function popCancelJob({ counters, jobs }: CancelJobs): void {
  assert(counters[LENGTH] > 0, 'cancel jobs: a finished job was in the queue');
  jobs.fill(0, counters[HEAD] * JOB, (counters[HEAD] + 1) * JOB);
  counters[HEAD] = (counters[HEAD] + 1) % CANCEL_JOBS;
  counters[LENGTH]--;
}

/** True if such a job leaves waiting reduce-only orders in place: they protect the position of somebody who is away. */
export function leavesReduceOnly(reason: number): boolean {
  return reason === DONE_CANCEL_AFTER || reason === DONE_DISCONNECTED;
}

/** `stays`: the order waits and is reduce-only. */
type Order = {
  readonly account: number; readonly entry: number; readonly instrument: number; readonly underlying: number; readonly stays: boolean;
};

/** Of the first job that covers this order, 0 if none does. */
export function cancelJobReason({ counters, jobs }: CancelJobs, { account, entry, instrument, underlying, stays }: Order): number {
  for (let i = 0; i < counters[LENGTH]; i++) {
    const at = (counters[HEAD] + i) % CANCEL_JOBS * JOB;
    if (jobs[at + ACCOUNT] !== account || entry > jobs[at + LAST] || (stays && leavesReduceOnly(jobs[at + REASON]))) continue;
    const scope = jobs[at + SCOPE];
    const isWithin = scope === EVERY_CONTRACT || scope === underlying || (scope === ONE_CONTRACT && jobs[at + NEXT] === instrument);
    if (isWithin) return jobs[at + REASON];
  }
  return 0;
}

export function hasCancelJobOf({ counters, jobs }: CancelJobs, account: number): boolean {
  for (let i = 0; i < counters[LENGTH]; i++) if (jobs[(counters[HEAD] + i) % CANCEL_JOBS * JOB + ACCOUNT] === account) return true;
  return false;
}

/** While there is other work, every second step belongs to this queue. */
export function takeTurn({ counters }: CancelJobs, isAlone: boolean): boolean {
  counters[TURN] = isAlone ? 0 : 1 - counters[TURN];
  return isAlone || counters[TURN] === 1;
}

export function cancelJobSections(cancelJobs: CancelJobs): readonly Section[] {
  return [fixedSection('ended.counters', cancelJobs.counters), fixedSection('ended.items', cancelJobs.jobs)];
}
