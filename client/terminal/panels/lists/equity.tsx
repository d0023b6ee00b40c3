// Equity over time as the venue keeps it, the present one at its end. Read every half minute while shown.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { ABSENT, momentBoth, price } from '../../format.ts';
import { axesOf, Chart, TIME_AXIS, type ChartOptions } from '../../ui/chart.tsx';
import { Button } from '../../ui/controls.tsx';
import type { Palette } from '../../ui/palette.ts';
import { portfolio } from '../../venue/account-data.ts';
import { useRead } from '../../venue/hooks.ts';
import { Sums } from './positions.tsx';

type Point = { readonly timestamp: number; readonly equity: string };

const INTERVALS = ['5m', '1h', '1d'] as const;
const EVERY_MS = 30_000;
const POINTS = 500;
const SECOND_MS = 1_000;
const NOTHING_KEPT = 'The venue keeps the equity at the end of each interval, and has none of this wallet yet.';

export function Equity({ wallet }: { readonly wallet: string }) {
  const interval = useSignal<(typeof INTERVALS)[number]>('5m');
  const { data, error } = useRead('/historical-pnl', { wallet, interval: interval.value, limit: POINTS }, { everyMs: EVERY_MS });
  const told = portfolio.value;
  const points = useMemo(() => pointsOf(data?.data.points ?? [], told), [data, told]);
  const values = useMemo<[number[], number[]]>(() => (
    [points.map(({ timestamp }) => timestamp / SECOND_MS), points.map(({ equity }) => Number(equity))]
  ), [points]);
  const [first] = points;
  const last = points.at(-1);
  return (
    <>
      <div class="under">
        <Sums />
        <div class="switch" role="group" aria-label="Interval">
          {INTERVALS.map((one) => (
            <Button key={one} isPressed={interval.value === one} onClick={() => { interval.value = one; }}>{one}</Button>
          ))}
        </div>
      </div>
      {error !== null && <p class="why" role="alert">{error.message}</p>}
      <Chart
        label="Equity over time" description={first === undefined ? '' : `From ${textOf(first)} to ${textOf(last)}.`} data={values}
        build={build} readout={(at) => textOf(at === null ? last : points[at])} empty={data === null ? 'Asking the venue …' : NOTHING_KEPT}
      />
    </>
  );
}

function pointsOf(kept: readonly Point[], told: typeof portfolio.value): readonly Point[] {
  const { portfolio_snapshot_timestamp_ms: timestamp = null, margin_summary: margin } = told ?? {};
  const last = kept.at(-1);
  if (last === undefined || margin === undefined || timestamp === null || timestamp <= last.timestamp) return kept;
  return [...kept, { timestamp, equity: margin.equity }];
}

function textOf(point: Point | undefined): string {
  return point === undefined ? ABSENT : `${price(point.equity)} USDC, ${momentBoth(point.timestamp)}`;
}

function build(palette: Palette): ChartOptions {
  const values = (_: unknown, marks: readonly number[]) => marks.map((mark) => price(mark));
  return {
    scales: { x: { time: true } }, axes: axesOf(palette, TIME_AXIS, { scale: 'y', side: 1, size: 92, values }),
    series: [{}, { scale: 'y', stroke: palette.accent, width: 2 }],
  };
}
