// A chart by uPlot, which is loaded when the first chart is shown. It fits its parent, follows the theme, and says in text what it shows
// and what is under the crosshair; arrow keys move the crosshair. `build` gives series, axes and scales, `axesOf` axes in the page's look:
//
//     <Chart label="Equity" description={`${rows} days, from … to …`} data={[seconds, equity]} build={build} readout={readout} />
//
// Keep the same `build` function: another one makes the chart anew.

import { useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { palette, type Palette } from './palette.ts';

export type ChartOptions = Omit<uPlot.Options, 'width' | 'height'>;

type ChartProps = {
  readonly label: string;
  readonly description: string;
  /** x ascending, then each series. */
  readonly data: uPlot.AlignedData;
  readonly build: (palette: Palette) => ChartOptions;
  readonly readout?: (at: number | null) => string;
  readonly empty?: ComponentChildren;
  readonly onPlot?: (plot: uPlot | null) => void;
};

export function Chart({ label, description, data, build, readout, empty, onPlot }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ data, onPlot });
  latest.current = { data, onPlot };
  const failure = useSignal<string | null>(null);
  const pointed = useSignal<number | null>(null);
  const described = useId();
  const colours = palette.value;
  const isEmpty = data[0].length === 0;

  useEffect(() => {
    const element = frame.current;
    if (element === null || isEmpty) return undefined;
    let isOver = false;
    const resize = new ResizeObserver(() => plot.current?.setSize(sizeOf(element)));
    import('uplot').then(({ default: UPlot }) => {
      if (isOver) return;
      const made = new UPlot({ ...withCursor(build(colours), pointed), ...sizeOf(element) }, latest.current.data, element);
      plot.current = made;
      resize.observe(element);
      latest.current.onPlot?.(made);
    }, (error: unknown) => { failure.value = (error as Error).message; });
    return () => {
      isOver = true;
      resize.disconnect();
      latest.current.onPlot?.(null);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [build, colours, isEmpty]);
  useEffect(() => plot.current?.setData(data), [data]);

  return (
    <figure class="chart">
      {readout !== undefined && <output class="figure">{isEmpty ? '' : readout(pointed.value)}</output>}
      {isEmpty ? <p class="empty">{empty}</p> : (
        <div
          class="plot" ref={frame} role="img" aria-label={label} aria-describedby={described} tabIndex={0}
          onKeyDown={(event) => moveCursor(event, plot.current, pointed.value)}
        />
      )}
      {failure.value !== null && <p class="empty">The chart could not be loaded: {failure.value}</p>}
      <figcaption id={described} class="unseen">{description}</figcaption>
    </figure>
  );
}

/** The day's name where one begins, as the page writes it: uPlot's own is American. */
export const TIME_AXIS: uPlot.Axis = {
  size: 40,
  values: [
    [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
    [3_600, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
    [60, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
    [1, '{HH}:{mm}:{ss}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  ],
};

/** x first, then one for each further scale. */
export function axesOf({ soft, line, font }: Palette, ...axes: readonly uPlot.Axis[]): uPlot.Axis[] {
  const look = { stroke: soft, font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 }, gap: 4 };
  return axes.map((axis) => ({ ...look, ...axis }));
}

function sizeOf({ clientWidth, clientHeight }: HTMLElement): { readonly width: number; readonly height: number } {
  return { width: clientWidth, height: clientHeight };
}

function withCursor(options: ChartOptions, pointed: { value: number | null }): ChartOptions {
  const tell = (plot: uPlot): void => { pointed.value = plot.cursor.idx ?? null; };
  return {
    legend: { show: false },
    ...options,
    cursor: { points: { show: false }, ...options.cursor },
    hooks: { ...options.hooks, setCursor: [...(options.hooks?.setCursor ?? []), tell] },
  };
}

function moveCursor(event: TargetedKeyboardEvent<HTMLElement>, plot: uPlot | null, pointed: number | null): void {
  if (plot === null) return;
  const x = plot.data[0];
  const [first, last] = plot.series[0]!.idxs ?? [0, x.length - 1];
  const target = { ArrowLeft: (pointed ?? last + 1) - 1, ArrowRight: (pointed ?? last - 1) + 1, Home: first, End: last }[event.key];
  if (target === undefined) return;
  event.preventDefault();
  const at = Math.min(last, Math.max(first, target));
  plot.setCursor({ left: plot.valToPos(x[at]!, 'x'), top: plot.over.clientHeight / 2 });
}
