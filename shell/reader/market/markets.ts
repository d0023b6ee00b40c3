// Market data and risk by name: finds the instruments and calls the function that writes the body.

import { createTerms, packUnderlying } from '../../../core/instruments/symbol.ts';
import { DELETED, instrumentCount } from '../../../core/instruments/instruments.ts';
import { findUnderlying } from '../../../core/instruments/underlyings.ts';
import type { State } from '../../../core/engine/state.ts';
import { ok, refused, type QueryAnswer } from '../answers.ts';
import { chainBody, slotsOfExpiry } from './chain.ts';
import { greeksAnswer, limitIvAnswer, portfolioGreeksAnswer } from './greeks.ts';
import { InstrumentBodies, type PricesByName } from './instruments.ts';
import { BookCache } from './book-cache.ts';
import type { GreeksCache } from './greeks-cache.ts';
import type { QueryName, QueryParameters } from '../../ipc/queries.ts';
import { Simulator } from './simulate.ts';
import { insuranceFundOf, openInterestOf } from './exposure.ts';
import { fundingOf, perpOf, perpOfSymbol, perpSlots } from './perps.ts';
import type { Statistics } from './statistics.ts';
import { Summaries } from './summary.ts';
import { slotOfSymbol, type Names } from '../text.ts';
import type { InsuranceFundData, OpenInterestData, PerpData } from '../../http/shapes/perps.ts';
import type { List, One } from '../../http/shapes/shape.ts';

type MarketQuery = Extract<QueryName, 'instruments' | 'markets' | 'orderbook' | 'expirySummary' | 'optionsChain' | 'optionsSummary'
  | 'greeks' | 'limitIv' | 'perps' | 'funding' | 'openInterest' | 'insuranceFund'
  | 'portfolioGreeks' | 'riskGrid' | 'simulatePortfolio' | 'simulateOrders' | 'riskInputs'>;
type Answers = { readonly [Q in Exclude<MarketQuery, 'markets'>]: (parameters: QueryParameters[Q]) => QueryAnswer } & {
  readonly markets: (parameters: QueryParameters['markets'], dayAgo: PricesByName) => QueryAnswer;
};

type Parts = {
  readonly state: State; readonly names: Names; readonly greeksCache: GreeksCache; readonly statistics: Statistics;
  readonly time: () => number;
};

export function marketAnswers(parts: Parts): Answers {
  const { state, names, greeksCache, statistics, time } = parts;
  const bodies = new InstrumentBodies(state, names, statistics, greeksCache);
  const summaries = new Summaries(state, names, statistics, greeksCache);
  const simulator = new Simulator(state, names, time);
  const views = { state, names, greeksCache, time };
  const books = new BookCache({ state, names, greeksCache, statistics });
  return {
    instruments: ({ currency, status }) => (
      underlyingNamed(state, currency) < 0 ? unknownCurrency(currency) : ok(bodies.instruments(currency, status))
    ),
    markets: ({ include_instruments: include }, dayAgo) => ok(bodies.markets(include, time(), dayAgo)),
    orderbook: ({ instrument_id: id, instrument_name: name, depth }) => {
      const slot = id === undefined ? slotOfSymbol(state, name!) : slotOfId(state, id);
      if (slot < 0) return refused('bare', 'not_found', `Instrument not found: ${id ?? name!}`);
      return ok(books.body(slot, depth, time()));
    },
    expirySummary: ({ currency, expiry, depth }) => {
      const underlying = underlyingNamed(state, currency);
      if (underlying < 0) return unknownCurrency(currency);
      const slots = slotsOfExpiry(state, underlying, expiry, time());
      const row = (slot: number): string => `{"instrument":${bodies.instrument(slot)},"orderbook":${books.text(slot, depth, time())}}`;
      return ok(`[${slots.map(row).join(',')}]`);
    },
    optionsChain: ({ currency, expiry, ...filter }) => {
      const underlying = underlyingNamed(state, currency);
      if (underlying < 0) return unknownCurrency(currency);
      const slots = slotsOfExpiry(state, underlying, expiry, time());
      return ok(chainBody(state, names, greeksCache, slots, currency, expiry, filter));
    },
    optionsSummary: ({ currencies, kind = 'option', expiry }) => {
      const unknown = currencies?.find((name) => underlyingNamed(state, name) < 0);
      if (unknown !== undefined) return unknownCurrency(unknown);
      return ok(kind === 'option' ? summaries.body(currencies, expiry, time()) : '[]');
    },
    perps: ({ underlying }) => {
      if (underlying !== undefined && underlyingNamed(state, underlying) < 0) return unknownUnderlying(underlying);
      const slots = perpSlots(state).filter((slot) => names.underlyingOf(slot) === (underlying ?? names.underlyingOf(slot)));
      return listOf<PerpData>(slots.map((slot) => perpOf(state, names, statistics, slot, time())));
    },
    funding: ({ symbol }) => {
      const slot = perpOfSymbol(state, symbol);
      return slot < 0 ? unknownPerp(symbol) : ok(JSON.stringify(fundingOf(state, names, slot, time())));
    },
    openInterest: ({ underlying }) => {
      if (underlying !== undefined && underlyingNamed(state, underlying) < 0) return unknownUnderlying(underlying);
      const wanted = underlying === undefined ? names.underlyings() : [underlying];
      return listOf<OpenInterestData>(wanted.map((name) => openInterestOf(state, names, name)));
    },
    insuranceFund: () => ok(JSON.stringify({ success: true, data: insuranceFundOf(state, names) } satisfies One<InsuranceFundData>)),
    greeks: ({ symbol }) => greeksAnswer(views, symbol),
    limitIv: (parameters) => limitIvAnswer(views, parameters),
    portfolioGreeks: (parameters) => portfolioGreeksAnswer(views, parameters),
    riskGrid: (parameters) => simulator.grid(parameters),
    simulatePortfolio: (parameters) => simulator.portfolio(parameters),
    simulateOrders: (parameters) => simulator.orders(parameters),
    riskInputs: (parameters) => simulator.inputs(parameters),
  };
}

const packed = createTerms();

/** -1: unknown. */
function underlyingNamed({ underlyings }: State, name: string): number {
  return packUnderlying(name, packed) ? findUnderlying(underlyings, packed.underlyingLo, packed.underlyingHi) : -1;
}

function listOf<T>(data: readonly T[]): QueryAnswer {
  return ok(JSON.stringify({ success: true, data } satisfies List<T>));
}

function unknownUnderlying(name: string): QueryAnswer {
  return refused('bare', 'invalid_parameter', `Unknown underlying: ${name}`);
}

function unknownPerp(symbol: string): QueryAnswer {
  return refused('bare', 'not_found', `Perp not found: ${symbol}`);
}

function unknownCurrency(name: string): QueryAnswer {
  return refused('bare', 'invalid_parameter', `Unknown currency: ${name}`);
}

function slotOfId({ instruments }: State, id: number): number {
  const slot = instruments.id.subarray(0, instrumentCount(instruments)).indexOf(id);
  return slot >= 0 && instruments.status[slot] === DELETED ? -1 : slot;
}
