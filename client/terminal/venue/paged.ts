// A list of the past: its newest rows are read when it is shown and when there are new ones, older ones on demand.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { connection } from './connection.ts';
import { olderOffset, withNewest, withOlder, type KeyOf, type Page, type PagedRows } from './paged-rows.ts';

type Listing<Row> = PagedRows<Row> & { readonly more: () => void };
type Read<Row> = (offset: number, signal: AbortSignal) => Promise<Page<Row>>;

/** Another `id` begins anew; another `version`: there may be new rows. */
export function usePaged<Row>(id: string, version: number, read: Read<Row>, keyOf: KeyOf<Row>): Listing<Row> {
  const begun: PagedRows<Row> = { id, rows: null, error: null, hasMore: false };
  const [state, setState] = useState(begun);
  const known = state.id === id ? state : begun;
  const latest = useRef({ known, read });
  latest.current = { known, read };
  const turn = useMemo(() => ({ ending: new AbortController(), isReading: false, isAskedAgain: false }), [id]);
  const load = async (isOlder: boolean): Promise<void> => {
    const { signal } = turn.ending;
    if (turn.isReading) {
      if (!isOlder) turn.isAskedAgain = true;
      return;
    }
    turn.isReading = true;
    turn.isAskedAgain = false;
    const change = (of: (before: PagedRows<Row>) => PagedRows<Row>): void => {
      if (!signal.aborted) setState((before) => of(before.id === id ? before : begun));
    };
    try {
      const page = await latest.current.read(isOlder ? olderOffset(latest.current.known) : 0, signal);
      change((before) => (isOlder ? withOlder : withNewest)(before, page, keyOf));
    } catch (error) {
      change((before) => ({ ...before, error: (error as Error).message }));
    }
    turn.isReading = false;
    if (turn.isAskedAgain && !signal.aborted) void load(false);
  };
  useEffect(() => () => turn.ending.abort(), [id]);
  useEffect(() => {
    void load(false);
    return connection.listen({ up: () => void load(false) });
  }, [id, version]);
  return { ...known, more: () => void load(true) };
}
