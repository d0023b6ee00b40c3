// A venue from start to stop. Order of a start: lock the folder, open the port (only health answers), recover the state, settle the
// journal's end, start the read models, open the journal, report ready. Nothing is sequenced earlier, so a refused start leaves the
// journal unchanged.

import { Worker } from 'node:worker_threads';
import { PRODUCTION } from '../../core/limits.ts';
import { SEQ, TIME, type State } from '../../core/engine/state.ts';
import { boundClock, followClock, now, startClock, wallTime, type VenueClock } from './clock.ts';
import { ClockSteps } from './clock-steps.ts';
import type { Scenario } from './scenario-file.ts';
import { hostAndPort, isStepped, prepareLibraries, type Config } from './config.ts';
import { startDemo } from './demo.ts';
import { fatal } from './fatal.ts';
import { configure, followFeed, ageManualInputs, underlyingNames, requireUnderlyingRoom, rulesOf, startFeed } from './market.ts';
import { serveClock, serveOperator } from './operator.ts';
import { historyPath } from '../storage/history/history-file.ts';
import { journalHead } from '../storage/journal/read.ts';
import { freeBytes, STOP_DISK_BYTES } from '../storage/journal/disk-space.ts';
import { nearestExistingPath } from '../storage/journal/files.ts';
import { lockFolder, renewLock, unlockFolder } from '../storage/journal/lock.ts';
import { syncJournal } from '../storage/journal/sync-journal.ts';
import { restrictPermissions } from '../storage/journal/permissions.ts';
import { requireWritable } from '../storage/journal/writable-check.ts';
import { adminToken, demoSeed, recordSigningDomain, venueId } from '../storage/journal/venue-identity.ts';
import { holdPort } from './port.ts';
import { followLog } from './follow.ts';
import { joinLog, refuseAlone, type JoinedLog } from './join-log.ts';
import { knownHeads, requireJournalForHistory, recoverAsync } from '../storage/recovery.ts';
import { CommandFailed } from '../storage/recovery-errors.ts';
import { requireSameScenario, ScenarioThread } from './scenario.ts';
import { folderRefusal, isStartRefusal, StartRefusal } from './start-refusal.ts';
import { SharedCounters, startHeartbeat } from '../ipc/counters.ts';
import { ROLES } from '../ipc/cluster-status.ts';
import { Follower } from './threads/follower.ts';
import { MainLoop, type MainLoopOptions } from './threads/main-loop.ts';
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
const ANY = new Map([['0.0.0.0', '127.0.0.1'], ['::', '::1']]);

export type StopResult = { readonly seq: number; readonly head: string };
type JournalEnd = { readonly head: { readonly seq: number; readonly hash: Uint8Array } };

export class Venue {
  readonly config: Config;
  readonly counters: SharedCounters<CounterName>;
  readonly apis: readonly Thread[];
  journal: Thread | null = null;
  reader: Thread | null = null;
  history: Thread | null = null;
  feed: Thread | null = null;
  #follower: Follower | null = null;
  loop: MainLoop | null = null;
  readonly #settings: ThreadSettings;
  readonly #demoSeed: string | null;
  readonly #wiring: Wiring;
  readonly #joined: JoinedLog | null;
  #watch: NodeJS.Timeout | null = null;
  #endings: (() => void)[] = [];
  #endDemo: (() => Promise<unknown>) | null = null;
  #scenario: ScenarioThread | null = null;
  #steps: ClockSteps | null = null;
  #told: Promise<void> = Promise.resolve();
  #stopping: Promise<StopResult | null> | null = null;

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
      if (config.cluster === null) refuseAlone(dataFolder);
      return new Venue(config, config.cluster === null ? null : await joinLog(dataFolder, config.cluster));
    } catch (error) {
      if (isLocked) unlockFolder(dataFolder);
      throw folderRefusal(dataFolder, error) ?? error;
    }
  }

  private constructor(config: Config, joined: JoinedLog | null) {
    this.config = config;
    this.#joined = joined;
    this.#settings = { config, venue: venueId(config.dataFolder), token: config.adminToken ?? adminToken(config.dataFolder) };
    this.#demoSeed = config.demo ? demoSeed(config.dataFolder) : null;
    this.#wiring = createWiring(config.workers);
    this.counters = new SharedCounters<CounterName>(this.#wiring.counters);
    this.apis = this.#wiring.apis.map((api) => this.#thread(apiName(api.index), 'api', api));
  }

  async start(): Promise<State> {
    try {
      return await this.#recoverAndStart();
    } catch (thrown) {
      const { dataFolder } = this.config;
      // After the main loop has started, nothing is opened.
      const error = this.loop === null ? folderRefusal(dataFolder, thrown) ?? thrown : thrown;
      if (isStartRefusal(error)) await this.stop();
      throw error;
    }
  }

  cancelStart(): void {
    this.counters.counter('startCancelled').store(1);
  }

  onDiskFull(act: () => void): void {
    const disk = this.counters.counter('disk');
    this.#watch = setInterval(() => {
      if (disk.load() === DISK_STATES.stop) act();
    }, WATCH_EVERY_MS).unref();
  }

  /** Refuses requests, waits until everything is durable, takes a snapshot. Null: there was no journal yet. */
  stop(): Promise<StopResult | null> {
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
    if (config.scenario !== null) requireSameScenario(config.dataFolder, config.scenario, state.clock[TIME]!);
    const clock = clockOf(config, state.clock[TIME]!);
    followClock(clock);
    if (!config.acceptClock) checkClock(state.clock[TIME]!, now());
    if (end !== null && !syncJournal(config.dataFolder, end)) {
      log('warn', 'journal', 'another process reads the journal, so the end of the last run could not be synced again before this start');
    }
    counters.counter('recovered').store(recoverTo);
    counters.counter('durable').store(recoverTo);

    await this.#startReaders(recoverTo, skip);
    const meters = new Meters(this.#wiring.measures.meters, 'main');
    const journal = this.#thread('journal', 'journal', this.#wiring.journal, { joined: this.#joined });
    const started = Promise.withResolvers<void>();
    if (this.#joined !== null) this.#follow(journal, state, meters, started.promise);
    await journal.expect('ready');
    this.journal = journal;
    await this.#tellClock(clock);
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
    this.#endings.push(startHeartbeat(counters.counter('beatMain')));
    const steps = this.#joined === null ? await this.#lead(state, meters) : null;
    if (this.#joined !== null) await this.#tellUnderlyings(underlyingNames(state));
    counters.counter('mainReady').store(1);
    this.loop?.startPresence();
    started.resolve();
    if (config.scenario !== null) this.#openScenario(config.scenario, steps!);
    if (this.#demoSeed !== null) this.#endDemo = startDemo(addressOf(config), this.#settings.token, this.#demoSeed);
    return state;
  }

  async #lead(state: State, meters: Meters, opened: MainLoopOptions['opened'] = []): Promise<ClockSteps | null> {
    const { config, counters } = this;
    this.#recordDomain(state.clock[SEQ]! + 1);
    const steps = isStepped(config) ? new ClockSteps(now()) : null;
    const loop = new MainLoop({
      wiring: this.#wiring.main, counters, state, rules: rulesOf(config), meters, steps, onDigest: this.#onDigest, opened,
    });
    this.loop = loop;
    this.#run(loop, steps);
    const { seq } = loop;
    await until(() => loop.isDurable(seq));
    await this.#tellUnderlyings(underlyingNames(state));
    return steps;
  }

  /** A node of a cluster follows until its LEAD is in the log. */
  #follow(journal: Thread, state: State, meters: Meters, started: Promise<void>): void {
    const follower = new Follower({ wiring: this.#wiring.main, state, meters, onDigest: this.#onDigest });
    this.#follower = follower;
    followLog(journal, follower, state, this.config, (epoch) => {
      const opened = follower.stop();
      this.#follower = null;
      started.then(() => this.#lead(state, meters, opened)).then(() => {
        this.loop!.startPresence();
        this.counters.counter('role').store(ROLES.leader);
        log('info', 'leading', `leads the cluster in epoch ${epoch}`, { epoch });
      }, (error: unknown) => fatal('main', error));
    });
  }

  readonly #onDigest = (digest: { seq: number; low: number; high: number }): void => {
    this.journal?.post({ type: 'digest', ...digest });
    this.reader!.post({ type: 'digest', ...digest });
  };

  /** Call before the first signature, because an audit needs the signing domain. */
  #recordDomain(fromSeq: number): void {
    const { dataFolder, serviceName: name, chainId } = this.config;
    const before = recordSigningDomain(dataFolder, { fromSeq, name, chainId });
    if (before === null) return;
    const fields = { service_name: name, chain_id: chainId, from_seq: fromSeq };
    log('warn', 'domain', `the signing domain is name "${name}", chainId ${chainId} from seq ${fromSeq} on, it was name "${before.name}", `
      + `chainId ${before.chainId}: signatures made for that one are no longer taken`, fields);
  }

  /** The reader replays what the history lacks, also where main started from a snapshot. */
  async #startReaders(recoverTo: number, skip: readonly number[]): Promise<void> {
    const history = this.#thread('history', 'history', { port: this.#wiring.history }, { port: this.#wiring.history });
    history.on<{ type: 'notice'; text: string }>('notice', ({ text }) => log('warn', 'history', text));
    await history.expect('ready');
    this.history = history;
    this.reader = this.#thread('reader', 'reader', this.#wiring.reader, { recoverTo, skip });
    await this.reader.expect('ready');
  }

  /** A removed lock file no longer keeps others out. */
  #renewFolderLock(): void {
    if (!renewLock(this.config.dataFolder)) return;
    log('warn', 'folder', 'lock.db was removed or replaced and has been recreated: do not touch the files of a running venue');
  }

  #tellClock(clock: VenueClock): Promise<void> {
    const tell = async (): Promise<void> => {
      await Promise.all([...this.apis, this.reader!].map((thread) => thread.ask({ type: 'clock', clock }, 'clock-followed')));
    };
    this.#told = this.#told.then(tell);
    return this.#told;
  }

  /** Sent once, before requests are accepted: the list grows only at a start. */
  async #tellUnderlyings(underlyings: readonly string[]): Promise<void> {
    await Promise.all(this.apis.map((api) => api.ask({ type: 'underlyings', names: underlyings }, 'underlyings-known')));
  }

  #run(loop: MainLoop, steps: ClockSteps | null): void {
    const { config } = this;
    if (config.quarantine !== null) loop.send(quarantineRecord(config.quarantine));
    configure(loop, config);
    if (config.feed !== 'manual') ageManualInputs(loop);
    loop.start();
    for (const api of this.apis) serveOperator(api, loop, config);
    if (steps !== null) for (const api of this.apis) serveClock(api, loop, steps, (clock) => this.#tellClock(clock));
    if (config.feed === 'sim') this.#endings.push(startFeed(loop, steps, config));
    if (config.feed === 'hyperliquid') this.#startOutsideFeed(loop);
  }

  #openScenario(scenario: Scenario, steps: ClockSteps): void {
    const { dataFolder } = this.config;
    this.#scenario = new ScenarioThread(dataFolder, { url: addressOf(this.config), token: this.#settings.token, scenario });
    this.#steps = steps;
    const { end, start, step } = scenario;
    const next = (time: number): number => {
      const moment = start + (Math.floor((time - start) / step) + 1) * step;
      return moment > start + end ? Infinity : moment;
    };
    const play = async (time: number): Promise<void> => {
      await this.#tellClock(steps.clock);
      await this.#scenario!.play(time);
    };
    steps.follow({ next, play });
    steps.ask(() => steps.begin(steps.time, () => undefined));
  }

  async playScenario({ end, start }: Scenario): Promise<readonly string[]> {
    const steps = this.#steps!;
    await new Promise<void>((resolve) => {
      steps.ask(() => steps.begin(Math.max(steps.time, start + end), resolve));
    });
    await this.#tellClock(steps.clock);
    const { seq } = this.loop!;
    await until(() => this.loop!.isDurable(seq));
    return this.#scenario!.report();
  }

  #startOutsideFeed(loop: MainLoop): void {
    this.feed = this.#thread('feed', 'feed', {});
    followFeed(this.feed, loop);
  }

  async #stop(): Promise<StopResult | null> {
    const watchdog = setTimeout(() => fatal('main', new Error(`not stopped within ${STOP_WITHIN_MS} ms`)), STOP_WITHIN_MS);
    if (this.#watch !== null) clearInterval(this.#watch);
    await this.#endDemo?.();
    await this.#scenario?.end();
    this.loop?.stopPresence();
    await Promise.all(this.apis.map((api) => api.stop()));
    for (const end of this.#endings) end();
    await this.feed?.stop();
    this.#follower?.stop();
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

/** Checked first, or a restarting service would write a little more at each start. */
function requireDiskSpace(dataFolder: string): void {
  const free = freeBytes(nearestExistingPath(dataFolder));
  if (free >= STOP_DISK_BYTES) return;
  throw new StartRefusal(`data folder ${dataFolder}: ${free} bytes are free on its disk, a venue needs ${STOP_DISK_BYTES}`);
}

function addressOf(config: Config): string {
  const host = ANY.get(config.host) ?? config.host;
  return `http://${hostAndPort({ ...config, host })}`;
}

/** A simulated clock continues at the later of its own start and `last`; without either at wall time. */
function clockOf({ clock }: Config, last: number): VenueClock {
  return clock === null ? boundClock() : startClock(Math.max(clock.start ?? (last > 0 ? last : now()), last), clock.speed);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function failingSeq(config: Config, isCancelled: () => boolean): Promise<number> {
  try {
    await recoverAsync({ dataFolder: config.dataFolder, limits: PRODUCTION, isCancelled });
  } catch (error) {
    if (error instanceof CommandFailed && error.seq === config.quarantine) return error.seq;
    throw error;
  }
  throw new StartRefusal(`--quarantine ${config.quarantine}: every command of the journal applies, so there is nothing to skip`);
}
