// MessagePack of socket messages (decision 7.4). Input is checked in one pass before decoding, because msgpackr accepts
// extra types and trusts declared lengths. Only JSON's types, at most 64 levels and MOST_VALUES values: a megabyte of
// empty arrays would block the thread for half a second. Output has 64-bit integers where 32 bits are too few.

import { isUtf8 } from 'node:buffer';
import { Packr, Unpackr } from 'msgpackr';
import { refuse, type Checked } from '../http/errors.ts';
import { DEPTH, isUint64Field, MOST_VALUES, NumberText, type Reviver } from '../http/json.ts';
import { isObject, type JsonObject } from '../process/json-object.ts';

const MIN_I32 = -0x8000_0000;
const MAX_U32 = 0xffff_ffff;
const LONG_NUMBER = /[0-9]{16}/;
const WHOLE_NUMBER = /^-?[0-9]+$/;
const LEAST_INTEGER = -(2n ** 63n);
const GREATEST_INTEGER = 2n ** 64n - 1n;

const encoder = new Packr({ useRecords: false, variableMapSize: true });
const decoder = new Unpackr({ useRecords: false, mapsAsObjects: true });

export function packJson(text: string): Uint8Array {
  return encoder.pack(widenIntegers(LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits as Reviver) : JSON.parse(text)));
}

function keepDigits(_key: string, value: unknown, { source }: { readonly source: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !WHOLE_NUMBER.test(source)) return value;
  const integer = BigInt(source);
  return integer >= LEAST_INTEGER && integer <= GREATEST_INTEGER ? integer : value;
}

/** The encoder would write integers beyond 32 bits as doubles. */
function widenIntegers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) && (value > MAX_U32 || value < MIN_I32) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  for (const key in object) object[key] = widenIntegers(object[key]);
  return object;
}

export function parseMsgpack(bytes: Uint8Array): Checked<JsonObject> {
  const fault = new MsgpackWalk(bytes).fault();
  if (fault !== null) return refuse('invalid_request', `Message is not MessagePack: ${fault}`);
  const value = unpackValue(bytes);
  return isObject(value) ? { ok: true, value } : refuse('invalid_request', 'Message is not a MessagePack map');
}

export function unpackValue(bytes: Uint8Array): unknown {
  return narrowIntegers('', decoder.unpack(bytes));
}

function narrowIntegers(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) || !isUint64Field(key) ? number : new NumberText(String(value));
  }
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  for (const name in object) object[name] = narrowIntegers(name, object[name]);
  return object;
}

const EARLY = 'it ends too early';

export class MsgpackWalk {
  readonly #bytes: Uint8Array;
  #at = 0;
  readonly #left: number[] = [];
  readonly #isMap: boolean[] = [];
  #values = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get at(): number {
    return this.#at;
  }

  get depth(): number {
    return this.#left.length;
  }

  fault(): string | null {
    do {
      const fault = this.step();
      if (fault !== null) return fault;
    } while (this.#left.length > 0);
    return this.#at === this.#bytes.length ? null : 'bytes follow its end';
  }

  /** Null: no error. */
  step(): string | null {
    const fault = this.#value();
    while (this.#left.at(-1) === 0) {
      this.#left.pop();
      this.#isMap.pop();
    }
    return fault;
  }

  #value(): string | null {
    if (this.#at >= this.#bytes.length) return EARLY;
    const token = this.#bytes[this.#at++]!;
    const top = this.#left.length - 1;
    if (top >= 0) {
      const isKey = this.#isMap[top]! && this.#left[top]! % 2 === 0;
      this.#left[top]!--;
      if (isKey && !isText(token)) return 'a key is not a string';
    }
    if (token < 0x80 || token >= 0xe0) return null;
    if (token < 0x90) return this.#open(token & 15, true);
    if (token < 0xa0) return this.#open(token & 15, false);
    if (token < 0xc0) return this.#text(token & 31);
    switch (token) {
      case 0xc0: case 0xc2: case 0xc3: return null;
      case 0xca: case 0xce: case 0xd2: return this.#skip(4);
      case 0xcb: case 0xcf: case 0xd3: return this.#skip(8);
      case 0xcc: case 0xd0: return this.#skip(1);
      case 0xcd: case 0xd1: return this.#skip(2);
      case 0xd9: return this.#text(this.#length(1));
      case 0xda: return this.#text(this.#length(2));
      case 0xdb: return this.#text(this.#length(4));
      case 0xdc: return this.#open(this.#length(2), false);
      case 0xdd: return this.#open(this.#length(4), false);
      case 0xde: return this.#open(this.#length(2), true);
      case 0xdf: return this.#open(this.#length(4), true);
      default: return 'it has a type that JSON does not have';
    }
  }

  #open(length: number, isMap: boolean): string | null {
    const values = isMap ? 2 * length : length;
    if (values > this.#bytes.length - this.#at) return EARLY;
    if ((this.#values += values) > MOST_VALUES) return `it has more than ${MOST_VALUES} values`;
    if (this.#left.length >= DEPTH) return `it is nested deeper than ${DEPTH} levels`;
    this.#left.push(values);
    this.#isMap.push(isMap);
    return null;
  }

  #text(length: number): string | null {
    const from = this.#at;
    const fault = this.#skip(length);
    if (fault !== null) return fault;
    for (let at = from; at < this.#at; at++) {
      if (this.#bytes[at]! > 127) return isUtf8(this.#bytes.subarray(at, this.#at)) ? null : 'a string is not UTF-8';
    }
    return null;
  }

  #skip(length: number): string | null {
    this.#at += length;
    return this.#at <= this.#bytes.length ? null : EARLY;
  }

  #length(size: 1 | 2 | 4): number {
    let length = 0;
    for (let i = 0; i < size; i++) length = length * 256 + (this.#bytes[this.#at++] ?? Infinity);
    return length;
  }
}

function isText(token: number): boolean {
  return (token >= 0xa0 && token < 0xc0) || (token >= 0xd9 && token <= 0xdb);
}
