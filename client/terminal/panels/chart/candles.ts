// The candles of one series, ascending by time: read from newer to older, and kept up by the stream. Empty intervals are left out.

export type Bar = {
  readonly start_time_ms: number; readonly open: number; readonly high: number; readonly low: number; readonly close: number;
  readonly volume: number;
};
/** Seconds, open, high, low, close, volume. */
export type BarColumns = [number[], number[], number[], number[], number[], number[]];

export class Candles {
  readonly #bars = new Map<number, Bar>();
  /** Bars that the stream told: a read asked for before must not replace them. */
  readonly #streamed = new Set<number>();

  takeRead(bars: readonly Bar[]): void {
    for (const bar of bars) if (!this.#streamed.has(bar.start_time_ms)) this.#bars.set(bar.start_time_ms, bar);
  }

  takeStreamed(bar: Bar): void {
    this.#streamed.add(bar.start_time_ms);
    this.#bars.set(bar.start_time_ms, bar);
  }

  /** After a possible loss: what is read from now on counts. */
  reset(): void {
    this.#streamed.clear();
  }

  columns(): BarColumns {
    const bars = [...this.#bars.values()].sort((one, other) => one.start_time_ms - other.start_time_ms);
    return [
      bars.map(({ start_time_ms: start }) => start / 1_000), bars.map(({ open }) => open), bars.map(({ high }) => high),
      bars.map(({ low }) => low), bars.map(({ close }) => close), bars.map(({ volume }) => volume),
    ];
  }
}
