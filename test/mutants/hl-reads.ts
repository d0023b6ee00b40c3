// Faults of one line in the reads and the socket of the Hyperliquid dialect, each caught by one of the tests named
// beside it.

import type { Mutant } from './fault.ts';

type Row = readonly [name: string, file: string, find: string, replace: string, ...tests: readonly string[]];

const INFO = 'shell/api/hl/info';
const SOCKET = 'shell/ws/hl';

const ROWS: readonly Row[] = [
  [
    'a public venue serves the dialect without the flag', 'process/config',
    'return isLoopbackAddress(host) && name === DEFAULT_SERVICE_NAME;', 'return name === DEFAULT_SERVICE_NAME;', INFO,
  ],
  ['a name of every object counts as a type', 'api/hl-info/info', 'Object.hasOwn(INFO_TYPES, name)', 'name in INFO_TYPES', INFO],
  ['reads of the dialect are free', 'api/hl-info/info', '{ charge: CHARGE_API, source }', 'null', INFO],
  ['an integer price loses its last figures', 'api/hl-info/texts', 'value >= 10 ** FIGURES ? Math.round(value) : rounded', 'rounded', INFO],
  ['a bid is joined to a price above it', 'api/hl-info/market', 'side(bids, Math.floor)', 'side(bids, Math.ceil)', INFO],
  ['a candle has no trades', 'reader/history/candles', 'volume: size, trades: 1 };', 'volume: size, trades: 0 };',
    'shell/reader/instrument-candles'],
  ['a stored candle forgets its trades', 'storage/history/candle-series', 'trades = trades + @trades', 'trades = @trades',
    'shell/storage/history/candle-series'],
  ['a past hour has its rate as premium', 'reader/history/venue-rows', 'premium: f[FUNDING_PREMIUM]!', 'premium: f[FUNDING_HOURLY]!',
    'shell/reader/funding'],
  ['what is owed is not counted as paid', 'reader/market/perp-market', 'row < 0 ? 0 : pendingFunding(funding, holdings, row)', '0',
    'shell/reader/funding'],
  ['the orders used are of another class', 'process/threads/reader', 'usedBudget(orderBudgets, account, ORDERS, now())',
    'usedBudget(orderBudgets, account, ORDERS + 1, now())', 'e2e/rest/rates'],
  ['a fill starts from where it ends', 'api/hl-info/orders', 'isBuy ? fill.size : `-${fill.size}`', "'0'", INFO],
  ['a stop takes a profit', 'api/hl-info/orders', "(side === 'Buy') === (trigger.direction === 'above')", "side === 'Sell'", INFO],
  ['a longer candle ends with its first close', 'api/hl-info/market', 'close: candle.close,\n        volume', 'volume', INFO],
  [
    'a page from the oldest begins with the newest', 'storage/history/page-range',
    'if (query.isOldest === true) return [first + skip, Math.min(last, first + skip + limit - 1)];', '', 'shell/storage/history/oldest',
  ],
  ['the oldest fills come newest first', 'reader/history/ask-page', '(rows as R[]).toReversed()', '(rows as R[]).slice(1)',
    'shell/reader/oldest-fills'],
  ['an update hides that its order only reduces', 'reader/history/messages', '? terms : { ...terms, reduce_only: true }', '? terms : terms',
    'shell/reader/streams'],
  ['a reduction is told as any order', 'ws/hl/order-updates', 'request.reduce_only === true', 'false', SOCKET],
  ['a fill in the snapshot is sent again', 'ws/hl/subscription', 'if (known.size === 0) return;', 'return;', SOCKET],
  [
    'two subscriptions to the same', 'ws/hl/connection', 'if (this.#subscriptions.has(name)) return', 'if (name === type) return', SOCKET,
  ],
  ['unchanged best prices are sent again', 'ws/hl/subscription', 'if (shown === this.#last) return null;', '', SOCKET],
  [
    'a poll ends when the source has no reads left', 'ws/hl/polls', "answer.code !== 'rate_limit_exceeded'", 'answer.code.length > 0',
    SOCKET,
  ],
  [
    'an error repeats what is not JSON', 'ws/hl/connection', 'valid websocket request: ${parsed.message}`',
    'valid websocket request: {${parsed.message}}`', SOCKET,
  ],
  ['posts without a bound', 'ws/hl/connection', 'this.#posts >= BOUNDS.requestsInFlight', 'this.#posts < 0', SOCKET],
];

export const HL_READS: readonly Mutant[] = ROWS.map(([name, file, find, replace, ...tests]) => (
  { name: `hl reads: ${name}`, file: `shell/${file}.ts`, find, replace, tests: tests.map((test) => `test/${test}.test.ts`) }
));
