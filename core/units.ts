// Units of the core. Every quantity is an integer in a double, exact up to 2^53 - 1 = 9,007,199,254,740,991. Never a float of dollars.
//   money     micros, 1e-6 USDC, signed
//   price     1e-6 USDC for one unit of the underlying, 1 .. 1e15
//   size      1e-6 contracts, 1 .. 1e15; a position is signed
//   time      milliseconds since the epoch, UTC, from the sequencer

/** One USDC in micros or price units. */
export const USDC = 1_000_000;
/** Size units. */
export const CONTRACT = 1_000_000;

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;
/** The year of the pricing formulas. */
export const YEAR = 365 * DAY;

export const BUY = 0;
export const SELL = 1;
/** Time in force. */
export const GTC = 0;
export const IOC = 1;
export const FOK = 2;
/** The numbers of these are stored; a set has one bit each. */
export const WIN_CONDITIONS = ['pnl', 'volume', 'efficiency'] as const;
export type WinCondition = (typeof WIN_CONDITIONS)[number];
