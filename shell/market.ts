// What main brings to the market: the core's settings, the underlyings, index prices and surfaces from the feed or by
// hand, settlement prices, markets and competitions by hand.

import { DELETE_MARKET, FLAG_SURFACE_AGELESS, LIST_MARKET } from '../core/codec/commands.ts';
import { ENGINE_BUSY, INVALID_MARKET, OK, UNKNOWN_UNDERLYING } from '../core/errors.ts';
import type { Views } from '../core/codec/record.ts';
import { ACTIVE, findInstrument } from '../core/instruments/instruments.ts';
import { underlyingCount } from '../core/instruments/underlyings.ts';
import { unpackUnderlying } from '../core/instruments/symbol.ts';
import { MAX_UNDERLYINGS } from '../core/limits.ts';
import { ADD_MARKET, currentItem, FIRST, FOURTH, KIND, SECOND, THIRD, WORK_ITEMS } from '../core/lifecycle/work.ts';
import { isAgeless } from '../core/valuation/surface.ts';
import { AGELESS, DECLARED_STALE } from '../core/valuation/valuation.ts';
import { defaultSettings } from '../core/settings.ts';
import type { State } from '../core/engine/state.ts';
import type { AdmissionRules } from '../core/sequencer/admission.ts';
import { ANSWER_WITHIN, SWEEP_EVERY } from './bounds/api.ts';
import { parseHex } from './auth/hex.ts';
import { steady } from './clock.ts';
import type { Config } from './config.ts';
import { startPace } from './feeds/pace.ts';
import { firstVolatility, simulatedMarket } from './feeds/sim.ts';
import { Refusal } from './refusal.ts';
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

/** What the journal has and the settings do not name stays, and takes a place. Throws Refusal. */
export function needRoom(state: State, { underlyings }: Config): void {
  const others = names(state).filter((name) => !underlyings.includes(name));
  if (underlyings.length + others.length <= MAX_UNDERLYINGS) return;
  const there = `the journal has ${others.join(', ')} beside those of --underlyings`;
  throw new Refusal(`a venue has at most ${MAX_UNDERLYINGS} underlyings, and ${there}`);
}

/** The first commands of a journal, and again whatever has changed: the core's settings, then the underlyings that are missing. */
export function configure(engine: Engine, config: Config): void {
  const listed = names(engine.state);
  const added = config.underlyings.filter((name) => !listed.includes(name));
  const underlyings = [...listed, ...added];
  const values = defaultSettings();
  for (const { at, underlying, value } of config.settings) values[at + (underlying === null ? 0 : underlyings.indexOf(underlying))] = value;
  if (values.some((value, at) => value !== engine.state.settings.values[at])) engine.send(configureRecord(values));
  for (const name of added) engine.send(addUnderlyingRecord(name, firstVolatility(name)));
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

/**
 * What was set by hand does not age while the feed is `manual`: with another feed it is from now on as old as it is. Nothing to do at
 * the starts after that.
 */
export function letAge(engine: Engine): void {
  const { underlyings, valuation } = engine.state;
  for (let underlying = 0; underlying < underlyingCount(underlyings); underlying++) {
    const flags = valuation.indexFlags[underlying]!;
    // By the way of a price: it waits for expiries that are overdue, whose seconds the index by hand was in force.
    if ((flags & AGELESS) !== 0) {
      engine.setIndex(underlying, { price: 0, ...NO_SURFACE }, { isAgeless: false, isStale: (flags & DECLARED_STALE) !== 0 });
    }
    if (isAgeless(valuation.surface, underlying)) engine.send(surfaceRecord(underlying, 0, NO_SURFACE, 0));
  }
}

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

/**
 * Who asked for something. The row of the request in its api thread is kept until it is answered, so it always is: at `until` even
 * if what it waits for never comes. By then the client has been told that it is late, and the answer only frees the row.
 */
type Asker = { readonly api: Thread; readonly id: number; readonly until: number };
const GIVE_UP_AFTER = ANSWER_WITHIN + 2 * SWEEP_EVERY;

function askerOf(api: Thread, id: number): Asker {
  return { api, id, until: steady() + GIVE_UP_AFTER };
}

type IndexRequest = { type: 'index-price'; id: number; underlying: string; price: number; stale: boolean };

/** Index prices by hand (feed `manual`), asked for by an api thread and answered when they are durable. */
export function serveIndexPrices(api: Thread, engine: Engine): void {
  api.on<IndexRequest>('index-price', ({ id, underlying, price, stale }) => {
    const asker = askerOf(api, id);
    const at = names(engine.state).indexOf(underlying);
    if (at < 0) return answer(asker, UNKNOWN_UNDERLYING);
    engine.setIndex(at, { price, ...NO_SURFACE }, { isAgeless: true, isStale: stale });
    waitFor(asker, () => engine.isIndexTaken(at), () => {
      const { time } = engine;
      waitFor(asker, () => isMarked(engine, at, time), () => whenDurable(asker, engine, () => answer(asker, OK)));
    });
  });
}

type SettlementRequest = { type: 'settlement-price'; id: number; underlying: string; expiry: number; price: number };

/** Prices of expiries that have none of their own, by the operator's word. */
export function serveSettlementPrices(api: Thread, engine: Engine): void {
  api.on<SettlementRequest>('settlement-price', ({ id, underlying, expiry, price }) => {
    const asker = askerOf(api, id);
    const at = names(engine.state).indexOf(underlying);
    if (at < 0) return answer(asker, UNKNOWN_UNDERLYING);
    order(asker, engine, settlementRecord(at, expiry, price));
  });
}

type MarketRequest = { type: 'list-market' | 'delete-market'; id: number; underlying: string } & MarketTerms;

/** Markets beside those that the venue's rule lists, and the end of one. */
export function serveMarkets(api: Thread, engine: Engine): void {
  api.on<MarketRequest>('list-market', ({ id, underlying, ...terms }) => {
    const asker = askerOf(api, id);
    const at = names(engine.state).indexOf(underlying);
    if (at < 0) return answer(asker, UNKNOWN_UNDERLYING);
    order(asker, engine, marketRecord(LIST_MARKET, at, terms), {
      isDone: () => !isToBeListed(engine, at, terms), outcome: () => outcomeOfListing(engine, at, terms),
    });
  });
  api.on<MarketRequest>('delete-market', ({ id, underlying, ...terms }) => {
    const asker = askerOf(api, id);
    const at = names(engine.state).indexOf(underlying);
    if (at < 0) return answer(asker, UNKNOWN_UNDERLYING);
    order(asker, engine, marketRecord(DELETE_MARKET, at, terms));
  });
}

/** A market is listed in a step of work of its own: true until that step has been. */
function isToBeListed({ state: { work } }: Engine, underlying: number, { expiry, strike, kind }: MarketTerms): boolean {
  const { items } = work;
  const width = items.length / WORK_ITEMS;
  const first = currentItem(work);
  // The items in hand lie one behind the other from the current one on; what is done is cleared.
  for (let count = 0; count < WORK_ITEMS; count++) {
    const at = (first + count * width) % items.length;
    if (items[at + KIND] === 0) return false;
    if (items[at + KIND] === ADD_MARKET && items[at + FIRST] === underlying && items[at + SECOND] === expiry
      && items[at + THIRD] === strike && items[at + FOURTH] === kind) return true;
  }
  return false;
}

/**
 * How the step of a listing that was taken has ended: the core leaves it out when the expiry has passed or the last row is taken
 * by then. A market that is deleted again already was listed.
 */
function outcomeOfListing({ state, time }: Engine, underlying: number, { expiry, strike, kind }: MarketTerms): number {
  const slot = findInstrument(state.instruments, underlying, expiry, strike, kind);
  if (slot >= 0 && (state.instruments.status[slot] === ACTIVE || expiry > time)) return OK;
  return expiry <= time ? INVALID_MARKET : ENGINE_BUSY;
}

type CompetitionRequest = { type: 'competition'; id: number } & CompetitionTerms;

export function serveCompetitions(api: Thread, engine: Engine): void {
  api.on<CompetitionRequest>('competition', ({ id, ...terms }) => order(askerOf(api, id), engine, competitionRecord(terms)));
}

/** What a command has asked for: whether it is done, and how it has ended then, a code of core/errors. */
type Aftermath = { readonly isDone: () => boolean; readonly outcome: () => number };
const NO_AFTERMATH: Aftermath = { isDone: () => true, outcome: () => OK };

/** Sequences the operator's command; the request is answered when it, and what it has asked for, is done and durable. */
function order(asker: Asker, engine: Engine, record: Views, { isDone, outcome } = NO_AFTERMATH): void {
  if (!engine.send(record)) return answer(asker, ENGINE_BUSY);
  const { time } = engine;
  const { code, numbers } = engine.state.outcome;
  const [number] = numbers;
  waitFor(asker, () => code !== OK || isDone(), () => {
    const ended = code === OK ? outcome() : code;
    whenDurable(asker, engine, () => answer(asker, ended, number, time));
  });
}

type SurfaceRequest = { type: 'vol-surface'; id: number; underlying: string; expiry: number } & SurfaceShape;

/** Surfaces by hand; what is set with the feed `manual` does not age. */
export function serveSurfaces(api: Thread, engine: Engine, config: Config): void {
  const flags = config.feed === 'manual' ? FLAG_SURFACE_AGELESS : 0;
  api.on<SurfaceRequest>('vol-surface', ({ id, underlying, expiry, ...shape }) => {
    const asker = askerOf(api, id);
    const at = names(engine.state).indexOf(underlying);
    if (at < 0) return answer(asker, UNKNOWN_UNDERLYING);
    if (!engine.send(surfaceRecord(at, expiry, shape, flags))) return answer(asker, ENGINE_BUSY);
    const { time } = engine;
    const { code } = engine.state.outcome;
    waitFor(asker, () => isMarked(engine, at, time), () => whenDurable(asker, engine, () => answer(asker, code)));
  });
}

/** True when the marks in force are made with all that the operator had said by `time`: only then is he answered. */
function isMarked(engine: Engine, underlying: number, time: number): boolean {
  const { markedAt, pending } = engine.state.valuation;
  // By a fast clock the next marks are always in hand.
  return pending[underlying] === 0 || markedAt[underlying]! > time;
}

function answer({ api, id }: Asker, code: number, number = 0, time = 0): void {
  api.post({ type: 'control-done', id, code, number, time });
}

/** `done` is called when everything sequenced so far is on the disk. */
function whenDurable(asker: Asker, engine: Engine, done: () => void): void {
  const { seq } = engine;
  waitFor(asker, () => engine.isDurable(seq), done);
}

function waitFor(asker: Asker, isSo: () => boolean, done: () => void): void {
  if (isSo()) done();
  else if (steady() >= asker.until) answer(asker, ENGINE_BUSY);
  else setTimeout(() => waitFor(asker, isSo, done), 1);
}
