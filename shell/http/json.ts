// Parses a request body or a text frame into a JSON object. Rules beyond RFC 8259:
// - UTF-8 only, a byte order mark is skipped, and the top value must be an object.
// - Of a repeated key the last value counts. `__proto__` is an ordinary key: fields are read as own properties.
// - At most 64 levels and 16,384 values, counted before parsing: a body of a million brackets would take 50 ms.
// - A uint64 (`nonce`, `order_id`, `up_to`) keeps its digits above 2^53 by a second parsing with number texts.
//   That costs up to 1.4 µs per value, so such a body may have at most 8,192 values; a full bulk has under 1,000.

import { isObject, type JsonObject } from '../process/json-object.ts';
import { refuse, type Checked } from './errors.ts';

/** A number above 2^53. A class, so that no client's object can look like one. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const UINT64_FIELDS = ['nonce', 'order_id', 'up_to'] as const;
export const DEPTH = 64;
export const MOST_VALUES = 16_384;
const EXACT_VALUES = 8_192;

const TOO_MANY_EXACT = `has more than ${EXACT_VALUES} values: too many to read a ${UINT64_FIELDS.join(', ')} above 2^53`;

const DECODER = new TextDecoder('utf-8', { fatal: true });
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

export function parseJson(bytes: Uint8Array | null, what = 'Request body'): Checked<JsonObject> {
  if (bytes === null || bytes.length === 0) return refuse('invalid_request', `${what} is empty`);
  const { depth, values } = measure(bytes);
  if (depth > DEPTH) return refuse('invalid_json', `${what} is nested deeper than ${DEPTH} levels`);
  if (values > MOST_VALUES) return refuse('invalid_request', `${what} has more than ${MOST_VALUES} values`);
  let text;
  try {
    text = DECODER.decode(bytes);
  } catch {
    return refuse('invalid_request', `${what} is not valid UTF-8`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (isObject(value) && isDamaged(value)) {
      if (values > EXACT_VALUES) return refuse('invalid_request', `${what} ${TOO_MANY_EXACT}`);
      value = JSON.parse(text, keepWideNumbers as Reviver);
    }
  } catch {
    return refuse('invalid_json', `${what} is not valid JSON`);
  }
  return isObject(value) ? { ok: true, value } : refuse('invalid_json', `${what} must be a JSON object`);
}

export function checkEncoding(contentEncoding: string, contentType: string): Checked<null> {
  if (!/^(identity)?$/i.test(contentEncoding.trim())) {
    return refuse('invalid_request', `Unknown content encoding: ${contentEncoding}`);
  }
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType)?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) return refuse('invalid_request', `Unknown charset: ${charset}`);
  return { ok: true, value: null };
}

/** Stops at the limits. */
function measure(bytes: Uint8Array): { readonly depth: number; readonly values: number } {
  let open = 0;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length && depth <= DEPTH && values <= MOST_VALUES; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at++;
      while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    } else if (byte === 0x5b || byte === 0x7b) {
      values++;
      depth = Math.max(depth, ++open);
    } else if (byte === 0x5d || byte === 0x7d) {
      open--;
    } else if (byte === COMMA) {
      values++;
    }
  }
  return { depth, values };
}

function isDamaged(body: JsonObject): boolean {
  if (hasWideNumber(body)) return true;
  for (const name in body) {
    const value = body[name];
    if (Array.isArray(value) && value.some((item) => isObject(item) && hasWideNumber(item))) return true;
  }
  return false;
}

export function isUint64Field(name: string): boolean {
  return (UINT64_FIELDS as readonly string[]).includes(name);
}

function hasWideNumber(object: JsonObject): boolean {
  for (const name of UINT64_FIELDS) if (isWide(object[name])) return true;
  return false;
}

function isWide(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}

export type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function keepWideNumbers(key: string, value: unknown, context: { readonly source: string }): unknown {
  return isWide(value) && isUint64Field(key) ? new NumberText(context.source) : value;
}
