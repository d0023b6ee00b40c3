// The newest trades of a contract, newest first: read once, then by the stream; one that both tell is there once.

import type { Trade, TradeMessage } from '../../../src/main.ts';

export type RecentTrade = {
  readonly id: number; readonly price: string; readonly size: string; readonly isBuy: boolean; readonly timestamp: number;
};

const KEPT = 60;

export class RecentTrades {
  readonly #byId = new Map<number, RecentTrade>();

  get rows(): readonly RecentTrade[] {
    return [...this.#byId.values()].sort((one, other) => other.id - one.id);
  }

  takeRead(trades: readonly Trade[]): void {
    for (const { trade_id: id, price, size, taker_side: side, timestamp } of trades) {
      this.#byId.set(id, { id, price, size, isBuy: side === 'Buy', timestamp });
    }
    this.#shorten();
  }

  takeStreamed({ trade_id: id, price, size, side, timestamp }: TradeMessage): void {
    this.#byId.set(id, { id, price, size, isBuy: side === 'buy', timestamp });
    if (this.#byId.size > 2 * KEPT) this.#shorten();
  }

  #shorten(): void {
    for (const { id } of this.rows.slice(KEPT)) this.#byId.delete(id);
  }
}
