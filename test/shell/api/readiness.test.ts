// /ready from what the other threads publish: heartbeats, disk, clock, feed, waiting expiries; what makes it 503 and what makes it
// degraded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Readiness } from '../../../shell/api/readiness.ts';
import { BOUNDS } from '../../../shell/http/limits.ts';
import type { Config } from '../../../shell/process/config.ts';
import type { ClockStatus, FeedStatus, MarketStatus, UnderlyingStatus } from '../../../shell/ipc/status.ts';
import { SharedValue } from '../../../shell/ipc/shared-value.ts';
import { SharedCounters } from '../../../shell/ipc/counters.ts';
import { ROLES } from '../../../shell/ipc/cluster-status.ts';
import { createWiring, DISK_STATES } from '../../../shell/process/wiring.ts';

const BEATS = ['beatMain', 'beatJournal', 'beatReader', 'beatHistory'] as const;
const RUNNING: ClockStatus = { state: 'running', last: 1_000, wall: 1_000 };
const BTC: UnderlyingStatus = {
  name: 'BTC', index: '100000', ageMs: 900, isStale: false, contracts: 40, staleSurfaces: 2, waiting: 0,
};
const MARKET: MarketStatus = { hasIndexPrice: true, underlyings: [BTC, { ...BTC, name: 'ETH' }], waiting: [], fund: '5000' };

/** Parts of a venue that has recovered, unless it is to be met before. */
function venue(feed: Config['feed'], { isRecovered = true } = {}) {
  const { counters: description, measures: { statuses } } = createWiring(1);
  const counters = new SharedCounters(description);
  const readiness = new Readiness({ counters, statuses, feed }, 0);
  const [market, clock, sources] = [
    new SharedValue<MarketStatus>(statuses.reader), new SharedValue<ClockStatus>(statuses.main),
    new SharedValue<FeedStatus>(statuses.feed),
  ];
  market.publish(MARKET);
  clock.publish(RUNNING);
  if (isRecovered) for (const name of ['mainReady', 'readerReady'] as const) counters.counter(name).store(1);
  const wrong = (): string[] => readiness.status().components.flatMap(({ name, state, detail }) => (
    state === 'ready' ? [] : [`${name} ${state}: ${detail}`]
  ));
  const said = (): readonly [status: string, degraded: boolean] => {
    const { status, degraded } = readiness.status();
    return [status, degraded];
  };
  return { counters, readiness, market, clock, sources, wrong, said };
}

test('after a long start the venue is ready at once and stays ready before the first heartbeats', () => {
  const { counters, readiness, wrong } = venue('sim', { isRecovered: false });
  const ready = 2 * BOUNDS.silentMs;
  for (let now = 0; now <= ready; now += 250) readiness.watch(now);
  counters.counter('readerReady').store(1);
  const waiting = [
    'engine', 'journal', 'reader', 'history',
  ].map((name) => `${name} not_ready: starting`);
  const unknown = ['feed', 'clock', 'surfaces', 'expiries', 'contracts', 'fund'].map((name) => `${name} not_ready: nothing is known yet`);
  assert.deepEqual(wrong(), ['recovery not_ready: recovered 0 of 0 commands', ...waiting, ...unknown]);
  counters.counter('mainReady').store(1);
  assert.deepEqual(wrong(), []);
  readiness.watch(ready + 250);
  assert.deepEqual(wrong(), [], 'before the first beat of each');
  for (const beat of BEATS) counters.counter(beat).add(1);
  readiness.watch(ready + 500);
  for (const beat of BEATS.slice(1)) counters.counter(beat).add(1);
  readiness.watch(ready + 1_000);
  readiness.watch(ready + 500 + BOUNDS.silentMs);
  assert.deepEqual(wrong(), ['engine not_ready: the thread has stood still for 5 s']);
  counters.counter('beatMain').add(1);
  assert.deepEqual(wrong(), []);
});

test('a node of a cluster is 503 until it has read what the log held at its start; a process that is the venue itself has no log', () => {
  const { counters, said, wrong, readiness } = venue('sim');
  counters.counter('behind').store(9);
  assert.deepEqual(said(), ['ready', false]);
  counters.counter('role').store(ROLES.follower);
  assert.deepEqual([said(), wrong()], [['not_ready', false], ['log not_ready: reads the log: 9 messages to go']]);
  counters.counter('behind').store(0);
  assert.deepEqual([said(), wrong()], [['ready', false], []]);
  assert.ok(readiness.status().components.some(({ name }) => name === 'log'));
});

test('a clock that stands still is 503, and a held one is degraded', () => {
  const { clock, said, wrong } = venue('sim');
  assert.deepEqual(said(), ['ready', false]);
  clock.publish({ state: 'still', last: Date.UTC(2090, 0, 1), wall: Date.UTC(2026, 0, 1) });
  assert.deepEqual(said(), ['not_ready', false]);
  assert.match(wrong()[0]!, /^clock not_ready: the journal goes on to 2090-01-01.*the clock reads 2026-01-01.*stands still/);
  clock.publish({ state: 'held', last: 1_000, wall: Date.UTC(2090, 0, 1) });
  assert.deepEqual(said(), ['ready', true]);
  assert.match(wrong()[0]!, /^clock degraded: the machine's clock was set to 2090-01-01/);
  clock.publish(RUNNING);
  assert.deepEqual(said(), ['ready', false]);
});

test('an external feed without any index is 503; a manual venue without a price is degraded', () => {
  const none: MarketStatus = { ...MARKET, hasIndexPrice: false, underlyings: [{ ...BTC, index: null, ageMs: null, isStale: true }] };
  const outside = venue('hyperliquid');
  outside.market.publish(none);
  assert.deepEqual(outside.said(), ['not_ready', false]);
  assert.deepEqual(outside.wrong(), ['feed not_ready: the feed has not brought any index price since the start']);
  const manual = venue('manual');
  manual.market.publish(none);
  assert.deepEqual(manual.said(), ['ready', true]);
  assert.deepEqual(manual.wrong(), ['feed degraded: BTC: no index price yet']);
});

test('a stale underlying, a missing source or a waiting expiry is degraded, and named', () => {
  const { market, sources, said, wrong } = venue('hyperliquid');
  sources.publish({ BTC: 'mid', ETH: 'bounded' });
  assert.deepEqual(said(), ['ready', false]);
  market.publish({ ...MARKET, underlyings: [BTC, { ...BTC, name: 'ETH', ageMs: 12_345, isStale: true }] });
  assert.deepEqual(wrong(), ['feed degraded: ETH: the index price is 12 s old: orders that open risk are refused']);
  assert.deepEqual(said(), ['ready', true]);
  market.publish(MARKET);
  sources.publish({ BTC: 'mid_alone', ETH: 'oracle_alone' });
  assert.deepEqual(wrong(), [
    'feed degraded: BTC: no oracle price, the index is made of mids alone; ETH: no mid, the index is made of oracle prices alone',
  ]);
  sources.publish({ BTC: 'mid', ETH: 'mid' });
  market.publish({ ...MARKET, waiting: [{ underlying: 'BTC', expiry: Date.UTC(2026, 0, 5, 8), contracts: 40 }] });
  assert.deepEqual(wrong(), [
    'expiries degraded: BTC 2026-01-05: 40 expired contracts wait for the operator\'s settlement price (POST /admin/settlement-price)',
  ]);
  assert.deepEqual(said(), ['ready', true]);
});

test('stale surfaces are reported but do not degrade the venue', () => {
  const { readiness, said } = venue('hyperliquid');
  const { detail, state } = readiness.status().components.find(({ name }) => name === 'surfaces')!;
  assert.deepEqual([state, detail], ['ready', '4 expiries without a quote or input for 60 s']);
  assert.deepEqual(said(), ['ready', false]);
});

test('a low disk is degraded, and a full one is 503', () => {
  const { counters, said, wrong } = venue('sim');
  counters.counter('disk').store(DISK_STATES.low);
  assert.deepEqual([said(), wrong()], [['ready', true], ['disk degraded: low: orders are refused']]);
  counters.counter('disk').store(DISK_STATES.stop);
  assert.deepEqual([said(), wrong()], [['not_ready', false], ['disk not_ready: full: the venue stops']]);
});
