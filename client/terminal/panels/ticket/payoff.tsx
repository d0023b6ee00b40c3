// Profit and loss of the order over the index, at expiry and today, with break-evens and largest loss: the core's values.

import { useSignal } from '@preact/signals';
import { useCallback, useMemo, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { ABSENT, price, rounded, signed } from '../../format.ts';
import { axesOf, Chart, type ChartOptions } from '../../ui/chart.tsx';
import { Button } from '../../ui/controls.tsx';
import type { Palette } from '../../ui/palette.ts';
import type { WhatIf, WhatIfOrder } from '../../whatif/what-if.ts';
import { underlyingOf } from './fields.ts';

type PayoffProps = { readonly whatIf: WhatIf; readonly orders: readonly WhatIfOrder[] };

/** Of the index, on either side; more for a break-even further away. */
const AROUND = 0.25;
const WIDEST = 0.9;
const POINTS = 96;
const MARGIN = 1.1;
const AXIS_PX = { x: 24, y: 56 };
const DASH = [4, 4];

type Curve = ReturnType<typeof curveOf>;

export function PayoffView({ whatIf, orders }: PayoffProps) {
  const isWhole = useSignal(false);
  const curve = useMemo(() => curveOf(whatIf, orders, isWhole.value), [whatIf, JSON.stringify(orders), isWhole.value]);
  const shown = useRef(curve);
  shown.current = curve;
  const build = useCallback((palette: Palette) => optionsOf(palette, shown), []);
  const data = useMemo<uPlot.AlignedData>(() => [curve.xs, curve.today, curve.expiry], [curve]);
  const summary = summaryOf(curve);
  return (
    <section class="order-payoff" aria-label="Payoff">
      <Chart
        label="Profit and loss over the index" description={`At expiry and today. ${summary}`} data={data} build={build}
        readout={(at) => (at === null ? summary : pointOf(curve, at))}
      />
      <Button isPressed={isWhole.value} title="With all that the account holds" onClick={() => { isWhole.value = !isWhole.value; }}>
        Whole account
      </Button>
    </section>
  );
}

export function NoPayoff() {
  return <p class="order-payoff hollow">Type a price and a size to see profit and loss, or click Bid, Mark or Ask above.</p>;
}

function curveOf(whatIf: WhatIf, orders: readonly WhatIfOrder[], isWhole: boolean) {
  const underlying = underlyingOf(orders[0]!.symbol);
  const payoff = isWhole ? whatIf.payoffOfAccount(orders, underlying) : whatIf.payoffOfOrders(orders, underlying);
  const { breakEvens, largestLoss } = payoff.summary();
  const index = Number(whatIf.inputs.underlyings.find((one) => one.underlying === underlying)!.index_price);
  const reach = Math.min(WIDEST, Math.max(AROUND, ...breakEvens.map((x) => Math.abs(x / index - 1) * MARGIN)));
  const xs = Array.from({ length: POINTS + 1 }, (_, i) => index * (1 - reach + 2 * reach * i / POINTS));
  return { xs, index, breakEvens, largestLoss, today: xs.map((x) => payoff.at(x)), expiry: xs.map((x) => payoff.atExpiry(x)) };
}

function summaryOf({ breakEvens, largestLoss }: Curve): string {
  const even = breakEvens.length === 0 ? ABSENT : breakEvens.map(usd).join(' / ');
  return `Even at ${even} · loses ${largestLoss === null ? 'without bound' : `at most ${usd(largestLoss)}`}`;
}

function pointOf({ expiry, today, xs }: Curve, at: number): string {
  const profit = (value: number | undefined): string => signed(rounded(value, 2));
  return `At ${usd(xs[at] ?? 0)}: expiry ${profit(expiry[at])} · today ${profit(today[at])}`;
}

function usd(value: number): string {
  return price(rounded(value, 2));
}

function optionsOf(palette: Palette, shown: { readonly current: Curve }): ChartOptions {
  const values = (_: uPlot, ticks: number[]): string[] => ticks.map((tick) => price(tick));
  return {
    padding: [8, 8, 0, 0], scales: { x: { time: false } }, cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    axes: axesOf(palette, { size: AXIS_PX.x, space: 72, values }, { size: AXIS_PX.y, space: 24, values }),
    series: [
      {}, { stroke: palette.soft, dash: DASH, width: 1.5, points: { show: false } },
      { stroke: palette.accent, width: 2, points: { show: false } },
    ],
    hooks: { draw: [(plot) => drawMarks(plot, palette, shown.current)] },
  };
}

function drawMarks(plot: uPlot, { accent, soft, text }: Palette, { breakEvens, index }: Curve): void {
  const { ctx, bbox: { height, left, top, width } } = plot;
  const draw = (colour: string, from: readonly [number, number], to: readonly [number, number]): void => {
    ctx.strokeStyle = colour;
    ctx.beginPath();
    ctx.moveTo(...from);
    ctx.lineTo(...to);
    ctx.stroke();
  };
  const upright = (x: number, colour: string): void => {
    const at = plot.valToPos(x, 'x', true);
    if (at >= left && at <= left + width) draw(colour, [at, top], [at, top + height]);
  };
  const zero = plot.valToPos(0, 'y', true);
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  if (zero >= top && zero <= top + height) draw(soft, [left, zero], [left + width, zero]);
  ctx.setLineDash(DASH);
  upright(index, text);
  for (const x of breakEvens) upright(x, accent);
  ctx.restore();
}
