// Candles of indexes, volatility indexes, marks and trades, merged in memory and written by `flush`. The oldest of one
// name and resolution are dropped; an ended contract keeps its last. Prices and sizes in 1e-6, times in ms.

import { DAY, HOUR, MINUTE } from '../../../core/units.ts';
import type { Db } from './history-file.ts';
import type { LookupTable, NameEntry } from './lookup-tables.ts';
import { CANDLE_KINDS, type CandleKind, type CandlePart, type CandleRow, type PriceRow, type TickRow, type TradeRow } from './protocol.ts';

export const KEPT_CANDLES: Readonly<Record<CandleKind, number>> = { index: Infinity, vol_index: 50_000, mark: 1_000, trade: 5_000 };
const ALL: readonly number[] = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, DAY];
const RESOLUTIONS: Readonly<Record<CandleKind, readonly number[]>> = { index: ALL, vol_index: ALL, mark: ALL.slice(1), trade: ALL };
/** Most series whose newest candle is remembered, so that old candles are looked for once in an interval. */
const MOST_NEWEST = 100_000;

const UPSERT = `INSERT INTO candles VALUES (@name, @kind, @resolution, @time, @seq, @open, @high, @low, @close, @volume, @trades)
  ON CONFLICT DO UPDATE SET seq = @seq, high = max(high, @high), low = min(low, @low), close = @close, volume = volume + @volume,
  trades = trades + @trades`;
const DROP = 'DELETE FROM candles WHERE name = ? AND kind = ? AND resolution = ? AND time <= ?';
const PAGE = `SELECT seq, time, open, high, low, close, volume, trades FROM candles
  WHERE name = ? AND kind = ? AND resolution = ? AND time >= ? AND time < ? ORDER BY time`;
const PRICE_BEFORE = `SELECT seq, close AS price FROM candles
  WHERE name = ? AND kind = ${CANDLE_KINDS.indexOf('index')} AND resolution = ${MINUTE} AND time < ? ORDER BY time DESC LIMIT 1`;

type OpenCandle = CandleRow & { readonly name: number; readonly kind: number; readonly resolution: number };
type Span = { readonly kind: CandleKind; readonly of: string; readonly resolution: number; readonly from: number; readonly to: number };

export class CandleSeries {
  readonly #names: LookupTable<NameEntry>;
  readonly #open = new Map<string, OpenCandle>();
  readonly #newest = new Map<string, number>();
  readonly #run;

  constructor(db: Db, names: LookupTable<NameEntry>) {
    this.#names = names;
    this.#run = { upsert: db.prepare(UPSERT), drop: db.prepare(DROP), page: db.prepare(PAGE), priceBefore: db.prepare(PRICE_BEFORE) };
  }

  addTick({ underlying, price, ...at }: TickRow): void {
    this.#add('index', underlying, { ...at, open: price, high: price, low: price, close: price, volume: 0, trades: 0 });
  }

  addTrade({ symbol, seq, time, price, size }: TradeRow): void {
    this.#add('trade', symbol, { seq, time, open: price, high: price, low: price, close: price, volume: size, trades: 1 });
  }

  addPart({ kind, name, ...values }: CandlePart): void {
    this.#add(kind, name, { ...values, volume: 0, trades: 0 });
  }

  flush(): void {
    for (const [key, candle] of this.#open) this.#write(key, candle);
    this.#open.clear();
  }

  page({ kind, of, resolution, from, to }: Span): CandleRow[] {
    const entry = this.#names.find(of);
    return entry === null ? [] : this.#run.page.all(entry.id, CANDLE_KINDS.indexOf(kind), resolution, from, to) as CandleRow[];
  }

  pricesBefore(underlyings: readonly string[], time: number): PriceRow[] {
    return underlyings.flatMap((underlying) => {
      const entry = this.#names.find(underlying);
      const row = entry === null ? undefined : this.#run.priceBefore.get(entry.id, time) as Omit<PriceRow, 'underlying'> | undefined;
      return row === undefined ? [] : [{ underlying, ...row }];
    });
  }

  #add(kind: CandleKind, of: string, values: CandleRow): void {
    const name = this.#names.findOrAdd(of).id;
    const number = CANDLE_KINDS.indexOf(kind);
    for (const resolution of RESOLUTIONS[kind]) {
      const key = `${name} ${number} ${resolution}`;
      const time = Math.floor(values.time / resolution) * resolution;
      const before = this.#open.get(key);
      if (before !== undefined && before.time !== time) this.#write(key, before);
      this.#open.set(key, before?.time === time ? merged(before, values) : { ...values, time, name, kind: number, resolution });
    }
  }

  #write(key: string, candle: OpenCandle): void {
    const { name, kind, resolution, time } = candle;
    this.#run.upsert.run(candle);
    if (this.#newest.get(key) === time) return;
    if (this.#newest.size >= MOST_NEWEST) this.#newest.clear();
    this.#newest.set(key, time);
    const kept = KEPT_CANDLES[CANDLE_KINDS[kind]!];
    if (kept < Infinity) this.#run.drop.run(name, kind, resolution, time - kept * resolution);
  }
}

function merged(before: OpenCandle, { seq, high, low, close, volume, trades }: CandleRow): OpenCandle {
  return {
    ...before, seq, high: Math.max(before.high, high), low: Math.min(before.low, low), close, volume: before.volume + volume,
    trades: before.trades + trades,
  };
}
