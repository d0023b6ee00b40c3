// Who trades in the demo: makers that quote both sides of a chain around the price of the venue's own formula and move
// their quotes with the index, and takers that lift and hit them, never holding more than a few contracts of one symbol.
// Every action is a signed request over HTTP. Prices in USDC, sizes in contracts.

import { setTimeout as sleep } from 'node:timers/promises';
import { optionPrice } from '../../core/pricing/black76.ts';
import { YEAR } from '../../core/units.ts';
import { NoAnswer, priceText, type Answer, type Http, type OrderUpdate, type RequestSigner, type Wallet } from '../client.ts';

export type Contract = { readonly symbol: string; readonly strike: number; readonly expiry: number; readonly isCall: boolean };
/** The contracts of one underlying, of which the first is asked for index and volatility; `size` is that of one quote. */
export type Chain = { readonly underlying: string; readonly contracts: readonly Contract[]; readonly size: number };
export type Book = {
  readonly bids: readonly (readonly [number, number])[]; readonly asks: readonly (readonly [number, number])[];
  readonly index_price: number; readonly mark_iv?: number;
};
/** What has happened so far in the whole demo. */
export type Tally = { placed: number; cancelled: number; rejected: number; trades: number; failed: number; lastRefusal: string };
export type Actor = {
  readonly http: Http; readonly signer: RequestSigner; readonly wallet: Wallet; readonly tally: Tally; readonly isOver: () => boolean;
};
/** What a maker quotes around. */
type Reference = { readonly index: number; readonly volatility: number };

type Quote = { readonly bid: string; readonly ask: string; readonly half: number; readonly ids: readonly number[]; readonly at: number };

const QUOTE_EVERY_MS = 1_000;
/** A quote that need not move is made anew after so long, for what was filled of it. */
const RENEW_AFTER_MS = 5_000;
/** Half of the spread, as a share of the price and of the index; a quote moves when it is off by a quarter of that. */
const HALF_SPREAD = 0.01;
const LEAST_SPREAD = 0.000_05;
const CONCURRENT = 4;
/** Contracts of one symbol, in quotes, beyond which a taker only trades back. */
const MOST_HELD = 2;
const FALLBACK_IV = 0.6;

export async function bookOf(http: Http, symbol: string): Promise<Book | null> {
  const { status, body } = await http.get(`/orderbook?instrument_name=${symbol}&depth=1`);
  return status === 200 ? body as Book : null;
}

/** Runs one actor's loop to the end; requests that nothing answers while the demo ends are no fault. */
async function guarded(actor: Actor, loop: () => Promise<void>): Promise<void> {
  try {
    await loop();
  } catch (error) {
    if (!(error instanceof NoAnswer && actor.isOver())) throw error;
  }
}

function note(tally: Tally, answer: Answer): OrderUpdate | null {
  const update = answer.status === 200 ? answer.body as OrderUpdate : null;
  if (update === null) tally.failed++;
  else if (update.status === 'REJECTED') tally.rejected++;
  if (update?.status !== 'ACKED' && update?.status !== 'CANCELED') tally.lastRefusal = update?.reason ?? `${answer.status} ${answer.text}`;
  return update;
}

/** Opens the wallet's account by an order that cannot trade, and takes it back. */
export async function open({ http, signer, wallet, tally }: Actor, symbol: string): Promise<void> {
  const placed = note(tally, await http.send(signer.placeOrder(wallet, { symbol, side: 'Buy', size: '0.01', price: '0.01' })));
  if (placed === null || placed.order_id === null) throw new Error(`no account for ${wallet.address}: ${tally.lastRefusal}`);
  note(tally, await http.send(signer.cancel(wallet, placed.order_id)));
}

/** Quotes the whole chain until the demo is over. */
export function make(actor: Actor, chain: Chain, edge: number): Promise<void> {
  const quotes = new Map<string, Quote>();
  return guarded(actor, async () => {
    while (!actor.isOver()) {
      const started = performance.now();
      const book = await bookOf(actor.http, chain.contracts[0]!.symbol);
      const reference = book === null ? null : { index: book.index_price, volatility: book.mark_iv || FALLBACK_IV };
      const waiting = reference === null ? [] : [...chain.contracts];
      const lanes = Array.from({ length: CONCURRENT }, async () => {
        for (let next = waiting.pop(); next !== undefined && !actor.isOver(); next = waiting.pop()) {
          const quote = quoteOf(next, reference!, edge);
          const old = quotes.get(next.symbol);
          if (isNear(old, quote)) continue;
          quotes.set(next.symbol, { ...quote, ids: await requote(actor, chain.size, next.symbol, old?.ids ?? [], quote) });
        }
      });
      await Promise.all(lanes);
      await sleep(Math.max(0, QUOTE_EVERY_MS - (performance.now() - started)));
    }
  });
}

function quoteOf({ isCall, strike, expiry }: Contract, { index, volatility }: Reference, edge: number): Omit<Quote, 'ids'> {
  const price = optionPrice(isCall, index, strike, Math.max(0, expiry - Date.now()) / YEAR, volatility, 1);
  const half = Math.max(price * HALF_SPREAD, index * LEAST_SPREAD) * edge;
  const bid = priceText(Math.max(price - half, index * LEAST_SPREAD / 10));
  return { bid, ask: priceText(price + half), half, at: performance.now() };
}

function isNear(old: Quote | undefined, { bid, ask, half, at }: Omit<Quote, 'ids'>): boolean {
  if (old === undefined || at - old.at > RENEW_AFTER_MS) return false;
  return Math.abs(Number(old.bid) - Number(bid)) < half / 4 && Math.abs(Number(old.ask) - Number(ask)) < half / 4;
}

/** Takes the old orders back and places both sides anew; the ids of the new ones. */
async function requote(
  { http, signer, wallet, tally }: Actor, quoted: number, symbol: string, ids: readonly number[], { bid, ask }: Omit<Quote, 'ids'>,
): Promise<number[]> {
  for (const id of ids) {
    // One that was filled meanwhile answers REJECTED, which is no refusal of the demo's.
    const { status, body } = await http.send(signer.cancel(wallet, id));
    if (status === 200 && (body as OrderUpdate).status === 'CANCELED') tally.cancelled++;
  }
  const placed: number[] = [];
  for (const [side, price] of [['Buy', bid], ['Sell', ask]] as const) {
    const update = note(tally, await http.send(signer.placeOrder(wallet, { symbol, side, size: String(quoted), price })));
    tally.placed++;
    if (update?.order_id != null) placed.push(update.order_id);
    if ((update?.filled_size ?? 0) > 0) tally.trades++;
  }
  return placed;
}

/** Takes what is quoted, now on this side, now on that, until the demo is over. */
export function take(actor: Actor, chain: Chain): Promise<void> {
  const { http, signer, wallet, tally } = actor;
  const held = new Map<string, number>();
  return guarded(actor, async () => {
    while (!actor.isOver()) {
      await sleep(100 + Math.random() * 500);
      const { symbol } = chain.contracts[Math.floor(Math.random() * chain.contracts.length)]!;
      const book = await bookOf(http, symbol);
      const position = held.get(symbol) ?? 0;
      const most = MOST_HELD * chain.size;
      const buys = position >= most ? false : position <= -most ? true : Math.random() < 0.5;
      const [best] = (buys ? book?.asks : book?.bids) ?? [];
      if (best === undefined || actor.isOver()) continue;
      const size = (chain.size * (1 + Math.floor(Math.random() * 5)) / 10).toFixed(2);
      const terms = { symbol, side: buys ? 'Buy' : 'Sell', size, price: priceText(best[0]), tif: 'ioc' } as const;
      const update = note(tally, await http.send(signer.placeOrder(wallet, terms)));
      tally.placed++;
      const filled = update?.filled_size ?? 0;
      if (filled > 0) tally.trades++;
      held.set(symbol, position + (buys ? filled : -filled));
    }
  });
}
