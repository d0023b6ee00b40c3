// Counters of the private streams: order updates and fills, counted beside their events; liquidation, one a change of state;
// portfolio, which is told of in three ways.
//   a position has changed      one message a command and instrument (counted where the instrument is another than that of the
//                               account's last change in this command), then what follows:
//   orders, cash, mode changed  BALANCE, and if it was more than the orders REST: once a command, however much it changed
//   new marks                   MARKED for every account with a position. Nobody is visited for that: an account notes at which
//                               marks it opened its first position, and the marks since then count for it.
// All of them are told at the end of the command, in this order, as things stand then. Must never depend on who listens: messages
// are the reader's business.

import { fixedSection, float64, type Section } from './columns.ts';

/** Messages counted: 1 for the balance; 2 for margin and greeks; 2 when new marks come. */
const BALANCE = 1;
const REST = 2;
const MARKED = 2;

/** Places in the row of an account: what it has been told of orders and of fills; of its portfolio, without what marks count for. */
const ORDER_UPDATES = 0;
const FILLS = 1;
const PORTFOLIO = 2;
/** Switches of marks when the account opened its first position, plus one; 0: it has none. */
const MARKED_FROM = 3;
/** Per account, the last command that changed: its orders; more than its orders; a position, and in which instrument. */
const ORDERS_IN = 0;
const CHANGED_IN = 1;
const POSITION_IN = 2;
const INSTRUMENT_IN = 3;
const ROW = 4;

/** Place in `counts`: switches of marks so far, of all underlyings. */
const MARKS = 0;

/** Every order touches them, so what is counted together lies together: a row of an account is half a line of the cache. */
export type AccountStreams = {
  readonly rows: Float64Array;
  readonly liquidation: Float64Array;
  readonly counts: Float64Array;
  /** No state: the number of the command in hand, and what the newest commands have changed. */
  turn: number;
  readonly changes: Float64Array;
};

export function createAccountStreams(accounts: number): AccountStreams {
  return {
    rows: float64(accounts * ROW), liquidation: float64(accounts), counts: float64(1), turn: 0,
    changes: float64(accounts * ROW),
  };
}

/** The account is told of a change of one of its orders. */
export function countOrderUpdate({ rows }: AccountStreams, account: number): void {
  rows[account * ROW + ORDER_UPDATES]++;
}

export function orderUpdateSeq({ rows }: AccountStreams, account: number): number {
  return rows[account * ROW + ORDER_UPDATES];
}

/** The account is told of a fill. */
export function countFill({ rows }: AccountStreams, account: number): void {
  rows[account * ROW + FILLS]++;
}

export function fillSeq({ rows }: AccountStreams, account: number): number {
  return rows[account * ROW + FILLS];
}

/** The command in hand has changed the open orders of the account. */
export function touchOrders(streams: AccountStreams, account: number): void {
  const { changes, rows, turn } = streams;
  if (changes[account * ROW + ORDERS_IN] === turn) return;
  changes[account * ROW + ORDERS_IN] = turn;
  rows[account * ROW + PORTFOLIO] += BALANCE;
}

/** The command in hand has changed cash or margin mode of the account. */
export function touchAccount(streams: AccountStreams, account: number): void {
  const { changes, rows, turn } = streams;
  if (changes[account * ROW + CHANGED_IN] === turn) return;
  changes[account * ROW + CHANGED_IN] = turn;
  rows[account * ROW + PORTFOLIO] += REST;
  touchOrders(streams, account);
}

/** The account's position in the instrument has changed; `positions`: how many it has now. */
export function touchPosition(streams: AccountStreams, account: number, instrument: number, positions: number): void {
  const { changes, counts, rows, turn } = streams;
  const at = account * ROW;
  if (changes[at + POSITION_IN] !== turn || changes[at + INSTRUMENT_IN] !== instrument) {
    changes[at + POSITION_IN] = turn;
    changes[at + INSTRUMENT_IN] = instrument;
    rows[at + PORTFOLIO]++;
  }
  touchAccount(streams, account);
  if (positions > 0 === rows[at + MARKED_FROM] > 0) return;
  rows[at + PORTFOLIO] += marksSince(streams, account);
  rows[at + MARKED_FROM] = positions > 0 ? counts[MARKS] + 1 : 0;
}

/** New marks are in force. */
export function countMarks(streams: AccountStreams): void {
  streams.counts[MARKS]++;
}

/** Seq of the portfolio stream. */
export function portfolioSeq(streams: AccountStreams, account: number): number {
  return streams.rows[account * ROW + PORTFOLIO] + marksSince(streams, account);
}

/** Whether new marks are told to the account. */
export function isMarked({ rows }: AccountStreams, account: number): boolean {
  return rows[account * ROW + MARKED_FROM] > 0;
}

function marksSince({ counts, rows }: AccountStreams, account: number): number {
  const from = rows[account * ROW + MARKED_FROM];
  return from === 0 ? 0 : MARKED * (counts[MARKS] + 1 - from);
}

/** The account gives its row back; it has no position. */
export function forgetStreams({ liquidation, rows }: AccountStreams, account: number): void {
  rows.fill(0, account * ROW, (account + 1) * ROW);
  liquidation[account] = 0;
}

/** The streams of an account that has come back go on where they stood. */
export function resumeStreams({ rows }: AccountStreams, account: number, orderUpdates: number, portfolio: number): void {
  rows[account * ROW + ORDER_UPDATES] = orderUpdates;
  rows[account * ROW + PORTFOLIO] = portfolio;
}

/** `used` tells how many accounts there are. */
export function accountStreamSections(streams: AccountStreams, used: () => number): readonly Section[] {
  return [
    { name: 'streams.accounts', column: streams.rows, used: () => used() * ROW },
    { name: 'streams.liquidation', column: streams.liquidation, used },
    fixedSection('streams.counts', streams.counts),
  ];
}
