// Routes of market data. An expiry is a date, because all options expire at 08:00 UTC.

import { createTerms, parseSymbol, SYMBOL_OK } from '../../../core/instruments/symbol.ts';
import type { ApiContext } from '../context.ts';
import { EXPIRY_FORMS, expiryOfDate } from '../../ipc/expiry-date.ts';
import { INSTRUMENT_FILTERS, SIDES } from '../../ipc/enum-names.ts';
import { MAX_DEPTH } from '../../ipc/queries.ts';
import { sendError } from '../../http/errors.ts';
import type { Responder } from '../../http/message.ts';
import { route, type Route } from '../../http/router.ts';
import { ask, readRoute } from './read-route.ts';
import { given, TEXT_BYTES, text as optionalText } from './query-fields.ts';

const DEFAULT_DEPTH = 20;
/** Fraction per year: 0.01 % to 1,000 %. */
const LEAST_IV = 0.0001;
const MOST_IV = 10;

const text = { kind: 'text', minBytes: 1, maxBytes: TEXT_BYTES } as const;
const depthField = { kind: 'integer', min: 1, max: MAX_DEPTH, default: DEFAULT_DEPTH, clamp: true } as const;
const currencyField = { ...text, default: 'BTC' } as const;
const statusField = { kind: 'choices', values: INSTRUMENT_FILTERS, default: ['ACTIVE'], doc: 'Comma-separated list.' } as const;
const expiryField = { ...text, doc: `${EXPIRY_FORMS[0]!.toUpperCase()}${EXPIRY_FORMS.slice(1)}.` } as const;

export function marketRoutes(api: ApiContext): readonly Route[] {
  return [...listingRoutes(api), ...bookRoutes(api), ...chainRoutes(api), ...greekRoutes(api)];
}

const row = { method: 'GET', auth: 'none', rate: 'api', envelope: 'bare' } as const;

function listingRoutes(api: ApiContext): readonly Route[] {
  return [
    readRoute(api, {
      ...row, path: '/instruments', compat: 'jsonrpc', doc: 'Instruments of an underlying.',
      query: { currency: currencyField, _kind: { kind: 'ignored', optional: true, doc: 'Ignored.' }, status: statusField },
    }, 'instruments', ({ query: { currency, status } }) => ({ currency, status })),
    readRoute(api, {
      ...row, path: '/markets', doc: 'Underlyings and expiries with their instruments.',
      query: { include_instruments: { kind: 'boolean', default: true } },
    }, 'markets', ({ query }) => query),
    readRoute(api, { ...row, path: '/exchange-info', doc: 'Signing domain, venue id and last journal entry.' }, 'exchange', () => ({})),
  ];
}

function bookRoutes(api: ApiContext): readonly Route[] {
  return [
    route({
      ...row, path: '/orderbook', compat: 'jsonrpc', doc: 'Order book of one instrument, with marks, greeks and daily statistics.',
      query: {
        instrument_id: { ...optionalText, doc: 'An integer. A name is accepted too.' }, instrument_name: optionalText, depth: depthField,
      },
      handler: ({ request, query }, responder) => {
        const { instrument_id: id = '', instrument_name: name = '', depth } = query;
        if (id === '' && name === '') {
          return sendError(responder, 'bare', 'missing_field', 'One of instrument_id and instrument_name is required');
        }
        if (/^[0-9]{1,15}$/.test(id)) {
          return ask(api, request, responder, 'orderbook', { instrument_id: Number(id), depth });
        }
        // Existing clients send a name as the id (wire contract 0.3, 14).
        return ask(api, request, responder, 'orderbook', { instrument_name: id === '' ? name : id, depth });
      },
    }),
    route({
      ...row, path: '/expiry-summary', doc: 'Every active instrument of an expiry with its book.',
      query: { currency: text, expiry: expiryField, depth: depthField },
      handler: ({ request, query: { currency, expiry, depth } }, responder) => withExpiry(responder, expiry, (time) => (
        ask(api, request, responder, 'expirySummary', { currency, expiry: time, depth })
      )),
    }),
  ];
}

function chainRoutes(api: ApiContext): readonly Route[] {
  return [
    route({
      ...row, path: '/options-chain',
      doc: 'Best quotes and greeks of an expiry, one row per strike. `option_type` leaves out the other type; `side` leaves the quotes of '
        + 'the other side null.',
      query: {
        currency: text, expiry: expiryField, option_type: { kind: 'choice', values: ['call', 'put', 'both'], default: 'both' },
        side: { kind: 'choice', values: ['buy', 'sell', 'both'], default: 'both' },
      },
      handler: ({ request, query: { expiry, ...rest } }, responder) => withExpiry(responder, expiry, (time) => (
        ask(api, request, responder, 'optionsChain', { ...rest, expiry: time })
      )),
    }),
    readRoute(api, {
      ...row, path: '/options-summary', compat: 'jsonrpc', doc: 'Quotes, marks, greeks and statistics of every active option.',
      query: {
        currency: { ...optionalText, minBytes: 1, doc: 'Comma-separated list or ALL. Default: all.' },
        kind: { ...optionalText, doc: '`option`; any other value returns no rows.' },
        expiry: { kind: 'expiry', unit: 'seconds', optional: true },
      },
    }, 'optionsSummary', ({ query: { currency = 'ALL', kind, expiry } }) => {
      const names = currency.split(',').map((name) => name.trim());
      return given({ currencies: names.includes('ALL') ? null : names, kind, expiry });
    }),
  ];
}

function greekRoutes(api: ApiContext): readonly Route[] {
  return [
    readRoute(api, {
      ...row, path: '/greeks', envelope: 'api', doc: 'Greeks of one contract: theta per day, vega per vol point, rho per per cent.',
      query: { symbol: text },
    }, 'greeks', ({ query: { symbol } }) => ({ symbol })),
    route({
      ...row, method: 'POST', path: '/limit_iv', envelope: 'api',
      doc: 'The price for an implied volatility, with 5 significant figures: rounded down for Buy, up for Sell, to the nearest without a '
        + 'side.',
      body: {
        symbol: text, iv: { kind: 'number', min: LEAST_IV, max: MOST_IV, doc: 'A fraction: 0.7 means 70 %.' },
        side: { kind: 'choice', values: SIDES, optional: true },
      },
      handler: ({ request, body: { symbol, iv, side } }, responder) => {
        if (parseSymbol(symbol, createTerms()) !== SYMBOL_OK) {
          return sendError(responder, 'api', 'invalid_parameter', `Invalid option symbol: ${symbol}`);
        }
        ask(api, request, responder, 'limitIv', given({ symbol, iv, side }), 'api');
      },
    }),
  ];
}

function withExpiry(responder: Responder, expiry: string, go: (time: number) => void): void {
  const time = expiryOfDate(expiry);
  if (time === null) {
    return sendError(responder, 'bare', 'invalid_parameter', `Invalid expiry format: ${expiry}, expected ${EXPIRY_FORMS}`);
  }
  go(time);
}
