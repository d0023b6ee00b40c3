// Bounds of a price band (docs/spec, extensions), with exact fractions. Shares no code with the core.

import type { State } from '../../core/engine/state.ts';
import { CLOSING_INDEX_PART, CLOSING_MARK_PART, CLOSING_PERP_PART, PRICE_BAND, PRICE_BAND_VOL } from '../../core/settings.ts';
import { PERP } from '../../core/codec/commands.ts';

const MILLION = 1_000_000n;
const MOST = 10n ** 15n;

/** Valid prices have five figures. */
export function inward(price: bigint, isBid: boolean): number {
  let unit = 1n;
  while (price / unit >= 100_000n) unit *= 10n;
  return Number((isBid ? price / unit : (price + unit - 1n) / unit) * unit);
}

/** Lowest ask and highest bid; `vega` in 1e-6 USDC a volatility point. */
export function bandOf({ instruments, settings: { values }, valuation }: State, slot: number, vega: number): readonly [number, number] {
  const mark = BigInt(valuation.mark[slot]!);
  const index = BigInt(valuation.markIndex[instruments.underlying[slot]!]!);
  const part = (of: bigint, setting: number): bigint => of * BigInt(values[setting]!) / MILLION;
  const distances = instruments.kind[slot] === PERP ? [part(mark, PRICE_BAND), part(index, CLOSING_PERP_PART)] : [
    part(mark, PRICE_BAND), part(mark, CLOSING_MARK_PART), part(index, CLOSING_INDEX_PART),
    BigInt(vega) * BigInt(values[PRICE_BAND_VOL]!) / 10_000n,
  ];
  const distance = distances.reduce((most, one) => (one > most ? one : most));
  const [low, high] = [mark - distance, mark + distance];
  return [inward(low > 1n ? low : 1n, false), inward(high < 1n ? 1n : high < MOST ? high : MOST, true)];
}
