// Chooses the next bounded step of long work. A revaluation once begun is finished, so that other work never sees half of a vintage. A
// takeover keeps its marks, and an expiry those from before it. Cancel jobs get every other step, triggers every other one of the rest,
// reclaiming every eighth of what then remains.

import { cancelJobStep } from '../trading/cancel-all.ts';
import { hasMmpCancels } from '../trading/mmp-cancels.ts';
import { hasCancelJobs, takeTurn } from '../trading/cancel-jobs.ts';
import { mmpCancelStep } from '../trading/protection.ts';
import { expiryStep } from './expiry.ts';
import { firingStep } from './firing.ts';
import { hasFiring, takeFiringTurn } from './firing-state.ts';
import { isTakingOver, liquidationStep } from './liquidation.ts';
import { listingStep } from './listing.ts';
import { addMarketStep, clearMarketStep } from './operator-markets.ts';
import { hasReclaim, takeReclaimTurn } from './reclaim-state.ts';
import { reclaimStep } from './reclaim.ts';
import { isRevaluing, revaluationStep } from './revaluation.ts';
import { settlementStep } from './settlement.ts';
import { riskStep } from './sweep.ts';
import { ADD_MARKET, CLEAR_MARKET, CREDIT, currentItem, EXPIRE, isIdle, KIND, LIQUIDATE, LIST, RISK, SETTLE } from './work-queue.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Steps of lead over other work: more than one revaluation of each underlying needs. */
const MOST_CREDIT = 1_024;

export function hasWork({ mmpCancels, cancelJobs, firing, marks, reclaim, work }: Lifecycle): boolean {
  return !isIdle(work) || !isIdle(marks) || hasMmpCancels(mmpCancels) || hasCancelJobs(cancelJobs) || hasFiring(firing)
    || hasReclaim(reclaim);
}

export function continueWork(lifecycle: Lifecycle, time: number): void {
  const { mmpCancels, cancelJobs, firing, marks, reclaim, work } = lifecycle;
  const isIdleElse = isIdle(marks) && isIdle(work);
  const isFiring = hasFiring(firing);
  const isReclaiming = hasReclaim(reclaim);
  if (hasMmpCancels(mmpCancels)) mmpCancelStep(lifecycle);
  else if (hasCancelJobs(cancelJobs) && takeTurn(cancelJobs, isIdleElse && !isFiring && !isReclaiming)) cancelJobStep(lifecycle);
  else if (isFiring && takeFiringTurn(firing, isIdleElse && !isReclaiming)) firingStep(lifecycle, time);
  else if (isReclaiming && takeReclaimTurn(reclaim, isIdleElse)) reclaimStep(lifecycle, time);
  else if (isTurnOfMarks(lifecycle)) {
    marks.counters[CREDIT] = isIdle(work) ? MOST_CREDIT : marks.counters[CREDIT] - 1;
    revaluationStep(lifecycle, time);
  } else if (!isIdle(work)) {
    marks.counters[CREDIT] = Math.min(MOST_CREDIT, marks.counters[CREDIT] + 1);
    workStep(lifecycle, time);
  }
}

function isTurnOfMarks(lifecycle: Lifecycle): boolean {
  const { marks, work } = lifecycle;
  if (isIdle(marks)) return false;
  if (isIdle(work) || isRevaluing(lifecycle)) return true;
  return marks.counters[CREDIT] > 0 && !isTakingOver(lifecycle) && work.items[currentItem(work) + KIND] !== EXPIRE;
}

function workStep(lifecycle: Lifecycle, time: number): void {
  const { work } = lifecycle;
  const kind = work.items[currentItem(work) + KIND];
  switch (kind) {
    case LIST: listingStep(lifecycle, time); return;
    case EXPIRE: expiryStep(lifecycle); return;
    case SETTLE: settlementStep(lifecycle, time); return;
    case RISK: riskStep(lifecycle, time); return;
    case LIQUIDATE: liquidationStep(lifecycle, time); return;
    case ADD_MARKET: addMarketStep(lifecycle, time); return;
    case CLEAR_MARKET: clearMarketStep(lifecycle); return;
    default: throw new RangeError(`work: unknown kind ${kind}`);
  }
}
