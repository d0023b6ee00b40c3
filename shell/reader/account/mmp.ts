// The body of GET /mmp/config (wire.md 2.5): the protections of a wallet, deleted ones as not enabled. Limits are decimals
// as text and absent when not set. Reads only.

import { findMmp } from '../../../core/mmp/mmp.ts';
import { underlyingCount } from '../../../core/instruments/underlyings.ts';
import type { State } from '../../../core/engine/state.ts';
import { mmpConfigData } from '../../http/bodies/account.ts';
import { accountOfWallet, type Names } from '../text.ts';
import type { MmpConfigData } from '../../http/shapes/account.ts';

/** `currency`: of this underlying alone. Null: the venue does not have it. */
export function mmpText(state: State, names: Names, wallet: string, currency: string | undefined): string | null {
  if (currency !== undefined && !names.underlyings().includes(currency)) return null;
  const { mmp, underlyings } = state;
  const account = accountOfWallet(state, wallet);
  const data: MmpConfigData[] = [];
  for (let underlying = 0; account >= 0 && underlying < underlyingCount(underlyings); underlying++) {
    const row = findMmp(mmp, account, underlying);
    const name = names.underlying(underlying);
    if (row < 0 || (currency !== undefined && currency !== name)) continue;
    data.push(mmpConfigData(wallet, name, mmp.enabled[row] !== 0, {
      interval: mmp.windows.interval[row]!, frozen: mmp.frozenTime[row]!, quantity: mmp.qtyLimit[row]!, delta: mmp.deltaLimit[row]!,
      vega: mmp.vegaLimit[row]!,
    }));
  }
  return JSON.stringify({ success: true, data });
}
