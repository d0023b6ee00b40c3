// book: a snapshot of all levels that GET /orderbook shows, then what has changed of them. A message's `prev_seq` is the seq of
// the one before; its levels are those whose size is another than before, "0" for one that is gone. `checksum` is CRC-32
// (IEEE, unsigned) of the text of the best 25 levels of each side as they stand after it: `bid price:bid size:ask price:ask
// size:...` by rank, what a side lacks left out. What was sent last is kept of every book that somebody listens to.

import { crc32 } from 'node:zlib';
import { bestAsk, bestBid, levelSize, nextLevel } from '../../../core/book/books.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { BUY, SELL } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import { isBookEmpty, MOST_DEPTH } from '../orderbook.ts';
import { micro } from '../text.ts';
import { conflatedBooks } from './conflated.ts';
import type { Source, SourceParts } from './source.ts';

const CHECKED_LEVELS = 25;

/** Price key and size of each level, best first. */
type Side = readonly number[];
type Image = { readonly seq: number; readonly bids: Side; readonly asks: Side };

export function bookSource(parts: SourceParts): Source {
  const { state, names, topics } = parts;
  const { instruments } = state;
  /** By instrument. */
  const sent = new Map<number, Image>();
  /** Those who listen to all know nothing of a book that was empty when they began: its first change is a snapshot to everybody. */
  const isShown = (slot: number): boolean => !isBookEmpty(state, slot) || sent.has(instruments.id[slot]!);
  const write = (slot: number, time: number, before: Image | null): string => {
    const now: Image = { seq: state.streams.books[slot]!, bids: readSide(state, slot, BUY), asks: readSide(state, slot, SELL) };
    if (isShown(slot) || !topics.isAllHeard) sent.set(instruments.id[slot]!, now);
    const bids = changes(before?.bids ?? [], now.bids, BUY);
    const asks = changes(before?.asks ?? [], now.asks, SELL);
    return `{"type":"BookUpdate","is_snapshot":${before === null},"symbol":"${names.symbol(slot)}","seq":${now.seq},`
      + `"prev_seq":${before === null ? null : before.seq},"bids":[${bids}],"asks":[${asks}],"checksum":${checksum(now)},`
      + `"timestamp":${time}}`;
  };
  return conflatedBooks(parts, {
    snapshot: (slot, time) => write(slot, time, null),
    change: (slot, time) => write(slot, time, sent.get(instruments.id[slot]!) ?? null),
    isShown,
    end: () => {
      for (const id of sent.keys()) if (!topics.isHeard(id)) sent.delete(id);
    },
  });
}

function readSide({ books }: State, slot: number, side: number): Side {
  const levels: number[] = [];
  let key = side === BUY ? bestBid(books, slot) : bestAsk(books, slot);
  while (key > 0 && levels.length < 2 * MOST_DEPTH) {
    levels.push(key, levelSize(books, slot, side, key));
    key = nextLevel(books, slot, side, key);
  }
  return levels;
}

/** `["price","size"],...` of the levels that are not the same in both, best first. */
function changes(before: Side, now: Side, side: number): string {
  const isBetter = (a: number, b: number): boolean => (side === BUY ? a > b : a < b);
  let text = '';
  const add = (key: number, size: number): void => {
    text += `${text === '' ? '' : ','}["${micro(priceOfKey(key))}","${micro(size)}"]`;
  };
  let i = 0;
  let k = 0;
  while (i < before.length || k < now.length) {
    if (k >= now.length || (i < before.length && isBetter(before[i]!, now[k]!))) {
      add(before[i]!, 0);
      i += 2;
    } else if (i >= before.length || before[i] !== now[k]) {
      add(now[k]!, now[k + 1]!);
      k += 2;
    } else {
      if (before[i + 1] !== now[k + 1]) add(now[k]!, now[k + 1]!);
      i += 2;
      k += 2;
    }
  }
  return text;
}

function checksum({ bids, asks }: Image): number {
  let text = '';
  for (let at = 0; at < 2 * CHECKED_LEVELS; at += 2) {
    for (const side of [bids, asks]) {
      if (at < side.length) text += `${text === '' ? '' : ':'}${micro(priceOfKey(side[at]!))}:${micro(side[at + 1]!)}`;
    }
  }
  return crc32(text);
}
