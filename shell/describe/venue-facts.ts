// What the examples of the descriptions are about: a contract that the venue lists now and that lives long. Asked of the reader when
// a description is made; what was made is kept as long as its examples are true, a day at most.

import { formatSymbol, createTerms, packUnderlying } from '../../core/instruments/symbol.ts';
import { CALL } from '../../core/codec/commands.ts';
import { expiryOfDay, dayOfTime } from '../../core/instruments/calendar.ts';
import { DAY, SECOND } from '../../core/units.ts';
import type { ApiContext } from '../api/context.ts';
import { bodyJson } from '../api/reader-client.ts';
import type { VenueFacts } from './examples.ts';

/** How long what was made without a listed contract is kept, ms. */
const WITHOUT = 10 * SECOND;
const UNDERLYING = 'BTC';
const STRIKE = 100_000e6;

type Listed = {
  readonly instrument_name: string; readonly option_type: string; readonly expiration_timestamp: number; readonly strike: number;
};
/** `until`: ms until which examples about it are true. */
type Known = { readonly facts: VenueFacts; readonly until: number };

/** What `make` makes of the facts, made anew when they are true no more. */
export function keptWith<T>(api: ApiContext, make: (facts: VenueFacts) => Promise<T>): () => Promise<T> {
  let kept: { readonly until: number; readonly made: T } | null = null;
  let asked: Promise<T> | null = null;
  const renew = async (): Promise<T> => {
    const { facts, until } = await factsOf(api);
    const made = await make(facts);
    kept = { until, made };
    return made;
  };
  return async () => {
    if (kept !== null && api.now() < kept.until) return kept.made;
    return asked ??= renew().finally(() => { asked = null; });
  };
}

function factsOf(api: ApiContext): Promise<Known> {
  const { feed } = api.config;
  const now = api.now();
  const without = (): Known => ({ facts: { symbol: nothingListed(now), now, feed }, until: now + WITHOUT });
  return new Promise((resolve) => {
    const isAsked = api.reads.ask('instruments', { currency: UNDERLYING, status: ['ACTIVE'] }, ({ status, body }) => {
      const listed = status === 200 ? bodyJson(body) : null;
      const calls = Array.isArray(listed) ? (listed as Listed[]).filter(({ option_type: type }) => type === 'call') : [];
      resolve(calls.length === 0 ? without() : known(api, calls));
    }, () => resolve(without()));
    if (!isAsked) resolve(without());
  });
}

/** The call of the last expiry in the middle of its strikes. */
function known(api: ApiContext, calls: readonly Listed[]): Known {
  const last = Math.max(...calls.map(({ expiration_timestamp: expiry }) => expiry));
  const strikes = calls.filter(({ expiration_timestamp: expiry }) => expiry === last).sort((a, b) => a.strike - b.strike);
  const { instrument_name: symbol } = strikes[strikes.length >> 1]!;
  const now = api.now();
  return { facts: { symbol, now, feed: api.config.feed }, until: Math.min(now + DAY, last) };
}

/** Before anything is listed. */
function nothingListed(now: number): string {
  const terms = createTerms();
  packUnderlying(UNDERLYING, terms);
  return formatSymbol({ ...terms, expiry: expiryOfDay(dayOfTime(now) + 1), strike: STRIKE, kind: CALL });
}
