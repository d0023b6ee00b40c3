// Why an order was rejected or ended, in words. The texts of rejections are those of the HTTP interface (shell/http/texts);
// those of endings are the law's where it has one, ours elsewhere. Money in micros, sizes in 1e-6 contracts.

import { DONE_BALANCE_RANGE, DONE_CANCEL_AFTER, DONE_CAPACITY, DONE_DISCONNECTED, DONE_EXPIRED, DONE_FOK_KILLED, DONE_IOC_REST,
  DONE_LIQUIDATION, DONE_MARGIN, DONE_MARKET_DELETED, DONE_MMP, DONE_MMP_SELF, DONE_NOTHING_TO_REDUCE, DONE_REPLACED, DONE_SELF_TRADE,
  NOT_OPEN } from '../../core/errors.ts';
import { DONE_TEXTS, numberFacts, sayCode } from '../http/texts.ts';

/** What a text may name of the order that was rejected. */
type RejectedOrder = { readonly symbol: string; readonly underlying: string; readonly clientId: string };

/**
 * The reason of a REJECTED order; `numbers` as the core left them. How an order to be replaced has ended only the history knows. The
 * answer to the request tells it; a message waits for nothing and is made again from the journal word for word, so it says what is
 * true of each that is done.
 */
export function rejectionText(code: number, numbers: readonly number[], { symbol, underlying, clientId }: RejectedOrder): string {
  if (code === NOT_OPEN) return DONE_TEXTS.forgotten(numbers[0]!, symbol);
  const facts = { ...numberFacts(numbers), symbol, underlying, client_id: clientId, order: String(numbers[0]) };
  return sayCode(code, facts).text;
}

/** Why an order is done, null where the status says it all (filled, cancelled on request). */
export function doneText(reason: number): string | null {
  switch (reason) {
    case DONE_IOC_REST: return 'Immediate-or-cancel remainder';
    case DONE_FOK_KILLED: return 'Fill-or-kill order could not be filled';
    case DONE_SELF_TRADE: return 'Self-trade prevention';
    case DONE_EXPIRED: return 'Instrument has expired';
    case DONE_BALANCE_RANGE: return 'Balance out of range';
    case DONE_MMP: return 'Order canceled by MMP trigger';
    case DONE_MMP_SELF: return 'MMP triggered during fill processing';
    case DONE_NOTHING_TO_REDUCE: return 'Reduce-only order has nothing to reduce';
    case DONE_LIQUIDATION: return 'Liquidation';
    case DONE_REPLACED: return 'Order replaced';
    case DONE_MARGIN: return 'Insufficient margin';
    case DONE_MARKET_DELETED: return 'Market deleted';
    case DONE_CANCEL_AFTER: return 'Order canceled by CancelAfter';
    case DONE_DISCONNECTED: return 'Order canceled on disconnect';
    case DONE_CAPACITY: return 'Capacity';
    default: return null;
  }
}
