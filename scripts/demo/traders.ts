// The traders of the demo, with the client library: makers that quote both sides of every contract of an underlying by socket, fifty at a
// time, and move quotes when the index has moved or a quote was filled; takers that trade against them by REST, never holding
// more than a few contracts of one symbol. Prices in USDC, sizes in contracts.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  roundPrice, StrikebookError, type BulkResult, type OrderTerms, type Side, type Strikebook, type VenueSocket,
} from '../../client/src/main.ts';
import { optionPrice } from '../../core/pricing/black76.ts';
import { YEAR } from '../../core/units.ts';

/** An underlying, and the size of one quote. */
export type Chain = { readonly underlying: string; readonly size: number };
/** Counters of the whole demo. */
export type Tally = { placed: number; replaced: number; rejected: number; trades: number; failed: number; lastRefusal: string };
export type Actor = {
  readonly venue: Strikebook; readonly socket: VenueSocket; readonly tally: Tally; readonly isOver: () => boolean;
};

export type Contract = { readonly symbol: string; readonly strike: number; readonly expiry: number; readonly isCall: boolean };
/** One quoted side of a contract: `id` and `price` are null while no order rests. */
type Quote = { readonly contract: Contract; readonly side: Side; id: number | null; price: string | null };
type Wanted = { readonly quote: Quote; readonly price: string };
/** Inputs of the prices of one expiry. */
type Reference = { readonly index: number; readonly volatility: number };

const QUOTE_EVERY_MS = 1_000;
/** Contracts are listed as the index moves and days pass: passes between two looks. */
const LOOK_EVERY = 30;
/** A nearer expiry is not quoted, because of the high gamma of its last hours. */
const NOT_BEFORE_MS = 6 * 3_600_000;
/** Half of the spread, as a share of the price and of the index; a quote moves when it is off by a quarter of that. */
const HALF_SPREAD = 0.01;
const LEAST_SPREAD = 0.000_05;
/** Items of one bulk, and bulks of one maker in flight: the venue checks so many signatures at a time, all makers' together. */
const BULK = 50;
const IN_FLIGHT = 4;
/** Position in one symbol, in sizes of a quote, above which a taker only reduces it. */
const MOST_HELD = 2;
const FALLBACK_IV = 0.6;

export async function contractsOf(venue: Strikebook, underlying: string): Promise<Contract[]> {
  const listed = await venue.get('/instruments', { currency: underlying });
  return listed.filter((one) => one.expiration_timestamp > Date.now() + NOT_BEFORE_MS).map((one) => ({
    symbol: one.instrument_name, strike: one.strike, expiry: one.expiration_timestamp, isCall: one.option_type === 'call',
  }));
}

/** Runs one actor's loop; failures caused by the end of the demo are ignored. */
async function guarded(actor: Actor, loop: () => Promise<void>): Promise<void> {
  try {
    await loop();
  } catch (error) {
    if (!(error instanceof StrikebookError && actor.isOver())) throw error;
  }
}

/** Opens the wallet's account with an order that cannot trade, and cancels it. */
export async function open({ venue }: Actor, symbol: string): Promise<void> {
  const { order_id: id, reason } = await venue.placeOrder({ symbol, side: 'Buy', size: '0.01', price: '0.01' });
  if (id === null) throw new Error(`no account for ${venue.wallet}: ${reason}`);
  await venue.cancelOrder(id);
}

/** Owns the quotes of one maker. */
class Maker {
  readonly #actor: Actor;
  readonly #chain: Chain;
  readonly #edge: number;
  readonly #quotes = new Map<string, Quote>();
  /** Orders filled in part since they were quoted. */
  readonly #touched = new Set<number>();

  constructor(actor: Actor, chain: Chain, edge: number) {
    this.#actor = actor;
    this.#chain = chain;
    this.#edge = edge;
  }

  async run(): Promise<void> {
    const { venue, socket, isOver } = this.#actor;
    await socket.subscribe('fills', { onMessage: ({ order_id: id }) => this.#touched.add(id) });
    for (let pass = 0; !isOver(); pass++) {
      const started = performance.now();
      if (pass % LOOK_EVERY === 0) this.#list(await contractsOf(venue, this.#chain.underlying));
      await this.#quote(await this.#references());
      await sleep(Math.max(0, QUOTE_EVERY_MS - (performance.now() - started)));
    }
  }

  /** Keeps the quotes of contracts that are still listed. */
  #list(contracts: readonly Contract[]): void {
    const before = new Map(this.#quotes);
    this.#quotes.clear();
    for (const contract of contracts) {
      for (const side of ['Buy', 'Sell'] as const) {
        const key = `${side} ${contract.symbol}`;
        this.#quotes.set(key, before.get(key) ?? { contract, side, id: null, price: null });
      }
    }
  }

  async #references(): Promise<ReadonlyMap<number, Reference>> {
    const { data } = await this.#actor.venue.get('/markets', { include_instruments: false });
    return new Map(data.filter(({ underlying }) => underlying === this.#chain.underlying).map((market) => (
      [market.expiry * 1_000, { index: Number(market.index_price), volatility: Number(market.atm_vol ?? FALLBACK_IV) }]
    )));
  }

  /** Replaces quotes with wrong prices and places missing ones, with a few bulks in flight at once. */
  async #quote(references: ReadonlyMap<number, Reference>): Promise<void> {
    const [fresh, moved]: [Wanted[], Wanted[]] = [[], []];
    for (const quote of this.#quotes.values()) {
      const reference = references.get(quote.contract.expiry);
      if (reference === undefined) continue;
      const { price, half } = priceOf(quote, reference, this.#edge);
      if (quote.id === null) fresh.push({ quote, price });
      else if (this.#touched.has(quote.id) || Math.abs(Number(quote.price) - Number(price)) > half / 4) moved.push({ quote, price });
    }
    this.#touched.clear();
    const jobs = [...bulks(fresh).map((some) => () => this.#place(some)), ...bulks(moved).map((some) => () => this.#replace(some))];
    const lane = async (): Promise<void> => {
      for (let job = jobs.shift(); job !== undefined && !this.#actor.isOver(); job = jobs.shift()) await job();
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  }

  async #place(some: readonly Wanted[]): Promise<void> {
    const { results } = await this.#actor.socket.placeOrders(some.map((one) => this.#terms(one)));
    this.#actor.tally.placed += some.length;
    this.#note(some, results);
  }

  async #replace(some: readonly Wanted[]): Promise<void> {
    const { results } = await this.#actor.socket.replaceOrders(some.map((one) => ({ ...this.#terms(one), order_id: one.quote.id! })));
    this.#actor.tally.replaced += some.length;
    // A refused replacement leaves the order open unless it is done: cancel it, and the next pass places another.
    const refused = some.flatMap(({ quote: { id } }, at) => (isRefused(results[at]!) ? [id!] : []));
    this.#note(some, results);
    if (refused.length > 0) await this.#actor.socket.cancelOrders(refused);
  }

  #terms({ quote, price }: Wanted): OrderTerms {
    return { symbol: quote.contract.symbol, side: quote.side, size: String(this.#chain.size), price };
  }

  #note(some: readonly Wanted[], results: readonly BulkResult[]): void {
    const { tally } = this.#actor;
    for (const [at, { quote, price }] of some.entries()) {
      const { success, data, error = '' } = results[at]!;
      if (!success && !isFilled(error)) {
        tally.lastRefusal = error;
        tally[data === undefined ? 'failed' : 'rejected']++;
      }
      // A result without data did not reach the engine: the old order still rests.
      if (data === undefined) continue;
      if (data.filled_size > 0) tally.trades++;
      quote.id = success ? data.order_id : null;
      quote.price = success ? price : null;
    }
  }
}

/** An order filled meanwhile cannot be replaced; this does not count as a refusal, and the next pass places another. */
function isFilled(error: string): boolean {
  return / is already filled /.test(error);
}

/** True for a refusal by the engine, which leaves the old order as it was. */
function isRefused({ success, data, error = '' }: BulkResult): boolean {
  return !success && data !== undefined && !isFilled(error);
}

function bulks(wanted: readonly Wanted[]): Wanted[][] {
  return Array.from({ length: Math.ceil(wanted.length / BULK) }, (_, at) => wanted.slice(at * BULK, (at + 1) * BULK));
}

/** By the venue's own formula at the volatility of the expiry. */
function priceOf({ contract, side }: Quote, { index, volatility }: Reference, edge: number): { price: string; half: number } {
  const { isCall, strike, expiry } = contract;
  const price = optionPrice(isCall, index, strike, Math.max(0, expiry - Date.now()) / YEAR, volatility, 1);
  const half = Math.max(price * HALF_SPREAD, index * LEAST_SPREAD) * edge;
  const best = side === 'Buy' ? Math.max(price - half, index * LEAST_SPREAD / 10) : price + half;
  return { price: roundPrice(best, side === 'Buy' ? 'down' : 'up'), half };
}

/** Quotes the whole chain until the demo is over. */
export function make(actor: Actor, chain: Chain, edge: number): Promise<void> {
  return guarded(actor, () => new Maker(actor, chain, edge).run());
}

/** Trades against quotes on random sides until the demo is over. */
export function take(actor: Actor, { size: quoted }: Chain, contracts: readonly Contract[]): Promise<void> {
  const { venue, tally } = actor;
  const held = new Map<string, number>();
  return guarded(actor, async () => {
    while (!actor.isOver()) {
      await sleep(100 + Math.random() * 500);
      const { symbol } = contracts[Math.floor(Math.random() * contracts.length)]!;
      const book = await venue.get('/orderbook', { instrument_name: symbol, depth: 1 });
      const position = held.get(symbol) ?? 0;
      const most = MOST_HELD * quoted;
      const isBuying = position >= most ? false : position <= -most ? true : Math.random() < 0.5;
      const [best] = isBuying ? book.asks : book.bids;
      if (best === undefined || actor.isOver()) continue;
      const size = (quoted * (1 + Math.floor(Math.random() * 5)) / 10).toFixed(2);
      const side = isBuying ? 'Buy' : 'Sell';
      const { status, reason, filled_size: filled } = await venue.placeOrder({ symbol, side, size, price: best[0], tif: 'ioc' });
      tally.placed++;
      if (status === 'REJECTED') {
        tally.rejected++;
        tally.lastRefusal = reason ?? '';
      }
      if (filled > 0) tally.trades++;
      held.set(symbol, position + (isBuying ? filled : -filled));
    }
  });
}
