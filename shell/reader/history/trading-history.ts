// Paged lists (orders, trades, fills, payouts) and look-ups of one order or nonce, newest first; open orders before
// done ones.

import { FLAG_QUOTE } from '../../../core/codec/commands.ts';
import { DONE_FILLED, DONE_MARKET_DELETED } from '../../../core/errors.ts';
import { mulDivHalfUp } from '../../../core/math/exact.ts';
import { CONTRACT, SECOND } from '../../../core/units.ts';
import { orderUpdatedAt } from '../../../core/orders/orders.ts';
import { competitionOf } from '../../../core/registry/competitions.ts';
import { isUntriggered } from '../../../core/orders/untriggered.ts';
import type { State } from '../../../core/engine/state.ts';
import type { Page } from '../../storage/history/merge-page.ts';
import type {
  Ending, FillFilter, FillRow, LedgerRow, OrderRow, OutcomeRow, PayoutRow, TradeRow,
} from '../../storage/history/protocol.ts';
import { askOldest, askPage, newestFirst } from './ask-page.ts';
import { ledgerBody } from './ledger-rows.ts';
import type { HistoryLink } from './link.ts';
import { doneOrderRow, factsOfRow, isPartlyFilled, openFactsOf, openOrderOfClientId, openOrderOfId, openOrderRow, openOrdersOf } from
  './orders.ts';
import { FILL_KINDS, LEDGER_KINDS } from '../../ipc/enum-names.ts';
import type { FillOrder, LedgerQuery, OrderFilter, OrderStanding, Outcome, QueryParameters } from '../../ipc/queries.ts';
import type { RecentRows } from './rows.ts';
import { pagination } from '../answers.ts';
import {
  accountOfWallet, canonicalSymbol, clientIdOfSlot, instrumentType, isoText, micro, sideText, slotOfSymbol, type Names,
} from '../text.ts';
import type { Payout } from '../../http/shapes/account.ts';
import type { Fill, PlacedFill, Trade } from '../../http/shapes/trading.ts';

const ENDINGS: readonly Ending[] = ['filled', 'canceled'];
const UNKNOWN: OrderStanding = { state: 'unknown', order: null, reason: null };

type Give = (body: string | null) => void;
type TakeRows = (rows: object[] | null) => void;
type WhichOrder = ({ readonly orderId: number } | { readonly clientId: string }) & { readonly upTo?: number };
type InTime = { readonly from?: number; readonly to?: number };
type TradeFilter = InTime & { readonly symbol?: string; readonly underlying?: string; readonly upTo?: number };
type PlacedFills = Required<InTime> & { readonly wallet: string; readonly order: FillOrder; readonly limit: number };
type OrdersWanted = InTime & { readonly status?: OrderFilter; readonly clientId?: string };

export class TradingHistory {
  readonly #state: State;
  readonly #names: Names;
  readonly #rows: RecentRows;
  readonly #history: HistoryLink;

  constructor(state: State, names: Names, rows: RecentRows, history: HistoryLink) {
    this.#state = state;
    this.#names = names;
    this.#rows = rows;
    this.#history = history;
  }

  fills(parameters: QueryParameters['fills'], give: Give): void {
    const { wallet, kind, limit, offset, symbol, orderId, competition_id: id, order, ...times } = parameters;
    const canonical = symbol === undefined ? undefined : canonicalSymbol(symbol);
    const competition = id === undefined ? undefined : competitionOf(this.#state, id);
    if (canonical === null || competition === null) return give(paged([], limit, offset));
    const from = Math.max(times.from ?? -Infinity, competition?.start ?? -Infinity);
    const to = Math.min(times.to ?? Infinity, (competition?.end ?? Infinity) - 1);
    const filter = {
      isAll: kind === 'all', from, to, ...(canonical === undefined ? {} : { symbol: canonical }),
      ...(orderId === undefined ? {} : { orderId }),
    };
    if (order !== undefined) return this.#placedFills({ wallet, from, to, order, limit }, (rows) => give(rows && paged(rows, limit, 0)));
    this.fillRows(wallet, filter, { skip: offset, limit }, (rows) => give(rows && paged(rows, limit, offset)));
  }

  #placedFills({ wallet, from, to, order, limit }: PlacedFills, take: TakeRows): void {
    const recent = newestFirst(this.#rows.rows.fills, (row) => row.wallet === wallet && row.time >= from && row.time <= to);
    const query = { name: 'fills', wallet, from, to } as const;
    const give = (rows: FillRow[] | null): void => take(rows && rows.map(placedFill));
    const page = { skip: 0, limit };
    if (order === 'newest') askPage<FillRow>(this.#history, page, recent, (asked) => ({ ...query, ...asked }), give);
    else askOldest(this.#history, limit, { ...query, ...page, isOldest: true }, () => recent.toReversed(), give);
  }

  fillRows(wallet: string, filter: FillFilter, page: Page, take: TakeRows): void {
    const { isAll = false, symbol, orderId, from = -Infinity, to = Infinity, upTo = Infinity } = filter;
    const matches = (row: FillRow): boolean => (
      row.wallet === wallet && row.symbol === (symbol ?? row.symbol) && row.orderId === (orderId ?? row.orderId) && row.time >= from
        && row.time <= to && row.seq <= upTo
    );
    const recent = newestFirst(this.#rows.rows.fills, matches);
    const moves = isAll ? newestFirst(this.#rows.rows.moves, matches) : [];
    recent.push(...moves);
    if (moves.length > 0) recent.sort((a, b) => b.fillId - a.fillId);
    askPage<FillRow>(this.#history, page, recent, (asked) => ({ name: 'fills', wallet, ...filter, ...asked }), (rows) => {
      take(rows && rows.map(fillBody));
    });
  }

  payouts({ wallet, limit, offset, symbol, ledger_applied: isApplied = true }: QueryParameters['payouts'], give: Give): void {
    const canonical = symbol === undefined ? undefined : canonicalSymbol(symbol);
    if (canonical === null || !isApplied) return give(paged([], limit, offset));
    const { payouts, seen } = this.#rows.rows;
    const recent = newestFirst(payouts, (row) => row.wallet === wallet && row.symbol === (canonical ?? row.symbol));
    const filter = canonical === undefined ? {} : { symbol: canonical };
    const page = { skip: offset, limit };
    askPage<PayoutRow>(this.#history, page, recent, (asked) => ({ name: 'payouts', wallet, ...filter, ...asked }), (rows) => {
      const ids = new Set(seen.map(({ payoutId }) => payoutId));
      give(rows && paged(rows.map((row) => payoutBody(row, ids)), limit, offset));
    });
  }

  ledger({ limit, offset, ...query }: QueryParameters['ledger'], give: Give): void {
    this.ledgerRows(query, { skip: offset, limit }, (rows) => give(rows && paged(rows, limit, offset)));
  }

  ledgerRows(query: LedgerQuery & { readonly upTo?: number }, page: Page, take: TakeRows): void {
    const { wallet, kind: name, symbol, from = -Infinity, to = Infinity, upTo = Infinity } = query;
    const canonical = symbol === undefined ? undefined : canonicalSymbol(symbol);
    if (canonical === null) return take([]);
    const kind = name === undefined ? undefined : LEDGER_KINDS.indexOf(name);
    const recent = newestFirst(this.#rows.rows.ledger, (row) => (
      row.wallet === wallet && row.kind === (kind ?? row.kind) && row.symbol === (canonical ?? row.symbol)
      && row.time >= from && row.time <= to && row.seq <= upTo
    ));
    const filter = {
      ...(kind === undefined ? {} : { kind }), ...(canonical === undefined ? {} : { symbol: canonical }), from, to, upTo,
    };
    askPage<LedgerRow>(this.#history, page, recent, (asked) => ({ name: 'ledger', wallet, ...filter, ...asked }), (rows) => {
      take(rows && rows.map(ledgerBody));
    });
  }

  trades({ limit, offset, account, after, ...filter }: QueryParameters['trades'], give: Give): void {
    const take: TakeRows = (rows) => give(rows && paged(rows, limit, offset));
    if (account !== undefined) this.#tradesOf(account, filter, { skip: offset, limit }, take);
    else if (after !== undefined) this.#tradesAfter(after, limit, take);
    else this.tradeRows(filter, { skip: offset, limit }, take);
  }

  tradesFault({ underlying }: TradeFilter): string | null {
    return underlying === undefined || this.#names.underlyings().includes(underlying) ? null : `Unknown underlying: ${underlying}`;
  }

  /** A wallet has one fill per trade, because it cannot trade with itself. */
  #tradesOf(wallet: string, { from = -Infinity, to = Infinity }: InTime, page: Page, take: TakeRows): void {
    const recent = newestFirst(this.#rows.rows.fills, (row) => row.wallet === wallet && row.time >= from && row.time <= to);
    askPage<FillRow>(this.#history, page, recent, (asked) => ({ name: 'fills', wallet, from, to, ...asked }), (fills) => {
      if (fills === null) take(null);
      else this.#tradesById(fills.map(({ tradeId }) => tradeId), take);
    });
  }

  #tradesById(ids: readonly number[], take: TakeRows): void {
    const wanted = new Set(ids);
    const found = new Map(this.#rows.rows.trades.filter(({ tradeId }) => wanted.has(tradeId)).map((row) => [row.tradeId, row]));
    const give = (): void => take(ids.flatMap((id) => {
      const row = found.get(id);
      return row === undefined ? [] : [tradeBody(row)];
    }));
    if (found.size === wanted.size) return give();
    const isAsked = this.#history.ask({ name: 'tradesById', ids: ids.filter((id) => !found.has(id)) }, (rows) => {
      for (const row of rows as TradeRow[]) found.set(row.tradeId, row);
      give();
    });
    if (!isAsked) take(null);
  }

  #tradesAfter(tradeId: number, limit: number, take: TakeRows): void {
    const isAsked = this.#history.ask({ name: 'tradesAfter', tradeId, limit }, (stored, appliedSeq) => {
      const recent = this.#rows.rows.trades.filter((row) => row.tradeId > tradeId && row.seq > appliedSeq);
      take([...stored as TradeRow[], ...recent].slice(0, limit).map(tradeBody));
    });
    if (!isAsked) take(null);
  }

  tradeRows({ symbol, underlying, from = -Infinity, to = Infinity, upTo = Infinity }: TradeFilter, page: Page, take: TakeRows): void {
    const canonical = symbol === undefined ? undefined : canonicalSymbol(symbol);
    if (canonical === null) return take([]);
    const recent = newestFirst(this.#rows.rows.trades, (row) => (
      row.symbol === (canonical ?? row.symbol) && row.underlying === (underlying ?? row.underlying) && row.time >= from && row.time <= to
        && row.seq <= upTo
    ));
    const names = { ...(canonical === undefined ? {} : { symbol: canonical }), ...(underlying === undefined ? {} : { underlying }) };
    const filter = { ...names, from, to, upTo };
    askPage<TradeRow>(this.#history, page, recent, (asked) => ({ name: 'trades', ...filter, ...asked }), (rows) => {
      take(rows && rows.map(tradeBody));
    });
  }

  trade(id: number, take: (row: object | null | undefined) => void): void {
    this.#tradesById([id], (rows) => take(rows && rows[0]));
  }

  orderStatus({ wallet, name }: QueryParameters['orderStatus'], give: Give): void {
    const answer = (row: object | null): void => give(JSON.stringify({ success: true, data: row }));
    const open = (slot: number): void => answer(openOrderRow(this.#state, this.#names, wallet, slot));
    const answerRow = (row: OrderRow | null | undefined): void => (
      row === null ? give(null) : answer(row ? doneOrderRow(wallet, row) : null)
    );
    const account = (): number => accountOfWallet(this.#state, wallet);
    const byClientId = (): void => {
      const slot = openOrderOfClientId(this.#state, account(), name);
      if (slot > 0) open(slot);
      else if (name === '') answerRow(undefined);
      else this.#doneOrder(wallet, { clientId: name }, answerRow);
    };
    const id = /^[0-9]{1,15}$/.test(name) ? Number(name) : 0;
    if (id === 0) return byClientId();
    const slot = openOrderOfId(this.#state, account(), id);
    if (slot > 0) open(slot);
    else this.#doneOrder(wallet, { orderId: id }, (row) => (row === undefined ? byClientId() : answerRow(row)));
  }

  orders({ wallet, limit, offset, ...wanted }: QueryParameters['orders'], give: Give): void {
    const open = this.#openOrders(wallet, wanted);
    const first = open.slice(offset, offset + limit).map((slot) => openOrderRow(this.#state, this.#names, wallet, slot));
    if (first.length === limit) return give(paged(first, limit, offset));
    const page = { skip: Math.max(0, offset - open.length), limit: limit - first.length };
    this.doneOrderRows(wallet, { ...wanted, upTo: Infinity }, page, (rows) => give(rows && paged([...first, ...rows], limit, offset)));
  }

  openOrderRows(wallet: string, wanted: OrdersWanted): object[] {
    return this.#openOrders(wallet, wanted).map((slot) => openOrderRow(this.#state, this.#names, wallet, slot));
  }

  doneOrderRows(wallet: string, wanted: OrdersWanted & { readonly upTo: number }, page: Page, take: TakeRows): void {
    const { status, clientId, from = -Infinity, to = Infinity, upTo } = wanted;
    const { endings } = wantedOrders(status);
    if (endings.length === 0) return take([]);
    const ending = endings.length === 1 ? endings[0]! : null;
    const named = clientId === undefined ? {} : { clientId };
    const recent = newestFirst(this.#rows.rows.orders, (row) => (
      row.wallet === wallet && (ending === null || endingOf(row) === ending) && (clientId === undefined || hasClientId(row, clientId))
        && row.doneAt >= from && row.doneAt <= to && row.seq <= upTo
    ));
    const filter = { wallet, ending, ...named, from, to, upTo };
    askPage<OrderRow>(this.#history, page, recent, (asked) => ({ name: 'orders', ...filter, ...asked }), (rows) => {
      take(rows && rows.map((row) => doneOrderRow(wallet, row)));
    });
  }

  #openOrders(wallet: string, { status, clientId, from = -Infinity, to = Infinity }: OrdersWanted): number[] {
    const { orders } = this.#state;
    const wanted = wantedOrders(status);
    const isMeant = (slot: number): boolean => {
      const at = orderUpdatedAt(orders, slot);
      return at >= from && at <= to && (clientId === undefined || clientIdOfSlot(this.#state, slot) === clientId);
    };
    return openOrdersOf(this.#state, accountOfWallet(this.#state, wallet))
      .filter((slot) => (isUntriggered(orders, slot) ? wanted.waiting
        : isPartlyFilled(this.#state, slot) ? wanted.partlyFilled : wanted.untouched))
      .filter(isMeant);
  }

  order({ wallet, as_of: upTo, order_id: idText, client_id: clientId = '' }: QueryParameters['order'], give: Give): void {
    const id = idText === undefined ? 0 : Number(idText);
    const isId = idText !== undefined && Number.isSafeInteger(id) && id > 0;
    if (!isId && clientId === '') return give(JSON.stringify(UNKNOWN));
    this.standing(wallet, isId ? { orderId: id, upTo } : { clientId, upTo }, (standing) => give(standing && JSON.stringify(standing)));
  }

  standing(wallet: string, which: WhichOrder, take: (standing: OrderStanding | null) => void): void {
    this.#doneOrder(wallet, which, (row) => take(row === undefined ? UNKNOWN : row && standingOf(this.#state, row)), true);
  }

  outcome({ wallet, nonce }: QueryParameters['outcome'], give: Give): void {
    const recent = this.#rows.rows.outcomes.findLast((row) => row.wallet === wallet && row.nonce === nonce);
    if (recent !== undefined) return this.#composeOutcome(wallet, recent, give);
    const isAsked = this.#history.ask({ name: 'outcome', wallet, nonce }, (rows) => {
      const row = rows[0] as OutcomeRow | undefined;
      if (row === undefined) give('null');
      else this.#composeOutcome(wallet, row, give);
    }, true);
    if (!isAsked) give(null);
  }

  #composeOutcome(wallet: string, row: OutcomeRow, give: Give): void {
    const { digest, numbers, time, flags, isMmpTriggered } = row;
    const outcome: Exclude<Outcome, null> = { digest, numbers, time, order: null, flags, isMmpTriggered };
    if (row.orderId === 0) return give(JSON.stringify(outcome));
    const open = openFactsOf(this.#state, this.#names, wallet, row.orderId);
    if (open !== null) return give(JSON.stringify({ ...outcome, order: open }));
    this.#doneOrder(wallet, { orderId: row.orderId }, (order) => {
      if (order === null) give(null);
      else give(JSON.stringify({ ...outcome, order: order === undefined ? null : factsOfRow(order) }));
    }, true);
  }

  #doneOrder(wallet: string, which: WhichOrder, take: (row: OrderRow | undefined | null) => void, isForCommand = false): void {
    const { upTo = Infinity } = which;
    const recent = this.#rows.rows.orders.findLast((row) => (
      row.wallet === wallet && ('orderId' in which ? row.orderId === which.orderId : hasClientId(row, which.clientId)) && row.seq <= upTo
    ));
    if (recent !== undefined) return take(recent);
    if (!this.#history.ask({ name: 'order', wallet, ...which }, (rows) => take(rows[0] as OrderRow | undefined), isForCommand)) take(null);
  }
}

type WantedOrders = { untouched: boolean; partlyFilled: boolean; waiting: boolean; endings: readonly Ending[] };

/** `open` and `working` include partly filled orders, because clients reconcile by them. */
function wantedOrders(status: OrderFilter | undefined): WantedOrders {
  if (status === undefined) return { untouched: true, partlyFilled: true, waiting: true, endings: ENDINGS };
  const inBook = status.includes('open') || status.includes('working');
  const endings = ENDINGS.filter((ending) => status.includes(ending) || (ending === 'canceled' && status.includes('cancelled')));
  const waiting = status.includes('untriggered') || status.includes('working');
  return { untouched: inBook, partlyFilled: inBook || status.includes('partially_filled'), waiting, endings };
}

function endingOf({ reason }: OrderRow): Ending {
  return reason === DONE_FILLED ? 'filled' : 'canceled';
}

function standingOf(state: State, row: OrderRow): OrderStanding {
  const isBookGone = row.reason === DONE_MARKET_DELETED && slotOfSymbol(state, row.symbol) < 0;
  const standing = row.reason === DONE_FILLED ? 'filled' : isBookGone ? 'no_orderbook' : 'cancelled';
  return { state: standing, order: factsOfRow(row), reason: row.reason };
}

function paged(data: readonly object[], limit: number, offset: number): string {
  return JSON.stringify({ success: true, data, pagination: pagination(limit, offset, data.length) });
}

function placedFill(row: FillRow): PlacedFill {
  return { ...fillBody(row), position: row.position === null ? null : micro(row.position) };
}

function fillBody(row: FillRow): Fill {
  return {
    fill_id: row.fillId, trade_id: row.tradeId === 0 ? null : row.tradeId, wallet_address: row.wallet, symbol: row.symbol,
    price: micro(row.price), size: micro(row.size), fee: micro(row.fee), side: sideText(row.side), is_taker: row.isTaker,
    timestamp: row.time,
    created_at: isoText(row.time), builder_code_address: null, builder_code_fee: null, realized_pnl: micro(row.realized),
    explorer_url: null, instrument_type: instrumentType(row.symbol), order_id: row.orderId === 0 ? null : row.orderId,
    kind: FILL_KINDS[row.kind]!,
  };
}

function tradeBody(row: TradeRow): Trade {
  return {
    trade_id: row.tradeId, symbol: row.symbol, price: micro(row.price), size: micro(row.size), maker_address: row.maker,
    taker_address: row.taker, maker_fee: micro(row.makerFee), taker_fee: micro(row.takerFee), taker_side: sideText(row.takerSide),
    timestamp: row.time, created_at: isoText(row.time),
  };
}

function payoutBody(row: PayoutRow, seen: ReadonlySet<number>): Payout {
  const { position, cost, net, price, value } = row;
  return {
    id: row.payoutId, wallet: row.wallet, symbol: row.symbol, expiry_ts: row.expiry / SECOND, position_size: micro(position),
    settlement_price: micro(price), settlement_value: micro(value),
    settlement_entry_price: micro(mulDivHalfUp(Math.abs(cost), CONTRACT, Math.abs(position))), cost_basis: micro(cost),
    net_pnl: micro(net), ledger_applied: true, is_seen: row.isSeen || seen.has(row.payoutId), created_at: row.time,
  };
}

function hasClientId(row: OrderRow, clientId: string): boolean {
  return row.clientId === clientId && (row.flags & FLAG_QUOTE) === 0;
}
