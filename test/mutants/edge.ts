// Faults of one line in the HTTP edge: what waits for clients that do not read, where a request ends, what a handshake must say.

import type { Mutant } from './fault.ts';

/** Name, file under shell/http/server/, text, what takes its place, file of the test under test/shell/http/server/, its title. */
type Row = readonly [name: string, file: string, find: string, replace: string, tests: string, title: string];

const ONE_BY_ONE = 'a client that sends requests one by one and never reads is cut off when its TCP window is full';
const PIPELINED = '1,500 unread pipelined requests for 78 KB hold at most one answer, and the connection ends';
const SOURCE = 'beyond a source\'s share of unread bytes its oldest answer is cut off, and no other source\'s';
const ALL = 'beyond the bound on all unread bytes the oldest answer is cut off; reading makes room';
const BODILESS = 'a connection ends after a number of unreadable bodiless answers per tick';
const SIZES = 'answers of every size around the web server\'s buffers arrive whole, with and without Connection: close';
const FLOOD = 'empty fragments that hold up the thread end their source\'s sockets and bar it from new ones';
const TWO_LOOKS = 'a source with too much unread data at two late ticks in a row is barred for a while; others are not';
const LARGE_BODY = 'a request with a large body, accepted or refused, is the last of its connection';
const CODING = 'every transfer coding is refused, however it is spelled';
const BEHIND = 'after a chunked request nothing is read: no junk, bare line feed or bytes after the last chunk';
const LENGTH = 'a repeated or non-decimal Content-Length is 400, and nothing behind it is read';
const HOST = 'two Host lines are 400 and end the connection';
const CLOSE = 'Connection: close is honoured whatever follows the request: at most the pipelined one is read';
const HANDSHAKE = 'an invalid handshake is refused: 426 for another version, 400 for anything else';
const COUNTED = 'a closed socket whose client is behind still counts, and gives its reason when the client reads';
const GONE = 'a closed socket whose client reads nothing is freed with its backlog after a while';
const BACKLOG = 'the unread bytes of all sockets have a bound: beyond it the first to fall behind is cut off';

const ROWS: readonly Row[] = [
  [
    'unread answers stay in the web server', 'http-exchange',
    '[, isDone] = res.writeStatus(head).tryEnd(body, Buffer.byteLength(body));',
    'res.writeStatus(head).end(body); isDone = true;', 'unread-output', ONE_BY_ONE,
  ],
  ['bytes of a turn have no bound', 'output-budget', 'before <= this.#bounds.turnBytes', 'before <= Infinity', 'unread-output', PIPELINED],
  ['one source may use all memory of unread answers',
    'unread-output', 'new Quota(partsOf(most))', 'new Quota({ amount: most })', 'unread-output', SOURCE],
  [
    'unread answers in total have no bound', 'unread-output', 'while (this.bytes > this.#most)', 'while (this.bytes > Infinity)',
    'unread-output', ALL,
  ],
  ['the answer that came last is cut off', 'unread-output', 'this.#cut(this.#first(null))', 'this.#cut(answer)', 'unread-output', ALL],
  ['answers without a body are not counted', 'output-budget', '++this.#bodiless <=', 'this.#bodiless <=', 'unread-output', BODILESS],
  [
    'the last answer is finished for the web server', 'response-writer', 'this.isLast ? length + 1 : length', 'length',
    'unread-output', SIZES,
  ],
  [
    'a large body ends no connection', 'http-exchange', 'if (received > bounds.largeBodyBytes) this.#closes = true;', '',
    'http', LARGE_BODY,
  ],
  ['a transfer coding is taken', 'framing', 'if (codings > 0)', 'if (codings > 1)', 'smuggling', CODING],
  ['a refusal waits in the web server', 'http-exchange', '.padEnd(CORK_BYTES)', '', 'smuggling', BEHIND],
  ['a second length is not seen', 'framing', 'lengths > 1 || ', '', 'smuggling', LENGTH],
  ['a length in other than digits is taken', 'framing', ' || !isLength', '', 'smuggling', LENGTH],
  ['a second Host is not seen', 'framing', 'if (hosts > 1)', 'if (hosts > 2)', 'smuggling', HOST],
  [
    'the last answer is given inside the callback', 'http-exchange', 'if (fits && !isLast) return', 'if (fits) return',
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
  ['a closing socket waits for ever', 'sockets', 'if (tick >= this.#ending.endTick)', 'if (tick < 0)', 'sockets', GONE],
  [
    'unread bytes of sockets are not counted', 'sockets', 'this.#state.unreadMessages.set(this, this.bufferedBytes());', '',
    'sockets', BACKLOG,
  ],
  [
    'parts of messages that hold up the thread cost their source nothing', 'sockets',
    'if (floodDetector?.isBarred(this.source) === true) return this.cut();', '', 'flood-detector', FLOOD,
  ],
  ['one late tick is enough to bar a source', 'flood-detector', 'if (this.#suspects.has(network)) ', '', 'flood-detector', TWO_LOOKS],
];

export const EDGE: readonly Mutant[] = ROWS.map(([name, file, find, replace, tests, title]) => (
  { name: `edge: ${name}`, file: `shell/http/server/${file}.ts`, find, replace, tests: [`test/shell/http/server/${tests}.test.ts`], title }
));
