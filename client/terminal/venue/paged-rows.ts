// The rows of a list of the past, newest first, from its pages: none twice, none missing between two.

export type Page<Row> = { readonly rows: readonly Row[]; readonly limit: number };
export type KeyOf<Row> = (row: Row) => string | number;
export type PagedRows<Row> = {
  readonly id: string;
  readonly rows: readonly Row[] | null;
  readonly error: string | null; readonly hasMore: boolean;
};

/** Older rows stay only if nothing can be between. */
export function withNewest<Row>(before: PagedRows<Row>, { rows, limit }: Page<Row>, keyOf: KeyOf<Row>): PagedRows<Row> {
  const known = before.rows ?? [];
  const keys = new Set(rows.map(keyOf));
  const older = known.filter((row) => !keys.has(keyOf(row)));
  const isJoined = older.length < known.length;
  const hasMore = isJoined ? before.hasMore : rows.length === limit;
  return { ...before, rows: isJoined ? [...rows, ...older] : rows, hasMore, error: null };
}

/** The next page begins with the last known row, so that rows that came meanwhile leave no gap. */
export function olderOffset({ rows }: PagedRows<unknown>): number {
  return Math.max(0, (rows?.length ?? 0) - 1);
}

/** A page without the last known row is dropped: the newest page is on its way. */
export function withOlder<Row>(before: PagedRows<Row>, { rows, limit }: Page<Row>, keyOf: KeyOf<Row>): PagedRows<Row> {
  const known = before.rows ?? [];
  const last = known.at(-1);
  const at = last === undefined ? -1 : rows.findIndex((row) => keyOf(row) === keyOf(last));
  return at < 0 ? before : { ...before, rows: [...known, ...rows.slice(at + 1)], hasMore: rows.length === limit, error: null };
}
