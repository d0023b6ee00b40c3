// Faults of one line in the HTTP edge: what waits for clients that do not read, where a request ends, what a handshake must say.

import type { Mutant } from './fault.ts';

/** Name, file under shell/http/server/, text, what takes its place, file of the test under test/shell/http/server/, its title. */
type Row = readonly [name: string, file: string, find: string, replace: string, tests: string, title: string];

const ONE_BY_ONE = 'requests that come one by one and are never read end the connection when the system takes no more';
const PIPELINED = '1,500 pipelined requests for 78 KB that nobody reads hold one answer at most, and the connection ends';
const SOURCE = 'a source has its part of what may wait: beyond it the answer of it that waited first is cut off, and no other';
const ALL = 'beyond the bound of all the answer that waited first is cut off, whoever asks, and what is read makes room';
const BODILESS = 'answers without a body, of which nobody can tell whether they were read, keep few connections open';
const SIZES = 'answers of every size around the buffers of the web server come whole, with and without Connection: close';
const FLOOD = 'empty parts of a message that hold up the thread end the sockets of their source, which opens no other';
const TWO_LOOKS = 'a source with too much unread at two late ticks in a row is barred for a while, and no other is';
const LARGE_BODY = 'a request with a large body is the last of its connection, refused or not';
const CODING = 'every transfer coding is refused, however it is spelled';
const BEHIND = 'nothing behind a chunked request is taken: junk after a chunk, a bare line feed, bytes behind the last chunk';
const LENGTH = 'a length that is told twice, or not in digits, is 400, and nothing behind it is taken';
const HOST = 'two Host lines are 400 and end the connection';
const CLOSE = 'Connection: close is kept whatever stands behind the request: nothing of it is taken';
const HANDSHAKE = 'a handshake that is wrong is no socket: 426 with the version for another version, 400 for all else';
const COUNTED = 'a socket that is closed while its client is behind still counts, and says why when the client reads';
const GONE = 'a socket that is closed and whose client reads nothing is gone with all that waits after its time';
const BACKLOG = 'what all sockets have not read has a bound: beyond it the first that fell behind is cut off';

const ROWS: readonly Row[] = [
  [
    'what nobody reads waits in the web server', 'exchange', '[, isDone] = res.writeStatus(head).tryEnd(body, Buffer.byteLength(body));',
    'res.writeStatus(head).end(body); isDone = true;', 'unread', ONE_BY_ONE,
  ],
  ['a turn has no bound', 'turns', 'before <= this.#bounds.turnBytes', 'before <= Infinity', 'unread', PIPELINED],
  ['a source may let all of it wait', 'unread', 'new Quota(partsOf(most))', 'new Quota({ amount: most })', 'unread', SOURCE],
  ['what waits in all has no bound', 'unread', 'while (this.bytes > this.#most)', 'while (this.bytes > Infinity)', 'unread', ALL],
  ['the answer that came last is cut off', 'unread', 'this.#cut(this.#first(null))', 'this.#cut(answer)', 'unread', ALL],
  ['answers without a body are not counted', 'turns', '++this.#bodiless <=', 'this.#bodiless <=', 'unread', BODILESS],
  ['the last answer is finished for the web server', 'outgoing', 'this.isLast ? length + 1 : length', 'length', 'unread', SIZES],
  ['a large body ends no connection', 'exchange', 'if (received > bounds.largeBodyBytes) this.#closes = true;', '', 'http', LARGE_BODY],
  ['a transfer coding is taken', 'framing', 'if (codings > 0)', 'if (codings > 1)', 'smuggling', CODING],
  ['a refusal waits in the web server', 'exchange', '.padEnd(CORK_BYTES)', '', 'smuggling', BEHIND],
  ['a second length is not seen', 'framing', 'lengths > 1 || ', '', 'smuggling', LENGTH],
  ['a length in other than digits is taken', 'framing', ' || !isLength', '', 'smuggling', LENGTH],
  ['a second Host is not seen', 'framing', 'if (hosts > 1)', 'if (hosts > 2)', 'smuggling', HOST],
  [
    'the last answer is given inside the callback', 'exchange', ' && !isLast) return this.#write(', ') return this.#write(',
    'smuggling', CLOSE,
  ],
  ['of two Connection lines the last counts', 'framing', 'closes ||= value', 'closes = value', 'smuggling', CLOSE],
  ['any version of a WebSocket is taken', 'handshake', 'versions[0] !== VERSION', 'versions[0] === undefined', 'sockets', HANDSHAKE],
  ['no Upgrade is needed', 'handshake', "!UPGRADE.test(upgrades.join(','))", 'upgrades === null', 'sockets', HANDSHAKE],
  [
    'no Connection: Upgrade is needed', 'handshake', "!CONNECTION.test(connections.join(','))", 'connections === null',
    'sockets', HANDSHAKE,
  ],
  ['a second key is not seen', 'handshake', 'keys.length !== 1 || ', '', 'sockets', HANDSHAKE],
  ['any text is a key', 'handshake', '!KEY.test(keys[0]!)', 'keys[0]!.length !== 24', 'sockets', HANDSHAKE],
  ['426 names no version', 'handshake', ", 'sec-websocket-version': VERSION }", ' }', 'sockets', HANDSHAKE],
  [
    'a socket that is closed counts no more', 'sockets', 'if (this.bufferedBytes() === 0) return this.#ws.end(code, reason);',
    'if (this.bufferedBytes() >= 0) return this.#ws.end(code, reason);', 'sockets', COUNTED,
  ],
  ['a socket that is closed waits for ever', 'sockets', 'if (tick >= this.#ending.endTick)', 'if (tick < 0)', 'sockets', GONE],
  ['what sockets have not read is not counted', 'sockets', 'this.#state.backlog.set(this, this.bufferedBytes());', '', 'sockets', BACKLOG],
  [
    'parts of messages that hold up the thread cost their source nothing', 'sockets',
    'if (floods?.isBarred(this.source) === true) return this.cut();', '', 'floods', FLOOD,
  ],
  ['one late tick is enough to bar a source', 'floods', 'if (this.#suspects.has(network)) ', '', 'floods', TWO_LOOKS],
];

export const EDGE: readonly Mutant[] = ROWS.map(([name, file, find, replace, tests, title]) => (
  { name: `edge: ${name}`, file: `shell/http/server/${file}.ts`, find, replace, tests: [`test/shell/http/server/${tests}.test.ts`], title }
));
