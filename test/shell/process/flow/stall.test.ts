// Flow control: each thread in turn stalls for 2 s under load. Every request is answered or refused by name, nobody waits for ever, and
// afterwards every counter has caught up.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { readConfig, type Config } from '../../../../shell/process/config.ts';
import { blockThread } from '../../../../shell/ipc/block-thread.ts';
import { Venue } from '../../../../shell/process/venue.ts';
import { Http } from '../../../../scripts/client.ts';

const STALL_MS = 2_000;
const RATE = 100;

async function openVenue(): Promise<{ venue: Venue; folder: string; url: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-flow-'));
  const config = readConfig(['--port', '0', '--data', folder, '--workers', '2', '--rate-limits', 'off', '--feed', 'sim'], {}) as Config;
  const venue = await Venue.open(config);
  await venue.start();
  const url = `http://127.0.0.1:${venue.config.port}`;
  const http = new Http(url);
  for (let listed = 0; listed <= 200; await sleep(50)) listed = ((await http.get('/instruments?currency=BTC')).body as unknown[]).length;
  http.close();
  return { venue, folder, url };
}

/** All watermarks stand where main stands. */
async function caughtUp(venue: Venue): Promise<void> {
  const names = ['durable', 'applied', 'historyApplied'] as const;
  for (const until = performance.now() + 60_000; ;) {
    const seq = venue.loop!.seq;
    const behind = names.filter((name) => venue.counters.counter(name).load() !== seq >>> 0);
    if (behind.length === 0 && venue.counters.counter('blocked').load() === 0) return;
    if (performance.now() > until) assert.fail(`behind seq ${seq}: ${behind.join(', ')}`);
    await sleep(5);
  }
}

test('when each thread stalls for 2 s under load, every request is answered or refused and counters recover', async (context) => {
  const { venue, folder, url } = await openVenue();
  const stalls: [string, () => void][] = [
    ['journal', () => venue.journal!.post({ type: 'stall', ms: STALL_MS })],
    ['reader', () => venue.reader!.post({ type: 'stall', ms: STALL_MS })],
    ['history', () => venue.history!.post({ type: 'stall', ms: STALL_MS })],
    ['api', () => venue.apis[0]!.post({ type: 'stall', ms: STALL_MS })],
    ['main', () => blockThread(STALL_MS)],
  ];
  for (const [name, stall] of stalls) {
    await context.test(name, async () => {
      const load = new Worker(new URL('./load.ts', import.meta.url), { workerData: { url, rate: RATE } });
      await once(load, 'message');
      await sleep(300);
      stall();
      await sleep(STALL_MS + 700);
      load.postMessage('stop');
      const [{ sent, answers }] = await once(load, 'message') as [{ sent: number; answers: Record<string, number> }];
      const answered = Object.values(answers).reduce((sum, n) => sum + n, 0);
      assert.equal(answered, sent);
      for (const status of Object.keys(answers)) assert.ok(['200', '503'].includes(status), `${answers[status]} answers ${status}`);
      assert.ok((answers['200'] ?? 0) > RATE / 2, JSON.stringify(answers));
      await caughtUp(venue);
    });
  }
  const stopped = await venue.stop();
  assert.match(`${stopped!.seq} ${stopped!.head}`, /^\d+ [0-9a-f]{64}$/);
  rmSync(folder, { recursive: true, force: true });
});
