// Why an order was rejected or ended, in words: the texts of the law ("Engine rejection reasons") and of decisions 3.4,
// 3.6 and 3.9, from the code and the numbers that the core left. Money in micros, sizes in 1e-6 contracts.

import { DONE_BALANCE_RANGE, DONE_EXPIRED, DONE_FOK_KILLED, DONE_IOC_REST, DONE_SELF_TRADE, DUPLICATE_CLIENT_ID, EXPIRED, INSUFFICIENT_MARGIN,
  NO_FUNDS, NO_SPOT_PRICE, NOT_LISTED, RFQ_NOT_AVAILABLE, TIER1_SHORT } from '../../core/errors.ts';
import { micro } from './text.ts';

/** What a text may name of the order that was rejected. */
export type RejectedOrder = { readonly symbol: string; readonly underlying: string; readonly clientId: string };

/** The reason of a REJECTED order. */
export function rejectionText(code: number, numbers: ArrayLike<number>, order: RejectedOrder): string {
  switch (code) {
    case EXPIRED: return 'Instrument has expired';
    case NOT_LISTED: return `Invalid symbol: ${order.symbol}`;
    case DUPLICATE_CLIENT_ID: return `Duplicate client order id: ${order.clientId}`;
    case NO_FUNDS: return 'Account has no funds. Please deposit before trading.';
    case NO_SPOT_PRICE: return `Failed to get portfolio: No spot price available for underlying: ${order.underlying}`;
    case RFQ_NOT_AVAILABLE: return 'RFQ is not available';
    case TIER1_SHORT:
      return `Tier1 users cannot go short. Filled long position: ${micro(numbers[0]!)}, `
        + `total sell orders (including new): ${micro(numbers[1]!)} (symbol: ${order.symbol})`;
    case INSUFFICIENT_MARGIN:
      return `Insufficient margin: required=${cents(numbers[0]!)}, available=${cents(numbers[1]!)}, shortfall=${cents(numbers[2]!)}`;
    default: throw new RangeError(`no text for the rejection ${code}`);
  }
}

/** Why an order is done, null where the status says it all (filled, cancelled on request). */
export function doneText(reason: number): string | null {
  switch (reason) {
    case DONE_IOC_REST: return 'Immediate-or-cancel remainder';
    case DONE_FOK_KILLED: return 'Fill-or-kill order could not be filled';
    case DONE_SELF_TRADE: return 'Self-trade prevention';
    case DONE_EXPIRED: return 'Instrument has expired';
    case DONE_BALANCE_RANGE: return 'Balance out of range';
    default: return null;
  }
}

/** Two decimals, rounded half away from zero. */
function cents(micros: number): string {
  const hundredths = Math.floor((Math.abs(micros) + 5_000) / 10_000);
  const whole = Math.floor(hundredths / 100);
  return `${micros < 0 && hundredths > 0 ? '-' : ''}${whole}.${String(hundredths - whole * 100).padStart(2, '0')}`;
}
