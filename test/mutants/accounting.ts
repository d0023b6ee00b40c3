// Faults in what a wallet is told of its fills and of its standing in a competition.

import type { Mutant } from './fault.ts';

/** Name, file under shell/, text, what takes its place. */
type Row = readonly [name: string, file: string, find: string, replace: string];

const of = (test: string, rows: readonly Row[]): Mutant[] => rows.map(([name, file, find, replace]) => (
  { name, file: `shell/${file}.ts`, find, replace, tests: [`test/${test}.test.ts`] }
));

export const ACCOUNTING: readonly Mutant[] = [
  ...of('shell/reader/moves', [
    ['fills: a liquidation’s fee is in no row', 'reader/history/rows', 'own[i]!.fee += part;', ''],
    ['fills: the stream tells no liquidation fee', 'reader/channels/fills', 'held[i]!.fee = part;', ''],
    ['fills: the rounding remainder of a fee is lost', 'reader/history/moves',
      'fee - parts.reduce((sum, part) => sum + part, 0)', 'parts[0] ?? fee'],
    ['fills: moves are listed unasked', 'reader/history/trading-history', 'isAll: kind === \'all\'', 'isAll: true'],
    ['fills: a takeover has the side of the position', 'reader/history/moves', '> 0 ? SELL : BUY', '> 0 ? BUY : SELL'],
  ]),
  ...of('shell/reader/dealings', [
    ['competitions: each fill has the whole sum of the pair', 'reader/competitions/dealings',
      'values[COMPETITION_PAIR_VALUE]! - (before ?? 0)', 'values[COMPETITION_PAIR_VALUE]!'],
    ['competitions: a distance beyond the sum of a pair gives no adjustment', 'reader/competitions/scores',
      '(bounded > mark ? away - counted : counted - away)', '0'],
    ['competitions: a pair has one sum for each direction', 'reader/competitions/dealings',
      'wallets[0] < wallets[1] ? wallets : [wallets[1], wallets[0]]', 'wallets'],
    ['competitions: a wallet has any number of signers', 'reader/competitions/dealings',
      ' || (known?.size ?? 0) >= AGENTS_PER_WALLET', ''],
    ['competitions: a common signer does not count as one owner', 'reader/competitions/dealings', 'if (b.has(signer)) return true;', ''],
    ['competitions: a start knows nothing of the sums so far', 'reader/competitions/dealings',
      'kept.pairs.set(one + other, amount);', 'continue;'],
    ['competitions: a start knows nothing of who has signed', 'reader/competitions/dealings',
      'of signers as SignerRow[]) sign(', 'of [] as SignerRow[]) sign('],
    ['competitions: the history keeps the last amount of a pair', 'storage/history/time-series',
      'SET seq = @seq, amount = amount + @amount', 'SET seq = @seq, amount = @amount'],
    ['competitions: pairs are remembered without end', 'reader/competitions/dealings',
      '(before === undefined && this.#sum((kept) => kept.pairs.size) >= this.#most)', 'before === -1'],
  ]),
  ...of('shell/storage/history/history-store', [
    ['fills: moves are counted behind all fills of their batch', 'storage/history/history-store',
      '[...fills, ...moves].sort((a, b) => a.fillId - b.fillId)', '[...fills, ...moves]'],
    ['fills: a page of both has a move a place too early', 'storage/history/fill-pages',
      'number + moves.at(number).before <= place', 'number <= place'],
  ]),
];
