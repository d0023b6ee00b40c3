// An operator's read, again every few seconds while shown. A failed read keeps the last answer.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { venueText } from '../../venue/signed-log.ts';

type Polled<T> = { readonly data: T | null; readonly problem: string | null };

export function usePolled<T>(read: () => Promise<T>, everyMs: number, key: unknown): Polled<T> {
  const state = useSignal<Polled<T>>({ data: null, problem: null });
  useEffect(() => {
    let isEnded = false;
    const once = async (): Promise<void> => {
      try {
        const data = await read();
        if (!isEnded) state.value = { data, problem: null };
      } catch (error) {
        if (!isEnded) state.value = { data: state.value.data, problem: venueText(error) };
      }
    };
    void once();
    const timer = setInterval(() => { if (!document.hidden) void once(); }, everyMs);
    return () => {
      isEnded = true;
      clearInterval(timer);
    };
  }, [key, everyMs]);
  return state.value;
}
