// Main takes commands from the api threads' rings in turn (main-loop.ts), beginning with another ring each time. The system chooses a
// connection's thread, so with a fixed order one thread's orders would always win.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WORD_WALLET } from '../../../../core/codec/commands.ts';
import { readConfig, type Config } from '../../../../shell/process/config.ts';
import { rulesOf } from '../../../../shell/process/market.ts';
import { createMeters, Meters } from '../../../../shell/process/observability/meters.ts';
import { MainLoop } from '../../../../shell/process/threads/main-loop.ts';
import { SharedCounters } from '../../../../shell/ipc/counters.ts';
import { Ringer } from '../../../../shell/ipc/doorbell.ts';
import { ringConsumer, ringProducer } from '../../../../shell/ipc/ring.ts';
import { createWiring } from '../../../../shell/process/wiring.ts';
import { Scene } from '../../../support/scene.ts';

const APIS = 3;
const ROUNDS = 30;

test('when commands wait in several rings, each ring comes first equally often', async () => {
  const scene = new Scene();
  const wiring = createWiring(APIS);
  const loop = new MainLoop({
    wiring: wiring.main, counters: new SharedCounters(wiring.counters), state: scene.state,
    rules: rulesOf(readConfig(['--rate-limits', 'off'], {}) as Config), meters: new Meters(createMeters(['main']), 'main'),
    onDigest: () => undefined,
  });
  const commands = wiring.main.commands.map(ringProducer);
  const logs = [ringConsumer(wiring.main.log, 0), ringConsumer(wiring.main.log, 1)];
  const ringer = new Ringer(wiring.apis[0]!.ringMain);
  const firsts = new Map<number, number>();
  loop.start();
  for (let round = 0; round < ROUNDS; round++) {
    // Wallet n is a client of api thread n, whose address begins with n + 1.
    commands.forEach((ring, api) => {
      const record = scene.write.cancelAfter(api, scene.next(), 0);
      ring.views.u8.set(record.u8.subarray(0, record.u32[0]), ring.claim(record.u32[0]!));
      ring.publish();
    });
    ringer.ring();
    await new Promise<void>((resolve) => setImmediate(resolve));
    const wallets: number[] = [];
    for (let at = logs[0]!.next(); at >= 0; at = logs[0]!.next()) {
      const wallet = logs[0]!.views.u32[(at >>> 2) + WORD_WALLET]! - 1;
      if (wallet >= 0 && wallet < APIS) wallets.push(wallet);
    }
    while (logs[1]!.next() >= 0) { /* the reader's part */ }
    for (const log of logs) log.release();
    assert.deepEqual([...wallets].sort(), [0, 1, 2]);
    firsts.set(wallets[0]!, (firsts.get(wallets[0]!) ?? 0) + 1);
  }
  loop.stop();
  assert.deepEqual([0, 1, 2].map((api) => firsts.get(api)), [ROUNDS / APIS, ROUNDS / APIS, ROUNDS / APIS]);
});
