// One simulated day in a venue process of its own: the traders act, the index follows its path, the venue is stopped, and its folder is
// audited and read. The index path and the traders' random choices follow the seed. The interleaving of requests does not, so every
// day differs, and its journal is what is checked.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../../shell/feeds/random.ts';
import { auditFolder, type AuditReport } from '../audit/replay.ts';
import { Http, signerFor } from '../client.ts';
import { VenueProcess, type Ended } from '../venue-process.ts';
import { Board } from './board.ts';
import { actorOf, lever, make, makeProtected, sellCovered, take, writePuts, type Stage } from './cast.ts';
import { checksOf, type Check } from './checks.ts';
import { Desk, StepClock, VenueClock, type Actor, type DayClock } from './desk.ts';
import { DAY, endOf, HOUR, indexPath, startOf, UNDERLYINGS, type Hours } from './plan.ts';
import { DayRecord } from './record.ts';

type DayOptions = {
  /** The data folder of the venue. */
  readonly data: string;
  readonly hours: Hours; readonly seed: number; readonly durability: 'full' | 'normal';
  /** 0: the clock moves by steps of `grain` ms, when everybody has done what there is to do. */
  readonly speed: number; readonly grain?: number;
  /** Further flags of the venue. */
  readonly flags: readonly string[];
  readonly say: (line: string) => void;
};
export type DayReport = {
  readonly hours: Hours;
  readonly desk: Desk; readonly stopped: Ended; readonly record: DayRecord; readonly audit: AuditReport;
  readonly checks: readonly Check[];
  /** Real seconds of the trading and of the audit. */
  readonly seconds: number; readonly auditSeconds: number;
};

/** USDC of every account. */
const BALANCE = 1_000_000;
const EDGES = [1, 1.15, 1.3];
const TAKERS = 4;
/** Requests sent at once. */
const CONNECTIONS = 64;
const LISTED_WITHIN_MS = 60_000;
/** Interval of index updates, venue time: more updates would only cause more marks. */
const TOLD_EVERY_MS = 10_000;

export async function runDay(options: DayOptions): Promise<DayReport> {
  const { data, hours, speed, durability, flags } = options;
  const venue = await VenueProcess.start({ data, flags: [
    '--feed', 'manual', '--clock-start', new Date(startOf(hours)).toISOString(), '--clock-speed', String(speed), '--durability', durability,
    '--default-balance', String(BALANCE), '--rate-limits', 'off', '--workers', '1',
    ...flags,
  ] });
  const started = performance.now();
  let desk: Desk;
  let stopped: Ended;
  try {
    await venue.ready();
    desk = await trade(venue, options);
    stopped = await venue.stop();
  } finally {
    await venue.kill();
  }
  const traded = performance.now();
  let record: DayRecord | null = null;
  const audit = auditFolder({
    dataFolder: data, name: 'Strikebook', chainId: 998, fromSnapshot: false, knownHead: null, onProgress: () => {},
    onState: (state) => { record = new DayRecord(state); }, onRecord: (kind) => record!.watch.after(kind),
  });
  const checks = checksOf(hours, desk, stopped, record!, audit);
  const ended = performance.now();
  const [seconds, auditSeconds] = [(traded - started) / 1_000, (ended - traded) / 1_000];
  return { hours, desk, stopped, record: record!, audit, checks, seconds, auditSeconds };
}

async function trade(venue: VenueProcess, { data, hours, seed, speed, grain = TOLD_EVERY_MS, say }: DayOptions): Promise<Desk> {
  const http = new Http(venue.url, { connections: CONNECTIONS });
  try {
    const start = startOf(hours);
    const clock: DayClock = speed > 0 ? new VenueClock(start, speed)
      : new StepClock(start, grain, (to) => desk.stepClock(to), () => desk.isIdle);
    const desk: Desk = new Desk(http, await signerFor(http), clock, readFileSync(join(data, 'admin-token'), 'utf8').trim());
    let fault: unknown = null;
    const isOver = (): boolean => fault !== null || clock.now() >= endOf(hours);
    const path = indexPath(seed);
    for (const underlying of UNDERLYINGS) await desk.setIndex(underlying, path(underlying, clock.now()).toFixed(2));
    const board = new Board(desk);
    await untilListed(board);
    const stage: Stage = { desk, board, random: createRandom(seed + 1), isOver };
    const loops = [followPath(desk, path, isOver), tell(stage, hours, say), board.keep(isOver), ...await openCast(stage)];
    await Promise.all(loops.map((loop) => loop.catch((error: unknown) => { fault ??= error; })));
    if (fault !== null) throw fault;
    return desk;
  } finally {
    http.close();
  }
}

async function untilListed(board: Board): Promise<void> {
  for (const until = performance.now() + LISTED_WITHIN_MS; performance.now() < until;) {
    for (const underlying of UNDERLYINGS) await board.look(underlying);
    if (UNDERLYINGS.every((underlying) => board.options(underlying, 0).length > 0)) return;
  }
  throw new Error('the venue lists no options');
}

/** Each wallet opens its account with its first request; then the tier of makers is raised. */
async function openCast(stage: Stage): Promise<Promise<void>[]> {
  const { desk, random } = stage;
  const open = async (name: string, hasAgent = false): Promise<Actor> => {
    const actor = actorOf(name, random, hasAgent);
    await desk.setMode(actor, 'standard');
    if (hasAgent) await desk.approve(actor);
    return actor;
  };
  const makers = await Promise.all(EDGES.map((_, at) => open(`maker ${at + 1}`)));
  const protectedMaker = await open('protected maker');
  for (const maker of [...makers, protectedMaker]) await desk.raise(maker);
  const takers = await Promise.all(Array.from({ length: TAKERS }, (_, at) => open(`taker ${at + 1}`, at === 0)));
  const seller = await open('seller');
  await desk.setMode(seller, 'portfolio');
  return [
    ...makers.map((maker, at) => make(stage, maker, EDGES[at]!)), makeProtected(stage, protectedMaker),
    ...takers.map((taker) => take(stage, taker)), sellCovered(stage, seller),
    lever(stage, await open('leveraged'), BALANCE), writePuts(stage, await open('writer')),
  ];
}

/** Sends the index by venue time: every ten seconds of it, or as often as the venue accepts one. */
async function followPath(desk: Desk, path: ReturnType<typeof indexPath>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const now = desk.clock.now();
    await Promise.all(UNDERLYINGS.map((underlying) => desk.setIndex(underlying, path(underlying, now).toFixed(2))));
    await desk.clock.sleep(now + TOLD_EVERY_MS - desk.clock.now());
  }
}

/** Prints a line every four hours. */
async function tell({ desk, isOver }: Stage, { from }: Hours, say: (line: string) => void): Promise<void> {
  for (let next = DAY + from * HOUR; !isOver(); next += 4 * HOUR) {
    while (!isOver() && desk.clock.now() < next) await desk.clock.sleep(Math.min(HOUR / 4, next - desk.clock.now()));
    if (isOver()) return;
    const indexes = await Promise.all(UNDERLYINGS.map(async (underlying) => (
      `${underlying} ${Math.round((await desk.book(`${underlying}-PERP`)).index_price)}`
    )));
    say(`day: ${new Date(desk.clock.now()).toISOString().slice(11, 16)}  ${indexes.join('  ')}  ${desk.accepted} orders`);
  }
}
