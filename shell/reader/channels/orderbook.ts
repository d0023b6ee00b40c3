// orderbook: the best 20 levels, complete in every message, so only the newest message matters.

import { hasBookSnapshot, orderbookMessage } from '../market/orderbook.ts';
import { conflatedBooks } from './conflated.ts';
import type { ChannelSource, SourceParts } from './source.ts';

export function orderbookSource(parts: SourceParts): ChannelSource {
  const { state, names } = parts;
  const message = (slot: number, time: number): string => orderbookMessage(state, names, slot, time);
  return conflatedBooks(parts, { snapshot: message, change: message, isShown: (slot) => hasBookSnapshot(state, slot) });
}
