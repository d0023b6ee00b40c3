// Profit or loss of the book over the index, at its first expiry and at a chosen moment and volatility. By the venue's own core.

import { useSignal, type Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { RiskInputs } from '../../../src/main.ts';
import { ABSENT, momentBoth, price, rounded, signed, timeLeft } from '../../format.ts';
import { axesOf, Chart, type ChartOptions } from '../../ui/chart.tsx';
import { Button, Field } from '../../ui/controls.tsx';
import type { Palette } from '../../ui/palette.ts';
import { useWhatIf } from '../../venue/what-if.ts';
import type { Payoff } from '../../whatif/payoff.ts';

type PayoffProps = { readonly inputs: RiskInputs; readonly underlying: string };

const RANGES = [10, 25, 50] as const;
const POINTS = 160;
const TIME_STEPS = 100;
const MOST_VOL_POINTS = 40;

export function BookPayoff({ inputs, underlying }: PayoffProps) {
  const { error, whatIf } = useWhatIf(inputs);
  const marks = inputs.underlyings.find((one) => one.underlying === underlying);
  const isMarked = marks !== undefined;
  const payoff = useMemo(
    () => (whatIf !== null && isMarked ? whatIf.payoffOfAccount([], underlying) : null), [whatIf, isMarked, underlying],
  );
  if (error !== null) return <p class="empty">The payoff cannot be computed: {error}</p>;
  if (!isMarked || payoff === null || payoff.legs.length === 0) return null;
  return <PayoffView payoff={payoff} underlying={underlying} index={marks.index_price} markedAt={marks.marked_at} />;
}

type ViewProps = { readonly payoff: Payoff; readonly underlying: string; readonly index: string; readonly markedAt: number };

function PayoffView({ index, markedAt, payoff, underlying }: ViewProps) {
  const passed = useSignal(0);
  const volPoints = useSignal(0);
  const range = useSignal<(typeof RANGES)[number]>(25);
  const time = payoff.expiry === null ? markedAt : markedAt + Math.round((payoff.expiry - markedAt) * passed.value / TIME_STEPS);
  const spots = useMemo(() => spotsAround(Number(index), range.value / 100), [index, range.value]);
  const data = useMemo(() => {
    const moment = { time, volatilityShift: volPoints.value / 100 };
    const chosen = spots.map((spot) => payoff.at(spot, moment));
    const here = spots.map((spot, at) => (spot === Number(index) ? chosen[at]! : null));
    const lines: [number[], ...(number | null)[][]] = [spots, spots.map(() => 0), spots.map((spot) => payoff.atExpiry(spot)), chosen, here];
    return lines;
  }, [payoff, spots, time, volPoints.value]);
  const summary = useMemo(() => payoff.summary(), [payoff]);
  const moment = passed.value === 0 ? 'now' : `in ${timeLeft(time - markedAt)}`;
  const readout = (at: number | null): string => {
    const place = at ?? spots.indexOf(Number(index));
    return `Index ${whole(spots[place])}: ${profit(data[3]![place])} ${moment}, ${profit(data[2]![place])} at expiry`;
  };
  const breakEvens = summary.breakEvens.map(whole).join(', ');
  return (
    <div class="payoff">
      <h3 title="Computed in the page by the venue's core, from GET /risk/inputs">Payoff of the book in {underlying}, USD</h3>
      <div class="sliders">
        {payoff.expiry !== null && (
          <Slider
            label="Time" value={passed} least={0} most={TIME_STEPS}
            text={moment} title={momentBoth(time)}
          />
        )}
        <Slider
          label="Volatility" value={volPoints} least={-MOST_VOL_POINTS} most={MOST_VOL_POINTS}
          text={volPoints.value === 0 ? 'as it is' : `${signed(volPoints.value)} points`} title="Added to the volatility of each contract"
        />
        <div class="switch" role="group" aria-label="Range of the index">
          {RANGES.map((one) => (
            <Button key={one} isPressed={range.value === one} onClick={() => { range.value = one; }}>±{one} %</Button>
          ))}
        </div>
      </div>
      <Chart
        label={`Payoff of the book in ${underlying}`} data={data} build={build} readout={readout}
        description={`From an index of ${whole(spots[0])} to ${whole(spots.at(-1))}. Break-evens at expiry: ${breakEvens || 'none'}.`}
      />
      <dl class="figures" aria-label="Payoff at the first expiry">
        {payoff.expiry !== null && <div><dt>First expiry</dt><dd>{momentBoth(payoff.expiry)}</dd></div>}
        <div><dt>Break-evens then</dt><dd>{breakEvens || 'none'}</dd></div>
        <div><dt>Largest loss then</dt><dd>{bounded(summary.largestLoss)}</dd></div>
        <div><dt>Largest gain then</dt><dd>{bounded(summary.largestGain)}</dd></div>
      </dl>
    </div>
  );
}

type SliderProps = {
  readonly label: string; readonly value: Signal<number>; readonly least: number; readonly most: number; readonly text: string;
  readonly title: string;
};

function Slider({ label, least, most, text, title, value }: SliderProps) {
  return (
    <Field label={label}>
      {(id) => (
        <span class="slider" title={title}>
          <input
            id={id} type="range" min={least} max={most} value={value.value} aria-valuetext={text}
            onInput={(event) => { value.value = Number(event.currentTarget.value); }}
          />
          <output class="figure" for={id}>{text}</output>
        </span>
      )}
    </Field>
  );
}

function spotsAround(index: number, range: number): number[] {
  const spread = Array.from({ length: POINTS + 1 }, (_, at) => index * (1 + range * (2 * at / POINTS - 1)));
  return [...new Set([...spread, index])].sort((one, other) => one - other);
}

function whole(value: number | undefined): string {
  return value === undefined ? ABSENT : price(rounded(value, 0));
}

function bounded(value: number | null): string {
  return value === null ? 'without bound' : whole(value);
}

function profit(value: number | null | undefined): string {
  return value === undefined || value === null ? ABSENT : signed(rounded(value, 0));
}

function build(palette: Palette): ChartOptions {
  const money = (_: unknown, values: number[]): string[] => values.map((value) => price(value));
  return {
    scales: { x: { time: false } },
    series: [
      {},
      { stroke: palette.soft, width: 1, points: { show: false } },
      { stroke: palette.soft, width: 2, dash: [4, 4], pxAlign: 0, points: { show: false } },
      { stroke: palette.accent, width: 2, pxAlign: 0, points: { show: false } },
      { stroke: palette.accent, paths: () => null, points: { show: true, size: 10, fill: palette.accent } },
    ],
    axes: axesOf(palette, { values: money, size: 32 }, { values: money, size: 80 }),
  };
}
