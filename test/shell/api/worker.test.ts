// The api thread itself, started as main starts it: it listens at once, reports not_ready, answers /health, and ends when told, without
// ending the process.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { readConfig } from '../../../shell/process/config.ts';
import { createWiring, portsOf } from '../../../shell/process/wiring.ts';
import { freePort } from '../../../scripts/venue-process.ts';
import type { ClockStatus, MarketStatus } from '../../../shell/ipc/status.ts';
import { SharedValue } from '../../../shell/ipc/shared-value.ts';
import { SharedCounters } from '../../../shell/ipc/counters.ts';

test('the thread listens, waits for the venue, stops when told and exits', async () => {
  const port = await freePort();
  const wiring = createWiring(1);
  const own = wiring.apis[0]!;
  const config = readConfig(['--port', String(port)], {});
  const worker = new Worker(new URL('../../../shell/process/threads/api.ts', import.meta.url), {
    workerData: {
      wiring: own, counters: wiring.counters, measures: wiring.measures, settings: { config, venue: '00', token: 'a-token-of-the-tests' },
    },
    transferList: portsOf(own),
  });
  const exit = once(worker, 'exit');
  const messages: string[] = [];
  worker.on('message', ({ type }: { type: string }) => messages.push(type));
  await once(worker, 'message');
  assert.deepEqual(messages, ['listening']);
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  assert.deepEqual([await get('/health'), await get('/ready'), await get('/markets')], [200, 503, 503]);
  worker.postMessage({ type: 'underlyings', names: ['BTC', 'ETH'] });
  await once(worker, 'message');
  assert.equal(messages.at(-1), 'underlyings-known', 'main waits for this before the venue is ready');
  const counters = new SharedCounters(wiring.counters);
  const { statuses } = wiring.measures;
  new SharedValue<MarketStatus>(statuses.reader).publish({ hasIndexPrice: true, underlyings: [], waiting: [], fund: '0' });
  new SharedValue<ClockStatus>(statuses.main).publish({ state: 'running', last: 0, wall: 0 });
  counters.counter('mainReady').store(1);
  counters.counter('readerReady').store(1);
  assert.equal(await get('/ready'), 200);
  worker.postMessage({ type: 'stop' });
  const [code] = await exit;
  assert.deepEqual([code, messages.at(-1)], [0, 'stopped']);
  await assert.rejects(get('/health'));
  for (const bell of [wiring.main.doorbell, wiring.reader.doorbell, wiring.journal.doorbell]) for (const end of bell.ports) end.close();
});
