// What the whole page needs whatever panels are shown: index prices, markets, and the venue's health.

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { IndexPriceUpdate, MarketUpdate, Ready, StrikebookError } from '../../src/main.ts';
import { useRead, useStream } from './hooks.ts';
import { latest, setSoon } from './frames.ts';
import { indexOf, markets } from './store.ts';

const MARKETS_EVERY_MS = 15_000;
const HEALTH_EVERY_MS = 5_000;
const SETTLE_MS = 500;

/** The newest answer of `/ready`; null before the first one. */
export const health = signal<Ready | null>(null);

export function useMarketData(): void {
  useStream('index_prices', {}, takeIndexPrices);
  const listed = useRead('/markets', { include_instruments: false }, { everyMs: MARKETS_EVERY_MS });
  const ready = useRead('/ready', {}, { everyMs: HEALTH_EVERY_MS });
  const refreshSoon = useSettled(listed.refresh);
  useStream('market_updates', {}, (_: MarketUpdate) => refreshSoon());
  useEffect(() => {
    if (listed.data !== null) markets.value = listed.data.data;
  }, [listed.data]);
  useEffect(() => {
    health.value = readyOf(ready.error) ?? ready.data ?? health.value;
  }, [ready.data, ready.error]);
}

/** A venue that is not ready says why with status 503. */
function readyOf(error: StrikebookError | null): Ready | null {
  return error?.code === 'not_ready' && (error.details as Ready | null)?.components !== undefined ? error.details as Ready : null;
}

function takeIndexPrices({ prices }: IndexPriceUpdate): void {
  for (const { underlying, price, timestamp } of prices) {
    const index = indexOf(underlying);
    const before = latest(index);
    const change = before === null ? 0 : Number(price) - Number(before.price);
    const move = change === 0 ? before?.move ?? 0 : change > 0 ? 1 : -1;
    setSoon(index, { price, timestamp, move });
  }
}

/** Once a burst is over: hundreds of contracts are listed in a row. */
function useSettled(work: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  return () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(work, SETTLE_MS);
  };
}
