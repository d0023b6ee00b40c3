// How candles are drawn: hollow when they rise, filled when they fall, so that colour is not needed; volume as bars at the foot.

import type uPlot from 'uplot';
import { price } from '../../format.ts';
import { axesOf, TIME_AXIS, type ChartOptions } from '../../ui/chart.tsx';
import type { Palette } from '../../ui/palette.ts';
import type { ChartMarks } from './marks.ts';

const BODY_SHARE = 0.7;
const VOLUME_SHARE = 0.18;
const FREE_SHARE = 0.06;
const FLAT_SHARE = 0.002;
const FLAT_PX = 2;
const LABEL_PX = 16;
/** Left of the axis of time: half of a date. */
const LEFT_PX = 40;
const [X, OPEN, HIGH, LOW, CLOSE, VOLUME] = [0, 1, 2, 3, 4, 5] as const;

type Shown = {
  readonly intervalS: number;
  readonly range: () => readonly [number, number];
  readonly marks: () => ChartMarks;
};

export function candleOptions(palette: Palette, { intervalS, range, marks }: Shown): ChartOptions {
  const hidden = { paths: () => null, points: { show: false } };
  return {
    padding: [null, null, null, LEFT_PX],
    scales: {
      x: { time: true, range: () => [...range()] },
      y: { range: (plot) => priceRange(plot) },
      volume: { range: (_, __, most) => [0, (most ?? 0) / VOLUME_SHARE || 1] },
    },
    axes: axesOf(palette, TIME_AXIS, { scale: 'y', side: 1, size: 76, values: (_, at) => at.map((one) => price(one)) }),
    series: [{}, hidden, hidden, hidden, hidden, { ...hidden, scale: 'volume' }],
    cursor: { drag: { x: false, y: false, setScale: false } },
    hooks: {
      draw: [(plot) => inside(plot, () => {
        drawBars(plot, palette, intervalS);
        drawMarks(plot, palette, marks());
      })],
    },
  };
}

function priceRange(plot: uPlot): [number, number] {
  const [from, to] = shownBars(plot);
  const highs = (plot.data[HIGH] as number[]).slice(from, to + 1);
  const lows = (plot.data[LOW] as number[]).slice(from, to + 1);
  const [low, high] = [Math.min(...lows), Math.max(...highs)];
  if (low > high) return [0, 1];
  const free = (high - low) * FREE_SHARE || Math.abs(high) * FLAT_SHARE || 1;
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
  for (let at = from; at <= to; at++) {
    const [open, high, low, close] = [data[OPEN]![at]!, data[HIGH]![at]!, data[LOW]![at]!, data[CLOSE]![at]!];
    const middle = Math.round(x(data[X][at]! + intervalS / 2));
    const left = middle - Math.floor(width / 2);
    const [top, bottom] = [Math.round(y(Math.max(open, close))), Math.round(y(Math.min(open, close)))];
    const height = Math.max(FLAT_PX * devicePixelRatio, bottom - top);
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
}

/** Orders dashed, triggers dotted, named at the edge if beyond it. Fills point up for a buy, down for a sell. */
function drawMarks(plot: uPlot, { up, down, panel, font }: Palette, { lines, points }: ChartMarks): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const half = LABEL_PX * ratio / 2;
  ctx.font = font.replace(/^[\d.]+/, (px) => String(Number(px) * ratio));
  ctx.textBaseline = 'middle';
  ctx.lineWidth = ratio;
  for (const { price: at, isBuy, isTrigger, text } of lines) {
    const y = plot.valToPos(at, 'y', true);
    const shown = Math.min(bbox.top + bbox.height - half, Math.max(bbox.top + half, y));
    const label = `${shown > y + half ? '↑ ' : shown < y - half ? '↓ ' : ''}${text}`;
    ctx.strokeStyle = ctx.fillStyle = isBuy ? up : down;
    ctx.setLineDash(isTrigger ? [ratio, 3 * ratio] : [6 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.setLineDash([]);
    const width = ctx.measureText(label).width + 8 * ratio;
    ctx.fillStyle = panel;
    ctx.fillRect(bbox.left, shown - half, width, 2 * half);
    ctx.strokeRect(bbox.left, shown - half, width, 2 * half);
    ctx.fillStyle = isBuy ? up : down;
    ctx.fillText(label, bbox.left + 4 * ratio, shown);
  }
  for (const { price: at, timeS, isBuy } of points) {
    const [x, y] = [plot.valToPos(timeS, 'x', true), plot.valToPos(at, 'y', true)];
    const far = (isBuy ? 8 : -8) * ratio;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x - Math.abs(far) / 2, y + far);
    ctx.lineTo(x + Math.abs(far) / 2, y + far);
    ctx.closePath();
    ctx.fillStyle = isBuy ? up : down;
    ctx.fill();
    ctx.strokeStyle = panel;
    ctx.stroke();
  }
}

function inside({ ctx, bbox }: uPlot, draw: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw();
  ctx.restore();
}
