// Rows of the account ledger: one for each movement of an account's cash, numbered by the core without gaps, as in the
// stream `ledger`.

import { BYTE_CREDIT_ID, BYTE_CREDIT_REASON, WORD_CREDIT_ID_LENGTH, WORD_CREDIT_REASON_LENGTH } from '../../../core/codec/commands.ts';
import { CREDITED } from '../../../core/codec/events.ts';
import type { Views } from '../../../core/codec/record.ts';
import type { State } from '../../../core/engine/state.ts';
import { movementsOf, type Movement } from '../../../core/ledger/movements.ts';
import type { LedgerRow } from '../../storage/history/protocol.ts';
import { LEDGER_KINDS } from '../../ipc/enum-names.ts';
import type { LedgerEntry } from '../../http/shapes/account.ts';
import type { MessageNamed } from '../../http/shapes/messages.ts';
import { isoText, micro, textOfBytes, type Names } from '../text.ts';

type RecordOfEvent = { readonly views: Views; readonly at: number; readonly seq: number; readonly time: number };
type LedgerParts = { readonly state: State; readonly names: Names };
const NO_ROWS: readonly LedgerRow[] = [];
const NO_CREDIT = { creditId: '', reason: '' };

export function ledgerRowsOf(parts: LedgerParts, kind: number, f: Float64Array, record: RecordOfEvent): readonly LedgerRow[] {
  const { state, names } = parts;
  const movements = movementsOf(kind, f, state.instruments);
  if (movements.length === 0) return NO_ROWS;
  const credit = kind === CREDITED ? creditOf(record) : NO_CREDIT;
  return movements.map((movement, at) => {
    const { account, kind: what, amount, balance, instrument, tradeId, orderId, payoutId, hour } = movement;
    return {
      seq: record.seq, wallet: names.wallet(account), number: numberOf(state, movements, at), kind: what,
      symbol: instrument < 0 ? '' : names.symbol(instrument), amount, balance, tradeId, orderId, payoutId, hour, ...credit,
      time: record.time,
    };
  });
}

function numberOf({ accounts }: State, movements: readonly Movement[], at: number): number {
  const { account } = movements[at]!;
  const later = movements.slice(at + 1).filter((other) => other.account === account).length;
  return accounts.movements[account]! - later;
}

function creditOf({ views, at }: RecordOfEvent): { readonly creditId: string; readonly reason: string } {
  const word = at >>> 2;
  return {
    creditId: textOfBytes(views.u8, at + BYTE_CREDIT_ID, views.u32[word + WORD_CREDIT_ID_LENGTH]!),
    reason: textOfBytes(views.u8, at + BYTE_CREDIT_REASON, views.u32[word + WORD_CREDIT_REASON_LENGTH]!),
  };
}

export function ledgerBody(row: LedgerRow): LedgerEntry {
  const given = (value: number): number | null => (value === 0 ? null : value);
  return {
    seq: row.number, wallet_address: row.wallet, kind: LEDGER_KINDS[row.kind]!, symbol: row.symbol === '' ? null : row.symbol,
    amount: micro(row.amount), balance: micro(row.balance), time_ms: row.time, created_at: isoText(row.time), trade_id: given(row.tradeId),
    order_id: given(row.orderId), payout_id: given(row.payoutId),
    hour_ms: given(row.hour),
    credit_id: row.creditId === '' ? null : row.creditId, reason: row.reason === '' ? null : row.reason, command_seq: row.seq,
  };
}

export function ledgerMessage(row: LedgerRow): string {
  return JSON.stringify({ type: 'LedgerUpdate', ...ledgerBody(row), timestamp: row.time } satisfies MessageNamed<'LedgerUpdate'>);
}
