// Turns a client's texts into numbers, or gives the first failed check in the order side, tif, size, price, symbol, client id (decision
// 3.12). Prices are 1e-6 USDC, sizes 1e-6 contracts. The audit uses this module too.

import { PERP, SCOPE_CONTRACT, SCOPE_UNDERLYING, SCOPE_WALLET } from '../../core/codec/commands.ts';
import { isAmountTooLarge, parsePrice, parseSize } from '../../core/codec/decimal.ts';
import { u64Of } from '../../core/codec/fields.ts';
import {
  AMOUNT_TOO_LARGE, CLIENT_ID_FORMAT, CLIENT_ID_TOO_LONG, INVALID_MMP, INVALID_SIDE, INVALID_TIF, INVALID_TRIGGER_PRICE, INVALID_UP_TO, OK,
  POST_ONLY_NEEDS_GTC, PRICE_DECIMALS, PRICE_FIGURES, PRICE_NOT_POSITIVE, PRICE_TOO_HIGH, SIZE_NOT_POSITIVE, SIZE_TOO_LARGE, SYMBOL_FORMAT,
  UNKNOWN_UNDERLYING,
} from '../../core/errors.ts';
import {
  createTerms, formatSymbol, packUnderlying, parseSymbol, SYMBOL_OK, unpackUnderlying, type Terms,
} from '../../core/instruments/symbol.ts';
import { CLIENT_ID_BYTES } from '../../core/limits.ts';
import { NO_LIMIT } from '../../core/mmp/mmp.ts';
import { DAY, GTC } from '../../core/units.ts';
import type { U64 } from '../../core/codec/signed-commands.ts';
import { POST_ONLYS, SIDES, STPS, TIFS, TRIGGER_BYS, TRIGGER_DIRECTIONS } from '../ipc/enum-names.ts';
import { LABEL_PATTERN } from '../http/fields.ts';
import type { PerpOrder } from './auth/perp-action.ts';

const CLOID = /^0x[0-9a-fA-F]{32}$/;
const LABEL_OR_NONE = new RegExp(`${LABEL_PATTERN}|^$`);
const CONNECTION = /^[0-9a-f]{16}$/;
export const MOST_MMP_MS = DAY;
const TWO_31 = 2 ** 31;
/** These come before the checks of a post-only order's time in force and of a trigger's price. */
const FIRST_CHECKS: readonly number[] = [INVALID_SIDE, INVALID_TIF];
const PRICE_CHECKS: readonly number[] = [
  ...FIRST_CHECKS, SIZE_NOT_POSITIVE, SIZE_TOO_LARGE, PRICE_NOT_POSITIVE, PRICE_FIGURES, PRICE_DECIMALS, PRICE_TOO_HIGH, AMOUNT_TOO_LARGE,
];

export type OrderTexts = {
  readonly side: string; readonly tif: string; readonly size: string; readonly price: string; readonly symbol: string;
  readonly clientId: string;
};

export type Contract = { readonly terms: Readonly<Terms>; readonly fault: number; readonly symbol: string; readonly underlying: string };

/** `code`: OK or the first failed check. Numbers are valid only if OK. */
export type OrderValues = { code: number; side: number; tif: number; size: number; price: number; contract: Contract };

const contracts = new Map<string, Contract>();
const KEPT_CONTRACTS = 4_096;

export function contractOf(text: string): Contract {
  const known = contracts.get(text);
  if (known !== undefined) return known;
  const terms = createTerms();
  const fault = parseSymbol(text, terms);
  const underlying = unpackUnderlying(terms.underlyingLo, terms.underlyingHi);
  if (fault !== SYMBOL_OK) return { terms, fault, symbol: text, underlying };
  const contract = { terms, fault, symbol: formatSymbol(terms), underlying };
  if (contracts.size >= KEPT_CONTRACTS) contracts.clear();
  contracts.set(text, contract);
  return contract;
}

export function orderValues(texts: OrderTexts): OrderValues {
  const side = (SIDES as readonly string[]).indexOf(texts.side);
  const tif = (TIFS as readonly string[]).indexOf(texts.tif);
  const size = parseSize(texts.size);
  const price = parsePrice(texts.price);
  const contract = contractOf(texts.symbol);
  const values = { code: OK, side, tif, size, price, contract };
  if (side < 0) values.code = INVALID_SIDE;
  else if (tif < 0) values.code = INVALID_TIF;
  else if (amountCode(size, price) !== OK) values.code = amountCode(size, price);
  else if (contract.fault !== SYMBOL_OK) values.code = SYMBOL_FORMAT;
  else if (contract.terms.kind === PERP && texts.clientId !== '' && !isCloid(texts.clientId)) values.code = CLIENT_ID_FORMAT;
  else values.code = clientIdCode(texts.clientId);
  return values;
}

function amountCode(size: number, price: number): number {
  if (size < 0) return -size;
  if (price < 0) return -price;
  return isAmountTooLarge(price, size) ? AMOUNT_TOO_LARGE : OK;
}

type AmendTexts = { readonly size: string; readonly price: string; readonly triggerPrice: string };
type AmendValues = { readonly code: number; readonly size: number; readonly price: number; readonly triggerPrice: number };

export function amendValues(texts: AmendTexts): AmendValues {
  const size = parseSize(texts.size);
  const price = parsePrice(texts.price);
  const triggerPrice = texts.triggerPrice === '' ? 0 : parsePrice(texts.triggerPrice);
  const code = amountCode(size, price);
  return { code: code === OK && triggerPrice < 0 ? INVALID_TRIGGER_PRICE : code, size, price, triggerPrice };
}

/** '' where the request has no such field. */
export type ExtendedTexts = {
  readonly postOnly: string; readonly stp: string; readonly triggerBy: string; readonly triggerDirection: string;
  readonly triggerPrice: string; readonly linkId: string;
};

type ExtendedValues = {
  readonly postOnly: number; readonly stp: number; readonly triggerBy: number; readonly triggerDirection: number;
  readonly triggerPrice: number; readonly linkId: string;
};

/** Throws RangeError for texts that no request can have. */
export function extendedValues(texts: ExtendedTexts, values: OrderValues): ExtendedValues {
  const { postOnly, stp, triggerBy, triggerDirection, triggerPrice, linkId } = texts;
  const price = triggerBy === '' ? 0 : parsePrice(triggerPrice);
  if (postOnly !== '' && values.tif !== GTC && !FIRST_CHECKS.includes(values.code)) values.code = POST_ONLY_NEEDS_GTC;
  else if (price < 0 && !PRICE_CHECKS.includes(values.code)) values.code = INVALID_TRIGGER_PRICE;
  return {
    postOnly: placeIn(POST_ONLYS, postOnly), stp: stp === '' ? 0 : placeIn(STPS, stp), triggerBy: placeIn(TRIGGER_BYS, triggerBy),
    triggerDirection: placeIn(TRIGGER_DIRECTIONS, triggerDirection), triggerPrice: Math.max(0, price), linkId: labelOf(linkId),
  };
}

function placeIn(words: readonly string[], word: string): number {
  const place = words.indexOf(word);
  if (place < 0) throw new RangeError(`no request has the word ${word}`);
  return place;
}

export function isLabelOrNone(text: string): boolean {
  return LABEL_OR_NONE.test(text);
}

export function labelOf(text: string): string {
  if (!isLabelOrNone(text)) throw new RangeError(`no request has the name ${text}`);
  return text;
}

export function isCloid(clientId: string): boolean {
  return CLOID.test(clientId);
}

export function perpOrderOf(asset: number, texts: OrderTexts, reduceOnly: boolean): PerpOrder {
  const { side, size, price, tif, clientId } = texts;
  const order = { asset, isBuy: side === 'Buy', price, size, reduceOnly, tif: `${tif.slice(0, 1).toUpperCase()}${tif.slice(1)}` };
  return isCloid(clientId) ? { ...order, cloid: clientId } : order;
}

function clientIdCode(clientId: string): number {
  return Buffer.byteLength(clientId) > CLIENT_ID_BYTES ? CLIENT_ID_TOO_LONG : OK;
}

export function canonicalSymbol(text: string): string {
  const terms = createTerms();
  return parseSymbol(text, terms) === SYMBOL_OK ? formatSymbol(terms) : text;
}

export function namesMarket(text: string): boolean {
  const terms = createTerms();
  return parseSymbol(text, terms) === SYMBOL_OK || packUnderlying(text, terms);
}

export const MOST_TIMEOUT_MS = DAY;
export const MOST_GRACE_MS = DAY;

/** The bound is the nonce of the request itself. */
export function upToCode(upTo: U64, nonce: U64): number {
  const isBeyond = upTo.hi > nonce.hi || (upTo.hi === nonce.hi && upTo.lo > nonce.lo);
  return isBeyond || nonce.hi >= TWO_31 ? INVALID_UP_TO : OK;
}

/** The first of the 8 bytes is the lowest. */
export function connectionId(text: string): bigint {
  return Buffer.from(text, 'hex').readBigUInt64LE();
}

/** A valid id is never zero; '' is zero. Null if invalid. */
export function parseConnection(text: string): U64 | null {
  if (text === '') return { lo: 0, hi: 0 };
  const id = CONNECTION.test(text) ? connectionId(text) : 0n;
  return id === 0n ? null : halvesOf(id);
}

export function parseU64(text: string): U64 | null {
  if (!/^[0-9]{1,20}$/.test(text)) return null;
  if (text.length <= 15) return u64Of(Number(text));
  const value = BigInt(text);
  return value < 1n << 64n ? halvesOf(value) : null;
}

function halvesOf(value: bigint): U64 {
  return { lo: Number(value & 0xffff_ffffn), hi: Number(value >> 32n) };
}

type ScopeValues = { readonly code: number; readonly scope: number; readonly terms: Terms };

/** '' selects every order, an underlying those of its contracts, a symbol those of one contract. */
export function scopeValues(scope: string): ScopeValues {
  if (scope === '') return { code: OK, scope: SCOPE_WALLET, terms: createTerms() };
  const contract = createTerms();
  if (parseSymbol(scope, contract) === SYMBOL_OK) return { code: OK, scope: SCOPE_CONTRACT, terms: contract };
  const terms = createTerms();
  return { code: packUnderlying(scope, terms) ? OK : SYMBOL_FORMAT, scope: SCOPE_UNDERLYING, terms };
}

export function parseIds(text: string, most: number): number[] | null {
  const ids = /^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15})*$/.test(text) ? text.split(',').map(Number) : [];
  return ids.length >= 1 && ids.length <= most && ids.every(Number.isSafeInteger) ? ids : null;
}

/** '': no limit. */
type MmpTexts = { readonly currency: string; readonly qtyLimit: string; readonly deltaLimit: string; readonly vegaLimit: string };

type MmpValues = { code: number; terms: Terms; quantity: number; delta: number; vega: number; wrong: string };

export function mmpValues({ currency, qtyLimit, deltaLimit, vegaLimit }: MmpTexts): MmpValues {
  const limits = { qty_limit: limitOf(qtyLimit), delta_limit: limitOf(deltaLimit), vega_limit: limitOf(vegaLimit) };
  const terms = createTerms();
  const { qty_limit: quantity, delta_limit: delta, vega_limit: vega } = limits;
  const wrong = Object.entries(limits).find(([, limit]) => limit === null)?.[0] ?? '';
  const code = wrong !== '' ? INVALID_MMP : packUnderlying(currency, terms) ? OK : UNKNOWN_UNDERLYING;
  return { code, terms, quantity: quantity ?? NO_LIMIT, delta: delta ?? NO_LIMIT, vega: vega ?? NO_LIMIT, wrong };
}

/** With limit 0 every fill exceeds it. */
function limitOf(text: string): number | null {
  if (text === '') return NO_LIMIT;
  const limit = parseSize(text);
  if (limit > 0) return limit;
  return limit === -SIZE_NOT_POSITIVE && /^0{1,20}(\.[0-9]{1,18})?$/.test(text) ? 0 : null;
}
