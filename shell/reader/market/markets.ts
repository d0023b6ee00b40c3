// Queries of market data and risk by name: each finds its instruments and calls the function that writes the body.
// All answer at once.

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
import type { Statistics } from './statistics.ts';
import { Summaries } from './summary.ts';
import { slotOfSymbol, type Names } from '../text.ts';

type MarketQuery = Extract<QueryName, 'instruments' | 'markets' | 'orderbook' | 'expirySummary' | 'optionsChain' | 'optionsSummary'
  | 'greeks' | 'limitIv' | 'portfolioGreeks' | 'riskGrid' | 'simulatePortfolio' | 'simulateOrders'>;
type Answers = { readonly [Q in Exclude<MarketQuery, 'markets'>]: (parameters: QueryParameters[Q]) => QueryAnswer } & {
  /** Needs the index prices of a day ago. */
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
    greeks: ({ symbol }) => greeksAnswer(views, symbol),
    limitIv: (parameters) => limitIvAnswer(views, parameters),
    portfolioGreeks: (parameters) => portfolioGreeksAnswer(views, parameters),
    riskGrid: (parameters) => simulator.grid(parameters),
    simulatePortfolio: (parameters) => simulator.portfolio(parameters),
    simulateOrders: (parameters) => simulator.orders(parameters),
  };
}

const packed = createTerms();

/** Number of an underlying, -1 if the venue does not have it. */
function underlyingNamed({ underlyings }: State, name: string): number {
  return packUnderlying(name, packed) ? findUnderlying(underlyings, packed.underlyingLo, packed.underlyingHi) : -1;
}

function unknownCurrency(name: string): QueryAnswer {
  return refused('bare', 'invalid_parameter', `Unknown currency: ${name}`);
}

function slotOfId({ instruments }: State, id: number): number {
  const slot = instruments.id.subarray(0, instrumentCount(instruments)).indexOf(id);
  return slot >= 0 && instruments.status[slot] === DELETED ? -1 : slot;
}
