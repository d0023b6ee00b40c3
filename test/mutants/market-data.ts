// Faults of one line in candles of contracts, greeks over time and the volatility index.

import type { Mutant } from './fault.ts';

/** Name, file under shell/, text, what takes its place, file of the test under test/shell/, its title. */
type Row = readonly [name: string, file: string, find: string, replace: string, tests: string, title: string];

const FLAT = 'property: a flat surface gives its own volatility to 0.02 %, from 1 % to 500 % and a minute to three years';
const SMILE = 'property: any smile gives what an exact calculation gives, to a billionth';
const STALE = 'while an expiry it needs is stale the index is null, and it has no candle of then';
const TAKEN = 'an index is taken with the first marks of five seconds: candles and messages have the same';
const NEIGHBOURS = 'the nearest expiries at or below and above 30 days count, and one alone if there is no other';
const LINEAR = 'property: between two expiries total variance is linear in time, and 30 days is between the two';
const TRADES = 'property: candles of trades have first, highest, lowest and last price and the sum of sizes, whatever the batches';
const KEPT = 'so many newest intervals are kept of each resolution, those of an index for ever, and an ended contract keeps its last';
const OTHERS = 'a kind does not show the candles of another, nor a name those of another';
const MARKS = 'candles of marks are those of the vintages, and the current one has all of its marks so far';
const DELETED = 'a contract that is deleted leaves its marks as a row at once, because its place may be used again';
const SNAPSHOT = 'each snapshot keeps the marks gathered so far, as rows of its own command, and none is written where those were sent';
const STOP = 'a clean stop hands the marks gathered so far to the history';
const CRASH = 'after a crash from a snapshot in the middle of five minutes, candles are those of a reader that never stopped';
const GREEKS = 'greeks over time are those of GET /greeks and of the book at the end of each five minutes';
const TRADE_STREAM = 'the stream of a contract\'s trades sends the candle of GET /instrument-candles after each trade, numbered as trades';
const MARK_STREAM = 'the stream of a contract\'s marks sends the candle of GET /instrument-candles, also when it held some back';
const PARTS = 'marks go out in parts, and a subscription that ended gets nothing more';
const REFUSED = 'given a contract that is deleted while a subscription waits, when it is listed again, then nothing is sent of its marks';

const [INDEX, CANDLES] = ['reader/market/vol-index', 'reader/instrument-candles'];

const ROWS: readonly Row[] = [
  [
    'a sum of the variance that is not doubled', INDEX, 'Math.sqrt(2 * sum * step / years)', 'Math.sqrt(sum * step / years)',
    'reader/vol-index', FLAT,
  ],
  ['the volatility index uses the option in the money', INDEX, 'return k >= 0', 'return k < 0', 'reader/vol-index', FLAT],
  [
    'a smile that is not seen', INDEX, 'priceOverStrike(k, sigmaAt(k) * root)', 'priceOverStrike(k, sigmaAt(0) * root)',
    'reader/vol-index', SMILE,
  ],
  [
    'an index of a stale surface', INDEX, 'expiries.length === 0 || expiries.some(({ isStale }) => isStale)',
    'expiries.length === 0', 'reader/vol-index', STALE,
  ],
  ['exactly 30 days is above', INDEX, 'expiry - time <= TENOR', 'expiry - time < TENOR', 'reader/vol-index', NEIGHBOURS],
  [
    'the share of the other expiry', INDEX, 'first!.years * (1 - share) + second.sigma ** 2 * second.years * share',
    'first!.years * share + second.sigma ** 2 * second.years * (1 - share)', 'reader/vol-index', LINEAR,
  ],
  [
    'an index with each vintage', INDEX, 'Math.floor(time / VOL_INDEX_EVERY) > Math.floor(before / VOL_INDEX_EVERY)',
    'time > before', 'reader/vol-index', TAKEN,
  ],
  [
    'a volume that is not added', 'storage/history/candle-series', 'close, volume: before.volume + volume,', 'close, volume,',
    'storage/history/candle-series', TRADES,
  ],
  [
    'candles of trades that stay in memory', 'storage/history/history-store', '      this.#candles.flush();\n      this.#prune',
    '      this.#prune', 'storage/history/candle-series', TRADES,
  ],
  [
    'old candles that are never dropped', 'storage/history/candle-series', 'if (kept < Infinity)', 'if (kept < 0)',
    'storage/history/candle-series', KEPT,
  ],
  [
    'one candle for trades and marks', 'storage/history/candle-series', 'const number = CANDLE_KINDS.indexOf(kind);',
    'const number = Math.min(2, CANDLE_KINDS.indexOf(kind));', 'storage/history/candle-series', OTHERS,
  ],
  [
    'marks that never become rows', 'reader/history/candle-parts', 'for (const part of this.marks.takeEnded(seq, time))',
    'for (const part of this.marks.takeEnded(seq, 0))', CANDLES, MARKS,
  ],
  [
    'the lowest mark is forgotten', 'reader/history/mark-candles', 'this.#low[slot] = mark;\n      }\n      this.#close',
    '}\n      this.#close', CANDLES, MARKS,
  ],
  ['a deleted contract leaves nothing', 'reader/history/candle-parts', ' || kind === INSTRUMENT_DELETED', '', CANDLES, DELETED],
  ['a snapshot without the marks so far', 'reader/loop', '    reader.keepCandles();\n', '', 'reader/snapshots', SNAPSHOT],
  ['a snapshot where the rows are gone', 'reader/loop', 'end !== reader.applied >>> 0 && ', '', 'reader/snapshots', SNAPSHOT],
  ['a stop without the marks so far', 'reader/loop', ', reader.candlesSoFar());', ');', 'reader/snapshots', STOP],
  [
    'marks of commands that the history has are not gathered', 'reader/history/candle-parts',
    '      this.marks.add(underlying, time);', '      if (needsRows) this.marks.add(underlying, time);', CANDLES, CRASH,
  ],
  [
    'the volatility of the other side', 'reader/market/greeks-cache', 'bidIv: quoted(BUY, bestBid(books, slot))',
    'bidIv: quoted(BUY, bestAsk(books, slot))', CANDLES, GREEKS,
  ],
  [
    'the stream sends each trade alone', 'reader/channels/candles',
    '      const candle = withPart(this.#newest.get(key) ?? null, part, RESOLUTIONS[resolution]);',
    '      const candle = withPart(null, part, RESOLUTIONS[resolution]);', CANDLES, TRADE_STREAM,
  ],
  [
    'a candle takes only the marks that are sent', 'reader/channels/candles',
    'if (meaning.underlying !== underlying) continue;',
    'if (meaning.underlying !== underlying || this.#waiting.has(meaning.key)) continue;', CANDLES, MARK_STREAM,
  ],
  [
    'a refused subscription keeps its candle', 'reader/stream-publisher',
    '      if (!stream.topics.byKey.has(opened.key)) stream.source.end?.(opened);\n', '', CANDLES, REFUSED,
  ],
  [
    'a part has no bound', 'reader/channels/candles', 'if (left-- === 0) return;', 'if (left-- === Infinity) return;', CANDLES,
    PARTS,
  ],
];

export const MARKET_DATA: readonly Mutant[] = ROWS.map(([name, file, find, replace, tests, title]) => (
  { name, file: `shell/${file}.ts`, find, replace, tests: [`test/shell/${tests}.test.ts`], title }
));
