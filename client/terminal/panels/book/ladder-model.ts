// What a ladder shows: a signal per row, written once per frame and only if it changed. While the pointer, the focus or a drag holds it,
// rows keep their prices.

import { signal, type Signal } from '@preact/signals';
import type { Level } from '../../../src/main.ts';
import { inNextFrame } from '../../venue/frames.ts';
import { gridAround, ladderRows, middleOf, rowOfOrder, standardStep, stepsFor, type Grid, type LadderRow } from './ladder.ts';
import type { OwnOrder } from './own-orders.ts';

type Inputs = {
  bids: readonly Level[]; asks: readonly Level[]; own: readonly OwnOrder[]; mark: number | null;
  count: number;
  isHeld: boolean;
  /** Millionths; null: what the spread asks for. */
  chosenStep: number | null;
};

export class LadderModel {
  readonly rows = signal<readonly Signal<LadderRow>[]>([]);
  readonly steps = signal<readonly number[]>([]);
  readonly step = signal<number | null>(null);
  readonly #inputs: Inputs = { bids: [], asks: [], own: [], mark: null, count: 0, isHeld: false, chosenStep: null };
  #grid: Grid | null = null;
  readonly #draw = (): void => {
    const { bids, asks, mark, count, isHeld, chosenStep } = this.#inputs;
    const middle = middleOf(bids, asks, mark);
    if (middle === null || count === 0) {
      this.rows.value = [];
      return;
    }
    if (this.#grid === null || !isHeld || this.#grid.count !== count || (chosenStep ?? this.#grid.step) !== this.#grid.step) {
      const steps = stepsFor(middle, count);
      const step = chosenStep !== null && steps.includes(chosenStep)
        ? chosenStep : standardStep({ steps, bids, asks, count, before: this.step.peek() });
      this.steps.value = steps;
      this.step.value = step;
      this.#grid = gridAround(middle, step, count, this.#grid);
    }
    this.#write(ladderRows(this.#inputs, this.#grid));
  };

  set(change: Partial<Inputs>): void {
    Object.assign(this.#inputs, change);
    inNextFrame(this.#draw, 'book');
  }

  scroll(rows: number): void {
    if (this.#grid === null) return;
    this.#grid = { ...this.#grid, top: this.#grid.top - rows };
    inNextFrame(this.#draw, 'book');
  }

  ownAt(side: OwnOrder['side'], at: number): readonly OwnOrder[] {
    const grid = this.#grid;
    return grid === null ? [] : this.#inputs.own.filter((order) => order.side === side && rowOfOrder(order, grid) === at);
  }

  #write(next: readonly LadderRow[]): void {
    const before = this.rows.peek();
    if (before.length !== next.length) {
      this.rows.value = next.map((row) => signal(row));
      return;
    }
    for (const [at, row] of next.entries()) if (!isSame(before[at]!.peek(), row)) before[at]!.value = row;
  }
}

function isSame(one: LadderRow, other: LadderRow): boolean {
  return one.price === other.price && one.isBetween === other.isBetween && one.isMark === other.isMark
    && isSameSide(one.bid, other.bid) && isSameSide(one.ask, other.ask);
}

function isSameSide(one: LadderRow['bid'], other: LadderRow['bid']): boolean {
  return one.size === other.size && one.own === other.own && one.sum === other.sum && one.share === other.share
    && one.levels === other.levels && one.isBest === other.isBest;
}
