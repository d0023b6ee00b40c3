// Every error of the interface: its code or its message's status, its HTTP status and its exact text. {names} are filled in by the probe
// that provokes the error. If no client can provoke it (a stalled venue, an internal fault), the row names the test that does.

import { doubled, of, type Shown } from './shown.ts';

export type ErrorRow = {
  readonly section: string;
  /** The condition, as the interface has it; no two rows share it. */
  readonly when: string;
  readonly status: number;
  /** The code in `error`. For a rejection: REJECTED, in `status`. For an item of a bulk: ITEM. For agents: FAILED. */
  readonly code: string;
  readonly text: string;
  /** Absent: a probe. */
  readonly shown?: Shown;
};

type Cells = readonly [when: string, status: number, code: string, text: string, shown?: Shown];

function section(name: string, rows: readonly Cells[]): ErrorRow[] {
  return rows.map(([when, status, code, text, shown]) => ({ section: name, when, status, code, text, ...(shown && { shown }) }));
}

const MIDDLEWARE = section('Middleware error codes', [
  ['the body is empty', 400, 'invalid_request', 'Request body is empty'],
  ['the body is not UTF-8', 400, 'invalid_request', 'Request body is not valid UTF-8'],
  ['the body is encoded', 400, 'invalid_request', 'Unknown content encoding: {encoding}'],
  ['the body is not JSON', 400, 'invalid_json', 'Request body is not valid JSON'],
  ['a required field is missing', 400, 'missing_field', 'Missing required field: {field}'],
  ['a required parameter of a query is missing', 400, 'missing_field', 'Missing required field: {field}'],
  ['a wallet cannot be parsed', 400, 'invalid_wallet', 'Invalid wallet address: {field} must be 0x and 40 hex digits'],
  ['size is a JSON number', 400, 'invalid_parameter', 'Invalid parameter: size must be a number as a string of at most 64 bytes'],
  ['price is a JSON number', 400, 'invalid_parameter', 'Invalid parameter: price must be a number as a string of at most 64 bytes'],
  ['a write to an unknown path', 400, 'unsupported_endpoint', 'Unsupported endpoint: {path}'],
  [
    'an internal fault', 500, 'internal_error', 'Internal error',
    doubled('shell/api/limits', 'an exception inside is a 500, and the venue runs on', 'a handler that throws: no request makes one'),
  ],
  ['the budget of a wallet is spent', 429, 'rate_limit_exceeded', 'Rate limit exceeded: {limit} per minute'],
]);

const AUTHENTICATION = section('Authentication failures', [
  ['no signer can be recovered', 400, 'signature_verification_failed', 'Signature verification failed: no signer can be recovered'],
  ['a signature with a high s', 400, 'signature_verification_failed', 'Signature verification failed: no signer can be recovered'],
  [
    'a signature of another length', 400, 'signature_verification_failed',
    'Signature verification failed: signature must be 0x and 130 hex digits',
  ],
  ['the signer is neither wallet nor agent', 401, 'unauthorized', 'Unauthorized: signer not authorized for wallet'],
  ['the agent was revoked', 401, 'unauthorized', 'Unauthorized: signer not authorized for wallet'],
  ['the nonce was used', 400, 'invalid_parameter', 'Nonce {nonce} already used'],
  ['the admin token is wrong', 401, 'unauthorized', 'The admin token is missing or wrong'],
  [
    'payouts of another wallet', 403, 'forbidden', 'A payout that is named belongs to another wallet',
    of('e2e/rest/payouts', 'a payout is marked as seen by its own wallet, once, and by no other'),
  ],
  [
    'the 21st new wallet of a source in an hour', 429, 'rate_limit_exceeded',
    'Rate limit exceeded: {limit} new wallets per hour and {network}',
    of('e2e/conformance/venues', 'bound: new wallets of a source, of a /56, of a /48 and of all'),
  ],
  ['a wallet in the body that did not sign', 403, 'forbidden', 'The wallet named is not the one that signed'],
  [
    'the price was signed in another notation', 400, 'signature_verification_failed',
    'Signature verification failed: it was made for {form}',
  ],
  [
    'the request was signed for another deployment', 400, 'signature_verification_failed',
    'Signature verification failed: it was made for {form}',
  ],
  ['a wallet in the query that did not sign', 403, 'forbidden', 'The wallet of the query is not the one that the request is for'],
]);

const VALIDATION = section('Handler validation errors', [
  [
    'price has more than 5 significant figures', 400, 'invalid_parameter',
    'Price validation failed: Price {price} has {n} significant figures, maximum allowed is 5',
  ],
  ['price has more than 6 decimals', 400, 'invalid_parameter', 'Price validation failed: Price {price} has more than 6 decimals'],
  ['price is above its bound', 400, 'invalid_parameter', 'Price must be at most 1000000000 USDC'],
  ['size is above its bound', 400, 'invalid_parameter', 'Size must be at most 1000000000 contracts'],
  ['price times size is above its bound', 400, 'invalid_parameter', 'Price times size must be at most 9000000000 USDC'],
  ['size is zero', 400, 'invalid_parameter', 'Size must be greater than 0'],
  ['size is negative', 400, 'invalid_parameter', 'Size must be greater than 0'],
  ['size is not a number', 400, 'invalid_parameter', 'Size must be greater than 0'],
  ['size truncates to zero', 400, 'invalid_parameter', 'Size must be greater than 0'],
  ['price is zero', 400, 'invalid_parameter', 'Price must be greater than 0'],
  ['price is negative', 400, 'invalid_parameter', 'Price must be greater than 0'],
  ['price is not a number', 400, 'invalid_parameter', 'Price must be greater than 0'],
  ['side is invalid', 400, 'invalid_parameter', 'Invalid parameter: side must be one of Buy, Sell'],
  ['tif is invalid', 400, 'invalid_parameter', 'Invalid parameter: tif must be one of gtc, ioc, fok'],
  ['symbol is not an option symbol', 400, 'invalid_parameter', 'Invalid option symbol: {symbol}'],
  ['client_id is too long', 400, 'invalid_parameter', 'Invalid parameter: client_id must be at most 64 bytes'],
  ['a perp order names another underlying', 400, 'invalid_parameter', 'Invalid parameter: underlying must be that of {symbol}'],
  ['reduce_only of an option without a route', 400, 'missing_field', 'Missing required field: route'],
  ['open-order cap exceeded', 400, 'limit_exceeded', 'Maximum open orders reached: {max}'],
  ['position cap exceeded', 400, 'limit_exceeded', 'Maximum positions reached: {max}'],
  ['notional cap exceeded', 400, 'limit_exceeded', 'Position limit reached: {max} USDC'],
  [
    'the client id of a perp order is invalid', 400, 'invalid_parameter',
    'Invalid parameter: client_id of a perp order must be empty or 0x and 32 hex digits',
  ],
  [
    'nonces are voided beyond the request\'s own', 400, 'invalid_parameter',
    'Invalid parameter: up_to must be at most the nonce, and the nonce below 2^63',
  ],
  ['a signed write has an unknown field', 400, 'invalid_parameter', 'Unknown field: {name}, did you mean {field}?'],
  ['an unlisted perp', 400, 'invalid_parameter', 'Invalid perp symbol: {symbol}'],
  ['the expiry of an agent lies in the past', 400, 'invalid_parameter', 'Invalid parameter: expires_at must lie in the future'],
  [
    'a limit of a protection is invalid', 400, 'invalid_parameter',
    'Invalid parameter: {field} must be a number of at most 1000000000, without a sign',
  ],
  ['an unknown underlying', 400, 'invalid_parameter', 'Unknown underlying: {underlying}'],
  ['blocking an unknown wallet', 404, 'not_found', 'Wallet not found: {wallet}'],
  [
    'open orders that do not fit the new margin mode', 400, 'invalid_parameter', 'Open orders do not fit the new margin mode',
  ],
  [
    'an invalid connection', 400, 'invalid_parameter', 'Invalid parameter: connection must be empty or 16 lower-case hex digits',
  ],
  ['an invalid username', 400, 'invalid_parameter', 'Invalid parameter: a username is 3 to 20 letters, digits or underscores'],
  ['a taken username', 409, 'conflict', 'Username is already taken: {username}'],
  ['a second change of username', 409, 'conflict', 'The username can be changed once a day (UTC)'],
  ['an invalid tier', 400, 'invalid_parameter', 'Invalid parameter: tier must be one of default, tier1, tier2, market_maker'],
  ['the margin mode is invalid', 400, 'invalid_parameter', 'Invalid parameter: margin_mode must be one of standard, portfolio'],
  ['the margin mode while positions are open', 400, 'invalid_parameter', 'The margin mode cannot be changed while positions are open'],
]);

const REJECTIONS = section('Engine rejection reasons', [
  ['an order on an expired instrument', 200, 'REJECTED', 'Instrument has expired'],
  ['cash is zero', 200, 'REJECTED', 'Account has no funds. Please deposit before trading.'],
  [
    'equity below the requirement', 200, 'REJECTED',
    'Insufficient margin: required={required}, available={available}, shortfall={shortfall}',
  ],
  ['no spot price', 200, 'REJECTED', 'Failed to get portfolio: No spot price available for underlying: {underlying}'],
  [
    'tier1 sells beyond its long position', 200, 'REJECTED',
    'Tier1 users cannot go short. Filled long position: {filled}, total sell orders (including new): {total} (symbol: {symbol})',
  ],
  ['no book for the symbol', 200, 'REJECTED', 'Invalid symbol: {symbol}'],
  ['the symbol of a replace does not match the format', 200, 'REJECTED', 'Failed to parse symbol: {detail}'],
  ['no order with that client id', 200, 'REJECTED', 'Order not found for cancellation: {client_id}'],
  ['an order id never issued', 200, 'REJECTED', 'Order not found for cancellation: {order_id}'],
  [
    'the wallet\'s own order, ended and forgotten', 200, 'REJECTED', 'Order {id} not found in orderbook {symbol}',
    doubled(
      'shell/api/orders', 'a cancel of an order that is not open is rejected, and says why',
      'a reader that has forgotten the order: this one forgets none',
    ),
  ],
  ['the wallet\'s own order in a deleted market', 200, 'REJECTED', 'Orderbook not found for symbol: {symbol}'],
  ['cancel after full fill', 200, 'REJECTED', 'Order {id} is already filled and cannot be cancelled'],
  ['repeated cancel', 200, 'REJECTED', 'Order {id} was already cancelled'],
  ['perp order without underlying', 200, 'REJECTED', 'Perp order missing underlying symbol'],
  ['limits breached while filling', 200, 'ACKED', 'MMP triggered during fill processing'],
  ['an order while frozen', 200, 'REJECTED', 'Order canceled by MMP trigger'],
  ['a client id that an open order has', 200, 'REJECTED', 'Duplicate client order id: {client_id}'],
  ['route rfq_only', 200, 'REJECTED', 'RFQ is not available'],
  ['reduce-only without an opposite position', 200, 'REJECTED', 'Reduce-only order would increase position'],
  ['a replace of an order that is gone', 200, 'REJECTED', 'Order {id} was already cancelled'],
  ['a 17th reduce-only order', 200, 'REJECTED', 'Too many reduce-only orders: 16 is the maximum per instrument'],
  ['an order in a cancel-only market', 200, 'REJECTED', 'Market is cancel-only'],
  ['an order in a halted market', 200, 'REJECTED', 'Market is halted'],
  ['an opening order of a wallet that may only close', 200, 'REJECTED', 'Wallet may only close'],
  ['an order of a blocked wallet', 200, 'REJECTED', 'Wallet is blocked'],
  [
    'a bid above the price band', 200, 'REJECTED', 'Price outside band: {min} to {max}',
    of('e2e/conformance/venues', 'error: a bid above the price band'),
  ],
  [
    'an opening order in liquidation', 200, 'REJECTED', 'Account is in liquidation: only closing orders are accepted',
    of('e2e/conformance/venues', 'error: an opening order in liquidation'),
  ],
  [
    'more pending approvals than there is room for', 200, 'FAILED', 'Too many pending approvals',
    doubled(
      'shell/api/accounts', 'a wallet has at most 64 agents, and pending approvals have a bound for all wallets',
      'a core with small tables: 100,000 approvals would have to wait',
    ),
  ],
  ['revoking an unknown agent', 200, 'FAILED', 'Agent not found'],
  ['approving an agent as before its revocation', 200, 'FAILED', 'Approval is void: the agent was revoked with a later nonce'],
  ['approving a 65th agent', 200, 'FAILED', 'Too many agents: 64 is the maximum'],
]);

const STANDS_STILL = 'a main thread that stands still when the test says so: no client can stop one';
const LATE_ITEMS = doubled(
  'shell/api/bulk/bulk', 'records of a bulk fit together or not at all; late items say so, and replay later', STANDS_STILL,
);
const MAIN_IS_FULL = doubled(
  'shell/api/limits', 'when main stalls, some requests wait, the rest are 503, late ones 500; all recovers', STANDS_STILL,
);

const BULK = section('Bulk per-item errors', [
  ['an item without a valid signer', 200, 'ITEM', 'Signature verification failed: no signer can be recovered'],
  ['an item of neither wallet nor agent', 200, 'ITEM', 'Unauthorized: signer not authorized for wallet'],
  [
    'an item with too many significant figures', 200, 'ITEM',
    'Price validation failed: Price {price} has {n} significant figures, maximum allowed is 5',
  ],
  ['an item of size zero', 200, 'ITEM', 'Size must be greater than 0'],
  ['an item of price zero', 200, 'ITEM', 'Price must be greater than 0'],
  ['an item that the engine rejects', 200, 'ITEM', 'Invalid symbol: {symbol}'],
  ['main is full for an item', 200, 'ITEM', 'Failed to send order to engine', LATE_ITEMS],
  ['an item is not durable in time', 200, 'ITEM', 'No response from engine', LATE_ITEMS],
  ['more than 50 orders', 400, 'invalid_parameter', 'Too many orders: {n}, maximum is 50'],
  ['more than 50 cancels', 400, 'invalid_parameter', 'Too many cancels: {n}, maximum is 50'],
  ['more than 50 cancels by client id', 400, 'invalid_parameter', 'Too many cancels: {n}, maximum is 50'],
  ['more than 50 replacements', 400, 'invalid_parameter', 'Too many replacements: {n}, maximum is 50'],
]);

const PATHS = section('Paths, methods, load', [
  ['a read of an unknown path', 404, 'not_found', 'Not found: {path}'],
  ['another method', 405, 'method_not_allowed', '{method} is not allowed for {path}'],
  ['the socket without an upgrade', 426, 'upgrade_required', '/ws is a WebSocket: no upgrade is asked for, or a proxy does not pass it on'],
  ['a body above 1 MiB', 413, 'payload_too_large', 'Request body is larger than 1048576 bytes'],
  [
    'main is full', 503, 'engine_busy', 'The engine has no room for more',
    MAIN_IS_FULL,
  ],
  [
    'the disk is low', 503, 'engine_busy', 'Disk space is low: orders are refused, cancels are not',
    doubled(
      'shell/process/flow/durable', 'on a low disk orders are refused and cancels work; a full disk stops the venue',
      'the state of the disk, told to a venue: a test fills no disk',
    ),
  ],
  [
    'no room for another protection', 503, 'engine_busy', 'The engine has no room for more market-maker protections',
    doubled(
      'core/mmp/mmp', 'when the table is full, a configuration can be updated and no new one is accepted',
      'a core with small tables: 65,536 protections fill one',
    ),
  ],
  [
    'no room for another competition', 503, 'engine_busy', 'The engine has no room for more competitions',
    of('e2e/conformance/venues', 'error: no room for another competition'),
  ],
  [
    'not durable in time', 500, 'internal_error', 'No answer in time; a signed request may be sent again with the same nonce',
    MAIN_IS_FULL,
  ],
  [
    'a read without an answer in time', 503, 'engine_busy', 'No answer in time: reads are behind, ask again later',
    doubled(
      'shell/api/limits', 'when the reader stalls, a read is 503 after its time, and its late answer is dropped',
      'a reader that stands still when the test says so: no client can stop one',
    ),
  ],
  [
    'not ready', 503, 'not_ready', 'The venue recovers',
    of('shell/process/start', 'during recovery /health is 200, /ready 503 with progress and all else not_ready; then it is ready'),
  ],
]);

const GAS = doubled(
  'e2e/rest/gas', 'a venue with a node answers for its chain only, in wei, and reports when the node fails',
  'the node of a chain, played by the test: there is none here, and it has to fail on demand',
);

const READS = section('Reads', [
  ['/orderbook without id and name', 400, 'missing_field', 'One of instrument_id and instrument_name is required'],
  ['/orderbook of an unknown instrument', 404, 'not_found', 'Instrument not found: {name}'],
  ['a limit below zero', 400, 'invalid_parameter', 'Invalid parameter: limit must be an integer from 0'],
  ['a limit that is not a number', 400, 'invalid_parameter', 'Invalid parameter: limit must be an integer from 0'],
  [
    'an expiry that is not a date', 400, 'invalid_parameter',
    'Invalid expiry format: {expiry}, expected an ISO date such as 2026-01-30, or 30JAN26',
  ],
  [
    'simulated orders that are not a list', 400, 'invalid_parameter',
    'Invalid parameter: simulated_orders must be a list of 0 to 100 items',
  ],
  ['greeks of an unknown instrument', 404, 'not_found', 'Instrument not found: {name}'],
  ['limit_iv of an unknown instrument', 400, 'invalid_parameter', 'Invalid option symbol: {symbol}'],
  ['an unknown competition', 404, 'not_found', 'Competition not found: {id}'],
  ['more than 60 risk simulations', 429, 'rate_limit_exceeded', 'Rate limit exceeded: 60 per minute'],
  ['candles that end before they start', 400, 'invalid_parameter', 'Invalid parameter: start_time_ms must lie before end_time_ms'],
  [
    'candles of an instrument', 400, 'invalid_parameter',
    'Invalid parameter: instrument_name is no longer supported, use /historical-theos',
  ],
  ['theoretical prices of an unknown instrument', 404, 'not_found', 'Instrument not found: {name}'],
  ['a chain that is not configured', 404, 'not_found', 'No gas provider is configured'],
  [
    'candles of a source that fails', 502, 'upstream_failure', 'Candle source failed: {why}',
    doubled(
      'e2e/rest/candles', 'a venue hands on candles, and every failure of their source is 502 with the usual body',
      'the venue that candles come from, played by the test: it has to fail on demand',
    ),
  ],
  ['another chain than the configured one', 404, 'not_found', 'Unsupported chain id: {id}', GAS],
  ['fees of a node that fails', 500, 'internal_error', 'Fee estimation failed: {why}', GAS],
  [
    'margin of an underlying without an index price', 503, 'margin_unavailable', 'No index price for underlying {underlying} yet',
    of('e2e/rest/markets', 'an underlying without an index price has neither greeks nor margin'),
  ],
  ['/username without a wallet or name', 400, 'missing_field', 'One of wallet and username is required'],
  ['/username of an unknown name', 404, 'not_found', 'No username found'],
  ['a market that exists', 409, 'conflict', 'Market exists already: {symbol}'],
  ['deleting a market with open interest', 409, 'conflict', 'Market has open interest: {symbol}'],
  ['deleting an unknown market', 404, 'not_found', 'Market not found: {symbol}'],
  [
    'a market that has expired', 400, 'invalid_parameter',
    'Invalid parameter: a market is an option that expires in the future, within 3660 days',
  ],
  [
    'a market that expires in more than 3,660 days', 400, 'invalid_parameter',
    'Invalid parameter: a market is an option that expires in the future, within 3660 days',
  ],
  [
    'a competition with invalid terms', 400, 'invalid_parameter',
    'Invalid parameter: a competition ends in the future, after its start, and its primary win condition is one of its win conditions',
  ],
  [
    'a surface out of range', 400, 'invalid_parameter',
    'Invalid parameter: atm_vol must be 0.01 to 5, skew -5 to 5 and curvature -25 to 25',
  ],
  ['a surface of an unlisted expiry', 400, 'invalid_parameter', 'No expiry of {underlying} on {date} is listed'],
  ['a settlement price that no expiry waits for', 409, 'conflict', 'No expiry of {underlying} on {date} waits for a settlement price'],
]);

export const ERRORS: readonly ErrorRow[] = [
  ...MIDDLEWARE, ...AUTHENTICATION, ...VALIDATION, ...REJECTIONS, ...BULK, ...PATHS, ...READS,
];
