// Bodies of GET /instruments (wire.md 1.10, with `status`) and GET /markets (wire.md 1.9). Options only, as the records
// have a strike and an expiry.

import { CALL, PERP } from '../../../core/codec/commands.ts';
import { ACTIVE, DELETED, instrumentCount } from '../../../core/instruments/instruments.ts';
import { tradingMode, underlyingMode } from '../../../core/instruments/trading-mode.ts';
import { dateOfDay, dayOfTime } from '../../../core/instruments/calendar.ts';
import { MAKER_FEE, PPM, TAKER_FEE } from '../../../core/settings.ts';
import { DAY } from '../../../core/units.ts';
import { surfaceSigma } from '../../../core/valuation/surface.ts';
import type { State } from '../../../core/engine/state.ts';
import { MARK_IV, type GreeksCache } from './greeks-cache.ts';
import { indexName } from './orderbook.ts';
import { perpOf } from './perps.ts';
import type { Statistics } from './statistics.ts';
import type { QueryParameters } from '../../ipc/queries.ts';
import { isoText, micro, SlotTexts, statusText, tradingModeText, type Names } from '../text.ts';
import type { Instrument, MarketInstrument } from '../../http/shapes/markets.ts';

const TICK = 0.000001;
/** Prices have 5 significant figures, so each power of ten above 0.1 USDC has a tenfold tick. */
const TICK_STEPS = JSON.stringify(Array.from({ length: 10 }, (_, i) => (
  { tick_size: Number(`1e${i - 5}`), above_price: Number(`1e${i - 1}`) }
)));

const FRIDAY = 5;

export type PricesByName = ReadonlyMap<string, number>;

export class InstrumentBodies {
  readonly #state: State;
  readonly #names: Names;
  readonly #statistics: Statistics;
  readonly #greeksCache: GreeksCache;
  #commissions = { maker_commission: NaN, taker_commission: NaN };
  #instrumentTexts = new SlotTexts();
  readonly #marketTexts = new SlotTexts();

  constructor(state: State, names: Names, statistics: Statistics, greeksCache: GreeksCache) {
    this.#state = state;
    this.#names = names;
    this.#statistics = statistics;
    this.#greeksCache = greeksCache;
  }

  instrument(slot: number): string {
    const { instruments, settings } = this.#state;
    const maker = settings.values[MAKER_FEE]! / PPM;
    const taker = settings.values[TAKER_FEE]! / PPM;
    if (maker !== this.#commissions.maker_commission || taker !== this.#commissions.taker_commission) {
      this.#commissions = { maker_commission: maker, taker_commission: taker };
      this.#instrumentTexts = new SlotTexts();
    }
    const status = instruments.status[slot]!;
    const text = this.#instrumentTexts.of(this.#state, slot, () => this.#writeInstrument(slot));
    return `${text}"is_active":${status === ACTIVE},"status":"${statusText(status)}",`
      + `"trading_mode":"${tradingModeText(tradingMode(instruments, slot))}"}`;
  }

  instruments(currency: string, status: QueryParameters['instruments']['status']): string {
    const { instruments } = this.#state;
    const wanted = new Set<string>(status);
    const parts: string[] = [];
    const rows = instrumentCount(instruments);
    for (let slot = 0; slot < rows; slot++) {
      const isGone = instruments.kind[slot] === PERP || instruments.status[slot] === DELETED;
      if (isGone || this.#names.underlyingOf(slot) !== currency) continue;
      if (wanted.has('all') || wanted.has(statusText(instruments.status[slot]!))) parts.push(this.instrument(slot));
    }
    return `[${parts.join(',')}]`;
  }

  markets(includeInstruments: boolean, time: number, dayAgo: PricesByName): string {
    const groups = this.#activeByMarket();
    const markets = [...groups.values()].map((slots) => this.#market(slots, includeInstruments, time, dayAgo));
    return `{"success":true,"data":[${markets.join(',')}]}`;
  }

  #activeByMarket(): Map<number, number[]> {
    const { instruments } = this.#state;
    const groups = new Map<number, number[]>();
    const rows = instrumentCount(instruments);
    for (let slot = 0; slot < rows; slot++) {
      if (instruments.kind[slot] === PERP || instruments.status[slot] !== ACTIVE) continue;
      const key = instruments.underlying[slot]! * 1e14 + instruments.expiry[slot]!;
      const slots = groups.get(key);
      if (slots === undefined) groups.set(key, [slot]);
      else slots.push(slot);
    }
    return new Map([...groups].sort(([a], [b]) => a - b));
  }

  #market(slots: readonly number[], includeInstruments: boolean, time: number, dayAgo: PricesByName): string {
    const { instruments, valuation } = this.#state;
    const first = slots[0]!;
    const underlying = instruments.underlying[first]!;
    const volatility = surfaceSigma(valuation.surface, underlying, instruments.expiry[first]!, 0);
    const updated = isoText(valuation.markedAt[underlying]!);
    let totalVolume = 0;
    let totalInterest = 0;
    const rows: string[] = [];
    for (const slot of slots) {
      const { volume } = this.#statistics.of(this.#names.symbol(slot), time);
      const interest = instruments.openInterest[slot]!;
      totalVolume += volume;
      totalInterest += interest;
      if (!includeInstruments) continue;
      rows.push(`${this.#marketText(slot)}"mark_iv":${this.#markIv(slot)},"volume_24h":"${micro(volume)}",`
        + `"open_interest":"${micro(interest)}","updated_at":"${updated}","status":"ACTIVE",`
        + `"trading_mode":"${tradingModeText(tradingMode(instruments, slot))}"}`);
    }
    const name = this.#names.underlying(underlying);
    const before = dayAgo.get(name);
    const past = before === undefined ? '' : `,"${includeInstruments ? 'prev_day_price' : 'prev_day_px'}":"${micro(before)}"`;
    return `{"underlying":"${name}","expiry":${instruments.expiry[first]! / 1000},`
      + `"index_price":"${micro(valuation.index[underlying]!)}","atm_vol":${volatility === 0 ? 'null' : `"${micro(volatility)}"`},`
      + `${includeInstruments ? `"instruments":[${rows.join(',')}],` : ''}`
      + `"total_volume_24h":"${micro(totalVolume)}","total_open_interest":"${micro(totalInterest)}",`
      + `"trading_mode":"${tradingModeText(underlyingMode(instruments.modes, underlying))}"${past}`
      + `${this.#perpPart(underlying, time)}}`;
  }

  #perpPart(underlying: number, time: number): string {
    const slot = this.#state.instruments.perpOf[underlying]!;
    return slot < 0 ? '' : `,"perp":${JSON.stringify(perpOf(this.#state, this.#names, this.#statistics, slot, time))}`;
  }

  #writeInstrument(slot: number): string {
    const { instruments } = this.#state;
    const base = this.#names.underlyingOf(slot);
    const text = JSON.stringify({
      price_index: indexName(base), rfq: false, orderbook: true, kind: 'option', instrument_name: this.#names.symbol(slot),
      option_token_address: null, ...this.#commissions, instrument_type: 'linear',
      expiration_timestamp: instruments.expiry[slot]!, creation_timestamp: instruments.listedAt[slot]!,
      option_type: instruments.kind[slot] === CALL ? 'call' : 'put', contract_size: 1, tick_size: TICK,
      strike: instruments.strike[slot]! / 1e6, instrument_id: instruments.id[slot]!,
      settlement_period: settlementPeriod(instruments.expiry[slot]!), min_trade_amount: 1 / PPM, block_trade_commission: 0,
      block_trade_min_trade_amount: 0, block_trade_tick_size: TICK, settlement_currency: 'USDC', base_currency: base,
      counter_currency: 'USDC', quote_currency: 'USDC',
    } satisfies Omit<Instrument, 'tick_size_steps' | 'is_active' | 'status' | 'trading_mode'>);
    return `${text.slice(0, -1)},"tick_size_steps":${TICK_STEPS},`;
  }

  #markIv(slot: number): string {
    const sigma = this.#greeksCache.values[this.#greeksCache.at(slot) + MARK_IV]!;
    return Number.isNaN(sigma) ? 'null' : `"${micro(Math.round(sigma * PPM))}"`;
  }

  #marketText(slot: number): string {
    return this.#marketTexts.of(this.#state, slot, () => this.#writeMarketInstrument(slot));
  }

  #writeMarketInstrument(slot: number): string {
    const { instruments } = this.#state;
    const text = JSON.stringify({
      instrument_id: instruments.id[slot]!, id: this.#names.symbol(slot), underlying: this.#names.underlyingOf(slot),
      strike: micro(instruments.strike[slot]!), expiry: instruments.expiry[slot]! / 1000,
      option_type: instruments.kind[slot] === CALL ? 'call' : 'put', option_token_address: null,
    } satisfies Omit<MarketInstrument, 'mark_iv' | 'volume_24h' | 'open_interest' | 'updated_at' | 'status' | 'trading_mode'>);
    return `${text.slice(0, -1)},`;
  }
}

function settlementPeriod(expiry: number): 'day' | 'week' | 'month' {
  const day = dayOfTime(expiry);
  if (new Date(day * DAY).getUTCDay() !== FRIDAY) return 'day';
  const month = (date: number): number => Math.floor(dateOfDay(date) / 100);
  return month(day) === month(day + 7) ? 'week' : 'month';
}
