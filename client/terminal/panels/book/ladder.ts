// The rows of a ladder: a grid of prices around the middle, a step of prices each. A bid belongs to the row at or below its price, an ask
// to the one at or above. Millionths, in which all are whole.

import type { Level } from '../../../src/main.ts';

/** `share`: of the largest sum shown, 0 to 1. Empty texts: nothing. */
type LadderSide = {
  readonly size: string; readonly own: string; readonly sum: string; readonly share: number; readonly levels: number;
  readonly isBest: boolean;
};
export type LadderRow = {
  /** The price of the row's only level, else of the step: what a click takes. */
  readonly price: string;
  readonly isBetween: boolean; readonly isMark: boolean;
  readonly bid: LadderSide; readonly ask: LadderSide;
};
type OwnOrder = { readonly side: 'Buy' | 'Sell'; readonly price: string; readonly size: string };
/** Millionths. */
export type Grid = {
  readonly step: number;
  /** The highest row, in steps. */
  readonly top: number;
  readonly count: number;
};
type Shown = {
  readonly bids: readonly Level[]; readonly asks: readonly Level[]; readonly own: readonly OwnOrder[]; readonly mark: number | null;
};

const SCALE = 1_000_000;
/** Significant figures of a price. */
const FIGURES = 5;
const STEPS = [1, 2, 5].map((one) => [0, 1, 2, 3, 4].map((power) => one * 10 ** power)).flat().sort((one, other) => one - other);
/** Part of the rows for the spread at first, and at most. */
const SPREAD_SHARE = 1 / 3;
const MOST_SPREAD_SHARE = 1 / 2;
/** Part of the rows that the middle may stray before the grid follows. */
const STRAY_SHARE = 1 / 5;

function unitsOf(text: number | string): number {
  return Math.round(Number(text) * SCALE);
}

export function textOf(units: number): string {
  const [whole, fraction] = [Math.floor(units / SCALE), String(units % SCALE).padStart(6, '0').replace(/0+$/, '')];
  return fraction === '' ? String(whole) : `${whole}.${fraction}`;
}

/** The middle of the best prices. With one side empty: the other best price; with both: the mark; null if there is none of these. */
export function middleOf(bids: readonly Level[], asks: readonly Level[], mark: number | null): number | null {
  const [bid, ask] = [bids[0], asks[0]].map((level) => (level === undefined ? null : unitsOf(level.price)));
  if (bid != null && ask != null) return (bid + ask) / 2;
  return bid ?? ask ?? (mark === null || mark <= 0 ? null : unitsOf(mark));
}

/** Ascending; each row has a valid price, also above a power of ten. */
export function stepsFor(middle: number, count: number): readonly number[] {
  const tick = tickAt(middle);
  return STEPS.map((one) => one * tick).filter((step) => step * count < middle && step % tickAt(middle + step * count) === 0);
}

type Choice = {
  readonly steps: readonly number[]; readonly bids: readonly Level[]; readonly asks: readonly Level[]; readonly count: number;
  readonly before: number | null;
};

/** The smallest that leaves room for levels. The one before stays while it is near. */
export function standardStep({ steps, bids, asks, count, before }: Choice): number {
  const spread = bids[0] === undefined || asks[0] === undefined ? 0 : unitsOf(asks[0].price) - unitsOf(bids[0].price);
  const fits = (share: number): number => steps.find((step) => spread / step <= count * share) ?? steps.at(-1) ?? 1;
  const [least, most] = [fits(MOST_SPREAD_SHARE), fits(SPREAD_SHARE / 2)];
  return before !== null && steps.includes(before) && before >= least && before <= most ? before : fits(SPREAD_SHARE);
}

export function gridAround(middle: number, step: number, count: number, before: Grid | null): Grid {
  const top = Math.round(middle / step) + Math.floor(count / 2);
  const isKept = before !== null && before.step === step && before.count === count && Math.abs(before.top - top) <= count * STRAY_SHARE;
  return isKept ? before : { step, top, count };
}

export function ladderRows({ bids, asks, own, mark }: Shown, { step, top, count }: Grid): readonly LadderRow[] {
  const bidRows = rowsOf(bids, (price) => top - Math.floor(price / step), (at) => at >= count, count);
  // From the lowest row up.
  const askRows = rowsOf(asks, (price) => top - Math.ceil(price / step), (at) => at < 0, count);
  const owned = { Buy: new Map<number, number>(), Sell: new Map<number, number>() };
  for (const { side, price, size } of own) {
    const at = rowOfOrder({ side, price }, { step, top });
    owned[side].set(at, (owned[side].get(at) ?? 0) + unitsOf(size));
  }
  const most = Math.max(1, bidRows.shown, askRows.shown);
  const side = ({ rows, best }: SideRows, at: number, ownUnits: number | undefined): LadderSide => {
    const row = rows.get(at);
    return {
      size: row === undefined ? '' : textOf(row.size), own: ownUnits === undefined ? '' : textOf(ownUnits),
      sum: row === undefined ? '' : textOf(row.sum), share: row === undefined ? 0 : Math.min(1, row.sum / most), levels: row?.levels ?? 0,
      isBest: at === best,
    };
  };
  const markAt = mark === null || mark <= 0 ? null : top - Math.round(unitsOf(mark) / step);
  return Array.from({ length: count }, (_, at) => {
    const [bid, ask] = [bidRows.rows.get(at), askRows.rows.get(at)];
    const only = bid?.levels === 1 ? bid.price : ask?.levels === 1 ? ask.price : null;
    return {
      price: textOf(only ?? Math.max(0, (top - at) * step)),
      isBetween: bidRows.best !== null && askRows.best !== null && at > askRows.best && at < bidRows.best,
      isMark: at === markAt,
      bid: side(bidRows, at, owned.Buy.get(at)), ask: side(askRows, at, owned.Sell.get(at)),
    };
  });
}

export function rowOfOrder({ side, price }: Pick<OwnOrder, 'side' | 'price'>, { step, top }: Pick<Grid, 'step' | 'top'>): number {
  const steps = unitsOf(price) / step;
  return top - (side === 'Buy' ? Math.floor(steps) : Math.ceil(steps));
}

type SideRow = { size: number; sum: number; levels: number; readonly price: number };
type SideRows = {
  readonly rows: ReadonlyMap<number, SideRow>; readonly best: number | null;
  readonly shown: number;
};

/** `isPast`: this row and those of all worse prices are not shown. */
function rowsOf(
  levels: readonly Level[], rowAt: (price: number) => number, isPast: (at: number) => boolean, count: number,
): SideRows {
  const rows = new Map<number, SideRow>();
  let [sum, shown] = [0, 0];
  for (const level of levels) {
    const price = unitsOf(level.price);
    const at = rowAt(price);
    if (isPast(at)) break;
    const size = unitsOf(level.size);
    sum += size;
    const row = rows.get(at);
    if (row === undefined) rows.set(at, { size, sum, levels: 1, price });
    else {
      row.size += size;
      row.sum = sum;
      row.levels++;
    }
    if (at >= 0 && at < count) shown = sum;
  }
  const best = levels[0] === undefined ? null : rowAt(unitsOf(levels[0].price));
  return { rows, best, shown };
}

function tickAt(price: number): number {
  return 10 ** Math.max(0, String(Math.floor(price)).length - FIGURES);
}
