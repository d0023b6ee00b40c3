// How long the outcome of a nonce is kept (decision 3.3). A row goes only when it is both beyond the newest 1,000 of its wallet
// and older than 24 hours, by the time of the newest one that came: however the promise is read, nothing inside it goes.
// Wallets are visited in turn, a bounded step in each transaction, so that those that went quiet are cleared too. Times ms.

import type { Db } from './history-file.ts';

const KEPT_ROWS = 1_000;
const KEPT_MS = 86_400_000;
/** Wallets one step looks at, and rows it removes: more than a transaction adds, so that it catches up. */
const STEP_WALLETS = 32;
const STEP_ROWS = 16_384;

const SPANS = `SELECT id, (SELECT min(ordinal) FROM outcomes WHERE wallet = id) AS first,
  (SELECT max(ordinal) FROM outcomes WHERE wallet = id) AS last FROM wallets WHERE id > ? ORDER BY id LIMIT ${STEP_WALLETS}`;
const REMOVE = 'DELETE FROM outcomes WHERE wallet = ? AND ordinal BETWEEN ? AND ? AND time < ?';

type Span = { id: number; first: number | null; last: number };

/** A nonce (u64, decimal) as SQLite keeps it: the signed integer of the same 64 bits. */
export function nonceKey(nonce: string): number | bigint {
  const value = Number(nonce);
  return Number.isSafeInteger(value) ? value : BigInt.asIntN(64, BigInt(nonce));
}

/** Makes the step; to be called within a transaction, with the time of the newest outcome that came. Returns how many rows went. */
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
        // This wallet may have more: the next step begins with it.
        if (room === 0) return STEP_ROWS;
      }
      visited = id;
    }
    if (found.length < STEP_WALLETS) visited = 0;
    return STEP_ROWS - room;
  };
}
