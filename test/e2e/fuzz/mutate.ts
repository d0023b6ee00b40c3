// Changes to values and to the text of a body. `mutateTexts` keeps the shape and changes its values; `render` writes JSON as no library
// does: keys in any order or twice, blanks, escapes, other number forms, values of other types, missing pieces.

import type { Random } from '../../sim/random.ts';

type Body = Record<string, unknown>;

const NUMBERS = ['0', '-0', '1', '-1', '0.1', '1e3', '1E+2', '1.0', '1e400', '9007199254740993', '18446744073709551615',
'18446744073709551616',
  '4294967296', '-2147483649', '0.0000001', '1.7976931348623157e308', '5e-324', '123456'];
const TEXTS = ['', '0', '-1', '1', '0.000001', '0.0000001', '1e5', '1000000000', '1000000001', '00012.50', '.5', '5.', ' 1', '1 ', 'NaN',
'Infinity',
  '100000', '99999.9', '123456', 'buy', 'Buy', 'Sell', 'gtc', 'ioc', 'fok', 'FOK', 'BTC', 'BTC-PERP', 'BTC-20260130-100000-C',
  'BTC-30JAN26-100000-P',
  'BTC-20260229-1-C', 'BTC--1-C', 'X-PERP', 'standard', 'portfolio', 'all', 'ACTIVE,SETTLED', 'both', '5m', '1d', 'tier1', 'market_maker',
  'pnl', 'desc',
  '2026-01-30', '2026-02-31', '0x', `0x${'0'.repeat(40)}`, `0x${'f'.repeat(64)}`, `0x${'F'.repeat(130)}`, '\u0000', '\ud800', '\ufeff',
  '\u202e', '😀',
  'é', 'é', '__proto__', 'constructor', 'null', '[]', '{}', "'; DROP TABLE fills; --", '%00', '../../..', '<script>', 'x'.repeat(65),
  'y'.repeat(1_025)];
const KEYS = ['__proto__', 'constructor', 'wallet', 'nonce', 'signature', 'extra', '', 'toString'];

/** The same shape; each text and number stays or becomes another one. */
export function mutateTexts(body: Body, random: Random): Body {
  const change = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(change);
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));
    }
    if (!random.chance(0.25)) return value;
    if (typeof value === 'number') return random.chance(0.5) ? random.between(0, 1_000_000) : Math.max(0, value + random.between(-2, 2));
    if (typeof value === 'boolean') return random.chance(0.5);
    return random.chance(0.6) ? random.pick(TEXTS) : bent(String(value), random);
  };
  return change(body) as Body;
}

/** One character dropped, doubled or changed. */
function bent(text: string, random: Random): string {
  const at = random.between(0, Math.max(0, text.length - 1));
  const with_ = random.pick(['', text.slice(at, at + 1).repeat(2), String.fromCharCode(random.between(0, 0xffff)), ' ', '0', '-']);
  return text.slice(0, at) + with_ + text.slice(at + 1);
}

/** The body as JSON; half of the time as any library writes it. */
export function render(body: object, random: Random): string {
  if (random.chance(0.5)) return JSON.stringify(body);
  const text = write(random.chance(0.5) ? reshaped(body as Body, random) : body, random, random.pick([0, 0, 0.1, 0.5]));
  if (random.chance(0.1)) return text.slice(0, random.between(0, text.length));
  if (random.chance(0.05)) return bent(text, random);
  return random.chance(0.05) ? `\ufeff${text}` : text;
}

/** Fields gone, added, of another type, or nested. */
function reshaped(body: Body, random: Random): Body {
  const entries = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (random.chance(0.06)) return [];
    const others = [null, true, [], {}, [value], { value }, '', 0, String(value), random.pick(TEXTS)];
    if (random.chance(0.06)) return [[name, random.pick(others)]];
    if (Array.isArray(value) && random.chance(0.1)) return [[name, Array.from({ length: random.pick([0, 2, 51]) }, () => value[0])]];
    return [[name, value]];
  });
  if (random.chance(0.2)) entries.push([random.pick(KEYS), random.pick(TEXTS)]);
  return Object.fromEntries(entries);
}

function write(value: unknown, random: Random, wildness: number): string {
  const blank = (): string => (random.chance(wildness) ? random.pick([' ', '\n', '\t', '\r\n  ']) : '');
  if (Array.isArray(value)) return `[${value.map((one) => blank() + write(one, random, wildness)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    let entries = Object.entries(value);
    if (random.chance(wildness)) entries = entries.sort(() => random.between(-1, 1));
    if (random.chance(wildness) && entries.length > 0) entries.push(random.pick(entries));
    const parts = entries.map(([name, inner]) => blank() + text(name, random, wildness) + blank() + ':' + write(inner, random, wildness));
    return `{${parts.join(',')}}`;
  }
  if (typeof value === 'number') return random.chance(wildness / 2) ? random.pick(NUMBERS) : String(value);
  return typeof value === 'string' ? text(value, random, wildness) : JSON.stringify(value ?? null);
}

/** A JSON string, some characters escaped that need not be. */
function text(value: string, random: Random, wildness: number): string {
  if (!random.chance(wildness)) return JSON.stringify(value);
  const unit = (at: number): string => `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`;
  const isPlain = (char: string): boolean => /[ -~]/.test(char) && !/["\\]/.test(char);
  return `"${value.split('').map((char, at) => (isPlain(char) && random.chance(0.5) ? char : unit(at))).join('')}"`;
}
