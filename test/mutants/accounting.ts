// Faults in what a wallet is told of its fills and of its standing in a competition.

import type { Mutant } from './fault.ts';

/** Name, file under shell/, text, what takes its place. */
type Row = readonly [name: string, file: string, find: string, replace: string];

const of = (test: string, rows: readonly Row[]): Mutant[] => rows.map(([name, file, find, replace]) => (
  { name, file: `shell/${file}.ts`, find, replace, tests: [`test/${test}.test.ts`] }
));

export const ACCOUNTING: readonly Mutant[] = [
  ...of('reader/moves', [
    ['fills: a liquidation’s fee is in no row', 'reader/history/rows', 'own[i]!.fee += part;', ''],
    ['fills: the stream tells no liquidation fee', 'reader/channels/fills', 'held[i]!.fee = part;', ''],
    ['fills: what rounding leaves of a fee is lost', 'reader/history/moves',
      'fee - parts.reduce((sum, part) => sum + part, 0)', 'parts[0] ?? fee'],
    ['fills: moves are listed unasked', 'reader/history/listings', 'isAll: kind === \'all\'', 'isAll: true'],
    ['fills: a takeover has the side of the position', 'reader/history/moves', '> 0 ? SELL : BUY', '> 0 ? BUY : SELL'],
  ]),
  ...of('history/store', [
    ['fills: moves are counted behind all fills of their batch', 'history/store',
      '[...fills, ...moves].sort((a, b) => a.fillId - b.fillId)', '[...fills, ...moves]'],
    ['fills: a page of both has a move a place too early', 'history/fill-pages',
      'number + moves.at(number).before <= place', 'number <= place'],
  ]),
];
