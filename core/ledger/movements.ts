// Rows of the account ledger, made from events: each change of an account's cash in order, with the balance after it.

import { CONTRACT, BUY } from '../units.ts';
import { PERP } from '../codec/commands.ts';
import * as E from '../codec/events.ts';
import { mulDivHalfUp } from '../math/exact.ts';
import type { Instruments } from '../instruments/instruments.ts';

const OPENING = 0;
const TRADED = 1;
const FEE = 2;
const FUNDING = 3;
const SETTLEMENT = 4;
const SETTLEMENT_FEE = 5;
const LIQUIDATION_FEE = 6;
const TAKEOVER = 7;
const DELEVERAGING = 8;
const CREDIT = 9;

export const MOVING_EVENTS: readonly number[] = [
  E.ACCOUNT_OPENED, E.ACCOUNT_CLOSED, E.FILL, E.FUNDING_PAID, E.POSITION_SETTLED, E.TAKEN_OVER, E.DELEVERAGED, E.FUND_POSTED, E.CREDITED,
];
const NONE: readonly Movement[] = [];

/** `instrument` -1, ids and `hour` 0: none. `hour`: funding was paid up to then, ms. `amount` is never 0. */
export type Movement = {
  readonly account: number; readonly kind: number; readonly amount: number; readonly balance: number; readonly instrument: number;
  readonly tradeId: number; readonly orderId: number; readonly payoutId: number; readonly hour: number;
};

type Cause = { readonly [name in 'instrument' | 'tradeId' | 'orderId' | 'payoutId' | 'hour']?: number };

export function movementsOf(kind: number, f: Float64Array, instruments: Instruments): readonly Movement[] {
  if (!MOVING_EVENTS.includes(kind)) return NONE;
  const made: Movement[] = [];
  const add = (account: number, what: number, amount: number, balance: number, cause: Cause = {}): void => {
    if (amount === 0) return;
    const { instrument = -1, tradeId = 0, orderId = 0, payoutId = 0, hour = 0 } = cause;
    made.push({ account, kind: what, amount: amount + 0, balance, instrument, tradeId, orderId, payoutId, hour });
  };
  const account = f[E.ACCOUNT];
  switch (kind) {
    case E.ACCOUNT_OPENED: add(account, OPENING, f[E.OPENED_BALANCE], f[E.OPENED_BALANCE]); break;
    case E.ACCOUNT_CLOSED: add(account, OPENING, -f[E.OPENED_BALANCE], 0); break;
    case E.FILL: addFill(f, instruments, add); break;
    case E.FUNDING_PAID:
      add(account, FUNDING, -f[E.PAID_AMOUNT], f[E.PAID_CASH], { instrument: f[E.PAID_INSTRUMENT], hour: f[E.PAID_UNTIL] });
      break;
    case E.POSITION_SETTLED: {
      const cause = { instrument: f[E.SETTLED_INSTRUMENT], payoutId: f[E.SETTLED_PAYOUT_ID] };
      add(account, SETTLEMENT, f[E.SETTLED_PAID], f[E.SETTLED_CASH] + f[E.SETTLED_FEE], cause);
      add(account, SETTLEMENT_FEE, -f[E.SETTLED_FEE], f[E.SETTLED_CASH], cause);
      break;
    }
    case E.TAKEN_OVER: {
      const cause = { instrument: f[E.OVER_INSTRUMENT] };
      add(account, TAKEOVER, f[E.OVER_AMOUNT], f[E.OVER_CASH], cause);
      add(f[E.OVER_FUND], TAKEOVER, f[E.OVER_FUND_AMOUNT], f[E.OVER_FUND_CASH], cause);
      break;
    }
    case E.DELEVERAGED: {
      const cause = { instrument: f[E.DELEVERAGED_INSTRUMENT] };
      add(account, DELEVERAGING, f[E.DELEVERAGED_AMOUNT], f[E.DELEVERAGED_CASH], cause);
      add(f[E.DELEVERAGED_AGAINST], DELEVERAGING, f[E.DELEVERAGED_AGAINST_AMOUNT], f[E.DELEVERAGED_AGAINST_CASH], cause);
      break;
    }
    case E.FUND_POSTED: {
      const what = f[E.POSTED_WHY] === E.POSTED_FEE ? LIQUIDATION_FEE : TAKEOVER;
      const cause = { instrument: f[E.POSTED_INSTRUMENT], orderId: f[E.POSTED_ORDER] };
      add(account, what, -f[E.POSTED_AMOUNT], f[E.POSTED_CASH], cause);
      add(f[E.POSTED_FUND], what, f[E.POSTED_AMOUNT], f[E.POSTED_FUND_CASH], cause);
      break;
    }
    default: add(account, CREDIT, f[E.CREDITED_AMOUNT], f[E.CREDITED_CASH]);
  }
  return made;
}

type Add = (account: number, what: number, amount: number, balance: number, cause: Cause) => void;

/** An option's movement is the premium, a perp's the realised profit. The fee follows. */
function addFill(f: Float64Array, instruments: Instruments, add: Add): void {
  const instrument = f[E.FILL_INSTRUMENT];
  const isPerp = instruments.kind[instrument] === PERP;
  const premium = isPerp ? 0 : mulDivHalfUp(f[E.FILL_PRICE], f[E.FILL_SIZE], CONTRACT);
  const ofTaker = isPerp ? f[E.FILL_TAKER_REALIZED] : f[E.FILL_SIDE] === BUY ? -premium : premium;
  const ofMaker = isPerp ? f[E.FILL_MAKER_REALIZED] : f[E.FILL_SIDE] === BUY ? premium : -premium;
  const tradeId = f[E.FILL_TRADE_ID];
  const taker = { instrument, tradeId, orderId: f[E.FILL_TAKER_ORDER] };
  const maker = { instrument, tradeId, orderId: f[E.FILL_MAKER_ORDER] };
  add(f[E.FILL_TAKER], TRADED, ofTaker, f[E.FILL_TAKER_CASH] + f[E.FILL_TAKER_FEE], taker);
  add(f[E.FILL_TAKER], FEE, -f[E.FILL_TAKER_FEE], f[E.FILL_TAKER_CASH], taker);
  add(f[E.FILL_MAKER], TRADED, ofMaker, f[E.FILL_MAKER_CASH] + f[E.FILL_MAKER_FEE], maker);
  add(f[E.FILL_MAKER], FEE, -f[E.FILL_MAKER_FEE], f[E.FILL_MAKER_CASH], maker);
}
