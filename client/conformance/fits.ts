// Whether a value has the shape that law/shapes.ts writes down: nothing missing, nothing more, every value of its type.

import type { Shape } from './law/shapes.ts';

const PATTERNS: { readonly [word: string]: RegExp } = {
  dec: /^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/,
  addr: /^0x[0-9a-f]{40}$/,
  hex: /^0x[0-9a-f]*$/,
  iso: /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z$/,
};
/** From 2000 to 2100: a value outside of it is in another unit. */
const [FIRST_SECOND, LAST_SECOND] = [946_684_800, 4_102_444_800];

/** What does not fit, by its path; empty when all does. */
export function misfits(shape: Shape, value: unknown, path = '$'): string[] {
  if (typeof shape === 'string') return fitsWord(shape, value) ? [] : [`${path}: ${JSON.stringify(value)} is no ${shape}`];
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${path}: ${JSON.stringify(value)} is no list`];
    return value.flatMap((one, at) => misfits(shape[0] as Shape, one, `${path}[${at}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: ${JSON.stringify(value)} is no record`];
  return recordMisfits(shape as { readonly [name: string]: Shape }, value as Record<string, unknown>, path);
}

function recordMisfits(shape: { readonly [name: string]: Shape }, value: Record<string, unknown>, path: string): string[] {
  const known = new Map(Object.entries(shape).map(([name, one]) => [name.replace(/\?$/, ''), { one, isOptional: name.endsWith('?') }]));
  const missing = [...known].filter(([name, { isOptional }]) => !isOptional && !(name in value));
  const rest = Object.entries(value).flatMap(([name, one]) => {
    const field = known.get(name) ?? known.get('*');
    return field === undefined ? [`${path}.${name} is not in the list`] : misfits(field.one, one, `${path}.${name}`);
  });
  return [...missing.map(([name]) => `${path}.${name} is missing`), ...rest];
}

function fitsWord(word: string, value: unknown): boolean {
  if (word.endsWith('?')) return value === null || fitsWord(word.slice(0, -1), value);
  if (PATTERNS[word] !== undefined) return typeof value === 'string' && PATTERNS[word].test(value);
  switch (word) {
    case 'any': return true;
    case 'null': return value === null;
    case 'true': return value === true;
    case 'bool': return typeof value === 'boolean';
    case 'str': return typeof value === 'string';
    case 'num': return typeof value === 'number' && Number.isFinite(value);
    case 'int': return Number.isSafeInteger(value);
    case 'sec': return Number.isSafeInteger(value) && isWithin(value as number);
    case 'ms': return Number.isSafeInteger(value) && isWithin((value as number) / 1_000);
    default: return typeof value === 'string' && word.split('|').includes(value);
  }
}

function isWithin(seconds: number): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND;
}
