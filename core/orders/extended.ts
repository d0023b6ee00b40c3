// The terms of extended orders (spec, extensions 1). A row is the order's slot in the pool; that of a plain order is zero. Expiring orders
// are indexed earliest first, then by id.

import { assert } from '../assert.ts';
import { bytesOf, float64, type Section, uint32 } from '../columns.ts';
import { BYTE_LINK_ID, BYTE_ORDER_FLAGS, DOUBLE_EXPIRES_AT, DOUBLE_TRIGGER_PRICE, FLAG_ENTRY, WORD_ORDER_TERMS } from
  '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { LABEL_CHARS } from '../limits.ts';
import { addToHashIndex, clearHashIndex, createHashIndex, firstInChain, removeFromHashIndex, type HashIndex } from '../math/hash-index.ts';
import { finishHash, HASH_SEED, mixWord } from '../math/hash.ts';
import { clearHeap, createHeap, firstInHeap, putInHeap, removeFromHeap, type Heap } from '../math/heap.ts';
import type { Books } from '../book/layout.ts';
import { orderAccount, orderId, orderInstrument } from '../book/pool.ts';

/** Words of a row. TERMS: post-only, self-trade prevention, trigger's value and direction as four bytes. */
const TERMS = 0;
/** The link's length, with the bits IS_ENTRY and AWAITS_ENTRY. */
const LINK_LENGTH = 1;
const LINK = 2;
const LINK_WORDS = LABEL_CHARS / 4;
const ROW_WORDS = LINK + LINK_WORDS;
const LENGTH = 0xff;
/** The order is the unfilled entry of its link, not a member: it opens the position that the members reduce. */
const IS_ENTRY = 1 << 8;
/** The order is a member whose entry is open and unfilled, so its trigger does not fire. */
const AWAITS_ENTRY = 1 << 9;

export type Extended = {
  readonly words: Uint32Array;
  readonly bytes: Uint8Array;
  /** When the order expires, ms; 0: never. */
  readonly expiresAt: Float64Array;
  readonly triggerPrice: Float64Array;
  /** Cap of positions plus one from the order's placing, 0: none. It applies when its trigger fires. */
  readonly mostPositions: Uint32Array;
  readonly expiring: Heap;
  readonly byLink: HashIndex;
};

export function createExtended(books: Books): Extended {
  const { capacity } = books;
  const words = uint32(capacity * ROW_WORDS);
  const expiresAt = float64(capacity);
  const isEarlier = (slot: number, other: number): boolean => (
    expiresAt[slot] < expiresAt[other] || (expiresAt[slot] === expiresAt[other] && orderId(books, slot) < orderId(books, other))
  );
  const linkHash = (slot: number): number => hashLink({
    account: orderAccount(books, slot), instrument: orderInstrument(books, slot), words, at: slot * ROW_WORDS + LINK,
    length: words[slot * ROW_WORDS + LINK_LENGTH] & LENGTH,
  });
  return {
    words, bytes: bytesOf(words), expiresAt, triggerPrice: float64(capacity), mostPositions: uint32(capacity),
    expiring: createHeap(capacity, isEarlier),
    byLink: createHashIndex(capacity, linkHash),
  };
}

export type Link = { account: number; instrument: number; words: Uint32Array; at: number; length: number };

function hashLink({ account, instrument, words, at, length }: Link): number {
  let h = mixWord(mixWord(HASH_SEED, account), instrument);
  for (let i = 0; i < (length + 3) >>> 2; i++) h = mixWord(h, words[at + i]);
  return finishHash(h);
}

export function hasTerms(views: Views, at: number): boolean {
  const { f64, u32, u8 } = views;
  return u32[(at >>> 2) + WORD_ORDER_TERMS] !== 0 || f64[(at >>> 3) + DOUBLE_EXPIRES_AT] !== 0 || u8[at + BYTE_LINK_ID] !== 0;
}

/** True if the record's order is the entry of its link (spec, extensions 1). Only batches have such orders. */
export function isEntryRecord({ u8 }: Views, at: number): boolean {
  return u8[at + BYTE_LINK_ID] !== 0 && (u8[at + BYTE_ORDER_FLAGS] & FLAG_ENTRY) !== 0;
}

/** The link of a member or of an entry. */
export function groupOfRecord({ u8, u32 }: Views, at: number, account: number, instrument: number, out: Link): Link {
  out.account = account;
  out.instrument = instrument;
  out.words = u32;
  out.at = (at + BYTE_LINK_ID + 4) >>> 2;
  out.length = u8[at + BYTE_LINK_ID];
  return out;
}

export function setTerms(extended: Extended, slot: number, views: Views, at: number): void {
  const { expiresAt, triggerPrice, words } = extended;
  const row = slot * ROW_WORDS;
  const length = views.u8[at + BYTE_LINK_ID];
  assert(words[row + TERMS] === 0 && expiresAt[slot] === 0 && words[row + LINK_LENGTH] === 0, 'extended: the row is unused');
  assert(length <= LABEL_CHARS, 'extended: a link id is not too long');
  words[row + TERMS] = views.u32[(at >>> 2) + WORD_ORDER_TERMS];
  words[row + LINK_LENGTH] = isEntryRecord(views, at) ? length | IS_ENTRY : length;
  for (let i = 0; i < (length + 3) >>> 2; i++) words[row + LINK + i] = views.u32[((at + BYTE_LINK_ID + 4) >>> 2) + i];
  expiresAt[slot] = views.f64[(at >>> 3) + DOUBLE_EXPIRES_AT];
  triggerPrice[slot] = views.f64[(at >>> 3) + DOUBLE_TRIGGER_PRICE];
  indexTerms(extended, slot);
}

function indexTerms({ byLink, expiresAt, expiring, words }: Extended, slot: number): void {
  if (expiresAt[slot] !== 0) putInHeap(expiring, slot);
  if (words[slot * ROW_WORDS + LINK_LENGTH] !== 0) addToHashIndex(byLink, slot);
}

/** Call before the slot is freed. */
export function clearTerms({ byLink, expiresAt, expiring, mostPositions, triggerPrice, words }: Extended, slot: number): void {
  const row = slot * ROW_WORDS;
  removeFromHeap(expiring, slot);
  if (words[row + LINK_LENGTH] !== 0) removeFromHashIndex(byLink, slot);
  words.fill(0, row, row + ROW_WORDS);
  expiresAt[slot] = 0;
  triggerPrice[slot] = 0;
  mostPositions[slot] = 0;
}

export function termsOf({ words }: Extended, slot: number): number {
  return words[slot * ROW_WORDS + TERMS];
}

/** Returns the number of bytes. */
export function copyLinkId(extended: Extended, slot: number, to: Uint8Array, at: number): number {
  return copyLink(extended, slot, linkLength(extended, slot), to, at);
}

/** Also of an entry. Returns the number of bytes. */
export function copyGroupId(extended: Extended, slot: number, to: Uint8Array, at: number): number {
  return copyLink(extended, slot, extended.words[slot * ROW_WORDS + LINK_LENGTH] & LENGTH, to, at);
}

function copyLink({ bytes }: Extended, slot: number, length: number, to: Uint8Array, at: number): number {
  const from = (slot * ROW_WORDS + LINK) * 4;
  for (let i = 0; i < length; i++) to[at + i] = bytes[from + i];
  return length;
}

export function postOnlyOf({ bytes }: Extended, slot: number): number {
  return bytes[slot * ROW_WORDS * 4];
}

export function stpOf({ bytes }: Extended, slot: number): number {
  return bytes[slot * ROW_WORDS * 4 + 1];
}

export function triggerBy({ bytes }: Extended, slot: number): number {
  return bytes[slot * ROW_WORDS * 4 + 2];
}

export function triggerDirection({ bytes }: Extended, slot: number): number {
  return bytes[slot * ROW_WORDS * 4 + 3];
}

export function linkLength({ words }: Extended, slot: number): number {
  const word = words[slot * ROW_WORDS + LINK_LENGTH];
  return (word & IS_ENTRY) === 0 ? word & LENGTH : 0;
}

export function linkOf(extended: Extended, books: Books, slot: number, out: Link): Link {
  groupOf(extended, books, slot, out);
  out.length = linkLength(extended, slot);
  return out;
}

/** The link of a member or of an entry. */
export function groupOf({ words }: Extended, books: Books, slot: number, out: Link): Link {
  out.account = orderAccount(books, slot);
  out.instrument = orderInstrument(books, slot);
  out.words = words;
  out.at = slot * ROW_WORDS + LINK;
  out.length = words[slot * ROW_WORDS + LINK_LENGTH] & LENGTH;
  return out;
}

export function isEntry({ words }: Extended, slot: number): boolean {
  return (words[slot * ROW_WORDS + LINK_LENGTH] & IS_ENTRY) !== 0;
}

/** Call when an entry gets a fill, or when another order takes its place. */
export function endEntry({ byLink, words }: Extended, slot: number): void {
  const row = slot * ROW_WORDS;
  removeFromHashIndex(byLink, slot);
  words.fill(0, row + LINK_LENGTH, row + ROW_WORDS);
}

export function awaitsEntry({ words }: Extended, slot: number): boolean {
  return (words[slot * ROW_WORDS + LINK_LENGTH] & AWAITS_ENTRY) !== 0;
}

export function setAwaitsEntry({ words }: Extended, slot: number, awaits: boolean): void {
  const at = slot * ROW_WORDS + LINK_LENGTH;
  words[at] = awaits ? words[at] | AWAITS_ENTRY : words[at] & ~AWAITS_ENTRY;
}

export function hasEntry(extended: Extended, books: Books, link: Link): boolean {
  const { byLink } = extended;
  for (let next = firstInChain(byLink, hashLink(link)); next !== 0; next = byLink.next[next - 1]) {
    if (isEntry(extended, next - 1) && isSameLink(extended, books, next - 1, link)) return true;
  }
  return false;
}

/** Writes their slots to `out`, in no order, and returns their number. */
export function linkedOrders(extended: Extended, books: Books, link: Link, out: Int32Array): number {
  const { byLink } = extended;
  let count = 0;
  for (let next = firstInChain(byLink, hashLink(link)); next !== 0; next = byLink.next[next - 1]) {
    const slot = next - 1;
    if (!isOfLink(extended, books, slot, link)) continue;
    assert(count < out.length, 'extended: a link has a bounded number of orders');
    out[count++] = slot;
  }
  return count;
}

export function isOfLink(extended: Extended, books: Books, slot: number, link: Link): boolean {
  return !isEntry(extended, slot) && isSameLink(extended, books, slot, link);
}

/** True of members and of the entry. */
export function isSameLink({ words }: Extended, books: Books, slot: number, link: Link): boolean {
  const { account, instrument, words: wanted, at, length } = link;
  const row = slot * ROW_WORDS;
  if ((words[row + LINK_LENGTH] & LENGTH) !== length) return false;
  if (orderAccount(books, slot) !== account || orderInstrument(books, slot) !== instrument) return false;
  for (let i = 0; i < (length + 3) >>> 2; i++) if (words[row + LINK + i] !== wanted[at + i]) return false;
  return true;
}

export function firstExpiring({ expiring }: Extended): number {
  return firstInHeap(expiring);
}

/** Infinity if no order expires. */
export function nextExpiring({ expiresAt, expiring }: Extended): number {
  const first = firstInHeap(expiring);
  return first < 0 ? Infinity : expiresAt[first];
}

export function hasExpired({ expiresAt, expiring }: Extended, time: number): boolean {
  const first = firstInHeap(expiring);
  return first >= 0 && expiresAt[first] <= time;
}

export function isPastExpiry({ expiresAt }: Extended, slot: number, time: number): boolean {
  return expiresAt[slot] !== 0 && expiresAt[slot] <= time;
}

export function extendedSections({ expiresAt, mostPositions, triggerPrice, words }: Extended, slots: () => number): readonly Section[] {
  return [
    { name: 'extended.words', column: words, used: () => slots() * ROW_WORDS },
    { name: 'extended.expiresAt', column: expiresAt, used: slots }, { name: 'extended.triggerPrice', column: triggerPrice, used: slots },
    { name: 'extended.mostPositions', column: mostPositions, used: slots },
  ];
}

export function rebuildExtended(extended: Extended, slots: number): void {
  clearHeap(extended.expiring, slots);
  clearHashIndex(extended.byLink);
  for (let slot = 0; slot < slots; slot++) indexTerms(extended, slot);
}
