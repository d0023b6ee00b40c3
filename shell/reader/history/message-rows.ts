// History rows of private streams' messages, from which a stream is resumed. Every account has them, with or without a
// subscriber.

import { ACCOUNT, LIQUIDATION_CHANGED } from '../../../core/codec/events.ts';
import type { State } from '../../../core/engine/state.ts';
import type { Rows } from '../../storage/history/protocol.ts';
import { liquidationMessage } from './liquidation-message.ts';
import type { OrderEnds } from './order-ends.ts';
import { accountOfUpdate, orderUpdateOf, packUpdate } from './messages.ts';
import type { CurrentRecord } from './rows.ts';
import type { Names } from '../text.ts';

export class MessageRows {
  readonly #state: State;
  readonly #names: Names;
  readonly #rows: Rows;
  readonly #ends: OrderEnds;

  constructor(state: State, names: Names, rows: Rows, ends: OrderEnds) {
    this.#state = state;
    this.#names = names;
    this.#rows = rows;
    this.#ends = ends;
  }

  onEvent(kind: number, f: Float64Array, record: CurrentRecord): void {
    const { seq, time } = record;
    if (kind === LIQUIDATION_CHANGED) {
      const number = this.#state.streams.accounts.liquidation[f[ACCOUNT]!]!;
      const text = liquidationMessage(this.#state, this.#names, f, time);
      this.#rows.messages.push({ seq, wallet: this.#names.wallet(f[ACCOUNT]!), channel: 'liquidation', number, text });
      return;
    }
    if (accountOfUpdate(kind, f) < 0) return;
    const update = orderUpdateOf({ state: this.#state, names: this.#names, ends: this.#ends }, kind, f, record);
    this.#rows.messages.push({ seq, wallet: update.wallet, channel: 'order_updates', number: update.seq, text: packUpdate(update) });
  }
}
