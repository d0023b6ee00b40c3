// Exports of whole lists in parts (decision 6.13). The first part fixes a seq and later rows are left out, so none is repeated or
// missing. A network source has one export at a time, which ends after a minute without a request. Times ms.

import { SEQ, type State } from '../../../core/engine/state.ts';
import { MINUTE } from '../../../core/units.ts';
import { historyBusy, ok, refused, type QueryAnswer, type GiveAnswer } from '../answers.ts';
import type { TradingHistory } from './trading-history.ts';
import type { ExportQuery } from '../../ipc/queries.ts';

const MOST_SOURCES = 1_024;

export class Exports {
  readonly #state: State;
  readonly #tradingHistory: TradingHistory;
  readonly #time: () => number;
  readonly #running = new Map<number, { readonly id: string; readonly until: number }>();

  constructor(state: State, tradingHistory: TradingHistory, time: () => number) {
    this.#state = state;
    this.#tradingHistory = tradingHistory;
    this.#time = time;
  }

  part({ source, id, as_of: asOf, offset, limit, filter }: ExportQuery, give: GiveAnswer): void {
    const refusal = this.#refusal(source, id);
    if (refusal !== null) return give(refused('bare', ...refusal));
    const fault = asOf === undefined && filter.list === 'trades' ? this.#tradingHistory.tradesFault(filter) : null;
    if (fault !== null) return give(refused('bare', 'invalid_parameter', fault));
    this.#running.set(source, { id, until: this.#time() + MINUTE });
    if (asOf === undefined) {
      const open = filter.list === 'orders' ? this.#tradingHistory.openOrderRows(filter.wallet, filter) : [];
      return give(partAnswer(this.#state.clock[SEQ]!, open));
    }
    const page = { skip: offset, limit };
    const take = (rows: object[] | null): void => (
      give(rows === null ? historyBusy('bare') : partAnswer(asOf, rows))
    );
    const tradingHistory = this.#tradingHistory;
    if (filter.list === 'fills') tradingHistory.fillRows(filter.wallet, { ...filter, upTo: asOf }, page, take);
    else if (filter.list === 'trades') tradingHistory.tradeRows({ ...filter, upTo: asOf }, page, take);
    else if (filter.list === 'ledger') tradingHistory.ledgerRows({ ...filter, upTo: asOf }, page, take);
    else tradingHistory.doneOrderRows(filter.wallet, { ...filter, upTo: asOf }, page, take);
  }

  end(source: number, id: string): string {
    if (this.#running.get(source)?.id === id) this.#running.delete(source);
    return '{}';
  }

  #refusal(source: number, id: string): ['conflict' | 'engine_busy', string] | null {
    const now = this.#time();
    const running = this.#running.get(source);
    if (running !== undefined && running.id !== id && running.until >= now) {
      return ['conflict', 'Another export of this network source is running'];
    }
    if (running !== undefined) return null;
    if (this.#running.size < MOST_SOURCES) return null;
    for (const [other, { until }] of this.#running) if (until < now) this.#running.delete(other);
    return this.#running.size < MOST_SOURCES ? null : ['engine_busy', 'Too many exports are running'];
  }
}

function partAnswer(asOf: number, rows: readonly object[]): QueryAnswer {
  return ok(JSON.stringify({ as_of: asOf, rows }));
}
