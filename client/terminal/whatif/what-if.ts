// What orders would do to an account, by the venue's own core in the browser: before, while they rest, and once they are filled. One
// instance is one moment of the account.

import { bandLimit } from '../../../core/trading/price-band.ts';
import { hasExpired } from '../../../core/instruments/instruments.ts';
import { orderFee } from '../../../core/margin/standard.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { MAX_PRICE } from '../../../core/limits.ts';
import { PRICE_BAND } from '../../../core/settings.ts';
import { mulDivCeil, mulDivFloor, mulDivHalfUp } from '../../../core/math/exact.ts';
import { toPriceUnits } from '../../../core/pricing/black76.ts';
import { pendingFunding } from '../../../core/positions/funding.ts';
import { BUY, CONTRACT, SELL } from '../../../core/units.ts';
import { formatDecimal } from '../../../core/codec/decimal.ts';
import { liquidationPrices, positionsOf } from '../../../shell/reader/account/held.ts';
import { riskGrid } from '../../../shell/reader/account/risk.ts';
import { OWN, SimulatedAccount, type AccountState, type SimulatedOrder } from '../../../shell/reader/account/simulated-account.ts';
import { totalsOf } from '../../../shell/reader/account/totals.ts';
import { aggregateOf, legOf, SIGMA, writeContractGreeks } from '../../../shell/reader/market/contract-greeks.ts';
import { limitPrice, theoreticalPrice, volatilityOf } from '../../../shell/reader/market/volatility.ts';
import type { RiskGrid, RiskInputs, Side } from '../../src/main.ts';
import { Payoff, type PayoffLeg } from './payoff.ts';
import { rebuild, unitsOf } from './rebuild.ts';

/** An order that is only tried. Without a price it is tried at the mark. */
export type WhatIfOrder = { readonly symbol: string; readonly side: Side; readonly size: string; readonly price?: string };
type Greeks = Omit<ReturnType<typeof aggregateOf>, 'iv'>;
export type PriceBand = { readonly min: string; readonly max: string };
/** Money as exact decimal text. */
export type AccountView = {
  readonly equity: string; readonly initial_margin: string; readonly maintenance_margin: string;
  /** `available_balance` of GET /portfolio. */
  readonly free_collateral: string;
  readonly greeks: Greeks;
  /** By underlying; null: none within the searched range. */
  readonly liquidation_prices: Readonly<Record<string, string | null>>;
  readonly grid: RiskGrid;
};
export type WhatIfAnswer = {
  readonly before: AccountView;
  /** Positions, greeks and liquidation prices are those before. */
  readonly resting: AccountView;
  readonly filled: AccountView;
  /** As if all of them took. */
  readonly fee: string;
};

const MICROS = 6;

export class WhatIf {
  readonly state: AccountState;
  readonly inputs: RiskInputs;
  readonly #account: SimulatedAccount;
  readonly #mode: number;

  constructor(inputs: RiskInputs) {
    this.inputs = inputs;
    this.state = rebuild(inputs);
    this.#account = new SimulatedAccount(this.state);
    this.#mode = this.state.accounts.mode[OWN]!;
  }

  account(): AccountView {
    this.#account.copy(OWN);
    return this.#view([], this.#slotsOf([]));
  }

  /** Throws a RangeError: amounts beyond exact, a contract not among the inputs or expired. */
  orders(asked: readonly WhatIfOrder[]): WhatIfAnswer {
    const orders = asked.map((one) => this.#orderOf(one));
    const { margin } = this.#account;
    this.#account.copy(OWN);
    for (const { slot } of orders) this.#account.rowOf(slot);
    const before = this.#view([], this.#slotsOf([]));
    const resting = { ...before, ...this.#margins(orders) };
    const fee = orders.reduce((sum, { slot, price, size }) => sum + orderFee(margin, slot, price, size), 0);
    const slots = this.#slotsOf(orders);
    for (const order of orders) if (!this.#account.fillOrder(order)) throw tooLarge();
    return { before, resting, filled: this.#view([], slots), fee: text(fee) };
  }

  /** As the chain shows it; null where no volatility gives the price, and for a perp. */
  volatilityAt(symbol: string, price: string): number | null {
    const volatility = volatilityOf(this.state, this.#slotOf(symbol), unitsOf(price));
    return Number.isNaN(volatility) ? null : volatility;
  }

  /** As POST /limit_iv; `volatility` is a fraction. Null for a perp. */
  priceAtVolatility(symbol: string, volatility: number, side: Side): string | null {
    const slot = this.#slotOf(symbol);
    if (this.state.instruments.kind[slot] === PERP) return null;
    const price = toPriceUnits(theoreticalPrice(this.state, slot, volatility));
    return Number.isFinite(price) ? text(limitPrice(Math.max(1, price), side)) : null;
  }

  /** The lowest price of an ask and the highest of a bid; null while the venue has no price band. */
  priceBand(symbol: string): PriceBand | null {
    const { margin } = this.#account;
    if (margin.settings.values[PRICE_BAND] === 0) return null;
    const slot = this.#slotOf(symbol);
    return { min: text(bandLimit(margin, slot, SELL)), max: text(bandLimit(margin, slot, BUY)) };
  }

  premiumOf(price: string, size: string): string {
    return text(mulDivHalfUp(unitsOf(size), unitsOf(price), CONTRACT));
  }

  /** At which this size costs at most `premium`, or brings at least that. Null if there is none. */
  priceOfPremium(premium: string, size: string, side: Side): string | null {
    if (unitsOf(size) === 0) return null;
    const price = (side === 'Buy' ? mulDivFloor : mulDivCeil)(unitsOf(premium), CONTRACT, unitsOf(size));
    return price >= 1 && price <= MAX_PRICE ? text(limitPrice(price, side)) : null;
  }

  /** Filled at their prices with the taker's fee. */
  payoffOfOrders(asked: readonly WhatIfOrder[], underlying: string): Payoff {
    const legs = asked.map((one) => this.#orderOf(one)).map(({ slot, side, size, price }) => {
      const position = side === BUY ? size : -size;
      return { slot, position, cost: mulDivHalfUp(position, price, CONTRACT), paid: orderFee(this.#account.margin, slot, price, size) };
    });
    return this.#payoff(underlying, legs);
  }

  /** With these orders filled, and what perps owe of funding. */
  payoffOfAccount(asked: readonly WhatIfOrder[], underlying: string): Payoff {
    this.#account.copy(OWN);
    const { funding, holdings } = this.#account.margin;
    const own = positionsOf(this.#account.margin, OWN).map(({ row, slot, position }) => (
      { slot, position, cost: holdings.cost[row]!, paid: pendingFunding(funding, holdings, row) }
    ));
    return this.#payoff(underlying, [...own, ...this.payoffOfOrders(asked, underlying).legs]);
  }

  #payoff(underlying: string, legs: readonly PayoffLeg[]): Payoff {
    const at = this.inputs.underlyings.findIndex((one) => one.underlying === underlying);
    if (at < 0) throw new RangeError(`${underlying} has no contract among those that were asked for`);
    return new Payoff(this.state, at, legs.filter(({ slot }) => this.state.instruments.underlying[slot] === at));
  }

  #orderOf({ symbol, side, size, price }: WhatIfOrder): SimulatedOrder {
    const { instruments, valuation } = this.state;
    const slot = this.#slotOf(symbol);
    if (hasExpired(instruments, slot, this.inputs.time_ms)) throw new RangeError(`${symbol} has expired`);
    return {
      slot, side: side === 'Buy' ? BUY : SELL, size: unitsOf(size), price: price === undefined ? valuation.mark[slot]! : unitsOf(price),
    };
  }

  #slotOf(symbol: string): number {
    const slot = this.inputs.contracts.findIndex((one) => one.symbol === symbol);
    if (slot < 0) throw new RangeError(`${symbol} is not among the contracts that were asked for`);
    return slot;
  }

  #view(orders: readonly SimulatedOrder[], slots: readonly number[]): AccountView {
    const margins = this.#margins(orders);
    const { margin } = this.#account;
    this.#account.addOrders([], this.#mode);
    const totals = totalsOf(margin, OWN);
    const held = positionsOf(margin, OWN);
    const prices = liquidationPrices(margin, OWN, held, totals);
    const names = this.#names;
    const liquidation = [...prices].map(([underlying, price]) => [names.underlying(underlying), price === null ? null : text(price)]);
    return { ...margins, greeks: this.#greeks(slots), liquidation_prices: Object.fromEntries(liquidation) };
  }

  #margins(orders: readonly SimulatedOrder[]): Omit<AccountView, 'greeks' | 'liquidation_prices'> {
    const grid = riskGrid(this.#account, this.#names, orders, this.#mode);
    if (grid === null) throw tooLarge();
    const free = unitsOf(grid.collateral) - unitsOf(grid.total_initial_margin) - unitsOf(grid.open_orders_reserved);
    return {
      equity: grid.equity, initial_margin: grid.total_initial_margin, maintenance_margin: grid.position_maintenance_margin,
      free_collateral: text(Math.max(0, free)), grid,
    };
  }

  get #names() {
    return {
      symbol: (slot: number): string => this.inputs.contracts[slot]!.symbol,
      underlying: (at: number): string => this.inputs.underlyings[at]!.underlying,
    };
  }

  /** The venue's order of adding greeks: positions, then contracts as the orders name them. */
  #slotsOf(orders: readonly SimulatedOrder[]): number[] {
    const held = positionsOf(this.#account.margin, OWN).map(({ slot }) => slot);
    return [...new Set([...held, ...orders.map(({ slot }) => slot)])];
  }

  #greeks(slots: readonly number[]): Greeks {
    const { margin } = this.#account;
    const positions = new Map(positionsOf(margin, OWN).map(({ slot, position }) => [slot, position]));
    const values = new Float64Array(SIGMA + 1);
    const legs = slots.filter((slot) => positions.has(slot)).map((slot) => {
      writeContractGreeks(this.state, slot, values, 0);
      return legOf(this.inputs.contracts[slot]!.symbol, positions.get(slot)!, values, 0);
    });
    const { iv: _, ...greeks } = aggregateOf(legs);
    return greeks;
  }
}

function text(micros: number): string {
  return formatDecimal(micros, MICROS);
}

function tooLarge(): RangeError {
  return new RangeError('The portfolio is too large to be computed exactly');
}
