// The columns of the chain. The sides mirror each other, but a bid is always left of its ask.

import type { ChainLeg, OptionSummary } from '../../../src/main.ts';
import { percent, plainText, price, priceOrNone, rounded, signed, size } from '../../format.ts';

/** `leg`: streamed; `summary`: every few seconds. */
type LegState = { readonly leg: ChainLeg | null; readonly summary: OptionSummary | null };
export type ColumnId = 'volume' | 'interest' | 'delta' | 'markIv' | 'mark' | 'bidIv' | 'bidSize' | 'bid' | 'ask' | 'askSize' | 'askIv';
export type ChainColumn = {
  readonly id: ColumnId; readonly title: string; readonly what: string;
  /** Characters. */
  readonly width: number;
  readonly text: (state: LegState) => string;
  /** All digits, where `text` is rounded. */
  readonly exact?: (state: LegState) => string;
};

const GREEK_PLACES = 3;

const OUTER: readonly ChainColumn[] = [
  { id: 'volume', title: 'Vol', width: 8, what: 'Volume of 24 hours, contracts', text: ({ summary }) => size(summary?.volume) },
  { id: 'interest', title: 'OI', width: 8, what: 'Open interest, contracts', text: ({ summary }) => size(summary?.open_interest) },
  {
    id: 'delta', title: 'Delta', width: 9, what: 'Delta of the venue\'s mark, rounded',
    text: ({ leg }) => signed(rounded(leg?.greeks_abs?.delta, GREEK_PLACES)), exact: ({ leg }) => signed(leg?.greeks_abs?.delta),
  },
  { id: 'markIv', title: 'IV', width: 8, what: 'Volatility of the mark, %', text: ({ summary }) => percent(summary?.mark_iv) },
  { id: 'mark', title: 'Mark', width: 12, what: 'Mark price, USD', text: ({ summary }) => priceOrNone(summary?.mark_price) },
];
const QUOTES: readonly ChainColumn[] = [
  { id: 'bidIv', title: 'IV bid', width: 8, what: 'Volatility of the best bid, %', text: ({ leg }) => percent(leg?.bid_iv) },
  { id: 'bidSize', title: 'Size', width: 6, what: 'Contracts at the best bid', text: ({ leg }) => size(leg?.bid_size_contracts) },
  { id: 'bid', title: 'Bid', width: 9, what: 'Best bid, USD', text: ({ leg }) => price(leg?.bid_price_usd) },
  { id: 'ask', title: 'Ask', width: 9, what: 'Best ask, USD', text: ({ leg }) => price(leg?.ask_price_usd) },
  { id: 'askSize', title: 'Size', width: 6, what: 'Contracts at the best ask', text: ({ leg }) => size(leg?.ask_size_contracts) },
  { id: 'askIv', title: 'IV ask', width: 8, what: 'Volatility of the best ask, %', text: ({ leg }) => percent(leg?.ask_iv) },
];

export const ALL_COLUMNS: readonly ChainColumn[] = [...OUTER, ...QUOTES];
export const STANDARD_COLUMNS: readonly ColumnId[] = ['delta', 'bidIv', 'bidSize', 'bid', 'ask', 'askSize', 'askIv'];
export const NARROW_COLUMNS: readonly ColumnId[] = ['delta', 'bidSize', 'bid', 'ask', 'askSize'];
export const WIDE_COLUMNS: readonly ColumnId[] = ALL_COLUMNS.map(({ id }) => id);
export const PHONE_COLUMNS: readonly ColumnId[] = ['bid', 'ask'];

/** The columns of one side, from left to right. */
export function columnsOf(side: 'call' | 'put', chosen: readonly ColumnId[]): readonly ChainColumn[] {
  const all = side === 'call' ? [...OUTER, ...QUOTES] : [...QUOTES, ...OUTER.toReversed()];
  return all.filter(({ id }) => chosen.includes(id));
}

/** Null stands for as many columns as there is room for. */
export function isChoice(value: unknown): value is readonly ColumnId[] | null {
  return value === null || (Array.isArray(value) && value.every((id) => ALL_COLUMNS.some((column) => column.id === id)));
}

/** Who clicks a bid wants to sell at it. */
export function fillOf(id: ColumnId, leg: ChainLeg): { readonly side: 'Buy' | 'Sell'; readonly price: string } | null {
  const value = id === 'bid' ? leg.bid_price_usd : id === 'ask' ? leg.ask_price_usd : null;
  return value === null ? null : { side: id === 'bid' ? 'Sell' : 'Buy', price: plainText(value) };
}
