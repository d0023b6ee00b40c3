// What main's loop (shell/threads/engine) owes wallets that fall silent while others' commands never stop: what is due has its turn
// before the commands that came in meanwhile.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { PLACE_ORDER, TICK } from '../../core/codec/commands.ts';
import { recordKind, type Views } from '../../core/codec/record.ts';
import * as C from '../../core/errors.ts';
import { readConfig, type Config } from '../../shell/config.ts';
import { rulesOf } from '../../shell/market.ts';
import { createMeters, Meters } from '../../shell/observability/meters.ts';
import { Engine } from '../../shell/threads/engine.ts';
import { SharedCounters } from '../../shell/transport/counters.ts';
import { Ringer } from '../../shell/transport/doorbell.ts';
import { ringConsumer, ringProducer } from '../../shell/transport/ring.ts';
import { createWiring, stampConnection } from '../../shell/wiring.ts';
import { Scene } from '../support/scene.ts';

/** An engine with one api thread, whose part is the test's: commands go in, and everything that comes out is thrown away. */
class Desk extends Scene {
  readonly logged: number[] = [];
  readonly engine: Engine;
  readonly #wiring = createWiring(1);
  readonly #commands = ringProducer(this.#wiring.main.commands[0]!);
  readonly #ringer = new Ringer(this.#wiring.apis[0]!.ringMain);
  readonly #log = ringConsumer(this.#wiring.main.log, 0);
  readonly #others = [ringConsumer(this.#wiring.main.log, 1), ringConsumer(this.#wiring.main.replies[0]!, 0)];

  constructor() {
    super();
    this.engine = new Engine({
      wiring: this.#wiring.main, counters: new SharedCounters(this.#wiring.counters), state: this.state,
      rules: rulesOf(readConfig(['--rate-limits', 'off'], {}) as Config), meters: new Meters(createMeters(['main']), 'main'),
      onDigest: () => undefined,
    });
  }

  /** False: the ring is full. */
  put(record: Views, connection = 0): boolean {
    const bytes = record.u32[0]!;
    const at = this.#commands.claim(bytes);
    if (at < 0) return false;
    this.#commands.views.u8.set(record.u8.subarray(0, bytes), at);
    stampConnection(this.#commands.views, at, connection);
    this.#commands.publish();
    return true;
  }

  async turn(): Promise<void> {
    this.#ringer.ring();
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (let at = this.#log.peek(); at >= 0; at = this.#log.peek()) {
      this.logged.push(recordKind(this.#log.views, at));
      this.#log.advance();
    }
    this.#log.release();
    for (const ring of this.#others) {
      while (ring.peek() >= 0) ring.advance();
      ring.release();
    }
  }
}

test('what fell due while commands came in has its turn before them', async () => {
  const desk = new Desk();
  assert.equal(desk.buy(1, 100, 0.001), C.OK);
  desk.send(desk.write.cancelAfter(1, desk.next(), 1));
  desk.put(desk.write.place({
    ...desk.contract(desk.atm), wallet: 2, nonce: desk.next(), side: 0, price: 90_000_000, size: 1_000,
  }));
  desk.engine.start();
  await desk.turn();
  desk.engine.stop();
  assert.ok(desk.logged.includes(PLACE_ORDER));
  assert.ok(desk.logged.indexOf(TICK) >= 0 && desk.logged.indexOf(TICK) < desk.logged.indexOf(PLACE_ORDER), desk.logged.join());
});
