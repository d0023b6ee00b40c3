// Bodies that a write (in an api thread) and a read of the same thing (in the reader) share. Times in ms.

import { DECIMALS, formatDecimal } from '../../../core/codec/decimal.ts';
import { NO_LIMIT } from '../../../core/mmp/mmp.ts';
import type { CompetitionTerms as Definition } from '../../../core/registry/competitions.ts';
import { UNLIMITED, type TierLimits } from '../../../core/tiers.ts';
import { TIERS } from '../../ipc/enum-names.ts';
import type { Competition, MmpConfigData, TierAnswer } from '../shapes/account.ts';
import type { Api } from '../shapes/shape.ts';
import type { CancelAfterData, CancelOnDisconnectData } from '../shapes/trading.ts';

export function competitionData(competition: Definition, time: number): Competition {
  const { id, name, start, end, createdAt, conditions, primary } = competition;
  const made = new Date(createdAt).toISOString();
  return {
    id, name, description: competition.description || null, rules_url: competition.rulesUrl || null,
    rules_content: competition.rulesContent || null, win_conditions: conditions, primary_win_condition: primary, start_ts_ms: start,
    end_ts_ms: end, state: time < start ? 'pre' : time < end ? 'active' : 'post', created_at: made, updated_at: made,
  };
}

type MmpTerms = {
  readonly interval: number; readonly frozen: number; readonly quantity: number; readonly delta: number; readonly vega: number;
};

export function mmpConfigData(wallet: string, currency: string, enabled: boolean, terms: MmpTerms): MmpConfigData {
  const { interval, frozen, quantity, delta, vega } = terms;
  return {
    wallet_address: wallet, currency, interval_ms: interval, frozen_time_ms: frozen,
    ...(quantity !== NO_LIMIT && { qty_limit: formatDecimal(quantity, DECIMALS) }),
    ...(delta !== NO_LIMIT && { delta_limit: formatDecimal(delta, DECIMALS) }),
    ...(vega !== NO_LIMIT && { vega_limit: formatDecimal(vega, DECIMALS) }),
    enabled,
  };
}

export type TierTable = { readonly table: readonly TierLimits[]; readonly isRated: boolean };

/** A limit of -1 means unlimited. */
export function tierBody(wallet: string, tier: number, { table, isRated }: TierTable): string {
  const { orders, cancels, requests, openOrders, positions } = table[tier]!;
  const rate = (perMinute: number): number => (isRated ? perMinute : UNLIMITED);
  const limits = {
    max_open_orders: openOrders, max_open_positions: positions, orders_per_minute: rate(orders), cancels_per_minute: rate(cancels),
    api_requests_per_minute: rate(requests),
  };
  return JSON.stringify({ success: true, data: { wallet_address: wallet, tier: TIERS[tier]!, limits } } satisfies TierAnswer);
}

export function cancelAfterBody(wallet: string, timeout: number, cancelAt: number): string {
  return dataText<CancelAfterData>({ wallet_address: wallet, timeout_ms: timeout, cancel_at: moment(cancelAt) });
}

/** `cancelAt`: set while the connection is lost, else 0. */
export function cancelOnDisconnectBody(wallet: string, enabled: boolean, grace: number, connection: string, cancelAt: number): string {
  return dataText<CancelOnDisconnectData>({ wallet_address: wallet, enabled, grace_ms: grace, connection, cancel_at: moment(cancelAt) });
}

export function voidNoncesBody(wallet: string, upTo: string): string {
  return `{"success":true,"data":{"wallet_address":"${wallet}","up_to":${BigInt(upTo)}},"error":null}`;
}

function dataText<T>(data: T): string {
  return JSON.stringify({ success: true, data, error: null } satisfies Api<T>);
}

function moment(time: number): number | null {
  return time === 0 ? null : time;
}
