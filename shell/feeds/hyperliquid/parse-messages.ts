// Messages of Hyperliquid's public interface, as far as the feed reads them: the mids that the socket sends (channel
// `allMids`) and the oracle prices of the info API (`metaAndAssetCtxs`: the coins, and beside them one context each).
// Prices are integers of 1e-6 USDC. Everything read here is a stranger's: what does not have the documented form is none.

import { parseSize } from '../../../core/codec/decimal.ts';
import { isObject } from '../../process/json-object.ts';

export const SUBSCRIBE = JSON.stringify({ method: 'subscribe', subscription: { type: 'allMids' } });
export const PING = JSON.stringify({ method: 'ping' });
export const ASK_ORACLE = { type: 'metaAndAssetCtxs' };

// for tests: the ends of what a text may state
/** The price that a text states, 0 for anything that is none: not a plain decimal, zero, above 1e9, below a millionth. */
export function readPrice(value: unknown): number {
  // A size has any figures and the bound of 1e9, as an index does.
  return typeof value === 'string' ? Math.max(0, parseSize(value)) : 0;
}

/** The channel and the content of a message of the socket, null for what is none. */
export function readMessage(text: string): { readonly channel: string; readonly data: unknown } | null {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  return isObject(message) && typeof message['channel'] === 'string' ? { channel: message['channel'], data: message['data'] } : null;
}

/** The mid of each wanted coin that has a price; null when the content is none of `allMids`. */
export function readMids(data: unknown, wanted: Iterable<string>): ReadonlyMap<string, number> | null {
  if (!isObject(data) || !isObject(data['mids'])) return null;
  const mids = data['mids'];
  return pricesOf(wanted, (coin) => mids[coin]);
}

/** The oracle price of each wanted coin that has one; null when the answer is none of `metaAndAssetCtxs`. */
export function readOracle(answer: unknown, wanted: Iterable<string>): ReadonlyMap<string, number> | null {
  if (!Array.isArray(answer)) return null;
  const [meta, contexts] = answer as unknown[];
  if (!isObject(meta) || !Array.isArray(meta['universe']) || !Array.isArray(contexts)) return null;
  const universe = meta['universe'] as unknown[];
  // A context belongs to the coin at its place: of lists that do not match, none does.
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
