// Rows from which the history makes candles of marks and volatility indexes. Trades and index prices have other rows.

import { INDEX_UNDERLYING, INSTRUMENT, INSTRUMENT_DELETED, INSTRUMENT_EXPIRED, MARKS_MOVED } from '../../../core/codec/events.ts';
import type { State } from '../../../core/engine/state.ts';
import { USDC } from '../../../core/units.ts';
import type { CandlePart, Rows } from '../../storage/history/protocol.ts';
import { VolIndex } from '../market/vol-index.ts';
import { MarkCandles } from './mark-candles.ts';
import type { CurrentRecord } from './rows.ts';
import type { Names } from '../text.ts';

export class CandleParts {
  readonly marks: MarkCandles;
  readonly volIndex: VolIndex;
  readonly #names: Names;
  readonly #rows: Rows;

  constructor(state: State, names: Names, rows: Rows) {
    this.marks = new MarkCandles(state, names);
    this.volIndex = new VolIndex(state);
    this.#names = names;
    this.#rows = rows;
  }

  begin({ seq, time }: CurrentRecord): void {
    for (const part of this.marks.takeEnded(seq, time)) this.#rows.candleParts.push(part);
  }

  onEvent(kind: number, slots: Float64Array, { seq, time }: CurrentRecord, needsRows: boolean): void {
    if (kind === MARKS_MOVED) {
      const underlying = slots[INDEX_UNDERLYING]!;
      this.marks.add(underlying, time);
      if (this.volIndex.meet(underlying) && needsRows) this.#addVolIndex(underlying, seq);
    } else if (kind === INSTRUMENT_EXPIRED || kind === INSTRUMENT_DELETED) {
      const part = this.marks.takeOne(slots[INSTRUMENT]!, seq);
      if (part !== null && needsRows) this.#rows.candleParts.push(part);
    }
  }

  #addVolIndex(underlying: number, seq: number): void {
    const { value, time } = this.volIndex.of(underlying);
    if (value === null) return;
    const price = Math.round(value * USDC);
    const part: CandlePart = {
      seq, kind: 'vol_index', name: this.#names.underlying(underlying), time, open: price, high: price, low: price, close: price,
    };
    this.#rows.candleParts.push(part);
  }
}
