// The crash run: a real venue with real files, a fleet of signed traders, SIGKILL at random moments, restart on the same folder, and a
// check of everything the fleet was ever told. Kills fall under load, while the venue stops (drain, snapshot, checkpoint) and while it
// recovers. kill -9 leaves the page cache, so fsync itself is not tested here.

import { closeSync, fsyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Http, signerFor } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { generator } from '../../shell/storage/journal/support.ts';
import { checkFills, checkOrders, checkPage, checkReplays } from './check.ts';
import { Trader, type Entry, type Ledger, type Market } from './trader.ts';

type CrashOptions = {
  readonly folder: string;
  readonly cycles: number;
  /** Asked after the last cycle: further ones follow, up to MOST_CYCLES in all, until it is true. */
  readonly isEnough?: (report: CrashReport) => boolean;
  readonly traders: number;
  readonly seed: number;
  /** Shortest and longest time under load before a kill. */
  readonly loadMs: readonly [number, number];
  /** Orders, agents and fills of all times are looked through every so many cycles, and at the end. */
  readonly fullEvery: number;
  /** A file for every answer, fsynced once a cycle; null for none. */
  readonly ledgerFile: string | null;
  readonly say: (line: string) => void;
  /** Called while the venue is down after a kill: a canary damages the folder here. */
  readonly whileDown?: (dataFolder: string) => void;
};

export type CrashReport = { readonly kills: Readonly<Record<Mode, number>>; readonly ledger: Ledger; readonly orders: number };

type Mode = 'load' | 'stop' | 'recovery';
type Instrument = { readonly instrument_name: string; readonly strike: number; readonly expiration_timestamp: number };

/** Of ten cycles so many are of each mode, in a shuffled order. */
const MODES: readonly Mode[] = ['load', 'load', 'load', 'load', 'load', 'stop', 'stop', 'stop', 'recovery', 'recovery'];
/** After the signal to stop, and after the first sign of recovery. */
const STOP_MS = [0, 120] as const;
const RECOVERY_MS = [0, 100] as const;
/** For that sign; looking without a pause would take the core that recovers. */
const LOOK_EVERY_MS = 2;
/** The contracts that are traded expire no sooner. */
const NOT_BEFORE_MS = 5 * 86_400_000;
/** Answers of earlier cycles that are asked for again, per trader and cycle. */
const OLD_REPLAYS = 10;
const KEPT_ENTRIES = 900;
const MOST_CYCLES = 60;
const READY_WITHIN_MS = 60_000;

/** Owns the venue process, its folder's limits file and the file of answers for one run. */
class Run {
  readonly kills: Record<Mode, number> = { load: 0, stop: 0, recovery: 0 };
  readonly ledger: Ledger;
  readonly #options: CrashOptions;
  readonly #random: () => number;
  readonly #file: number | null;
  readonly #old = new Map<Trader, Entry[]>();
  #traders: Trader[] = [];
  #modes: Mode[] = [];

  #starts = 0;

  constructor(options: CrashOptions) {
    this.#options = options;
    this.#random = generator(options.seed);
    this.#file = options.ledgerFile === null ? null : openSync(options.ledgerFile, 'a');
    this.ledger = { lost: [], doubled: [], counts: new Map(), onAnswer: (trader, entry) => this.#write(trader, entry) };
  }

  get orders(): number {
    return this.#traders.reduce((sum, trader) => sum + trader.orders.size, 0);
  }

  async all(): Promise<void> {
    const { cycles, fullEvery, isEnough, say } = this.#options;
    writeFileSync(this.#limitsFile(), JSON.stringify(unlimited()));
    let venue = await this.#start();
    try {
      await venue.ready(READY_WITHIN_MS);
      let cycle = 0;
      while (cycle < cycles || (isEnough?.(this) === false && cycle < MOST_CYCLES)) {
        cycle++;
        const mode = this.#mode();
        venue = await this.#cycle(venue, mode, cycle);
        const { lost, doubled, counts } = this.ledger;
        const answers = counts.get('answers') ?? 0;
        say(`cycle ${cycle} (${mode}): ${answers} answers, ${this.orders} orders, lost ${lost.length}, doubled ${doubled.length}`);
        if (lost.length + doubled.length > 0) return;
      }
      await this.#lastLook(venue, cycle % fullEvery !== 0);
    } finally {
      await venue.kill();
      if (this.#file !== null) closeSync(this.#file);
    }
  }

  /** Load and kill, then start again and look; the next cycle's load goes on with the venue that came back. */
  async #cycle(venue: VenueProcess, mode: Mode, cycle: number): Promise<VenueProcess> {
    await this.#trade(venue, mode);
    this.#options.whileDown?.(this.#dataFolder());
    if (mode === 'recovery') await this.#killInRecovery();
    const again = await this.#start();
    try {
      await again.ready(READY_WITHIN_MS);
      await this.#look(again, cycle % this.#options.fullEvery === 0);
      return again;
    } catch (error) {
      await again.kill();
      throw error;
    }
  }

  async #trade(venue: VenueProcess, mode: Mode): Promise<void> {
    const { traders, seed } = this.#options;
    const http = new Http(venue.url, { connections: traders, timeoutMs: 12_000 });
    try {
      if (this.#traders.length === 0) {
        const markets = await marketsOf(http);
        const quiet = markets.pop()!;
        const signer = await signerFor(http);
        this.#traders = Array.from({ length: traders }, (_, i) => new Trader(signer, markets, quiet, generator(seed + 1 + i), this.ledger));
      }
      let isOver = false;
      const trading = Promise.all(this.#traders.map((trader) => trader.trade(http, () => isOver)));
      await sleep(this.#between(this.#options.loadMs));
      if (mode === 'stop') {
        venue.signal('SIGTERM');
        await sleep(this.#between(STOP_MS));
      }
      // A venue that ended cleanly before the kill was stopped, not killed.
      if (!venue.isOver) this.kills[mode === 'stop' ? 'stop' : 'load']++;
      const { signal, code, err } = await venue.kill();
      isOver = true;
      await trading;
      if (signal === null && code !== 0) throw new Error(`the venue ended by itself with code ${code}: ${err}`);
      if (/fatal/.test(err)) throw new Error(`the venue ended by itself: ${err}`);
    } finally {
      http.close();
    }
  }

  async #killInRecovery(): Promise<void> {
    const venue = await this.#start();
    const http = new Http(venue.url, { timeoutMs: 5_000 });
    try {
      let status = 0;
      for (; status === 0 && !venue.isOver; await sleep(LOOK_EVERY_MS)) {
        status = (await http.get('/ready').catch(() => null))?.status ?? 0;
      }
      await sleep(this.#between(RECOVERY_MS));
      if (status === 503 && !/ready at/.test(venue.out)) this.kills.recovery++;
    } finally {
      http.close();
    }
    const { code, err } = await venue.kill();
    if (code !== null) throw new Error(`the venue did not come back: ${err}`);
  }

  async #look(venue: VenueProcess, full: boolean): Promise<void> {
    const http = new Http(venue.url, { connections: this.#options.traders });
    try {
      await Promise.all(this.#traders.map(async (trader) => {
        await trader.resolve(http);
        const old = this.#old.get(trader) ?? [];
        const some = Array.from({ length: Math.min(OLD_REPLAYS, old.length) }, () => old[Math.floor(this.#random() * old.length)]!);
        await checkReplays(http, trader, [...trader.entries, ...some], this.ledger);
        this.#old.set(trader, [...old, ...trader.entries].slice(-KEPT_ENTRIES));
        trader.entries = [];
        await checkPage(http, trader);
      }));
      if (this.#file !== null) fsyncSync(this.#file);
      if (full) await this.#fullLook(http);
    } finally {
      http.close();
    }
  }

  async #fullLook(http: Http): Promise<void> {
    await Promise.all(this.#traders.map((trader) => checkOrders(http, trader, this.ledger)));
    await checkFills(http, this.#traders, this.ledger);
  }

  async #lastLook(venue: VenueProcess, full: boolean): Promise<void> {
    if (full) await this.#look(venue, true);
    const { code, err } = await venue.stop();
    if (code !== 0) throw new Error(`the venue did not stop cleanly: ${code} ${err}`);
  }

  #start(): Promise<VenueProcess> {
    // In turns, so that each comes after the other too.
    const durability = this.#starts++ % 2 === 0 ? 'normal' : 'full';
    const flags = ['--feed', 'sim', '--workers', '2', '--rate-limits', this.#limitsFile(), '--durability', durability];
    return VenueProcess.start({ data: this.#dataFolder(), flags });
  }

  #dataFolder(): string {
    return join(this.#options.folder, 'data');
  }

  #limitsFile(): string {
    return join(this.#options.folder, 'limits.json');
  }

  #mode(): Mode {
    if (this.#modes.length === 0) {
      const left = [...MODES];
      while (left.length > 0) this.#modes.push(...left.splice(Math.floor(this.#random() * left.length), 1));
    }
    return this.#modes.pop()!;
  }

  #between([low, high]: readonly [number, number]): number {
    return low + this.#random() * (high - low);
  }

  #write(trader: string, { request, answer }: Entry): void {
    if (this.#file === null) return;
    const { status, text } = answer!;
    writeSync(this.#file, `${JSON.stringify({ trader, path: request.path, request: request.body, status, answer: text })}\n`);
  }
}

/** A table of rate limits without limits. */
function unlimited(): Record<string, Record<string, number>> {
  const row = { orders: -1, cancels: -1, requests: -1, quotes: -1, openOrders: -1, positions: -1 };
  return { default: row, tier1: row, tier2: row, market_maker: row };
}

/** Four options around the money that stay listed for days; waits until they are there. */
export async function marketsOf(http: Http): Promise<Market[]> {
  for (let tries = 0; tries < 1_200; tries++, await sleep(50)) {
    const { status, body } = await http.get('/instruments?currency=BTC');
    if (status !== 200) continue;
    const listed = (body as readonly Instrument[]).filter((one) => one.expiration_timestamp > Date.now() + NOT_BEFORE_MS);
    if (listed.length < 100) continue;
    const book = (await http.get(`/orderbook?instrument_name=${listed[0]!.instrument_name}`)).body as { index_price: number };
    const off = ({ strike }: Instrument): number => Math.abs(strike - book.index_price);
    const near = [...listed].sort((a, b) => off(a) - off(b) || a.expiration_timestamp - b.expiration_timestamp);
    return Promise.all(near.slice(0, 4).map(async ({ instrument_name: symbol }) => {
      const { mark_price: mark } = (await http.get(`/orderbook?instrument_name=${symbol}`)).body as { mark_price: number };
      return { symbol, mid: Number(mark.toPrecision(3)) };
    }));
  }
  throw new Error('the venue lists no contracts');
}

/** Runs the cycles; ends early when something was lost or doubled. `folder` exists and is empty. */
export async function crashRun(options: CrashOptions): Promise<CrashReport> {
  const run = new Run(options);
  await run.all();
  return { kills: run.kills, ledger: run.ledger, orders: run.orders };
}

