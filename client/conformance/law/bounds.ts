// Every bound of the interface and the test that shows it. A bound whose row names no test is probed by bounds.test.ts.

import { doubled, endpoint, error, of, rule, type Shown } from './shown.ts';

type Bound = { readonly item: string; readonly bound: string; readonly shown?: Shown };

/** The law's table of tiers: orders, cancels and requests a minute, open orders, positions (-1: unlimited). */
export const TIERS = {
  default: [60, 120, 600, 100, 50],
  tier1: [30, 60, 300, 50, 20],
  tier2: [120, 300, 1_200, 500, 200],
  market_maker: [600, 1_200, 6_000, 2_000, -1],
} as const;

type Row = readonly [item: string, bound: string, shown?: Shown];

const ROWS: readonly Row[] = [
  ['price, figures', 'at most 5 significant ones', error('price has more than 5 significant figures')],
  ['price, lower', 'greater than 0', error('price is zero')],
  ['price, upper', '1,000,000,000 USDC', error('price is above its bound')],
  ['price, decimals', 'at most 6', error('price has more than 6 decimals')],
  ['size, lower', 'greater than 0', error('size is zero')],
  ['size, units', 'size times 1,000,000, truncated', error('size truncates to zero')],
  ['size, upper', '1,000,000,000 contracts', error('size is above its bound')],
  ['price times size', 'at most 9,000,000,000 USDC', error('price times size is above its bound')],
  ['client_id', 'at most 64 bytes', error('client_id is too long')],
  ['GET /fills limit', 'default 100, at most 1,000', endpoint('GET /fills')],
  ['GET /trades limit', 'default 100, at most 1,000', endpoint('GET /trades')],
  ['GET /orders limit', 'default 50, at most 50', endpoint('GET /orders')],
  ['GET /historical-pnl limit', 'default 100, at most 100', endpoint('GET /historical-pnl')],
  ['GET /historical-theos limit', 'default 100, at most 100', endpoint('GET /historical-theos')],
  ['GET /settlement-payouts limit', 'default 50, at most 100', endpoint('GET /settlement-payouts')],
  ['GET /orderbook depth', 'default 20, 1 to 500'],
  ['limit, offset', 'at least 0; above its maximum a limit counts as the maximum', endpoint('GET /trades')],
  ['default test balance', '10,000,000 USDC'],
  ['orders of a bulk', '1 to 50', error('more than 50 orders')],
  ['cancels of a bulk', '1 to 50', error('more than 50 cancels')],
  ['cancels by client id of a bulk', '1 to 50', error('more than 50 cancels by client id')],
  ['replacements of a bulk', '1 to 50', error('more than 50 replacements')],
  ['limits of the tier default', TIERS.default.join(', ')],
  ['limits of the tier tier1', TIERS.tier1.join(', ')],
  ['limits of the tier tier2', TIERS.tier2.join(', ')],
  ['limits of the tier market_maker', TIERS.market_maker.join(', ')],
  ['what is counted as placement', 'POST and PUT /order, each item of POST and PUT /bulk_order'],
  ['what is counted as cancellation', 'POST /cancel, /cancel-by-cloid, DELETE /order, /order_cloid, each item of both bulk cancels'],
  [
    'the window', '60 seconds, the UTC minute',
    rule('success and error have X-RateLimit headers, and a spent window ends'),
  ],
  [
    'budget of a bulk', 'all or nothing per wallet',
    rule('a bulk\'s budget is all or nothing per wallet, and another wallet\'s items act'),
  ],
  ['risk simulations of a source', '60 a minute', error('more than 60 risk simulations')],
  [
    'risk simulations in the process', '600 a minute', of('e2e/conformance/venues', 'bound: risk simulations in the process'),
  ],
  [
    'risk simulations at once', '4',
    doubled(
      'e2e/rest/budgets', 'simulations: 60 a source, 600 in the process, 4 at once',
      'the counter alone: a simulation is answered in the turn that takes it up, so no client holds four',
    ),
  ],
  [
    'new wallets of a source', '20 an hour, loopback unlimited',
    of('e2e/conformance/venues', 'bound: new wallets of a source, of a /56, of a /48 and of all'),
  ],
  [
    'new wallets of a /56, of a /48, of all', '60, 200, 2,000 an hour',
    of('e2e/conformance/venues', 'bound: new wallets of a source, of a /56, of a /48 and of all'),
  ],
  [
    'requests of a source', 'a budget',
    of('e2e/conformance/venues', 'bound: requests of a source'),
  ],
  [
    'failed signatures of a source', 'a budget that shuts out bulks alone',
    of('e2e/conformance/venues', 'bound: failed signatures of a source'),
  ],
  ['open orders', 'the cap of the tier', error('open-order cap exceeded')],
  ['positions', 'the cap of the tier', error('position cap exceeded')],
  ['notional a wallet and underlying', '100,000,000 USDC', error('notional cap exceeded')],
  ['agents of a wallet', '64', error('approving a 65th agent')],
  ['username', '3 to 20 of A-Z, a-z, 0-9, _', error('an invalid username')],
  ['changes of username', 'one a day', error('a second change of username')],
  ['request body', '1 MiB', error('a body above 1 MiB')],
  ['nonce', '0 to 2^64 - 1, no digit lost', of('e2e/conformance/rules', 'bound: nonce')],
  ['candles of a request', 'at most 5,000'],
  ['simulated orders', 'at most 100'],
  ['simulated positions', 'at most 500'],
  ['payout ids of a request', 'at most 100'],
];

export const BOUNDS: readonly Bound[] = ROWS.map(([item, bound, shown]) => ({ item, bound, ...(shown && { shown }) }));
