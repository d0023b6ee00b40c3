// The reader's start: a snapshot no newer than the history, then the journal up to where main's own recovery ended. Rows are
// made only for what the history lacks. A history that lacks what another behaviour of the core has journaled begins where this
// behaviour does, at the oldest snapshot that it can go on from: what was before is not computed again. Digests that the
// journal holds are compared on the way. Nothing else may start: when it throws, the venue does.

import { SEQ, type State } from '../../core/engine/state.ts';
import type { Limits } from '../../core/limits.ts';
import type { HistoryQuery, LastPriceRow, TradeTotalsRow, TradeRow } from '../storage/history/protocol.ts';
import { BEHAVIOUR } from '../../core/version.ts';
import { readDigests } from '../storage/journal/digests.ts';
import { listSegments, readMetaOf } from '../storage/journal/segment.ts';
import { listSnapshots, type SnapshotDamage } from '../storage/journal/snapshot-read.ts';
import { recover } from '../storage/recovery.ts';
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
  readonly isCancelled?: () => boolean;
  /** Told of a snapshot that is no good, before it is set aside. */
  readonly onSnapshotDamage?: (damage: SnapshotDamage) => void;
};

type RecoveredReader = { readonly reader: Reader; readonly snapshotSeq: number };

export function recoverReader(options: ReaderRecovery): RecoveredReader {
  const { dataFolder, limits, recoverTo, skip, awaitHistory } = options;
  let reader: Reader | null = null;
  const { state, snapshotSeq } = recover({
    dataFolder, limits, snapshotUpTo: startingPoint(options), toSeq: recoverTo, skip,
    ...(options.isCancelled !== undefined && { isCancelled: options.isCancelled }),
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

/** The newest seq at which a snapshot to begin with may stand: all that follows it was journaled by this behaviour. */
function startingPoint({ dataFolder, historySeq, recoverTo }: ReaderRecovery): number {
  const before = ownFrom(dataFolder, historySeq, recoverTo) - 1;
  if (before <= historySeq) return historySeq;
  return listSnapshots(dataFolder).reverse().find(({ seq }) => seq >= before)?.seq ?? historySeq;
}

/**
 * From where on the journal is this behaviour's up to `end`, looking no farther back than the history needs. What lies before may be
 * its own again, where an upgrade was taken back.
 */
function ownFrom(dataFolder: string, historySeq: number, end: number): number {
  let from = end + 1;
  for (const segment of listSegments(dataFolder).reverse()) {
    if (from <= historySeq + 1) break;
    const { behaviour, firstSeq } = readMetaOf(dataFolder, segment);
    // A start that was refused later may have made one in which nothing stands.
    if (firstSeq > end) continue;
    if (behaviour !== BEHAVIOUR) break;
    from = firstSeq;
  }
  return from;
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
    const rows = await ask({ name: 'tradeTotals', from: start, to: start + BUCKET }) as readonly TradeTotalsRow[];
    for (const row of rows) statistics.restore(start, row);
  }
  return statistics;
}
