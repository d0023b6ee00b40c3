// Reads only `type` and `id` of a message that will be refused, so that an order is refused in its turn and with its
// id. One pass, about 4 ns a byte. Does not validate.

import type { JsonObject } from '../process/json-object.ts';
import type { Encoding } from './outbound-message.ts';
import { unpackValue, MsgpackWalk } from './msgpack.ts';

/** 64 escaped characters and white space. */
const VALUE_BYTES = 512;
const NAMES = ['type', 'id'] as const;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

type Name = (typeof NAMES)[number];
type PeekedFields = { [name in Name]?: unknown };
type FieldPlaces = { readonly [name in Name]: { from: number; to: number } };

export function peekMessage(bytes: Uint8Array, encoding: Encoding): JsonObject {
  const places: FieldPlaces = { type: { from: 0, to: 0 }, id: { from: 0, to: 0 } };
  try {
    if (encoding === 'json') scanJson(bytes, places);
    else if (!scanMsgpack(bytes, places)) return {};
    return decodeFields(bytes, places, encoding === 'json' ? decodeJson : unpackValue);
  } catch {
    return {};
  }
}

function scanJson(bytes: Uint8Array, places: FieldPlaces): void {
  let depth = 0;
  let name: Name | '' = '';
  let from = -1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      if (depth === 1 && from < 0) name = nameAt(bytes, at + 1, end);
      at = end;
    } else if (byte === COLON && depth === 1) {
      from = at + 1;
    } else if (byte === 0x5b || byte === 0x7b) {
      depth++;
    } else if (byte === COMMA || byte === 0x5d || byte === 0x7d) {
      if (depth === 1 && from >= 0) {
        setPlace(places, name, from, at);
        from = -1;
      }
      if (byte !== COMMA) depth--;
    }
  }
}

function endOfString(bytes: Uint8Array, begin: number): number {
  let at = begin + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function scanMsgpack(bytes: Uint8Array, places: FieldPlaces): boolean {
  const walk = new MsgpackWalk(bytes);
  let name: Name | '' = '';
  let isName = false;
  do {
    const { at: from, depth } = walk;
    if (walk.step() !== null) return false;
    if (depth !== 1) continue;
    isName = !isName;
    if (isName) name = nameAt(bytes, from + 1, walk.at);
    else if (walk.depth <= 1) setPlace(places, name, from, walk.at);
  } while (walk.depth > 0);
  return true;
}

/** '' for any other name, including an escaped spelling. */
function nameAt(bytes: Uint8Array, from: number, end: number): Name | '' {
  return NAMES.find((name) => end - from === name.length && isAt(bytes, from, name)) ?? '';
}

function isAt(bytes: Uint8Array, from: number, name: string): boolean {
  for (let at = 0; at < name.length; at++) if (bytes[from + at] !== name.charCodeAt(at)) return false;
  return true;
}

function setPlace(places: FieldPlaces, name: Name | '', from: number, to: number): void {
  if (name === '') return;
  places[name].from = from;
  places[name].to = to;
}

function decodeFields(bytes: Uint8Array, places: FieldPlaces, read: (bytes: Uint8Array) => unknown): PeekedFields {
  const fields: PeekedFields = {};
  for (const name of NAMES) {
    const { from, to } = places[name];
    if (to === from || to - from > VALUE_BYTES) continue;
    const value = read(bytes.subarray(from, to));
    if (typeof value !== 'object' || value === null) fields[name] = value;
  }
  return fields;
}

function decodeJson(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
}
