// The traders of the simulated day, each a loop of signed requests until the day ends: makers that quote perps and options around the
// marks and replace their quotes; a maker under market-maker protection; takers; an account in portfolio margin that sells hedged options;
// one that buys perps with full leverage, and one that sells puts up to its margin. Sizes in contracts, prices in USDC, venue time in ms.

import { roundPrice } from '../../client/src/amounts.ts';
import type { Random } from '../../shell/feeds/random.ts';
import type { OrderTerms } from '../../client/src/forms.ts';
import { createWallet } from '../client.ts';
import type { Board, Contract } from './board.ts';
import type { Actor, Desk } from './desk.ts';
import { CRASH, DAY, HOUR, isPerp, UNDERLYINGS, WEEKLY, type Underlying } from './plan.ts';

export type Stage = { readonly desk: Desk; readonly board: Board; readonly random: Random; readonly isOver: () => boolean };

const near = (price: number): string => roundPrice(price, 'near');

const MINUTE = 60_000;
/** Time before an expiry in which its contracts are not quoted anew; the last quotes end at expiry. */
const LEAVE_BEFORE = 2 * MINUTE;
/** Size of one quote. */
const PERP_SIZE: Readonly<Record<Underlying, number>> = { BTC: 12, ETH: 120 };
const OPTION_SIZE: Readonly<Record<Underlying, number>> = { BTC: 0.5, ETH: 20 };
/** Quotes of a perp on each side: half of the spread as a part of the index, and how far apart they are. */
const PERP_LEVELS = 2;
const PERP_HALF = 0.000_5;
const PERP_STEP = 0.001;
/** A perp trades above and below its index by this part in turn, so that funding flows in both directions. */
const PREMIUM = 0.001_5;
const PREMIUM_PERIOD = 6 * HOUR;
/** Half of an option's spread as a part of its mark, and of the index at least. */
const OPTION_HALF = 0.02;
const OPTION_LEAST = 0.000_1;
const LEAST_PRICE = 0.01;
const LEVERAGE = 8.5;
const LEVER_STEP = 15;

/** A wallet with a key from the random generator. If it has an agent, the agent signs. */
export function actorOf(name: string, random: Random, hasAgent: boolean): Actor {
  const key = (): string => Array.from({ length: 8 }, () => Math.floor(random.uniform() * 2 ** 32).toString(16).padStart(8, '0')).join('');
  const wallet = createWallet(key());
  return { name, wallet, signer: hasAgent ? createWallet(key()) : wallet };
}

/** Runs turns until the day ends or the actor has no funds. */
async function during({ desk, isOver }: Stage, actor: Actor, every: number, turn: () => Promise<void>): Promise<void> {
  while (!isOver() && !desk.isBroke(actor)) {
    const next = desk.clock.now() + every;
    await turn();
    await desk.clock.sleep(next - desk.clock.now());
  }
}

/** Owns the quotes of one actor: each has a name, and a new price replaces its open order. */
class Quotes {
  readonly #desk: Desk;
  readonly #actor: Actor;
  readonly #standing = new Map<string, number>();

  constructor(desk: Desk, actor: Actor) {
    this.#desk = desk;
    this.#actor = actor;
  }

  /** If the order has ended meanwhile, the replacement is refused, and the next call places a new order. */
  async show(name: string, terms: OrderTerms): Promise<boolean> {
    const old = this.#standing.get(name);
    const placed = old === undefined ? this.#desk.place(this.#actor, terms) : this.#desk.replace(this.#actor, old, terms);
    const update = await placed;
    if (update?.order_id != null && update.filled_size < Number(terms.size)) this.#standing.set(name, update.order_id);
    else this.#standing.delete(name);
    return update !== null;
  }

  /** Both sides of an option, `part` of the spread away from its mark. */
  async showOption({ symbol, underlying }: Contract, part: number, size: number): Promise<boolean> {
    const { mark_price: mark, index_price: index } = await this.#desk.book(symbol);
    const half = Math.max(mark * OPTION_HALF, index * OPTION_LEAST) * part;
    const quote = { symbol, size: String(size), client_id: '' };
    const sides = [
      { name: `${underlying} ${symbol} bid`, terms: { ...quote, side: 'Buy', price: near(Math.max(LEAST_PRICE, mark - half)) } },
      { name: `${underlying} ${symbol} ask`, terms: { ...quote, side: 'Sell', price: near(Math.max(LEAST_PRICE, mark) + half) } },
    ] as const;
    const shown = await Promise.all(sides.map(({ name, terms }) => this.show(name, terms)));
    return shown.every((one) => one);
  }

  /** Cancels quotes of options of the underlying that are no longer quoted. */
  async keepOnly(underlying: Underlying, quoted: readonly Contract[]): Promise<void> {
    for (const [name, orderId] of [...this.#standing]) {
      const [of, symbol] = name.split(' ');
      if (of !== underlying || isPerp(symbol!) || quoted.some((one) => one.symbol === symbol)) continue;
      this.#standing.delete(name);
      await this.#desk.cancel(this.#actor, orderId);
    }
  }
}

/** Quotes every contract on the board: the perp of each underlying often, its options in turn. */
export async function make(stage: Stage, actor: Actor, edge: number): Promise<void> {
  const { board, desk } = stage;
  const quotes = new Quotes(desk, actor);
  const quotePerp = async (underlying: Underlying): Promise<void> => {
    const { symbol } = board.perp(underlying);
    const { index_price: index } = await desk.book(symbol);
    const middle = index * (1 + PREMIUM * Math.sin((desk.clock.now() - DAY) / PREMIUM_PERIOD * 2 * Math.PI));
    const size = String(PERP_SIZE[underlying]);
    await Promise.all(Array.from({ length: PERP_LEVELS * 2 }, (_, at) => {
      const away = index * (PERP_HALF * edge + PERP_STEP * (at >> 1));
      const terms = at % 2 === 0 ? { side: 'Buy', price: near(middle - away) } : { side: 'Sell', price: near(middle + away) };
      return quotes.show(`${underlying} ${symbol} ${at}`, { symbol, size, ...terms } as OrderTerms);
    }));
  };
  const quoteOptions = async (underlying: Underlying): Promise<void> => {
    const options = board.options(underlying, LEAVE_BEFORE);
    await quotes.keepOnly(underlying, options);
    for (const option of options) {
      if (!stage.isOver()) await quotes.showOption(option, edge, OPTION_SIZE[underlying]);
    }
  };
  await Promise.all(UNDERLYINGS.flatMap((underlying) => [
    during(stage, actor, MINUTE, () => quotePerp(underlying)), during(stage, actor, 5 * MINUTE, () => quoteOptions(underlying)),
  ]));
}

/** Quotes two options within the spread of all others, so that it is filled first, under market-maker protection. */
export async function makeProtected(stage: Stage, actor: Actor): Promise<void> {
  const { board, desk } = stage;
  const [interval, frozen] = [2 * HOUR, 10 * MINUTE];
  await desk.protect(actor, { currency: 'BTC', interval_ms: interval, frozen_time_ms: frozen, qty_limit: '0.6', delta_limit: '25' });
  const quotes = new Quotes(desk, actor);
  let triggers = 0;
  await during(stage, actor, 2 * MINUTE, async () => {
    const options = board.options('BTC', LEAVE_BEFORE).slice(0, 2);
    await quotes.keepOnly('BTC', options);
    for (const option of options) {
      if (await quotes.showOption(option, 0.5, 1)) continue;
      // A refusal means a freeze or a fill; the actor waits for the end of the freeze at random.
      if (++triggers % 2 === 0) await desk.clock.sleep(frozen);
      else await desk.resetProtection(actor, 'BTC');
      return;
    }
  });
}

/** Trades against quotes on random sides, and keeps its positions small. */
export async function take(stage: Stage, actor: Actor): Promise<void> {
  const { board, desk, random } = stage;
  const held = new Map<string, number>();
  await during(stage, actor, 3 * MINUTE, async () => {
    const underlying = UNDERLYINGS[random.uniform() < 0.5 ? 0 : 1];
    const choice = [board.perp(underlying), ...board.options(underlying, MINUTE)];
    const { symbol } = choice[random.uniform() < 0.3 ? 0 : Math.floor(random.uniform() * choice.length)]!;
    // Small sizes of a perp, because liquidations need its quotes.
    const quoted = isPerp(symbol) ? PERP_SIZE[underlying] / 10 : OPTION_SIZE[underlying];
    const position = held.get(symbol) ?? 0;
    const buys = position >= quoted * 2 ? false : position <= -quoted * 2 ? true : random.uniform() < 0.5;
    const size = (quoted * (0.2 + 0.8 * random.uniform())).toFixed(2);
    const filled = await takeBest(desk, actor, symbol, buys, size);
    held.set(symbol, position + (buys ? filled : -filled));
  });
}

/** An immediate-or-cancel order at the best price of the book, or worse by `reach` of it; returns the filled size. */
async function takeBest(desk: Desk, actor: Actor, symbol: string, buys: boolean, size: string, reach = 0): Promise<number> {
  const book = await desk.book(symbol);
  const [best] = buys ? book.asks : book.bids;
  if (best === undefined) return 0;
  const price = near(best[0] * (buys ? 1 + reach : 1 - reach));
  const update = await desk.place(actor, { symbol, side: buys ? 'Buy' : 'Sell', size, price, tif: 'ioc' });
  return update?.filled_size ?? 0;
}

/** Sometimes sells a weekly call and put, and at random hedges them with the perp. */
export async function sellCovered(stage: Stage, actor: Actor): Promise<void> {
  const { board, desk, random } = stage;
  const most = 3;
  const sold = new Map<string, number>();
  await during(stage, actor, HOUR / 3, async () => {
    const options = board.options('BTC', LEAVE_BEFORE).filter(({ expiry }) => expiry === WEEKLY);
    for (const { symbol } of options.slice(0, 2)) {
      const before = sold.get(symbol) ?? 0;
      if (before < most) sold.set(symbol, before + await takeBest(desk, actor, symbol, false, '0.5'));
    }
    await takeBest(desk, actor, board.perp('BTC').symbol, random.uniform() < 0.5, '0.2');
  });
}

/** Buys BTC perps worth many times its balance, and then waits. */
export async function lever(stage: Stage, actor: Actor, balance: number): Promise<void> {
  const { board, desk } = stage;
  const { symbol } = board.perp('BTC');
  let left = 0;
  await during(stage, actor, 2 * MINUTE, async () => {
    const now = desk.clock.now();
    if (now < DAY + HOUR / 2 || now > DAY + 10 * HOUR) return;
    if (left === 0) left = LEVERAGE * balance / (await desk.book(symbol)).index_price;
    if (left >= 0.1) left -= await takeBest(desk, actor, symbol, true, Math.min(LEVER_STEP, left).toFixed(2), PERP_STEP * PERP_LEVELS);
  });
}

/** Sells ETH puts at the money as long as its margin allows; in the crash they are no longer quoted. */
export async function writePuts(stage: Stage, actor: Actor): Promise<void> {
  const { board, desk } = stage;
  let put: Contract | null = null;
  let isFull = false;
  await during(stage, actor, 2 * MINUTE, async () => {
    const now = desk.clock.now();
    if (put === null && now >= DAY + HOUR) {
      put = board.options('ETH', LEAVE_BEFORE).find(({ symbol, expiry }) => expiry === WEEKLY && symbol.endsWith('-P')) ?? null;
      if (put !== null) board.want(put);
    }
    if (put === null) return;
    if (now >= CRASH) {
      board.unwant(put);
      return;
    }
    if (isFull) return;
    const { bids } = await desk.book(put.symbol);
    const [best] = bids;
    if (best === undefined) return;
    const terms = { symbol: put.symbol, side: 'Sell', size: '40', price: near(best[0]), tif: 'ioc' } as const;
    isFull = await desk.place(actor, terms) === null;
  });
}
