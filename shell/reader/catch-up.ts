// The reader's start: a snapshot no newer than the history, then the journal up to where main's own recovery ended. Rows are
// made only for what the history lacks. A history that lacks what another behaviour of the core has journaled begins where this
// behaviour does, at the oldest snapshot that it can go on from: what was before is not computed again. Digests that the
// journal holds are compared on the way. Nothing else may start: when it throws, the venue does.

import { SEQ, type State } from '../../core/engine/state.ts';
import type { Limits } from '../../core/limits.ts';
import type { HistoryQuery, LastPriceRow, TradedRow, TradeRow } from '../history/protocol.ts';
import { BEHAVIOUR } from '../../core/version.ts';
import { readDigests } from '../journal/digests.ts';
import { readFrames } from '../journal/read.ts';
import { listSnapshots, type SnapshotDamage } from '../journal/snapshot-read.ts';
import { recover } from '../recovery.ts';
import { Reader, type ReaderOptions } from './reader.ts';
import { BUCKET, bucketsOfDay, LAST_PRICES, Statistics } from './market/statistics.ts';

type ReaderRecovery = Omit<ReaderOptions, 'state'> & {
  readonly dataFolder: string;
  readonly limits: Limits;
  /** Where main's recovery ended: what follows comes by the log. */
  readonly recoverTo: number;
  /** Seqs that main passed over. */
  readonly skip: readonly number[];
  /** Called between frames while the history is to take rows before more are made. Must deliver its messages to the link. */
  readonly awaitHistory: (reader: Reader) => void;
  /** Told of each frame by the last seq that has been applied. */
  readonly onProgress?: (seq: number) => void;
  /** True: to be left as it is. */
  readonly isLeft?: () => boolean;
  /** Told of a snapshot that is no good, before it is set aside. */
  readonly onSnapshotDamage?: (damage: SnapshotDamage) => void;
};

type RecoveredReader = { readonly reader: Reader; readonly snapshotSeq: number };

export function recoverReader(options: ReaderRecovery): RecoveredReader {
  const { dataFolder, limits, recoverTo, skip, awaitHistory } = options;
  let reader: Reader | null = null;
  const { state, snapshotSeq } = recover({
    dataFolder, limits, snapshotUpTo: startingPoint(dataFolder, options.historySeq), toSeq: recoverTo, skip,
    ...(options.isLeft !== undefined && { isLeft: options.isLeft }),
    ...(options.onSnapshotDamage !== undefined && { onSnapshotDamage: options.onSnapshotDamage }),
    onState: (fresh) => {
      reader = startOver(options, fresh, reader);
      if (recoverTo > reader.applied) for (const digest of readDigests(dataFolder, reader.applied + 1)) reader.digests.other(digest);
    },
    onRecord: (_, views, at) => {
      reader!.settle();
      while (!reader!.isReady(views, at)) awaitHistory(reader!);
      reader!.begin(views, at);
    },
    onProgress: (seq) => {
      options.onProgress?.(seq);
      reader!.settle();
      reader!.history.send();
      while (reader!.rows.isFull) awaitHistory(reader!);
    },
  });
  if (reader === null) throw new Error('recovery made no state');
  const made: Reader = reader;
  made.settle();
  made.standUp();
  if (state.clock[SEQ] !== recoverTo) throw new Error(`the reader recovered to seq ${state.clock[SEQ]}, main to ${recoverTo}`);
  return { reader: made, snapshotSeq };
}

/** The newest seq at which a snapshot to begin with may stand. */
function startingPoint(dataFolder: string, historySeq: number): number {
  const ofThisBehaviour = (seq: number): boolean => {
    const frames = readFrames(dataFolder, seq + 1);
    try {
      const frame = frames.next();
      return frame.done === true || frame.value.behaviour === BEHAVIOUR;
    } finally {
      // One frame is enough: what is not read to its end would keep the segment open, and its write-ahead log as it is.
      frames.return(undefined);
    }
  };
  if (ofThisBehaviour(historySeq)) return historySeq;
  const found = listSnapshots(dataFolder).reverse().find(({ seq }) => seq > historySeq && ofThisBehaviour(seq));
  return found?.seq ?? historySeq;
}

/**
 * A second attempt leaves out a command that failed. The statistics have counted what came before it: the first one hands all of that
 * to the history, and it is not made again.
 */
function startOver(options: ReaderRecovery, state: State, before: Reader | null): Reader {
  if (before === null) return new Reader({ ...options, state });
  const { rows, history } = before;
  history.send();
  while (rows.stored < history.sentSeq) options.awaitHistory(before);
  return new Reader({ ...options, state, historySeq: rows.stored });
}

/**
 * The statistics of the day that ends with the newest trade of the history: one question for each half hour, so that none is long.
 * A day of a million trades takes two to four seconds, the last prices of a hundred thousand contracts one at most.
 */
export async function statisticsOf(ask: (query: HistoryQuery) => Promise<readonly object[]>): Promise<Statistics> {
  const statistics = new Statistics();
  const lasts = await ask({ name: 'lastPrices', limit: LAST_PRICES }) as readonly LastPriceRow[];
  for (const { symbol, price } of lasts.toReversed()) statistics.setLast(symbol, price);
  const [newest] = await ask({ name: 'trades', limit: 1, skip: 0 }) as readonly TradeRow[];
  for (const start of newest === undefined ? [] : bucketsOfDay(newest.time)) {
    const rows = await ask({ name: 'traded', from: start, to: start + BUCKET }) as readonly TradedRow[];
    for (const row of rows) statistics.restore(start, row);
  }
  return statistics;
}
