// Reads the text of a setting of the process. A BadSetting names the flag, what it may be, and what was given.

import { packUnderlying } from '../../core/instruments/symbol.ts';
import { MAX_UNDERLYINGS, UNDERLYING_CHARS } from '../../core/limits.ts';
import { NEW_WALLETS_AN_HOUR } from '../../core/sequencer/rate-budgets.ts';
import { ADMIN_TOKEN } from '../storage/journal/venue-identity.ts';
import { BadSetting } from './bad-setting.ts';

const MOST_NEW_WALLETS = 1_000_000;
export const MOST_LATENCY_MS = 5_000;

/** An empty text would mean every interface, or the working folder. */
export function notEmpty(name: string, text: string): string {
  if (text.trim() === '') throw new BadSetting(`--${name} must not be empty`);
  return text;
}

export function integer(name: string, text: string, low: number, high: number): number {
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : NaN;
  if (!(value >= low && value <= high)) throw new BadSetting(`--${name} must be an integer from ${low} to ${high}, not "${text}"`);
  return value;
}

export function oneOf<T extends string>(name: string, text: string, values: readonly T[]): T {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new BadSetting(`--${name} must be ${values.join(' or ')}, not "${text}"`);
  return found;
}

/** The URL may contain a key, so the error does not quote it. */
export function address(name: string, text: string, schemes: readonly string[]): string {
  const url = URL.parse(text);
  const isGood = url !== null && schemes.includes(url.protocol) && url.username === '' && url.password === '' && url.hash === '';
  if (isGood) return text;
  throw new BadSetting(`--${name} must be an address that begins with ${schemes.join('// or ')}//, without a user or a fragment`);
}

export function corsOf(text: string): string | null {
  if (text === 'off') return null;
  if (text === '*' || isOrigin(text)) return text;
  throw new BadSetting(`--cors must be * or off or one origin like https://app.example, not ${JSON.stringify(text)}`);
}

export function originsOf(text: string): readonly string[] {
  const origins = text === '' ? [] : text.split(',');
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong === undefined) return origins;
  throw new BadSetting(`--origin must be origins like https://app.example, comma separated, not ${JSON.stringify(wrong)}`);
}

/** `*` allows every name. Null: not set. */
export function hostsOf(text: string): readonly string[] | null {
  if (text === '') return null;
  const hosts = text.split(',');
  const wrong = hosts.find((host) => host !== '*' && URL.parse(`http://${host}`)?.hostname !== host);
  if (wrong === undefined) return hosts;
  throw new BadSetting(`--allowed-hosts must be names like trade.example, comma separated, or *, not ${JSON.stringify(wrong)}`);
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.origin === text;
}

export function newWalletsOf(text: string): readonly number[] {
  const limits = text.split(',').map((part) => (/^[0-9]{1,7}$/.test(part) ? Number(part) : NaN));
  if (limits.length === NEW_WALLETS_AN_HOUR.length && limits.every((limit) => limit <= MOST_NEW_WALLETS)) return limits;
  const like = `${NEW_WALLETS_AN_HOUR.length} integers from 0 to ${MOST_NEW_WALLETS} like ${NEW_WALLETS_AN_HOUR.join()}`;
  throw new BadSetting(`--new-wallets must be ${like}, not "${text}"`);
}

export function latencyOf(text: string): { readonly delay: number; readonly jitter: number } | null {
  if (text === '') return null;
  const [delay, jitter] = (/^([0-9]{1,4})(?:,([0-9]{1,4}))?$/.exec(text)?.slice(1) ?? []).map((part) => Number(part ?? 0));
  if (delay !== undefined && jitter !== undefined && jitter <= delay && delay + jitter <= MOST_LATENCY_MS) return { delay, jitter };
  const range = `ms like 40, or 40,15 with a jitter of at most the delay, at most ${MOST_LATENCY_MS} in all`;
  throw new BadSetting(`--latency must be ${range}, not "${text}"`);
}

/** UTC. */
export function instant(name: string, text: string): number {
  const time = /^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?Z$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 16) !== text.slice(0, 16)) {
    throw new BadSetting(`--${name} must be a time in UTC from 2000 to 2099 like 2026-01-05T07:28:00Z, not "${text}"`);
  }
  return time;
}

export function decimal(name: string, text: string, low: number, high: number): number {
  const value = /^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(text) ? Number(text) : NaN;
  if (!(value >= low && value <= high)) throw new BadSetting(`--${name} must be a number from ${low} to ${high}, not "${text}"`);
  return value;
}

/** At least 2 characters: "a" is the source of Hyperliquid's mainnet. */
export function serviceName(text: string): string {
  if (!/^[\x20-\x7e]{2,64}$/.test(text)) throw new BadSetting('--service-name must be 2 to 64 printable ASCII characters');
  return text;
}

export function tokenOf(text: string): string | null {
  if (text === '') return null;
  if (!ADMIN_TOKEN.test(text)) throw new BadSetting('--admin-token must be 16 to 256 printable characters without blanks');
  return text;
}

export function addresses(text: string): readonly string[] {
  if (text === '') return [];
  return text.split(',').map((address) => {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new BadSetting(`--admin-wallets: "${address}" is not an address`);
    return address.toLowerCase();
  });
}

export function underlyingsOf(text: string): readonly string[] {
  const added = text === '' ? [] : text.split(',');
  for (const name of added) {
    if (packUnderlying(name, { underlyingLo: 0, underlyingHi: 0 })) continue;
    throw new BadSetting(`--underlyings: ${JSON.stringify(name)} is not a name of 1 to ${UNDERLYING_CHARS} characters of A-Z and 0-9`);
  }
  const underlyings = [...new Set(['BTC', 'ETH', ...added])];
  if (underlyings.length <= MAX_UNDERLYINGS) return underlyings;
  const most = `a venue has at most ${MAX_UNDERLYINGS} underlyings, BTC and ETH among them`;
  throw new BadSetting(`--underlyings: ${most}, not ${underlyings.length}`);
}
