// The contracts that are quoted now: of each underlying the perp, and call and put nearest to the index of the nearest and of the weekly
// expiry; also contracts that an actor wants quoted. Looked up anew as the index moves.

import type { Desk } from './desk.ts';
import { HOUR, UNDERLYINGS, WEEKLY, type Underlying } from './plan.ts';

/** `expiry` is Infinity for a perp. */
export type Contract = { readonly symbol: string; readonly underlying: Underlying; readonly expiry: number; readonly strike: number };
type Instrument = { readonly instrument_name: string; readonly strike: number; readonly expiration_timestamp: number };

const LOOK_EVERY = HOUR / 2;

export class Board {
  readonly #desk: Desk;
  readonly #options = new Map<Underlying, readonly Contract[]>(UNDERLYINGS.map((underlying) => [underlying, []]));
  readonly #wanted = new Map<string, Contract>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  perp(underlying: Underlying): Contract {
    return { symbol: `${underlying}-PERP`, underlying, expiry: Infinity, strike: 0 };
  }

  /** Options to be quoted, those that expire in `left` ms or later. */
  options(underlying: Underlying, left: number): Contract[] {
    const wanted = [...this.#wanted.values()].filter((one) => one.underlying === underlying);
    const all = new Map([...this.#options.get(underlying)!, ...wanted].map((one) => [one.symbol, one]));
    return [...all.values()].filter(({ expiry }) => expiry >= this.#desk.clock.now() + left);
  }

  want(contract: Contract): void {
    this.#wanted.set(contract.symbol, contract);
  }

  unwant(contract: Contract): void {
    this.#wanted.delete(contract.symbol);
  }

  async keep(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      for (const underlying of UNDERLYINGS) await this.look(underlying);
      await this.#desk.clock.sleep(LOOK_EVERY);
    }
  }

  async look(underlying: Underlying): Promise<void> {
    const listed = await this.#desk.read(`/instruments?currency=${underlying}`) as readonly Instrument[];
    const { index_price: index } = await this.#desk.book(`${underlying}-PERP`);
    const nearest = Math.min(...listed.map((one) => one.expiration_timestamp));
    this.#options.set(underlying, [nearest, WEEKLY].flatMap((expiry) => {
      const chain = listed.filter((one) => one.expiration_timestamp === expiry);
      const distance = ({ strike }: Instrument): number => Math.abs(strike - index);
      const least = Math.min(...chain.map(distance));
      return chain.filter((one) => distance(one) === least).map(({ instrument_name: symbol, strike }) => (
        { symbol, underlying, expiry, strike }
      ));
    }));
  }
}
