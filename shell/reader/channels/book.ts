// book: a snapshot of the levels of GET /orderbook, then changed levels, size "0" for removed ones. `prev_seq` is the
// seq of the message before. `checksum` is the CRC-32 (IEEE, unsigned) of the best 25 levels of each side after the
// message: `bid price:bid size:ask price:ask size:...` by rank, without missing levels.

import { crc32 } from 'node:zlib';
import { INSTRUMENT, INSTRUMENT_DELETED, INSTRUMENT_EXPIRED } from '../../../core/codec/events.ts';
import { bestAsk, bestBid, levelSize, nextLevel } from '../../../core/book/books.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { ACTIVE } from '../../../core/instruments/instruments.ts';
import { BUY, SELL } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import { Ascii } from '../ascii.ts';
import { MAX_DEPTH } from '../../ipc/queries.ts';
import { isBookEmpty, hasBookSnapshot } from '../market/orderbook.ts';
import { conflatedBooks } from './conflated.ts';
import type { ChannelSource, SourceParts } from './source.ts';

const CHECKED_LEVELS = 25;
const NO_KEY = 0;

type Side = readonly number[];
type Image = { readonly seq: number; readonly bids: Side; readonly asks: Side };

export function bookSource(parts: SourceParts): ChannelSource {
  const { state, names, topics } = parts;
  const { instruments } = state;
  const sent = new Map<number, Image>();
  /** A book that was always empty has no snapshot, so its first change is one. */
  const isShown = (slot: number): boolean => hasBookSnapshot(state, slot) || sent.has(instruments.id[slot]!);
  /** A contract listed again starts with a snapshot. */
  const forgetEnded = (slot: number): void => {
    const id = instruments.id[slot]!;
    const last = sent.get(id);
    const isTold = last !== undefined && last.bids.length === 0 && last.asks.length === 0;
    if (isTold && instruments.status[slot] !== ACTIVE && isBookEmpty(state, slot)) sent.delete(id);
  };
  const text = new Ascii();
  const checked = new Ascii();
  const write = (slot: number, time: number, before: Image | null): Ascii => {
    const now: Image = { seq: state.streams.books[slot]!, bids: readSide(state, slot, BUY), asks: readSide(state, slot, SELL) };
    if (!topics.hasAllSubscribers || isShown(slot)) sent.set(instruments.id[slot]!, now);
    forgetEnded(slot);
    text.begin().text('{"type":"BookUpdate","is_snapshot":').text(before === null ? 'true' : 'false');
    text.text(',"symbol":"').text(names.symbol(slot)).text('","seq":').whole(now.seq).text(',"prev_seq":');
    if (before === null) text.text('null');
    else text.whole(before.seq);
    writeChanges(text.text(',"bids":['), before?.bids ?? [], now.bids, BUY);
    writeChanges(text.text('],"asks":['), before?.asks ?? [], now.asks, SELL);
    writeChecked(checked.begin(), now);
    return text.text('],"checksum":').whole(crc32(checked.bytes())).text(',"timestamp":').whole(time).text('}');
  };
  const books = conflatedBooks(parts, {
    snapshot: (slot, time) => write(slot, time, null).toString(),
    change: (slot, time) => write(slot, time, sent.get(instruments.id[slot]!) ?? null).bytes(),
    isShown,
    end: () => {
      for (const id of sent.keys()) if (!topics.hasSubscribers(id)) sent.delete(id);
    },
  });
  return {
    ...books,
    events: [...books.events, INSTRUMENT_EXPIRED, INSTRUMENT_DELETED],
    onEvent: (kind, f, record) => {
      if (kind === INSTRUMENT_EXPIRED || kind === INSTRUMENT_DELETED) forgetEnded(f[INSTRUMENT]!);
      else books.onEvent(kind, f, record);
    },
  };
}

function readSide({ books }: State, slot: number, side: number): Side {
  const levels: number[] = [];
  let key = side === BUY ? bestBid(books, slot) : bestAsk(books, slot);
  while (key > 0 && levels.length < 2 * MAX_DEPTH) {
    levels.push(key, levelSize(books, slot, side, key));
    key = nextLevel(books, slot, side, key);
  }
  return levels;
}

function writeChanges(text: Ascii, before: Side, now: Side, side: number): void {
  let isFirst = true;
  let i = 0;
  let k = 0;
  while (i < before.length || k < now.length) {
    const old = before[i] ?? NO_KEY;
    const key = now[k] ?? NO_KEY;
    const isGone = key === NO_KEY || (old !== NO_KEY && (side === BUY ? old > key : old < key));
    const isSame = old === key && before[i + 1] === now[k + 1];
    if (!isSame) {
      text.text(isFirst ? '["' : ',["').micro(priceOfKey(isGone ? old : key)).text('","').micro(isGone ? 0 : now[k + 1]!).text('"]');
      isFirst = false;
    }
    if (isGone || old === key) i += 2;
    if (!isGone) k += 2;
  }
}

function writeChecked(text: Ascii, { bids, asks }: Image): void {
  for (let at = 0; at < 2 * CHECKED_LEVELS && (at < bids.length || at < asks.length); at += 2) {
    for (const side of [bids, asks]) {
      if (at < side.length) text.text(text.isEmpty ? '' : ':').micro(priceOfKey(side[at]!)).text(':').micro(side[at + 1]!);
    }
  }
}
