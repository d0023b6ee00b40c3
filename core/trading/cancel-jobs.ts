// Orders that their wallet has ended, by a command that found too many to cancel at once, or by a time limit it had set
// (decision 7.3): whose, up to which id, of which contracts, why, and how far the cancelling has come. Whoever meets such an order
// cancels it instead of filling it: none of them trades any more. A short queue, for everybody who meets an order looks through it.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';

const HEAD = 0;
const LENGTH = 1;
const TURN = 2;

/** Numbers of an item: account, last order id, scope, the instrument slot to go on with, and why (DONE_ of core/errors). */
export const ACCOUNT = 0;
export const LAST = 1;
export const SCOPE = 2;
export const NEXT = 3;
export const REASON = 4;
const JOB = 5;
export const CANCEL_JOBS = 64;
/** While so many are in hand a time limit waits: who asks for a cancel finds room. */
export const TIMED_JOBS = 32;

/** A scope is an underlying's number, or all contracts, or the one in the slot to go on with. */
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

/** Room for what a time limit ends. */
export function hasTimedJobRoom({ counters }: CancelJobs): boolean {
  return counters[LENGTH] < TIMED_JOBS;
}

/** Offset of the item in hand within `items`. */
export function firstCancelJob({ counters }: CancelJobs): number {
  return counters[HEAD] * JOB;
}

export function pushCancelJob(
  { counters, jobs }: CancelJobs, account: number, last: number, scope: number, next: number, reason: number,
): void {
  assert(counters[LENGTH] < CANCEL_JOBS, 'cancel jobs: room was checked');
  assert(reason !== 0, 'cancel jobs: orders end for a reason');
  const at = (counters[HEAD] + counters[LENGTH]++) % CANCEL_JOBS * JOB;
  jobs[at + ACCOUNT] = account;
  jobs[at + LAST] = last;
  jobs[at + SCOPE] = scope;
  jobs[at + NEXT] = next;
  jobs[at + REASON] = reason;
}

export function popCancelJob({ counters, jobs }: CancelJobs): void {
  assert(counters[LENGTH] > 0, 'cancel jobs: an item that is done was in the queue');
  jobs.fill(0, counters[HEAD] * JOB, (counters[HEAD] + 1) * JOB);
  counters[HEAD] = (counters[HEAD] + 1) % CANCEL_JOBS;
  counters[LENGTH]--;
}

/** Why this order of the account is ended, by the first item that is about it; 0: by none. */
export function cancelJobReason(
  { counters, jobs }: CancelJobs, account: number, id: number, instrument: number, underlying: number,
): number {
  for (let i = 0; i < counters[LENGTH]; i++) {
    const at = (counters[HEAD] + i) % CANCEL_JOBS * JOB;
    if (jobs[at + ACCOUNT] !== account || id > jobs[at + LAST]) continue;
    const scope = jobs[at + SCOPE];
    const isWithin = scope === EVERY_CONTRACT || scope === underlying || (scope === ONE_CONTRACT && jobs[at + NEXT] === instrument);
    if (isWithin) return jobs[at + REASON];
  }
  return 0;
}

/** Whether an item is about the account. */
export function hasCancelJobOf({ counters, jobs }: CancelJobs, account: number): boolean {
  for (let i = 0; i < counters[LENGTH]; i++) if (jobs[(counters[HEAD] + i) % CANCEL_JOBS * JOB + ACCOUNT] === account) return true;
  return false;
}

/** Every other step is for this queue while there is other work. */
export function takeTurn({ counters }: CancelJobs, isAlone: boolean): boolean {
  counters[TURN] = isAlone ? 0 : 1 - counters[TURN];
  return isAlone || counters[TURN] === 1;
}

export function cancelJobSections(cancelJobs: CancelJobs): readonly Section[] {
  return [fixedSection('ended.counters', cancelJobs.counters), fixedSection('ended.items', cancelJobs.jobs)];
}
