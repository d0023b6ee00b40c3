// Numbers and bytes of the core as the interface's texts.  Amounts are integers in 1e-6, as plain decimals, never rounded.

import { HIGH } from '../../core/codec/record.ts';
import { CLIENT_ID_BYTES } from '../../core/limits.ts';
import { DEFAULT_TIER } from '../../core/tiers.ts';
import { accountCount, findAccount } from '../../core/accounts/accounts.ts';
import { ACTIVE, DELETED, EXPIRED_PENDING_PRICE, findInstrument, instrumentCount } from '../../core/instruments/instruments.ts';
import { findUnderlying, underlyingCount } from '../../core/instruments/underlyings.ts';
import { createTerms, formatSymbol, parseSymbol, SYMBOL_OK, underlyingOfPerp, unpackUnderlying } from '../../core/instruments/symbol.ts';
import type { State } from '../../core/engine/state.ts';
import { clientIdLength, nameLength, quoteSetLength } from '../../core/orders/names.ts';
import { parseHex } from '../http/hex.ts';
import { SIDES, TIFS, TRADING_MODES, type INSTRUMENT_STATUSES } from '../ipc/enum-names.ts';

export { micro, microOrNull } from './micro.ts';

export function sideText(side: number): (typeof SIDES)[number] {
  return SIDES[side]!;
}

export function tifText(tif: number): (typeof TIFS)[number] {
  return TIFS[tif]!;
}

export function statusText(status: number): (typeof INSTRUMENT_STATUSES)[number] {
  return status === ACTIVE ? 'ACTIVE' : status === EXPIRED_PENDING_PRICE ? 'EXPIRED_PENDING_PRICE' : 'SETTLED';
}

export function tradingModeText(mode: number): (typeof TRADING_MODES)[number] {
  return TRADING_MODES[mode]!;
}

export function instrumentType(symbol: string): 'option' | 'perp' {
  return underlyingOfPerp(symbol) === null ? 'option' : 'perp';
}

export function isoText(ms: number): string {
  return new Date(ms).toISOString();
}

const hexWords = new Uint32Array(8);
const hexBytes = Buffer.from(hexWords.buffer);

export function hexOfWords(words: ArrayLike<number>, at: number, count: number): string {
  for (let i = 0; i < count; i++) hexWords[i] = words[at + i]!;
  return hexBytes.toString('hex', 0, count * 4);
}

export function addressOfWords(words: ArrayLike<number>, at: number): string {
  return `0x${hexOfWords(words, at, 5)}`;
}

const addressBytes = new Uint8Array(20);
const addressWords = new Uint32Array(addressBytes.buffer);

/** The words are in a buffer that the next call overwrites. */
export function wordsOfAddress(text: string): Uint32Array | null {
  return parseHex(text, addressBytes) ? addressWords : null;
}

export function u64Text(low: number, high: number): string {
  return high < 0x200000 ? `${high * HIGH + low}` : `${(BigInt(high) << 32n) | BigInt(low)}`;
}

/** UTF-8; shared memory is allowed. */
export function textOfBytes(bytes: Uint8Array, at: number, length: number): string {
  return length === 0 ? '' : Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset + at, length).toString('utf8');
}

export function quoteSetOfSlot(state: State, slot: number): string {
  return textOfBytes(state.orders.idBytes, slot * CLIENT_ID_BYTES, quoteSetLength(state.orders, slot));
}

export function nameOfSlot(state: State, slot: number): string {
  return textOfBytes(state.orders.idBytes, slot * CLIENT_ID_BYTES, nameLength(state.orders, slot));
}

export function clientIdOfSlot(state: State, slot: number): string {
  return textOfBytes(state.orders.idBytes, slot * CLIENT_ID_BYTES, clientIdLength(state.orders, slot));
}

/** V8 keeps concatenated strings as trees and walks them on every use. */
export function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

export class SlotTexts {
  readonly #ids: number[] = [];
  readonly #texts: string[] = [];

  of({ instruments }: State, slot: number, make: () => string): string {
    const id = instruments.id[slot] ?? 0;
    if (this.#ids[slot] !== id) {
      this.#texts[slot] = flat(make());
      this.#ids[slot] = id;
    }
    return this.#texts[slot]!;
  }
}

export class Names {
  readonly #state: State;
  readonly #symbols = new SlotTexts();
  readonly #wallets: (string | undefined)[] = [];
  readonly #underlyings: string[] = [];

  constructor(state: State) {
    this.#state = state;
  }

  symbol(slot: number): string {
    return this.#symbols.of(this.#state, slot, () => this.#formatSymbol(slot));
  }

  wallet(account: number): string {
    return this.#wallets[account] ??= addressOfWords(this.#state.accounts.address, account * 5);
  }

  /** The account row now belongs to another wallet. */
  forgetWallet(account: number): void {
    this.#wallets[account] = undefined;
  }

  underlying(index: number): string {
    const { name } = this.#state.underlyings;
    return this.#underlyings[index] ??= unpackUnderlying(name[index * 2]!, name[index * 2 + 1]!);
  }

  underlyings(): string[] {
    return Array.from({ length: underlyingCount(this.#state.underlyings) }, (_, index) => this.underlying(index));
  }

  underlyingOf(slot: number): string {
    return this.underlying(this.#state.instruments.underlying[slot]!);
  }

  #formatSymbol(slot: number): string {
    const { instruments, underlyings } = this.#state;
    if (slot < 0 || slot >= instrumentCount(instruments)) throw new RangeError(`no instrument has slot ${slot}`);
    const underlying = instruments.underlying[slot]!;
    return formatSymbol({
      underlyingLo: underlyings.name[underlying * 2]!, underlyingHi: underlyings.name[underlying * 2 + 1]!,
      expiry: instruments.expiry[slot]!, strike: instruments.strike[slot]!, kind: instruments.kind[slot]!,
    });
  }
}

export function accountOfWallet(state: State, wallet: string): number {
  const words = wordsOfAddress(wallet);
  return words === null || accountCount(state.accounts) === 0 ? -1 : findAccount(state.accounts, words, 0);
}

export function tierOfWallet(state: State, wallet: string): number {
  const account = accountOfWallet(state, wallet);
  return account < 0 ? DEFAULT_TIER : state.accounts.tier[account]!;
}

const terms = createTerms();

/** The symbol may have any accepted form. -1: unknown or deleted. */
export function slotOfSymbol(state: State, symbol: string): number {
  if (parseSymbol(symbol, terms) !== SYMBOL_OK) return -1;
  const underlying = findUnderlying(state.underlyings, terms.underlyingLo, terms.underlyingHi);
  const slot = underlying < 0 ? -1 : findInstrument(state.instruments, underlying, terms.expiry, terms.strike, terms.kind);
  return slot >= 0 && state.instruments.status[slot] === DELETED ? -1 : slot;
}

export function canonicalSymbol(symbol: string): string | null {
  return parseSymbol(symbol, terms) === SYMBOL_OK ? formatSymbol(terms) : null;
}

export function underlyingOfSymbol(symbol: string): string {
  return symbol.slice(0, symbol.indexOf('-'));
}
