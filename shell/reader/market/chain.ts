// Bodies of GET /options-chain (wire.md 2.3) and GET /expiry-summary, one row per strike, ascending. Prices in USDC and
// sizes in contracts are JSON numbers; notional is size times index. Greeks per contract: `greeks_abs` from the
// formula; `greeks_cash` in USDC: delta and gamma for an index move of 1 %, theta per day, vega per vol point.

import { CALL, PERP } from '../../../core/codec/commands.ts';
import { bestAsk, bestBid, levelSize } from '../../../core/book/books.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { ACTIVE, hasExpired, instrumentCount } from '../../../core/instruments/instruments.ts';
import { DELTA, GAMMA, THETA, VEGA } from '../../../core/pricing/black76.ts';
import { BUY, SELL } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import { sigmaText, type GreeksCache } from './greeks-cache.ts';
import { number } from './orderbook.ts';
import type { Names } from '../text.ts';

const PERCENT = 0.01;

type ChainFilter = { readonly option_type: 'call' | 'put' | 'both'; readonly side: 'buy' | 'sell' | 'both' };

/** Active options by strike, a call before its put. Expired contracts are never shown. */
export function slotsOfExpiry({ instruments }: State, underlying: number, expiry: number, time: number): number[] {
  const slots: number[] = [];
  const rows = instrumentCount(instruments);
  for (let slot = 0; slot < rows; slot++) {
    if (instruments.expiry[slot] !== expiry || instruments.underlying[slot] !== underlying || instruments.kind[slot] === PERP) continue;
    if (instruments.status[slot] === ACTIVE && !hasExpired(instruments, slot, time)) slots.push(slot);
  }
  const { kind, strike } = instruments;
  return slots.sort((a, b) => strike[a]! - strike[b]! || kind[b]! - kind[a]!);
}

export function chainBody(
  state: State, names: Names, greeksCache: GreeksCache, slots: readonly number[], currency: string, expiry: number, filter: ChainFilter,
): string {
  const { kind, strike } = state.instruments;
  const rows: string[] = [];
  let last = -1;
  for (const slot of slots) {
    const type = kind[slot] === CALL ? 'call' : 'put';
    if (strike[slot] !== last) rows.push(`"strike":${number(strike[slot]!)}`);
    last = strike[slot]!;
    if (filter.option_type !== 'both' && filter.option_type !== type) continue;
    rows[rows.length - 1] += `,"${type}":${chainLeg(state, names, greeksCache, slot, filter.side)}`;
  }
  return `{"currency":${JSON.stringify(currency)},"expiry":${expiry / 1000},"rows":[${rows.map((row) => `{${row}}`).join(',')}]}`;
}

export function chainLeg(state: State, names: Names, greeksCache: GreeksCache, slot: number, side: ChainFilter['side']): string {
  const index = state.valuation.index[state.instruments.underlying[slot]!]! / 1e6;
  return `{"symbol":"${names.symbol(slot)}","option_token_address":null,`
    + `${quotePart(state, greeksCache, slot, BUY, 'bid', side === 'sell', index)}`
    + `${quotePart(state, greeksCache, slot, SELL, 'ask', side === 'buy', index)}${greeksPart(greeksCache, slot, index)}}`;
}

function quotePart(
  { books }: State, greeksCache: GreeksCache, slot: number, side: number, name: 'bid' | 'ask', isLeftOut: boolean, index: number,
): string {
  const key = isLeftOut ? -1 : side === BUY ? bestBid(books, slot) : bestAsk(books, slot);
  if (key < 0) return `"${name}_price_usd":null,"${name}_iv":null,"${name}_size_contracts":null,"${name}_size_usd_notional":null,`;
  const price = priceOfKey(key);
  const size = levelSize(books, slot, side, key) / 1e6;
  return `"${name}_price_usd":${number(price)},"${name}_iv":${sigmaText(greeksCache.quoted(slot, side, price))},`
    + `"${name}_size_contracts":${size},"${name}_size_usd_notional":${size * index},`;
}

function greeksPart(greeksCache: GreeksCache, slot: number, index: number): string {
  if (!greeksCache.hasMarks(slot)) return '"greeks_abs":null,"greeks_cash":null';
  const row = greeksCache.at(slot);
  const { values } = greeksCache;
  const [delta, gamma, theta, vega] = [values[row + DELTA]!, values[row + GAMMA]!, values[row + THETA]!, values[row + VEGA]!];
  const move = PERCENT * index;
  return `"greeks_abs":{"delta":${delta},"gamma":${gamma},"theta":${theta},"vega":${vega}},"greeks_cash":{`
    + `"delta_1pct_usd":${delta * move},"gamma_1pct_usd":${gamma * move * move},"theta_1d_usd":${theta},"vega_1vol_usd":${vega}}`;
}
