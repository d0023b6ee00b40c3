// The stores of the core with one account, from GET /risk/inputs. The core's functions cannot tell them from the venue's.

import { FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { createAccounts, PORTFOLIO, STANDARD } from '../../../core/accounts/accounts.ts';
import { createBooks, holdOrder } from '../../../core/book/books.ts';
import { priceKeyOf } from '../../../core/book/price-key.ts';
import { ACTIVE, addInstrument, createInstruments, EXPIRED_PENDING_PRICE, SETTLED } from '../../../core/instruments/instruments.ts';
import { createTerms, parseSymbol, SYMBOL_OK } from '../../../core/instruments/symbol.ts';
import { PRODUCTION, type Limits } from '../../../core/limits.ts';
import { createOrders, enterOrder } from '../../../core/orders/orders.ts';
import { createFunding } from '../../../core/positions/funding.ts';
import { createHoldings, openHolding } from '../../../core/positions/holdings.ts';
import { createSettings, DENSE, PRESET, SETTINGS, VENUE17 } from '../../../core/settings.ts';
import { BUY, SELL } from '../../../core/units.ts';
import { createValuation, raiseVintage } from '../../../core/valuation/valuation.ts';
import type { AccountState } from '../../../shell/reader/account/simulated-account.ts';
import type { RiskInputs } from '../../src/main.ts';

type Contract = RiskInputs['contracts'][number];
type Holding = RiskInputs['holdings'][number];

const ONLY = 0;
const STATUSES = { ACTIVE, EXPIRED_PENDING_PRICE, SETTLED };
const DECIMALS = 6;
const FUNDING_DECIMALS = 9;
const NO_NAME = new Uint32Array(0);

/** 10^-decimals; further decimals are cut off, as by the venue. */
export function unitsOf(text: string, decimals = DECIMALS): number {
  const [whole = '', fraction = ''] = text.split('.');
  return Number(`${whole}${fraction.slice(0, decimals).padEnd(decimals, '0')}`) + 0;
}

/** A slot is the place in `inputs.contracts`, an underlying's number that in `inputs.underlyings`. */
export function rebuild(inputs: RiskInputs): AccountState {
  const limits = limitsOf(inputs);
  const instruments = createInstruments(limits.instruments);
  const books = createBooks(limits);
  const state: AccountState = {
    limits, instruments, accounts: createAccounts(limits.accounts), holdings: createHoldings(limits.holdings), settings: createSettings(),
    funding: createFunding(limits.instruments), orders: createOrders(books), valuation: createValuation(limits.underlyings, instruments),
  };
  for (const { at, name } of SETTINGS) state.settings.values[at] = inputs.settings[name]!;
  inputs.underlyings.forEach((one, underlying) => setUnderlying(state, one, underlying));
  for (const contract of inputs.contracts) addContract(state, inputs, contract);
  state.accounts.cash[ONLY] = unitsOf(inputs.balance);
  state.accounts.mode[ONLY] = inputs.margin_mode === 'portfolio' ? PORTFOLIO : STANDARD;
  for (const holding of inputs.holdings) addHolding(state, inputs, holding);
  raiseVintage(state.valuation);
  return state;
}

function limitsOf({ contracts, holdings, underlyings }: RiskInputs): Limits {
  const orders = holdings.reduce((count, one) => count + one.orders.length, 0);
  const rows = Math.max(1, contracts.length, underlyings.length);
  // No order enters a book: no price levels.
  const own = { accounts: 1, orders: orders + 2, levelPages: 2, holdings: rows, instruments: rows };
  return { ...PRODUCTION, ...own, underlyings: Math.max(1, underlyings.length) };
}

function setUnderlying({ settings, valuation }: AccountState, one: RiskInputs['underlyings'][number], underlying: number): void {
  settings.values[PRESET + underlying] = one.preset === 'venue17' ? VENUE17 : DENSE;
  valuation.vintage[underlying] = one.vintage;
  valuation.markedAt[underlying] = one.marked_at;
  valuation.index[underlying] = valuation.markIndex[underlying] = unitsOf(one.index_price);
  valuation.average[underlying] = unitsOf(one.settlement_average);
}

function addContract({ instruments, valuation }: AccountState, { underlyings }: RiskInputs, contract: Contract): void {
  const terms = createTerms();
  if (parseSymbol(contract.symbol, terms) !== SYMBOL_OK) throw new RangeError(`${contract.symbol} is no symbol`);
  const name = contract.symbol.slice(0, contract.symbol.indexOf('-'));
  const underlying = underlyings.findIndex((one) => one.underlying === name);
  const slot = addInstrument(instruments, underlying, terms.expiry, terms.strike, terms.kind, 0);
  instruments.status[slot] = STATUSES[contract.status];
  valuation.mark[slot] = unitsOf(contract.mark_price);
  valuation.theo[slot] = unitsOf(contract.theo_price);
  valuation.sigma[slot] = unitsOf(contract.volatility);
  valuation.stale[slot] = contract.is_surface_stale ? 1 : 0;
}

function addHolding(state: AccountState, { contracts }: RiskInputs, holding: Holding): void {
  const { accounts, funding, holdings, orders } = state;
  const slot = contracts.findIndex(({ symbol }) => symbol === holding.symbol);
  const row = openHolding(holdings, accounts, ONLY, slot);
  holdings.position[row] = unitsOf(holding.amount);
  holdings.cost[row] = unitsOf(holding.cost);
  if (holdings.position[row] !== 0) accounts.positions[ONLY]!++;
  // All that is unpaid, as one hour.
  funding.cumulative[slot] = unitsOf(holding.unpaid_funding, FUNDING_DECIMALS);
  funding.hours[slot] = 1;
  for (const { side, price, size, reduce_only: isReduceOnly } of holding.orders) {
    const id = orders.counters[0]! + 1;
    orders.counters[0] = id;
    const order = holdOrder(orders.books, slot, side === 'Buy' ? BUY : SELL, priceKeyOf(unitsOf(price)), ONLY, id, unitsOf(size));
    enterOrder(orders, holdings, accounts, order, {
      holding: row, size: unitsOf(size), tif: 0, flags: isReduceOnly ? FLAG_REDUCE_ONLY : 0, time: 0, words: NO_NAME, at: 0, length: 0,
    });
  }
}
