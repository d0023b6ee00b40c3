// Accounts in the dialect's shapes. Equity and margin are those of the whole account, options included; positions only perps.

import type { Portfolio, TierAnswer } from '../../http/shapes/account.ts';
import type { FundingPayment } from '../../http/shapes/perps.ts';
import type { PerpMarket } from '../../http/shapes/perps.ts';
import { decimalsOf, perpNamed } from './market.ts';
import { amount, coinOf, HASH, lessBy, price, rate, symbolOf } from './texts.ts';

type Account = { readonly portfolio: Portfolio; readonly market: PerpMarket };
type Position = Portfolio['positions'][number];

const ZERO_RATE = '0';

export function clearinghouseState({ portfolio, market }: Account): object {
  const perps = portfolio.positions.filter(({ symbol }) => coinOf(symbol) !== null);
  const { margin_summary: summary, total_margin_used: used, available_balance: available } = portfolio;
  const equity = summary?.equity ?? available;
  const value = perps.reduce((sum, position) => sum + Number(position.notional_value), 0);
  const signed = perps.reduce((sum, position) => sum + Math.sign(Number(position.amount)) * Number(position.notional_value), 0);
  const margin = {
    accountValue: equity, totalNtlPos: amount(value), totalRawUsd: lessBy(equity, amount(signed)), totalMarginUsed: used,
  };
  const maintenance = summary === undefined ? '0' : lessBy(equity, summary.maintenance_margin);
  return {
    marginSummary: margin, crossMarginSummary: margin, crossMaintenanceMarginUsed: maintenance, withdrawable: available,
    assetPositions: perps.map((position) => ({ type: 'oneWay', position: positionOf(position, market) })), time: market.time,
  };
}

function positionOf(position: Position, market: PerpMarket): object {
  const { max_leverage: maxLeverage } = market;
  const margin = Number(position.margin_posted);
  const coin = coinOf(position.symbol)!;
  const { leverage, paid_funding: { all, since_open: sinceOpen, since_change: sinceChange } } = perpNamed(market, coin).of_wallet!;
  return {
    coin, szi: position.amount, leverage: { type: 'cross', value: leverage }, entryPx: position.entry_price,
    positionValue: position.notional_value, unrealizedPnl: position.unrealized_pnl,
    returnOnEquity: margin > 0 ? amount(Number(position.unrealized_pnl) / margin) : '0', liquidationPx: position.liquidation_price,
    marginUsed: position.margin_posted, maxLeverage, cumFunding: { allTime: all, sinceOpen, sinceChange },
  };
}

/** What could be bought and sold with the cash that is free, whatever leverage was chosen. */
export function assetData(user: string, coin: string, { portfolio, market }: Account): object {
  const row = perpNamed(market, coin);
  const mark = row.perp?.mark_price ?? 0;
  const held = Number(portfolio.positions.find(({ symbol }) => symbol === symbolOf(coin))?.amount ?? 0);
  const free = Number(portfolio.available_balance);
  const size = mark > 0 ? free * market.max_leverage / mark : 0;
  const [buy, sell] = [size + 2 * Math.max(0, -held), size + 2 * Math.max(0, held)];
  return {
    user, coin, leverage: { type: 'cross', value: row.of_wallet!.leverage }, maxTradeSzs: [amount(buy), amount(sell)],
    availableToTrade: [amount(free), amount(free)], markPx: price(mark, decimalsOf(row)),
  };
}

export function feesOf({ maker_fee: maker, taker_fee: taker }: PerpMarket): object {
  const [add, cross] = [rate(maker), rate(taker)];
  return {
    dailyUserVlm: [],
    feeSchedule: {
      cross, add, spotCross: ZERO_RATE, spotAdd: ZERO_RATE, tiers: { vip: [], mm: [] }, referralDiscount: ZERO_RATE,
      stakingDiscountTiers: [],
    },
    userCrossRate: cross, userAddRate: add, userSpotCrossRate: ZERO_RATE, userSpotAddRate: ZERO_RATE, activeReferralDiscount: ZERO_RATE,
    trial: null, feeTrialEscrow: '0', nextTrialAvailableTimestamp: null, stakingLink: null,
    activeStakingDiscount: { bpsOfMaxSupply: '0', discount: ZERO_RATE },
  };
}

/** Orders a minute. Unlimited: the largest exact number. */
export function rateLimitOf({ limits }: TierAnswer['data'], used: number): object {
  const most = limits.orders_per_minute;
  return { cumVlm: '0', nRequestsUsed: used, nRequestsCap: most < 0 ? Number.MAX_SAFE_INTEGER : most, nRequestsSurplus: 0 };
}

/** Positive: received. `nSamples` counts the hours. */
export function fundingOf(payment: Omit<FundingPayment, 'booked_ms'>, time: number): object {
  return {
    time, coin: coinOf(payment.symbol), usdc: payment.amount, szi: payment.position, fundingRate: rate(payment.rate),
    nSamples: payment.hours,
  };
}

export function paymentOf(payment: FundingPayment): object {
  const { time, ...delta } = fundingOf(payment, payment.booked_ms) as { time: number };
  return { time, hash: HASH, delta: { type: 'funding', ...delta } };
}
