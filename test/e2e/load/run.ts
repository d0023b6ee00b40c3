// The load run (evidence F12): a venue with real files and durability full, and the stated mix of signed requests by many wallets. It
// measures the peak rate, holds nine tenths of it, then twice as much, then floods a stalled venue with one request per connection, and
// then holds nine tenths until latencies are as before. Ends with the audit of the folder. Client and venue share the machine.

import { join } from 'node:path';
import { openLiveVenue } from '../../../bench/live-venue.ts';
import { quantile } from '../../../bench/machine.ts';
import type { Http } from '../../../scripts/client.ts';
import { runAudit } from '../../support/audit.ts';
import { OpenLoop, type Span } from './loop.ts';
import { Traders, type Market } from './traders.ts';

type LoadOptions = {
  readonly folder: string; readonly wallets: number; readonly connections: number; readonly seed: number;
  /** Seconds: to warm up, to find the peak, of the load that is held and how often something is said of it, of each overload. */
  readonly warmUp: number; readonly peak: number; readonly held: number; readonly every: number; readonly step: number;
  readonly say: (line: string) => void;
};
type LoadReport = {
  readonly peak: number; readonly held: readonly Span[]; readonly step: Span; readonly flood: Span;
  readonly outcomes: ReadonlyMap<string, number>;
  /** Seconds after the flood until one was as before; null when none of `AFTER` was. */
  readonly recovered: number | null;
  /** MiB of the venue after each span of the load that is held. */
  readonly resident: readonly number[];
  readonly faults: readonly string[]; readonly audit: { readonly isSound: boolean; readonly verdict: string };
};

/** Requests under way while the peak is looked for. */
const PEAK_BUSY = 64;
const HELD_PART = 0.9;
const STEP_PART = 2;
/** Seconds after the flood in which the venue has to come back. */
const AFTER = 30;
/** As before: nothing refused or unsent, and a p99 of at most so many times that of the load that was held. */
const AS_BEFORE = 2;

export async function loadRun(options: LoadOptions): Promise<LoadReport> {
  const { folder, wallets, connections, seed, say } = options;
  const { venue, setup } = await openLiveVenue(folder, 'full');
  try {
    const traders = new Traders(setup.signer, await marketsOf(setup.http, setup.symbols), wallets, seed);
    const loop = new OpenLoop(setup.port, connections, () => traders.next());
    const hold = (isHeld: boolean): void => venue.signal(isHeld ? 'SIGSTOP' : 'SIGCONT');
    const report = await load(loop, hold, setup.http, options);
    loop.close();
    setup.http.close();
    const { code, err } = await venue.stop(60_000);
    if (code !== 0) throw new Error(`the venue ended with ${code}: ${err}`);
    const { status, stdout, stderr } = runAudit(join(folder, 'data'));
    const verdict = stdout.trim() || stderr.trim();
    say(verdict);
    return { ...report, audit: { isSound: status === 0, verdict } };
  } finally {
    await venue.kill();
  }
}

async function load(
  loop: OpenLoop, hold: (isHeld: boolean) => void, http: Http, options: LoadOptions,
): Promise<Omit<LoadReport, 'audit'>> {
  const { every, say } = options;
  const spans: Span[] = [];
  const held: Span[] = [];
  const resident: number[] = [];
  const run = async (what: string, work: Promise<Span>): Promise<Span> => {
    const span = await work;
    spans.push(span);
    say(`${what}: ${lineOf(span)}`);
    return span;
  };
  await run('warm-up', loop.hold(Infinity, options.warmUp, PEAK_BUSY));
  const { rate: peak } = await run('peak', loop.hold(Infinity, options.peak, PEAK_BUSY));
  for (let passed = 0; passed < options.held; passed += every) {
    held.push(await run(`held at ${Math.round(HELD_PART * peak)}/s`, loop.hold(HELD_PART * peak, Math.min(every, options.held - passed))));
    resident.push(await residentOf(http));
  }
  const step = await run(`twice the peak, ${Math.round(STEP_PART * peak)}/s`, loop.hold(STEP_PART * peak, options.step));
  // Only then every connection has room for one.
  await run('the rest of it', loop.quiet());
  const flood = await run('all at once', loop.flood(hold));
  const before = median(held.map(({ latency }) => quantile(latency, 0.99)));
  let recovered: number | null = null;
  for (let second = 1; second <= AFTER && recovered === null; second++) {
    const after = await run(`${second} s after it`, loop.hold(HELD_PART * peak, 1));
    if (after.refused + after.unsent === 0 && quantile(after.latency, 0.99) <= AS_BEFORE * before) recovered = second;
  }
  await run('the rest', loop.quiet());
  const outcomes = new Map<string, number>();
  for (const span of spans) for (const [outcome, times] of span.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + times);
  return { peak, held, step, flood, outcomes, recovered, resident, faults: spans.flatMap(({ faults }) => faults) };
}

function lineOf({ rate, latency, unsent, refused, faults }: Span): string {
  const of = (share: number): string => quantile(latency, share).toFixed(1);
  return `${Math.round(rate)} answers/s, p50 ${of(0.5)}, p99 ${of(0.99)}, p99.9 ${of(0.999)}, max ${of(1)} ms`
    + `, refused ${refused}, unsent ${unsent}, faults ${faults.length}`;
}

function median(values: readonly number[]): number {
  return quantile([...values].sort((a, b) => a - b), 0.5);
}

async function marketsOf(http: Http, symbols: readonly string[]): Promise<Market[]> {
  const markets: Market[] = [];
  for (const symbol of symbols) {
    const { mark_price: mark } = (await http.get(`/orderbook?instrument_name=${symbol}`)).body as { mark_price: number };
    if (mark >= 1) markets.push({ symbol, mark });
  }
  if (markets.length === 0) throw new Error('no contract has a mark');
  return markets;
}

async function residentOf(http: Http): Promise<number> {
  const { text } = await http.get('/metrics');
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)![1]) / 1_048_576;
}
