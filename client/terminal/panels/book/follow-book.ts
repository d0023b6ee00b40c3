// Follows the book of one contract. After a gap the library asks for a new snapshot; meanwhile the book is shown as out of date.

import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { LocalBook, StrikebookError } from '../../../src/main.ts';
import { connection } from '../../venue/connection.ts';

type BookState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'live' | 'old'; readonly resyncs: number; readonly mendedAt: number | null }
  | { readonly kind: 'refused'; readonly message: string };

export function useBook(symbol: string, onChange: (book: LocalBook) => void): ReadonlySignal<BookState> {
  const state = useMemo(() => signal<BookState>({ kind: 'waiting' }), [symbol]);
  useEffect(() => {
    let ending = new AbortController();
    let resyncs = 0;
    let mendedAt: number | null = null;
    const follow = (book: LocalBook): (() => void) => {
      let wasLive: boolean | null = null;
      const told = (): void => {
        if (book.isLive !== wasLive) {
          if (book.isLive && wasLive === false) mendedAt = connection.now();
          if (!book.isLive) resyncs++;
          wasLive = book.isLive;
          state.value = { kind: wasLive ? 'live' : 'old', resyncs, mendedAt };
        }
        onChange(book);
      };
      told();
      return book.onChange(told);
    };
    const stop = connection.socket.subscribe((socket) => {
      ending.abort();
      if (socket === null) return;
      const own = ending = new AbortController();
      socket.book(symbol, { signal: own.signal }).then((book) => {
        if (own.signal.aborted) return book.close();
        const unfollow = follow(book);
        own.signal.addEventListener('abort', () => {
          unfollow();
          book.close();
        }, { once: true });
      }, (error: StrikebookError) => {
        if (!own.signal.aborted) state.value = { kind: 'refused', message: error.message };
      });
    });
    return () => {
      ending.abort();
      stop();
    };
  }, [symbol]);
  return state;
}
