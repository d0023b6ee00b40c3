// The table of figures in docs/PERFORMANCE.md: which of the saved figures it shows, and with which words. The table stands between two
// marks and is made from bench/baselines.json alone (test/e2e/readme compares), so no figure in it was typed by hand.

import { named, shown, type Figure, type Machine } from './machine.ts';

type Figures = Readonly<Record<string, Omit<Figure, 'name'>>>;
/** A run of one bench: `load` is the load average before it, `lost` the steal time during it in per cent. */
export type Run = {
  readonly date: string; readonly commit: string; readonly load: number; readonly lost?: number; readonly machine: Machine;
  readonly figures: Figures;
};
/** Runs by name of the bench. Benches of one full run have the same provenance. */
export type Baselines = Readonly<Record<string, Run>>;

const OPEN = '<!-- figures: written by `npm run bench -- --save` -->';
const CLOSE = '<!-- /figures -->';

/** What is measured, the bench, and the names of its figures. */
type TableRow = readonly [what: string, bench: string, figures: readonly string[]];

const ROWS: readonly TableRow[] = [
  ['Matching alone, flow over 256 symbols: warm; cold', 'order-flow', ['multi, median', 'multi, cold']],
  ['Matching alone, flow over one symbol: warm; cold', 'order-flow', ['single, median', 'single, cold']],
  ['One command of the matching, 256 symbols: p50, p99', 'order-flow', ['multi, one command, p50', 'multi, one command, p99']],
  [
    'The core, standard margin, nine in ten orders rest, 1 position a wallet: `apply`; main’s whole step',
    'apply', ['1 positions, apply alone', '1 positions'],
  ],
  ['The same, 20 positions', 'apply', ['20 positions, apply alone', '20 positions']],
  ['The same, 100 positions', 'apply', ['100 positions, apply alone', '100 positions']],
  ['20 positions, three in four orders trade', 'apply', ['crossing, 20 positions, apply alone', 'crossing, 20 positions']],
  ['One order in the core, 20 positions: p50, p99', 'apply', ['20 positions, one order, p50', '20 positions, one order, p99']],
  [
    'Portfolio margin, an order rests, `apply`: 1, 100, 500 positions', 'margin',
    ['apply, the order rests, 1 positions', 'apply, the order rests, 100 positions', 'apply, the order rests, 500 positions'],
  ],
  [
    'Everything held, 1,000 accounts × 100 positions, two vintages and a sweep a second', 'margin',
    ['marks, rows, sweep of everything held'],
  ],
  ['One step of the core in ten minutes of that market: p50, p99.99', 'margin', ['one step, p50', 'one step, p99.99']],
  ['A full core, 1,000,000 accounts and open orders, worst nonces: memory', 'memory', ['times, whole state, resident']],
  ['Its snapshot, 1.2 million positions: written; restored', 'memory', ['times, snapshot, written', 'times, snapshot, restored']],
  [
    'A mass quote of 100 contracts applied, half of its sides move: p50, p99', 'mass-quote',
    ['in the core, half of its sides move, p50', 'in the core, half of its sides move, p99'],
  ],
  [
    '100,000 orders wait for triggers: what they add to a mark update; 10,000 that fire at once: the longest step', 'triggers',
    ['what 100000 waiting orders add', '10000 fire at once, one step, max'],
  ],
  ['An option price; with all greeks', 'pricing', ['optionPrice', 'optionGreeks']],
  ['Signed order checked on one core: native; portable', 'signature', ['whole path, native', 'whole path, noble']],
  ['Journal, one record a commit; p50 of a commit', 'journal', ['frames of 1', 'frames of 1, one commit, p50']],
  ['Journal, 1,000 records a commit; read back and verified', 'journal', ['frames of 1000', 'frames of 1000, read back']],
  ['History, rows of all kinds', 'history', ['all rows']],
  [
    'A start after a kill -9, until ready: from the newest snapshot; with none', 'restart', ['from the newest snapshot', 'no snapshot'],
  ],
  ['REST, one client, one order at a time', 'end-to-end', ['closed loop']],
  ['The same, one order: p50, p99', 'end-to-end', ['closed loop, one order, p50', 'closed loop, one order, p99']],
  ['REST, 64 connections, as fast as they go', 'end-to-end', ['peak']],
  ...['2,500 orders/s', 'half of the peak'].map((rate) => openLoop(`REST, open loop at ${rate}`, 'end-to-end', rate)),
  [
    'Reads, one api thread: /orderbook, warm; cold; /portfolio of 100 positions beside 2,000 orders/s', 'reads',
    ['GET /orderbook', 'GET /orderbook, cold', 'GET /portfolio beside orders'],
  ],
  [
    'These orders: p99 alone; beside 1,500 such reads/s; beside as many as come', 'reads',
    [
      'orders without reads, one order, p99', 'orders beside reads, one order, p99',
      'orders beside all reads that can be, one order, p99',
    ],
  ],
  openLoop('One socket, 1,000 orders/s, durability full', 'socket', 'full, 1000 orders/s'),
  openLoop('The same, durability normal', 'socket', 'normal, 1000 orders/s'),
  ['One socket, 800 in flight: durability full; normal', 'socket', ['full, peak', 'normal, peak']],
  ['Mass quotes of 200 sides over one socket, durability full', 'mass-quote', ['peak']],
  [
    'The same at 100,000 sides/s, one answer: p50; p99, of the worst round', 'mass-quote',
    ['p50', 'p99', 'p99 of the worst round'].map((one) => `100,000 sides/s, one page, ${one}`),
  ],
  [
    '500 sockets, 50 of 3,000 books each, 20,000 changes/s: from the event to the write, p50, p99', 'fan-out',
    ['all read, event to socket write, p50', 'all read, event to socket write, p99'],
  ],
  [
    'The same while one of them does not read: how much more the p99 of the others is; that p99', 'fan-out',
    ['one is stuck, p99 of the others against all read', 'one is stuck, event to socket write, p99'],
  ],
  ...[['One process', 'one process'], ['The log on one broker of three', 'log on 1'], ['The log on three brokers', 'log on 3']].map(
    ([what, of]): TableRow => openLoop(`${what}, one socket, 2,000 orders/s`, 'cluster', `${of}, 2000 orders/s`),
  ),
  [
    'Processor at that rate: one process; log on one: leader, follower, three brokers; log on three: the same', 'cluster',
    [
      'one process, 2000 orders/s, processor of the venue',
      ...['log on 1', 'log on 3'].flatMap((log) => (
        ['the leader', 'its follower', 'the brokers'].map((who) => `${log}, 2000 orders/s, processor of ${who}`)
      )),
    ],
  ],
  [
    '800 in flight: one process; log on one; log on three', 'cluster',
    ['one process', 'log on 1', 'log on 3'].map((log) => `${log}, 2000 orders/s, peak`),
  ],
  [
    'The leader’s orders while 200 sockets listen to 80 books each, p99: at the leader; at its follower', 'cluster',
    ['listeners at the leader, one order, p99', 'listeners at the follower, one order, p99'],
  ],
  ...[['killed', 'killed'], ['stopped cleanly', 'stopped']].map(([what, end]): TableRow => [
    `No orders after the leader was ${what}: p50, p99`, 'cluster', [`leader ${end}, no orders, p50`, `leader ${end}, no orders, p99`],
  ]),
  [
    'The trading page in Chromium, 3,000 contracts, 20,000 changes/s wanted: sent; drawn; the main thread’s work in 1/60 s, p95', 'page',
    ['changes sent', 'frames drawn', 'the same, p95'],
  ],
  ['Its memory: before; after', 'page', ['memory of the page before', 'memory of the page after']],
  ['An idle venue: processor, memory', 'idle', ['CPU', 'resident memory']],
];

function openLoop(what: string, bench: string, of: string): TableRow {
  const figures = ['p50', 'p99', 'p99 of the worst round'].map((one) => `${of}, one order, ${one}`);
  return [`${what}: p50; p99, of the worst round`, bench, figures];
}

/** The page with the table of these figures. A bench that was never saved has no rows. Throws when a figure of a saved one is missing. */
export function withTable(page: string, baselines: Baselines): string {
  const from = page.indexOf(OPEN);
  const to = page.indexOf(CLOSE);
  if (from < 0 || to < from) throw new Error('the page has no place for the figures');
  return `${page.slice(0, from + OPEN.length)}\n${table(baselines)}\n${page.slice(to)}`;
}

function table(baselines: Baselines): string {
  let last = '';
  return ROWS.flatMap(([what, bench, names]) => {
    const run = baselines[bench];
    if (run === undefined) return [];
    const values = names.map((name) => {
      const found = run.figures[name];
      if (found === undefined) throw new Error(`there is no saved figure "${name}" of ${bench}`);
      return found;
    });
    const row = `| ${what} | ${values.map(({ value, unit }) => `${shown(value)} ${unit}`).join('; ')} | ${values[0]!.note} |`;
    const provenance = provenanceOf(run);
    if (provenance === last) return [row];
    const isFirst = last === '';
    last = provenance;
    return [...(isFirst ? [] : ['']), provenance, '', '| What | Figure | How |', '|---|---|---|', row];
  }).join('\n');
}

function provenanceOf({ date, commit, load, lost, machine }: Run): string {
  const others = lost === undefined ? '' : `, ${lost} % of the processors given to others meanwhile`;
  return `${date}, commit ${commit}, ${named(machine)}, load ${load} before the run${others}.`;
}
