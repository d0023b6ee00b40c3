// Sequence counters of the private streams: order updates, fills, liquidation, quotes, portfolio. They must never depend on
// subscribers; the reader makes the messages. Portfolio messages count at the end of a command, in this order:
//   position changed            one per change of instrument within the command, then the next line
//   funding paid                one per payment, then the next line
//   orders, cash, mode changed  BALANCE, and REST if more than orders changed; once per command
//   new marks                   MARKED per account with a position, derived from the marks at its first position

import { fixedSection, float64, type Section } from './columns.ts';

/** Portfolio messages that a change counts: balance; margin and greeks; new marks. */
const BALANCE = 1;
const REST = 2;
const MARKED = 2;

/** Numbers of messages; PORTFOLIO leaves out those for marks. */
const ORDER_UPDATES = 0;
const FILLS = 1;
const PORTFOLIO = 2;
/** `counts[MARKS]` when the account got its first position, plus one; 0 without positions. */
const MARKED_FROM = 3;
/** Per account: the last command that changed its orders, its cash or mode, a position; and that position's instrument. */
const ORDERS_IN = 0;
const CHANGED_IN = 1;
const POSITION_IN = 2;
const INSTRUMENT_IN = 3;
const ROW = 4;

/** How often any underlying got new marks. */
const MARKS = 0;

/** Every order touches an account's row, so a row is half a cache line. */
export type AccountStreams = {
  readonly rows: Float64Array;
  readonly liquidation: Float64Array;
  /** One message a command whose purpose is quotes. */
  readonly quotes: Float64Array;
  readonly counts: Float64Array;
  /** Not state: number of the current command, and what recent commands changed. */
  commandNumber: number;
  readonly changes: Float64Array;
  readonly quotesIn: Float64Array;
};

export function createAccountStreams(accounts: number): AccountStreams {
  return {
    rows: float64(accounts * ROW), liquidation: float64(accounts), quotes: float64(accounts), counts: float64(1),
    commandNumber: 0, changes: float64(accounts * ROW), quotesIn: float64(accounts),
  };
}

export function countOrderUpdate({ rows }: AccountStreams, account: number): void {
  rows[account * ROW + ORDER_UPDATES]++;
}

export function orderUpdateSeq({ rows }: AccountStreams, account: number): number {
  return rows[account * ROW + ORDER_UPDATES];
}

export function countFill({ rows }: AccountStreams, account: number): void {
  rows[account * ROW + FILLS]++;
}

export function fillSeq({ rows }: AccountStreams, account: number): number {
  return rows[account * ROW + FILLS];
}

export function touchOrders(streams: AccountStreams, account: number): void {
  const { changes, rows, commandNumber } = streams;
  if (changes[account * ROW + ORDERS_IN] === commandNumber) return;
  changes[account * ROW + ORDERS_IN] = commandNumber;
  rows[account * ROW + PORTFOLIO] += BALANCE;
}

export function touchQuotes({ commandNumber, quotes, quotesIn }: AccountStreams, account: number): void {
  if (quotesIn[account] === commandNumber) return;
  quotesIn[account] = commandNumber;
  quotes[account]++;
}

/** Call when cash or margin mode changes. */
export function touchAccount(streams: AccountStreams, account: number): void {
  const { changes, rows, commandNumber } = streams;
  if (changes[account * ROW + CHANGED_IN] === commandNumber) return;
  changes[account * ROW + CHANGED_IN] = commandNumber;
  rows[account * ROW + PORTFOLIO] += REST;
  touchOrders(streams, account);
}

export function countFunding(streams: AccountStreams, account: number): void {
  streams.rows[account * ROW + PORTFOLIO]++;
  touchAccount(streams, account);
}

export function touchPosition(streams: AccountStreams, account: number, instrument: number, positions: number): void {
  const { changes, counts, rows, commandNumber } = streams;
  const at = account * ROW;
  if (changes[at + POSITION_IN] !== commandNumber || changes[at + INSTRUMENT_IN] !== instrument) {
    changes[at + POSITION_IN] = commandNumber;
    changes[at + INSTRUMENT_IN] = instrument;
    rows[at + PORTFOLIO]++;
  }
  touchAccount(streams, account);
  if (positions > 0 === rows[at + MARKED_FROM] > 0) return;
  rows[at + PORTFOLIO] += marksSince(streams, account);
  rows[at + MARKED_FROM] = positions > 0 ? counts[MARKS] + 1 : 0;
}

export function countMarks(streams: AccountStreams): void {
  streams.counts[MARKS]++;
}

export function portfolioSeq(streams: AccountStreams, account: number): number {
  return streams.rows[account * ROW + PORTFOLIO] + marksSince(streams, account);
}

export function isMarked({ rows }: AccountStreams, account: number): boolean {
  return rows[account * ROW + MARKED_FROM] > 0;
}

function marksSince({ counts, rows }: AccountStreams, account: number): number {
  const from = rows[account * ROW + MARKED_FROM];
  return from === 0 ? 0 : MARKED * (counts[MARKS] + 1 - from);
}

/** The account has no position. */
export function forgetStreams({ liquidation, quotes, rows }: AccountStreams, account: number): void {
  rows.fill(0, account * ROW, (account + 1) * ROW);
  liquidation[account] = 0;
  quotes[account] = 0;
}

export function resumeStreams(
  { quotes: quoteCounts, rows }: AccountStreams, account: number, orderUpdates: number, portfolio: number, quotes: number,
): void {
  quoteCounts[account] = quotes;
  rows[account * ROW + ORDER_UPDATES] = orderUpdates;
  rows[account * ROW + PORTFOLIO] = portfolio;
}

export function accountStreamSections(streams: AccountStreams, used: () => number): readonly Section[] {
  return [
    { name: 'streams.accounts', column: streams.rows, used: () => used() * ROW },
    { name: 'streams.liquidation', column: streams.liquidation, used },
    { name: 'streams.quotes', column: streams.quotes, used },
    fixedSection('streams.counts', streams.counts),
  ];
}
