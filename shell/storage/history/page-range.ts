// Which numbers a page holds of rows numbered 1, 2, 3... Time and seq ascend with the number, so bisection finds
// bounds.

import type Database from 'better-sqlite3';
import type { Db } from './history-file.ts';
import type { Page } from './merge-page.ts';

/** `isOldest`: the page begins at the oldest row of the range; its rows still come newest first. */
export type RowRange = { readonly from?: number; readonly to?: number; readonly upTo?: number; readonly isOldest?: boolean };
export type At = (number: number) => { seq: number; time: number };

type Statement = Database.Statement<unknown[]>;

export function prepareAll<const T extends readonly string[]>(db: Db, ...texts: T): { [I in keyof T]: Statement } {
  return texts.map((text) => db.prepare(text)) as { [I in keyof T]: Statement };
}

export function pageRange(count: number, query: Page & RowRange, rowAt?: (number: number) => unknown): [low: number, high: number] {
  const { skip, limit } = checkedPage(query);
  const { from = -Infinity, to = Infinity, upTo = Infinity } = query;
  let [first, last] = [1, count];
  if (rowAt !== undefined) {
    const at = rowAt as At;
    if (to < Infinity || upTo < Infinity) {
      last = lastWhere(count, (number) => {
        const { seq, time } = at(number);
        return seq <= upTo && time <= to;
      });
    }
    if (from > -Infinity) first = 1 + lastWhere(last, (number) => at(number).time < from);
  }
  if (query.isOldest === true) return [first + skip, Math.min(last, first + skip + limit - 1)];
  const high = last - skip;
  return [Math.max(first, high - limit + 1), high];
}

/** The last of 1..count for which `holds`, which must be true for all before it. */
export function lastWhere(count: number, holds: (number: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function checkedPage(page: Page): Page {
  for (const value of [page.skip, page.limit]) {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`skip ${page.skip}, limit ${page.limit}`);
  }
  return page;
}
