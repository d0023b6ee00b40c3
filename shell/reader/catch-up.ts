// Starts the reader: loads a snapshot not newer than the history and replays the journal to where main's recovery
// ended. Rows are made only for commands that the history lacks. Commands of another BEHAVIOUR are skipped if a later
// snapshot exists; the history then begins there.

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
  readonly recoverTo: number;
  readonly skip: readonly number[];
  /** Must deliver the history's messages to the link. */
  readonly awaitHistory: (reader: Reader) => void;
  readonly onProgress?: (seq: number) => void;
  readonly isCancelled?: () => boolean;
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
      reader!.finish();
      while (!reader!.isReady(views, at)) awaitHistory(reader!);
      reader!.begin(views, at);
    },
    onProgress: (seq) => {
      options.onProgress?.(seq);
      reader!.finish();
      reader!.history.send();
      while (reader!.rows.isFull) awaitHistory(reader!);
    },
  });
  if (reader === null) throw new Error('recovery made no state');
  const made: Reader = reader;
  made.finish();
  made.endRecovery();
  if (state.clock[SEQ] !== recoverTo) throw new Error(`the reader recovered to seq ${state.clock[SEQ]}, main to ${recoverTo}`);
  return { reader: made, snapshotSeq };
}

function startingPoint({ dataFolder, historySeq, recoverTo }: ReaderRecovery): number {
  const before = firstSeqOfBehaviour(dataFolder, historySeq, recoverTo) - 1;
  if (before <= historySeq) return historySeq;
  return listSnapshots(dataFolder).reverse().find(({ seq }) => seq >= before)?.seq ?? historySeq;
}

function firstSeqOfBehaviour(dataFolder: string, historySeq: number, end: number): number {
  let from = end + 1;
  for (const segment of listSegments(dataFolder).reverse()) {
    if (from <= historySeq + 1) break;
    const { behaviour, firstSeq } = readMetaOf(dataFolder, segment);
    // A start that failed may have left an empty segment.
    if (firstSeq > end) continue;
    if (behaviour !== BEHAVIOUR) break;
    from = firstSeq;
  }
  return from;
}

/** The statistics include what came before it, so those rows are stored first. */
function startOver(options: ReaderRecovery, state: State, before: Reader | null): Reader {
  if (before === null) return new Reader({ ...options, state });
  const { rows, history } = before;
  history.send();
  while (rows.stored < history.sentSeq) options.awaitHistory(before);
  return new Reader({ ...options, state, historySeq: rows.stored });
}

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
