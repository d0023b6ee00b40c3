// One bounded step of the long work in hand: the switch over kinds of work, and nothing else.

import { hasDoomed } from '../trading/doomed.ts';
import { doomedStep } from '../trading/protection.ts';
import { expiryStep } from './expiry.ts';
import { liquidationStep } from './liquidation.ts';
import { listingStep } from './listing.ts';
import { revaluationStep } from './revaluation.ts';
import { settlementStep } from './settlement.ts';
import { riskStep } from './sweep.ts';
import { currentItem, EXPIRE, isIdle, KIND, LIQUIDATE, LIST, REVALUE, RISK, SETTLE } from './work.ts';
import type { Lifecycle } from './expiry.ts';

export function continueWork(lifecycle: Lifecycle, time: number): void {
  const { work } = lifecycle;
  if (hasDoomed(lifecycle.doomed)) {
    doomedStep(lifecycle);
    return;
  }
  if (isIdle(work)) return;
  switch (work.items[currentItem(work) + KIND]) {
    case LIST: listingStep(lifecycle, time); return;
    case EXPIRE: expiryStep(lifecycle); return;
    case REVALUE: revaluationStep(lifecycle, time); return;
    case SETTLE: settlementStep(lifecycle, time); return;
    case RISK: riskStep(lifecycle, time); return;
    case LIQUIDATE: liquidationStep(lifecycle, time); return;
    default: throw new RangeError('unknown work');
  }
}
