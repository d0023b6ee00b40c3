// The units of the core. Every quantity is an integer held in a double, so it is exact up to 2^53 - 1 = 9,007,199,254,740,991. Never a
// float of dollars here. A name says what it counts:
//   money     micros, 1e-6 USDC, signed
//   price     1e-6 USDC for one unit of the underlying, 1 .. 1e15
//   size      1e-6 contracts, 1 .. 1e15; a position is a signed size
//   time      milliseconds since the epoch, UTC, given by the sequencer

/** Micros in one USDC, and price units in one USDC. */
export const USDC = 1_000_000;
/** Size units in one contract. */
export const CONTRACT = 1_000_000;

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;
/** Milliseconds in the year of the pricing formulas: 365 days. */
export const YEAR = 365 * DAY;

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
