// Why an order was rejected or ended, in words. The texts of rejections are those of the HTTP interface (shell/http/texts);
// those of endings are the law's where it has one, ours elsewhere. Money in micros, sizes in 1e-6 contracts.

import { DONE_BALANCE_RANGE, DONE_EXPIRED, DONE_FOK_KILLED, DONE_IOC_REST, DONE_SELF_TRADE } from '../../core/errors.ts';
import { numberFacts, sayCode } from '../http/texts.ts';

/** What a text may name of the order that was rejected. */
type RejectedOrder = { readonly symbol: string; readonly underlying: string; readonly clientId: string };

/** The reason of a REJECTED order; `numbers` as the core left them. */
export function rejectionText(code: number, numbers: readonly number[], { symbol, underlying, clientId }: RejectedOrder): string {
  return sayCode(code, { ...numberFacts(numbers), symbol, underlying, client_id: clientId }).text;
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
