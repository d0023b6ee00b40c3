// What the history's tests share: rows that follow from their seq alone, and a plain array as the model of the whole history. Numbers
// reach to the ends of the safe integers, nonces to those of u64.

import { DONE_FILLED } from '../../../../core/errors.ts';
import { emptyRows, ROW_KINDS, type Batch, type FillRow, type HistoryQuery, type OrderRow, type OutcomeRow, type PayoutRow, type Rows,
  type TradeRow } from '../../../../shell/storage/history/protocol.ts';
import { generator } from '../journal/support.ts';

export const VENUE = '00c0ffee00c0ffee';
export const TIME = 1_700_000_000_000;
const UNDERLYINGS = ['BTC', 'ETH'];
const TOP = Number.MAX_SAFE_INTEGER;
/** Nonces start there: small ones, and those beside each end of the numbers that could be confused. */
const NONCES = [0n, 2n ** 53n, 2n ** 63n - 500n, 2n ** 64n - 2n ** 32n];

export function walletOf(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

function symbolOf(number: number): string {
  return `${UNDERLYINGS[number % 2]}-${number < 2 ? 'PERP' : `20260925-${number}-C`}`;
}

/**
 * Up to two pairs of fills, two moves, two done orders, one outcome, one payout; none at all for some seqs. Nonces are unique, clients' ids
 * are not.
 */
export function rowsOf(seq: number): Rows {
  const random = generator(seq);
  const below = (end: number): number => Math.floor(random() * end);
  const time = TIME + seq;
  const rows = emptyRows();
  for (let trade = below(3); trade > 0; trade--) {
    const [maker, taker, number] = [walletOf(below(5)), walletOf(below(5)), below(6)];
    const common = {
      seq, tradeId: seq * 10 + trade, symbol: symbolOf(number), underlying: UNDERLYINGS[number % 2]!,
      price: 1 + below(TOP), size: 1 + below(TOP), time,
    };
    const side = below(2);
    rows.trades.push({ ...common, maker, taker, makerFee: 500 - below(1_000), takerFee: below(TOP), takerSide: side });
    for (const isTaker of [true, false]) {
      rows.fills.push({
        ...common, kind: 0, fillId: seq * 100 + rows.fills.length, orderId: seq, wallet: isTaker ? taker : maker,
        side: isTaker ? side : 1 - side, fee: below(TOP), isTaker, realized: below(TOP) - below(TOP),
        position: below(TOP) - below(TOP),
      });
    }
  }
  for (let move = below(8) - 5; move > 0; move--) {
    const number = below(6);
    rows.moves.push({
      kind: 1 + below(2), seq, fillId: seq * 100 + 50 + rows.moves.length, tradeId: 0, orderId: 0, wallet: walletOf(below(5)),
      symbol: symbolOf(number), underlying: UNDERLYINGS[number % 2]!, side: below(2), price: 1 + below(TOP), size: 1 + below(TOP), fee: 0,
      isTaker: false, realized: below(TOP) - below(TOP), position: null, time,
    });
  }
  for (let order = below(3); order > 0; order--) {
    rows.orders.push({
      seq, orderId: seq * 10 + order, wallet: walletOf(below(5)), symbol: symbolOf(below(6)), side: below(2), price: below(TOP), size: TOP,
      filled: below(TOP), tif: below(3), flags: below(8), clientId: ['', 'a', 'ключ €', 'x'.repeat(64)][below(4)]!, reason: 1 + below(7),
      createdAt: TIME, doneAt: time, terms: ['', '{"link_id":"a"}'][below(2)]!,
    });
  }
  if (random() < 0.8) {
    rows.outcomes.push({
      seq, wallet: walletOf(below(5)), nonce: String(NONCES[below(4)]! + BigInt(seq)), kind: 18,
      digest: seq.toString(16).padStart(64, 'f'), code: below(300), numbers: [below(TOP), -1, 0.5, 0], time, orderId: below(2) * seq,
      flags: below(8), isMmpTriggered: below(2) === 1,
    });
  }
  return rows;
}

/** Everything of commands first .. last as one batch. */
export function batchOf(first: number, last: number): Batch {
  const rows = emptyRows();
  for (let seq = first; seq <= last; seq++) append(rows, rowsOf(seq));
  return { type: 'batch', seq: last, rows };
}

export function append(rows: Rows, more: Rows): void {
  for (const kind of ROW_KINDS) (rows[kind] as unknown[]).push(...more[kind]);
}

type AnyRow = FillRow | TradeRow | OrderRow | OutcomeRow | PayoutRow;

/** Every row of the whole that a query is about, newest first: what the store must agree with. */
export function matching(rows: Rows, query: HistoryQuery): AnyRow[] {
  switch (query.name) {
    case 'fills': return [...rows.fills, ...query.isAll === true ? rows.moves : []].filter(({ wallet, symbol, time, seq }) => (
      wallet === query.wallet && (query.symbol ?? symbol) === symbol && time >= (query.from ?? time) && time <= (query.to ?? time)
      && seq <= (query.upTo ?? seq)
    )).sort((a, b) => b.fillId - a.fillId);
    case 'trades': return rows.trades.filter(({ symbol, underlying, seq }) => (
      (query.symbol ?? symbol) === symbol && (query.underlying ?? underlying) === underlying && seq <= (query.upTo ?? seq)
    )).reverse();
    case 'orders': return rows.orders.filter(({ wallet, reason, seq }) => (
      wallet === query.wallet && (query.ending === null || (query.ending === 'filled') === (reason === DONE_FILLED))
      && seq <= (query.upTo ?? seq)
    )).reverse();
    case 'payouts': return rows.payouts.filter(({ wallet, symbol }) => (
      wallet === query.wallet && (query.symbol ?? symbol) === symbol
    )).reverse();
    case 'order': return rows.orders.filter(({ wallet, orderId, clientId, seq }) => (
      wallet === query.wallet && (query.orderId === undefined ? clientId === query.clientId && clientId !== '' : orderId === query.orderId)
      && seq <= (query.upTo ?? seq)
    )).reverse();
    case 'outcome': return rows.outcomes.filter(({ wallet, nonce }) => wallet === query.wallet && nonce === query.nonce).reverse();
    default: throw new RangeError(`${query.name} has no page`);
  }
}

/** The page of the whole; one row for the questions about one. */
export function pageOf(rows: Rows, query: HistoryQuery): object[] {
  const all = matching(rows, query);
  return 'skip' in query ? all.slice(query.skip, query.skip + query.limit) : all.slice(0, 1);
}

/** A query of each kind about what may be there, drawn with `random`; `rows` gives ids to ask for. */
export function queriesAbout(rows: Rows, random: () => number): HistoryQuery[] {
  const below = (end: number): number => Math.floor(random() * end);
  const wallet = walletOf(below(6));
  const page = { limit: below(40), skip: below(60) };
  const number = below(6);
  const upTo = rows.trades[below(rows.trades.length)]?.seq ?? 1;
  const from = TIME + upTo - below(500);
  const order = rows.orders[below(rows.orders.length)];
  const outcome = rows.outcomes[below(rows.outcomes.length)];
  return [
    { name: 'fills', wallet, ...page },
    { name: 'fills', wallet, symbol: symbolOf(number), ...page },
    { name: 'fills', wallet, from, to: from + below(500), ...page },
    { name: 'fills', wallet, symbol: symbolOf(number), from, upTo, ...page },
    { name: 'fills', wallet, isAll: true, ...page },
    { name: 'fills', wallet, isAll: true, symbol: symbolOf(number), ...page },
    { name: 'fills', wallet, isAll: true, from, to: from + below(500), ...page },
    { name: 'fills', wallet, isAll: true, symbol: symbolOf(number), from, upTo, ...page },
    { name: 'trades', ...page },
    { name: 'trades', symbol: symbolOf(number), ...page },
    { name: 'trades', underlying: UNDERLYINGS[number % 2]!, ...page },
    { name: 'trades', symbol: symbolOf(number), underlying: UNDERLYINGS[below(2)]!, ...page },
    { name: 'trades', symbol: symbolOf(number), upTo, ...page },
    { name: 'trades', upTo, ...page },
    { name: 'orders', wallet, ending: null, ...page },
    { name: 'orders', wallet, ending: null, upTo, ...page },
    { name: 'orders', wallet, ending: 'filled', ...page },
    { name: 'orders', wallet, ending: 'canceled', upTo, ...page },
    { name: 'payouts', wallet, ...page },
    { name: 'payouts', wallet, symbol: symbolOf(2 + below(4)), ...page },
    { name: 'order', wallet: order?.wallet ?? wallet, orderId: order?.orderId ?? 1 },
    { name: 'order', wallet, orderId: order?.orderId ?? 1 },
    { name: 'order', wallet, clientId: ['', 'a', 'ключ €', 'b'][below(4)]! },
    { name: 'order', wallet, clientId: ['', 'a', 'ключ €', 'b'][below(4)]!, upTo },
    { name: 'order', wallet: order?.wallet ?? wallet, orderId: order?.orderId ?? 1, upTo },
    { name: 'outcome', wallet: outcome?.wallet ?? wallet, nonce: outcome?.nonce ?? '0' },
    { name: 'outcome', wallet, nonce: outcome?.nonce ?? '1' },
  ];
}
