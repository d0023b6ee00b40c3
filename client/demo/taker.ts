// A taker of the demo: occasional orders that trade at once. It holds few contracts, so that makers' positions stay small too.

import type { Strikebook } from '../src/main.ts';
import type { Tally } from './maker.ts';
import type { Prices } from './prices.ts';

/** Positions in one symbol above which it only reduces; in how many symbols. */
const MOST_HELD = 2;
const MOST_SYMBOLS = 12;
const NEAREST = 60;
const PERP_SHARE = 0.4;
const STEPS = 10;

export class Taker {
  readonly venue: Strikebook;
  readonly #prices: Prices;
  readonly #size: number;
  readonly #tally: Tally;
  /** Null before the first look at its portfolio. */
  #held: Map<string, number> | null = null;

  constructor(venue: Strikebook, prices: Prices, size: number, tally: Tally) {
    this.venue = venue;
    this.#prices = prices;
    this.#size = size;
    this.#tally = tally;
  }

  async trade(): Promise<void> {
    const held = this.#held ??= await this.#positions();
    const symbol = this.#choose(held);
    if (symbol === undefined) return;
    const position = held.get(symbol) ?? 0;
    const most = MOST_HELD * this.#size;
    const isBuying = position >= most ? false : position <= -most ? true : Math.random() < 0.5;
    const { asks: [ask], bids: [bid] } = await this.venue.get('/orderbook', { instrument_name: symbol, depth: 1 });
    const best = isBuying ? ask : bid;
    if (best === undefined) return;
    const size = (this.#size * (1 + Math.floor(Math.random() * STEPS)) / STEPS).toFixed(3);
    const terms = { symbol, side: isBuying ? 'Buy' : 'Sell', size, price: best[0], tif: 'ioc' } as const;
    const { status, reason, filled_size: filled } = await this.venue.placeOrder(terms);
    this.#tally.placed++;
    if (status === 'REJECTED') {
      this.#tally.refused++;
      this.#tally.lastRefusal = `${symbol}: ${reason}`;
    }
    held.set(symbol, Number((position + (isBuying ? filled : -filled)).toFixed(6)));
    if (held.get(symbol) === 0) held.delete(symbol);
  }

  #choose(held: ReadonlyMap<string, number>): string | undefined {
    const { contracts } = this.#prices;
    const symbols = contracts.slice(1, NEAREST).map(({ symbol }) => symbol);
    const perp = contracts[0]?.symbol;
    const open = [...held.keys()].filter((symbol) => symbol !== perp && symbols.includes(symbol));
    if (Math.random() < PERP_SHARE) return perp;
    const from = open.length >= MOST_SYMBOLS ? open : symbols;
    return from[Math.floor(Math.random() * from.length)];
  }

  async #positions(): Promise<Map<string, number>> {
    const { positions } = await this.venue.get('/portfolio', { wallet: this.venue.wallet });
    return new Map(positions.map(({ symbol, amount }) => [symbol, Number(amount)]));
  }
}
