// The composition root: settings, folder, threads, recovery, feed, and the way out. Order of a start: the folder is
// locked, the port opens (health answers, everything else says not ready), the state is recovered, journal, history and
// reader start, the venue says ready. A fault of the start is one clear line and exit code 2.

import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { PRODUCTION } from '../core/limits.ts';
import { underlyingCount } from '../core/instruments/underlyings.ts';
import { unpackUnderlying } from '../core/instruments/symbol.ts';
import { DEFAULT_BALANCE, defaultSettings, MAX_POSITION } from '../core/settings.ts';
import { USDC } from '../core/units.ts';
import type { State } from '../core/engine/state.ts';
import { raiseHeaderLimit, BadSetting, processConfig, type Config } from './config.ts';
import { fatal, guardThread } from './fatal.ts';
import { parseHex } from './auth/hex.ts';
import { journalHead } from './journal/read.ts';
import { JournalDamage, JournalRefusal } from './journal/errors.ts';
import { FolderInUse, lockFolder, unlockFolder } from './journal/lock.ts';
import { adminToken, venueId } from './journal/venue.ts';
import { CommandFailed, OtherBehaviour, recover } from './recovery.ts';
import { SIMULATED, simulatedWalk } from './feeds/sim.ts';
import { banner } from './banner.ts';
import { SharedCounters, startHeartbeat } from './transport/counters.ts';
import { Engine } from './threads/engine.ts';
import { Thread } from './threads/thread.ts';
import { createWiring, portsOf, type CounterName, type ThreadSettings, type Wiring } from './threads/wiring.ts';
import { addUnderlyingRecord, configureRecord, quarantineRecord } from './venue-commands.ts';

const STOP_WITHIN_MS = 10_000;
const BEAT_EVERY_MS = 250;
const FEED_EVERY_MS = 1_000;
const WATCH_EVERY_MS = 250;
const DISK_STOP = 2;

/** A start that cannot be: the line to print. */
class Refusal extends Error {}

type Venue = {
  readonly config: Config; readonly settings: ThreadSettings; readonly wiring: Wiring; readonly counters: SharedCounters<CounterName>;
  readonly apis: Thread[]; journal: Thread | null; reader: Thread | null; history: Thread | null; engine: Engine | null;
};

async function main(): Promise<void> {
  guardThread('main');
  const config = processConfig();
  if ('help' in config) {
    fs.writeSync(1, `${config.help}\n`);
    return;
  }
  raiseHeaderLimit();
  const port = await freePort(config.host, config.port);
  lockFolder(config.dataFolder);
  const venue = compose({ ...config, port });
  let isStopping = false;
  const stopOnce = (reason: string): void => {
    if (!isStopping) void stop(venue, reason);
    isStopping = true;
  };
  process.on('SIGTERM', () => stopOnce('SIGTERM'));
  process.on('SIGINT', () => stopOnce('SIGINT'));
  await Promise.all(venue.apis.map((api) => api.expect('listening')));
  try {
    const state = await recoverAndStart(venue);
    if (isStopping) return;
    watchDisk(venue, stopOnce);
    fs.writeSync(1, banner(venue.config, state));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await Promise.all(venue.apis.map((api) => api.stop()));
    throw error;
  }
}

/** Binds the port once to see that it is free (the api threads share it, and so would another venue); 0 picks one. */
function freePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? `port ${port} on ${host} is in use` : `cannot listen on ${host}:${port}: ${error.message}`;
      reject(new Refusal(why));
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}

/** Makes the wiring and starts the api threads, so that the port is open while the rest recovers. */
function compose(config: Config): Venue {
  const settings = { config, venue: venueId(config.dataFolder), token: config.adminToken ?? adminToken(config.dataFolder) };
  const wiring = createWiring(config.workers);
  const counters = new SharedCounters<CounterName>(wiring.counters);
  const apis = wiring.apis.map((api) => startThread(`api ${api.index}`, './threads/api.ts', api, wiring, settings));
  return { config, settings, wiring, counters, apis, journal: null, reader: null, history: null, engine: null };
}

function startThread(name: string, file: string, own: object, wiring: Wiring, settings: ThreadSettings, more: object = {}): Thread {
  const worker = new Worker(new URL(file, import.meta.url), {
    name, workerData: { wiring: own, counters: wiring.counters, settings, ...more }, transferList: portsOf(own),
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  });
  return new Thread(name, worker);
}

async function recoverAndStart(venue: Venue): Promise<State> {
  const { config, wiring, counters, settings } = venue;
  const head = journalHead(config.dataFolder);
  const recoverTo = head?.seq ?? 0;
  counters.counter('recoveryTotal').store(recoverTo);
  const skip = config.quarantine === null ? [] : [failingSeq(config)];
  const { state } = recover({
    dataFolder: config.dataFolder, limits: PRODUCTION, skip, toSeq: recoverTo,
    onSnapshotDamage: (damage) => fs.writeSync(2, `strikebook: ${damage.message}; an older snapshot is used\n`),
    onProgress: (seq) => counters.counter('recovered').store(seq),
  });
  counters.counter('recovered').store(recoverTo);
  counters.counter('durable').store(recoverTo);

  venue.journal = startThread('journal', './threads/journal.ts', wiring.journal, wiring, settings);
  await venue.journal.expect('ready');
  venue.history = startThread('history', './threads/history.ts', { port: wiring.history }, wiring, settings, { port: wiring.history });
  venue.reader = startThread('reader', './threads/reader.ts', wiring.reader, wiring, settings, { recoverTo, skip });
  const engine = new Engine({
    wiring: wiring.main, counters, state, rules: rulesOf(config),
    onDigest: (digest) => {
      venue.journal!.post({ type: 'digest', ...digest });
      venue.reader!.post({ type: 'digest', ...digest });
    },
  });
  venue.engine = engine;
  if (config.quarantine !== null) engine.send(quarantineRecord(config.quarantine));
  configure(engine, config);
  engine.start();
  startHeartbeat(counters.counter('beatMain'), BEAT_EVERY_MS);
  serveAdmin(venue, engine);
  if (config.feed === 'sim') startFeed(engine, config);
  await venue.reader.expect('ready');
  counters.counter('mainReady').store(1);
  return state;
}

/** The seq that the operator wants skipped: it must be the command that fails, else nothing may be skipped. */
function failingSeq(config: Config): number {
  try {
    recover({ dataFolder: config.dataFolder, limits: PRODUCTION });
  } catch (error) {
    if (error instanceof CommandFailed && error.seq === config.quarantine) return error.seq;
    throw error;
  }
  throw new Refusal(`--quarantine ${config.quarantine}: every command of the journal applies, nothing is to be skipped`);
}

function rulesOf(config: Config) {
  const adminWallets = new Uint32Array(config.adminWallets.length * 5);
  config.adminWallets.forEach((address, at) => parseHex(address, new Uint8Array(adminWallets.buffer, at * 20, 20)));
  return { table: config.table, rated: config.rateLimits === 'on', adminWallets };
}

/** The first commands of a journal, and again whatever has changed: the core's settings, then the underlyings. */
function configure(engine: Engine, config: Config): void {
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

function startFeed(engine: Engine, config: Config): void {
  const listed = names(engine.state);
  const walk = simulatedWalk(listed, listed.map((_, at) => engine.state.valuation.index[at]!), (config.seed + engine.seq) >>> 0);
  const step = (): void => {
    for (const { underlying, price, volatility } of walk()) {
      engine.setIndex(underlying, { price, volatility, isAgeless: false, isStale: false });
    }
  };
  step();
  setInterval(step, FEED_EVERY_MS).unref();
}

type IndexRequest = { type: 'index-price'; id: number; underlying: string; price: number; volatility?: number; stale: boolean };

/** Index prices by hand (feed `manual`), asked for by an api thread and answered when they are durable. */
function serveAdmin(venue: Venue, engine: Engine): void {
  for (const api of venue.apis) {
    api.on<IndexRequest>('index-price', ({ id, underlying, price, volatility, stale }) => {
      const at = names(engine.state).indexOf(underlying);
      if (at < 0) {
        api.post({ type: 'index-price-done', id, ok: false, error: `Unknown underlying: ${underlying}` });
        return;
      }
      engine.setIndex(at, { price, volatility: volatility ?? 0, isAgeless: true, isStale: stale });
      const { seq } = engine;
      const check = (): void => {
        if (engine.seq > seq && engine.isDurable(engine.seq)) api.post({ type: 'index-price-done', id, ok: true });
        else setTimeout(check, 1);
      };
      check();
    });
  }
}

function watchDisk(venue: Venue, stopOnce: (reason: string) => void): void {
  const disk = venue.counters.counter('disk');
  setInterval(() => {
    if (disk.load() === DISK_STOP) stopOnce('the disk is nearly full');
  }, WATCH_EVERY_MS).unref();
}

/** Closes the intake, lets everything in flight become durable, snapshots, closes the edges. */
async function stop(venue: Venue, reason: string): Promise<void> {
  fs.writeSync(1, `stopping: ${reason}\n`);
  setTimeout(() => fatal('main', new Error(`not stopped within ${STOP_WITHIN_MS} ms`)), STOP_WITHIN_MS).unref();
  await Promise.all(venue.apis.map((api) => api.stop()));
  const { engine } = venue;
  if (engine !== null && venue.reader !== null) {
    engine.stop();
    while (!engine.isDurable(engine.seq)) await new Promise((resolve) => setTimeout(resolve, 1));
    await venue.reader.stop();
    await venue.history?.ended;
  }
  const closed = await venue.journal?.stop() as { head: { seq: number; hash: Uint8Array } } | undefined;
  unlockFolder(venue.config.dataFolder);
  const head = closed === undefined ? '' : ` at seq ${closed.head.seq}, head ${Buffer.from(closed.head.hash).toString('hex')}`;
  fs.writeSync(1, `stopped${head}\n`);
  process.exit(0);
}

function isRefusal(error: unknown): error is Error {
  return error instanceof Refusal || error instanceof BadSetting || error instanceof FolderInUse || error instanceof JournalRefusal
    || error instanceof JournalDamage || error instanceof OtherBehaviour || error instanceof CommandFailed;
}

function lineOf(error: Error): string {
  if (error instanceof CommandFailed) return `${error.message}; start with --quarantine ${error.seq} to skip exactly that one`;
  return error.message;
}

try {
  await main();
} catch (error) {
  if (!isRefusal(error)) fatal('main', error);
  fs.writeSync(2, `strikebook: ${lineOf(error)}\n`);
  process.exit(2);
}

