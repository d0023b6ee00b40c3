// Faults of one line in what answers, rows and streams tell of an order, and in filters that match nothing.

import type { Mutant } from './fault.ts';

/** Name, file, text, what takes its place, tests. */
type Row = readonly [name: string, file: string, find: string, replace: string, tests: string];

const ROWS: readonly Row[] = [
  [
    'the reason of an immediate end is missing', 'core/trading/place', 'result.numbers[3] = ended;', 'result.numbers[3] = 0;',
    'shell/api/order-status',
  ],
  [
    'a partly filled order is called open', 'shell/http/bodies/order-status', 'filled > 0 ? \'partially_filled\'',
    'filled < 0 ? \'partially_filled\'', 'shell/api/order-status',
  ],
  [
    'a partly filled order is missing from status=open', 'shell/reader/history/trading-history', 'partlyFilled: inBook || status',
    'partlyFilled: status', 'shell/reader/order-status',
  ],
  [
    'a late replace tells how the order of another ended', 'shell/reader/history/order-ends',
    'state: !isOwn ? \'unknown\' :', 'state:', 'shell/reader/order-status',
  ],
  [
    'a late replace of an old order does not wait for the history',
    'shell/reader/history/order-ends', 'return asked.standing !== null;', 'return true;',
    'shell/reader/order-status',
  ],
  [
    'a 503 does not say when to come back', 'shell/http/errors', 'STATUS[code] === 503 ?',
    'STATUS[code] === 504 ?', 'shell/http/router',
  ],
  [
    'an unknown currency has no instruments', 'shell/reader/market/markets', 'underlyingNamed(state, currency) < 0 ? unknownCurrency',
    'currency === \'?\' ? unknownCurrency', 'shell/reader/bodies',
  ],
  [
    'cancel on disconnect of a closed connection answers without its deadline', 'core/trading/timers',
    'result.numbers[0] = safety.goneAt[account];', '', 'core/safety/presence',
  ],
  [
    'a connection whose notice is in a ring counts as gone', 'shell/process/threads/presence', '!isHeard && mayWait',
    'isHeard && mayWait', 'core/safety/presence',
  ],
  [
    'the risk grid of a wallet without exact margin', 'shell/reader/queries',
    'this.#unavailable(parameters.wallet) ?? market.riskGrid', 'market.riskGrid', 'shell/reader/exact-range',
  ],
  ['a formula behind white space', 'shell/http/export-format', '(?=[${UNSEEN}]*[', '(?=[', 'shell/http/export-format'],
  ['a formula in full width', 'shell/http/export-format', '\\\\uFF1D\\\\uFF0B', '', 'shell/http/export-format'],
  [
    'the description does not list the sides', 'shell/api/routes/orders', 'maxBytes: TEXT_BYTES, values: SIDES }',
    'maxBytes: TEXT_BYTES }', 'shell/describe/running',
  ],
  [
    'an example names an expiry that is long over', 'shell/describe/examples', 'expiry: date, depth: 5', 'expiry: \'2026-01-30\', depth: 5',
    'shell/describe/running',
  ],
  [
    'a description lacks the records that its records refer to', 'shell/http/shapes/shape', 'look(found[name]);', '',
    'shell/describe/asyncapi',
  ],
  [
    'the shape of an order lacks a field of its rows', 'shell/http/shapes/trading',
    'reduce_only: nullable(BOOL), mmp_enabled: BOOL,\n', 'mmp_enabled: BOOL,\n', 'shell/describe/running',
  ],
];

export const ANSWERS: readonly Mutant[] = ROWS.map(([name, file, find, replace, tests]) => (
  { name: `answers: ${name}`, file: `${file}.ts`, find, replace, tests: [`test/${tests}.test.ts`] }
));
