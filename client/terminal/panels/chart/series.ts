// The series that a chart can show, and how its candles are read from the venue and kept up.

import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { RESOLUTIONS, type ChannelName, type Resolution, type Strikebook, type StrikebookError } from '../../../src/main.ts';
import { connection } from '../../venue/connection.ts';
import { useStream } from '../../venue/hooks.ts';
import { inNextFrame } from '../../venue/frames.ts';
import { Candles, type Bar, type BarColumns } from './candles.ts';

export type Source = 'index' | 'trade' | 'mark';
export type Series = { readonly source: Source; readonly name: string; readonly resolution: Resolution };
type SeriesState = {
  readonly columns: ReadonlySignal<BarColumns>;
  readonly error: ReadonlySignal<string | null>;
  readonly isWhole: ReadonlySignal<boolean>;
  readonly isRead: ReadonlySignal<boolean>;
  readonly readEarlier: () => void;
};

const BARS_READ = 1_000;
/** Of a contract's trades: the most of any series but an index. */
const KEPT = 5_000;

export function useSeries({ source, name, resolution }: Series): SeriesState {
  const key = `${source} ${name} ${resolution}`;
  const reader = useMemo(() => new SeriesReader({ source, name, resolution }), [key]);
  const channel: ChannelName = `candles:${name}:${source === 'mark' ? `${resolution}:mark` : resolution}`;
  useStream(channel, {}, (bar) => reader.takeStreamed(bar), () => reader.begin());
  useEffect(() => {
    const stop = connection.client.subscribe(() => reader.begin());
    return () => {
      stop();
      reader.end();
    };
  }, [reader]);
  return reader;
}

class SeriesReader implements SeriesState {
  readonly columns;
  readonly error = signal<string | null>(null);
  readonly isWhole = signal(false);
  readonly isRead = signal(false);
  readonly readEarlier = (): void => void this.#read();
  readonly #series: Series;
  readonly #candles = new Candles();
  readonly #ending = new AbortController();
  readonly #intervalMs: number;
  #from = 0;
  #isReading = false;
  #isAskedAgain = false;
  readonly #show = (): void => { this.columns.value = this.#candles.columns(); };

  constructor(series: Series) {
    this.#series = series;
    this.#intervalMs = RESOLUTIONS[series.resolution];
    this.columns = signal(this.#candles.columns());
  }

  begin(): void {
    if (this.#isReading) {
      this.#isAskedAgain = true;
      return;
    }
    this.#candles.reset();
    this.isWhole.value = false;
    this.#from = (Math.floor(connection.now() / this.#intervalMs) + 1) * this.#intervalMs;
    void this.#read();
  }

  takeStreamed(bar: Bar): void {
    this.#candles.takeStreamed(bar);
    inNextFrame(this.#show);
  }

  end(): void {
    this.#ending.abort();
  }

  /** Only of an index does a part without candles mean that none is before it. */
  async #read(): Promise<void> {
    const client = connection.client.peek();
    if (client === null || this.#isReading || this.isWhole.peek()) return;
    this.#isReading = true;
    const oldest = connection.now() - KEPT * this.#intervalMs;
    try {
      for (let count = 0; count === 0 && !this.isWhole.peek();) {
        const to = this.#from;
        const bars = await this.#part(client, to - BARS_READ * this.#intervalMs, to);
        this.#candles.takeRead(bars);
        this.#from = to - BARS_READ * this.#intervalMs;
        this.isWhole.value = this.#series.source === 'index' ? bars.length === 0 : this.#from <= oldest;
        count = bars.length;
      }
      this.error.value = null;
      this.isRead.value = true;
      inNextFrame(this.#show);
    } catch (error) {
      if (!this.#ending.signal.aborted) this.error.value = (error as StrikebookError).message;
    }
    this.#isReading = false;
    if (!this.#isAskedAgain) return;
    this.#isAskedAgain = false;
    this.begin();
  }

  async #part(client: Strikebook, from: number, to: number): Promise<readonly Bar[]> {
    const { source, name, resolution } = this.#series;
    const span = { resolution, start_time_ms: from, end_time_ms: to };
    const call = { signal: this.#ending.signal, retries: 0 };
    if (source === 'index') return (await client.get('/candles', { ...span, underlying: name }, call)).data.candles;
    return (await client.get('/instrument-candles', { ...span, instrument_name: name, price: source }, call)).data.candles;
  }
}
