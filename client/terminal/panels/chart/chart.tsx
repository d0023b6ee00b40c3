// The chart: candles of the index, trades or marks, with own orders, triggers and fills. Earlier candles are read when they come into view.

import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { RESOLUTIONS, type Resolution } from '../../../src/main.ts';
import { momentBoth, price, size } from '../../format.ts';
import { Chart } from '../../ui/chart.tsx';
import { Button, Tabs } from '../../ui/controls.tsx';
import type { Palette } from '../../ui/palette.ts';
import { remembered } from '../../ui/remembered.ts';
import { news, workingOrders } from '../../venue/account-data.ts';
import { connection } from '../../venue/connection.ts';
import { useRead } from '../../venue/hooks.ts';
import { selection } from '../../venue/store.ts';
import type { BarColumns } from './candles.ts';
import { followPointer, moveByKey, ZOOM_BY_STEP } from './gestures.ts';
import { linesOf, pointsOf, textOfMarks } from './marks.ts';
import { candleOptions } from './picture.ts';
import { useSeries, type Series, type Source } from './series.ts';
import { fitted, moved, rangeOf, STANDARD_VIEW, zoomed, type View } from './view.ts';

const FILLS_READ = 500;
const FRAMES = Object.keys(RESOLUTIONS) as Resolution[];
const SOURCES: readonly { readonly id: Source; readonly title: string }[] = [
  { id: 'index', title: 'Index' }, { id: 'trade', title: 'Trades' }, { id: 'mark', title: 'Mark' },
];
const WHAT = { index: 'the index of', trade: 'trades of', mark: 'the mark of' } as const;
const resolution = remembered<Resolution>('chart.resolution', '5m', (value): value is Resolution => FRAMES.includes(value as Resolution));
const source = remembered<Source>('chart.source', 'index', (value): value is Source => SOURCES.some(({ id }) => id === value));

export function PriceChart() {
  const { underlying, contract } = selection.value;
  const perp = connection.info.value?.perp_assets.find((one) => one.underlying === underlying)?.symbol ?? null;
  const symbol = contract ?? perp;
  const shown = symbol === null ? 'index' : source.value;
  const frames = shown === 'mark' ? FRAMES.slice(1) : FRAMES;
  const frame = frames.includes(resolution.value) ? resolution.value : frames[0]!;
  const series: Series = { source: shown, name: shown === 'index' ? underlying : symbol!, resolution: frame };
  return (
    <section class="price-chart" aria-label="Chart">
      <div class="bar">
        <Tabs
          label="Prices" tabs={symbol === null ? SOURCES.slice(0, 1) : SOURCES} chosen={shown} onChoose={(id) => { source.value = id; }}
        />
        <strong>{series.name}</strong>
        <Tabs
          label="Time frame" tabs={frames.map((id) => ({ id, title: id }))} chosen={frame} onChoose={(id) => { resolution.value = id; }}
        />
      </div>
      <SeriesChart key={JSON.stringify(series)} series={series} />
    </section>
  );
}

function SeriesChart({ series }: { readonly series: Series }) {
  const interval = RESOLUTIONS[series.resolution] / 1_000;
  const { columns, error, isRead, isWhole, readEarlier } = useSeries(series);
  const view = useSignal<View>(STANDARD_VIEW);
  const plot = useRef<uPlot | null>(null);
  const newest = (): number => columns.value[0].at(-1) ?? 0;
  const shown = useComputed(() => {
    const first = columns.value[0][0];
    return fitted(view.value, first === undefined || !isWhole.value ? Infinity : (newest() - first) / interval + 1);
  });
  const range = useComputed(() => rangeOf(shown.value, newest(), interval));
  const marks = useMarks(series);
  const move = (bars: number): void => { view.value = moved(shown.value, bars, newest(), interval); };
  const follow = (): void => { view.value = { ...shown.value, end: null }; };
  const zoom = (factor: number, share = 1): void => { view.value = zoomed(shown.value, { factor, share, newest: newest(), interval }); };
  useEffect(() => {
    const [min, max] = range.value;
    plot.current?.setScale('x', { min, max });
  }, [range.value]);
  useEffect(() => plot.current?.redraw(false), [marks.value]);
  useEffect(() => {
    if (isRead.value && !isWhole.value && range.value[0] < (columns.value[0][0] ?? Infinity)) readEarlier();
  }, [range.value, columns.value, isRead.value, isWhole.value]);
  const build = useMemo(() => (palette: Palette) => candleOptions(palette, {
    intervalS: interval, range: () => range.peek(), marks: () => marks.peek(),
  }), []);
  const what = `${WHAT[series.source]} ${series.name}`;
  return (
    <div
      class="chart-frame" {...followPointer({ plot: () => plot.current, bars: () => shown.peek().bars, move, zoom })}
      onKeyDown={(event) => moveByKey(event, shown.peek().bars, move, zoom)}
    >
      <Chart
        label={`Candles of ${what}`} data={columns.value} build={build} readout={(at) => readoutOf(columns.value, at, series.source)}
        description={`${columns.value[0].length} candles of ${series.resolution} of ${what}. ${textOfMarks(marks.value)}`}
        onPlot={(made) => { plot.current = made; }}
        empty={error.value ?? (isRead.value ? emptyText(series) : 'Asking the venue for candles …')}
      />
      <div class="chart-deeds">
        <Button label="Show less time" title="Key: +" onClick={() => zoom(1 / ZOOM_BY_STEP)}>+</Button>
        <Button label="Show more time" title="Key: −" onClick={() => zoom(ZOOM_BY_STEP)}>−</Button>
        <Button label="Earlier" title="Key: Page Up" onClick={() => move(-shown.value.bars / 2)}>◂</Button>
        <Button title="Follow the newest candle" isDisabled={view.value.end === null} onClick={follow}>Now</Button>
      </div>
    </div>
  );
}

function useMarks(series: Series) {
  const wallet = connection.account.value?.wallet ?? null;
  const isContract = series.source !== 'index';
  const fills = useRead('/fills', wallet === null || !isContract ? null : { wallet, kind: 'trade', limit: FILLS_READ });
  const told = news.fills.value;
  useEffect(() => fills.refresh(), [told]);
  const rows = useSignal(fills.data?.data ?? []);
  useEffect(() => { rows.value = fills.data?.data ?? []; }, [fills.data]);
  return useComputed(() => ({ lines: linesOf(workingOrders.value ?? [], series), points: pointsOf(rows.value, series) }));
}

function emptyText({ source: of, name, resolution: frame }: Series): string {
  if (of === 'trade') return `${name} has not traded in the time that is kept of ${frame}. Its mark has candles too.`;
  return `No candles of ${frame} yet: the first comes with the next price.`;
}

function readoutOf([starts, opens, highs, lows, closes, volumes]: BarColumns, pointed: number | null, of: Source): string {
  const at = pointed ?? starts.length - 1;
  const parts = [['Open', opens], ['High', highs], ['Low', lows], ['Close', closes]] as const;
  const texts = parts.map(([name, values]) => `${name} ${price(values[at])}`);
  return [momentBoth(starts[at]! * 1_000), ...texts, ...(of === 'trade' ? [`Volume ${size(volumes[at])}`] : [])].join('  ');
}
