// npm run bench -- page [SECONDS]
// The trading page under load in Chromium: a stub in place of a venue serves the built page and sends recorded changes of the shown book
// and chain. Prints how long the page's main thread works in each 1/60 s, and its memory before and after. Needs `npm run build`.

import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type CDPSession } from 'playwright-core';
import { CHROMIUM } from '../test/support/chromium.ts';
import { startPageStub, STUB_CONTRACTS } from '../test/support/page-stub.ts';
import { figure, heading, quantile, spread } from './machine.ts';

/** Changes a second: levels of the shown book, and sides of rows of the shown chain. */
const LOAD = { book: 15_000, chain: 5_000 };
const SETTLE_MS = 5_000;
const FRAME_US = 1e6 / 60;
const MIB = 2 ** 20;
const TRACED_S = 10;

/** Of a trace; times in µs. `tdur`: of the processor. */
type Event = {
  readonly name: string; readonly ph: string; readonly pid: number; readonly tid: number; readonly ts: number; readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
};

/** Processor time of the main thread in each 1/60 s of the trace, ms, ascending. A task within a task is not counted again. */
function workOf(trace: { readonly traceEvents: readonly Event[] }): Float64Array {
  const tasks = trace.traceEvents.filter(({ name, ph }) => ph === 'X' && name.endsWith('RunTask'));
  const mains = trace.traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const busyOf = (main: Event): readonly Event[] => tasks.filter(({ pid, tid }) => pid === main.pid && tid === main.tid);
  const busy = mains.map(busyOf).sort((one, other) => other.length - one.length)[0]!;
  const [from, to] = [Math.min(...busy.map(({ ts }) => ts)), Math.max(...busy.map(({ ts }) => ts))];
  const frames = new Float64Array(Math.ceil((to - from) / FRAME_US) + 1);
  let over = 0;
  for (const { ts, dur = 0, tdur = dur } of busy.toSorted((one, other) => one.ts - other.ts)) {
    if (ts < over || dur === 0) continue;
    over = ts + dur;
    for (let at = ts; at < ts + dur;) {
      const frame = Math.floor((at - from) / FRAME_US);
      const end = Math.min(ts + dur, from + (frame + 1) * FRAME_US);
      frames[Math.min(frames.length - 1, frame)]! += (end - at) * tdur / dur / 1_000;
      at = end <= at ? at + 1 : end;
    }
  }
  return frames.sort();
}

/** Of the page after a garbage collection, MiB. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize / MIB;
}

/** Traces the first seconds only: a trace of minutes is larger than a text can be. */
async function run(seconds: number): Promise<void> {
  if (CHROMIUM === undefined) throw new Error('no Chromium is installed');
  const stub = await startPageStub(LOAD);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  const session = await page.context().newCDPSession(page);
  await page.addInitScript('window.drawn = 0; (function count() { window.drawn++; requestAnimationFrame(count); })();');
  await page.goto(stub.url);
  await page.locator('.ladder .best').first().waitFor();
  await sleep(SETTLE_MS);
  const heapBefore = await heapOf(session);
  const frames = (): Promise<number> => page.evaluate('window.drawn');
  const before = { sent: stub.sent(), frames: await frames(), at: performance.now() };
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await sleep(Math.min(seconds, TRACED_S) * 1_000);
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly Event[] };
  await sleep(Math.max(0, seconds - TRACED_S) * 1_000);
  const passed = (performance.now() - before.at) / 1_000;
  const [rate, drawn] = [(stub.sent() - before.sent) / passed, (await frames() - before.frames) / passed];
  heading(`the trading page with ${STUB_CONTRACTS} contracts, its book and one chain shown, over ${seconds} s`);
  figure('changes sent', rate, '/s');
  figure('frames drawn', drawn, '/s');
  const work = workOf(trace);
  spread('processor time of the main thread in 1/60 s', work, 'ms');
  figure('the same, p95', quantile(work, 0.95), 'ms');
  figure('memory of the page before', heapBefore, 'MiB');
  figure('memory of the page after', await heapOf(session), 'MiB');
  await browser.close();
  stub.close();
}

await run(Number(process.argv[2] ?? TRACED_S));
