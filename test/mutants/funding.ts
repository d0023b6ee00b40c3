// Faults of one line in what is told of funding, perps, protections and liquidations, and in filters of listings.

import type { Mutant } from './fault.ts';

/** Name, file, text, what takes its place, tests. */
type Row = readonly [name: string, file: string, find: string, replace: string, tests: string];

const ROWS: readonly Row[] = [
  [
    'a payment tells the hours since listing', 'core/trading/funding', 'funding.hours[instrument] - holdings.fundedHours[holding]',
    'funding.hours[instrument]', 'shell/reader/funding',
  ],
  [
    'a payment tells the rates since listing', 'core/trading/funding', 'funding.rates[instrument] - holdings.fundedRates[holding]',
    'funding.rates[instrument]', 'shell/reader/funding',
  ],
  [
    'a position owes from when it was last changed only', 'core/positions/funding', 'Math.max(holdings.fundedUntil[row], ', '(',
    'shell/reader/funding',
  ],
  [
    'the hour so far counts as a whole one', 'core/lifecycle/funding-rate', 'perps.premium[underlying] / passed * HOUR',
    'perps.premium[underlying]', 'shell/reader/funding',
  ],
  [
    'a funding payment has no number on the portfolio stream', 'core/account-streams', '  streams.rows[account * ROW + PORTFOLIO]++;\n', '',
    'shell/reader/funding',
  ],
  [
    'accrued funding has the sign of the payer', 'shell/reader/history/venue-history', 'sum -= pendingFunding', 'sum += pendingFunding',
    'shell/reader/funding',
  ],
  [
    'a funding payment is shown as received', 'shell/reader/history/venue-rows', 'amount: 0 - f[PAID_AMOUNT]!', 'amount: f[PAID_AMOUNT]!',
    'shell/reader/funding',
  ],
  [
    'a protection has used what has left its window', 'core/mmp/windows', 'filledAt[link - 1] <= time - interval[row]; link = next',
    'filledAt[link - 1] < 0; link = next', 'shell/reader/funding',
  ],
  [
    'the time of a trigger is forgotten', 'core/mmp/mmp', '  mmp.triggeredAt[row] = time;\n', '', 'shell/reader/funding',
  ],
  [
    'every taker counts as liquidated', 'shell/reader/history/rows', 'if (slot === FORCED)', 'if (slot < 0)', 'shell/reader/moves',
  ],
  [
    'the fund is the liquidated side', 'shell/reader/history/venue-rows', '[move]: readonly FillRow[]', '[, move]: readonly FillRow[]',
    'shell/reader/moves',
  ],
  [
    'the end of a span is exclusive', 'shell/reader/history/trading-history', 'row.doneAt <= to', 'row.doneAt < to',
    'shell/reader/filters',
  ],
  [
    'fills of an order of another', 'shell/storage/history/fill-pages', 'WHERE wallet = ? AND order_id = ?',
    'WHERE wallet <> -? AND order_id = ?', 'shell/reader/filters',
  ],
  [
    'a change of a perp within 100 ms is lost', 'shell/reader/channels/perps',
    '< TICKER_MS) continue;', '< TICKER_MS && held.delete(slot)) continue;', 'shell/reader/funding',
  ],
];

export const FUNDING: readonly Mutant[] = ROWS.map(([name, file, find, replace, tests]) => (
  { name, file: `${file}.ts`, find, replace, tests: [`test/${tests}.test.ts`] }
));
