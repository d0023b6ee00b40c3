// Faults of one line in the sockets of clients, what is counted of what they send and what they are sent, and in the log. Each is caught
// by one of the tests named beside it.

import type { Mutant } from './fault.ts';

/** Name, file under shell/, text, what takes its place, tests. */
type Row = readonly [name: string, file: string, find: string, replace: string, ...tests: readonly string[]];

const ROWS: readonly Row[] = [
  [
    'pings are no messages', 'http/server/sockets', 'if (!this.#takeFrame(bytes) || !this.countMessage()) return;',
    'if (!this.#takeFrame(bytes)) return;', 'shell/http/server/control-frames',
  ],
  [
    'pongs are no messages', 'http/server/sockets', 'if (this.#takeFrame(bytes)) this.countMessage();', 'this.#takeFrame(bytes);',
    'shell/http/server/control-frames',
  ],
  ['pings have no bytes', 'http/server/sockets', 'ping(message.byteLength)', 'ping(0)', 'shell/http/server/control-frames'],
  ['pongs have no bytes', 'http/server/sockets', 'pong(message.byteLength)', 'pong(0)', 'shell/http/server/control-frames'],
  [
    'short frames cost their source nothing', 'http/server/sockets', 'Math.max(bytes, bounds.frameBytes)', 'bytes',
    'shell/http/server/control-frames',
  ],
  [
    'pongs that are not read fill the memory', 'http/server/sockets', 'if (this.bufferedBytes() > BOUNDS.streamBacklog) this.close(1008,',
    'if (this.bufferedBytes() < 0) this.close(1008,', 'shell/http/server/control-frames',
  ],
  [
    'all symbols and one of them bring a message twice', 'ws/connection-subscriptions',
    'if (other !== undefined && other.snapshotNumber > subscription.snapshotNumber) return;', '', 'shell/ws/overlapping',
  ],
  [
    'the older of two subscriptions delivers', 'ws/connection-subscriptions', 'other.snapshotNumber > subscription.snapshotNumber',
    'other.snapshotNumber < subscription.snapshotNumber', 'shell/ws/overlapping',
  ],
  [
    'queued messages come after the newer snapshot of all symbols', 'ws/connection-subscriptions',
    'this.#supersedeOverlapping(subscription);', ';', 'shell/ws/overlapping',
  ],
  [
    'skipped messages are lost with their subscription', 'ws/connection-subscriptions',
    'if (topic !== null) this.#handOver(subscription);', '', 'shell/ws/overlapping',
  ],
  [
    'a message of two topics reaches the first alone', 'reader/channels/source', 'second?.number ?? 0', '0', 'shell/ws/overlapping',
  ],
  [
    'a message of two topics is two', 'reader/channels/source',
    'this.sendOnce([one, all].filter((topic) => topic !== undefined), seq, typeof made === \'string\' ? Buffer.from(made) : made);',
    'for (const to of [one, all]) if (to !== undefined) this.send(to, seq, typeof made === \'string\' ? Buffer.from(made) : made);',
    'shell/ws/overlapping',
  ],
  [
    'a chain row is sent though no wanted contract has changed', 'ws/chain-index', 'if ((legs & row.changed) === 0) continue;',
    'if (legs === 0) continue;', 'shell/ws/overlapping',
  ],
  [
    'a row of the chain has the contracts of one filter', 'ws/chain-index', '(wanted.get(subscriber) ?? 0) | (some', '0 | (some',
    'shell/ws/overlapping',
  ],
  [
    'a row of the chain waits in line behind the snapshot that shows it', 'reader/channels/options-chain',
    'if (this.#waiting.delete(row)) this.#publish(row);', '', 'shell/ws/overlapping',
  ],
  [
    'a row without subscribers is sent to the next subscriber as a change', 'reader/channels/options-chain',
    'else this.#forgetSent(row);', '', 'shell/ws/overlapping',
  ],
  [
    'a filter of unlisted contracts gets a topic of its own', 'reader/channels/chain-filter',
    'day !== null && isListed(state, day) ? day : null', 'day', 'shell/reader/public-streams',
  ],
  [
    'filters of a connection name symbols without a bound', 'ws/chain-filters', 'named > chainSymbols', 'named < 0',
    'shell/ws/overlapping',
  ],
  [
    'an Error without the id of its request', 'ws/outbound-message', 'code, message, id, ...extraOf', 'code, message, ...extraOf',
    'shell/ws/errors',
  ],
  ['an Error without its code', 'ws/outbound-message', 'code, message, id, ...extraOf', 'message, id, ...extraOf', 'shell/ws/errors'],
  [
    'the reader’s refusals have one code', 'ws/topic-registry', "isCode(error) ? error : 'internal_error'", "'internal_error'",
    'shell/ws/errors',
  ],
  ['a refused message forgets its id', 'ws/connection', 'this.#error(fault, id)', 'this.#error(fault, null)', 'shell/ws/errors'],
  [
    'a follower says that what it lacks never was', 'reader/channels/resume', 'follows === true ? behind', 'follows === null ? behind',
    'shell/ws/behind',
  ],
  ['a stream of a follower goes back', 'reader/stream-publisher', 'if (isBehind) return', 'if (false) return', 'shell/ws/behind'],
  [
    'a follower that is behind refuses at once', 'ws/topic-registry', "=== 'behind' && tries > 0", "=== '' && tries > 0",
    'shell/ws/behind',
  ],
  ['a stream begins before min_seq', 'reader/stream-publisher', '[SEQ]! < minSeq)', '[SEQ]! < 0)', 'shell/ws/behind'],
  [
    'an operator’s answer names no command', 'api/routes/admin-route', 'call.responder.seq = done.seq;', '', 'shell/http/min-seq',
  ],
  ['a log line has line breaks', 'process/observability/log', 'text: inOneLine(text), ...fields',
    'text, ...fields', 'shell/describe/metrics/log'],
  [
    'the banner stands in the text of the log', 'process/main', "log('info', 'ready', text, fields, more);",
    "log('info', 'ready', text + more, fields);", 'shell/describe/metrics/log',
  ],
];

export const SOCKETS: readonly Mutant[] = ROWS.map(([name, file, find, replace, ...tests]) => (
  { name: `sockets: ${name}`, file: `shell/${file}.ts`, find, replace, tests: tests.map((test) => `test/${test}.test.ts`) }
));
