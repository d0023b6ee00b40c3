// Parses Hyperliquid's mids (socket, `allMids`) and oracle prices (info API, `metaAndAssetCtxs`: coins, and one context each). Prices in
// 1e-6 USDC. Malformed data is null or left out.

import { parseSize } from '../../../core/codec/decimal.ts';
import { isObject } from '../../process/json-object.ts';

export const SUBSCRIBE = JSON.stringify({ method: 'subscribe', subscription: { type: 'allMids' } });
export const PING = JSON.stringify({ method: 'ping' });
export const ASK_ORACLE = { type: 'metaAndAssetCtxs' };

// for tests: the ends of what a text may state
/** 0 for anything but a plain decimal from 1e-6 to 1e9. */
export function readPrice(value: unknown): number {
  // Sizes have the same range.
  return typeof value === 'string' ? Math.max(0, parseSize(value)) : 0;
}

export function readMessage(text: string): { readonly channel: string; readonly data: unknown } | null {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  return isObject(message) && typeof message['channel'] === 'string' ? { channel: message['channel'], data: message['data'] } : null;
}

export function readMids(data: unknown, wanted: Iterable<string>): ReadonlyMap<string, number> | null {
  if (!isObject(data) || !isObject(data['mids'])) return null;
  const mids = data['mids'];
  return pricesOf(wanted, (coin) => mids[coin]);
}

export function readOracle(answer: unknown, wanted: Iterable<string>): ReadonlyMap<string, number> | null {
  if (!Array.isArray(answer)) return null;
  const [meta, contexts] = answer as unknown[];
  if (!isObject(meta) || !Array.isArray(meta['universe']) || !Array.isArray(contexts)) return null;
  const universe = meta['universe'] as unknown[];
  if (universe.length !== contexts.length) return null;
  const places = new Map(universe.map((coin, at) => [isObject(coin) ? coin['name'] : undefined, at]));
  return pricesOf(wanted, (coin) => {
    const context: unknown = contexts[places.get(coin) ?? -1];
    return isObject(context) ? context['oraclePx'] : undefined;
  });
}

function pricesOf(wanted: Iterable<string>, valueOf: (coin: string) => unknown): ReadonlyMap<string, number> {
  const prices = new Map<string, number>();
  for (const coin of wanted) {
    const price = readPrice(valueOf(coin));
    if (price > 0) prices.set(coin, price);
  }
  return prices;
}
