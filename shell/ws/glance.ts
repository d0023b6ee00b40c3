// What a message is and the id it has, without reading it: enough to refuse an order in its turn and by its id when nothing of it is
// wanted. One pass over the bytes, about a nanosecond each, in which nothing is built but these two. Must never be taken for a
// check: what is no message at all may have both.

import type { JsonObject } from '../json-object.ts';
import type { Encoding } from './frame.ts';
import { unpacked, Walk } from './msgpack.ts';

/** Of a value that is looked at: 64 characters, each escaped, and blanks. */
const VALUE_BYTES = 512;
const NAMES = ['type', 'id'] as const;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

type Name = (typeof NAMES)[number];
type Glance = { [name in Name]?: unknown };

/** The fields `type` and `id` as they would be read; without those that are not there, or too long to be any. */
export function glance(bytes: Uint8Array, encoding: Encoding): JsonObject {
  try {
    return encoding === 'json' ? glanceText(bytes) : glancePacked(bytes);
  } catch {
    return {};
  }
}

function glanceText(bytes: Uint8Array): Glance {
  const found: Glance = {};
  let depth = 0;
  let name: Name | '' = '';
  /** Where the value of a field of the message begins; below 0 while its name is still to come. */
  let from = -1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const end = endOfText(bytes, at);
      if (depth === 1 && from < 0) name = nameAt(bytes, at + 1, end);
      at = end;
    } else if (byte === COLON && depth === 1) {
      from = at + 1;
    } else if (byte === 0x5b || byte === 0x7b) {
      depth++;
    } else if (byte === COMMA || byte === 0x5d || byte === 0x7d) {
      if (depth === 1 && from >= 0) {
        keep(found, name, bytes.subarray(from, at), parsed);
        from = -1;
      }
      if (byte !== COMMA) depth--;
    }
  }
  return found;
}

/** Where the quote is that ends the text. */
function endOfText(bytes: Uint8Array, begin: number): number {
  let at = begin + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function glancePacked(bytes: Uint8Array): Glance {
  const found: Glance = {};
  const walk = new Walk(bytes);
  let name: Name | '' = '';
  let isName = false;
  do {
    const { at: from, depth } = walk;
    if (walk.step() !== null) return {};
    if (depth !== 1) continue;
    isName = !isName;
    const piece = bytes.subarray(from, walk.at);
    if (isName) name = nameAt(bytes, from + 1, walk.at);
    // A list or an object that has something in it is open now.
    else if (walk.depth <= 1) keep(found, name, piece, unpacked);
  } while (walk.depth > 0);
  return found;
}

function parsed(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
}

/** '' of another name, or of one that is written as nobody writes it. */
function nameAt(bytes: Uint8Array, from: number, end: number): Name | '' {
  return NAMES.find((name) => end - from === name.length && isAt(bytes, from, name)) ?? '';
}

function isAt(bytes: Uint8Array, from: number, name: string): boolean {
  for (let at = 0; at < name.length; at++) if (bytes[from + at] !== name.charCodeAt(at)) return false;
  return true;
}

/** No list and no object is either. */
function keep(found: Glance, name: Name | '', bytes: Uint8Array, read: (bytes: Uint8Array) => unknown): void {
  if (name === '' || bytes.length > VALUE_BYTES) return;
  const value = read(bytes);
  if (typeof value !== 'object' || value === null) found[name] = value;
}
