// Names of open orders: a client id, or the name of an order's quote set (spec, extensions 4). The bytes beyond a name are zero, so whole
// words are hashed and compared.

import { assert } from '../assert.ts';
import { bytesOf, uint32 } from '../columns.ts';
import { FLAG_QUOTE } from '../codec/commands.ts';
import { CLIENT_ID_BYTES } from '../limits.ts';
import { addToHashIndex, clearHashIndex, createHashIndex, firstInChain, removeFromHashIndex, type HashIndex } from '../math/hash-index.ts';
import { finishHash, HASH_SEED, mixWord } from '../math/hash.ts';
import type { Books } from '../book/layout.ts';
import { orderAccount, orderLadder, slotsUsed } from '../book/pool.ts';

/** Time in force, flags << 8, length of the name << 16. Higher bits belong to core/orders/orders. */
export const KINDS = 6;
const LENGTH_BITS = 0xff << 16;
const QUOTE_BIT = FLAG_QUOTE << 8;

export const ID_WORDS = CLIENT_ID_BYTES / 4;

export type NamedOrders = {
  readonly books: Books;
  readonly details: Int32Array;
  readonly idWords: Uint32Array;
  readonly idBytes: Uint8Array;
  readonly byName: HashIndex;
};

export function createNames(books: Books, details: Int32Array): Pick<NamedOrders, 'idWords' | 'idBytes' | 'byName'> {
  const idWords = uint32(books.capacity * ID_WORDS);
  const hashOf = (slot: number): number => {
    const kinds = details[(slot << 3) | KINDS];
    const ladder = (kinds & QUOTE_BIT) === 0 ? 0 : orderLadder(books, slot) + 1;
    return hashName(orderAccount(books, slot), ladder, idWords, slot * ID_WORDS, lengthIn(kinds));
  };
  return { idWords, idBytes: bytesOf(idWords), byName: createHashIndex(books.capacity, hashOf) };
}

const lengthIn = (kinds: number): number => (kinds >>> 16) & 0xff;

/** `ladder`: contract and side of a quote plus one; 0: a client id. */
function hashName(account: number, ladder: number, words: Uint32Array, at: number, length: number): number {
  let h = mixWord(HASH_SEED, account);
  if (ladder !== 0) h = mixWord(h, ladder);
  for (let i = 0; i < (length + 3) >>> 2; i++) h = mixWord(h, words[at + i]);
  return finishHash(h);
}

export function isQuote({ details }: NamedOrders, slot: number): boolean {
  return (details[(slot << 3) | KINDS] & QUOTE_BIT) !== 0;
}

/** In bytes, 0 without a name. */
export function nameLength({ details }: NamedOrders, slot: number): number {
  return lengthIn(details[(slot << 3) | KINDS]);
}

export function clientIdLength(orders: NamedOrders, slot: number): number {
  return isQuote(orders, slot) ? 0 : nameLength(orders, slot);
}

export function quoteSetLength(orders: NamedOrders, slot: number): number {
  return isQuote(orders, slot) ? nameLength(orders, slot) : 0;
}

export function setName(orders: NamedOrders, slot: number, words: Uint32Array, at: number, length: number): void {
  assert(length <= CLIENT_ID_BYTES, 'orders: a name is not too long');
  if (length === 0) return;
  orders.details[(slot << 3) | KINDS] |= length << 16;
  for (let i = 0; i < (length + 3) >>> 2; i++) orders.idWords[slot * ID_WORDS + i] = words[at + i];
  addToHashIndex(orders.byName, slot);
}

/** Call before the slot is freed: words of a slot without a name are zero. */
export function clearName(orders: NamedOrders, slot: number): void {
  const length = nameLength(orders, slot);
  if (length === 0) return;
  removeFromHashIndex(orders.byName, slot);
  for (let i = 0; i < (length + 3) >>> 2; i++) orders.idWords[slot * ID_WORDS + i] = 0;
  orders.details[(slot << 3) | KINDS] &= ~LENGTH_BITS;
}

/** `length` bytes at `words[at]`, zero padded. -1 if none. */
export function findByClientId(orders: NamedOrders, account: number, words: Uint32Array, at: number, length: number): number {
  const { books, byName } = orders;
  for (let link = firstInChain(byName, hashName(account, 0, words, at, length)); link !== 0; link = byName.next[link - 1]) {
    const slot = link - 1;
    if (clientIdLength(orders, slot) === length && orderAccount(books, slot) === account && hasName(orders, slot, words, at, length)) {
      return slot;
    }
  }
  return -1;
}

/** `ladder` is instrument << 1 | side. 0 if none. */
export function findQuote(
  orders: NamedOrders, account: number, ladder: number, words: Uint32Array, at: number, length: number,
): number {
  const { books, byName } = orders;
  for (let link = firstInChain(byName, hashName(account, ladder + 1, words, at, length)); link !== 0; link = byName.next[link - 1]) {
    const slot = link - 1;
    if (orderLadder(books, slot) !== ladder || orderAccount(books, slot) !== account) continue;
    if (quoteSetLength(orders, slot) === length && hasName(orders, slot, words, at, length)) return slot;
  }
  return 0;
}

export function hasName({ idWords }: NamedOrders, slot: number, words: Uint32Array, at: number, length: number): boolean {
  for (let i = 0; i < (length + 3) >>> 2; i++) if (idWords[slot * ID_WORDS + i] !== words[at + i]) return false;
  return true;
}

export function rebuildNames(orders: NamedOrders, isOpen: (slot: number) => boolean): void {
  clearHashIndex(orders.byName);
  for (let slot = 0; slot < slotsUsed(orders.books); slot++) {
    if (isOpen(slot) && nameLength(orders, slot) > 0) addToHashIndex(orders.byName, slot);
  }
}
