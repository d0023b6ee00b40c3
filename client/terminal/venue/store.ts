// What panels share: the contract looked at, the ticket's fill, index prices, markets.

import { batch, signal, type Signal } from '@preact/signals';
import type { Market, Side } from '../../src/main.ts';

export type Selection = {
  readonly underlying: string;
  /** Seconds; null: the nearest one. */
  readonly expiry: number | null;
  readonly contract: string | null;
};
/** `price` null, `size` absent: the ticket keeps its own. */
export type TicketFill = { readonly symbol: string; readonly side: Side; readonly price: string | null; readonly size?: string };
type IndexPrice = { readonly price: string; readonly timestamp: number; readonly move: -1 | 0 | 1 };

/** Decimal text; null: nothing. */
type OwnMark = { readonly position: string | null; readonly bids: string | null; readonly asks: string | null };

/** A part of a wide screen; at phone width, a tab. */
export type Area = 'main' | 'contract' | 'ticket' | 'account';

export const selection = signal<Selection>({ underlying: 'BTC', expiry: null, contract: null });
/** Each fill is a new object: the same price can be chosen again. */
export const ticketFill = signal<TicketFill | null>(null);
export const shownArea = signal<Area>('main');
/** All markets in the venue's order; null before the first answer. */
export const markets = signal<readonly Market[] | null>(null);

const indexes = new Map<string, Signal<IndexPrice | null>>();
const marks = new Map<string, Signal<OwnMark | null>>();

export function select(change: Partial<Selection>): void {
  selection.value = { ...selection.value, ...change };
}

export function showArea(area: Area): void {
  shownArea.value = area;
}

export function fillTicket(fill: TicketFill): void {
  batch(() => {
    select({ contract: fill.symbol });
    showArea('ticket');
    ticketFill.value = { ...fill };
  });
}

export function indexOf(underlying: string): Signal<IndexPrice | null> {
  return signalIn(indexes, underlying);
}

export function ownMarkOf(symbol: string): Signal<OwnMark | null> {
  return signalIn(marks, symbol);
}

function signalIn<T>(all: Map<string, Signal<T | null>>, key: string): Signal<T | null> {
  let one = all.get(key);
  if (one === undefined) all.set(key, one = signal<T | null>(null));
  return one;
}
