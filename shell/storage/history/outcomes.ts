// Retention of nonce outcomes (decision 3.3). A row is removed only if it is beyond its wallet's newest 1,000 and also
// older than 24 hours, by the newest outcome.

import type { Db } from './history-file.ts';

const KEPT_ROWS = 1_000;
/** First answers of mass quotes per wallet (extensions 4); the oldest is replaced. */
export const KEPT_QUOTES = 1_000;
const KEPT_MS = 86_400_000;
/** A step removes more rows than a transaction adds, so pruning catches up. */
const STEP_WALLETS = 32;
const STEP_ROWS = 16_384;

const SPANS = `SELECT id, (SELECT min(ordinal) FROM outcomes WHERE wallet = id) AS first,
  (SELECT max(ordinal) FROM outcomes WHERE wallet = id) AS last FROM wallets WHERE id > ? ORDER BY id LIMIT ${STEP_WALLETS}`;
const REMOVE = 'DELETE FROM outcomes WHERE wallet = ? AND ordinal BETWEEN ? AND ? AND time < ?';

type Span = { id: number; first: number | null; last: number };

export function nonceKey(nonce: string): number | bigint {
  const value = Number(nonce);
  return Number.isSafeInteger(value) ? value : BigInt.asIntN(64, BigInt(nonce));
}

export function outcomePruning(db: Db): (newestTime: number) => number {
  const spans = db.prepare(SPANS);
  const remove = db.prepare(REMOVE);
  let visited = 0;
  return (newestTime) => {
    const found = spans.all(visited) as Span[];
    let room = STEP_ROWS;
    for (const { id, first, last } of found) {
      if (first !== null && last - first >= KEPT_ROWS) {
        room -= remove.run(id, first, Math.min(last - KEPT_ROWS, first + room - 1), newestTime - KEPT_MS).changes;
        if (room === 0) return STEP_ROWS;
      }
      visited = id;
    }
    if (found.length < STEP_WALLETS) visited = 0;
    return STEP_ROWS - room;
  };
}
