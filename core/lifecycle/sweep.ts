// Checks every account with a position or debt once a second, in bounded steps: counts consecutive falls below maintenance on new marks and
// queues liquidations (MARGIN.md, "Liquidation"). An account is skipped, and its count restarts, while all its indexes are stale.

import { assert } from '../assert.ts';
import { ACCOUNT, emit, LIQUIDATION_BEFORE, LIQUIDATION_CHANGED, LIQUIDATION_EQUITY, LIQUIDATION_MAINTENANCE, LIQUIDATION_SLOTS,
  LIQUIDATION_STATE } from '../codec/events.ts';
import { LIQUIDATION_FALL_TIME, LIQUIDATION_FALLS, LIQUIDATION_INTERVAL, LIQUIDATION_RESET, LIQUIDATION_SECOND_FALL,
  LIQUIDATION_WAIT } from '../settings.ts';
import { accountCount, HEALTHY, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../accounts/accounts.ts';
import { isMarketOpen } from '../instruments/trading-mode.ts';
import { liveHoldings } from '../positions/holdings.ts';
import { isIndexStale } from '../valuation/valuation.ts';
import { equityAtTheo, freshen, maintenanceOf, positionInitialOf } from '../margin/account-margin.ts';
import type { Lifecycle } from './lifecycle.ts';
import { fundOf } from './insurance-fund.ts';
import { MARGIN_A_STEP, NEXT_SWEEP, ROWS_A_STEP, startPass, WATCHED } from './liquidation-state.ts';
import { currentItem, FIRST, hasWorkRoom, isIdle, LIQUIDATE, popWork, pushWork, RISK } from './work-queue.ts';

/** Only while the work queue is empty. The first sweep comes once somebody holds something. */
export function startSweep(lifecycle: Lifecycle, time: number): void {
  const { holdings, risk, settings, work } = lifecycle;
  const next = risk.counters[NEXT_SWEEP];
  if (!isIdle(work) || (next === 0 ? liveHoldings(holdings) === 0 : next > time)) return;
  if (!pushWork(work, RISK, 0, 0)) return;
  startPass(risk);
  risk.counters[WATCHED] = 0;
  risk.counters[NEXT_SWEEP] = time + settings.values[LIQUIDATION_INTERVAL];
}

/** Infinity: none is due, or the work queue is busy. */
export function sweepDue(lifecycle: Lifecycle): number {
  const next = lifecycle.risk.counters[NEXT_SWEEP];
  return next === 0 || !isIdle(lifecycle.work) ? Infinity : next;
}

/** After the last holding is gone, one more sweep finds debts. */
export function riskStep(lifecycle: Lifecycle, time: number): void {
  const { accounts, holdings, risk, work } = lifecycle;
  const item = currentItem(work);
  const count = accountCount(accounts);
  let account = work.items[item + FIRST];
  const end = Math.min(count, account + ROWS_A_STEP);
  assert(account >= 0 && account <= count, 'sweep: a step continues where the last one ended');
  // The cost is counted, not measured: where a step ends must not depend on caches.
  for (let cost = 0; account < end && cost < MARGIN_A_STEP && hasWorkRoom(work); account++) {
    if (!isAtRisk(lifecycle, account)) continue;
    cost += 1 + accounts.positions[account] + accounts.openOrders[account];
    checkAccount(lifecycle, account, time);
  }
  work.items[item + FIRST] = account;
  const isFull = !hasWorkRoom(work);
  if (account < count && !isFull) return;
  popWork(work);
  if (account < count) {
    pushWork(work, RISK, account, 0);
    return;
  }
  if (liveHoldings(holdings) === 0 && risk.counters[WATCHED] === 0) risk.counters[NEXT_SWEEP] = 0;
}

function isAtRisk({ accounts, risk }: Lifecycle, account: number): boolean {
  return accounts.positions[account] !== 0 || accounts.cash[account] < 0 || risk.falls[account] !== 0
    || isBeingLiquidated(accounts.status[account]);
}

function isBeingLiquidated(status: number): boolean {
  return status === PRE_LIQUIDATION || status === IN_LIQUIDATION;
}

function checkAccount(lifecycle: Lifecycle, account: number, time: number): void {
  const { accounts, risk, work } = lifecycle;
  if (account === fundOf(lifecycle)) {
    if (accounts.positions[account] !== 0) pushWork(work, LIQUIDATE, account, 0);
    return;
  }
  const liquidating = isBeingLiquidated(accounts.status[account]);
  if (isUnpriced(lifecycle, account, time)) {
    risk.falls[account] = 0;
    restartCalm(lifecycle, account);
  } else if (!liquidating) checkHealthy(lifecycle, account, time);
  else if (!recover(lifecycle, account, time)) {
    if (accounts.status[account] === PRE_LIQUIDATION) holdWait(lifecycle, account, time);
    checkFallen(lifecycle, account, time);
  }
  if (risk.falls[account] !== 0 || isBeingLiquidated(accounts.status[account])) risk.counters[WATCHED]++;
}

function checkHealthy(lifecycle: Lifecycle, account: number, time: number): void {
  const { risk, settings, work } = lifecycle;
  const { values } = settings;
  freshen(lifecycle, account);
  if (hasMaintenance(lifecycle, account)) risk.falls[account] = 0;
  else if (countFall(lifecycle, account, time)) {
    const recovered = risk.recoveredAt[account];
    const isSecond = recovered !== 0 && time - recovered <= values[LIQUIDATION_SECOND_FALL];
    risk.waitEnd[account] = isSecond ? time : time + values[LIQUIDATION_WAIT];
    risk.calm[account] = risk.heldAt[account] = 0;
    changeStatus(lifecycle, account, PRE_LIQUIDATION);
    pushWork(work, LIQUIDATE, account, 0);
  }
}

/**
 * Below maintenance, liquidation continues, or needs a new fall after a long time above. Above, only orders left by a deleveraging are
 * work.
 */
function checkFallen(lifecycle: Lifecycle, account: number, time: number): void {
  const { accounts, risk, settings, work } = lifecycle;
  const isStale = cannotBeTakenOver(lifecycle, account, time);
  if (hasMaintenance(lifecycle, account)) {
    risk.falls[account] = 0;
    if (isStale) restartCalm(lifecycle, account);
    else risk.calm[account]++;
    if (isCalmLong(lifecycle, account)) risk.stalled[account] = risk.freed[account] = 0;
    if (hasOpeningOrders(lifecycle, account)) pushWork(work, LIQUIDATE, account, 0);
    return;
  }
  if (isCalmLong(lifecycle, account) && !countFall(lifecycle, account, time)) return;
  risk.calm[account] = 0;
  // Without prices no takeover is possible, so the time does not count.
  if (accounts.status[account] === IN_LIQUIDATION && !isStale) risk.stalled[account] += settings.values[LIQUIDATION_INTERVAL];
  pushWork(work, LIQUIDATE, account, 0);
}

function isCalmLong({ risk, settings }: Lifecycle, account: number): boolean {
  const { values } = settings;
  return (risk.calm[account] - 1) * values[LIQUIDATION_INTERVAL] >= values[LIQUIDATION_RESET];
}

function restartCalm(lifecycle: Lifecycle, account: number): void {
  if (!isCalmLong(lifecycle, account)) lifecycle.risk.calm[account] = 0;
}

export function hasMaintenance(lifecycle: Lifecycle, account: number): boolean {
  return !(equityAtTheo(lifecycle, account) < maintenanceOf(lifecycle, account));
}

function hasOpeningOrders({ accounts, holdings }: Lifecycle, account: number): boolean {
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    const position = holdings.position[link - 1];
    if (holdings.askSize[link - 1] > Math.max(0, position) || holdings.bidSize[link - 1] > Math.max(0, -position)) return true;
  }
  return false;
}

/** True if the account has positions, all on stale indexes. Then no liquidation acts. */
export function isUnpriced({ accounts, holdings, instruments, settings, valuation }: Lifecycle, account: number, time: number): boolean {
  let isHeld = false;
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    if (holdings.position[link - 1] === 0) continue;
    if (!isIndexStale(valuation, settings, instruments.underlying[holdings.instrument[link - 1]], time)) return false;
    isHeld = true;
  }
  return isHeld;
}

/** If true, no takeover happens. */
function hasStaleIndex({ accounts, holdings, instruments, settings, valuation }: Lifecycle, account: number, time: number): boolean {
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    if (holdings.position[link - 1] === 0) continue;
    if (isIndexStale(valuation, settings, instruments.underlying[holdings.instrument[link - 1]], time)) return true;
  }
  return false;
}

/** If true, the account's wait stands still, and nobody takes it over. */
export function hasClosedMarket({ accounts, holdings, instruments }: Lifecycle, account: number): boolean {
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    if (holdings.position[link - 1] !== 0 && !isMarketOpen(instruments, holdings.instrument[link - 1])) return true;
  }
  return false;
}

export function cannotBeTakenOver(lifecycle: Lifecycle, account: number, time: number): boolean {
  return hasStaleIndex(lifecycle, account, time) || hasClosedMarket(lifecycle, account);
}

function holdWait(lifecycle: Lifecycle, account: number, time: number): void {
  const { heldAt, waitEnd } = lifecycle.risk;
  if (heldAt[account] !== 0) waitEnd[account] += time - heldAt[account];
  heldAt[account] = hasClosedMarket(lifecycle, account) ? time : 0;
}

/** All marks must be newer than `since`, because marks count once. */
function hasNewMarks({ accounts, holdings, instruments, valuation }: Lifecycle, account: number, since: number): boolean {
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    if (holdings.position[link - 1] === 0) continue;
    if (valuation.markedAt[instruments.underlying[holdings.instrument[link - 1]]] <= since) return false;
  }
  return true;
}

function countFall(lifecycle: Lifecycle, account: number, time: number): boolean {
  const { risk } = lifecycle;
  const { values } = lifecycle.settings;
  if (!hasNewMarks(lifecycle, account, risk.countedAt[account])) return false;
  risk.countedAt[account] = time;
  if (risk.falls[account] === 0) risk.fellAt[account] = time;
  risk.falls[account] = Math.min(values[LIQUIDATION_FALLS], risk.falls[account] + 1);
  if (risk.falls[account] < values[LIQUIDATION_FALLS] || time - risk.fellAt[account] < values[LIQUIDATION_FALL_TIME]) return false;
  risk.falls[account] = 0;
  return true;
}

export function recover(lifecycle: Lifecycle, account: number, time: number): boolean {
  freshen(lifecycle, account);
  if (!(equityAtTheo(lifecycle, account) >= positionInitialOf(lifecycle, account))) return false;
  lifecycle.risk.recoveredAt[account] = time;
  changeStatus(lifecycle, account, HEALTHY);
  return true;
}

/** The event carries equity and maintenance; for LIQUIDATED both are 0. */
export function changeStatus(lifecycle: Lifecycle, account: number, status: number): void {
  const { accounts, events, streams } = lifecycle;
  freshen(lifecycle, account);
  assert(account !== fundOf(lifecycle), 'sweep: the fund is never liquidated');
  const f = events.slots;
  f[ACCOUNT] = account;
  f[LIQUIDATION_BEFORE] = accounts.status[account];
  f[LIQUIDATION_STATE] = status;
  f[LIQUIDATION_EQUITY] = equityAtTheo(lifecycle, account);
  f[LIQUIDATION_MAINTENANCE] = status === LIQUIDATED ? 0 : maintenanceOf(lifecycle, account);
  accounts.status[account] = status;
  streams.accounts.liquidation[account]++;
  emit(events, LIQUIDATION_CHANGED, LIQUIDATION_SLOTS);
}
