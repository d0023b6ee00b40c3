// Merges stored rows with rows still in the reader's memory, newest first. While a query is under way, the store may
// take rows from memory, but gets no rows that the reader sent later. So the store is asked for a longer page, and the
// overlap is removed by seq.

export type Page = { readonly skip: number; readonly limit: number };
type Row = { readonly seq: number };

export function storePage({ skip, limit }: Page, recent: number): Page {
  const first = Math.max(0, skip - recent);
  return { skip: first, limit: skip + limit - first };
}

/** `recent`: in memory when the store was asked. `stored`: its answer to `storePage`, as of `appliedSeq`. */
export function mergePage<R extends Row>(page: Page, recent: readonly R[], stored: readonly R[], appliedSeq: number): R[] {
  const above = recent.filter(({ seq }) => seq > appliedSeq);
  const fromStore = Math.max(0, page.skip - above.length) - storePage(page, recent.length).skip;
  return [...above.slice(page.skip), ...stored.slice(fromStore)].slice(0, page.limit);
}
