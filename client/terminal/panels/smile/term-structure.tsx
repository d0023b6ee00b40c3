// At-the-money volatility over the expiries: a chart, and a table that chooses the expiry.

import { useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Market } from '../../../src/main.ts';
import { dayUtc, percent, rounded, timeLeft } from '../../format.ts';
import { Chart } from '../../ui/chart.tsx';
import { DataGrid } from '../../ui/grid.tsx';
import { venueTime } from '../../venue/clock.ts';
import { markets, select } from '../../venue/store.ts';
import { shownExpiry } from '../chain/expiries.ts';
import { termOptions } from './picture.ts';

type TermProps = { readonly underlying: string };

export function TermStructure({ underlying }: TermProps) {
  const rows = useComputed(() => (markets.value ?? [])
    .filter((one) => one.underlying === underlying).sort((one, other) => one.expiry - other.expiry)).value;
  const data = useMemo((): [number[], (number | null)[]] => [
    rows.map(({ expiry }) => expiry), rows.map(({ atm_vol: volatility }) => (volatility === null ? null : 100 * Number(volatility))),
  ], [rows]);
  return (
    <section aria-label={`Term structure of ${underlying}`}>
      <h3 title="GET /markets, atm_vol">Term structure: volatility at the money, %</h3>
      <Chart
        label={`Term structure of ${underlying}`} data={data} build={termOptions} empty="Asking the venue for its markets …"
        description={`Volatility at the money of ${rows.length} expiries. The table below has the same figures.`}
        readout={(at) => readoutOf(rows, at)}
      />
      <Expiries underlying={underlying} rows={rows} />
    </section>
  );
}

function Expiries({ rows, underlying }: TermProps & { readonly rows: readonly Market[] }) {
  return (
    <DataGrid
      label={`Expiries of ${underlying}`} rows={rows} rowKey={({ expiry }) => expiry} empty="No expiries: choose another underlying."
      isSelected={({ expiry }) => expiry === shownExpiry.value} onChoose={({ expiry }) => select({ expiry })}
      columns={[
        { id: 'expiry', title: 'Expiry', isText: true, cell: ({ expiry }) => dayUtc(expiry * 1_000) },
        { id: 'left', title: 'Time left', cell: ({ expiry }) => <TimeLeft expiry={expiry} /> },
        { id: 'atm', title: 'At the money', cell: ({ atm_vol: volatility }) => percent(volatility) },
      ]}
    />
  );
}

function TimeLeft({ expiry }: { readonly expiry: number }) {
  return <>{timeLeft(expiry * 1_000 - venueTime.value)}</>;
}

function readoutOf(rows: readonly Market[], at: number | null): string {
  const market = at === null ? undefined : rows[at];
  return market === undefined ? `${rows.length} expiries` : `${dayUtc(market.expiry * 1_000)}: ${percent(rounded(market.atm_vol, 4))}`;
}
