// The venue's 30-day volatility index: its candles, kept up by the channel, and the expiries it is made of.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { RESOLUTIONS, type Candle, type Resolution } from '../../../src/main.ts';
import { dayUtc, momentBoth, percent, price, rounded } from '../../format.ts';
import { Chart } from '../../ui/chart.tsx';
import { Tabs } from '../../ui/controls.tsx';
import { remembered } from '../../ui/remembered.ts';
import { connection } from '../../venue/connection.ts';
import { useRead, useStream } from '../../venue/hooks.ts';
import { setSoon } from '../../venue/frames.ts';
import { lineOf, type IndexNow } from './index-line.ts';
import { indexOptions } from './picture.ts';

const CANDLES_READ = 300;
const READ_EVERY_MS = 15_000;
const AHEAD_MS = 24 * 60 * 60_000;
const NAMES = Object.keys(RESOLUTIONS) as Resolution[];
const resolution = remembered<Resolution>('smile.resolution', '5m', (value): value is Resolution => NAMES.includes(value as Resolution));
const NO_CANDLES: readonly Candle[] = [];

type IndexProps = { readonly underlying: string };

export function VolIndex({ underlying }: IndexProps) {
  const now = useSignal<IndexNow | null>(null);
  useStream('vol_index', {}, ({ indexes }) => {
    const found = indexes.find((one) => one.underlying === underlying);
    if (found !== undefined) setSoon(now, found);
  }, () => setSoon(now, null));
  const intervalMs = RESOLUTIONS[resolution.value];
  const candles = useCandles(underlying, resolution.value);
  const data = useMemo(() => lineOf(candles, now.value, intervalMs), [candles, now.value, intervalMs]);
  return (
    <section aria-label={`Volatility index of ${underlying}`}>
      <div class="bar">
        <h3>
          Volatility index of 30 days <span class="figure" title="Channel vol_index">{price(rounded(now.value?.vol_index, 2))}</span>
        </h3>
        <Tabs
          label="Time frame of the index" tabs={NAMES.map((id) => ({ id, title: id }))} chosen={resolution.value}
          onChoose={(id) => { resolution.value = id; }}
        />
      </div>
      <Chart
        label={`Volatility index of ${underlying}`} data={data} build={indexOptions}
        empty="No candles yet: the first comes with the next marks."
        description={`Closes of ${data[0].length} candles of ${resolution.value}.`}
        readout={(at) => readoutOf(data, at)}
      />
      <Parts underlying={underlying} />
    </section>
  );
}

function useCandles(underlying: string, name: Resolution): readonly Candle[] {
  const intervalMs = RESOLUTIONS[name];
  const now = useMemo(() => connection.now(), [underlying, name]);
  const query = { underlying, resolution: name, start_time_ms: now - CANDLES_READ * intervalMs, end_time_ms: now + AHEAD_MS };
  const { data } = useRead('/vol-index/candles', query, { everyMs: READ_EVERY_MS });
  return data?.data.candles ?? NO_CANDLES;
}

function Parts({ underlying }: IndexProps) {
  const { data, error } = useRead('/vol-index', { underlying }, { everyMs: READ_EVERY_MS });
  if (error !== null) return <p class="note bad">{error.message}</p>;
  if (data === null) return null;
  const { expiries, timestamp, vol_index: value } = data.data;
  const parts = expiries.map(({ expiration_timestamp: at, is_stale: isStale, volatility }) => (
    `${dayUtc(at)} at ${percent(rounded(volatility, 4))} %${isStale ? ' (stale)' : ''}`
  ));
  return (
    <p class="soft" title={`GET /vol-index, marks of ${momentBoth(timestamp)}`}>
      {value === null && 'There is no index while an expiry that it needs is stale. '}
      Made of {parts.length === 0 ? 'no expiry yet' : parts.join(' and ')}.
    </p>
  );
}

function readoutOf([starts, values]: ReturnType<typeof lineOf>, pointed: number | null): string {
  const at = pointed ?? starts.length - 1;
  return `${momentBoth(starts[at]! * 1_000)}: ${price(rounded(values[at], 2))}`;
}
