// Draws one action of a run as a record to send, valid or invalid. It reads the state only to aim (marks, open orders, positions). All
// chance comes from the given generator.

import { BUY, DAY, FOK, GTC, HOUR, IOC, MINUTE, SECOND, SELL, USDC } from '../../core/units.ts';
import {
  CALL, DELETE_MARKET, DELETE_MMP, FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, LIST_MARKET, PERP, PUT, RESET_MMP,
} from '../../core/codec/commands.ts';
import type { Views } from '../../core/codec/record.ts';
import type { State } from '../../core/engine/state.ts';
import type { AmendFields, Contract, OrderFields } from '../support/records.ts';
import { clientIdIn, instrumentTotal, liveRows, openOrders, type RawHolding } from '../support/raw.ts';
import type { TestVenue } from '../support/venue.ts';
import type { Random } from './random.ts';
import type { Options } from './options.ts';
import { atBounds } from './stretch.ts';

/** Underlyings in the order in which they are added: two in every run, the others later; the last one exceeds the table. */
export const NAMES = ['BTC', 'ETH', 'SOL', 'XRP', 'ADA'] as const;
/** The underlyings of every run. */
const FIRST_TWO = NAMES.slice(0, 2);
const NOBODYS = 'DOGE';
export const CLIENT_IDS = ['', '', '', 'a', 'b', 'quote-1', 'quote-2', 'x'.repeat(64)];
const ACTIVE = 1;
const STARTS = [100_000, 3_000, 150, 2];

/** Shared by the parts of a run: its generator, its venue, a choice of wallet, and how commands are sent. */
export type RunContext = {
  readonly draw: Draw; readonly random: Random; readonly venue: TestVenue; readonly anyone: number; readonly send: (views: Views) => number;
  readonly command: (views: Views) => void; readonly through: (ms: number) => void; readonly count: (bucket: string) => void;
};

export class Draw {
  private readonly random: Random;
  private readonly options: Options;
  /** Chance of orders at the bounds of price and size, where a run has them. */
  private readonly bounds: Random | null;
  private readonly nonces = new Map<number, number>();

  constructor(random: Random, options: Options, bounds: Random | null) {
    this.bounds = bounds;
    this.random = random;
    this.options = options;
  }

  wallet(): number {
    return this.random.between(0, this.options.wallets - 1);
  }

  /** The next nonce of a wallet, now and then an old one again. */
  nonce(wallet: number): number {
    const last = this.nonces.get(wallet) ?? 0;
    if (last > 0 && this.random.chance(0.02)) return this.random.between(1, last);
    this.nonces.set(wallet, last + 1);
    return last + 1;
  }

  order(state: State, wallet: number, isPerp: boolean): OrderFields {
    const { random } = this;
    const slot = isPerp ? state.instruments.perpOf[random.chance(0.7) ? 0 : this.other(state)]! : this.option(state);
    const held = random.chance(0.25) ? this.holdingOf(state, wallet) : undefined;
    const chosen = held?.instrument ?? slot;
    const closes = held !== undefined && held.position !== 0 && random.chance(0.7);
    const side = closes ? (held.position > 0 ? SELL : BUY) : random.chance(0.5) ? BUY : SELL;
    const drawn = random.chance(0.1) ? this.largest(state, wallet, chosen) : this.size();
    const size = closes && random.chance(0.6) ? Math.abs(held.position) : drawn;
    const flags = (random.chance(closes ? 0.5 : 0.06) ? FLAG_REDUCE_ONLY : 0) | (random.chance(0.1) ? FLAG_MMP_OPT_OUT : 0);
    const amount = this.amount(this.price(state, chosen, side), size);
    return {
      ...contractOf(state, chosen), wallet, nonce: this.nonce(wallet), side, ...amount,
      tif: random.pick([GTC, GTC, GTC, GTC, IOC, FOK]), clientId: random.pick(CLIENT_IDS), flags,
    };
  }

  /** An order that waits for a value near that of its contract. */
  waiting(state: State, wallet: number): OrderFields {
    const { random } = this;
    const order = this.order(state, wallet, random.chance(0.5));
    const { instruments, valuation } = state;
    const underlying = NAMES.indexOf(order.underlying as typeof NAMES[number]);
    const triggerBy = random.between(1, 3);
    const isSame = (slot: number): boolean => (
      instruments.underlying[slot] === underlying && instruments.expiry[slot] === order.expiry && instruments.strike[slot] === order.strike
      && instruments.kind[slot] === order.kind
    );
    const slot = Array.from({ length: instrumentTotal(state) }, (_, at) => at).find(isSame) ?? 0;
    const value = triggerBy === 1 ? valuation.index[underlying]! : valuation.theo[slot]!;
    const triggerPrice = Math.max(1, Math.round(value * random.pick([0.98, 0.995, 0.999, 1, 1.001, 1.005, 1.02])));
    return { ...order, triggerBy, triggerDirection: random.between(1, 2), triggerPrice, linkId: random.pick(['', '', 'a', 'b']) };
  }

  /** The drawn price and size, cut to a notional that an order may have; sometimes at the bounds, in runs that have those. */
  amount(price: number, size: number): { price: number; size: number } {
    if (this.bounds?.chance(0.15) === true) return atBounds(this.bounds, price, size);
    return { price, size: Math.max(1, Math.min(size, Math.floor(9e15 / price * 1e6))) };
  }

  /** An underlying other than the first; the perp of the fourth is left to short visits (strain.ts). */
  private other(state: State): number {
    return state.underlyings.counters[0] === 2 ? 1 : this.random.between(1, 2);
  }

  /** Mostly one of a few contracts near the money, so that orders meet. */
  option(state: State): number {
    const { random } = this;
    const total = instrumentTotal(state);
    const { instruments, valuation } = state;
    for (let tries = 0; tries < 12; tries++) {
      const slot = random.between(0, total - 1);
      const spot = valuation.index[instruments.underlying[slot]!]!;
      const away = Math.abs(instruments.strike[slot]! / spot - 1);
      if (instruments.kind[slot] !== PERP && instruments.status[slot] === ACTIVE && away < 0.05) return slot;
    }
    return random.between(0, total - 1);
  }

  private holdingOf(state: State, wallet: number): RawHolding | undefined {
    const account = accountOf(state, wallet);
    const own = liveRows(state).filter((row) => row.account === account);
    return own.length === 0 ? undefined : this.random.pick(own);
  }

  price(state: State, slot: number, side: number): number {
    const { random, options } = this;
    const mark = Math.max(100, state.valuation.mark[slot]!);
    if (random.chance(0.02)) return fiveFigures(random.pick([1, 5e8, 1e12]));
    const spread = random.chance(options.near) ? (state.instruments.kind[slot] === PERP ? 0.004 : 0.06) : 0.8;
    const towards = side === BUY ? 0.4 : 0.6;
    return fiveFigures(mark * Math.max(0.01, 1 + (random.fraction() - towards) * spread));
  }

  /** About as much as the wallet's cash can carry at a tenth of the index. */
  private largest(state: State, wallet: number, slot: number): number {
    const account = accountOf(state, wallet);
    const cash = account < 0 ? this.options.settings[0]! : Math.max(0, state.accounts.cash[account]!);
    const spot = Math.max(1, state.valuation.index[state.instruments.underlying[slot]!]!);
    return Math.max(1, Math.floor(cash / spot * 10 * 1e6 * (0.3 + 0.8 * this.random.fraction())));
  }

  /** A wallet for a change of mode: mostly one with open orders and no position, so that the orders decide. */
  switcher(state: State): number {
    const { accounts } = state;
    for (let tries = 0; tries < 40; tries++) {
      const wallet = this.wallet();
      const account = accountOf(state, wallet);
      if (account >= 0 && accounts.openOrders[account]! > 0 && accounts.positions[account] === 0) return wallet;
    }
    return this.wallet();
  }

  size(): number {
    const { random, options } = this;
    if (random.chance(0.05)) return random.between(1, 50);
    return Math.max(1, Math.round(options.most * random.fraction() ** 3));
  }

  /** A wallet and the id of one of its open orders; sometimes an id without an order. */
  openOrder(state: State): { wallet: number; id: number; clientId: string } {
    const { random } = this;
    const open = openOrders(state).filter((order) => walletOf(state, order.account) >= 0);
    if (open.length === 0 || random.chance(0.06)) {
      return { wallet: this.wallet(), id: random.between(0, 50), clientId: random.pick(CLIENT_IDS) };
    }
    const order = random.pick(open);
    const clientId = clientIdIn(state, order.slot);
    return { wallet: random.chance(0.95) ? walletOf(state, order.account) : this.wallet(), id: order.id, clientId };
  }

  /** Often the same price or a smaller size, sometimes what was filled, a price that trades, or another trigger. */
  amend(state: State, orderId: number): AmendFields {
    const { random } = this;
    const order = openOrders(state).find(({ id }) => id === orderId);
    if (order === undefined) return { orderId, ...this.amount(1_000_000, this.size()) };
    const filled = order.size - order.remaining;
    if (filled > 0 && random.chance(0.3)) return { orderId, ...this.amount(order.price, filled) };
    const price = random.chance(0.4) ? order.price : random.chance(0.5) ? this.price(state, order.instrument, order.side)
      : fiveFigures(order.price * (0.98 + 0.04 * random.fraction()));
    const moved = order.entry !== 0 || random.chance(0.5) ? 0
      : fiveFigures(state.orders.extended.triggerPrice[order.slot]! * (0.99 + 0.02 * random.fraction()));
    const size = Math.round(order.size * random.fraction() * (random.chance(0.6) ? 1 : 3));
    return { orderId, ...this.amount(price, size), triggerPrice: moved };
  }

  mmp(): { underlying: string; interval: number; frozen: number; quantity: number; delta: number; vega: number } {
    const { random, options } = this;
    const limit = (): number => (random.chance(0.4) ? -1 : Math.round(options.most * random.fraction()));
    return {
      underlying: random.chance(0.03) ? NOBODYS : random.pick(FIRST_TWO), interval: random.pick([1, 1_000, 5_000, MINUTE]),
      frozen: random.pick([0, 1, 2_000, MINUTE]), quantity: limit(), delta: limit(), vega: random.chance(0.7) ? -1 : random.between(0, 1e8),
    };
  }

  username(): string {
    const { random } = this;
    return random.pick(['Alice', 'alice', 'ALICE', 'bob', 'B0b_', 'bob_', `wallet_${random.between(0, 40)}`, 'twenty_characters_20']);
  }

  /** Ids of payouts for one wallet: mostly its own, some unknown. */
  payouts(state: State): { owner: number; ids: number[] } {
    const { random } = this;
    const newest = state.payouts.counters[0]!;
    const first = random.between(1, Math.max(1, newest));
    const owner = random.chance(0.9) && newest > 0 ? walletOf(state, state.payouts.account[(first - 1) % state.payouts.capacity]!) : -1;
    const ids = [first, ...random.chance(0.3) ? [first, newest + 1, random.between(1, Math.max(1, newest))] : []];
    return { owner: owner >= 0 ? owner : this.wallet(), ids };
  }

  /** A scope of a wallet that mostly has open orders. */
  cancelAll(state: State): { wallet: number; contract?: Contract; underlying?: string; within: (slot: number) => boolean } {
    const { random } = this;
    const { wallet } = this.openOrder(state);
    const slot = this.holdingOf(state, wallet)?.instrument ?? 0;
    const underlying = state.instruments.underlying[slot]!;
    switch (random.between(0, 3)) {
      case 0: return { wallet, contract: contractOf(state, slot), within: (other) => other === slot };
      case 1: return { wallet, underlying: NAMES[underlying]!, within: (other) => state.instruments.underlying[other] === underlying };
      default: return { wallet, within: () => true };
    }
  }

  /** How long until a deadline; 0: none, or at once. */
  patience(): number {
    return this.random.pick([0, 1, SECOND, 20 * SECOND, MINUTE, 30 * MINUTE]);
  }

  /** The connection that a wallet names: mostly its last one. */
  connection(): readonly number[] {
    return this.random.pick([[0, 0], [0, 0], [0, 0], [7, 1], [7, 2]]);
  }

  /** Many small bids of a wallet in one contract, the lowest first. */
  ladder(state: State, wallet: number): OrderFields[] {
    const slot = this.option(state);
    const [contract, mark] = [contractOf(state, slot), Math.max(1_000, state.valuation.mark[slot]!)];
    return Array.from({ length: 45 }, (_, rung) => (
      { ...contract, wallet, nonce: this.nonce(wallet), side: BUY, price: fiveFigures(mark * (0.3 + rung / 100)), size: 20 }
    ));
  }

  /** A market to list or to delete, in the calendar or not, listed or not. */
  market(state: State, now: number): { kind: number; underlying: number; expiry: number; strike: number; type: number } {
    const { random } = this;
    const { instruments } = state;
    const slot = this.option(state);
    const underlying = instruments.underlying[slot]!;
    const type = instruments.kind[slot]!;
    const there = { underlying, expiry: instruments.expiry[slot]!, strike: instruments.strike[slot]!, type };
    if (random.chance(0.6)) return { kind: random.chance(0.7) ? DELETE_MARKET : LIST_MARKET, ...there };
    const expiry = now + this.toExpiry(now) + random.between(-1, 40) * DAY + (random.chance(0.1) ? 1 : 0);
    const strike = fiveFigures(STARTS[underlying]! * USDC * (0.5 + random.fraction()));
    return { kind: LIST_MARKET, underlying: random.chance(0.05) ? 9 : underlying, expiry, strike, type: random.pick([PUT, CALL]) };
  }

  /** An expiry of which some contract has no settlement price yet, if there is one, and a price for it. */
  settlement({ instruments, valuation }: State): { underlying: number; expiry: number; price: number } {
    const pending = [...Array(instruments.counters[0]!).keys()].filter((slot) => instruments.status[slot] === 2);
    const slot = pending.length > 0 ? this.random.pick(pending) : 0;
    const underlying = instruments.underlying[slot]!;
    const price = Math.round(valuation.index[underlying]! * (0.9 + 0.2 * this.random.fraction()));
    return { underlying, expiry: instruments.expiry[slot]!, price };
  }

  endMmp(): { kind: number; underlying: string } {
    return { kind: this.random.pick([DELETE_MMP, RESET_MMP, RESET_MMP]), underlying: this.random.pick(FIRST_TWO) };
  }

  /** The next index of an underlying by the run's regime; while somebody is liquidated the market may turn, so that some recover. */
  index(state: State, underlying: number): number {
    const { random, options } = this;
    const now = state.valuation.index[underlying]! || STARTS[underlying]! * USDC;
    const noise = random.fraction() + random.fraction() + random.fraction() - 1.5;
    const scale = { calm: 0.0005, lively: 0.003, jumpy: 0.001, crashing: 0.002 }[options.regime];
    const { counters, status } = state.accounts;
    const turns = status.subarray(0, counters[0]).some((one) => one === 1 || one === 2) && random.chance(0.6);
    // In a crash mostly long accounts are liquidated; they recover when it is over.
    const jump = turns ? (random.fraction() - (options.regime === 'crashing' ? 0 : 0.5)) * 0.4
      : options.regime === 'jumpy' && random.chance(0.05) ? (random.fraction() - 0.5) * 0.3
      : options.regime === 'crashing' && random.chance(0.2) ? -0.045 : 0;
    return Math.min(1e14, Math.max(USDC, Math.round(now * (1 + noise * scale + jump))));
  }

  /** How long the next pause is, ms. */
  pause(): number {
    const { random } = this;
    if (random.chance(0.75)) return random.between(0, 900);
    return random.chance(0.9) ? random.between(SECOND, 8 * SECOND) : random.between(0, 2 * MINUTE);
  }

  /** Ms until the next full UTC hour, and until the next 08:00 UTC. */
  toHour(now: number): number {
    return Math.ceil((now + 1) / HOUR) * HOUR - now;
  }

  toExpiry(now: number): number {
    return Math.ceil((now + 1 - 8 * HOUR) / DAY) * DAY + 8 * HOUR - now;
  }
}

export function contractOf(state: State, slot: number): { underlying: string; expiry: number; strike: number; kind: number } {
  const { instruments } = state;
  return {
    underlying: NAMES[instruments.underlying[slot]!]!, expiry: instruments.expiry[slot]!, strike: instruments.strike[slot]!,
    kind: instruments.kind[slot]!,
  };
}

/** The test wallet of an account; -1 for the venue's own account. */
function walletOf(state: State, account: number): number {
  const first = state.accounts.address[account * 5]!;
  return state.accounts.address[account * 5 + 3] === 7 ? first - 1 : -1;
}

export function accountOf(state: State, wallet: number): number {
  for (let account = 0; account < state.accounts.counters[0]!; account++) if (walletOf(state, account) === wallet) return account;
  return -1;
}


/** The nearest price of at most five significant figures, 1 or more. */
export function fiveFigures(price: number): number {
  const whole = Math.max(1, Math.round(price));
  let unit = 1;
  while (whole / unit >= 100_000) unit *= 10;
  return Math.min(1e15, Math.round(whole / unit) * unit);
}
