// What fills count for in the competitions that run (decision 5.7), as rows for the history. Volume is the amount traded. A fill
// worse than the mark by more than the larger of 5 % of it and 0.1 % of the index counts at that bound, for both sides: what one
// gave away by its price is taken out of the profits again, an adjustment of opposite sign on each side. A fill between wallets
// of one owner, as far as agents tell, counts as if it had been made at the mark, and its volume not at all. The insurance fund is
// an account of the house and takes no part: what it closes counts for the other side alone.
// From the state as it stands at the event, so a replay makes the same rows. Micros; volume in 1e-2 USDC, rounded.

import { FILL_INSTRUMENT, FILL_MAKER, FILL_PRICE, FILL_SIDE, FILL_SIZE, FILL_TAKER } from '../../../core/codec/events.ts';
import { fundOf } from '../../../core/lifecycle/fund.ts';
import { clampSafe, mulDivFloor, mulDivHalfUp } from '../../../core/math/exact.ts';
import { PPM } from '../../../core/settings.ts';
import { BUY, CONTRACT } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import type { ScoreRow } from '../../history/protocol.ts';
import { signersOf } from '../account/agents.ts';
import type { RecordInHand } from '../history/rows.ts';
import type { Names } from '../text.ts';

const MARK_BOUND = 50_000;
const INDEX_BOUND = 1_000;
export const MICROS_A_CENT = 10_000;

/** Of a FILL: a row of each side for each of the competitions that run. */
export function scoresOf(
  state: State, names: Names, running: readonly number[], f: Float64Array, { seq, time }: RecordInHand,
): ScoreRow[] {
  if (running.length === 0) return [];
  const { instruments, valuation } = state;
  const slot = f[FILL_INSTRUMENT]!;
  const [taker, maker, price, size] = [f[FILL_TAKER]!, f[FILL_MAKER]!, f[FILL_PRICE]!, f[FILL_SIZE]!];
  const isOwn = shareASigner(state, taker, maker, time);
  const mark = valuation.mark[slot]!;
  const counted = isOwn ? mark : countedPrice(price, mark, valuation.markIndex[instruments.underlying[slot]!]!);
  const volume = isOwn ? 0 : Math.round(mulDivHalfUp(price, size, CONTRACT) / MICROS_A_CENT);
  // Positive where the buyer paid more than counts: it gets that back, the seller loses it.
  const excess = clampSafe(mulDivHalfUp(price - counted, size, CONTRACT));
  const ofTaker = f[FILL_SIDE] === BUY ? excess : -excess;
  const sides = [{ account: taker, adjustment: ofTaker + 0 }, { account: maker, adjustment: -ofTaker + 0 }]
    .filter(({ account }) => account !== fundOf(state));
  return running.flatMap((competition) => (
    sides.map(({ account, adjustment }) => ({ seq, competition, wallet: names.wallet(account), volume, adjustment }))
  ));
}

/** The price, or the bound that it lies beyond. */
function countedPrice(price: number, mark: number, index: number): number {
  const bound = Math.max(mulDivFloor(mark, MARK_BOUND, PPM), mulDivFloor(index, INDEX_BOUND, PPM));
  return Math.max(mark - bound, Math.min(mark + bound, price));
}

/** True when some address may sign for both: an agent of both, or one of them for the other. */
function shareASigner(state: State, one: number, other: number, time: number): boolean {
  const signers = new Set(signersOf(state, one, time));
  return signersOf(state, other, time).some((address) => signers.has(address));
}
