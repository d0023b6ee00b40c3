// What main brings to the market: the core's settings, the underlyings, index prices and surfaces from the feed or by
// hand, settlement prices, markets and competitions by hand.

import { DELETE_MARKET, FLAG_SURFACE_AGELESS, LIST_MARKET } from '../core/codec/commands.ts';
import { ENGINE_BUSY, OK, UNKNOWN_UNDERLYING } from '../core/errors.ts';
import type { Views } from '../core/codec/record.ts';
import { ACTIVE, findInstrument } from '../core/instruments/instruments.ts';
import { underlyingCount } from '../core/instruments/underlyings.ts';
import { unpackUnderlying } from '../core/instruments/symbol.ts';
import { defaultSettings } from '../core/settings.ts';
import type { State } from '../core/engine/state.ts';
import type { AdmissionRules } from '../core/sequencer/admission.ts';
import { parseHex } from './auth/hex.ts';
import type { Config } from './config.ts';
import { startPace } from './feeds/pace.ts';
import { SIMULATED, simulatedMarket } from './feeds/sim.ts';
import type { Engine } from './threads/engine.ts';
import type { FromFeed } from './threads/feed.ts';
import type { Thread } from './threads/thread.ts';
import {
  addUnderlyingRecord, competitionRecord, configureRecord, marketRecord, settlementRecord, surfaceRecord, type CompetitionTerms,
  type MarketTerms, type SurfaceShape,
} from './venue-commands.ts';

/** What admission goes by: the table of tiers and the wallets that may sign tier changes. */
export function rulesOf(config: Config): AdmissionRules {
  const adminWallets = new Uint32Array(config.adminWallets.length * 5);
  config.adminWallets.forEach((address, at) => parseHex(address, new Uint8Array(adminWallets.buffer, at * 20, 20)));
  return { table: config.table, rated: config.rateLimits === 'on', adminWallets };
}

/** The first commands of a journal, and again whatever has changed: the core's settings, then the underlyings that are missing. */
export function configure(engine: Engine, config: Config): void {
  const listed = names(engine.state);
  const added = Object.keys(SIMULATED).filter((name) => !listed.includes(name));
  const underlyings = [...listed, ...added];
  const values = defaultSettings();
  for (const { at, underlying, value } of config.settings) values[at + (underlying === null ? 0 : underlyings.indexOf(underlying))] = value;
  if (values.some((value, at) => value !== engine.state.settings.values[at])) engine.send(configureRecord(values));
  for (const name of added) engine.send(addUnderlyingRecord(name, Math.round(SIMULATED[name]!.volatility * 1e6)));
}

function names(state: State): string[] {
  const { name } = state.underlyings;
  return Array.from({ length: underlyingCount(state.underlyings) }, (_, at) => unpackUnderlying(name[at * 2]!, name[at * 2 + 1]!));
}

/** Starts the simulated feed from the venue's last prices and volatilities; returns the stop. */
export function startFeed(engine: Engine, config: Config): () => void {
  const listed = names(engine.state);
  const { index, volatility: volatilities } = engine.state.valuation;
  const start = listed.map((_, at) => ({ price: index[at]!, volatility: volatilities[at]! }));
  const market = simulatedMarket(listed, start, (config.seed + engine.seq) >>> 0);
  const show = (time: number): void => {
    engine.holdAt(time);
    for (const { underlying, ...tick } of market.prices()) engine.setIndex(underlying, tick, { isAgeless: false, isStale: false });
  };
  return startPace({ step: market.step, show, rest: () => engine.holdAt(Infinity) });
}

/** A price alone leaves the surface as it is. */
const NO_SURFACE = { volatility: 0, skew: 0, curvature: 0 };

/** Index prices of another venue, by name: what the feed's thread no longer says goes stale. */
export function followFeed(feed: Thread, engine: Engine): void {
  const listed = names(engine.state);
  feed.post({ type: 'underlyings', names: listed });
  feed.on<FromFeed & { type: 'prices' }>('prices', ({ prices }) => {
    for (const [name, price] of prices) {
      engine.setIndex(listed.indexOf(name), { price, ...NO_SURFACE }, { isAgeless: false, isStale: false });
    }
  });
}

type IndexRequest = { type: 'index-price'; id: number; underlying: string; price: number; stale: boolean };

/** Index prices by hand (feed `manual`), asked for by an api thread and answered when they are durable. */
export function serveIndexPrices(api: Thread, engine: Engine): void {
  api.on<IndexRequest>('index-price', ({ id, underlying, price, stale }) => {
    const at = names(engine.state).indexOf(underlying);
    if (at < 0) return answer(api, id, UNKNOWN_UNDERLYING);
    engine.setIndex(at, { price, ...NO_SURFACE }, { isAgeless: true, isStale: stale });
    waitFor(() => engine.isIndexTaken(at), () => {
      const { time } = engine;
      waitFor(() => isMarked(engine, at, time), () => {
        const { seq } = engine;
        waitFor(() => engine.isDurable(seq), () => answer(api, id, OK));
      });
    });
  });
}

type SettlementRequest = { type: 'settlement-price'; id: number; underlying: string; expiry: number; price: number };

/** Prices of expiries that have none of their own, by the operator's word. */
export function serveSettlementPrices(api: Thread, engine: Engine): void {
  api.on<SettlementRequest>('settlement-price', ({ id, underlying, expiry, price }) => {
    const at = names(engine.state).indexOf(underlying);
    if (at < 0) return answer(api, id, UNKNOWN_UNDERLYING);
    order(api, engine, id, settlementRecord(at, expiry, price));
  });
}

type MarketRequest = { type: 'list-market' | 'delete-market'; id: number; underlying: string } & MarketTerms;

/** Markets beside those that the venue's rule lists, and the end of one. */
export function serveMarkets(api: Thread, engine: Engine): void {
  api.on<MarketRequest>('list-market', ({ id, underlying, ...terms }) => {
    const at = names(engine.state).indexOf(underlying);
    if (at < 0) return answer(api, id, UNKNOWN_UNDERLYING);
    order(api, engine, id, marketRecord(LIST_MARKET, at, terms), () => isListed(engine, at, terms));
  });
  api.on<MarketRequest>('delete-market', ({ id, underlying, ...terms }) => {
    const at = names(engine.state).indexOf(underlying);
    if (at < 0) return answer(api, id, UNKNOWN_UNDERLYING);
    order(api, engine, id, marketRecord(DELETE_MARKET, at, terms));
  });
}

/** A market is listed in a step of work of its own. */
function isListed({ state }: Engine, underlying: number, { expiry, strike, kind }: MarketTerms): boolean {
  const slot = findInstrument(state.instruments, underlying, expiry, strike, kind);
  return slot >= 0 && state.instruments.status[slot] === ACTIVE;
}

type CompetitionRequest = { type: 'competition'; id: number } & CompetitionTerms;

export function serveCompetitions(api: Thread, engine: Engine): void {
  api.on<CompetitionRequest>('competition', ({ id, ...terms }) => order(api, engine, id, competitionRecord(terms)));
}

/** Sequences the operator's command; the request is answered when it, and what it has asked for, is done and durable. */
function order(api: Thread, engine: Engine, id: number, record: Views, isDone = (): boolean => true): void {
  if (!engine.send(record)) return answer(api, id, ENGINE_BUSY);
  const { time } = engine;
  const { code, numbers } = engine.state.outcome;
  const [number] = numbers;
  waitFor(() => code !== OK || isDone(), () => {
    const { seq } = engine;
    waitFor(() => engine.isDurable(seq), () => answer(api, id, code, number, time));
  });
}

type SurfaceRequest = { type: 'vol-surface'; id: number; underlying: string; expiry: number } & SurfaceShape;

/** Surfaces by hand; what is set with the feed `manual` does not age. */
export function serveSurfaces(api: Thread, engine: Engine, config: Config): void {
  const flags = config.feed === 'manual' ? FLAG_SURFACE_AGELESS : 0;
  api.on<SurfaceRequest>('vol-surface', ({ id, underlying, expiry, ...shape }) => {
    const at = names(engine.state).indexOf(underlying);
    if (at < 0) return answer(api, id, UNKNOWN_UNDERLYING);
    if (!engine.send(surfaceRecord(at, expiry, shape, flags))) return answer(api, id, ENGINE_BUSY);
    const { time } = engine;
    const { code } = engine.state.outcome;
    waitFor(() => isMarked(engine, at, time), () => {
      const { seq } = engine;
      waitFor(() => engine.isDurable(seq), () => answer(api, id, code));
    });
  });
}

/** True when the marks in force are made with all that the operator had said by `time`: only then is he answered. */
function isMarked(engine: Engine, underlying: number, time: number): boolean {
  const { markedAt, pending } = engine.state.valuation;
  // By a fast clock the next marks are always in hand.
  return pending[underlying] === 0 || markedAt[underlying]! > time;
}

function answer(api: Thread, id: number, code: number, number = 0, time = 0): void {
  api.post({ type: 'control-done', id, code, number, time });
}

function waitFor(isSo: () => boolean, done: () => void): void {
  if (isSo()) done();
  else setTimeout(() => waitFor(isSo, done), 1);
}
