// The smile of one expiry as a chart and a table, live while it is shown; own orders are read every few seconds.

import { useComputed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { dayUtc, percent, price, rounded } from '../../format.ts';
import { Chart } from '../../ui/chart.tsx';
import { Button } from '../../ui/controls.tsx';
import { DataGrid } from '../../ui/grid.tsx';
import type { Palette } from '../../ui/palette.ts';
import { connection } from '../../venue/connection.ts';
import { useRead } from '../../venue/hooks.ts';
import { indexOf, select } from '../../venue/store.ts';
import { useWhatIf } from '../../venue/what-if.ts';
import { useChain } from '../chain/use-chain.ts';
import { NOBODY } from '../ticket/judge.ts';
import { smileOptions } from './picture.ts';
import {
  columnsOf, ownQuotes, smilePoints, surfaceOf, symbolsNear, type Legs, type OwnQuote, type SmilePoint, type SurfaceLine,
} from './points.ts';

const READ_EVERY_MS = 3_000;
const LEGS: readonly { readonly id: Legs; readonly title: string }[] = [
  { id: 'outside', title: 'Out of the money' }, { id: 'calls', title: 'Calls' }, { id: 'puts', title: 'Puts' },
];
const MOST_SYMBOLS = 100;
const NO_QUOTES: readonly OwnQuote[] = [];
const NO_LINE: SurfaceLine = new Map();

type SmileProps = { readonly underlying: string; readonly expiry: number };

export function SmileView({ expiry, underlying }: SmileProps) {
  const legs = useSignal<Legs>('outside');
  const points = usePoints({ expiry, underlying }, legs.value);
  const { own, surface } = useInputs(points, underlying);
  const columns = useMemo(() => columnsOf(points, own, surface), [points, own, surface]);
  const build = useMemo(() => (palette: Palette) => smileOptions(palette, () => Number(indexOf(underlying).peek()?.price)), [underlying]);
  const label = `Smile of ${underlying}, ${dayUtc(expiry * 1_000)}`;
  return (
    <section aria-label={label}>
      <div class="bar">
        <h3>{label}, volatility in %</h3>
        <div class="switch" role="group" aria-label="Contracts of the smile">
          {LEGS.map(({ id, title }) => (
            <Button key={id} isPressed={legs.value === id} onClick={() => { legs.value = id; }}>{title}</Button>
          ))}
        </div>
      </div>
      <Legend />
      <Chart
        label={label} data={columns} build={build} empty="Asking the venue for the chain …"
        description={`Volatility of surface, mark, best bid and best ask at ${points.length} strikes, also in the table below.`}
        readout={(at) => readoutOf({ points, own, surface }, at === null ? null : columns[0][at]!)}
      />
      <SmileTable points={points} own={own} surface={surface} label={`${label}, as a table`} />
    </section>
  );
}

function usePoints(of: SmileProps, legs: Legs): readonly SmilePoint[] {
  const { chain } = useChain(of);
  const values = useComputed(() => chain.rows.value.map(({ call, callSummary, put, putSummary, strike }) => (
    { strike, call: call.value, put: put.value, callSummary: callSummary.value, putSummary: putSummary.value }
  )));
  const index = useComputed(() => Number(indexOf(of.underlying).value?.price));
  return useMemo(() => smilePoints(values.value, index.value, legs), [values.value, index.value, legs]);
}

function useInputs(points: readonly SmilePoint[], underlying: string): Omit<Figures, 'points'> {
  const wallet = connection.account.value?.wallet ?? NOBODY;
  const index = useComputed(() => Number(indexOf(underlying).value?.price));
  const symbols = useMemo(() => symbolsNear(points, index.value, MOST_SYMBOLS).join(), [points, index.value]);
  const inputs = useRead('/risk/inputs', symbols === '' ? null : { wallet, symbols }, { everyMs: READ_EVERY_MS });
  const told = inputs.data?.data ?? null;
  const { whatIf } = useWhatIf(told);
  const own = useMemo(() => (
    whatIf === null ? NO_QUOTES : ownQuotes(whatIf.inputs, points, (symbol, at) => whatIf.volatilityAt(symbol, at))
  ), [whatIf, points]);
  const surface = useMemo(() => (told === null ? NO_LINE : surfaceOf(told)), [told]);
  return { own, surface };
}

const KEYS = [
  { name: 'surface', what: 'Surface', source: 'GET /risk/inputs, volatility' },
  { name: 'mark', what: 'Mark', source: 'GET /options-summary, mark_iv' },
  { name: 'bid', what: 'Best bid', source: 'Channel options_chain, bid_iv' },
  { name: 'ask', what: 'Best ask', source: 'Channel options_chain, ask_iv' },
  { name: 'own', what: 'Own orders', source: 'Orders of GET /risk/inputs, valued by the venue’s core in the page' },
] as const;

function Legend() {
  return (
    <p class="legend">{KEYS.map(({ name, source, what }) => <span key={name} class={`key ${name}`} title={source}>{what}</span>)}</p>
  );
}

type Figures = { readonly points: readonly SmilePoint[]; readonly own: readonly OwnQuote[]; readonly surface: SurfaceLine };

function SmileTable({ label, own, points, surface }: Figures & { readonly label: string }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => { isOpen.value = event.currentTarget.open; }}>
      <summary>Figures of this smile</summary>
      {isOpen.value && (
        <DataGrid
          label={label} rows={points} rowKey={({ symbol }) => symbol} empty="No contracts."
          onChoose={({ symbol }) => select({ contract: symbol })}
          columns={[
            { id: 'symbol', title: 'Contract', isText: true, cell: ({ symbol }) => symbol },
            { id: 'strike', title: 'Strike', cell: ({ strike }) => price(strike), order: ({ strike }) => strike },
            { id: 'bid', title: 'Bid', cell: ({ bid }) => percent(bid) },
            { id: 'mark', title: 'Mark', cell: ({ mark }) => percent(mark) },
            { id: 'ask', title: 'Ask', cell: ({ ask }) => percent(ask) },
            { id: 'own', title: 'Own orders', cell: ({ symbol }) => ownText(own, symbol) },
            { id: 'surface', title: 'Surface', cell: ({ symbol }) => percent(rounded(surface.get(symbol), 4)) },
          ]}
        />
      )}
    </details>
  );
}

function ownText(own: readonly OwnQuote[], symbol: string): string {
  return own.filter((one) => one.symbol === symbol).map(({ side, volatility }) => `${side} ${shown(volatility)}`).join(', ');
}

function readoutOf({ own, points, surface }: Figures, strike: number | null): string {
  const point = points.find((one) => one.strike === strike);
  if (point === undefined) return `${points.length} strikes: point at one, or use the arrow keys.`;
  const { ask, bid, mark, symbol } = point;
  const orders = ownText(own, symbol);
  const figures = `bid ${shown(bid)}, mark ${shown(mark)}, ask ${shown(ask)}, surface ${shown(surface.get(symbol) ?? null)}`;
  return `${symbol}: ${figures}${orders === '' ? '' : `, own ${orders}`}`;
}

function shown(volatility: number | null): string {
  return percent(rounded(volatility, 4));
}
