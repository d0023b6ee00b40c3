// The units of the core, as branded numbers: what is money, what is size, what is time.
// Every quantity is an integer held in a double, so it is exact up to 2^53 - 1 = 9,007,199,254,740,991.
// A brand costs nothing at run time; it only keeps a price from being posted as cash. Never a float of dollars here.

declare const unit: unique symbol;

/** Money: 1e-6 USDC, signed. */
export type Micros = number & { readonly [unit]?: 'micros' };
/** Price: 1e-6 USDC per one unit of the underlying, 1 .. 1e15. */
export type Price = number & { readonly [unit]?: 'price' };
/** Size: 1e-6 contracts, 1 .. 1e15 (a position is a signed size). */
export type Size = number & { readonly [unit]?: 'size' };
/** Time: milliseconds since the epoch, UTC, given by the sequencer. */
export type Millis = number & { readonly [unit]?: 'millis' };

/** Micros in one USDC, and price units in one USDC. */
export const USDC = 1_000_000;
/** Size units in one contract. */
export const CONTRACT = 1_000_000;

export const SECOND: Millis = 1_000;
export const MINUTE: Millis = 60_000;
export const HOUR: Millis = 3_600_000;
export const DAY: Millis = 86_400_000;
/** Milliseconds in the year of the pricing formulas: 365 days. */
export const YEAR: Millis = 365 * DAY;

/** Order sides as they stand in records, state and events. */
export const BUY = 0;
export const SELL = 1;
/** Time in force as it stands in records, state and events. */
export const GTC = 0;
export const IOC = 1;
export const FOK = 2;
/** What competitions are won by, by its number in records and state; the set of them has a bit for each. */
export const WIN_CONDITIONS = ['pnl', 'volume', 'efficiency'] as const;
export type WinCondition = (typeof WIN_CONDITIONS)[number];
