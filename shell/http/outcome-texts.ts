// The text of each outcome code of core/errors, and how it is sent: as an HTTP error, as a rejection in a 200
// (`rejected`), or as `success: false` in a 200 (`failed`). Sources: interface.md "Errors", decisions 1.6, 2.3, 3.4,
// 3.5, 3.9, 3.13, 4.4, 5.4.

import { DECIMALS, formatDecimal } from '../../core/codec/decimal.ts';
import * as codes from '../../core/errors.ts';
import { AGENTS_PER_WALLET, MOST_DAYS_AHEAD, QUOTE_VALID_TIME, REDUCE_ONLY_PER_HOLDING } from '../../core/limits.ts';
import { mulDivHalfUp } from '../../core/math/exact.ts';
import { MOST_CLOCK_STEP_DAYS } from './limits.ts';
import type { ErrorCode } from './shapes/error-codes.ts';
import { rateLimitText } from './rate-headers.ts';

type Way = ErrorCode | 'rejected' | 'failed';

export type Facts = { readonly [name: string]: string };

type Row = readonly [code: number, way: Way, text: string];

const ROWS: readonly Row[] = [
  [codes.INVALID_SIDE, 'invalid_parameter', 'Invalid parameter: side must be one of Buy, Sell'],
  [codes.INVALID_TIF, 'invalid_parameter', 'Invalid parameter: tif must be one of gtc, ioc, fok'],
  [codes.SIZE_NOT_POSITIVE, 'invalid_parameter', 'Size must be greater than 0'],
  [codes.SIZE_TOO_LARGE, 'invalid_parameter', 'Size must be at most 1000000000 contracts'],
  [codes.PRICE_NOT_POSITIVE, 'invalid_parameter', 'Price must be greater than 0'],
  [
    codes.PRICE_FIGURES, 'invalid_parameter',
    'Price validation failed: Price {price} has {figures} significant figures, maximum allowed is 5',
  ],
  [codes.PRICE_DECIMALS, 'invalid_parameter', 'Price validation failed: Price {price} has more than 6 decimals'],
  [codes.PRICE_TOO_HIGH, 'invalid_parameter', 'Price must be at most 1000000000 USDC'],
  [codes.AMOUNT_TOO_LARGE, 'invalid_parameter', 'Price times size must be at most 9000000000 USDC'],
  [codes.SYMBOL_FORMAT, 'invalid_parameter', 'Invalid option symbol: {symbol}'],
  [codes.CLIENT_ID_TOO_LONG, 'invalid_parameter', 'Invalid parameter: client_id must be at most 64 bytes'],
  [codes.INVALID_TIER, 'invalid_parameter', 'Invalid parameter: tier must be one of default, tier1, tier2, market_maker'],
  [codes.INVALID_PRICE, 'invalid_parameter', 'Price must be greater than 0'],
  [codes.EXPIRY_IN_THE_PAST, 'invalid_parameter', 'Invalid parameter: expires_at must lie in the future'],
  [codes.INVALID_MODE, 'invalid_parameter', 'Invalid parameter: margin_mode must be one of standard, portfolio'],
  [codes.INVALID_MMP, 'invalid_parameter', 'Invalid parameter: {limit_name} must be a number of at most 1000000000, without a sign'],
  [codes.UNDERLYING_DIFFERS, 'invalid_parameter', 'Invalid parameter: underlying must be that of {symbol}'],
  [
    codes.CLIENT_ID_FORMAT, 'invalid_parameter',
    'Invalid parameter: client_id of a perp order must be empty or 0x and 32 hex digits',
  ],
  [codes.INVALID_USERNAME, 'invalid_parameter', 'Invalid parameter: a username is 3 to 20 letters, digits or underscores'],
  [
    codes.INVALID_COMPETITION, 'invalid_parameter',
    'Invalid parameter: a competition ends in the future, after its start, and its primary win condition is one of its win conditions',
  ],
  [codes.INVALID_CONNECTION, 'invalid_parameter', 'Invalid parameter: connection must be empty or 16 lower-case hex digits'],
  [codes.INVALID_UP_TO, 'invalid_parameter', 'Invalid parameter: up_to must be at most the nonce, and the nonce below 2^63'],
  [
    codes.INVALID_MARKET, 'invalid_parameter',
    `Invalid parameter: a market is an option that expires in the future, within ${MOST_DAYS_AHEAD} days`,
  ],

  [codes.POST_ONLY_NEEDS_GTC, 'invalid_parameter', 'Invalid parameter: post_only needs tif gtc'],
  [
    codes.INVALID_TRIGGER_PRICE, 'invalid_parameter',
    'Invalid parameter: trigger.price must be a price above 0 of at most 5 significant figures and 6 decimals, at most 1000000000 USDC',
  ],

  [codes.INVALID_VALID_UNTIL, 'invalid_parameter', `Invalid parameter: valid_until must be at most ${QUOTE_VALID_TIME / 1_000} s ahead`],

  [codes.UNAUTHORIZED, 'unauthorized', 'Unauthorized: signer not authorized for wallet'],
  [codes.NONCE_USED, 'invalid_parameter', 'Nonce {nonce} already used'],
  [codes.RATE_LIMITED, 'rate_limit_exceeded', rateLimitText('{limit}')],
  [codes.ENGINE_BUSY, 'engine_busy', 'The engine has no room for more'],
  [
    codes.NEW_WALLET_LIMIT, 'rate_limit_exceeded',
    rateLimitText('{limit}', 'new wallets per hour and {network}'),
  ],
  [codes.DISK_LOW, 'engine_busy', 'Disk space is low: orders are refused, cancels are not'],

  [codes.MAX_OPEN_ORDERS, 'limit_exceeded', 'Maximum open orders reached: {max_open_orders}'],
  [codes.MAX_POSITIONS, 'limit_exceeded', 'Maximum positions reached: {max_positions}'],
  [codes.POSITION_LIMIT, 'limit_exceeded', 'Position limit reached: {max_position} USDC'],

  [codes.EXPIRED, 'rejected', 'Instrument has expired'],
  [codes.NOT_LISTED, 'rejected', 'Invalid symbol: {symbol}'],
  [codes.DUPLICATE_CLIENT_ID, 'rejected', 'Duplicate client order id: {client_id}'],
  [codes.NO_FUNDS, 'rejected', 'Account has no funds. Please deposit before trading.'],
  [
    codes.TIER1_SHORT, 'rejected',
    'Tier1 users cannot go short. Filled long position: {filled}, total sell orders (including new): {total} (symbol: {symbol})',
  ],
  [codes.NO_SPOT_PRICE, 'rejected', 'Failed to get portfolio: No spot price available for underlying: {underlying}'],
  [
    codes.INSUFFICIENT_MARGIN, 'rejected',
    'Insufficient margin: required={required}, available={available}, shortfall={shortfall}',
  ],
  [codes.RFQ_NOT_AVAILABLE, 'rejected', 'RFQ is not available'],
  [codes.REDUCE_ONLY_INCREASES, 'rejected', 'Reduce-only order would increase position'],
  [
    codes.TOO_MANY_REDUCE_ONLY, 'rejected',
    `Too many reduce-only orders: ${REDUCE_ONLY_PER_HOLDING} is the maximum per instrument`,
  ],
  [codes.MMP_FROZEN, 'rejected', 'Order canceled by MMP trigger'],
  [codes.IN_LIQUIDATION, 'rejected', 'Account is in liquidation: only closing orders are accepted'],
  [codes.MARKET_CANCEL_ONLY, 'rejected', 'Market is cancel-only'],
  [codes.MARKET_HALTED, 'rejected', 'Market is halted'],
  [codes.WALLET_CLOSE_ONLY, 'rejected', 'Wallet may only close'],
  [codes.WALLET_BLOCKED, 'rejected', 'Wallet is blocked'],
  [codes.OUTSIDE_BAND, 'rejected', 'Price outside band: {min} to {max}'],
  [codes.PERP_WITHOUT_UNDERLYING, 'rejected', 'Perp order missing underlying symbol'],
  [codes.ORDER_OF_QUOTE_SET, 'rejected', 'Order belongs to a quote set'],
  [codes.NEWER_QUOTES, 'rejected', 'Newer quotes are in force'],
  [codes.NO_QUOTE_TO_RESIZE, 'rejected', 'No quote is open whose price could be kept'],
  [codes.TOO_LATE, 'rejected', 'Request came too late'],
  [codes.ORDER_EXPIRED, 'rejected', 'Order expired'],
  [codes.TOO_MANY_LINKED, 'rejected', 'Too many linked orders'],
  [codes.WOULD_TAKE, 'rejected', 'Post-only order would take liquidity'],
  [codes.TOO_MANY_TRIGGERS, 'rejected', 'Too many trigger orders'],
  [codes.NO_TRIGGER, 'rejected', 'Order does not wait for a trigger'],

  [codes.NO_ENTRY, 'rejected', 'The entry order of the group was not placed'],
  [codes.INVALID_LEVERAGE, 'rejected', 'Invalid leverage value: {max_leverage} is the most that margin allows'],
  [codes.INVALID_SCHEDULE, 'rejected', 'A cancel is scheduled 5 s to 24 h ahead'],

  [codes.ORDER_NOT_FOUND, 'rejected', 'Order not found for cancellation: {order}'],
  [codes.NO_ORDERBOOK, 'rejected', 'Orderbook not found for symbol: {symbol}'],
  [codes.AGENT_NOT_FOUND, 'failed', 'Agent not found'],
  [codes.TOO_MANY_PENDING, 'failed', 'Too many pending approvals'],
  [codes.TOO_MANY_AGENTS, 'failed', `Too many agents: ${AGENTS_PER_WALLET} is the maximum`],
  [codes.APPROVAL_VOID, 'failed', 'Approval is void: the agent was revoked with a later nonce'],
  [codes.UNKNOWN_WALLET, 'not_found', 'Wallet not found: {wallet}'],
  [codes.UNKNOWN_UNDERLYING, 'invalid_parameter', 'Unknown underlying: {underlying}'],
  [codes.POSITIONS_OPEN, 'invalid_parameter', 'The margin mode cannot be changed while positions are open'],
  [codes.ORDERS_DO_NOT_FIT, 'invalid_parameter', 'Open orders do not fit the new margin mode'],
  [codes.TOO_MANY_MMP_CONFIGS, 'engine_busy', 'The engine has no room for more market-maker protections'],
  [codes.EXPIRY_NOT_LISTED, 'invalid_parameter', 'No expiry of {underlying} on {date} is listed'],
  [
    codes.INVALID_SURFACE, 'invalid_parameter',
    'Invalid parameter: atm_vol must be 0.01 to 5, skew -5 to 5 and curvature -25 to 25',
  ],
  [codes.NOT_PENDING_PRICE, 'conflict', 'No expiry of {underlying} on {date} waits for a settlement price'],
  [codes.USERNAME_TAKEN, 'conflict', 'Username is already taken: {username}'],
  [codes.USERNAME_CHANGED_TODAY, 'conflict', 'The username can be changed once a day (UTC)'],
  [codes.NOT_OWN_PAYOUT, 'forbidden', 'A payout that is named belongs to another wallet'],
  [codes.TOO_MANY_COMPETITIONS, 'engine_busy', 'The engine has no room for more competitions'],
  [codes.MARKET_EXISTS, 'conflict', 'Market exists already: {symbol}'],
  [codes.MARKET_NOT_LISTED, 'not_found', 'Market not found: {symbol}'],
  [codes.OPEN_INTEREST, 'conflict', 'Market has open interest: {symbol}'],
  [codes.DEBIT_TOO_LARGE, 'conflict', 'The wallet has less than {amount} free: collateral less requirements'],
  [codes.BALANCE_TOO_LARGE, 'conflict', 'The balance would leave -9000000000 to 9000000000 USDC'],
  [codes.CLOCK_BEHIND, 'conflict', 'The clock is past that time and never goes back'],
  [codes.CLOCK_TOO_FAR, 'invalid_parameter', `Invalid parameter: a step of the clock is at most ${MOST_CLOCK_STEP_DAYS} days`],
  [codes.CLOCK_MOVING, 'engine_busy', 'The clock is on its way: ask again with the same to_ms'],
];

export const CODE_TEXTS = ROWS.map(([code, way, text]) => ({ code, way, text }));

const BY_CODE = new Map(CODE_TEXTS.map((row) => [row.code, row]));

export function hasOutcomeText(code: number): boolean {
  return BY_CODE.has(code);
}

export function outcomeText(code: number, facts: Facts): { readonly way: Way; readonly text: string } {
  const row = BY_CODE.get(code);
  if (row === undefined) throw new RangeError(`no text for outcome ${code}`);
  return { way: row.way, text: row.text.replace(/\{(\w+)\}/g, (_, name: string) => facts[name] ?? '') };
}

export function parseFailureText(detail: string): string {
  return `Failed to parse symbol: ${detail}`;
}

export const ENDED_TEXTS = {
  filled: (id: number | string): string => `Order ${id} is already filled and cannot be cancelled`,
  cancelled: (id: number | string): string => `Order ${id} was already cancelled`,
  forgotten: (id: number | string, symbol: string): string => `Order ${id} not found in orderbook ${symbol}`,
};

export function numberFacts(numbers: readonly number[]): Facts {
  const [first = 0, second = 0, third = 0] = numbers;
  return {
    required: money(first), available: money(second), shortfall: money(third),
    min: formatDecimal(first, DECIMALS), max: formatDecimal(second, DECIMALS),
    filled: formatDecimal(first, DECIMALS), total: formatDecimal(second, DECIMALS),
  };
}

/** Halves rounded away from zero; never "-0.00". */
function money(micros: number): string {
  const cents = mulDivHalfUp(Math.abs(micros), 1, 10_000);
  const sign = micros < 0 && cents > 0 ? '-' : '';
  return `${sign}${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
