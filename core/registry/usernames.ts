// Usernames: one per wallet, 3 to 20 of [A-Za-z0-9_], shown as given, unique ignoring case, at most one change per UTC day (decision 5.6).
// Five words, zero padded. The api thread checks the characters.

import { assert } from '../assert.ts';
import { bytesOf, fixedSection, float64, type Section, uint32, uint8 } from '../columns.ts';
import { OK, USERNAME_CHANGED_TODAY, USERNAME_TAKEN } from '../errors.ts';
import { USERNAME_CHARS } from '../limits.ts';
import { clearHashIndex, createHashIndex, addToHashIndex, firstInChain, removeFromHashIndex, type HashIndex } from '../math/hash-index.ts';
import { finishHash, HASH_SEED, mixWord } from '../math/hash.ts';
import { DAY } from '../units.ts';
import { BYTE_USERNAME, REQUEST_USERNAME } from '../codec/commands.ts';
import { ACCOUNT, emit, NAMED_LENGTH, NAMED_REQUEST, NAMED_SLOTS, NAMED_WORDS, USERNAME_CHANGED, type Events } from '../codec/events.ts';
import { recordKind, type Views } from '../codec/record.ts';
import type { CommandResult } from '../trading/context.ts';

const NAME_WORDS = USERNAME_CHARS / 4;
const CASE_BIT = 0x20;

const REQUESTS = 0;

export type Usernames = {
  readonly counters: Float64Array;
  /** Per account: length of the name (0: none), the name, and the UTC day of its last change, counted from 1. */
  readonly length: Uint8Array;
  readonly words: Uint32Array;
  readonly bytes: Uint8Array;
  readonly changed: Uint32Array;
  readonly chains: HashIndex;
};

type Naming = {
  readonly usernames: Usernames; readonly events: Events; readonly result: Pick<CommandResult, 'code' | 'numbers'>;
};

export function createUsernames(accounts: number): Usernames {
  const words = uint32(accounts * NAME_WORDS);
  const bytes = bytesOf(words);
  const length = uint8(accounts);
  return {
    counters: float64(1), length, words, bytes, changed: uint32(accounts),
    chains: createHashIndex(accounts, (account) => hashName(bytes, account * USERNAME_CHARS, length[account])),
  };
}

/** Approved at once. */
export function setUsername({ usernames, events, result }: Naming, views: Views, at: number, account: number, time: number): void {
  const { bytes, changed, counters, length, words } = usernames;
  const from = at + BYTE_USERNAME + 4;
  const size = views.u8[at + BYTE_USERNAME];
  const day = Math.floor(time / DAY) + 1;
  const owner = findName(usernames, views.u8, from, size);
  const isSame = owner === account && sameBytes(bytes, account * USERNAME_CHARS, views.u8, from, size, 0);
  result.code = owner >= 0 && owner !== account ? USERNAME_TAKEN : !isSame && changed[account] === day ? USERNAME_CHANGED_TODAY : OK;
  if (result.code !== OK) return;
  assert(size > 0 && size <= USERNAME_CHARS, 'usernames: the length is within its bounds');
  if (!isSame) {
    if (length[account] !== 0) removeFromHashIndex(usernames.chains, account);
    for (let i = 0; i < USERNAME_CHARS; i++) bytes[account * USERNAME_CHARS + i] = views.u8[from + i];
    length[account] = size;
    changed[account] = day;
    addToHashIndex(usernames.chains, account);
  }
  const f = events.slots;
  result.numbers[0] = recordKind(views, at) === REQUEST_USERNAME ? ++counters[REQUESTS] : 0;
  f[ACCOUNT] = account;
  f[NAMED_REQUEST] = result.numbers[0];
  f[NAMED_LENGTH] = size;
  for (let i = 0; i < NAME_WORDS; i++) f[NAMED_WORDS + i] = words[account * NAME_WORDS + i];
  emit(events, USERNAME_CHANGED, NAMED_SLOTS);
}

export function forgetUsername({ chains, changed, length, words }: Usernames, account: number): void {
  if (length[account] !== 0) removeFromHashIndex(chains, account);
  words.fill(0, account * NAME_WORDS, (account + 1) * NAME_WORDS);
  length[account] = changed[account] = 0;
}

export function usernameOf({ usernames }: { readonly usernames: Usernames }, account: number): string {
  if (account < 0) return '';
  let name = '';
  for (let i = 0; i < usernames.length[account]; i++) name += String.fromCharCode(usernames.bytes[account * USERNAME_CHARS + i]);
  return name;
}

/** Ignores case. -1 if nobody has the name. */
export function accountOfUsername({ usernames }: { readonly usernames: Usernames }, name: string): number {
  if (name.length === 0 || name.length > USERNAME_CHARS) return -1;
  const bytes = new Uint8Array(name.length);
  for (let i = 0; i < name.length; i++) {
    const char = name.charCodeAt(i);
    if (char > 0x7f) return -1;
    bytes[i] = char;
  }
  return findName(usernames, bytes, 0, bytes.length);
}

function findName(usernames: Usernames, name: Uint8Array, at: number, size: number): number {
  const { bytes, chains, length } = usernames;
  for (let link = firstInChain(chains, hashName(name, at, size)); link !== 0; link = chains.next[link - 1]) {
    const account = link - 1;
    if (length[account] === size && sameBytes(bytes, account * USERNAME_CHARS, name, at, size, CASE_BIT)) return account;
  }
  return -1;
}

function hashName(name: Uint8Array, at: number, size: number): number {
  let h = HASH_SEED;
  for (let i = 0; i < size; i++) h = mixWord(h, name[at + i] | CASE_BIT);
  return finishHash(h);
}

function sameBytes(a: Uint8Array, i: number, b: Uint8Array, j: number, size: number, ignored: number): boolean {
  for (let k = 0; k < size; k++) {
    const char = a[i + k];
    const other = b[j + k];
    if (char !== other && !(isLetter(char) && (char ^ other) === ignored)) return false;
  }
  return true;
}

function isLetter(char: number): boolean {
  const small = char | CASE_BIT;
  return small >= 97 && small <= 122;
}

export function usernameSections(usernames: Usernames, accounts: () => number): readonly Section[] {
  return [
    fixedSection('usernames.counters', usernames.counters),
    { name: 'usernames.length', column: usernames.length, used: accounts },
    { name: 'usernames.words', column: usernames.words, used: () => accounts() * NAME_WORDS },
    { name: 'usernames.changed', column: usernames.changed, used: accounts },
  ];
}

export function rebuildUsernames(usernames: Usernames, accounts: number): void {
  clearHashIndex(usernames.chains);
  for (let account = 0; account < accounts; account++) if (usernames.length[account] !== 0) addToHashIndex(usernames.chains, account);
}
