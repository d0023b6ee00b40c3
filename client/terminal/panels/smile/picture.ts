// How volatility is drawn: the surface a line, marks and quotes dots, own orders rings, the index a dashed line.

import type uPlot from 'uplot';
import { dayUtc, price } from '../../format.ts';
import { axesOf, TIME_AXIS, type ChartOptions } from '../../ui/chart.tsx';
import type { Palette } from '../../ui/palette.ts';

const X_SIZE = 32;
const Y_SIZE = 48;
const FREE_SHARE = 0.1;
const LEAST_RANGE = 4;
/** s. */
const LEAST_SPAN = 600;

export function smileOptions(palette: Palette, index: () => number): ChartOptions {
  const { accent, down, text, up } = palette;
  const dots = (colour: string, size: number, fill: string): uPlot.Series => (
    { stroke: colour, paths: () => null, points: { show: true, size, width: 2, stroke: colour, fill } }
  );
  return {
    scales: { x: { time: false }, y: { range: paddedRange } },
    series: [
      {}, { ...lineIn(accent), points: { show: false } },
      dots(accent, 5, accent), dots(up, 5, up), dots(down, 5, down), dots(text, 11, 'transparent'), dots(text, 11, 'transparent'),
    ],
    axes: axesOf(palette, { size: X_SIZE, values: (_, marks) => marks.map((mark) => price(mark)) }, { size: Y_SIZE }),
    hooks: { draw: [(plot) => drawIndex(plot, index(), palette)] },
  };
}

export function termOptions(palette: Palette): ChartOptions {
  const points = { show: true, size: 7, fill: palette.accent };
  return {
    scales: { x: { time: true }, y: { range: paddedRange } }, series: [{}, { ...lineIn(palette.accent), points }],
    axes: axesOf(palette, { size: X_SIZE, space: 90, values: (_, marks) => marks.map((at) => dayUtc(at * 1_000)) }, { size: Y_SIZE }),
  };
}

export function indexOptions(palette: Palette): ChartOptions {
  return {
    scales: { x: { time: true, range: spanOfTime }, y: { range: paddedRange } }, series: [{}, lineIn(palette.accent)],
    axes: axesOf(palette, TIME_AXIS, { size: Y_SIZE }),
  };
}

function lineIn(stroke: string): uPlot.Series {
  return { stroke, width: 2, spanGaps: true, pxAlign: 0 };
}

function paddedRange(_: uPlot, least: number | null, most: number | null): [number, number] {
  if (least === null || most === null) return [0, 100];
  const free = Math.max((most - least) * FREE_SHARE, (LEAST_RANGE - (most - least)) / 2);
  return [Math.max(0, least - free), most + free];
}

/** A single value would be given a span of years. */
function spanOfTime({ data: [times] }: uPlot, from: number, to: number): [number, number] {
  return times.length === 1 ? [times[0]! - LEAST_SPAN, times[0]!] : [from, to];
}

function drawIndex(plot: uPlot, index: number, { soft }: Palette): void {
  const { bbox, ctx } = plot;
  const { max, min } = plot.scales['x']!;
  if (!(index >= min! && index <= max!)) return;
  const x = Math.round(plot.valToPos(index, 'x', true));
  ctx.save();
  ctx.strokeStyle = soft;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
