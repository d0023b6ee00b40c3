// Trade totals of an instrument over a span. Turnover is a float, so live statistics and the history must add trades in
// the same order. Prices and sizes in 1e-6.

/** With volume 0 the prices mean nothing. */
export type TradeTotals = { volume: number; turnover: number; high: number; low: number; first: number };

export function emptyTradeTotals(): TradeTotals {
  return { volume: 0, turnover: 0, high: 0, low: Infinity, first: 0 };
}

export function addTrade(totals: TradeTotals, price: number, size: number): void {
  if (totals.volume === 0) totals.first = price;
  totals.volume += size;
  totals.turnover += (price / 1e6) * (size / 1e6);
  totals.high = Math.max(totals.high, price);
  totals.low = Math.min(totals.low, price);
}
