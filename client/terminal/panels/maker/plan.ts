// What to quote: the chosen contracts by underlying, and the remembered shape of the quotes.

import { signal } from '@preact/signals';
import { remembered } from '../../ui/remembered.ts';
import { MOST_LINES } from './lines.ts';
import { LEAST_EVERY_S, type QuotePlan } from './quoting.ts';

type Shape = Omit<QuotePlan, 'symbols'>;
type Listed = { readonly symbol: string; readonly strike: number };
export type Kinds = 'both' | 'calls' | 'puts';

const STANDARD: Shape = { width: '2', skew: '0', size: '1', everySeconds: '2', crossing: 'slide' };
const NUMBER = /^-?[0-9]{1,9}(\.[0-9]{1,6})?$/;

export const shape = remembered<Shape>('quotes', STANDARD, isShape);
export const chosen = signal<ReadonlySet<string>>(new Set());

export function planOf(underlying: string): QuotePlan {
  return { ...shape.peek(), symbols: [...chosen.peek()].filter((symbol) => symbol.startsWith(`${underlying}-`)) };
}

export function faultOf({ everySeconds, size, skew, width }: Shape): Partial<Record<keyof Shape, string>> {
  return {
    ...(!(NUMBER.test(width) && Number(width) >= 0) && { width: 'Volatility points, 0 or more' }),
    ...(!NUMBER.test(skew) && { skew: 'Volatility points' }),
    ...(!(NUMBER.test(size) && Number(size) > 0) && { size: 'Contracts, above 0' }),
    ...(!(NUMBER.test(everySeconds) && Number(everySeconds) >= LEAST_EVERY_S) && { everySeconds: `Seconds, ${LEAST_EVERY_S} or more` }),
  };
}

export function chooseAround(listed: readonly Listed[], index: number, count: number, kinds: Kinds): void {
  const strikes = [...new Set(listed.map(({ strike }) => strike))].sort((a, b) => Math.abs(a - index) - Math.abs(b - index));
  const near = new Set(strikes.slice(0, count));
  const end = { both: '', calls: '-C', puts: '-P' }[kinds];
  const wanted = listed.filter(({ strike, symbol }) => near.has(strike) && symbol.endsWith(end));
  chosen.value = new Set([...chosen.value, ...wanted.map(({ symbol }) => symbol)].slice(0, MOST_LINES));
}

export function toggle(symbol: string): void {
  const next = new Set(chosen.value);
  if (!next.delete(symbol) && next.size < MOST_LINES) next.add(symbol);
  chosen.value = next;
}

function isShape(value: unknown): value is Shape {
  const shapes = value as Partial<Shape> | null;
  return typeof value === 'object' && value !== null && (['width', 'skew', 'size', 'everySeconds'] as const).every((name) => (
    typeof shapes?.[name] === 'string'
  )) && (shapes?.crossing === 'reject' || shapes?.crossing === 'slide');
}
