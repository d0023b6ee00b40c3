// Main's loop (main-loop.ts) under constant load: work that is due runs before the commands that arrived meanwhile, and a
// connection that is gone is noticed although the rings are never empty.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { PLACE_ORDER, TICK } from '../../../core/codec/commands.ts';
import { recordKind, type Views } from '../../../core/codec/record.ts';
import * as C from '../../../core/errors.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import { rulesOf } from '../../../shell/process/market.ts';
import { createMeters, Meters } from '../../../shell/process/observability/meters.ts';
import { MainLoop } from '../../../shell/process/threads/main-loop.ts';
import { SharedCounters } from '../../../shell/ipc/counters.ts';
import { Ringer } from '../../../shell/ipc/doorbell.ts';
import { ringConsumer, ringProducer } from '../../../shell/ipc/ring.ts';
import {
  CONNECTION_CLOSED, CONNECTION_OPENED, NOTICE_BYTES, stampConnection, writeConnectionNotice,
} from '../../../shell/ipc/command-ring.ts';
import { createWiring } from '../../../shell/process/wiring.ts';
import { Scene } from '../../support/scene.ts';

/** Commands added before every turn, more than a turn takes. */
const LOAD = 300;
const TURNS = 200;

/** Main's loop with the test in place of its one api thread: it sends notices and commands, and discards the replies. */
class Desk extends Scene {
  readonly logged: number[] = [];
  readonly loop: MainLoop;
  readonly #wiring = createWiring(1);
  readonly #commands = ringProducer(this.#wiring.main.commands[0]!);
  readonly #ringer = new Ringer(this.#wiring.apis[0]!.ringMain);
  readonly #log = ringConsumer(this.#wiring.main.log, 0);
  readonly #others = [ringConsumer(this.#wiring.main.log, 1), ringConsumer(this.#wiring.main.replies[0]!, 0)];

  /** `named`: the connection that wallet 1 named before the loop starts, two words. */
  constructor(named: readonly number[] | null = null) {
    super();
    if (named !== null) this.send(this.write.cancelOnDisconnect(1, this.next(), true, 60_000, [...named]));
    this.loop = new MainLoop({
      wiring: this.#wiring.main, counters: new SharedCounters(this.#wiring.counters), state: this.state,
      rules: rulesOf(readConfig(['--rate-limits', 'off'], {}) as Config), meters: new Meters(createMeters(['main']), 'main'),
      onDigest: () => undefined,
    });
  }

  /** A bid of wallet 1 for a perp, because by the loop's clock the options have expired. */
  bid(): void {
    assert.equal(this.buy(1, 90_000, 0.001, { slot: this.state.instruments.perpOf[0]! }), C.OK);
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

  note(kind: number, connection: number, id = 0n): void {
    writeConnectionNotice(this.#commands.views, this.#commands.claim(NOTICE_BYTES), kind, connection, id);
    this.#commands.publish();
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

  /** Runs turns of the loop in which the ring is never empty, until `isDone`; false if that did not happen in `TURNS`. */
  async load(isDone: () => boolean): Promise<boolean> {
    for (let turns = 0; turns < TURNS && !isDone(); turns++) {
      for (let i = 0; i < LOAD && this.put(this.write.cancelAfter(2, this.next(), 0)); i++) { /* others' commands */ }
      await this.turn();
    }
    return isDone();
  }
}

test('a deadline that passed while commands arrived fires before those commands', async () => {
  const desk = new Desk();
  desk.bid();
  desk.send(desk.write.cancelAfter(1, desk.next(), 1));
  desk.put(desk.write.place({
    ...desk.contract(desk.atm), wallet: 2, nonce: desk.next(), side: 0, price: 90_000_000, size: 1_000,
  }));
  desk.loop.start();
  await desk.turn();
  desk.loop.stop();
  assert.ok(desk.logged.includes(PLACE_ORDER));
  assert.ok(desk.logged.indexOf(TICK) >= 0 && desk.logged.indexOf(TICK) < desk.logged.indexOf(PLACE_ORDER), desk.logged.join());
});

for (const [what, id, named] of [['the named connection', 77n, [77, 0]], ['the last connection', 77n, [0, 0]]] as const) {
  test(`under constant load, the close of ${what} is noticed and the orders are cancelled`, async () => {
    const desk = new Desk();
    desk.bid();
    const account = desk.account(1);
    desk.loop.start();
    desk.loop.startPresence();
    desk.note(CONNECTION_OPENED, 1, id);
    desk.put(desk.write.cancelOnDisconnect(1, desk.next(), true, 0, [...named]), 1);
    const isThere = await desk.load(() => desk.state.safety.enabled[account] !== 0);
    desk.note(CONNECTION_CLOSED, 1);
    const isGone = isThere && await desk.load(() => desk.orders(1).length === 0);
    desk.loop.stop();
    assert.ok(isGone);
  });
}

test('under constant load, an unknown connection counts as lost once the notices sent before it are read', async () => {
  const desk = new Desk();
  desk.bid();
  desk.loop.start();
  desk.loop.startPresence();
  desk.put(desk.write.cancelOnDisconnect(1, desk.next(), true, 0, [78, 0]));
  const isGone = await desk.load(() => desk.orders(1).length === 0);
  desk.loop.stop();
  assert.ok(isGone);
});

test('under constant load, a connection that was named before a restart counts as lost after it', async () => {
  const desk = new Desk([77, 0]);
  const account = desk.account(1);
  desk.loop.start();
  desk.loop.startPresence();
  const isGone = await desk.load(() => desk.state.safety.goneAt[account] !== 0);
  desk.loop.stop();
  assert.ok(isGone);
});
