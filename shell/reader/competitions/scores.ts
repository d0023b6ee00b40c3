// Competition scores of fills (decision 5.7), from the state at the event, so a replay makes the same. A distance from
// the mark counts up to the larger of 5 % of the mark and 0.1 % of the index. Over a competition, two wallets' fills
// count only up to a total distance; the rest is an adjustment of opposite sign on each side. A fill between wallets
// with a common signer counts at the mark, without volume. Micros; volume in 1e-2 USDC, rounded.

import { FILL_INSTRUMENT, FILL_MAKER, FILL_PRICE, FILL_SIDE, FILL_SIZE, FILL_TAKER } from '../../../core/codec/events.ts';
import { fundOf } from '../../../core/lifecycle/insurance-fund.ts';
import { clampSafe, mulDivFloor, mulDivHalfUp } from '../../../core/math/exact.ts';
import { PPM } from '../../../core/settings.ts';
import { BUY, CONTRACT } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import type { ScoreRow } from '../../storage/history/protocol.ts';
import type { Names } from '../text.ts';
import type { Dealings } from './dealings.ts';

const MARK_BOUND = 50_000;
const INDEX_BOUND = 1_000;
export const MICROS_A_CENT = 10_000;

type Scoring = { readonly state: State; readonly names: Names; readonly dealings: Dealings };

export function scoresOf({ state, names, dealings }: Scoring, running: readonly number[], f: Float64Array, seq: number): ScoreRow[] {
  if (running.length === 0) return [];
  const { instruments, valuation } = state;
  const slot = f[FILL_INSTRUMENT]!;
  const [price, size, mark] = [f[FILL_PRICE]!, f[FILL_SIZE]!, valuation.mark[slot]!];
  const accounts = [f[FILL_TAKER]!, f[FILL_MAKER]!] as const;
  const wallets = [names.wallet(accounts[0]), names.wallet(accounts[1])] as const;
  const isOfFund = accounts.includes(fundOf(state));
  const bounded = countedPrice(price, mark, valuation.markIndex[instruments.underlying[slot]!]!);
  const amountOf = (distance: number): number => clampSafe(mulDivHalfUp(distance, size, CONTRACT));
  const rows: ScoreRow[] = [];
  for (const competition of running) {
    const isOwn = dealings.shareASigner(competition, ...wallets);
    const away = isOwn ? 0 : amountOf(Math.abs(bounded - mark));
    const counted = away === 0 || isOfFund ? away : dealings.count(competition, wallets, away, seq);
    const excess = isOwn ? amountOf(price - mark) : amountOf(price - bounded) + (bounded > mark ? away - counted : counted - away);
    const ofTaker = f[FILL_SIDE] === BUY ? excess : -excess;
    const volume = isOwn ? 0 : Math.round(mulDivHalfUp(price, size, CONTRACT) / MICROS_A_CENT);
    for (const side of [0, 1] as const) {
      if (accounts[side] === fundOf(state)) continue;
      rows.push({ seq, competition, wallet: wallets[side], volume, adjustment: (side === 0 ? ofTaker : -ofTaker) + 0 });
    }
  }
  return rows;
}

function countedPrice(price: number, mark: number, index: number): number {
  const bound = Math.max(mulDivFloor(mark, MARK_BOUND, PPM), mulDivFloor(index, INDEX_BOUND, PPM));
  return Math.max(mark - bound, Math.min(mark + bound, price));
}
