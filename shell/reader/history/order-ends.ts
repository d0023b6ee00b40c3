// How orders ended that a replace names too late: the stream has the same reason as the answer (decision 3.8). For an older order the
// record waits for the history.

import { readSafe, REPLACE_ORDER, WORD_REPLACED_ID, WORD_WALLET } from '../../../core/codec/commands.ts';
import { ACCOUNT, ORDER_DONE, ORDER_FILLED, ORDER_ID, ORDER_REASON, ORDER_SLOT } from '../../../core/codec/events.ts';
import { HIGH, recordKind, type Views } from '../../../core/codec/record.ts';
import { DONE_FILLED, DONE_MARKET_DELETED } from '../../../core/errors.ts';
import { findOrder } from '../../../core/book/pool.ts';
import { isQuote } from '../../../core/orders/names.ts';
import { ORDER_IDS } from '../../../core/orders/orders.ts';
import type { State } from '../../../core/engine/state.ts';
import { notOpenReason } from '../../http/bodies/order-status.ts';
import type { OrderStanding } from '../../ipc/queries.ts';
import type { TradingHistory } from './trading-history.ts';
import { accountOfWallet, addressOfWords } from '../text.ts';

const KEPT = 262_144;

type Asked = { readonly wallet: string; readonly id: number; standing: OrderStanding | null; isAsking: boolean };

export class OrderEnds {
  readonly #state: State;
  readonly #tradingHistory: Pick<TradingHistory, 'standing'>;
  readonly #ids = new Float64Array(KEPT);
  readonly #accounts = new Int32Array(KEPT);
  readonly #isFilled = new Uint8Array(KEPT);
  #asked: Asked | null = null;

  constructor(state: State, tradingHistory: Pick<TradingHistory, 'standing'>) {
    this.#state = state;
    this.#tradingHistory = tradingHistory;
  }

  onEvent(kind: number, f: Float64Array): void {
    if (kind !== ORDER_DONE || f[ORDER_REASON] === DONE_MARKET_DELETED) return;
    if (f[ORDER_FILLED] === 0 && f[ORDER_SLOT]! >= 0 && isQuote(this.#state.orders, f[ORDER_SLOT]!)) return;
    const at = f[ORDER_ID]! % KEPT;
    this.#ids[at] = f[ORDER_ID]!;
    this.#accounts[at] = f[ACCOUNT]!;
    this.#isFilled[at] = Number(f[ORDER_REASON] === DONE_FILLED);
  }

  isReady(views: Views, at: number): boolean {
    if (recordKind(views, at) !== REPLACE_ORDER) return true;
    const id = readSafe(views, (at >>> 2) + WORD_REPLACED_ID);
    const isIssued = id >= 1 && id <= this.#state.orders.counters[ORDER_IDS]!;
    if (!isIssued || findOrder(this.#state.books, id >>> 0, Math.floor(id / HIGH)) > 0 || this.#ids[id % KEPT] === id) return true;
    const wallet = addressOfWords(views.u32, (at >>> 2) + WORD_WALLET);
    if (this.#asked?.wallet !== wallet || this.#asked.id !== id) this.#asked = { wallet, id, standing: null, isAsking: false };
    const asked = this.#asked;
    if (asked.standing === null && !asked.isAsking) {
      asked.isAsking = true;
      this.#tradingHistory.standing(wallet, { orderId: id }, (standing) => {
        asked.isAsking = false;
        asked.standing = standing;
      });
    }
    return asked.standing !== null;
  }

  reasonOf(wallet: string, id: number): string {
    return notOpenReason(String(id), this.#standingOf(wallet, id));
  }

  #standingOf(wallet: string, id: number): Pick<OrderStanding, 'state' | 'order'> {
    const at = id % KEPT;
    if (this.#ids[at] === id) {
      const isOwn = this.#accounts[at] === accountOfWallet(this.#state, wallet);
      return { state: !isOwn ? 'unknown' : this.#isFilled[at] === 1 ? 'filled' : 'cancelled', order: null };
    }
    const asked = this.#asked;
    // An unanswered end counts as no longer known.
    return asked?.wallet === wallet && asked.id === id && asked.standing !== null ? asked.standing : { state: 'forgotten', order: null };
  }
}
