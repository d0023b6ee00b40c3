// Sets up the market at a start and feeds it: core settings, underlyings, index prices, surfaces.

import { underlyingCount } from '../../core/instruments/underlyings.ts';
import { unpackUnderlying } from '../../core/instruments/symbol.ts';
import { MAX_UNDERLYINGS } from '../../core/limits.ts';
import { isAgeless } from '../../core/valuation/surface.ts';
import { AGELESS, DECLARED_STALE } from '../../core/valuation/valuation.ts';
import { defaultSettings } from '../../core/settings.ts';
import type { State } from '../../core/engine/state.ts';
import type { AdmissionRules } from '../../core/sequencer/admission.ts';
import { parseHex } from '../http/hex.ts';
import type { ClockSteps } from './clock-steps.ts';
import type { Config } from './config.ts';
import { startSimTimer } from '../feeds/sim-timer.ts';
import { firstVolatility, simulatedMarket } from '../feeds/simulated-market.ts';
import { StartRefusal } from './start-refusal.ts';
import type { MainLoop } from './threads/main-loop.ts';
import type { FromFeed } from './threads/feed.ts';
import type { Thread } from './threads/thread.ts';
import { addUnderlyingRecord, configureRecord, surfaceRecord } from './venue-commands.ts';

export function rulesOf(config: Config): AdmissionRules {
  const adminWallets = new Uint32Array(config.adminWallets.length * 5);
  config.adminWallets.forEach((address, at) => parseHex(address, new Uint8Array(adminWallets.buffer, at * 20, 20)));
  return { table: config.table, rated: config.rateLimits === 'on', adminWallets, newWallets: config.newWallets };
}

/** Underlyings of the journal stay without being in the settings. */
export function requireUnderlyingRoom(state: State, { underlyings }: Config): void {
  const others = underlyingNames(state).filter((name) => !underlyings.includes(name));
  if (underlyings.length + others.length <= MAX_UNDERLYINGS) return;
  const there = `the journal has ${others.join(', ')} beside those of --underlyings`;
  throw new StartRefusal(`a venue has at most ${MAX_UNDERLYINGS} underlyings, and ${there}`);
}

/** Sends only what has changed. In a new journal these are the first commands. */
export function configure(loop: MainLoop, config: Config): void {
  const values = settingsFor(loop.state, config);
  if (!areInForce(loop.state, values)) loop.send(configureRecord(values));
  for (const name of addedUnderlyings(loop.state, config)) loop.send(addUnderlyingRecord(name, firstVolatility(name)));
}

export function settingsFor(state: State, config: Config): Float64Array {
  const underlyings = [...underlyingNames(state), ...addedUnderlyings(state, config)];
  const values = defaultSettings();
  for (const { at, underlying, value } of config.settings) values[at + (underlying === null ? 0 : underlyings.indexOf(underlying))] = value;
  return values;
}

export function areInForce({ settings }: State, values: Float64Array): boolean {
  return values.every((value, at) => value === settings.values[at]);
}

function addedUnderlyings(state: State, config: Config): readonly string[] {
  const listed = underlyingNames(state);
  return config.underlyings.filter((name) => !listed.includes(name));
}

export function underlyingNames(state: State): string[] {
  const { name } = state.underlyings;
  return Array.from({ length: underlyingCount(state.underlyings) }, (_, at) => unpackUnderlying(name[at * 2]!, name[at * 2 + 1]!));
}

export function startFeed(loop: MainLoop, steps: ClockSteps | null, config: Config): () => void {
  const listed = underlyingNames(loop.state);
  const { index, volatility: volatilities } = loop.state.valuation;
  const start = listed.map((_, at) => ({ price: index[at]!, volatility: volatilities[at]! }));
  const market = simulatedMarket(listed, start, (config.seed + loop.seq) >>> 0);
  const show = (time: number): void => {
    if (steps === null) loop.holdClockAt(time);
    for (const { underlying, ...tick } of market.prices()) loop.setIndex(underlying, tick, { isAgeless: false, isStale: false });
  };
  if (steps !== null) {
    const second = (time: number): void => {
      market.step();
      show(time);
    };
    second(steps.time);
    steps.onSecond(second);
    return () => undefined;
  }
  return startSimTimer({ step: market.step, show, rest: () => loop.holdClockAt(Infinity) });
}

export const NO_SURFACE = { volatility: 0, skew: 0, curvature: 0 };

export function ageManualInputs(loop: MainLoop): void {
  const { underlyings, valuation } = loop.state;
  for (let underlying = 0; underlying < underlyingCount(underlyings); underlying++) {
    const flags = valuation.indexFlags[underlying]!;
    if ((flags & AGELESS) !== 0) {
      loop.setIndex(underlying, { price: 0, ...NO_SURFACE }, { isAgeless: false, isStale: (flags & DECLARED_STALE) !== 0 });
    }
    if (isAgeless(valuation.surface, underlying)) loop.send(surfaceRecord(underlying, 0, NO_SURFACE, 0));
  }
}

export function followFeed(feed: Thread, loop: MainLoop): void {
  const listed = underlyingNames(loop.state);
  feed.post({ type: 'underlyings', names: listed });
  feed.on<FromFeed & { type: 'prices' }>('prices', ({ prices }) => {
    for (const [name, price] of prices) {
      loop.setIndex(listed.indexOf(name), { price, ...NO_SURFACE }, { isAgeless: false, isStale: false });
    }
  });
}
