// Faults of one line in what the interface says: a wrong status, code, text, field, default or form. Each is caught by the one
// test that the conformance report names for that row.

import type { Mutant } from './fault.ts';

/** Name, file under shell/, text, what takes its place, file of the test, its title. */
type Row = readonly [name: string, file: string, find: string, replace: string, tests: string, title: string];

const ROWS: readonly Row[] = [
  [
    'forbidden is 400', 'http/shapes/error-codes', 'forbidden: 403,', 'forbidden: 400,', 'errors',
    'error: a wallet in the body that did not sign',
  ],
  [
    'another error text for significant figures',
    'http/outcome-texts', 'significant figures, maximum allowed is 5', 'significant figures, maximum is 5',
    'errors', 'error: price has more than 5 significant figures',
  ],
  [
    'a rejection has an id', 'http/bodies/order-update', 'filled: 0, orderId: null,', 'filled: 0, orderId: 0,',
    'errors', 'error: route rfq_only',
  ],
  [
    'the code of an unknown path', 'http/router', '\'unsupported_endpoint\', `Unsupported', '\'not_found\', `Unsupported',
    'errors', 'error: a write to an unknown path',
  ],
  [
    'a field that is missing has another code', 'http/fields', 'refuse(\'missing_field\', `Missing',
    'refuse(\'invalid_parameter\', `Missing', 'endpoints', 'endpoint: POST /cancel',
  ],
  [
    'the body of a 429 without its limit', 'http/rate-headers', 'extra: { retry_after_secs: seconds, limit }',
    'extra: { retry_after_secs: seconds }', 'errors', 'error: more than 60 risk simulations',
  ],
  [
    'another default of /fills', 'api/routes/reads', 'to_ms: moment, limit: limit(100, 1_000), offset, ...EXPORT',
    'to_ms: moment, limit: limit(50, 1_000), offset, ...EXPORT', 'endpoints', 'endpoint: GET /fills',
  ],
  ['another default of depth', 'api/routes/markets', 'DEFAULT_DEPTH = 20', 'DEFAULT_DEPTH = 15', 'bounds', 'bound: GET /orderbook depth'],
  [
    'money as a number', 'reader/history/trading-history', 'settlement_price: micro(price)', 'settlement_price: Number(micro(price))',
    'endpoints', 'endpoint: GET /settlement-payouts',
  ],
];

export const INTERFACE: readonly Mutant[] = ROWS.map(([name, file, find, replace, tests, title]) => (
  { name: `interface: ${name}`, file: `shell/${file}.ts`, find, replace, tests: [`test/e2e/conformance/${tests}.test.ts`], title }
));
