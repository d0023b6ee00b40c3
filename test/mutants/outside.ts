// Faults of one line in what protects the venue from outside: network sources, the data folder, the binaries that it loads.

import type { Mutant } from './fault.ts';

/** Name, file under shell/, text, what takes its place, file of the test, its title. */
type Row = readonly [name: string, file: string, find: string, replace: string, tests: string, title: string];

const FORWARDED = 'a forwarded loopback address is not loopback, and shares no row with real loopback';
const PICTURE = 'a request that another page caused never counts as loopback, though it names no Origin';
const NAMED = 'where every name is taken, a request by a foreign name never counts as loopback';
const REBOUND = 'a venue for this machine alone refuses every request that calls it by a foreign name, whatever it is';
const SHUT_OUT = 'the setting for pages that may call counts for sockets too, except for the venue\'s own pages';
const PAGE = 'a foreign page is never loopback, by REST or by socket, whatever Host it sends';
const OFFICE = '75 badly signed orders, or thousands, do not lock out others behind the same source';
const BULKS = 'badly signed bulks exhaust a bound on checks: then bulks are 429, and single orders still work';
const REMOVED = 'the segment is removed under a running venue: nothing more is acknowledged';
const LOG_REMOVED = 'the log of the journal is removed while the venue runs: it stops before its next answer and says why';
const LINKS = 'no file that a start writes goes through a symbolic link, whether or not its target exists';
const TAKEN = 'a folder stays locked although its lock file is removed or replaced, and the file is restored';
const EXCHANGED = 'a replaced binary of uWebSockets.js is never loaded: the start is refused and names the file';
const COMPILED = 'a binary that was compiled on this machine is refused';

const ROWS: readonly Row[] = [
  [
    'a forwarded loopback address is loopback', 'http/source', 'return withoutLoopback(sourceOfAddress(', 'return (sourceOfAddress(',
    'shell/http/source', FORWARDED,
  ],
  [
    'a page of a stranger is loopback', 'http/server/peer', "(origin === '' || origins.has(origin)) && OWN", 'OWN',
    'shell/http/server/origin', PAGE,
  ],
  [
    'a picture in a page of a stranger is loopback', 'http/server/peer', "OWN_SITES.includes(req.getHeader('sec-fetch-site'))", 'true',
    'shell/http/server/hosts', PICTURE,
  ],
  [
    'a name pointed here is loopback', 'http/server/peer', "isOwn && hosts.isTrusted(req.getHeader('host'))", 'isOwn',
    'shell/http/server/hosts', NAMED,
  ],
  [
    'a name pointed here is served', 'http/server/take-request', "misframed ?? context.trust.hosts.refusalOf(req.getHeader('host'))",
    'misframed', 'shell/http/server/hosts', REBOUND,
  ],
  [
    'any page opens sockets', 'http/server/sockets', '!mayOpenSocket(req, edge.cors, edge.trust)', 'false',
    'shell/http/server/hosts', SHUT_OUT,
  ],
  [
    'a page of a stranger has a socket of loopback', 'http/server/peer', "req.getHeader('origin');\n  const isOwn",
    "(req.getHeader('upgrade') === '' ? req.getHeader('origin') : '');\n  const isOwn", 'shell/http/server/origin', PAGE,
  ],
  [
    'bad signatures shut out their source', 'http/limits', 'amount: 2 * SOURCE_REQUESTS', 'amount: 600',
    'shell/api/limits', OFFICE,
  ],
  [
    'bad signatures in bulks cost nothing', 'api/submit', 'failuresSpent(source, this.#isBulk)', 'failuresSpent(source, false)',
    'shell/api/limits', BULKS,
  ],
  ['binaries are not looked at', 'process/main', '    requireKnownBinaries();\n', '', 'shell/process/native-binaries', EXCHANGED],
  [
    'a binary that is not known passes', 'process/native-binaries', 'if (sha256 === own) return;',
    'if ((own ?? sha256) === sha256) return;',
    'shell/process/native-binaries', COMPILED,
  ],
  [
    'a removed journal is written on', 'storage/journal/writer', '      this.#requireUnchanged(this.#watched.changedFile());\n', '',
    'shell/storage/journal/watched-file', REMOVED,
  ],
  [
    'commits of a removed WAL are lost', 'storage/journal/writer', 'if (this.#watched.file.fault() === null) run',
    'if (this.#watched.file.fault() !== null) run', 'shell/process/displaced', LOG_REMOVED,
  ],
  ['the write test follows a link', 'storage/journal/writable-check',
    '  fs.rmSync(path, { force: true });\n', '', 'shell/storage/journal/watched-file', LINKS],
  ['the admin token is read through a link', 'storage/journal/venue-identity', '  refuseSymbolicLink(path);\n', '',
    'shell/storage/journal/watched-file', LINKS],
  [
    'a removed lock file opens the folder', 'storage/journal/lock', 'await acquireName(`folder-${dev}-${ino}`)', '() => undefined',
    'shell/storage/journal/kill', TAKEN,
  ],
];

export const OUTSIDE: readonly Mutant[] = ROWS.map(([name, file, find, replace, tests, title]) => (
  { name: `outside: ${name}`, file: `shell/${file}.ts`, find, replace, tests: [`test/${tests}.test.ts`], title }
));
