// Faults of one line in what a venue goes by and says of itself: its clock, /ready, the feed from outside.

import type { Mutant } from './fault.ts';

/** Name, file under shell/, text, what takes its place, file of the test, its title. */
type Row = readonly [name: string, file: string, find: string, replace: string, tests: string, title: string];

const ROWS: readonly Row[] = [
  [
    'the wall clock has no bound', 'process/clock',
    'return Math.min(Date.now(), Math.floor(venueClock.wall + sharedSteady() - venueClock.real) + MAX_AHEAD_MS);', 'return Date.now();',
    'shell/process/venue-clock',
    'the venue\'s time follows the wall clock at most a minute ahead of the monotonic clock, and returns with it',
  ],
  [
    'a start accepts any clock', 'process/venue', 'if (!config.acceptClock) checkClock(state.clock[TIME]!, now());', '',
    'shell/process/venue-clock',
    'a start 400 days ahead is refused and changes nothing, until the operator accepts the clock',
  ],
  [
    '/ready is 200 while time stands still', 'api/health-components', "key: 'clock still', level: 'not_ready'",
    "key: 'clock still', level: 'degraded'", 'shell/api/readiness', 'a clock that stands still is 503, and a held one is degraded',
  ],
  [
    'an expiry without a settlement price is not in /ready',
    'api/health-components', "component('expiries', market.waiting.map(waitingProblem), ",
    "component('expiries', [], ",
    'shell/api/readiness', 'a stale underlying, a missing source or a waiting expiry is degraded, and named',
  ],
  [
    'an expiry without a settlement price is not in the metrics', 'reader/market/status',
    'const isWaiting = status[slot] === EXPIRED_PENDING_PRICE && settlement.price[slot] === 0;', 'const isWaiting = false;',
    'shell/process/expiry', 'an expiry with too few samples is shown as waiting by log, /ready, metrics, its status and /admin/status',
  ],
  [
    'a text read while it is written', 'ipc/shared-value', 'if (Atomics.load(words, VERSION) !== version) continue;', '',
    'shell/ipc/shared-value', 'while another thread writes without pause, no text is torn and none is older than one seen before',
  ],
  [
    'ready without an index of the outside feed', 'api/health-components',
    "if (feed === 'hyperliquid' && !market.hasIndexPrice) {", 'if (false) {',
    'shell/api/readiness',
    'an external feed without any index is 503; a manual venue without a price is degraded',
  ],
  [
    'a mid without the bound of the oracle', 'feeds/hyperliquid/index-price',
    'const price = Math.max(oracle.price - most, Math.min(oracle.price + most, mid.price));', 'const { price } = mid;',
    'shell/feeds/hyperliquid', 'the mid is the index, bounded to half a percent around the oracle price',
  ],
  [
    'an oracle price that bounds for ever', 'feeds/hyperliquid/index-price',
    "if (!isWithin(oracle, time, ORACLE_VALID_MS)) return { price: mid.price, source: 'mid_alone' };",
    "if (oracle === null) return { price: mid.price, source: 'mid_alone' };",
    'shell/feeds/hyperliquid', 'the last oracle price bounds a mid for a minute, then no longer',
  ],
  [
    'a first price that nothing confirms', 'feeds/hyperliquid/index-price',
    'if (!isConfirmed && !isConfirmedByOther && source.consecutive < CONFIRMATIONS) return;', '',
    'shell/feeds/hyperliquid', 'mids alone are enough, at the start and when the oracle has been silent for a minute',
  ],
];

export const VENUE_HEALTH: readonly Mutant[] = ROWS.map(([name, file, find, replace, tests, title]) => (
  { name, file: `shell/${file}.ts`, find, replace, tests: [`test/${tests}.test.ts`], title }
));
