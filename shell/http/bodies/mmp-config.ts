// One market-maker protection as clients see it, MmpConfigData of wire.md 2.5: limits as decimal text, absent when not set.

import { DECIMALS, formatDecimal } from '../../../core/codec/decimal.ts';
import { NO_LIMIT } from '../../../core/mmp/mmp.ts';

/** Times in ms, limits in their units of 1e-6, NO_LIMIT for none. */
type MmpTerms = {
  readonly interval: number; readonly frozen: number; readonly quantity: number; readonly delta: number; readonly vega: number;
};

export function mmpConfigData(wallet: string, currency: string, enabled: boolean, terms: MmpTerms): object {
  return {
    wallet_address: wallet, currency, interval_ms: terms.interval, frozen_time_ms: terms.frozen, qty_limit: limitText(terms.quantity),
    delta_limit: limitText(terms.delta), vega_limit: limitText(terms.vega), enabled,
  };
}

/** JSON leaves out what is undefined. */
function limitText(limit: number): string | undefined {
  return limit === NO_LIMIT ? undefined : formatDecimal(limit, DECIMALS);
}
