// The rows of one chain: a signal for each contract, written once per frame and only if a figure of it changed.

import { signal, type Signal } from '@preact/signals';
import type { ChainLeg, OptionSummary, OptionsChainUpdate } from '../../../src/main.ts';
import { inNextFrame, latest, setSoon } from '../../venue/frames.ts';

export type ChainRow = {
  readonly strike: number;
  readonly call: Signal<ChainLeg | null>; readonly put: Signal<ChainLeg | null>;
  readonly callSummary: Signal<OptionSummary | null>; readonly putSummary: Signal<OptionSummary | null>;
};

export class ChainRows {
  /** Ascending by strike. */
  readonly rows = signal<readonly ChainRow[]>([]);
  readonly #byStrike = new Map<number, ChainRow>();
  readonly #update = (): void => {
    this.rows.value = [...this.#byStrike.values()]
      .filter(({ call, put }) => latest(call, 'chain') !== null || latest(put, 'chain') !== null)
      .sort((one, other) => one.strike - other.strike);
  };

  take(message: OptionsChainUpdate): void {
    if (message.action === 'Upsert') {
      const { strike, call, put } = message.row;
      const row = this.#row(strike);
      if (call !== undefined) this.#write(row.call, call);
      if (put !== undefined) this.#write(row.put, put);
      return;
    }
    const row = this.#byStrike.get(message.strike);
    if (row === undefined) return;
    setSoon(message.option_type === 'call' ? row.call : row.put, null, 'chain');
    inNextFrame(this.#update, 'chain');
  }

  /** A contract is shown once the stream has told it. */
  summarise(summaries: readonly OptionSummary[]): void {
    for (const summary of summaries) {
      const [, , strike, kind] = summary.instrument_name.split('-');
      const row = this.#byStrike.get(Number(strike));
      if (row === undefined) continue;
      const target = kind === 'C' ? row.callSummary : row.putSummary;
      if (!isSame(latest(target, 'chain'), summary)) setSoon(target, summary, 'chain');
    }
  }

  clear(): void {
    this.#byStrike.clear();
    inNextFrame(this.#update, 'chain');
  }

  #row(strike: number): ChainRow {
    let row = this.#byStrike.get(strike);
    if (row !== undefined) return row;
    row = { strike, call: signal(null), put: signal(null), callSummary: signal(null), putSummary: signal(null) };
    this.#byStrike.set(strike, row);
    inNextFrame(this.#update, 'chain');
    return row;
  }

  #write(target: Signal<ChainLeg | null>, leg: ChainLeg): void {
    const before = latest(target, 'chain');
    if (before === null) inNextFrame(this.#update, 'chain');
    if (!isSame(before, leg)) setSoon(target, leg, 'chain');
  }
}

/** Of two answers of the same shape. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  return (Object.keys(other) as (keyof typeof other)[]).every((key) => isSame(one[key], other[key]));
}
