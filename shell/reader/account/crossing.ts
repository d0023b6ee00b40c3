// Where the least of some curves changes its sign, nearest to now. A curve is given as the sum of a convex and a concave function of
// the index, which is what positions are: an option's value is convex in the index, so the long ones are one part and the short ones
// the other. That makes steps that prove something. Between two points the concave part lies above its chord, and the convex part
// above the chords of the steps before and behind, drawn on (R. Horst, N. Thoai, "DC programming: overview", J. Optimization Theory
// and Applications 103 (1999) 1-43): if what these lines leave stays above zero, so does the curve, however the step was chosen. If
// not, the step is halved. So steps are as long as the curve is far from zero, and no strike or scenario has to be known here.
//
// What is found is the first change of sign on the way out, unless the curve goes to the other side and comes back within less than
// NARROW of the index. Where a portfolio hugs zero so long that MOST_POINTS are spent, the steps that are left are judged by their
// ends. Nothing is found from where a curve is no number. Distances are differences of the logarithm of the index; ratios are of the
// index to the one of now.

/** A curve at one index. */
type Parts = { readonly convex: number; readonly concave: number };
export type Curve = (ratio: number) => Parts;

/** The first step of a walk, 1.6 %; each further one is twice as long unless it is halved. All powers of two: points meet again. */
const FIRST = 2 ** -6;
/** A step that proves nothing is not halved below this, 0.0001 %, while both its ends are on the good side. */
const NARROW = 2 ** -20;
/** That in which the sign changes is halved down to this. */
const FINEST = 2 ** -36;
const MOST_POINTS = 4_000;
/** A curve that is so little below zero, 1e-6 USDC, is at zero. */
const NOTHING = 1e-6;

type Walk = { readonly direction: 1 | -1; readonly end: number; readonly budget: { points: number } };
type Point = Parts & { readonly distance: number; readonly ratio: number; readonly value: number };

/**
 * The ratio nearest to 1 at which the least of the curves is zero, on its way down if it is above zero at 1, on its way up if it is
 * below; null if there is none from `lowest` to `highest`, ratios below and above 1.
 */
export function nearestCrossing(curves: readonly Curve[], lowest: number, highest: number): number | null {
  const now = curves.map((curve) => ({ curve, value: valueOf(curve(1)) })).sort((a, b) => a.value - b.value);
  const least = now[0]!.value;
  if (least === 0) return 1;
  const budget = { points: MOST_POINTS };
  // The lowest curve first: what it finds is as far as any other has to be looked at.
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

/** The distance at which all curves are above zero, walking out from where one is not: along the one that is lowest, then the next. */
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

/** The distance at which a curve that is above zero at the distance `from` first is not; Infinity for none up to the end. */
function firstFall(curve: Curve, from: number, { direction, end, budget }: Walk): number {
  const pointAt = (distance: number): Point => {
    budget.points--;
    const ratio = Math.exp(direction * distance);
    const { convex, concave } = curve(ratio);
    return { distance, ratio, convex, concave, value: convex + concave };
  };
  let before = pointAt(from - FIRST);
  let here = pointAt(from);
  /** The nearest is the last. */
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

/** Whether a curve above zero at `here` provably is so up to `next`. */
function staysAbove(before: Point, here: Point, next: Point, beyond: Point): boolean {
  if (!(next.value > 0)) return false;
  const width = next.ratio - here.ratio;
  const from = (here.convex - before.convex) / (here.ratio - before.ratio);
  const to = (beyond.convex - next.convex) / (beyond.ratio - next.ratio);
  if (from === to) return true;
  // Where the two chords drawn on meet, as a share of the step: there the bound is lowest.
  const share = Math.max(0, Math.min(1, (next.convex - here.convex - to * width) / ((from - to) * width)));
  return here.value + share * (from * width + next.concave - here.concave) > 0;
}

function valueOf({ convex, concave }: Parts): number {
  return convex + concave;
}

function negated({ convex, concave }: Parts): Parts {
  return { convex: -concave, concave: -convex };
}
