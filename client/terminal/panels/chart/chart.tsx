// The chart: candles of the index, or of a contract's trades or marks, kept up by the stream.

import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { RESOLUTIONS, type Resolution } from '../../../src/main.ts';
import { momentBoth, price } from '../../format.ts';
import { Chart } from '../../ui/chart.tsx';
import { Tabs } from '../../ui/controls.tsx';
import type { Palette } from '../../ui/palette.ts';
import { remembered } from '../../ui/remembered.ts';
import { connection } from '../../venue/connection.ts';
import { useStream } from '../../venue/hooks.ts';
import { inNextFrame, selection } from '../../venue/store.ts';
import { Candles, type BarColumns } from './candles.ts';
import { candleOptions } from './picture.ts';

const BARS_READ = 500;
const NAMES = Object.keys(RESOLUTIONS) as Resolution[];
const resolution = remembered<Resolution>('chart.resolution', '5m', (value): value is Resolution => NAMES.includes(value as Resolution));

export function PriceChart() {
  const { underlying } = selection.value;
  return (
    <section aria-label="Chart">
      <div class="bar">
        <Tabs
          label="Time frame" tabs={NAMES.map((id) => ({ id, title: id }))} chosen={resolution.value}
          onChoose={(id) => { resolution.value = id; }}
        />
      </div>
      <IndexCandles key={`${underlying} ${resolution.value}`} underlying={underlying} resolution={resolution.value} />
    </section>
  );
}

function IndexCandles({ underlying, resolution: name }: { readonly underlying: string; readonly resolution: Resolution }) {
  const intervalMs = RESOLUTIONS[name];
  const candles = useMemo(() => new Candles(), []);
  const columns = useSignal<BarColumns>(candles.columns());
  const show = useMemo(() => () => { columns.value = candles.columns(); }, []);
  const read = (): void => {
    const end = connection.now() + intervalMs;
    void connection.client.value?.get('/candles', {
      underlying, resolution: name, start_time_ms: Math.floor(end - BARS_READ * intervalMs), end_time_ms: end,
    }).then(({ data }) => {
      candles.takeRead(data.candles);
      inNextFrame(show);
    }, () => undefined);
  };
  useEffect(() => connection.client.subscribe(read), []);
  useStream(`candles:${underlying}:${name}`, {}, (bar) => {
    candles.takeStreamed(bar);
    inNextFrame(show);
  }, () => {
    candles.reset();
    read();
  });
  const build = useMemo(() => (palette: Palette) => candleOptions(palette, intervalMs / 1_000), []);
  const description = useComputed(() => `${columns.value[0].length} candles of ${name} of the index of ${underlying}.`);
  return (
    <Chart
      label={`Candles of the index of ${underlying}`} description={description.value} data={columns.value} build={build}
      readout={(at) => readoutOf(columns.value, at)} empty="No candles yet."
    />
  );
}

function readoutOf([starts, opens, highs, lows, closes, volumes]: BarColumns, pointed: number | null): string {
  const at = pointed ?? starts.length - 1;
  const parts = [['O', opens], ['H', highs], ['L', lows], ['C', closes], ['Vol', volumes]] as const;
  return [momentBoth(starts[at]! * 1_000), ...parts.map(([name, values]) => `${name} ${price(values[at])}`)].join('  ');
}
