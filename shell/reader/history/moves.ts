// Fill rows of both sides of positions that moved without a trade (takeover, auto-deleveraging), and the split of an
// order's fee.

import { ACCOUNT, DELEVERAGED_AGAINST, DELEVERAGED_AGAINST_FILL_ID, DELEVERAGED_AGAINST_REALIZED, DELEVERAGED_FILL_ID,
  DELEVERAGED_INSTRUMENT, DELEVERAGED_PRICE, DELEVERAGED_REALIZED, DELEVERAGED_SIDE, DELEVERAGED_SIZE, OVER_FILL_ID,
  OVER_FUND_FILL_ID, OVER_FUND_REALIZED, OVER_INSTRUMENT, OVER_POSITION, OVER_PRICE, OVER_REALIZED,
  TAKEN_OVER } from '../../../core/codec/events.ts';
import type { State } from '../../../core/engine/state.ts';
import { fundOf } from '../../../core/lifecycle/insurance-fund.ts';
import { mulDivFloor } from '../../../core/math/exact.ts';
import { BUY, SELL } from '../../../core/units.ts';
import type { FillRow } from '../../storage/history/protocol.ts';
import { DELEVERAGING, TAKEOVER } from '../../ipc/enum-names.ts';
import type { Names } from '../text.ts';

type Side = { readonly account: number; readonly fillId: number; readonly side: number; readonly realized: number };

export function movesOf(
  kind: number, f: Float64Array, state: State, names: Names, { seq, time }: { readonly seq: number; readonly time: number },
): FillRow[] {
  const isTakeover = kind === TAKEN_OVER;
  const instrument = f[isTakeover ? OVER_INSTRUMENT : DELEVERAGED_INSTRUMENT]!;
  const common = {
    kind: isTakeover ? TAKEOVER : DELEVERAGING, seq, tradeId: 0, orderId: 0, symbol: names.symbol(instrument),
    underlying: names.underlyingOf(instrument), price: f[isTakeover ? OVER_PRICE : DELEVERAGED_PRICE]!,
    size: Math.abs(f[isTakeover ? OVER_POSITION : DELEVERAGED_SIZE]!), fee: 0, isTaker: false, position: null, time,
  };
  const sides = isTakeover ? sidesOfTakeover(f, fundOf(state)) : sidesOfDeleveraging(f);
  return sides.map(({ account, ...side }) => ({ ...common, ...side, wallet: names.wallet(account) }));
}

function sidesOfTakeover(f: Float64Array, fund: number): readonly Side[] {
  const side = f[OVER_POSITION]! > 0 ? SELL : BUY;
  return [
    { account: f[ACCOUNT]!, fillId: f[OVER_FILL_ID]!, side, realized: f[OVER_REALIZED]! },
    { account: fund, fillId: f[OVER_FUND_FILL_ID]!, side: 1 - side, realized: f[OVER_FUND_REALIZED]! },
  ];
}

function sidesOfDeleveraging(f: Float64Array): readonly Side[] {
  const side = f[DELEVERAGED_SIDE]!;
  return [
    { account: f[ACCOUNT]!, fillId: f[DELEVERAGED_FILL_ID]!, side, realized: f[DELEVERAGED_REALIZED]! },
    {
      account: f[DELEVERAGED_AGAINST]!, fillId: f[DELEVERAGED_AGAINST_FILL_ID]!, side: 1 - side, realized: f[DELEVERAGED_AGAINST_REALIZED]!,
    },
  ];
}

/** The last fill gets the rounding remainder. */
export function shareFee(fee: number, sizes: readonly number[]): number[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const parts = sizes.slice(0, -1).map((size) => mulDivFloor(fee, size, total));
  return sizes.length === 0 ? [] : [...parts, fee - parts.reduce((sum, part) => sum + part, 0)];
}
