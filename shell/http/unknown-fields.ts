// Refuses unknown fields in bodies of signed writes (decision 3.9): an order with `reduceOnly` or `stop_price` must not become a plain
// order.

import { isObject, type JsonObject } from '../process/json-object.ts';
import { refuse, type Checked, type Refusal } from './errors.ts';
import { firstRefusal, readBody, type Schema, type FieldValues } from './fields.ts';

const MOST_CHARS = 64;

export function readStrictBody<S extends Schema>(schema: S, body: unknown, beside: readonly string[] = []): Checked<FieldValues<S>> {
  const read = readBody(schema, body);
  const unknown = isObject(body) ? refuseUnknown(schema, body, beside) : null;
  return unknown === null ? read : firstRefusal([read, unknown])!;
}

function refuseUnknown(schema: Schema, body: JsonObject, beside: readonly string[]): Refusal | null {
  for (const name in body) {
    if (Object.hasOwn(schema, name) || beside.includes(name) || (body[name] ?? null) === null) continue;
    const meant = knownLike(name, Object.keys(schema));
    const told = name.length > MOST_CHARS ? `${name.slice(0, MOST_CHARS)}...` : name;
    return refuse('invalid_parameter', `Unknown field: ${told}${meant === undefined ? '' : `, did you mean ${meant}?`}`);
  }
  return null;
}

function knownLike(name: string, known: readonly string[]): string | undefined {
  if (name.length > MOST_CHARS) return undefined;
  const plain = plainName(name);
  return known.find((one) => plainName(one) === plain) ?? known.find((one) => isOneLetterAway(plainName(one), plain));
}

function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

function isOneLetterAway(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1);
}
