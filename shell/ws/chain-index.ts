// Index of this thread's option chain filters by underlying, expiry and contract, so a row's cost does not grow with
// the number of connections. A connection gets a row once, if one of its contracts changed.

import type { ChainSelection } from '../ipc/chain-selection.ts';
import { BOTH_LEGS, CALL_LEG, PUT_LEG, readChainRow } from '../ipc/chain-row.ts';
import { OutboundMessage } from './outbound-message.ts';

export type ChainSubscriber = { deliverRow(message: OutboundMessage): void; lostRow(): void };

type Cell = Map<ChainSubscriber, number>;

const ANY = '*';

export class ChainIndex {
  /** The key: an underlying, a contract or ANY, and an expiry in ms or ANY. */
  readonly #cells = new Map<string, Cell>();
  readonly #cellsBySubscriber = new Map<ChainSubscriber, readonly string[]>();
  readonly #fault: (place: string, error: unknown) => void;

  constructor(fault: (place: string, error: unknown) => void) {
    this.#fault = fault;
  }

  get size(): number {
    return this.#cells.size;
  }

  set(subscriber: ChainSubscriber, filters: readonly ChainSelection[]): void {
    for (const name of this.#cellsBySubscriber.get(subscriber) ?? []) {
      const cell = this.#cells.get(name)!;
      cell.delete(subscriber);
      if (cell.size === 0) this.#cells.delete(name);
    }
    const wanted = new Map<string, number>();
    for (const { symbols = [ANY], expiry = ANY, option_type: type } of filters) {
      const legs = type === undefined ? BOTH_LEGS : type === 'call' ? CALL_LEG : PUT_LEG;
      for (const symbol of symbols) {
        const name = cellOf(symbol, expiry);
        wanted.set(name, (wanted.get(name) ?? 0) | legs);
      }
    }
    for (const [name, legs] of wanted) {
      const cell: Cell = this.#cells.get(name) ?? new Map<ChainSubscriber, number>();
      cell.set(subscriber, legs);
      this.#cells.set(name, cell);
    }
    if (wanted.size > 0) this.#cellsBySubscriber.set(subscriber, [...wanted.keys()]);
    else this.#cellsBySubscriber.delete(subscriber);
  }

  publish(body: Uint8Array): void {
    const row = readChainRow(body);
    const present = (row.call === null ? 0 : CALL_LEG) | (row.put === null ? 0 : PUT_LEG);
    const wanted = new Map<ChainSubscriber, number>();
    for (const [name, legs] of [[ANY, BOTH_LEGS], [row.underlying, BOTH_LEGS], [row.call, CALL_LEG], [row.put, PUT_LEG]] as const) {
      if (name === null) continue;
      for (const expiry of [ANY, row.expiry]) {
        for (const [subscriber, some] of this.#cells.get(cellOf(name, expiry)) ?? []) {
          wanted.set(subscriber, (wanted.get(subscriber) ?? 0) | (some & legs & present));
        }
      }
    }
    const messages: (OutboundMessage | undefined)[] = [];
    for (const [subscriber, legs] of wanted) {
      if ((legs & row.changed) === 0) continue;
      try {
        subscriber.deliverRow(messages[legs] ??= new OutboundMessage(row.message(legs)));
      } catch (error) {
        this.#fault('stream', error);
        subscriber.lostRow();
      }
    }
  }
}

function cellOf(name: string, expiry: string | number): string {
  return `${name} ${expiry}`;
}
