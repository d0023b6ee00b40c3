// Names and number texts of the Hyperliquid dialect. The coin BTC is our BTC-PERP. Prices have five significant
// figures, but an integer is always allowed, and at most 6 - szDecimals decimals. Amounts keep all of our six decimals.

import { DECIMALS, formatDecimal } from '../../../core/codec/decimal.ts';
import { underlyingOfPerp } from '../../../core/instruments/symbol.ts';
import { USDC } from '../../../core/units.ts';

const FIGURES = 5;
/** Decimals of a price and of the size together. */
const MOST_DECIMALS = 6;
const RATE_DECIMALS = 9;
const NO_HASH = `0x${'0'.repeat(64)}` as const;

export const HASH = NO_HASH;

export function symbolOf(coin: string): string {
  return `${coin}-PERP`;
}

export function coinOf(symbol: string): string | null {
  return underlyingOfPerp(symbol);
}

export function amount(value: number): string {
  return formatDecimal(Math.round(value * USDC), DECIMALS);
}

export function lessBy(whole: string, part: string): string {
  return formatDecimal(microsOf(whole) - microsOf(part), DECIMALS);
}

function microsOf(text: string): number {
  const [digits, decimals = ''] = text.replace('-', '').split('.');
  const value = Number(`${digits}${decimals.padEnd(DECIMALS, '0')}`);
  return text.startsWith('-') ? -value : value;
}

/** Decimals of a size: as many as the mark's digits leave. BTC at 95,000 has 5, ETH at 3,500 has 4. */
export function sizeDecimals(mark: number): number {
  return mark < 1 ? 0 : Math.min(MOST_DECIMALS, String(Math.floor(mark)).length);
}

export function price(value: number, szDecimals: number): string {
  const rounded = Number(value.toPrecision(FIGURES));
  const shown = value >= 10 ** FIGURES ? Math.round(value) : rounded;
  return withoutZeros(shown.toFixed(MOST_DECIMALS - szDecimals));
}

export function rate(value: number): string {
  return withoutZeros(value.toFixed(RATE_DECIMALS));
}

function withoutZeros(text: string): string {
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return short === '-0' ? '0' : short;
}
