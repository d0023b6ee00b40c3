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
import { smileOptions } from './picture.ts';
import { columnsOf, ownQuotes, smilePoints, type Legs, type OwnQuote, type SmilePoint } from './points.ts';

const READ_EVERY_MS = 3_000;
const LEGS: readonly { readonly id: Legs; readonly title: string }[] = [
  { id: 'outside', title: 'Out of the money' }, { id: 'calls', title: 'Calls' }, { id: 'puts', title: 'Puts' },
];
const NO_QUOTES: readonly OwnQuote[] = [];

type SmileProps = { readonly underlying: string; readonly expiry: number };

export function SmileView({ expiry, underlying }: SmileProps) {
  const legs = useSignal<Legs>('outside');
  const points = usePoints({ expiry, underlying }, legs.value);
  const own = useOwnQuotes(points);
  const columns = useMemo(() => columnsOf(points, own), [points, own]);
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
        description={`Volatility of mark, best bid and best ask at ${points.length} strikes. The table below has the same figures.`}
        readout={(at) => readoutOf(points, own, at === null ? null : columns[0][at]!)}
      />
      <SmileTable points={points} own={own} label={`${label}, as a table`} />
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

/** Their volatility is what the venue shows for a quote at their price. */
function useOwnQuotes(points: readonly SmilePoint[]): readonly OwnQuote[] {
  const wallet = connection.account.value?.wallet ?? null;
  const inputs = useRead('/risk/inputs', wallet === null ? null : { wallet }, { everyMs: READ_EVERY_MS });
  const { whatIf } = useWhatIf(inputs.data?.data ?? null);
  return useMemo(() => (
    whatIf === null ? NO_QUOTES : ownQuotes(whatIf.inputs, points, (symbol, at) => whatIf.volatilityAt(symbol, at))
  ), [whatIf, points]);
}

const KEYS = [
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

type TableProps = { readonly points: readonly SmilePoint[]; readonly own: readonly OwnQuote[]; readonly label: string };

function SmileTable({ label, own, points }: TableProps) {
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
          ]}
        />
      )}
    </details>
  );
}

function ownText(own: readonly OwnQuote[], symbol: string): string {
  return own.filter((one) => one.symbol === symbol).map(({ side, volatility }) => `${side} ${shown(volatility)}`).join(', ');
}

/** At the strike that is pointed at. */
function readoutOf(points: readonly SmilePoint[], own: readonly OwnQuote[], strike: number | null): string {
  const point = points.find((one) => one.strike === strike);
  if (point === undefined) return `${points.length} strikes: point at one, or use the arrow keys.`;
  const { ask, bid, mark, symbol } = point;
  const orders = ownText(own, symbol);
  return `${symbol}: bid ${shown(bid)}, mark ${shown(mark)}, ask ${shown(ask)}${orders === '' ? '' : `, own ${orders}`}`;
}

function shown(volatility: number | null): string {
  return percent(rounded(volatility, 4));
}
