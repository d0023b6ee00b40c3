// For grids by strike: the strike that is nearest to the index, which they mark and show first.

/** The strike nearest to the index; null while either is unknown. */
export function nearestStrike(strikes: readonly number[], index: string | undefined): number | null {
  if (index === undefined || strikes.length === 0) return null;
  const at = Number(index);
  return strikes.reduce((best, strike) => (Math.abs(strike - at) < Math.abs(best - at) ? strike : best));
}
