// Facts that the examples need: a listed contract that lives long. Results made from them are cached at most a day.

import { formatSymbol, createTerms, packUnderlying } from '../../core/instruments/symbol.ts';
import { CALL } from '../../core/codec/commands.ts';
import { expiryOfDay, dayOfTime } from '../../core/instruments/calendar.ts';
import { DAY, SECOND } from '../../core/units.ts';
import type { ApiContext } from '../api/context.ts';
import { bodyJson } from '../api/reader-client.ts';
import type { VenueFacts } from './examples.ts';

const WITHOUT = 10 * SECOND;
const UNDERLYING = 'BTC';
const STRIKE = 100_000e6;

type Listed = {
  readonly instrument_name: string; readonly option_type: string; readonly expiration_timestamp: number; readonly strike: number;
};
type Known = { readonly facts: VenueFacts; readonly until: number };

export function cachedWithFacts<T>(api: ApiContext, make: (facts: VenueFacts) => Promise<T>): () => Promise<T> {
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

function known(api: ApiContext, calls: readonly Listed[]): Known {
  const last = Math.max(...calls.map(({ expiration_timestamp: expiry }) => expiry));
  const strikes = calls.filter(({ expiration_timestamp: expiry }) => expiry === last).sort((a, b) => a.strike - b.strike);
  const { instrument_name: symbol } = strikes[strikes.length >> 1]!;
  const now = api.now();
  return { facts: { symbol, now, feed: api.config.feed }, until: Math.min(now + DAY, last) };
}

function nothingListed(now: number): string {
  const terms = createTerms();
  packUnderlying(UNDERLYING, terms);
  return formatSymbol({ ...terms, expiry: expiryOfDay(dayOfTime(now) + 1), strike: STRIKE, kind: CALL });
}
