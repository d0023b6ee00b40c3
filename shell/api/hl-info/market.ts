// Market data of the dialect: what it makes of PerpMarket, books, candles and trades.

import type { PerpMarket } from '../../http/shapes/perps.ts';
import { RESOLUTIONS, type Resolution } from '../../ipc/enum-names.ts';
import { amount, coinOf, HASH, price, rate, sizeDecimals } from './texts.ts';
import type { Trade } from '../../http/shapes/trading.ts';

type Perp = PerpMarket['perps'][number];
/** Without a number of orders it counts as one: our own streams do not tell it. */
type Level = readonly [price: number, size: number, orders?: number];
type Book = { readonly timestamp: number; readonly bids: readonly Level[]; readonly asks: readonly Level[] };
type Candle = {
  readonly start_time_ms: number; readonly open: number; readonly high: number; readonly low: number; readonly close: number;
  readonly volume: number; readonly trades: number;
};
type PastHour = { readonly time_ms: number; readonly funding_rate: number; readonly premium: number };

export const LEVELS = 20;
const USDC_TOKEN = {
  name: 'USDC', szDecimals: 8, weiDecimals: 8, index: 0, tokenId: `0x${'0'.repeat(32)}`, isCanonical: true, evmContract: null,
  fullName: null, deployerTradingFeeShare: '0.0',
};
/** No spot market, but the token that perps are settled in. */
export const SPOT_META = { universe: [], tokens: [USDC_TOKEN] };
export const SPOT_STATE = { balances: [] };

/** The place of a perp is its asset index, listed or not. */
export function metaOf({ max_leverage: maxLeverage, perps }: PerpMarket): object {
  return {
    universe: perps.map((row) => ({
      szDecimals: decimalsOf(row), name: row.underlying, maxLeverage, marginTableId: maxLeverage,
      ...(row.perp === null && { isDelisted: true }),
    })),
    marginTables: [[maxLeverage, marginTable(maxLeverage)]], collateralToken: USDC_TOKEN.index,
  };
}

export function marginTable(maxLeverage: number): object {
  return { description: '', marginTiers: [{ lowerBound: '0.0', maxLeverage }] };
}

export function decimalsOf({ perp }: Perp): number {
  return sizeDecimals(perp?.mark_price ?? 0);
}

export function perpNamed({ perps }: PerpMarket, coin: string): Perp {
  const found = perps.find(({ underlying }) => underlying === coin);
  if (found === undefined) throw new RangeError(`the reader knows no perp ${coin}`);
  return found;
}

export function contextOf(row: Perp): object {
  const { perp, day_ago_price: dayAgo, impact_bid_price: impactBid, impact_ask_price: impactAsk } = row;
  const decimals = decimalsOf(row);
  const mark = perp?.mark_price ?? 0;
  const middle = middleOf(row);
  return {
    funding: rate(perp?.predicted_rate ?? perp?.funding_rate ?? 0), openInterest: amount(perp?.open_interest ?? 0),
    prevDayPx: price(dayAgo ?? mark, decimals), dayNtlVlm: amount(perp?.turnover_24h ?? 0),
    premium: perp === null || perp.premium === null ? null : rate(perp.premium), oraclePx: price(perp?.index_price ?? 0, decimals),
    markPx: price(mark, decimals), midPx: middle === null ? null : amount(middle),
    impactPxs: impactBid === null || impactAsk === null ? null : [price(impactBid, decimals), price(impactAsk, decimals)],
    dayBaseVlm: amount(perp?.volume_24h ?? 0),
  };
}

function middleOf({ perp }: Perp): number | null {
  if (perp === null || perp.best_bid_price === null || perp.best_ask_price === null) return null;
  return (perp.best_bid_price + perp.best_ask_price) / 2;
}

/** A perp without a bid or an ask has its mark. */
export function midsOf({ perps }: PerpMarket): Record<string, string> {
  return Object.fromEntries(perps.filter(({ perp }) => perp !== null).map((row) => {
    const middle = middleOf(row);
    return [row.underlying, middle === null ? price(row.perp!.mark_price, decimalsOf(row)) : amount(middle)];
  }));
}

export function fundingsOf({ perps }: PerpMarket): object[] {
  return perps.map(({ underlying, perp }) => [underlying, [['HlPerp', perp === null ? null : {
    fundingRate: rate(perp.predicted_rate ?? perp.funding_rate ?? 0), nextFundingTime: perp.next_funding_time,
    fundingIntervalHours: perp.interval_hours,
  }]]]);
}

type Grouping = { readonly nSigFigs: number | null; readonly mantissa: number | null };

export function bookOf(coin: string, { timestamp, bids, asks }: Book, { nSigFigs, mantissa }: Grouping): object {
  const side = (levels: readonly Level[], round: (value: number) => number): object[] => (
    joined(levels, nSigFigs, mantissa ?? 1, round).slice(0, LEVELS).map(({ px, sz, n }) => ({ px: amount(px), sz: amount(sz), n }))
  );
  const spread = bids.length > 0 && asks.length > 0 ? asks[0]![0] - bids[0]![0] : 0;
  return {
    coin, time: timestamp, levels: [side(bids, Math.floor), side(asks, Math.ceil)], ...(nSigFigs !== null && { spread: amount(spread) }),
  };
}

/** Bids are rounded down and asks up. */
function joined(
  levels: readonly Level[], figures: number | null, mantissa: number, round: (value: number) => number,
): { px: number; sz: number; n: number }[] {
  const out: { px: number; sz: number; n: number }[] = [];
  for (const [px, sz, n = 1] of levels) {
    const at = figures === null ? px : rounded(px, figures, mantissa, round);
    const last = out.at(-1);
    if (last?.px === at) {
      last.sz += sz;
      last.n += n;
    } else {
      out.push({ px: at, sz, n });
    }
  }
  return out;
}

/** Steps are whole or parts by ten, so that quotients near an integer are that integer. */
function rounded(px: number, figures: number, mantissa: number, round: (value: number) => number): number {
  const power = Math.floor(Math.log10(px)) + 1 - figures;
  const scaled = power >= 0 ? px / (mantissa * 10 ** power) : px * 10 ** -power / mantissa;
  const near = Math.round(scaled);
  const whole = Math.abs(scaled - near) < 1e-7 ? near : round(scaled);
  return power >= 0 ? whole * mantissa * 10 ** power : whole * mantissa / 10 ** -power;
}

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const MONDAY = 4 * DAY;

type Interval = { readonly from: Resolution; readonly startOf: (time: number) => number; readonly endOf: (start: number) => number };

function fixed(from: Resolution, length: number, offset = 0): Interval {
  return { from, startOf: (time) => Math.floor((time - offset) / length) * length + offset, endOf: (start) => start + length };
}

/** Each is put together from candles of a shorter resolution of ours. Weeks begin on Mondays. */
export const CANDLE_INTERVALS: Readonly<Record<string, Interval>> = {
  ...Object.fromEntries(Object.entries(RESOLUTIONS).map(([name, length]) => [name, fixed(name as Resolution, length)])),
  '3m': fixed('1m', 3 * MINUTE), '30m': fixed('15m', 30 * MINUTE), '2h': fixed('1h', 120 * MINUTE), '8h': fixed('4h', 480 * MINUTE),
  '12h': fixed('4h', 720 * MINUTE), '3d': fixed('1d', 3 * DAY), '1w': fixed('1d', 7 * DAY, MONDAY),
  '1M': { from: '1d', startOf: (time) => monthOf(time, 0), endOf: (start) => monthOf(start, 1) },
};

function monthOf(time: number, later: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}

export function candlesOf(coin: string, name: string, candles: readonly Candle[]): object[] {
  const { startOf, endOf } = CANDLE_INTERVALS[name]!;
  const out: Candle[] = [];
  for (const candle of candles) {
    const start = startOf(candle.start_time_ms);
    const last = out.at(-1);
    if (last?.start_time_ms !== start) out.push({ ...candle, start_time_ms: start });
    else {
      out[out.length - 1] = {
        ...last, high: Math.max(last.high, candle.high), low: Math.min(last.low, candle.low), close: candle.close,
        volume: last.volume + candle.volume, trades: last.trades + candle.trades,
      };
    }
  }
  return out.map(({ start_time_ms: start, open, high, low, close, volume, trades }) => ({
    t: start, T: endOf(start) - 1, s: coin, i: name, o: amount(open), c: amount(close), h: amount(high), l: amount(low),
    v: amount(volume), n: trades,
  }));
}

export function pastFunding(coin: string, hours: readonly PastHour[]): object[] {
  return hours.map(({ time_ms: time, funding_rate: hourly, premium }) => (
    { coin, fundingRate: rate(hourly), premium: rate(premium), time }
  ));
}

type TradeFields = Pick<Trade, 'symbol' | 'price' | 'size' | 'timestamp' | 'trade_id' | 'maker_address' | 'taker_address'>;

export function tradeOf(trade: TradeFields, isBuy: boolean): object {
  const [taker, maker] = [trade.taker_address, trade.maker_address];
  return {
    coin: coinOf(trade.symbol), side: isBuy ? 'B' : 'A', px: trade.price, sz: trade.size, time: trade.timestamp, hash: HASH,
    tid: trade.trade_id, users: isBuy ? [taker, maker] : [maker, taker],
  };
}
