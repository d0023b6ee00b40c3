// Announces the wallet's fills, also to screen readers, one message for several of a contract and side.

import type { FillMessage } from '../../src/main.ts';
import { sumOf } from '../exact.ts';
import { price, size } from '../format.ts';
import { showToast } from '../ui/notices.tsx';

const TOGETHER_MS = 250;
const waiting = new Map<string, FillMessage[]>();

export function announceFill(fill: FillMessage): void {
  const key = `${fill.side} ${fill.symbol}`;
  const together = waiting.get(key);
  if (together !== undefined) return void together.push(fill);
  waiting.set(key, [fill]);
  setTimeout(() => {
    const fills = waiting.get(key)!;
    waiting.delete(key);
    showToast(textOf(fills), 'good');
  }, TOGETHER_MS);
}

function textOf(fills: readonly FillMessage[]): string {
  const { side, symbol } = fills[0]!;
  const prices = fills.map((one) => one.price).sort((one, other) => Number(one) - Number(other));
  const [low, high] = [price(prices[0]), price(prices.at(-1))];
  const what = `${side === 'Buy' ? 'Bought' : 'Sold'} ${size(sumOf(fills.map((one) => one.size)))} ${symbol}`;
  return `${what} at ${low === high ? low : `${low} to ${high}`}${fills.length === 1 ? '' : `, ${fills.length} fills`}.`;
}
