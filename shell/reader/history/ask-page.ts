// One page of a list, newest first: rows in memory, then the history's, which is asked only if memory does not fill the
// page.

import { mergePage, storePage, type Page } from '../../storage/history/merge-page.ts';
import type { HistoryQuery } from '../../storage/history/protocol.ts';
import type { HistoryLink } from './link.ts';

export function askPage<R extends { readonly seq: number }>(
  history: HistoryLink, page: Page, recent: readonly R[], queryOf: (page: Page) => HistoryQuery, take: (rows: R[] | null) => void,
): void {
  if (page.limit === 0 || page.skip + page.limit <= recent.length) {
    take(recent.slice(page.skip, page.skip + page.limit));
    return;
  }
  const isAsked = history.ask(queryOf(storePage(page, recent.length)), (rows, appliedSeq) => {
    take(mergePage(page, recent, rows as R[], appliedSeq));
  });
  if (!isAsked) take(null);
}

export function askOldest<R extends { readonly seq: number }>(
  history: HistoryLink, limit: number, query: HistoryQuery, fresh: () => readonly R[], take: (rows: R[] | null) => void,
): void {
  const isAsked = history.ask(query, (rows, appliedSeq) => {
    take([...(rows as R[]).toReversed(), ...fresh().filter(({ seq }) => seq > appliedSeq)].slice(0, limit));
  });
  if (!isAsked) take(null);
}

export function newestFirst<R>(rows: readonly R[], matches: (row: R) => boolean): R[] {
  const found: R[] = [];
  for (let i = rows.length - 1; i >= 0; i--) if (matches(rows[i]!)) found.push(rows[i]!);
  return found;
}
