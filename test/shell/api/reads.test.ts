// Reads over HTTP: which question reaches the reader for which query, and that its answer goes to the client unchanged.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { Harness } from './harness.ts';

const WALLET = `0x${'aB'.repeat(20)}`;
const wallet = WALLET.toLowerCase();
const JAN_30 = Date.UTC(2026, 0, 30, 8);

let venue: Harness;
before(() => { venue = new Harness(); });
after(() => venue.close());

const CASES: readonly (readonly [path: string, kind: string, parameters: object])[] = [
  [`/authorized-agents?wallet=${WALLET}`, 'agents', { wallet }],
  [`/orders?wallet=${WALLET}`, 'orders', { wallet, limit: 50, offset: 0 }],
  [`/orders?wallet=${WALLET}&limit=51&offset=7&status=open,filled`, 'orders', { wallet, status: ['open', 'filled'], limit: 50, offset: 7 }],
  [`/orders?wallet=${WALLET}&limit=0`, 'orders', { wallet, limit: 0, offset: 0 }],
  [`/orders?wallet=${WALLET}&limit=99999999999999999999`, 'orders', { wallet, limit: 50, offset: 0 }],
  ['/trades', 'trades', { limit: 100, offset: 0 }],
  ['/trades?limit=5000&symbol=BTC-5JAN26-100000-C', 'trades', { limit: 1_000, offset: 0, symbol: 'BTC-20260105-100000-C' }],
  ['/trades?underlying=ETH&limit=10', 'trades', { limit: 10, offset: 0, underlying: 'ETH' }],
  [`/fills?wallet=${WALLET}&limit=1001`, 'fills', { wallet, limit: 1_000, offset: 0 }],
  [`/portfolio?wallet=${WALLET}`, 'portfolio', { wallet }],
  [`/user-tier?wallet=${WALLET}`, 'tier', { wallet }],
  [`/mmp/config?wallet=${WALLET}`, 'mmp', { wallet }],
  [`/mmp/config?wallet=${WALLET}&currency=ETH`, 'mmp', { wallet, currency: 'ETH' }],
  ['/instruments', 'instruments', { currency: 'BTC', status: ['ACTIVE'] }],
  ['/instruments?currency=ETH&_kind=option&kind=option&status=all', 'instruments', { currency: 'ETH', status: ['all'] }],
  ['/markets', 'markets', { include_instruments: true }],
  ['/markets?include_instruments=false', 'markets', { include_instruments: false }],
  ['/orderbook?instrument_id=12', 'orderbook', { instrument_id: 12, depth: 20 }],
  ['/orderbook?instrument_name=BTC-5JAN26-1-C&depth=501', 'orderbook', { instrument_name: 'BTC-5JAN26-1-C', depth: 500 }],
  ['/orderbook?instrument_name=BTC-PERP', 'orderbook', { instrument_name: 'BTC-PERP', depth: 20 }],
  ['/orderbook?instrument_id=&instrument_name=BTC-PERP', 'orderbook', { instrument_name: 'BTC-PERP', depth: 20 }],
  ['/trades?symbol=ETH-PERP', 'trades', { limit: 100, offset: 0, symbol: 'ETH-PERP' }],
  ['/orderbook?instrument_id=BTC-20260105-1-C&depth=15', 'orderbook', { instrument_name: 'BTC-20260105-1-C', depth: 15 }],
  ['/exchange-info', 'exchange', {}],
  ['/expiry-summary?currency=BTC&expiry=30JAN26', 'expirySummary', { currency: 'BTC', expiry: JAN_30, depth: 20 }],
  ['/options-chain?currency=BTC&expiry=30JAN26', 'optionsChain', { currency: 'BTC', expiry: JAN_30, option_type: 'both', side: 'both' }],
  ['/expiry-summary?currency=ETH&expiry=2026-01-30', 'expirySummary', { currency: 'ETH', expiry: JAN_30, depth: 20 }],
  ['/expiry-summary?currency=BTC&expiry=2026-01-30T08:00:00Z&depth=501', 'expirySummary', { currency: 'BTC', expiry: JAN_30, depth: 500 }],
  ['/expiry-summary?currency=BTC&expiry=2026-01-30T23:59:59.999Z', 'expirySummary', { currency: 'BTC', expiry: JAN_30, depth: 20 }],
  ['/options-chain?currency=BTC&expiry=2026-01-30', 'optionsChain', { currency: 'BTC', expiry: JAN_30, option_type: 'both', side: 'both' }],
  [
    '/options-chain?currency=BTC&expiry=2026-01-30&option_type=put&side=sell', 'optionsChain',
    { currency: 'BTC', expiry: JAN_30, option_type: 'put', side: 'sell' },
  ],
  ['/options-summary', 'optionsSummary', { currencies: null }],
  ['/options-summary?currency=ALL&kind=option', 'optionsSummary', { currencies: null, kind: 'option' }],
  ['/options-summary?currency=BTC,%20ETH', 'optionsSummary', { currencies: ['BTC', 'ETH'] }],
  ['/options-summary?currency=BTC&kind=perp', 'optionsSummary', { currencies: ['BTC'], kind: 'perp' }],
  ['/options-summary?expiry=30JAN26', 'optionsSummary', { currencies: null, expiry: JAN_30 }],
  ['/instruments?status=settled,%20Expired_pending_price', 'instruments', {
    currency: 'BTC', status: ['SETTLED', 'EXPIRED_PENDING_PRICE'],
  }],
  ['/options-summary?expiry=1769760000&include_rfq_provider_quotes=true', 'optionsSummary', { currencies: null, expiry: JAN_30 }],
  ['/greeks?symbol=BTC-30JAN26-100000-C', 'greeks', { symbol: 'BTC-30JAN26-100000-C' }],
  ['/greeks?symbol=anything', 'greeks', { symbol: 'anything' }],
  [`/portfolio/greeks?wallet=${WALLET}`, 'portfolioGreeks', { wallet, orders: [] }],
  [
    `/portfolio/greeks?wallet=${WALLET}&simulated_orders=${encodeURIComponent('[{"symbol":"BTC-PERP","side":"Sell","size":"1.50"}]')}`,
    'portfolioGreeks', { wallet, orders: [{ symbol: 'BTC-PERP', side: 'Sell', size: 1_500_000 }] },
  ],
  [`/risk/grid?wallet=${WALLET}`, 'riskGrid', { wallet }],
  [`/risk/inputs?wallet=${WALLET}`, 'riskInputs', { wallet, symbols: [] }],
  [`/risk/inputs?wallet=${WALLET}&symbols=BTC-PERP,ETH-PERP`, 'riskInputs', { wallet, symbols: ['BTC-PERP', 'ETH-PERP'] }],
];

test('a parameter that the venue does not use may have any value', async () => {
  const { body } = await venue.get(`/instruments?_kind=${'x'.repeat(300)}`);
  assert.deepEqual(body, { kind: 'instruments', parameters: { currency: 'BTC', status: ['ACTIVE'] } });
});

for (const [path, kind, parameters] of CASES) {
  test(`GET ${path}`, async () => {
    const { status, body } = await venue.get(path);
    assert.deepEqual([status, body], [200, { kind, parameters }]);
  });
}

const PERP_ORDER = { symbol: 'BTC-PERP', side: 'Buy' };
const CALL_ORDER = { symbol: 'BTC-20260130-1-C', side: 'Sell' };
const SENT: readonly (readonly [path: string, body: object, kind: string, parameters: object])[] = [
  ['/limit_iv', { symbol: 'BTC-30JAN26-1-C', iv: 0.7 }, 'limitIv', { symbol: 'BTC-30JAN26-1-C', iv: 0.7 }],
  ['/limit_iv', { symbol: 'BTC-20260130-1-C', iv: 10, side: 'Sell' }, 'limitIv', { symbol: 'BTC-20260130-1-C', iv: 10, side: 'Sell' }],
  [
    '/risk/simulate/orders',
    { wallet: WALLET, orders: [{ ...PERP_ORDER, size: 0.25 }, { ...CALL_ORDER, symbol: 'BTC-30JAN26-1-C', size: '2', price: '100.50' }] },
    'simulateOrders',
    {
      wallet,
      orders: [{ ...PERP_ORDER, size: 250_000 }, { ...CALL_ORDER, symbol: 'BTC-30JAN26-1-C', size: 2_000_000, price: 100_500_000 }],
    },
  ],
  [
    '/risk/simulate/portfolio', { positions: [{ symbol: 'BTC-PERP', amount: '-1' }] },
    'simulatePortfolio', { positions: [{ symbol: 'BTC-PERP', amount: -1_000_000 }] },
  ],
  [
    '/risk/simulate/portfolio',
    { wallet: WALLET, positions: [{ symbol: 'BTC-PERP', amount: 2, entry_price: '99.5' }], balance: '-5', margin_mode: 'standard' },
    'simulatePortfolio',
    {
      wallet, positions: [{ symbol: 'BTC-PERP', amount: 2_000_000, entry_price: 99_500_000 }], balance: -5_000_000,
      margin_mode: 'standard',
    },
  ],
];

for (const [path, sent, kind, parameters] of SENT) {
  test(`POST ${path} ${JSON.stringify(sent)}`, async () => {
    const { status, body } = await venue.post(path, sent);
    assert.deepEqual([status, body], [200, { kind, parameters }]);
  });
}

test('invalid parameters are refused before the reader is asked', async () => {
  const asked = venue.asked.length;
  const cases: [string, string][] = [
    ['/orders', 'missing_field'], ['/orders?wallet=0x12', 'invalid_wallet'], [`/orders?wallet=${WALLET}&limit=-1`, 'invalid_parameter'],
    [`/orders?wallet=${WALLET}&limit=many`, 'invalid_parameter'], [`/fills?wallet=${WALLET}&offset=-1`, 'invalid_parameter'],
    ['/orderbook', 'missing_field'], ['/orderbook?instrument_id=', 'missing_field'],
    ['/orderbook?instrument_id=&instrument_name=', 'missing_field'], ['/orderbook?instrument_id=1&depth=0', 'invalid_parameter'],
    ['/markets?include_instruments=1', 'invalid_parameter'],
    [`/trades?symbol=${'x'.repeat(257)}`, 'invalid_parameter'], ['/portfolio', 'missing_field'],
  ];
  for (const [path, error] of cases) {
    const answer = await venue.get(path);
    assert.deepEqual([answer.status, answer.body.error], [400, error], path);
  }
  assert.equal(venue.asked.length, asked);
});

test('the reader\'s status and body go to the client unchanged', async () => {
  venue.answers.set('portfolio', () => ({ status: 503, body: '{"success":false,"data":null,"error":"margin_unavailable"}' }));
  const answer = await venue.get(`/portfolio?wallet=${WALLET}`);
  assert.deepEqual([answer.status, answer.body], [503, { success: false, data: null, error: 'margin_unavailable' }]);
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.equal(answer.headers['retry-after'], undefined);
  venue.answers.clear();
});

test('a full reader is a 503 without Retry-After, for reads, pages and exports', async () => {
  const busy = { status: 503, body: '{"error":"engine_busy","message":"Too many exports are running","retry_after_secs":1}' };
  for (const kind of ['portfolio', 'fills', 'export'] as const) venue.answers.set(kind, () => busy);
  const csv = { accept: 'text/csv' };
  const fills = `/fills?wallet=${WALLET}`;
  for (const [path, headers] of [[`/portfolio?wallet=${WALLET}`, {}], [fills, {}], [fills, csv], [`${fills}&export=all`, csv]] as const) {
    const answer = await venue.send('GET', path, undefined, headers);
    assert.deepEqual([answer.status, answer.body.retry_after_secs, answer.headers['retry-after']], [503, 1, undefined], path);
  }
  venue.answers.clear();
});

test('an answer too large for the ring arrives whole', async () => {
  venue.answers.set('markets', () => 'large');
  assert.deepEqual((await venue.get('/markets')).body, { large: true });
  venue.answers.clear();
});

test('unknown paths and methods are refused by name', async () => {
  assert.deepEqual([(await venue.get('/nowhere')).status, (await venue.get('/nowhere')).body.error], [404, 'not_found']);
  const unknown = await venue.post('/nowhere', {});
  assert.deepEqual([unknown.status, unknown.body.error], [400, 'unsupported_endpoint']);
  const wrong = await venue.send('PUT', '/cancel', {});
  assert.deepEqual([wrong.status, wrong.body.error, wrong.headers.allow], [405, 'method_not_allowed', 'POST, OPTIONS']);
});
