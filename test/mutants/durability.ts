// Faults of one line in what keeps commands through a kill: the journal's log, the order of what main does, and snapshots.

import type { Mutant } from './fault.ts';

/** Name, file under shell/, text, what takes its place, file of the test, its title. */
type Row = readonly [name: string, file: string, find: string, replace: string, tests: string, title: string];

const ROWS: readonly Row[] = [
  [
    'commits behind a changed bit of the log', 'storage/journal/wal-check',
    'return commits > COMMITS_LOST_BY_POWER_CUT ? { at, commits } : null;', 'return null;',
    'shell/storage/journal/wal-check', 'a changed bit in the log is damage if two commits follow it, wherever it is',
  ],
  [
    'a copy takes a frame that does not continue its chain', 'storage/backup/copy', 'first !== head.seq + 1 || hashText(expected) !== hash',
    'first < 0', 'shell/storage/backup/backup', 'a frame that does not continue the chain, or of another venue, is refused',
  ],
  [
    'the history of a copy is of more than one moment', 'storage/backup/source', "db.exec('BEGIN; SELECT applied_seq FROM meta');", '',
    'shell/storage/backup/source', 'the history is copied as of one moment while rows are added',
  ],
  [
    'what a deposed leader takes from the log goes on to its journal', 'storage/replication/cluster-log',
    'if (this.#isLeading && !isOwn) this.#isOver = true;', '', 'cluster/nodes/two-nodes',
    'what a deposed leader had sequenced and the log has not accepted is in no journal',
  ],
  [
    'a follower passes on what is not the accepted frame', 'process/threads/follower',
    'log.views.u8.set(bytes.subarray(this.#at, this.#at + length), to);',
    'log.views.u8.set(bytes.subarray(0, length), to);', 'cluster/nodes/two-nodes',
    'a follower has the same journal, frame by frame, and the same state',
  ],
  [
    'a leader answers reads long after the log’s last acknowledgement', 'api/leadership', '| 0) < LEASE_MS;', '| 0) < 1e9;',
    'shell/api/leadership',
    'a leader answers for a second after what the log accepted last was sent, also across the end of 32 bits',
  ],
  [
    'a leader that wakes from a pause says that it leads', 'api/leadership', '() => tell(false));', '() => tell(true));',
    'shell/api/leadership',
    'who is ready to lead is told of now: not a follower, nor a leader after its second is over or without a quorum',
  ],
  [
    'a read through the log does not wait for it', 'api/leadership', 'const isTold = ((told - first.number) | 0) >= 0;',
    'const isTold = told >= 0;', 'shell/api/leadership',
    'a leader whose reads go through the log answers what it asked for before, in order, and refuses what is not told in time',
  ],
  [
    'a read does not wait for min_seq', 'http/min-seq', 'if (this.#isReached(seq)) return go();', 'if (seq >= 0) return go();',
    'shell/http/min-seq', 'a read of a command that does not come is 503 behind after a second, with what to do',
  ],
  [
    'min_seq is compared by its low word', 'process/threads/service', ' && head.read().seq >= seq, steady', ', steady',
    'shell/http/min-seq', 'a read of a command that does not come is 503 behind after a second, with what to do',
  ],
  [
    'a price waits until nothing is due', 'process/threads/main-loop', 'let done = this.#drainIndex(time);',
    'let done = nextDue(this.state) <= time ? 0 : this.#drainIndex(time);', 'shell/process/flow/fast-clock',
    'where more falls due at each step than a step can do, each price is taken and marked within a bounded number of steps',
  ],
  [
    'an hour ends after a command that comes later', 'process/threads/main-loop', 'if (endHours(this.#sequencer, time)) {', 'if (false) {',
    'shell/process/flow/funding-hour', 'a wallet that sells a perp at the full hour pays that hour\'s funding, and its buyer pays nothing',
  ],
];

export const DURABILITY: readonly Mutant[] = [
  ...ROWS.map(([name, file, find, replace, tests, title]) => (
    { name, file: `shell/${file}.ts`, find, replace, tests: [`test/${tests}.test.ts`], title }
  )),
  {
    name: 'a client stays at a node that does not lead', file: 'client/src/addresses.ts',
    find: 'if (at < 0) this.leave(asked);', replace: 'if (at < 0) return false;', tests: ['test/client/nodes.test.ts'],
    title: 'while nobody leads the nodes are asked in turn, until one does',
  },
  {
    name: 'a command is in the log before it is applied', file: 'core/sequencer/sequencer.ts',
    find: 'apply(state, log.views, to);\n  log.commit();',
    replace: 'log.commit();\n  apply(state, log.views, to);', tests: ['test/core/engine/failed-command.test.ts'],
    title: 'a command that throws when applied is not in the log',
  },
];
