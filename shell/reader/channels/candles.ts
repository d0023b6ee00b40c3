// candles:<UNDERLYING>:<resolution>: the current candle of an index, then after every price. candles:<SYMBOL>:<resolution> likewise of a
// contract's trades; with :mark of its marks, conflated.

import { FILL, FILL_INSTRUMENT, FILL_PRICE, FILL_SIZE, INDEX_IS_USED, INDEX_MOVED, INDEX_RECEIVED, INDEX_UNDERLYING,
  MARKS_MOVED } from '../../../core/codec/events.ts';
import { TIME } from '../../../core/engine/state.ts';
import type { CandleKind, CandleRow } from '../../storage/history/protocol.ts';
import { askCandles, candleRecord, instrumentCandle, partOfTick, partOfTrade, startOf, withPart } from '../history/candles.ts';
import { RESOLUTIONS, type Resolution } from '../../ipc/enum-names.ts';
import { refuse } from '../../http/errors.ts';
import { HISTORY_BUSY } from '../answers.ts';
import { canonicalSymbol, slotOfSymbol } from '../text.ts';
import { CONFLATION_MS, NO_ID, type ChannelSource, type ChannelTopic, type GiveSnapshot, type SourceParts } from './source.ts';
import type { MessageNamed } from '../../http/shapes/messages.ts';
import type { CurrentRecord } from '../history/rows.ts';

const NAMES = Object.keys(RESOLUTIONS) as Resolution[];
export const MARKS_AT_ONCE = 50;

/** `id`: NO_ID of an index. */
type Meaning = {
  readonly key: string; readonly kind: Exclude<CandleKind, 'vol_index'>; readonly of: string; readonly underlying: number;
  readonly id: number; readonly resolution: Resolution;
};

export function candlesSource(parts: SourceParts): ChannelSource {
  const candles = new CurrentCandles(parts);
  return {
    events: [INDEX_MOVED, FILL, MARKS_MOVED],
    onEvent: (kind, f, record) => candles.onEvent(kind, f, record),
    open: (key) => (candles.meaningOf(key) === null ? refuse('invalid_parameter', `Unknown channel: candles:${key}`) : { key, id: NO_ID }),
    snapshot: ({ key }, { time }, give) => candles.snapshot(candles.meaningOf(key)!, time, give),
    end: ({ key }) => candles.end(key),
    isPending: () => candles.isPending,
    flush: (now) => candles.flush(now),
  };
}

class CurrentCandles {
  readonly #parts: SourceParts;
  readonly #newest = new Map<string, CandleRow>();
  readonly #marks = new Map<string, Meaning>();
  readonly #waiting = new Set<string>();
  #flushedAt = -Infinity;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  get isPending(): boolean {
    return this.#waiting.size > 0;
  }

  meaningOf(key: string): Meaning | null {
    const { state, names } = this.#parts;
    const [of = '', wanted, price] = key.split(':');
    const resolution = NAMES.find((one) => one === wanted);
    if (resolution === undefined) return null;
    const index = names.underlyings().indexOf(of);
    const slot = index >= 0 ? -1 : slotOfSymbol(state, of);
    if (index < 0 && (slot < 0 || canonicalSymbol(of) !== of)) return null;
    const kind = index >= 0 ? 'index' : price === 'mark' ? price : 'trade';
    if ((kind === 'mark' && resolution === '1m') || key !== keyOf(of, resolution, kind)) return null;
    const contract = index >= 0 ? { underlying: index, id: NO_ID }
      : { underlying: state.instruments.underlying[slot]!, id: state.instruments.id[slot]! };
    return { key, kind, of, resolution, ...contract };
  }

  onEvent(kind: number, f: Float64Array, record: CurrentRecord): void {
    if (kind === MARKS_MOVED) this.#onMarks(f[INDEX_UNDERLYING]!);
    else if (kind === FILL) this.#onTrade(f, record);
    else if (f[INDEX_IS_USED] === 1 && f[INDEX_RECEIVED] !== 0) this.#onPrice(f, record);
  }

  snapshot(meaning: Meaning, time: number, give: GiveSnapshot): void {
    const { state } = this.#parts;
    const { key, kind, of, resolution } = meaning;
    // Prices of an ended interval may still arrive.
    const start = startOf(Math.min(time, state.clock[TIME]!), RESOLUTIONS[resolution]);
    const isAsked = askCandles(this.#parts, { kind, of, resolution, start, end: Number.MAX_SAFE_INTEGER }, (candles) => {
      const candle = candles.at(-1);
      if (candle !== undefined) this.#newest.set(key, candle);
      if (kind === 'mark') this.#marks.set(key, meaning);
      const isShown = candle?.time === startOf(time, RESOLUTIONS[resolution]);
      give({ seq: this.#seqOf(meaning), messages: isShown ? [this.#message(meaning, candle)] : [] });
    });
    if (!isAsked) give(HISTORY_BUSY);
  }

  end(key: string): void {
    this.#newest.delete(key);
    this.#marks.delete(key);
    this.#waiting.delete(key);
  }

  flush(now: number): void {
    if (now - this.#flushedAt < CONFLATION_MS) return;
    this.#flushedAt = now;
    const { topics } = this.#parts;
    let left = MARKS_AT_ONCE;
    for (const key of this.#waiting) {
      if (left-- === 0) return;
      this.#waiting.delete(key);
      const topic = topics.byKey.get(key);
      if (topic !== undefined) this.#send(topic, this.#marks.get(key)!, this.#newest.get(key)!);
    }
  }

  #onPrice(f: Float64Array, { seq, time }: CurrentRecord): void {
    const underlying = f[INDEX_UNDERLYING]!;
    const of = this.#parts.names.underlying(underlying);
    this.#add({ kind: 'index', of, underlying, id: NO_ID }, partOfTick({ seq, time, price: f[INDEX_RECEIVED]! }));
  }

  #onTrade(f: Float64Array, { seq, time }: CurrentRecord): void {
    const { state: { instruments }, names } = this.#parts;
    const slot = f[FILL_INSTRUMENT]!;
    const contract = { of: names.symbol(slot), underlying: instruments.underlying[slot]!, id: instruments.id[slot]! };
    this.#add({ kind: 'trade', ...contract }, partOfTrade({ seq, time, price: f[FILL_PRICE]!, size: f[FILL_SIZE]! }));
  }

  #add(of: Omit<Meaning, 'key' | 'resolution'>, part: CandleRow): void {
    const { topics } = this.#parts;
    for (const resolution of NAMES) {
      const key = keyOf(of.of, resolution, of.kind);
      const topic = topics.byKey.get(key);
      if (topic === undefined) continue;
      const candle = withPart(this.#newest.get(key) ?? null, part, RESOLUTIONS[resolution]);
      this.#newest.set(key, candle);
      this.#send(topic, { ...of, key, resolution }, candle);
    }
  }

  #onMarks(underlying: number): void {
    const { state, candleParts } = this.#parts;
    for (const meaning of this.#marks.values()) {
      if (meaning.underlying !== underlying) continue;
      const slot = slotOfSymbol(state, meaning.of);
      const part = slot < 0 ? null : candleParts.marks.of(slot, Infinity);
      if (part === null) continue;
      const candle = withPart(this.#newest.get(meaning.key) ?? null, { ...part, volume: 0, trades: 0 }, RESOLUTIONS[meaning.resolution]);
      this.#newest.set(meaning.key, candle);
      this.#waiting.add(meaning.key);
    }
  }

  #send(topic: ChannelTopic, meaning: Meaning, candle: CandleRow): void {
    this.#parts.topics.send(topic, this.#seqOf(meaning), Buffer.from(this.#message(meaning, candle)));
  }

  #seqOf({ kind, underlying, of }: Meaning): number {
    const { streams, valuation } = this.#parts.state;
    if (kind === 'index') return streams.ticks[underlying]!;
    if (kind === 'mark') return valuation.vintage[underlying]!;
    const slot = slotOfSymbol(this.#parts.state, of);
    return slot < 0 ? 0 : streams.trades[slot]!;
  }

  #message(meaning: Meaning, candle: CandleRow): string {
    const { kind, of, resolution } = meaning;
    const underlying = this.#parts.names.underlying(meaning.underlying);
    const record = kind === 'index' ? candleRecord(underlying, resolution, candle)
      : instrumentCandle({ underlying, symbol: of, price: kind, resolution }, candle);
    return JSON.stringify({ type: 'CandleUpdate', ...record, seq: this.#seqOf(meaning) } satisfies MessageNamed<'CandleUpdate'>);
  }
}

function keyOf(of: string, resolution: Resolution, kind: CandleKind): string {
  return kind === 'mark' ? `${of}:${resolution}:mark` : `${of}:${resolution}`;
}
