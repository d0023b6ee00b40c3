// How candles are drawn: bodies hollow when they rise and filled when they fall, so that colour is not needed to tell them apart, and
// volume as bars at the foot.

import type uPlot from 'uplot';
import { price } from '../../format.ts';
import { axesOf, type ChartOptions } from '../../ui/chart.tsx';
import type { Palette } from '../../ui/palette.ts';

/** Part of an interval that a body is wide, and of the height that volume takes. */
const BODY_SHARE = 0.7;
const VOLUME_SHARE = 0.18;
/** Part of the range of prices that is left free above and below. */
const FREE_SHARE = 0.06;
const [X, OPEN, HIGH, LOW, CLOSE, VOLUME] = [0, 1, 2, 3, 4, 5] as const;

export function candleOptions(palette: Palette, intervalS: number): ChartOptions {
  const hidden = { show: true, paths: () => null, points: { show: false } };
  return {
    scales: {
      x: { time: true }, y: { range: (plot) => priceRange(plot) }, volume: { range: (_, __, most) => [0, (most ?? 0) / VOLUME_SHARE || 1] },
    },
    axes: axesOf(palette, { size: 40 }, { scale: 'y', side: 1, size: 76, values: (_, marks) => marks.map((mark) => price(mark)) }),
    series: [{}, hidden, hidden, hidden, hidden, { ...hidden, scale: 'volume' }],
    hooks: { draw: [(plot) => drawBars(plot, palette, intervalS)] },
  };
}

function priceRange(plot: uPlot): [number, number] {
  const [from, to] = shownBars(plot);
  const highs = (plot.data[HIGH] as number[]).slice(from, to + 1);
  const lows = (plot.data[LOW] as number[]).slice(from, to + 1);
  const [low, high] = [Math.min(...lows), Math.max(...highs)];
  if (low > high) return [0, 1];
  const free = (high - low) * FREE_SHARE || Math.abs(high) * FREE_SHARE || 1;
  return [low - free, high + free];
}

function shownBars({ series, data }: uPlot): readonly [number, number] {
  const [from, to] = series[X]?.idxs ?? [0, data[X].length - 1];
  return [from, to];
}

function drawBars(plot: uPlot, { up, down, soft }: Palette, intervalS: number): void {
  const { ctx, bbox, data } = plot;
  const [from, to] = shownBars(plot);
  const x = (at: number): number => plot.valToPos(at, 'x', true);
  const y = (at: number): number => plot.valToPos(at, 'y', true);
  const width = Math.max(1, Math.round((x(intervalS) - x(0)) * BODY_SHARE));
  const foot = bbox.top + bbox.height;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (let at = from; at <= to; at++) {
    const [open, high, low, close] = [data[OPEN]![at]!, data[HIGH]![at]!, data[LOW]![at]!, data[CLOSE]![at]!];
    const middle = Math.round(x(data[X][at]! + intervalS / 2));
    const left = middle - Math.floor(width / 2);
    const [top, bottom] = [Math.round(y(Math.max(open, close))), Math.round(y(Math.min(open, close)))];
    const height = Math.max(1, bottom - top);
    const top0 = plot.valToPos(data[VOLUME]![at]!, 'volume', true);
    ctx.globalAlpha = 0.25;
    ctx.fillStyle = soft;
    ctx.fillRect(left, top0, width, foot - top0);
    ctx.globalAlpha = 1;
    ctx.fillStyle = ctx.strokeStyle = close >= open ? up : down;
    ctx.fillRect(middle, Math.round(y(high)), 1, top - Math.round(y(high)));
    ctx.fillRect(middle, bottom, 1, Math.round(y(low)) - bottom);
    if (close >= open && width > 2 && height > 2) ctx.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
    else ctx.fillRect(left, top, width, height);
  }
  ctx.restore();
}
