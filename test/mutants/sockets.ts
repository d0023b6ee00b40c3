// Faults of one line in the sockets of clients: what is counted of what they send, and what they are sent. Each is caught by one of
// the tests named beside it.

import type { Mutant } from './fault.ts';

/** Name, file under shell/, text, what takes its place, tests. */
type Row = readonly [name: string, file: string, find: string, replace: string, ...tests: readonly string[]];

const ROWS: readonly Row[] = [
  [
    'pings are no messages', 'edge/sockets', 'if (!this.#takeFrame(bytes) || !this.countMessage()) return;',
    'if (!this.#takeFrame(bytes)) return;', 'edge/control-frames',
  ],
  [
    'pongs are no messages', 'edge/sockets', 'if (this.#takeFrame(bytes)) this.countMessage();', 'this.#takeFrame(bytes);',
    'edge/control-frames',
  ],
  ['pings have no bytes', 'edge/sockets', 'ping(message.byteLength)', 'ping(0)', 'edge/control-frames'],
  ['pongs have no bytes', 'edge/sockets', 'pong(message.byteLength)', 'pong(0)', 'edge/control-frames'],
  [
    'short frames cost their source nothing', 'edge/sockets', 'Math.max(bytes, bounds.frameBytes)', 'bytes', 'edge/control-frames',
  ],
  [
    'pongs that are not read fill the memory', 'edge/sockets', 'if (this.bufferedBytes() > STREAM_BACKLOG) this.close(1008,',
    'if (this.bufferedBytes() < 0) this.close(1008,', 'edge/control-frames',
  ],
];

export const SOCKETS: readonly Mutant[] = ROWS.map(([name, file, find, replace, ...tests]) => (
  { name: `sockets: ${name}`, file: `shell/${file}.ts`, find, replace, tests: tests.map((test) => `test/${test}.test.ts`) }
));
