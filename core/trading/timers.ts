// The dead man's switch, cancel on disconnect, and their deadlines (decision 7.3). A tick fires a deadline, or the wallet's own next
// command before it runs. None of the wallet's open orders trades from the deadline on (`pendingCancelReason`).

import { assert } from '../assert.ts';
import { ENGINE_BUSY, UNKNOWN_WALLET } from '../errors.ts';
import { CONNECTION_GONE, DISCONNECTED, DOUBLE_GRACE, DOUBLE_TIMEOUT, WORD_CONNECTION, WORD_ENABLED, WORD_PRESENCE_ACCOUNT,
  WORD_PRESENCE_CONNECTION } from '../codec/commands.ts';
import { ACCOUNT, emit, SAFETY_CANCEL_AT, SAFETY_CHANGED, SAFETY_CHANGED_SLOTS, SAFETY_CONNECTION, SAFETY_ENABLED, SAFETY_FIRED,
  SAFETY_FIRED_SLOTS, SAFETY_GONE_AT, SAFETY_GRACE, SAFETY_REASON } from '../codec/events.ts';
import { recordCode, type Views } from '../codec/record.ts';
import { accountCount } from '../accounts/accounts.ts';
import { firstDeadline } from '../safety/deadlines.ts';
import { isOfConnection, isOverdue, isSwitchNext, updateDeadline, type Safety } from '../safety/safety.ts';
import { cancelInSteps, deadlineReason } from './cancel-all.ts';
import { hasTimedJobRoom } from './cancel-jobs.ts';
import type { Trading } from './context.ts';

export const FIRES_PER_TICK = 256;

/** Result: OK with its time, 0 for never; ENGINE_BUSY. */
export function setCancelAfter(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const { result, safety } = trading;
  if (isOverdue(safety, account, time)) {
    result.code = ENGINE_BUSY;
    return;
  }
  const timeout = views.f64[(at >>> 3) + DOUBLE_TIMEOUT];
  safety.timeout[account] = timeout;
  safety.cancelAt[account] = timeout === 0 ? 0 : time + timeout;
  result.numbers[0] = safety.cancelAt[account];
  change(trading, account);
}

/**
 * Starts a deadline if the connection is already gone; otherwise DISCONNECTED may follow. Result: OK with the deadline, 0 while connected;
 * ENGINE_BUSY.
 */
export function setCancelOnDisconnect(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const { result, safety } = trading;
  if (isOverdue(safety, account, time)) {
    result.code = ENGINE_BUSY;
    return;
  }
  const word = (at >>> 2) + WORD_CONNECTION;
  const isEnabled = views.u32[(at >>> 2) + WORD_ENABLED];
  safety.enabled[account] = isEnabled;
  safety.grace[account] = isEnabled * views.f64[(at >>> 3) + DOUBLE_GRACE];
  safety.connection[account * 2] = isEnabled * views.u32[word];
  safety.connection[account * 2 + 1] = isEnabled * views.u32[word + 1];
  safety.goneAt[account] = isEnabled !== 0 && recordCode(views, at) === CONNECTION_GONE ? time + safety.grace[account] : 0;
  result.numbers[0] = safety.goneAt[account];
  change(trading, account);
}

/** Ignored if the wallet has since named another connection. A second DISCONNECTED does not extend a running deadline. */
export function setPresence(trading: Trading, views: Views, at: number, kind: number, time: number): void {
  const { accounts, result, safety } = trading;
  const word = at >>> 2;
  const account = views.u32[word + WORD_PRESENCE_ACCOUNT];
  if (account >= accountCount(accounts)) {
    result.code = UNKNOWN_WALLET;
    return;
  }
  const { goneAt, grace } = safety;
  if (!isOfConnection(safety, account, views.u32[word + WORD_PRESENCE_CONNECTION], views.u32[word + WORD_PRESENCE_CONNECTION + 1])) return;
  if (kind === DISCONNECTED ? goneAt[account] !== 0 : goneAt[account] <= time) return;
  goneAt[account] = kind === DISCONNECTED ? time + grace[account] : 0;
  change(trading, account);
}

export function fireDeadlines(trading: Trading, time: number): void {
  const { cancelJobs, safety } = trading;
  for (let fired = 0; fired < FIRES_PER_TICK && hasTimedJobRoom(cancelJobs); fired++) {
    const account = firstDeadline(safety.deadlines);
    if (account < 0 || safety.deadlines.at[account] > time) return;
    fire(trading, account);
  }
}

export function fireOwnDeadlines(trading: Trading, account: number, time: number): void {
  while (isOverdue(trading.safety, account, time) && hasTimedJobRoom(trading.cancelJobs)) fire(trading, account);
}

/** Infinity: there is no deadline, or no room for its job. */
export function deadlineDue({ cancelJobs, safety }: Trading): number {
  const account = firstDeadline(safety.deadlines);
  return account < 0 || !hasTimedJobRoom(cancelJobs) ? Infinity : safety.deadlines.at[account];
}

/** Cancels the orders and turns the switch off. A named connection is forgotten, because it never comes back. */
function fire(trading: Trading, account: number): void {
  const { events, safety } = trading;
  const { cancelAt, goneAt } = safety;
  const reason = deadlineReason(safety, account);
  assert(safety.deadlines.at[account] !== 0, 'timers: a deadline that fires was set');
  if (isSwitchNext(safety, account)) cancelAt[account] = safety.timeout[account] = 0;
  else {
    goneAt[account] = 0;
    if (!isOfConnection(safety, account, 0, 0)) turnOff(safety, account);
  }
  updateDeadline(safety, account);
  events.slots[ACCOUNT] = account;
  events.slots[SAFETY_REASON] = reason;
  emit(events, SAFETY_FIRED, SAFETY_FIRED_SLOTS);
  cancelInSteps(trading, account, reason);
}

function turnOff({ connection, enabled, grace }: Safety, account: number): void {
  enabled[account] = grace[account] = connection[account * 2] = connection[account * 2 + 1] = 0;
}

function change({ events, safety }: Trading, account: number): void {
  updateDeadline(safety, account);
  const f = events.slots;
  f[ACCOUNT] = account;
  f[SAFETY_CANCEL_AT] = safety.cancelAt[account];
  f[SAFETY_ENABLED] = safety.enabled[account];
  f[SAFETY_GRACE] = safety.grace[account];
  f[SAFETY_CONNECTION] = safety.connection[account * 2];
  f[SAFETY_CONNECTION + 1] = safety.connection[account * 2 + 1];
  f[SAFETY_GONE_AT] = safety.goneAt[account];
  emit(events, SAFETY_CHANGED, SAFETY_CHANGED_SLOTS);
}
