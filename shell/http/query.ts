// The query of a URL as names and texts. `+` is a space, escapes are UTF-8, the last of a repeated name counts,
// a name without `=` has the empty text. One bad escape refuses the query: a guess could change a wallet or a symbol.

import { refuse, type Checked } from './errors.ts';

/** Most texts are as they are. */
const ESCAPED = /[%+]/;

export function parseQuery(query: string): Checked<ReadonlyMap<string, string>> {
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
