// The part of the time that is shown: some bars, up to the newest or a chosen time.

const STANDARD_BARS = 120;
const LEAST_BARS = 10;
/** Of a series that has just begun. */
const LEAST_AT_FIRST = 24;
const MOST_BARS = 1_000;
/** Bars left free behind the newest one. */
const FREE_BARS = 4;

/** `end`: seconds; null: follows the newest bar. */
export type View = { readonly bars: number; readonly end: number | null };
export const STANDARD_VIEW: View = { bars: STANDARD_BARS, end: null };

/** Until the user chooses how much to see, a series that began lately fills the width. `held`: bars from its first to its newest. */
export function fitted(view: View, held: number): View {
  return view === STANDARD_VIEW ? { ...view, bars: Math.min(view.bars, Math.max(LEAST_AT_FIRST, held + FREE_BARS)) } : view;
}

/** Seconds. `newest`: start of the newest bar. */
export function rangeOf({ bars, end }: View, newest: number, interval: number): readonly [number, number] {
  const to = end ?? newest + FREE_BARS * interval;
  return [to - bars * interval, to];
}

/** Earlier if `bars` is negative. At the newest bar it follows again. */
export function moved(view: View, bars: number, newest: number, interval: number): View {
  const last = newest + FREE_BARS * interval;
  const end = rangeOf(view, newest, interval)[1] + bars * interval;
  return { ...view, end: end >= last ? null : end };
}

type Zoom = { readonly factor: number; readonly share: number; readonly newest: number; readonly interval: number };

/** Keeps the time at `share` of the width, 0 to 1. */
export function zoomed(view: View, { factor, share, newest, interval }: Zoom): View {
  const bars = Math.min(MOST_BARS, Math.max(LEAST_BARS, view.bars * factor));
  if (view.end === null) return { bars, end: null };
  return moved({ bars, end: view.end }, (bars - view.bars) * (1 - share), newest, interval);
}
