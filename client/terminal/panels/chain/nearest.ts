// For grids by strike: the strike that is nearest to the index, and its row in the middle of the scrolling frame, with no row cut in half
// below the head.

/** Null while nothing is known. */
export function nearestStrike(strikes: readonly number[], index: string | undefined): number | null {
  if (index === undefined || strikes.length === 0) return null;
  const at = Number(index);
  return strikes.reduce((best, strike) => (Math.abs(strike - at) < Math.abs(best - at) ? strike : best));
}

export function showNearest(frame: HTMLElement | null): void {
  const row = frame?.querySelector<HTMLElement>('tr.nearest');
  if (frame === null || row === null || row === undefined) return;
  const { height } = row.getBoundingClientRect();
  frame.scrollTop = Math.round((row.offsetTop - (frame.clientHeight - height) / 2) / height) * height;
}
