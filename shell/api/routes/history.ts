// Routes for the history of a wallet or instrument: settlement payouts, ledger, equity, theoretical prices, greeks.

import type { ApiContext } from '../context.ts';
import { INTERVALS, LEDGER_KINDS, type Interval } from '../../ipc/enum-names.ts';
import { route, type Route } from '../../http/router.ts';
import { EXPORT, sendListing } from './exports.ts';
import { readRoute } from './read-route.ts';
import { given, limit, moment, offset, text, TEXT_BYTES, wallet } from './query-fields.ts';

const interval = { kind: 'choice', values: Object.keys(INTERVALS) as Interval[], doc: 'One point per interval, at its end.' } as const;

export function historyRoutes(api: ApiContext): readonly Route[] {
  const row = { method: 'GET', rate: 'api' } as const;
  return [
    readRoute(api, {
      ...row, path: '/settlement-payouts', auth: 'wallet', envelope: 'bare', doc: 'Settlement payouts of a wallet, newest first.',
      query: {
        wallet, limit: limit(50, 100), offset, symbol: text,
        ledger_applied: { kind: 'boolean', optional: true, doc: 'Payouts are booked immediately, so `false` finds none.' },
      },
    }, 'payouts', ({ query }) => given(query)),
    route({
      ...row, path: '/ledger', auth: 'wallet', envelope: 'bare',
      doc: 'Every movement of a wallet’s cash with the balance after it, newest first. The rows sum to the cash: one row `opening` carries '
        + 'the sum of rows that are no longer kept.',
      query: {
        wallet, kind: { kind: 'choice', values: LEDGER_KINDS, optional: true }, symbol: text, from_ms: moment, to_ms: moment,
        limit: limit(100, 1_000), offset, ...EXPORT,
      },
      handler: ({ request, query }, responder) => {
        const { export: whole, limit: most, offset: skipped, from_ms: from, to_ms: to, ...rest } = query;
        const filter = { wallet: query.wallet, ...given({ kind: rest.kind, symbol: rest.symbol, from, to }) };
        const asked = { ...filter, limit: most, offset: skipped };
        return sendListing({ api, request, responder }, 'ledger', asked, { list: 'ledger', ...filter }, whole === 'all');
      },
    }),
    readRoute(api, {
      ...row, path: '/historical-pnl', auth: 'wallet', envelope: 'api', doc: 'Equity of a wallet over time, oldest first.',
      query: { wallet, interval: { ...interval, named: 'HistoricalPnlInterval' }, limit: limit(100, 100) },
    }, 'historicalPnl', ({ query }) => query),
    readRoute(api, {
      ...row, path: '/historical-theos', auth: 'none', envelope: 'api', doc: 'Theoretical prices of an instrument, oldest first.',
      query: {
        instrument_name: { kind: 'text', minBytes: 1, maxBytes: TEXT_BYTES }, interval: { ...interval, named: 'HistoricalTheoInterval' },
        limit: limit(100, 100),
      },
    }, 'historicalTheos', ({ query }) => query),
    readRoute(api, {
      ...row, path: '/historical-greeks', auth: 'none', envelope: 'api',
      doc: 'Volatilities, greeks and open interest of an instrument, oldest first.',
      query: {
        instrument_name: { kind: 'text', minBytes: 1, maxBytes: TEXT_BYTES }, interval: { ...interval, named: 'HistoricalTheoInterval' },
        limit: limit(100, 100),
      },
    }, 'historicalGreeks', ({ query }) => query),
  ];
}
