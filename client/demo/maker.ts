// A market maker of the demo: quotes one underlying by mass quotes and sends again only what moved, was filled or was refused. The venue
// cancels its quotes when its connection goes.

import { roundPrice, type QuoteTerms, type Strikebook, type VenueSocket } from '../src/main.ts';
import type { Contract, Prices } from './prices.ts';

/** Counters of the whole demo. */
export type Tally = { placed: number; quoted: number; refused: number; trades: number; lastRefusal: string };

type MakerTerms = {
  readonly prices: Prices;
  /** Options at the money, contracts; five times as much of the perp. */
  readonly size: number;
  /** Spread, as a multiple of the least one. */
  readonly edge: number;
  readonly most: number;
};

type Quoted = { readonly bid: string | null; readonly ask: string | null };
type Line = { readonly terms: QuoteTerms; readonly quoted: Quoted };

const SET = 'demo';
const LINES = 100;
const VALID_MS = 10_000;
/** Half of the spread: a share of the price within shares of the index. A quote moves when it is off by a quarter of that. */
const OF_PRICE = 0.01;
const [LEAST, MOST] = [0.000_05, 0.000_5];
const PERP_SPREAD = 0.000_05;
const PERP_SIZE = 5;
/** At most, as a share of the index: what is deep in the money is quoted smaller. */
const MOST_COST = 0.15;

export class Maker {
  readonly venue: Strikebook;
  readonly socket: VenueSocket;
  readonly #terms: MakerTerms;
  readonly #tally: Tally;
  readonly #quoted = new Map<string, Quoted>();

  constructor(venue: Strikebook, terms: MakerTerms, tally: Tally) {
    this.venue = venue;
    this.#terms = terms;
    this.#tally = tally;
    // Whatever rested may be gone after a reconnect.
    this.socket = venue.socket({ onUp: () => this.#quoted.clear(), onGap: () => this.#quoted.clear() });
  }

  async watchFills(): Promise<void> {
    await this.socket.subscribe('fills', {
      onMessage: ({ symbol, side }) => {
        this.#tally.trades++;
        this.#forget(symbol, side === 'Buy' ? 'bid' : 'ask');
      },
    });
  }

  async quote(): Promise<void> {
    const lines = this.#lines();
    for (let at = 0; at < lines.length; at += LINES) await this.#send(lines.slice(at, at + LINES));
  }

  #lines(): Line[] {
    const { prices, most } = this.#terms;
    const wanted = prices.index > 0 ? prices.contracts.slice(0, most) : [];
    const symbols = new Set(wanted.map(({ symbol }) => symbol));
    const gone = [...this.#quoted.keys()].filter((symbol) => !symbols.has(symbol));
    for (const symbol of gone) this.#quoted.delete(symbol);
    return wanted.flatMap((contract) => this.#lineOf(contract) ?? []);
  }

  #lineOf(contract: Contract): Line | null {
    const { symbol } = contract;
    const { price, half } = this.#priceOf(contract);
    const before = this.#quoted.get(symbol) ?? { bid: null, ask: null };
    const isOff = (text: string | null, want: string): boolean => text === null || Math.abs(Number(text) - Number(want)) > half / 4;
    // A worthless option has no bid.
    const bid = price > 2 * half ? roundPrice(price - half, 'down') : null;
    const ask = roundPrice(price + half, 'up');
    const moves = { bid: bid !== null && isOff(before.bid, bid), ask: isOff(before.ask, ask) };
    if (!moves.bid && !moves.ask) return null;
    const size = this.#sizeOf(contract, price);
    const quoted = { bid: moves.bid ? bid : before.bid, ask: moves.ask ? ask : before.ask };
    const sideOf = (side: keyof Quoted): QuoteTerms => ({ symbol, ...(moves[side] && { [side]: { size, price: quoted[side] } }) });
    return { terms: { ...sideOf('bid'), ...sideOf('ask') }, quoted };
  }

  #priceOf(contract: Contract): { readonly price: number; readonly half: number } {
    const { prices: { index }, edge } = this.#terms;
    const price = this.#terms.prices.fairOf(contract);
    const half = contract.option === null ? PERP_SPREAD * index : Math.min(MOST * index, Math.max(LEAST * index, OF_PRICE * price));
    return { price, half: half * edge };
  }

  #sizeOf({ symbol, option }: Contract, price: number): number {
    const { size, prices: { index } } = this.#terms;
    const whole = option === null ? size * PERP_SIZE : size * Math.min(1, MOST_COST * index / price);
    return Number(Math.max(0.01, whole * unevenness(symbol)).toFixed(2));
  }

  async #send(lines: readonly Line[]): Promise<void> {
    for (const { terms: { symbol }, quoted } of lines) this.#quoted.set(symbol, quoted);
    const { prices } = this.#terms;
    try {
      const { status, reason, results, counts } = await this.socket.massQuote({
        quote_set: SET, crossing: 'slide', detailed: false, quotes: lines.map(({ terms }) => terms),
        valid_until: Math.round(prices.now()) + VALID_MS,
      });
      if (status === 'REJECTED') return lines.forEach(({ terms: { symbol } }) => this.#note(symbol, reason));
      this.#tally.quoted += counts.open + counts.reduced;
      for (const { symbol, bid, ask } of results) this.#note(symbol, bid?.reason ?? ask?.reason ?? null);
    } catch (error) {
      for (const { terms: { symbol } } of lines) this.#quoted.delete(symbol);
      throw error;
    }
  }

  #note(symbol: string, reason: string | null): void {
    this.#tally.refused++;
    this.#tally.lastRefusal = `${symbol}: ${reason}`;
    this.#quoted.delete(symbol);
  }

  #forget(symbol: string, side: keyof Quoted): void {
    const quoted = this.#quoted.get(symbol);
    if (quoted !== undefined) this.#quoted.set(symbol, { ...quoted, [side]: null });
  }
}

/** 0.8 to 1.2, always the same for a symbol. */
function unevenness(symbol: string): number {
  let sum = 0;
  for (const char of symbol) sum = (sum * 31 + char.charCodeAt(0)) % 41;
  return 0.8 + sum / 100;
}
