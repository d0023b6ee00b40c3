// Rows of funding, liquidations and settlements, made from the events of a command.

import { ACCOUNT, DELEVERAGED, FUNDING_HOURLY, FUNDING_INDEX, FUNDING_PAID, FUNDING_PREMIUM, FUNDING_RATE, FUNDING_UNTIL, INDEX_UNDERLYING,
  INSTRUMENT, PAID_AMOUNT, PAID_FROM, PAID_HOURS, PAID_INSTRUMENT, PAID_POSITION, PAID_RATES, PAID_UNTIL, SETTLEMENT_EXPIRY,
  SETTLEMENT_SAMPLES, SETTLEMENT_SET, SETTLEMENT_VALUE, TAKEN_OVER } from '../../../core/codec/events.ts';
import { PERP } from '../../../core/codec/commands.ts';
import type { State } from '../../../core/engine/state.ts';
import { DELETED, instrumentCount } from '../../../core/instruments/instruments.ts';
import type { FillRow, Rows } from '../../storage/history/protocol.ts';
import { LIQUIDATION_KINDS } from '../../ipc/enum-names.ts';
import type { Names } from '../text.ts';

type Parts = { readonly state: State; readonly names: Names; readonly rows: Rows };
type Moment = { readonly seq: number; readonly time: number };

export function addVenueRow({ state, names, rows }: Parts, kind: number, f: Float64Array, { seq, time }: Moment): void {
  if (kind === FUNDING_PAID) {
    rows.payments.push({
      seq, wallet: names.wallet(f[ACCOUNT]!), symbol: names.symbol(f[PAID_INSTRUMENT]!), fromTime: f[PAID_FROM]!, toTime: f[PAID_UNTIL]!,
      hours: f[PAID_HOURS]!, rate: f[PAID_RATES]!, position: f[PAID_POSITION]!, amount: 0 - f[PAID_AMOUNT]!, time,
    });
  } else if (kind === FUNDING_RATE) {
    rows.funding.push({
      seq, symbol: names.symbol(f[INSTRUMENT]!), time: f[FUNDING_UNTIL]!, rate: f[FUNDING_HOURLY]!, price: f[FUNDING_INDEX]!,
      premium: f[FUNDING_PREMIUM]!,
    });
  } else if (kind === SETTLEMENT_SET && f[SETTLEMENT_VALUE] !== 0) {
    const [underlying, expiry] = [f[INDEX_UNDERLYING]!, f[SETTLEMENT_EXPIRY]!];
    rows.settlements.push({
      seq, underlying: names.underlying(underlying), expiry, price: f[SETTLEMENT_VALUE]!, samples: f[SETTLEMENT_SAMPLES]!,
      contracts: contractsOf(state, underlying, expiry), time,
    });
  }
}

export function addForcedFills(rows: Rows, orderId: number, { seq, time }: Moment): void {
  const kind = LIQUIDATION_KINDS.indexOf('order');
  let first = rows.fills.length;
  while (first > 0 && rows.fills[first - 1]!.seq === seq) first--;
  for (const { isTaker, orderId: id, symbol, side, price, size } of rows.fills.slice(first)) {
    if (isTaker && id === orderId) rows.liquidations.push({ seq, kind, symbol, side, price, size, time });
  }
}

export function addForcedMove(rows: Rows, event: typeof TAKEN_OVER | typeof DELEVERAGED, [move]: readonly FillRow[]): void {
  const { seq, symbol, side, price, size, time } = move!;
  const kind = LIQUIDATION_KINDS.indexOf(event === TAKEN_OVER ? 'takeover' : 'deleveraging');
  rows.liquidations.push({ seq, kind, symbol, side, price, size, time });
}

function contractsOf({ instruments }: State, underlying: number, expiry: number): number {
  let count = 0;
  const end = instrumentCount(instruments);
  for (let slot = 0; slot < end; slot++) {
    const isOf = instruments.underlying[slot] === underlying && instruments.expiry[slot] === expiry;
    if (isOf && instruments.kind[slot] !== PERP && instruments.status[slot] !== DELETED) count++;
  }
  return count;
}
