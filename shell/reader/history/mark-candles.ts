// Gathers the marks of each contract over five minutes: first, highest, lowest and last. They become rows before the first command after
// these minutes, when the contract ends, and with every snapshot. Prices in 1e-6, times in ms.

import { ACTIVE, instrumentCount } from '../../../core/instruments/instruments.ts';
import { MINUTE } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import type { CandlePart } from '../../storage/history/protocol.ts';
import type { Names } from '../text.ts';

const LENGTH = 5 * MINUTE;

export class MarkCandles {
  readonly #state: State;
  readonly #names: Names;
  /** -1 after they became rows. */
  #start = -1;
  readonly #contract: Float64Array;
  readonly #since: Float64Array;
  readonly #open: Float64Array;
  readonly #high: Float64Array;
  readonly #low: Float64Array;
  readonly #close: Float64Array;

  constructor(state: State, names: Names) {
    const column = (): Float64Array => new Float64Array(state.instruments.capacity);
    this.#state = state;
    this.#names = names;
    this.#contract = column();
    this.#since = column().fill(-1);
    [this.#open, this.#high, this.#low, this.#close] = [column(), column(), column(), column()];
  }

  add(underlying: number, time: number): void {
    const { instruments, valuation } = this.#state;
    const start = this.#start = Math.floor(time / LENGTH) * LENGTH;
    const end = instrumentCount(instruments);
    for (let slot = 0; slot < end; slot++) {
      if (instruments.underlying[slot] !== underlying || instruments.status[slot] !== ACTIVE) continue;
      const mark = valuation.mark[slot]!;
      if (this.#since[slot] !== start || this.#contract[slot] !== instruments.id[slot]) {
        this.#since[slot] = start;
        this.#contract[slot] = instruments.id[slot]!;
        this.#open[slot] = this.#high[slot] = this.#low[slot] = mark;
      } else if (mark > this.#high[slot]!) {
        this.#high[slot] = mark;
      } else if (mark < this.#low[slot]!) {
        this.#low[slot] = mark;
      }
      this.#close[slot] = mark;
    }
  }

  of(slot: number, seq: number): CandlePart | null {
    if (this.#start < 0 || this.#since[slot] !== this.#start || this.#contract[slot] !== this.#state.instruments.id[slot]) return null;
    return {
      seq, kind: 'mark', name: this.#names.symbol(slot), time: this.#start, open: this.#open[slot]!, high: this.#high[slot]!,
      low: this.#low[slot]!, close: this.#close[slot]!,
    };
  }

  /** Call when the contract has ended: its row may soon be another's. */
  takeOne(slot: number, seq: number): CandlePart | null {
    const part = this.of(slot, seq);
    this.#since[slot] = -1;
    return part;
  }

  all(seq: number): CandlePart[] {
    const parts: CandlePart[] = [];
    const end = instrumentCount(this.#state.instruments);
    for (let slot = 0; this.#start >= 0 && slot < end; slot++) {
      const part = this.of(slot, seq);
      if (part !== null) parts.push(part);
    }
    return parts;
  }

  takeEnded(seq: number, time: number): CandlePart[] {
    if (this.#start < 0 || time < this.#start + LENGTH) return [];
    const parts = this.all(seq);
    this.#start = -1;
    return parts;
  }
}
