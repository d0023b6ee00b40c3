// Fields of bodies and queries: checks, the handlers' types and the OpenAPI description derive from it. One failure is reported (decision
// 3.12), in the order of ORDER, then of the table. Null counts as absent. Side, tif, symbol, price and size are checked after the
// signature, on the text as sent.

import { SIGNATURE_BYTES } from '../../core/codec/proof.ts';
import { LABEL_CHARS } from '../../core/limits.ts';
import { isHex } from './hex.ts';
import { isObject, type JsonObject } from '../process/json-object.ts';
import { EXPIRY_FORMS, expiryOfDate } from '../ipc/expiry-date.ts';
import { refuse, type Checked, type Refusal, type Refused } from './errors.ts';
import type { ErrorCode } from './shapes/error-codes.ts';
import { hintOfField } from './hints.ts';
import { NumberText } from './json.ts';
import type { EnumName } from './shapes/enums.ts';

type Kinds =
  /** '0x' and 40 hex digits, made lower case. */
  | { readonly kind: 'address' }
  /** '0x' and 130 hex digits, kept as sent. */
  | { readonly kind: 'signature' }
  /** With `text` also a string of 1 to 20 digits. */
  | { readonly kind: 'uint64'; readonly text?: true }
  /** A JSON string of at most 64 bytes with any content. */
  | { readonly kind: 'decimalText' }
  /** A finite JSON number or plain decimal text; the value is its text, which was signed. */
  | { readonly kind: 'decimal' }
  | { readonly kind: 'number'; readonly min?: number; readonly max?: number }
  /** Lengths in UTF-8 bytes, without lone surrogates. */
  | { readonly kind: 'text'; readonly minBytes?: number; readonly maxBytes: number; readonly values?: readonly string[] }
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly default?: string }
  | { readonly kind: 'switch'; readonly values: readonly string[] }
  /** 1 to 32 of `[A-Za-z0-9_-]`. */
  | { readonly kind: 'label' }
  | { readonly kind: 'object'; readonly fields: Schema }
  /** A comma-separated list in any letter case. */
  | { readonly kind: 'choices'; readonly values: readonly string[]; readonly default?: readonly string[] }
  /** With `clamp`, values above `max` count as `max` (decision 6.5). */
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly default?: number; readonly clamp?: true }
  /** In a query an int64, where values beyond 2^53 - 1 count as that. */
  | { readonly kind: 'int64'; readonly min: number; readonly default?: number }
  | { readonly kind: 'millis'; readonly min?: number }
  /** A date as in symbols or ISO 8601 (shell/ipc/expiry-date.ts), or a number of `unit`. */
  | { readonly kind: 'expiry'; readonly unit: 'ms' | 'seconds' }
  | { readonly kind: 'boolean'; readonly default?: boolean }
  /** 1 to `max` items (0 with `mayBeEmpty`), which the handler checks one by one. As JSON text in a query. */
  | { readonly kind: 'list'; readonly max: number; readonly mayBeEmpty?: true; readonly items?: Schema }
  | { readonly kind: 'ids'; readonly max: number }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'gone'; readonly instead: string };

export type Sent = (name: string) => unknown;

/** `neededWith`: an optional field is required with these other fields. */
export type RequestField = Kinds & {
  readonly optional?: true; readonly neededWith?: (sent: Sent) => boolean; readonly doc?: string;
  readonly named?: EnumName;
};
export type Schema = { readonly [name: string]: RequestField };

/** `text`: as sent if it was text, else without leading zeros. */
export type Uint64 = { readonly lo: number; readonly hi: number; readonly text: string };

type ValueOf<F> =
  F extends { kind: 'uint64' } ? Uint64
  : F extends { kind: 'integer' | 'int64' | 'millis' | 'expiry' | 'number' } ? number
  : F extends { kind: 'boolean' } ? boolean
  : F extends { kind: 'switch'; values: readonly (infer V)[] } ? boolean | V
  : F extends { kind: 'object'; fields: infer S extends Schema } ? FieldValues<S>
  : F extends { kind: 'list' } ? readonly unknown[]
  : F extends { kind: 'ids' } ? readonly number[]
  : F extends { kind: 'choice'; values: readonly (infer V)[] } ? V
  : F extends { kind: 'choices'; values: readonly (infer V)[] } ? readonly V[]
  : string;
type Form = 'json' | 'text';
type Absent<F> = F extends { default: unknown } ? never : F extends { optional: true } ? undefined : never;

export type FieldValues<S extends Schema> = { readonly [N in keyof S]: ValueOf<S[N]> | Absent<S[N]> };

const DECIMAL_BYTES = 64;
const PLAIN_DECIMAL = /^-?[0-9]{1,20}(\.[0-9]{1,18})?$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
export const LABEL_PATTERN = `^[A-Za-z0-9_-]{1,${LABEL_CHARS}}$`;
const INTEGER_TEXT = /^-?[0-9]+$/;
const INT64_LENGTH = 20;
const UINT64_TEXT = /^[0-9]{1,20}$/;
/** End of the year 9999. */
const LAST_MOMENT = 253_402_300_799_999;
const TWO_32 = 2 ** 32;
const TWO_63 = 2 ** 63;
const MOST_UTF8_BYTES = 3;
const MOST_NAME_CHARS = 64;
const LABEL = new RegExp(LABEL_PATTERN);

const ORDER: readonly ErrorCode[] = ['missing_field', 'invalid_parameter', 'invalid_wallet', 'signature_verification_failed'];

export function readBody<S extends Schema>(schema: S, body: unknown): Checked<FieldValues<S>> {
  if (!isObject(body)) return refuse('invalid_parameter', 'Each item must be a JSON object');
  return read(schema, (name) => (Object.hasOwn(body, name) ? body[name] : undefined), 'json');
}

export function readQuery<S extends Schema>(schema: S, query: string): Checked<FieldValues<S>> {
  const parsed = parseQuery(query);
  return parsed.ok ? readTexts(schema, parsed.value) : parsed;
}

export function readTexts<S extends Schema>(schema: S, texts: ReadonlyMap<string, string>): Checked<FieldValues<S>> {
  return read(schema, (name) => texts.get(name), 'text');
}

function read<S extends Schema>(schema: S, find: Sent, form: Form): Checked<FieldValues<S>> {
  const sentOf: Sent = (name) => find(name) ?? undefined;
  const values: Record<string, unknown> = {};
  const refusals: Refusal[] = [];
  for (const name in schema) {
    const field = schema[name]!;
    const sent = sentOf(name);
    if (field.kind === 'object' && isObject(sent)) {
      const inner = readObject(name, field.fields, sent);
      if (inner.ok) values[name] = inner.value;
      else refusals.push(inner);
      continue;
    }
    if (field.kind === 'gone' && sent !== undefined) {
      return refuse('invalid_parameter', `Invalid parameter: ${name} is no longer supported, use ${field.instead}`);
    }
    const value = sent === undefined ? defaultOf(field) : convert(field, sent, form);
    if (value !== undefined || (sent === undefined && field.optional && field.neededWith?.(sentOf) !== true)) values[name] = value;
    else {
      refusals.push(sent === undefined ? refuse('missing_field', `Missing required field: ${name}`) : refused(name, field, sent, form));
    }
  }
  return firstRefusal(refusals) ?? { ok: true, value: values as FieldValues<S> };
}

function readObject(name: string, fields: Schema, sent: JsonObject): Checked<unknown> {
  const named = Object.fromEntries(Object.entries(fields).map(([inner, field]) => [`${name}.${inner}`, field]));
  const body = Object.fromEntries(Object.entries(sent).map(([inner, value]) => [`${name}.${inner}`, value]));
  const unknown = Object.keys(body).find((inner) => !Object.hasOwn(named, inner) && (body[inner] ?? null) !== null);
  if (unknown !== undefined) return refuse('invalid_parameter', `Unknown field: ${unknown.slice(0, MOST_NAME_CHARS)}`);
  const inside = readBody(named, body);
  if (!inside.ok) return inside;
  const entries = Object.entries(inside.value);
  return { ok: true, value: Object.fromEntries(entries.map(([inner, value]) => [inner.slice(name.length + 1), value])) };
}

export function firstRefusal(results: readonly Checked<unknown>[]): Refusal | null {
  let first: Refusal | null = null;
  for (const result of results) {
    if (!result.ok && (first === null || ORDER.indexOf(result.code) < ORDER.indexOf(first.code))) first = result;
  }
  return first;
}

function defaultOf(field: RequestField): unknown {
  return 'default' in field ? field.default : undefined;
}

function refused(name: string, field: RequestField, sent: unknown, form: Form): Refused {
  switch (field.kind) {
    case 'address': return refuse('invalid_wallet', `Invalid wallet address: ${name} must be 0x and 40 hex digits`);
    case 'signature':
      if (typeof sent !== 'string') return refuse('invalid_parameter', `Invalid parameter: ${name} must be a string`);
      return refuse('signature_verification_failed', `Signature verification failed: ${name} must be 0x and 130 hex digits`);
    case 'decimalText':
      // Before the signature (decision 2.3): hashing long text would cost the venue more than the sender.
      if (typeof sent === 'string') {
        const text = `${name[0]?.toUpperCase()}${name.slice(1)} must be greater than 0`;
        return { ...refuse('invalid_parameter', text), extra: hintOfField(name) };
      }
      break;
    case 'list':
    case 'ids': {
      const count = toList(sent, form)?.length ?? 0;
      if (count > field.max) return refuse('invalid_parameter', `Too many ${name}: ${count}, maximum is ${field.max}`);
    }
  }
  return refuse('invalid_parameter', `Invalid parameter: ${name} must be ${expectation(field)}`);
}

function convert(field: RequestField, sent: unknown, form: Form): unknown {
  switch (field.kind) {
    case 'address': return typeof sent === 'string' && ADDRESS.test(sent) ? sent.toLowerCase() : undefined;
    case 'signature': return typeof sent === 'string' && isHex(sent, SIGNATURE_BYTES) ? sent : undefined;
    case 'uint64': return toUint64(sent, field.text ? 'text' : form);
    case 'decimalText': return isTextOf(sent, 0, DECIMAL_BYTES) ? sent : undefined;
    case 'decimal': {
      const text = typeof sent === 'number' ? String(sent) : sent;
      return typeof text === 'string' && PLAIN_DECIMAL.test(text) ? text : undefined;
    }
    case 'number': return within(toNumber(sent, form), field.min, field.max);
    case 'text': return isTextOf(sent, field.minBytes ?? 0, field.maxBytes) ? sent : undefined;
    case 'choice': return typeof sent === 'string' && field.values.includes(sent) ? sent : undefined;
    case 'switch': return typeof sent === 'boolean' || (typeof sent === 'string' && field.values.includes(sent)) ? sent : undefined;
    case 'label': return typeof sent === 'string' && LABEL.test(sent) ? sent : undefined;
    case 'object': return undefined;
    case 'integer': {
      const value = toInteger(sent, form);
      return within(field.clamp && value !== undefined ? Math.min(value, field.max) : value, field.min, field.max);
    }
    case 'int64': {
      const value = within(toInteger(sent, form), field.min, TWO_63);
      return value === undefined ? undefined : Math.min(value, Number.MAX_SAFE_INTEGER);
    }
    case 'millis': return within(toInteger(sent, form), field.min ?? -TWO_63, TWO_63);
    case 'choices': return toChoices(String(sent), field.values);
    case 'expiry': return within(toExpiry(sent, form, field.unit), 0, LAST_MOMENT);
    case 'boolean': return toBoolean(sent, form);
    case 'list':
    case 'ids': {
      const list = toList(sent, form);
      if (list === undefined || list.length < leastOf(field) || list.length > field.max) return undefined;
      return field.kind === 'list' || list.every(isId) ? list : undefined;
    }
    case 'ignored': return sent;
    case 'gone': return undefined;
  }
}

function within(value: number | undefined, min = -Infinity, max = Infinity): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}

function toNumber(sent: unknown, form: Form): number | undefined {
  if (form === 'text') return PLAIN_DECIMAL.test(String(sent)) ? Number(sent) : undefined;
  return typeof sent === 'number' && Number.isFinite(sent) ? sent : undefined;
}

/** Beyond int64 Infinity, so that a clamped `limit` accepts it. */
function toInteger(sent: unknown, form: Form): number | undefined {
  if (form === 'json') return Number.isSafeInteger(sent) ? (sent as number) + 0 : undefined; // + 0 makes 0 of -0
  const text = String(sent);
  if (!INTEGER_TEXT.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) || isInt64(text) ? value + 0 : Math.sign(value) * Infinity;
}

function isInt64(text: string): boolean {
  return text.length <= INT64_LENGTH && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function toExpiry(sent: unknown, form: Form, unit: 'ms' | 'seconds'): number | undefined {
  const time = typeof sent === 'string' ? expiryOfDate(sent) : null;
  if (time !== null) return time;
  const count = toInteger(sent, typeof sent === 'string' ? 'text' : form);
  return count === undefined || unit === 'ms' ? count : count * 1_000;
}

function toChoices(sent: string, values: readonly string[]): readonly string[] | undefined {
  const chosen = sent.split(',').map((one) => values.find((value) => value.toLowerCase() === one.trim().toLowerCase()));
  return chosen.every((one) => one !== undefined) ? chosen : undefined;
}

function toBoolean(sent: unknown, form: Form): boolean | undefined {
  if (form === 'text') return sent === 'true' ? true : sent === 'false' ? false : undefined;
  return typeof sent === 'boolean' ? sent : undefined;
}

/**
 * 1.0 and 1e3 are accepted, because the signature covers the value. Above 2^53 only digits are: 1e19 may stand for a
 * rounded value.
 */
function toUint64(sent: unknown, form: Form): Uint64 | undefined {
  if (typeof sent === 'number') {
    if (!Number.isSafeInteger(sent) || sent < 0) return undefined;
    return { lo: sent >>> 0, hi: Math.floor(sent / TWO_32) >>> 0, text: String(sent) };
  }
  const text = sent instanceof NumberText ? sent.text : form === 'text' ? sent : undefined;
  if (typeof text !== 'string' || !UINT64_TEXT.test(text)) return undefined;
  const value = BigInt(text);
  if (value >= 1n << 64n) return undefined;
  return { lo: Number(value & 0xffff_ffffn), hi: Number(value >> 32n), text };
}

function isTextOf(sent: unknown, minBytes: number, maxBytes: number): boolean {
  if (typeof sent !== 'string' || sent.length > maxBytes || !sent.isWellFormed()) return false;
  if (sent.length >= minBytes && sent.length * MOST_UTF8_BYTES <= maxBytes) return true;
  const bytes = Buffer.byteLength(sent);
  return bytes >= minBytes && bytes <= maxBytes;
}

function toList(sent: unknown, form: Form): readonly unknown[] | undefined {
  if (form === 'json') return Array.isArray(sent) ? sent : undefined;
  try {
    return toList(JSON.parse(String(sent)), 'json');
  } catch {
    return undefined;
  }
}

function leastOf(field: RequestField): 0 | 1 {
  return field.kind === 'list' && field.mayBeEmpty === true ? 0 : 1;
}

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function expectation(field: RequestField): string {
  switch (field.kind) {
    case 'uint64': return `an integer from 0 to 18446744073709551615`;
    case 'decimalText': return `a number as a string of at most ${DECIMAL_BYTES} bytes`;
    case 'decimal': return 'a plain decimal number';
    case 'number': return `a number${range(field.min, field.max)}`;
    case 'text': return `a string of ${field.minBytes ?? 0} to ${field.maxBytes} bytes`;
    case 'choice': return `one of ${field.values.join(', ')}`;
    case 'switch': return `true, false or one of ${field.values.join(', ')}`;
    case 'label': return `1 to ${LABEL_CHARS} letters, digits, underscores or hyphens`;
    case 'object': return `an object with ${Object.keys(field.fields).join(', ')}`;
    case 'choices': return `one or more of ${field.values.join(', ')}, separated by commas`;
    case 'integer': return `an integer${range(field.min, field.clamp ? undefined : field.max)}`;
    case 'int64': return `an integer from ${field.min} to 9223372036854775807`;
    case 'millis': return `an integer number of milliseconds${range(field.min, undefined)}`;
    case 'expiry': return `${EXPIRY_FORMS}, or a number of ${field.unit}`;
    case 'boolean': return 'true or false';
    case 'list': return `a list of ${leastOf(field)} to ${field.max} items`;
    case 'ids': return `a list of 1 to ${field.max} ids, each an integer from 1`;
    default: return 'a string';
  }
}

function range(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return max === undefined ? '' : ` up to ${max}`;
  return max === undefined ? ` from ${min}` : ` from ${min} to ${max}`;
}

const ESCAPED = /[%+]/;

/** The last of a repeated name counts. One bad escape refuses the whole query, since a guess could change a wallet or a symbol. */
function parseQuery(query: string): Checked<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  for (const part of query === '' ? [] : query.split('&')) {
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const value = decode(equals < 0 ? '' : part.slice(equals + 1));
    if (name === null || value === null) return refuse('invalid_parameter', 'Query has an invalid percent escape');
    values.set(name, value);
  }
  return { ok: true, value: values };
}

function decode(text: string): string | null {
  if (!ESCAPED.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
