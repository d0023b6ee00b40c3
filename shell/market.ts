// What main brings to the market: the core's settings, the underlyings, and index prices from the feed or by hand.

import { underlyingCount } from '../core/instruments/underlyings.ts';
import { unpackUnderlying } from '../core/instruments/symbol.ts';
import { DEFAULT_BALANCE, defaultSettings, MAX_POSITION } from '../core/settings.ts';
import { USDC } from '../core/units.ts';
import type { State } from '../core/engine/state.ts';
import type { AdmissionRules } from '../core/sequencer/admission.ts';
import { parseHex } from './auth/hex.ts';
import type { Config } from './config.ts';
import { SIMULATED, simulatedWalk } from './feeds/sim.ts';
import type { Engine } from './threads/engine.ts';
import type { Thread } from './threads/thread.ts';
import { addUnderlyingRecord, configureRecord } from './venue-commands.ts';

const FEED_EVERY_MS = 1_000;

/** What admission goes by: the table of tiers and the wallets that may sign tier changes. */
export function rulesOf(config: Config): AdmissionRules {
  const adminWallets = new Uint32Array(config.adminWallets.length * 5);
  config.adminWallets.forEach((address, at) => parseHex(address, new Uint8Array(adminWallets.buffer, at * 20, 20)));
  return { table: config.table, rated: config.rateLimits === 'on', adminWallets };
}

/** The first commands of a journal, and again whatever has changed: the core's settings, then the underlyings. */
export function configure(engine: Engine, config: Config): void {
  const values = defaultSettings();
  values[DEFAULT_BALANCE] = config.defaultBalanceUsdc * USDC;
  values[MAX_POSITION] = config.maxPositionUsdc * USDC;
  if (values.some((value, at) => value !== engine.state.settings.values[at])) engine.send(configureRecord(values));
  const listed = names(engine.state);
  for (const [name, { volatility }] of Object.entries(SIMULATED)) {
    if (!listed.includes(name)) engine.send(addUnderlyingRecord(name, Math.round(volatility * 1e6)));
  }
}

function names(state: State): string[] {
  const { name } = state.underlyings;
  return Array.from({ length: underlyingCount(state.underlyings) }, (_, at) => unpackUnderlying(name[at * 2]!, name[at * 2 + 1]!));
}

/** Starts the simulated feed from the venue's last prices; returns the stop. */
export function startFeed(engine: Engine, config: Config): () => void {
  const listed = names(engine.state);
  const walk = simulatedWalk(listed, listed.map((_, at) => engine.state.valuation.index[at]!), (config.seed + engine.seq) >>> 0);
  const step = (): void => {
    for (const { underlying, price, volatility } of walk()) {
      engine.setIndex(underlying, { price, volatility, isAgeless: false, isStale: false });
    }
  };
  step();
  const timer = setInterval(step, FEED_EVERY_MS);
  return () => clearInterval(timer);
}

type IndexRequest = {
  type: 'index-price'; id: number; underlying: string; price: number; volatility?: number; stale: boolean;
};

/** Index prices by hand (feed `manual`), asked for by an api thread and answered when they are durable. */
export function serveIndexPrices(api: Thread, engine: Engine): void {
  api.on<IndexRequest>('index-price', ({ id, underlying, price, volatility, stale }) => {
    const at = names(engine.state).indexOf(underlying);
    if (at < 0) {
      api.post({ type: 'index-price-done', id, ok: false, error: `Unknown underlying: ${underlying}` });
      return;
    }
    engine.setIndex(at, { price, volatility: volatility ?? 0, isAgeless: true, isStale: stale });
    const check = (): void => {
      if (engine.isIndexTaken(at) && engine.isDurable(engine.seq)) api.post({ type: 'index-price-done', id, ok: true });
      else setTimeout(check, 1);
    };
    check();
  });
}
