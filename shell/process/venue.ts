// A whole venue: threads, recovery, feed, and the way out. Order of a start: the folder is locked, the port opens (health
// answers, everything else says not ready), the state is recovered, the journal's end settled, then the read models, the journal opens,
// the venue is ready. Nothing is sequenced before all of them stand, so a start that is refused leaves the journal as it was. Throws a
// refusal (isRefusal) when it cannot start; whoever starts it says so and ends the process.

import { Worker } from 'node:worker_threads';
import { PRODUCTION } from '../../core/limits.ts';
import { TIME, type State } from '../../core/engine/state.ts';
import { boundClock, followClock, now, startClock, wallTime, type VenueClock } from './clock.ts';
import { prepareLibraries, type Config } from './config.ts';
import { fatal } from './fatal.ts';
import { configure, followFeed, ageManualInputs, underlyingNames, requireUnderlyingRoom, rulesOf, startFeed } from './market.ts';
import { serveOperator } from './operator.ts';
import { historyPath } from '../storage/history/history-file.ts';
import { journalHead } from '../storage/journal/read.ts';
import { freeBytes, STOP_DISK_BYTES } from '../storage/journal/disk-space.ts';
import { nearestExistingPath } from '../storage/journal/files.ts';
import { lockFolder, renewLock, unlockFolder } from '../storage/journal/lock.ts';
import { syncJournal } from '../storage/journal/sync-journal.ts';
import { restrictPermissions } from '../storage/journal/permissions.ts';
import { requireWritable } from '../storage/journal/writable-check.ts';
import { adminToken, recordSigningDomain, venueId } from '../storage/journal/venue-identity.ts';
import { holdPort } from './port.ts';
import { knownHeads, requireJournalForHistory, recoverAsync } from '../storage/recovery.ts';
import { CommandFailed } from '../storage/recovery-errors.ts';
import { folderRefusal, isStartRefusal, StartRefusal } from './start-refusal.ts';
import { SharedCounters, startHeartbeat } from '../ipc/counters.ts';
import { MainLoop } from './threads/main-loop.ts';
import { log } from './observability/log.ts';
import { Meters } from './observability/meters.ts';
import { TableWatch } from './observability/table-watch.ts';
import { startSampling } from './observability/sampler.ts';
import { clockStatus, checkClock } from './observability/venue-clock.ts';
import type { ClockStatus } from '../ipc/status.ts';
import { SharedValue } from '../ipc/shared-value.ts';
import { Thread, threadEntry } from './threads/thread.ts';
import { apiName, createWiring, DISK_STATES, portsOf, type CounterName, type ThreadSettings, type Wiring } from './wiring.ts';
import { quarantineRecord } from './venue-commands.ts';

const STOP_WITHIN_MS = 10_000;
const WATCH_EVERY_MS = 250;

/** Where the journal ended: its last command, and the hash of its chain there as hex. */
export type JournalHead = { readonly seq: number; readonly head: string };
type JournalEnd = { readonly head: { readonly seq: number; readonly hash: Uint8Array } };

/** Owns the data folder, the port and every thread from `open` to `stop`. */
export class Venue {
  /** Settings as they are in force: host and port are the address listened on. */
  readonly config: Config;
  readonly counters: SharedCounters<CounterName>;
  readonly apis: readonly Thread[];
  journal: Thread | null = null;
  reader: Thread | null = null;
  history: Thread | null = null;
  /** Of a feed from outside. */
  feed: Thread | null = null;
  loop: MainLoop | null = null;
  readonly #settings: ThreadSettings;
  readonly #wiring: Wiring;
  #watch: NodeJS.Timeout | null = null;
  #endings: (() => void)[] = [];
  #stopping: Promise<JournalHead | null> | null = null;

  /** Locks the folder and opens the port; `start` does the rest. */
  static async open(config: Config): Promise<Venue> {
    prepareLibraries();
    const { host, port, release } = await holdPort(config.host, config.port);
    try {
      const venue = await Venue.#inFolder({ ...config, host, port });
      await Promise.all(venue.apis.map((api) => api.expect('listening')));
      return venue;
    } finally {
      release();
    }
  }

  static async #inFolder(config: Config): Promise<Venue> {
    const { dataFolder } = config;
    let isLocked = false;
    try {
      requireDiskSpace(dataFolder);
      await lockFolder(dataFolder);
      isLocked = true;
      requireWritable(dataFolder, [historyPath(dataFolder)]);
      const seen = restrictPermissions(dataFolder);
      if (seen !== null) log('warn', 'folder', seen);
      return new Venue(config);
    } catch (error) {
      if (isLocked) unlockFolder(dataFolder);
      throw folderRefusal(dataFolder, error) ?? error;
    }
  }

  private constructor(config: Config) {
    this.config = config;
    this.#settings = { config, venue: venueId(config.dataFolder), token: config.adminToken ?? adminToken(config.dataFolder) };
    this.#wiring = createWiring(config.workers);
    this.counters = new SharedCounters<CounterName>(this.#wiring.counters);
    this.apis = this.#wiring.apis.map((api) => this.#thread(apiName(api.index), 'api', api));
  }

  /** Recovers and starts trading; resolves when the venue is ready. After a refusal the port and the folder are free again. */
  async start(): Promise<State> {
    try {
      return await this.#recoverAndStart();
    } catch (thrown) {
      const { dataFolder } = this.config;
      // Once main's loop runs, nothing is opened any more.
      const error = this.loop === null ? folderRefusal(dataFolder, thrown) ?? thrown : thrown;
      if (isStartRefusal(error)) await this.stop();
      throw error;
    }
  }

  /** Of a start that still recovers: it is refused as soon as that is heard, and has written nothing to the journal. */
  cancelStart(): void {
    this.counters.counter('startCancelled').store(1);
  }

  /** Calls `act` once the disk is so full that the venue has to stop. */
  onDiskFull(act: () => void): void {
    const disk = this.counters.counter('disk');
    this.#watch = setInterval(() => {
      if (disk.load() === DISK_STATES.stop) act();
    }, WATCH_EVERY_MS).unref();
  }

  /** Closes the intake, lets everything in flight become durable, snapshots, closes the edges. Null: there was no journal yet. */
  stop(): Promise<JournalHead | null> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #recoverAndStart(): Promise<State> {
    const { config, counters } = this;
    const { venue } = this.#settings;
    const known = knownHeads(config.dataFolder, venue);
    const end = journalHead(config.dataFolder, known);
    const recoverTo = end?.seq ?? 0;
    requireJournalForHistory(config.dataFolder, venue);
    counters.counter('recoveryTotal').store(recoverTo);
    const isCancelled = (): boolean => counters.counter('startCancelled').load() === 1;
    const skip = config.quarantine === null ? [] : [await failingSeq(config, isCancelled)];
    const { state } = await recoverAsync({
      dataFolder: config.dataFolder, limits: PRODUCTION, skip, toSeq: recoverTo, isCancelled,
      onSnapshotDamage: (damage) => log('warn', 'snapshot', `${damage.message}; recovery goes on without it`),
      onProgress: (seq) => counters.counter('recovered').store(seq),
    });
    requireUnderlyingRoom(state, config);
    const clock = clockOf(config, state.clock[TIME]!);
    followClock(clock);
    if (!config.acceptClock) checkClock(state.clock[TIME]!, now());
    if (end !== null && !syncJournal(config.dataFolder, end)) {
      log('warn', 'journal', 'another process reads the journal: what the last run wrote last is taken as it is found');
    }
    counters.counter('recovered').store(recoverTo);
    counters.counter('durable').store(recoverTo);

    await this.#startReaders(recoverTo, skip);
    const journal = this.#thread('journal', 'journal', this.#wiring.journal);
    await journal.expect('ready');
    this.journal = journal;
    this.#recordDomain(recoverTo + 1);
    await this.#tellClock(clock);
    const meters = new Meters(this.#wiring.measures.meters, 'main');
    const statusValue = new SharedValue<ClockStatus>(this.#wiring.measures.statuses.main);
    const showClock = (): void => statusValue.publish(clockStatus(state.clock[TIME]!, now(), config.clock === null ? wallTime() : now()));
    showClock();
    const tables = new TableWatch(state, meters);
    tables.update();
    this.#endings.push(startSampling(meters, () => {
      showClock();
      this.#renewFolderLock();
      tables.update();
    }));
    this.loop = new MainLoop({
      wiring: this.#wiring.main, counters, state, rules: rulesOf(config), meters,
      onDigest: (digest) => {
        this.journal!.post({ type: 'digest', ...digest });
        this.reader!.post({ type: 'digest', ...digest });
      },
    });
    this.#run(this.loop);
    // The first request finds the settings and the underlyings.
    const { loop } = this;
    const { seq } = loop;
    await until(() => loop.isDurable(seq));
    await this.#tellUnderlyings(underlyingNames(state));
    counters.counter('mainReady').store(1);
    this.loop.startPresence();
    return state;
  }

  /** Whoever audits the folder must know by which domain its signatures were taken: before the first one is. */
  #recordDomain(fromSeq: number): void {
    const { dataFolder, serviceName: name, chainId } = this.config;
    const before = recordSigningDomain(dataFolder, { fromSeq, name, chainId });
    if (before === null) return;
    const fields = { service_name: name, chain_id: chainId, from_seq: fromSeq };
    log('warn', 'domain', `the signing domain is name "${name}", chainId ${chainId} from seq ${fromSeq} on, it was name "${before.name}", `
      + `chainId ${before.chainId}: signatures made for that one are no longer taken`, fields);
  }

  /** The history and the reader, who replays what the history lacks and meets in the journal what main's own snapshot spared it. */
  async #startReaders(recoverTo: number, skip: readonly number[]): Promise<void> {
    const history = this.#thread('history', 'history', { port: this.#wiring.history }, { port: this.#wiring.history });
    history.on<{ type: 'notice'; text: string }>('notice', ({ text }) => log('warn', 'history', text));
    await history.expect('ready');
    this.history = history;
    this.reader = this.#thread('reader', 'reader', this.#wiring.reader, { recoverTo, skip });
    await this.reader.expect('ready');
  }

  /** A lock that somebody removed would keep out nobody whom the folder's name does not. */
  #renewFolderLock(): void {
    if (!renewLock(this.config.dataFolder)) return;
    log('warn', 'folder', 'lock.db was removed or replaced, and has been made anew: while the venue runs its files must be left alone');
  }

  /** The threads that go by the venue's clock have run for a while. */
  async #tellClock(clock: VenueClock): Promise<void> {
    await Promise.all([...this.apis, this.reader!].map((thread) => thread.ask({ type: 'clock', clock }, 'clock-followed')));
  }

  /** The list grows at a start only, so the api threads are told it once, before they take requests. */
  async #tellUnderlyings(underlyings: readonly string[]): Promise<void> {
    await Promise.all(this.apis.map((api) => api.ask({ type: 'underlyings', names: underlyings }, 'underlyings-known')));
  }

  #run(loop: MainLoop): void {
    const { config } = this;
    if (config.quarantine !== null) loop.send(quarantineRecord(config.quarantine));
    configure(loop, config);
    if (config.feed !== 'manual') ageManualInputs(loop);
    loop.start();
    this.#endings.push(startHeartbeat(this.counters.counter('beatMain')));
    for (const api of this.apis) serveOperator(api, loop, config);
    if (config.feed === 'sim') this.#endings.push(startFeed(loop, config));
    if (config.feed === 'hyperliquid') this.#startOutsideFeed(loop);
  }

  #startOutsideFeed(loop: MainLoop): void {
    this.feed = this.#thread('feed', 'feed', {});
    followFeed(this.feed, loop);
  }

  async #stop(): Promise<JournalHead | null> {
    const watchdog = setTimeout(() => fatal('main', new Error(`not stopped within ${STOP_WITHIN_MS} ms`)), STOP_WITHIN_MS);
    if (this.#watch !== null) clearInterval(this.#watch);
    this.loop?.stopPresence();
    await Promise.all(this.apis.map((api) => api.stop()));
    for (const end of this.#endings) end();
    await this.feed?.stop();
    const { loop, reader, history, journal } = this;
    if (loop !== null) {
      loop.stop();
      await until(() => loop.isDurable(loop.seq));
    }
    if (reader !== null) {
      history?.mayEnd();
      await reader.stop();
      await history?.ended;
    }
    const closed = await journal?.stop() as unknown as JournalEnd | undefined;
    unlockFolder(this.config.dataFolder);
    clearTimeout(watchdog);
    return closed === undefined ? null : { seq: closed.head.seq, head: Buffer.from(closed.head.hash).toString('hex') };
  }

  #thread(name: string, entry: string, wiring: object, more: object = {}): Thread {
    const worker = new Worker(threadEntry(`./threads/${entry}`, import.meta.url), {
      name, transferList: portsOf(wiring),
      workerData: { wiring, counters: this.#wiring.counters, measures: this.#wiring.measures, settings: this.#settings, ...more },
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    });
    return new Thread(name, worker);
  }
}

/** A venue that would stop at once would be started again and again, and leave a little more each time: so before anything is made. */
function requireDiskSpace(dataFolder: string): void {
  const free = freeBytes(nearestExistingPath(dataFolder));
  if (free >= STOP_DISK_BYTES) return;
  throw new StartRefusal(`data folder ${dataFolder}: ${free} bytes are free on its disk, a venue needs ${STOP_DISK_BYTES}`);
}

/** A simulated clock goes on at `last`, the journal's last time, or at its start where that is later; at the wall's time without either. */
function clockOf({ clock }: Config, last: number): VenueClock {
  return clock === null ? boundClock() : startClock(Math.max(clock.start ?? (last > 0 ? last : now()), last), clock.speed);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** The seq that the operator wants skipped: it must be the command that fails, else nothing may be skipped. */
async function failingSeq(config: Config, isCancelled: () => boolean): Promise<number> {
  try {
    await recoverAsync({ dataFolder: config.dataFolder, limits: PRODUCTION, isCancelled });
  } catch (error) {
    if (error instanceof CommandFailed && error.seq === config.quarantine) return error.seq;
    throw error;
  }
  throw new StartRefusal(`--quarantine ${config.quarantine}: every command of the journal applies, nothing is to be skipped`);
}
