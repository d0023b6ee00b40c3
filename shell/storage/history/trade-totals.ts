// What an instrument traded within a span, made of its trades in their order. The turnover is a float, so the order of its sum
// counts: the live statistics and the history add up here, and agree to the last digit. Prices and sizes in 1e-6.

/** Volume in 1e-6 contracts; turnover in USDC (a float, for show). Without a trade the prices say nothing. */
export type TradeTotals = { volume: number; turnover: number; high: number; low: number; first: number };

export function emptyTradeTotals(): TradeTotals {
  return { volume: 0, turnover: 0, high: 0, low: Infinity, first: 0 };
}

/** The next trade. */
export function addTrade(traded: TradeTotals, price: number, size: number): void {
  if (traded.volume === 0) traded.first = price;
  traded.volume += size;
  traded.turnover += (price / 1e6) * (size / 1e6);
  traded.high = Math.max(traded.high, price);
  traded.low = Math.min(traded.low, price);
}
