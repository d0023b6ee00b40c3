// Faults of one line in what answers, rows and streams tell of an order, and in filters that match nothing.

import type { Mutant } from './fault.ts';

/** Name, file, text, what takes its place, tests. */
type Row = readonly [name: string, file: string, find: string, replace: string, tests: string];

const ROWS: readonly Row[] = [
  [
    'the reason of an end at once is not told', 'core/trading/place', 'outcome.numbers[3] = ended;', 'outcome.numbers[3] = 0;',
    'api/order-status',
  ],
  [
    'a partly filled order is called open', 'shell/http/bodies/order-end', 'filled > 0 ? \'partially_filled\'',
    'filled < 0 ? \'partially_filled\'', 'api/order-status',
  ],
  [
    'a partly filled order is missing from status=open', 'shell/reader/history/listings', 'partlyFilled: inBook || status',
    'partlyFilled: status', 'reader/order-status',
  ],
  [
    'a late replace tells how the order of another ended', 'shell/reader/history/order-ends',
    'state: !isOwn ? \'unknown\' :', 'state:', 'reader/order-status',
  ],
  [
    'a late replace of an old order waits for nobody', 'shell/reader/history/order-ends', 'return asked.standing !== null;', 'return true;',
    'reader/order-status',
  ],
  [
    'a 503 does not say when to come back', 'shell/http/errors', 'STATUS[code] === 503 ?',
    'STATUS[code] === 504 ?', 'http/router',
  ],
  [
    'an unknown currency has no instruments', 'shell/reader/market/markets', 'underlyingNamed(state, currency) < 0 ? unknownCurrency',
    'currency === \'?\' ? unknownCurrency', 'reader/bodies',
  ],
  [
    'the answer of a guard of a gone connection tells nothing', 'core/trading/timers',
    'outcome.numbers[0] = safety.goneAt[account];', '', 'safety/presence',
  ],
  [
    'a connection whose note is on its way is taken for gone', 'shell/process/threads/attendance', '!isHeard && mayWait',
    'isHeard && mayWait', 'safety/presence',
  ],
  [
    'the risk grid of a wallet without exact margin', 'shell/reader/queries',
    'this.#unavailable(parameters.wallet) ?? market.riskGrid', 'market.riskGrid', 'reader/exact-range',
  ],
  ['a formula behind white space', 'shell/http/export-format', '(?=[${UNSEEN}]*[', '(?=[', 'http/export-format'],
  ['a formula in full width', 'shell/http/export-format', '\\\\uFF1D\\\\uFF0B', '', 'http/export-format'],
  [
    'the description leaves open which sides there are', 'shell/api/routes/orders', 'maxBytes: TEXT_BYTES, values: SIDES }',
    'maxBytes: TEXT_BYTES }', 'openapi/running',
  ],
  [
    'an example names an expiry that is long over', 'shell/describe/examples', 'expiry: date, depth: 5', 'expiry: \'2026-01-30\', depth: 5',
    'openapi/running',
  ],
];

export const ANSWERS: readonly Mutant[] = ROWS.map(([name, file, find, replace, tests]) => (
  { name: `answers: ${name}`, file: `${file}.ts`, find, replace, tests: [`test/${tests}.test.ts`] }
));
