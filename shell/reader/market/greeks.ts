// Bodies of GET /greeks, POST /limit_iv and GET /portfolio/greeks (wire.md 2.2 to 2.4; decision 6.8). Greeks are per
// contract or, in a portfolio, per position. Simulated orders count as filled.

import { PERP } from '../../../core/codec/commands.ts';
import { hasExpired } from '../../../core/instruments/instruments.ts';
import { DELTA, GAMMA, RHO, THETA, VEGA } from '../../../core/pricing/black76.ts';
import { toPriceUnits } from '../../../core/pricing/black76.ts';
import type { State } from '../../../core/engine/state.ts';
import { okData, refused, type QueryAnswer } from '../answers.ts';
import { aggregateOf, legOf, SIGMA, type AccountGreeks, type GreeksLeg } from './contract-greeks.ts';
import type { GreeksCache } from './greeks-cache.ts';
import { limitPrice, theoreticalPrice } from './volatility.ts';
import type { QueryParameters } from '../../ipc/queries.ts';
import { accountOfWallet, micro, slotOfSymbol, type Names } from '../text.ts';
import type { PortfolioGreeks } from '../../http/shapes/account.ts';
import type { GreeksData } from '../../http/shapes/markets.ts';
import type { LimitIvData } from '../../http/shapes/trading.ts';

type Views = { readonly state: State; readonly names: Names; readonly greeksCache: GreeksCache; readonly time: () => number };

export function greeksAnswer({ state, names, greeksCache }: Views, symbol: string): QueryAnswer {
  const slot = slotOfSymbol(state, symbol);
  if (slot < 0) return refused('api', 'not_found', `Instrument not found: ${symbol}`);
  if (!greeksCache.hasMarks(slot)) return noIndexPrice(names, slot);
  const { instruments, valuation } = state;
  const underlying = instruments.underlying[slot]!;
  const row = greeksCache.at(slot);
  const { values } = greeksCache;
  return okData<GreeksData>({
    symbol: names.symbol(slot), delta: values[row + DELTA]!, gamma: values[row + GAMMA]!, theta: values[row + THETA]!,
    vega: values[row + VEGA]!, rho: values[row + RHO]!, iv: values[row + SIGMA]!, mark_price: valuation.mark[slot]! / 1e6,
    underlying_price: valuation.markIndex[underlying]! / 1e6, timestamp: valuation.markedAt[underlying]!,
  });
}

/** The price at a volatility, rounded to 5 figures: never worse than theory for `side`, the nearest without one. */
export function limitIvAnswer(views: Views, { symbol, iv, side }: QueryParameters['limitIv']): QueryAnswer {
  const { state, names, greeksCache, time } = views;
  const { instruments, valuation } = state;
  const slot = slotOfSymbol(state, symbol);
  if (slot < 0) return refused('api', 'invalid_parameter', `Invalid symbol: ${symbol}`);
  if (instruments.kind[slot] === PERP) return refused('api', 'invalid_parameter', `A perp has no implied volatility: ${symbol}`);
  if (hasExpired(instruments, slot, time())) return refused('api', 'invalid_parameter', 'Instrument has expired');
  if (!greeksCache.hasMarks(slot)) return noIndexPrice(names, slot);
  const underlying = instruments.underlying[slot]!;
  const theoretical = theoreticalPrice(state, slot, iv);
  return okData<LimitIvData>({
    symbol: names.symbol(slot), iv, limit_price: micro(limitPrice(Math.max(1, toPriceUnits(theoretical)), side)),
    theoretical_price: theoretical, underlying_price: valuation.markIndex[underlying]! / 1e6, timestamp: valuation.markedAt[underlying]!,
  });
}

export function portfolioGreeksAnswer(views: Views, { wallet, orders }: QueryParameters['portfolioGreeks']): QueryAnswer {
  const { state, names, greeksCache } = views;
  const { accounts, holdings } = state;
  const quantities = new Map<number, number>();
  const account = accountOfWallet(state, wallet);
  for (let link = account < 0 ? 0 : accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
    if (holdings.position[link - 1] !== 0) quantities.set(holdings.instrument[link - 1]!, holdings.position[link - 1]!);
  }
  for (const { symbol, side, size } of orders) {
    const slot = slotOfSymbol(state, symbol);
    if (slot < 0) return refused('api', 'invalid_parameter', `Invalid symbol: ${symbol}`);
    if (hasExpired(state.instruments, slot, views.time())) return refused('api', 'invalid_parameter', 'Instrument has expired');
    quantities.set(slot, (quantities.get(slot) ?? 0) + (side === 'Buy' ? size : -size));
  }
  const held = [...quantities].filter(([, quantity]) => quantity !== 0);
  const blind = held.find(([slot]) => !greeksCache.hasMarks(slot));
  if (blind !== undefined) return noIndexPrice(names, blind[0]);
  const legs = held.map(([slot, quantity]) => legIn(names, greeksCache, slot, quantity));
  return okData<PortfolioGreeks>({ wallet_address: wallet, per_leg: legs, ...(legs.length > 0 && { aggregate: aggregateOf(legs) }) });
}

export function greeksOfAccount({ state, names, greeksCache }: Omit<Views, 'time'>, account: number): AccountGreeks | null {
  const { accounts, holdings } = state;
  const legs: GreeksLeg[] = [];
  for (let link = accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
    const slot = holdings.instrument[link - 1]!;
    if (holdings.position[link - 1] === 0) continue;
    if (!greeksCache.hasMarks(slot)) return null;
    legs.push(legIn(names, greeksCache, slot, holdings.position[link - 1]!));
  }
  return { per_leg: legs, aggregate: aggregateOf(legs) };
}

function legIn(names: Names, greeksCache: GreeksCache, slot: number, quantity: number): GreeksLeg {
  return legOf(names.symbol(slot), quantity, greeksCache.values, greeksCache.at(slot));
}

export function noIndexPrice(names: Names, slot: number): QueryAnswer {
  return refused('api', 'margin_unavailable', `No index price for underlying ${names.underlyingOf(slot)} yet`);
}
