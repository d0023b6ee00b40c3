// Scenario tables of portfolio margin: shocks of spot and volatility with a weight, in parts per million. Source: MARGIN.md, "Portfolio
// mode", 1.

import { DENSE, PRESET, VENUE17, type Settings } from '../settings.ts';

export const MAX_ROWS = 35;

/** `scaled`: volatility shocks grow towards expiry, and upward ones have a floor. `tailFrom`: first row whose loss counts only in part. */
export type Grid = {
  readonly rows: number; readonly tailFrom: number; readonly scaled: boolean;
  readonly spot: Int32Array; readonly volatility: Int32Array; readonly weight: Int32Array;
};

const WHOLE = 1_000_000;

/** Rows are [spot %, volatility %, weight in ppm]. */
function grid(scaled: boolean, rows: readonly (readonly [number, number, number])[]): Grid {
  if (rows.length > MAX_ROWS) throw new RangeError('presets: more rows than a cache has room for');
  const column = (of: (row: readonly [number, number, number]) => number): Int32Array => Int32Array.from(rows, of);
  return {
    rows: rows.length, tailFrom: rows.findIndex(([, , weight]) => weight < WHOLE), scaled,
    spot: column(([spot]) => spot * 10_000), volatility: column(([, volatility]) => volatility * 10_000), weight: column((row) => row[2]),
  };
}

const DENSE_ROWS: readonly (readonly [number, number, number])[] = [
  ...[-16, -12, -8, -4, 0, 4, 8, 12, 16].flatMap((spot) => (
    [-25, 0, 45].map((volatility): readonly [number, number, number] => [spot, volatility, WHOLE])
  )),
  [-66, 45, 240_000], [-33, 45, 480_000], [50, 45, 320_000], [100, 45, 160_000],
  [200, 45, 80_000], [300, 45, 53_300], [400, 45, 40_000], [500, 45, 32_000],
];

const VENUE17_ROWS: readonly (readonly [number, number, number])[] = [
  [12, 35, WHOLE], [8, 0, WHOLE], [4, -15, WHOLE], [0, 35, WHOLE], [0, 0, WHOLE], [0, -15, WHOLE], [-4, -15, WHOLE], [-8, 0, WHOLE],
  [-12, 45, WHOLE], [12, 0, WHOLE], [-12, 0, WHOLE], [8, 25, WHOLE], [-8, 35, WHOLE],
  [-25, 70, 600_000], [25, 55, 600_000], [-40, 90, 350_000], [40, 70, 350_000],
];

const DENSE_GRID = grid(true, DENSE_ROWS);
const VENUE17_GRID = grid(false, VENUE17_ROWS);

export function presetOf(settings: Settings, underlying: number): number {
  return settings.values[PRESET + underlying] === VENUE17 ? VENUE17 : DENSE;
}

export function gridOf(settings: Settings, underlying: number): Grid {
  return presetOf(settings, underlying) === VENUE17 ? VENUE17_GRID : DENSE_GRID;
}
