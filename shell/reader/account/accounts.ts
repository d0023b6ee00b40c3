// The body of GET /admin/accounts: rows of the account table in their order, by pages of bounded length.

import { accountCount, isOpen } from '../../../core/accounts/accounts.ts';
import type { State } from '../../../core/engine/state.ts';
import { LIQUIDATION_STATES, MARGIN_MODES, TIERS, WALLET_MODES } from '../../ipc/enum-names.ts';
import type { AccountRow } from '../../http/shapes/account.ts';
import type { AnswerTo } from '../../http/shapes/answers.ts';
import type { QueryParameters } from '../../ipc/queries.ts';
import { micro, type Names } from '../text.ts';

const MOST_LOOKED_AT = 65_536;

/** Offsets are row numbers, so pages stay put while accounts open and close. */
export function accountsText({ accounts }: State, names: Names, { limit, mode, offset }: QueryParameters['accounts']): string {
  const rows = accountCount(accounts);
  const end = Math.min(rows, offset + MOST_LOOKED_AT);
  const data: AccountRow[] = [];
  let account = Math.min(offset, rows);
  for (; account < end && data.length < limit; account++) {
    if (!isOpen(accounts, account) || (mode !== undefined && WALLET_MODES[accounts.walletMode[account]!] !== mode)) continue;
    data.push({
      wallet: names.wallet(account), tier: TIERS[accounts.tier[account]!]!, mode: WALLET_MODES[accounts.walletMode[account]!]!,
      margin_mode: MARGIN_MODES[accounts.mode[account]!]!, status: LIQUIDATION_STATES[accounts.status[account]!]!,
      balance: micro(accounts.cash[account]!), open_orders: accounts.openOrders[account]!, positions: accounts.positions[account]!,
      opened_ms: accounts.openedAt[account]!, last_used_ms: accounts.usedAt[account]!,
    });
  }
  const next = account < rows ? account : null;
  return JSON.stringify({ success: true, data, next_offset: next } satisfies AnswerTo<'GET /admin/accounts'>);
}
