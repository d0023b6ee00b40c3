// Bytes of a request or of a socket's text frame to a JSON object. Rules beyond RFC 8259:
// - UTF-8 only, checked; a byte order mark at the start is skipped;
// - the top must be an object: any other value is `invalid_json`;
// - of a repeated key the last value counts; `__proto__` is a key like any other, since fields are read as own keys;
// - at most 64 levels deep and 16,384 values, counted before the parse (a bulk of 50 orders has 1,400): a body of a million brackets
//   would hold the thread for 50 ms, one of 340,000 empty objects for 65;
// - a uint64 (`nonce`, `order_id`, `up_to`) keeps its digits above 2^53. Every double that a longer integer may have become is
//   no safe integer, so a plain parse finds the damage and only then the text is parsed again with its number texts
//   (`context.source`). That costs up to 1.4 µs for each value in it, whatever its length: 0.7 s for a body of 1 MiB of zeros.
//   So a body with such an integer has at most 8,192 values, a full bulk under 1,000; of more it is `invalid_request`.
// Numbers are never rounded to fit.

import { isObject, type JsonObject } from '../process/json-object.ts';
import { refuse, type Checked } from './errors.ts';

/** The text of a number beyond 2^53, as it came. A class, so that no object of a client looks like one. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Fields that hold a uint64. */
const WIDE_FIELDS = ['nonce', 'order_id', 'up_to'] as const;
/** Levels and values of one body or message, whatever its encoding. */
export const DEPTH = 64;
export const MOST_VALUES = 16_384;
const EXACT_VALUES = 8_192;

const TOO_MANY_EXACT = `has more than ${EXACT_VALUES} values: too many to read a ${WIDE_FIELDS.join(', ')} above 2^53`;

/** Skips a byte order mark, throws on bytes that are no UTF-8. */
const DECODER = new TextDecoder('utf-8', { fatal: true });
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * `invalid_request` when the bytes are no text or have too many values, `invalid_json` when the text is no JSON object; `what` they
 * are begins the message.
 */
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

/** `invalid_request` for a body in an encoding the service does not read. */
export function checkEncoding(contentEncoding: string, contentType: string): Checked<null> {
  if (!/^(identity)?$/i.test(contentEncoding.trim())) {
    return refuse('invalid_request', `Unknown content encoding: ${contentEncoding}`);
  }
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType)?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) return refuse('invalid_request', `Unknown charset: ${charset}`);
  return { ok: true, value: null };
}

/**
 * How deep brackets outside strings nest, and how many values there are, empty brackets counted as if they held one. Exact for
 * valid JSON, and other text fails the parse anyway. Ends where either is too much.
 */
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

/** Looks where requests have their integers: at the top and in the items of a bulk. */
function isDamaged(body: JsonObject): boolean {
  if (hasWideNumber(body)) return true;
  for (const name in body) {
    const value = body[name];
    if (Array.isArray(value) && value.some((item) => isObject(item) && hasWideNumber(item))) return true;
  }
  return false;
}

/** Whether a field of this name holds a uint64. */
export function isWideField(name: string): boolean {
  return (WIDE_FIELDS as readonly string[]).includes(name);
}

function hasWideNumber(object: JsonObject): boolean {
  for (const name of WIDE_FIELDS) if (isWide(object[name])) return true;
  return false;
}

function isWide(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}

export type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function keepWideNumbers(key: string, value: unknown, context: { readonly source: string }): unknown {
  return isWide(value) && isWideField(key) ? new NumberText(context.source) : value;
}
