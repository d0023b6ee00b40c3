// The chain of one expiry while it is shown: live by `options_chain`; marks, volume and open interest are read every few seconds.

import { useEffect, useMemo } from 'preact/hooks';
import { useRead, useStream } from '../../venue/hooks.ts';
import { ChainRows } from './rows.ts';

const SUMMARY_EVERY_MS = 3_000;

type ChainOf = { readonly underlying: string; readonly expiry: number };
type LiveChain = { readonly chain: ChainRows; readonly problem: string | null };

export function useChain({ underlying, expiry }: ChainOf): LiveChain {
  const chain = useMemo(() => new ChainRows(), []);
  useStream('options_chain', { symbols: [underlying], expiry: String(expiry) }, (message) => {
    if (message.currency === underlying && message.expiry === expiry) chain.take(message);
  }, () => chain.clear());
  const summaries = useRead('/options-summary', { currency: underlying, expiry }, { everyMs: SUMMARY_EVERY_MS });
  const rows = chain.rows.value;
  useEffect(() => {
    if (summaries.data !== null) chain.summarise(summaries.data);
  }, [summaries.data, rows]);
  return { chain, problem: summaries.error?.message ?? null };
}
