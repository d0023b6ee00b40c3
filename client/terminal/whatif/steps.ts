// One step up or down of a typed price (the venue's grid of five figures) or size. Small: loaded with the page.

import { formatDecimal, DECIMALS, parsePrice, parseSize } from '../../../core/codec/decimal.ts';
import { LAST_KEY, priceKeyOf, priceOfKey } from '../../../core/book/price-key.ts';
import { MAX_SIZE } from '../../../core/limits.ts';

export type Direction = 1 | -1;

/** An invalid price stays unchanged. */
export function nextPrice(text: string, direction: Direction): string {
  const price = parsePrice(text);
  const key = price > 0 ? priceKeyOf(price) + direction : 0;
  return key >= 1 && key <= LAST_KEY ? formatDecimal(priceOfKey(key), DECIMALS) : text;
}

/** The size moved by one `step`. The result is at least one step, also for a text that is no size. */
export function nextSize(text: string, step: string, direction: Direction): string {
  const [size, by] = [parseSize(text), parseSize(step)];
  return formatDecimal(size > 0 ? Math.min(MAX_SIZE, Math.max(by, size + direction * by)) : by, DECIMALS);
}
