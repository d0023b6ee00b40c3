// The house in tables: which folder may import which, what the core may call, who may touch the world, how long things get.
// Each table has a reader in this folder; a new layer, an exact path or a way out of the process is entered here, with its reason.

/** Layers of core/ and shell/, lowest first; a row imports from rows above it here and, without a circle, from its own. */
export const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  core: [
    ['assert', 'units', 'limits', 'errors', 'math', 'version', 'columns', 'settings'],
    ['codec'],
    ['instruments', 'accounts', 'ledger', 'positions', 'tiers', 'nonces', 'account-streams', 'streams'],
    ['book'],
    ['orders'],
    ['pricing'],
    ['valuation'],
    ['margin'],
    ['mmp', 'safety'],
    ['trading'],
    ['lifecycle', 'registry'],
    ['engine'],
    ['snapshot'],
    ['sequencer'],
  ],
  shell: [
    [
      'process/commands',
      'process/clock', 'process/v8-flags', 'process/fair-queue', 'process/wrapping-id-table', 'process/bad-setting', 'process/json-object',
      'process/venue-commands', 'ipc', 'api/auth', 'http/hex', 'http/limits', 'http/quota', 'http/shapes', 'feeds/upstream',
      'storage/abstract-socket',
      'storage/journal', 'storage/history', 'storage/backup',
      'storage/replication',
    ],
    [
      'process/setting-values', 'process/scenario-file', 'process/settings-file',
      'process/rate-table', 'process/open-files', 'process/start-refusal', 'process/observability',
      'storage', 'feeds',
    ],
    ['process/cluster-settings'],
    ['process/broker-options'],
    ['process/config', 'process/fatal', 'process/native-binaries', 'process/port', 'http', 'http/bodies'],
    ['process/wiring', 'process/clock-steps', 'process/banner', 'process/demo', 'process/join-log', 'process/scenario', 'http/server'],
    ['reader/micro', 'reader/text', 'reader/ascii', 'reader/answers', 'reader/read-guard'],
    ['reader/account'],
    ['reader/market'],
    ['reader/history'],
    ['reader/competitions'],
    ['reader/channels'],
    ['reader', 'api'],
    ['api/routes'],
    ['ws'],
    ['describe'],
    ['process/threads'],
    ['process/market', 'process/operator', 'process/follow', 'process/venue'],
    ['process/main'],
    ['process/start'],
  ],
};

/** Folders of code, and which of them each may import; the core imports nothing but itself. */
export const AREAS: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  shell: ['core', 'shell'],
  client: ['core', 'shell', 'client'],
  bench: ['core', 'shell', 'client', 'bench', 'test', 'scripts'],
  test: ['core', 'shell', 'client', 'bench', 'test', 'scripts'],
  scripts: ['core', 'shell', 'client', 'bench', 'test', 'scripts'],
};

/** Where the client library is, and all it may reach beside its own files and tables of core and shell: it runs in a browser. */
export const LIBRARY = 'client/src/';
export const LIBRARY_MAIN = 'client/src/main.ts';
export const LIBRARY_PACKAGES = new Set(['@noble/curves', '@noble/hashes']);

/**
 * The trading page: it reaches the venue through the client library alone, the core only in `whatif`. Nothing but tests imports it.
 */
export const TERMINAL = 'client/terminal/';
export const TERMINAL_MAY_IMPORT = [TERMINAL, LIBRARY];
/** Beside the core, the reader's own view of an account, so that the page has no second one. */
export const WHATIF = {
  folder: 'client/terminal/whatif/',
  mayImport: [
    TERMINAL, LIBRARY, 'core/', 'shell/reader/account/', 'shell/reader/market/contract-greeks.ts', 'shell/reader/market/volatility.ts',
  ],
};
export const TERMINAL_PACKAGES = new Set(['preact', '@preact/signals', 'uplot']);

/** Files that are started; a file that is reached from none of these is dead. Workers are reached by their path in a string. */
export const ENTRIES = [
  /^shell\/process\/(start\.js|main\.ts)$/, /^shell\/process\/threads\/(api|checkpointer|feed|history|journal|reader)\.ts$/,
  /^client\/(src\/main\.ts|terminal\/main\.tsx)$/, /^(scripts|bench)\/[^/]+\.ts$/, /^test\/.+\.test\.ts$/,
];

/** Global names the core may use: what gives the same answer in every engine. */
export const CORE_GLOBALS = new Set([
  'undefined', 'NaN', 'Infinity', 'Math', 'Number', 'String', 'Boolean', 'Array', 'Object', 'Error', 'RangeError', 'TypeError',
  'ArrayBuffer', 'DataView', 'Int8Array', 'Uint8Array', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
  'Float32Array', 'Float64Array', 'TextEncoder', 'TextDecoder',
]);

/** Of these globals, only the members whose results IEEE 754 or the language fixes to the last bit, and whose order is fixed. */
export const CORE_MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  Math: new Set(['floor', 'ceil', 'round', 'trunc', 'abs', 'min', 'max', 'sqrt', 'imul', 'clz32', 'fround', 'sign']),
  Number: new Set([
    'isSafeInteger', 'isInteger', 'isFinite', 'isNaN', 'MAX_SAFE_INTEGER', 'MIN_SAFE_INTEGER', 'MAX_VALUE', 'MIN_VALUE', 'EPSILON',
    'POSITIVE_INFINITY', 'NEGATIVE_INFINITY', 'NaN',
  ]),
  // The order of an object's values is fixed where no name is a number.
  Object: new Set(['freeze', 'is', 'values']),
};

/** Methods of any object that depend on the locale, on the engine, or print floats. */
export const CORE_BANNED_METHODS = new Set([
  'toFixed', 'toPrecision', 'toExponential', 'toLocaleString', 'toLocaleUpperCase', 'toLocaleLowerCase', 'localeCompare', 'parseFloat',
]);

/** Files of the core where BigInt is allowed: two-limb totals and cold exact paths. */
export const CORE_BIGINT = new Set(['core/ledger/wide.ts', 'core/margin/exact-value.ts']);

/** Files of the core that keep something between calls outside of the state: the memory that columns are cut from, when one is made. */
export const CORE_KEEPS = new Set(['core/columns.ts']);

/** Files of the core that may catch: none, a refusal is a code. */
export const CORE_CATCH = new Set<string>([]);

/** Expressions and packages of shell/ and core/ with one home each; `home` is a file, or a folder ending in a slash. */
export const HOMES: readonly { readonly what: readonly string[]; readonly home: readonly string[] }[] = [
  { what: ['Date.now', 'new Date()', 'Date()', 'performance', 'process.hrtime'], home: ['shell/process/clock.ts'] },
  // It also measures the garbage collector and the event loop, which is not venue time.
  { what: ['node:perf_hooks'], home: ['shell/process/clock.ts', 'shell/process/observability/'] },
  // start.js passes its arguments on.
  { what: ['process.env', 'process.argv', 'node:process'], home: ['shell/process/config.ts', 'shell/process/start.js'] },
  { what: ['better-sqlite3', 'node:sqlite'], home: ['shell/storage/'] },
  { what: ['@nats-io/transport-node', '@nats-io/nats-core'], home: ['shell/storage/replication/'] },
  { what: ['uWebSockets.js'], home: ['shell/http/server/'] },
  { what: ['Atomics', 'SharedArrayBuffer'], home: ['shell/ipc/'] },
  {
    what: ['process.exit', 'process.kill', 'process.abort', 'process.reallyExit'],
    home: ['shell/process/start.js', 'shell/process/main.ts', 'shell/process/fatal.ts'],
  },
];

/** Tests take this package from one file, so that a run means the same each time. */
export const SEEDED = { what: 'fast-check', home: 'test/support/fast-check.ts' };

/** Lines of a file, lines of a function, columns of a line; characters of a head comment that has one line only. */
export const FILE_LINES = 400;
export const FUNCTION_LINES = 70;
export const COLUMNS = 140;
export const HEAD_CHARS = 80;

/** Prose lines of a file's head, words of a sentence in it or before an export, characters of a commit's subject. */
export const HEAD_LINES = 8;
export const SENTENCE_WORDS = 30;
export const SUBJECT_CHARS = 72;
/** Subjects of the commits after this one are checked. */
export const SUBJECTS_SINCE = '7720e33';

/** Lines of a document without its generated tables. */
export const DOCUMENT_LINES: Readonly<Record<string, number>> = {
  'README.md': 120, 'docs/TRADING.md': 400, 'docs/OPERATIONS.md': 300, 'docs/ARCHITECTURE.md': 250, 'docs/RELIABILITY.md': 200,
  'docs/PERFORMANCE.md': 200, 'docs/GLOSSARY.md': 80,
};

/** Documents that a command writes as a whole. */
export const GENERATED_DOCUMENTS: ReadonlySet<string> = new Set(['docs/CONFORMANCE.md']);

/** Phrases that are hard to understand at first reading. */
export const BANNED_PHRASES: readonly RegExp[] = [
  /\b(?<!there )is none\b/i, /\bno safe integer\b/i, /\bstanding by\b/i, /\bdoomed\b/i,
  /\bshields? nobody\b/i, /\bis told why\b/i, /\bnobody is told\b/i, /\bfor their sake\b/i, /\bone comes so far\b/i,
];
