// Faults of one line in the rules of the replicated log, each most found by the explorer that tries every order of events.

import type { Mutant } from './fault.ts';

/** Name, file under shell/storage/replication/, text, what takes its place, file of the test, its title. */
type Row = readonly [name: string, file: string, find: string, replace: string, test: string, title: string];

const EXPLORER = 'cluster/explorer/explorer';
const RULE = 'shell/storage/replication/reader-rule';
const FRAMES = 'no order of frames, takeovers, lost answers and late appends breaks an invariant';
const PRESENT = 'no order of events with reads breaks an invariant';
const RESIGNS = 'no order with a leader that resigns breaks an invariant';
const MISREAD = 'a read that comes wrong once breaks no invariant';
const ELSEWHERE = 'an append that lands at another position than it was sent for breaks no invariant';
const CALM = 'three nodes on random paths agree, and go on when the faults end';
const LOSSES = 'three nodes on random paths with a log that loses its end halt by name';

const ROWS: readonly Row[] = [
  [
    'a message without its predecessor is accepted', 'reader-rule', 'if (message.prev === state.head) return isInTurn',
    'if (message.epoch >= state.epoch) return isInTurn', RULE,
    'a message that does not follow the newest accepted one is stale and counted',
  ],
  [
    'a late message of a deposed leader halts the others', 'reader-rule', 'if (state.accepted.has(message.prev))', 'if (false)',
    RULE, 'a message that does not follow the newest accepted one is stale and counted',
  ],
  [
    'a message for another position is accepted', 'reader-rule', 'if (at !== state.next) return false;', '', RULE,
    'a message that was meant for another position is not accepted',
  ],
  [
    'the log is not read again after an unknown message', 'reader-rule', 'if (state.unknown === next)', 'if (true)', RULE,
    'a message after an unknown one is read again from the newest accepted one, and halts the second time',
  ],
  [
    'a message that builds on an unknown one is passed over', 'reader-rule', 'state.unknown = next;', 'return skipStale(state);',
    EXPLORER, LOSSES,
  ],
  [
    'a node leads past a position that it could not read', 'reader-rule', 'if (state.next > state.position) state.unreadable =',
    'if (state.next < 0) state.unreadable =', EXPLORER, MISREAD,
  ],
  [
    'a leader goes on past a position that it could not read',
    'replica', 'if (isWithinLease(replica.confirmed, now)) replica', 'if (true) replica',
    EXPLORER, MISREAD,
  ],
  [
    'an unreadable message makes every leader stop', 'replica', 'if (isWithinLease(replica.confirmed, now)) replica',
    'if (false) replica', 'cluster/fake/cases', 'a frame of somebody without the key is passed over by all, and the leader goes on',
  ],
  [
    'a node with a new name finds no room for good', 'heartbeat', 'if (gone === undefined) return;', 'return;',
    'shell/storage/replication/heartbeat', 'a node that was not heard for two seconds makes room for one with a new name',
  ],
  [
    'a node leads past what another has accepted', 'takeover', 'if (reader.position < heard) return false;', '', 'cluster/fake/cases',
    'a node that was behind does not lead past what another said it has accepted and the log has lost',
  ],
  [
    'what others have accepted is forgotten at a restart', 'replica', 'lastHeartbeat: NEVER, heard }', 'lastHeartbeat: NEVER, heard: 0 }',
    'cluster/fake/cases', 'a node that was behind does not lead past what another said it has accepted and the log has lost',
  ],
  [
    'what is appended again begins no epoch', 'append-lost', 'let kind: Kind = \'lead\';', 'let kind: Kind = \'frame\';',
    'cluster/nodes/two-nodes', 'what the log has lost is appended to it again from a journal, and every node reads the same frames',
  ],
  [
    'a journal beyond its log is not noticed', 'cluster-log', 'written > this.#node!.state.reader.seq ?', 'written < 0 ?',
    'cluster/nodes/two-nodes', 'a node alone whose journal goes on where the log has ended knows it, and does not lead',
  ],
  [
    'a node counts as ready before it has what others have', 'catch-up', '#rounds = 2', '#rounds = 1', 'shell/storage/replication/catch-up',
    'a node has caught up with the end of the log, then with what it heard by then, and stays so',
  ],
  [
    'a node that is behind reads one position after the other', 'log-node', 'Math.min(READ_AHEAD, ', 'Math.min(1, ', 'cluster/fake/cases',
    'a node that is far behind reads several positions at once',
  ],
  ['an answer for another position counts', 'append', 'result.position === message.at && ', '', EXPLORER, ELSEWHERE],
  [
    'the end of the log is never too low', 'append', 'result.last >= message.at - 1', 'result.last >= 0', 'cluster/fake/cases',
    'a log that lost its end halts the leader that reads on, with the seqs',
  ],
  [
    'a message counts from its newest attempt', 'append', 'if (last?.at !== reader.next) state.sent', 'state.sent.pop(), state.sent',
    'shell/storage/replication/replica', 'a message that was sent twice to one position counts from its first attempt',
  ],
  ['a lease counts from the acceptance', 'replica', 'Math.max(replica.confirmed, sent.time)', 'now', EXPLORER, FRAMES],
  [
    'a repeated LEAD starts a lease', 'replica', 'if (isOwn && sent !== null && message.kind !== \'lead\')', 'if (isOwn && sent !== null)',
    EXPLORER, 'no order of first takeovers, lost answers and late appends breaks an invariant',
  ],
  ['a lease longer than the wait', 'confirmed', 'const LEASE_MS = 1_000', 'const LEASE_MS = 3_000', EXPLORER, PRESENT],
  ['a takeover does not wait', 'takeover', 'now - lastNews >= WAIT_MS', 'now >= lastNews', EXPLORER, PRESENT],
  ['a new message does not restart the wait', 'replica', 'waiting.lastNews = now;\n  const sent', 'const sent', EXPLORER, PRESENT],
  [
    'a leader that resigns goes on answering', 'replica', 'return isLeading && !isResigning && halted === null && isWithinLease',
    'return isLeading && isWithinLease', EXPLORER, RESIGNS,
  ],
  [
    'a deposed leader believes that it leads', 'replica', 'replica.isLeading = isSame(reader.owner, me);',
    'replica.isLeading ||= isSame(reader.owner, me);', 'cluster/fake/cases',
    'a leader that is stopped and goes on after a takeover is deposed, answers no read of the present, and follows',
  ],
  ['after a resignation the old leader may append', 'reader-rule', 'state.owner = null;', 'state.owner = state.owner;', EXPLORER, CALM],
  [
    'a deposed leader keeps its pending frame', 'append', 'state.pending = null;\n  state.quietSince = now;', 'state.quietSince = now;',
    EXPLORER, CALM,
  ],
  [
    'a frame of another version is applied', 'replica', 'return first === 0 || (behaviour', 'return true || (behaviour',
    'shell/storage/replication/replica', 'a frame of another version halts the node before it is handed on',
  ],
  [
    'an acknowledgement of other bytes counts', 'jetstream', ' || duplicate === true', '', 'shell/storage/replication/jetstream',
    'an answer that is not for these bytes at the end proves nothing',
  ],
  [
    'a refusal without an end is one of an empty log', 'jetstream', 'return last === undefined ? { type: \'unknown\' } : ', 'return ',
    'shell/storage/replication/jetstream', 'an answer that is not for these bytes at the end proves nothing',
  ],
  [
    'a node with another chain goes on', 'heartbeat', 'reader.accepted.has(head)) return null;', 'head !== \'\') return null;',
    'shell/storage/replication/heartbeat',
    'a node whose head was never accepted here holds another chain, unless it is ahead or too far behind to tell',
  ],
  [
    'one late heartbeat makes a leader resign', 'heartbeat', 'now - offSince >= forMs', 'now - offSince >= 0',
    'shell/storage/replication/heartbeat',
    'heartbeats that come late in one go do not make a leader think that its clock is off, a wrong clock does',
  ],
  [
    'a node whose clock is off leads', 'heartbeat', 'return differ > present.length - differ + 1;', 'return false;', 'cluster/fake/cases',
    'a node whose clock is an hour ahead does not lead',
  ],
  [
    'a journal of another history is taken for the log\'s', 'cluster-log', 'const isSame = known.holdsNext(first, last, bytes);',
    'const isSame = bytes.length > 0;', 'cluster/nodes/two-nodes',
    'a journal that holds something else than the log halts its node by name, whether it is shorter than the log or longer',
  ],
  [
    'a full log deposes its leader', 'append', 'return pending !== null && !isFull && now', 'return pending !== null && now',
    'cluster/fake/cases', 'a log without room refuses new numbers, deposes nobody, and goes on when there is room',
  ],
  [
    'a read through the log asks nothing of it', 'log-node', 'if (isConfirmedSince(this.#replica.confirmedId, taken)) return true;',
    'return true;', 'cluster/fake/cases', 'a read through the log is told only after something newer was accepted',
  ],
  [
    'seqs of the log may leave some out', 'reader-rule', 'first > 0 && first !== state.seq + 1', 'first > 0 && first <= state.seq', RULE,
    'a frame in turn whose seqs do not follow halts',
  ],
  [
    'a node waits for a message that has left the log', 'reader-rule', 'position < firstPosition ? position + 1 : position',
    'position', 'cluster/fake/cases', 'nodes that all stopped before every message left the log go on with what they have',
  ],
  [
    'what is missing after the newest message is taken for age', 'reader-rule',
    'state.next === state.position && next === state.position + 1', 'state.next === state.position', 'shell/storage/replication/replica',
    'the newest accepted message may have left the log with age, alone, also after the start; what follows it may not',
  ],
  [
    'an idle leader lets its lease end', 'log-node', 'now - confirmed >= LEASE_MS / 2', 'now < confirmed', 'cluster/fake/cases',
    'an idle leader goes on leading',
  ],
];

export const REPLICATION: readonly Mutant[] = ROWS.map(([name, file, find, replace, test, title]) => (
  { name, file: `shell/storage/replication/${file}.ts`, find, replace, tests: [`test/${test}.test.ts`], title }
));
