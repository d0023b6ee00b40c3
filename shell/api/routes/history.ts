// Routes for the history of a wallet or instrument: settlement payouts, equity, theoretical prices, greeks.

import type { ApiContext } from '../context.ts';
import { INTERVALS, type Interval } from '../../ipc/enum-names.ts';
import type { Route } from '../../http/router.ts';
import { readRoute } from './read-route.ts';
import { given, limit, offset, text, TEXT_BYTES, wallet } from './query-fields.ts';

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
