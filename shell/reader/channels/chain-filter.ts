// Filters of options_chain subscriptions. Clients can make up any number of filters, so the topic is the smallest region that contains
// one; an api thread filters the rows.

import { PERP } from '../../../core/codec/commands.ts';
import { findUnderlying } from '../../../core/instruments/underlyings.ts';
import { ACTIVE, instrumentCount } from '../../../core/instruments/instruments.ts';
import { createTerms, packUnderlying } from '../../../core/instruments/symbol.ts';
import type { State } from '../../../core/engine/state.ts';
import { refuse, type Refusal } from '../../http/errors.ts';
import { normalSelection, type ChainSelection } from '../../ipc/chain-selection.ts';
import { slotOfSymbol, type Names } from '../text.ts';
import { NO_ID, type TopicKey } from './source.ts';

const ANY = '*';
const packed = createTerms();

export function openFilter(state: State, names: Names, sent: string): TopicKey | Refusal {
  const { expiry = null, option_type: type = null, symbols: wanted } = normalSelection(JSON.parse(sent) as ChainSelection);
  if (typeof expiry === 'string') {
    return refuse('invalid_parameter', `Invalid expiry format: ${expiry}, expected an ISO date such as 2026-01-30`);
  }
  if (type !== null && type !== 'call' && type !== 'put') {
    return refuse('invalid_parameter', `Invalid option_type: ${type}, expected call, put or both`);
  }
  const symbols = new Set<string>();
  const underlyings = new Set<string | null>();
  const expiries = new Set<number | null>();
  for (const symbol of wanted ?? []) {
    const slot = slotOfSymbol(state, symbol);
    if (slot >= 0 ? state.instruments.kind[slot] === PERP : !isUnderlying(state, symbol)) {
      return refuse('not_found', `Unknown symbol: ${symbol}`);
    }
    symbols.add(slot < 0 ? symbol : names.symbol(slot));
    underlyings.add(slot < 0 ? symbol : names.underlyingOf(slot));
    expiries.add(slot < 0 ? null : state.instruments.expiry[slot]!);
  }
  const day = expiry ?? single(expiries);
  const region = regionOf(single(underlyings), day !== null && isListed(state, day) ? day : null);
  return { key: region, id: NO_ID, filter: { expiry, type, symbols: wanted === undefined ? null : symbols } };
}

function regionOf(underlying: string | null, expiry: number | null): string {
  return `${underlying ?? ANY} ${expiry ?? ANY}`;
}

export function regionsOf(underlying: string, expiry: number): readonly string[] {
  return [regionOf(null, null), regionOf(null, expiry), regionOf(underlying, null), regionOf(underlying, expiry)];
}

function single<T>(all: ReadonlySet<T | null>): T | null {
  const [first = null] = all;
  return all.size === 1 ? first : null;
}

function isListed({ instruments }: State, expiry: number): boolean {
  const rows = instrumentCount(instruments);
  for (let slot = 0; slot < rows; slot++) {
    if (instruments.expiry[slot] === expiry && instruments.status[slot] === ACTIVE) return true;
  }
  return false;
}

function isUnderlying({ underlyings }: State, name: string): boolean {
  return packUnderlying(name, packed) && findUnderlying(underlyings, packed.underlyingLo, packed.underlyingHi) >= 0;
}
