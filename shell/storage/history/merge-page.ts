// How a page of the whole history is made of the store's rows and of those that are not in it yet. The reader keeps every row
// until `taken` says that the store has it. A question may be overtaken by what the store takes but never by rows the reader sent
// later, so the store answers as of some seq between what the reader knew and what it asked at: rows of memory move into the
// store meanwhile, and the page asked of the store is that much longer. Rows are newest first.

export type Page = { readonly skip: number; readonly limit: number };
type Row = { readonly seq: number };

/** What to ask of the store for a page of the whole; `recent` is how many of the rows that match are in memory now. */
export function storePage({ skip, limit }: Page, recent: number): Page {
  const first = Math.max(0, skip - recent);
  return { skip: first, limit: skip + limit - first };
}

/**
 * The page of the whole: `recent` are the matching rows that were in memory when the store was asked, `stored` its answer to
 * `storePage` as of `appliedSeq`.
 */
export function mergePage<R extends Row>(page: Page, recent: readonly R[], stored: readonly R[], appliedSeq: number): R[] {
  const above = recent.filter(({ seq }) => seq > appliedSeq);
  const fromStore = Math.max(0, page.skip - above.length) - storePage(page, recent.length).skip;
  return [...above.slice(page.skip), ...stored.slice(fromStore)].slice(0, page.limit);
}
