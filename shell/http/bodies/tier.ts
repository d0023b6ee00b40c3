// What a wallet's tier is and allows (wire contract 2.8): the answer of GET and POST /user-tier. Per minute and wallet, then
// caps; -1 is unlimited, as every rate is with RATE_LIMITS=off.

import { UNLIMITED, type TierLimits } from '../../../core/tiers.ts';

export type TierTable = { readonly table: readonly TierLimits[]; readonly isRated: boolean };

/** `tier`: its number, a row of the table; `name` as clients know it. */
export function tierBody(wallet: string, tier: number, name: string, { table, isRated }: TierTable): string {
  const { orders, cancels, requests, openOrders, positions } = table[tier]!;
  const rate = (perMinute: number): number => (isRated ? perMinute : UNLIMITED);
  const limits = {
    max_open_orders: openOrders, max_open_positions: positions, orders_per_minute: rate(orders), cancels_per_minute: rate(cancels),
    api_requests_per_minute: rate(requests),
  };
  return JSON.stringify({ success: true, data: { wallet_address: wallet, tier: name, limits } });
}
