// LiquidationStateChange (wire.md 4.4), made at once, since its numbers are soon gone. `maintenance_margin` is equity less the
// requirement and may be negative. Money is micros as text, times ms.

import { ACCOUNT, LIQUIDATION_BEFORE, LIQUIDATION_EQUITY, LIQUIDATION_MAINTENANCE, LIQUIDATION_STATE } from '../../../core/codec/events.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { TAKEOVER_AFTER } from '../../../core/settings.ts';
import { isSummed, positionInitialOf } from '../../../core/margin/account-margin.ts';
import type { State } from '../../../core/engine/state.ts';
import { LIQUIDATION_STATES, MARGIN_MODES } from '../../ipc/enum-names.ts';
import { microOrNull, type Names } from '../text.ts';
import type { MessageNamed } from '../../http/shapes/messages.ts';

type Change = MessageNamed<'LiquidationStateChange'>;

/** Called at LIQUIDATION_CHANGED; the account already has its new state. */
export function liquidationMessage(state: State, names: Names, f: Float64Array, time: number): string {
  const account = f[ACCOUNT]!;
  const now = f[LIQUIDATION_STATE]!;
  const equity = f[LIQUIDATION_EQUITY]!;
  const maintenance = isSummed(state, account) ? f[LIQUIDATION_MAINTENANCE]! : NaN;
  const shortfall = Math.max(0, maintenance - equity);
  const isPartial = now !== HEALTHY && now !== LIQUIDATED;
  return JSON.stringify({
    type: 'LiquidationStateChange', wallet_address: names.wallet(account), previous_state: LIQUIDATION_STATES[f[LIQUIDATION_BEFORE]!]!,
    new_state: LIQUIDATION_STATES[now]!, liquidation_mode: isPartial ? 'partial' : now === LIQUIDATED ? 'full' : null,
    margin_mode: MARGIN_MODES[state.accounts.mode[account]!]!, equity: microOrNull(equity), mm_required: microOrNull(maintenance),
    maintenance_margin: microOrNull(equity - maintenance), shortfall: microOrNull(shortfall),
    partial_liquidation: isPartial ? partial(state, account, now, shortfall, time) : null,
    full_liquidation: now === LIQUIDATED ? { liquidated_at: time, winner: null, bonus: null } : null,
    timestamp: time, seq: state.streams.accounts.liquidation[account]!,
  } satisfies Change);
}

function partial(state: State, account: number, now: number, shortfall: number, time: number): Change['partial_liquidation'] {
  const { risk, settings } = state;
  const left = settings.values[TAKEOVER_AFTER]! - risk.stalled[account]!;
  const deadline = now === IN_LIQUIDATION ? time + left : risk.waitEnd[account]!;
  const target = isSummed(state, account) ? positionInitialOf(state, account) : NaN;
  return { entered_at: time, target_equity: microOrNull(target), mm_shortfall: microOrNull(shortfall), escalation_deadline: deadline };
}
