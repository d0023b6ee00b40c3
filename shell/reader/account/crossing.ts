// Finds the zero crossing nearest to now of the least of several curves over the index. Each curve is a convex plus a concave function. A
// step is proved if the chord of the concave part plus the prolonged chords of the convex part stay positive; otherwise it is halved (R.
// Horst, N. Thoai, "DC programming: overview", J. Optimization Theory and Applications 103 (1999) 1-43). Two crossings within NARROW can
// be missed; after MOST_POINTS, steps are judged by their ends. Distances are in the index's logarithm.

type Parts = { readonly convex: number; readonly concave: number };
export type Curve = (ratio: number) => Parts;

/** 1.6 %; each further step is twice as long. Powers of two, so points are reused. */
const FIRST = 2 ** -6;
/** An unproved step with positive ends is not halved below this, 0.0001 %. */
const NARROW = 2 ** -20;
/** A step with a change of sign is halved down to this. */
const FINEST = 2 ** -36;
const MOST_POINTS = 4_000;
/** USDC. */
const NOTHING = 1e-6;

type Walk = { readonly direction: 1 | -1; readonly end: number; readonly budget: { points: number } };
type Point = Parts & { readonly distance: number; readonly ratio: number; readonly value: number };

/** The ratio nearest to 1; null if there is no crossing from `lowest` (below 1) to `highest` (above 1). */
export function nearestCrossing(curves: readonly Curve[], lowest: number, highest: number): number | null {
  const now = curves.map((curve) => ({ curve, value: valueOf(curve(1)) })).sort((a, b) => a.value - b.value);
  const least = now[0]!.value;
  if (least === 0) return 1;
  const budget = { points: MOST_POINTS };
  // The lowest curve first: its crossing bounds the search of the others.
  const walks = least > 0
    ? now.map(({ curve }) => (walk: Walk) => firstFall(curve, 0, walk)) : [(walk: Walk) => firstRise(curves, walk)];
  let nearest = Infinity;
  let ratio: number | null = null;
  for (const find of walks) {
    for (const [direction, bound] of [[1, highest], [-1, lowest]] as const) {
      const end = Math.min(nearest, Math.abs(Math.log(bound)));
      const found = find({ direction, end, budget });
      if (found > end) continue;
      nearest = found;
      ratio = Math.exp(direction * found);
    }
  }
  return ratio;
}

function firstRise(curves: readonly Curve[], walk: Walk): number {
  let at = 0;
  while (at < walk.end) {
    const ratio = Math.exp(walk.direction * at);
    const values = curves.map((curve) => valueOf(curve(ratio)));
    const least = Math.min(...values);
    if (least >= -NOTHING) return at;
    const lowest = curves[values.indexOf(least)];
    if (lowest === undefined) break;
    at = firstFall((where) => negated(lowest(where)), at, walk);
  }
  return Infinity;
}

function firstFall(curve: Curve, from: number, { direction, end, budget }: Walk): number {
  const pointAt = (distance: number): Point => {
    budget.points--;
    const ratio = Math.exp(direction * distance);
    const { convex, concave } = curve(ratio);
    return { distance, ratio, convex, concave, value: convex + concave };
  };
  let before = pointAt(from - FIRST);
  let here = pointAt(from);
  const ahead = [pointAt(from + FIRST)];
  while (here.distance < end) {
    if (ahead.length < 2) ahead.unshift(pointAt(2 * ahead[0]!.distance - from + FIRST));
    const next = ahead.at(-1)!;
    const width = next.distance - here.distance;
    if (Number.isNaN(next.value)) break;
    const isEnough = next.value > 0 ? width <= NARROW || budget.points <= 0 : width <= FINEST;
    if (isEnough && !(next.value > 0)) return next.distance;
    if (isEnough || staysAbove(before, here, next, ahead.at(-2)!)) {
      before = here;
      here = next;
      ahead.pop();
    } else ahead.push(pointAt(end < next.distance ? end : here.distance + width / 2));
  }
  return Infinity;
}

/** A curve positive at `here` is proved positive up to `next`. */
function staysAbove(before: Point, here: Point, next: Point, beyond: Point): boolean {
  if (!(next.value > 0)) return false;
  const width = next.ratio - here.ratio;
  const from = (here.convex - before.convex) / (here.ratio - before.ratio);
  const to = (beyond.convex - next.convex) / (beyond.ratio - next.ratio);
  if (from === to) return true;
  // Where the prolonged chords meet, as a share of the step; the bound is lowest there.
  const share = Math.max(0, Math.min(1, (next.convex - here.convex - to * width) / ((from - to) * width)));
  return here.value + share * (from * width + next.concave - here.concave) > 0;
}

function valueOf({ convex, concave }: Parts): number {
  return convex + concave;
}

function negated({ convex, concave }: Parts): Parts {
  return { convex: -concave, concave: -convex };
}
