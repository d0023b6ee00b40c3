// Presence of wallets: how notices and commands of api threads (presence.ts) become DISCONNECTED and RECONNECTED commands of the
// core, and what an api thread does when its ring is full (shell/api/connection-notices).

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { CONNECTION_GONE, DISCONNECTED, RECONNECTED, WORD_PRESENCE_ACCOUNT } from '../../../core/codec/commands.ts';
import { recordKind, viewsOf, writeCode, type Views } from '../../../core/codec/record.ts';
import * as C from '../../../core/errors.ts';
import { ConnectionNotices } from '../../../shell/api/connection-notices.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import { rulesOf } from '../../../shell/process/market.ts';
import { createMeters, Meters } from '../../../shell/process/observability/meters.ts';
import { MainLoop } from '../../../shell/process/threads/main-loop.ts';
import { Presence } from '../../../shell/process/threads/presence.ts';
import {
  CONNECTION_CLOSED, CONNECTION_OPENED, connectionOf, connectionIdOf, NOTICE_BYTES, stampConnection, writeConnectionNotice,
} from '../../../shell/ipc/command-ring.ts';
import { createWiring } from '../../../shell/process/wiring.ts';
import { SharedCounters } from '../../../shell/ipc/counters.ts';
import type { Ringer } from '../../../shell/ipc/doorbell.ts';
import { createRing, ringConsumer, ringProducer } from '../../../shell/ipc/ring.ts';
import { Scene } from '../../support/scene.ts';

const NAMES = { [DISCONNECTED]: 'gone', [RECONNECTED]: 'back' } as const;

/** The ring of an api thread: how much was written to it, and how much of that was read. */
class Queue {
  given = 0;
  taken = 0;

  end(): number {
    return this.given;
  }

  hasTaken(end: number): boolean {
    return this.taken >= end;
  }
}

class Desk extends Scene {
  readonly queues = [new Queue(), new Queue()] as const;
  readonly presence = new Presence(this.state, this.queues);
  hasRoom = true;

  opened(thread: number, number: number, id: bigint): void {
    this.#note(thread, CONNECTION_OPENED, number, id);
  }

  closed(thread: number, number: number): void {
    this.#note(thread, CONNECTION_CLOSED, number, 0n);
  }

  /** A command that took effect, sent by a connection (0: by HTTP). */
  signs(wallet: number, thread = 0, number = 0, record = this.write.cancelAfter(wallet, this.next(), 0)): void {
    assert.equal(this.send(record), C.OK);
    stampConnection(record, 0, number);
    this.presence.signed(thread, record, 0, this.account(wallet));
  }

  guards(wallet: number, grace: number, id = 0n, thread = 0, number = 0): void {
    const words = [Number(id & 0xffff_ffffn), Number(id >> 32n)];
    this.signs(wallet, thread, number, this.write.cancelOnDisconnect(wallet, this.next(), true, grace, words));
  }

  /** The updates that the core gets now, as texts. */
  facts(): string[] {
    const facts: string[] = [];
    if (!this.presence.hasUpdates) return facts;
    this.presence.sendUpdates((record) => {
      if (!this.hasRoom) return false;
      const account = record.u32[WORD_PRESENCE_ACCOUNT]!;
      facts.push(`${account} ${NAMES[recordKind(record, 0) as keyof typeof NAMES]}`);
      this.venue(record);
      return true;
    });
    return facts;
  }

  #note(thread: number, kind: number, number: number, id: bigint): void {
    const views: Views = viewsOf(new ArrayBuffer(NOTICE_BYTES));
    writeConnectionNotice(views, 0, kind, number, id);
    this.presence.onNotice(thread, views, 0);
  }
}

test('a wallet is present while any connection that sent a signed command of it is open, on any thread', () => {
  const desk = new Desk();
  desk.opened(0, 1, 11n);
  desk.opened(1, 1, 12n);
  desk.opened(1, 2, 13n);
  desk.guards(1, 1_000, 0n, 0, 1);
  desk.signs(1, 1, 1);
  desk.signs(1, 1, 1);
  assert.deepEqual(desk.facts(), []);
  desk.closed(1, 2);
  desk.closed(0, 1);
  assert.deepEqual(desk.facts(), [], 'one connection is left; one that sent no command does not count');
  desk.closed(1, 1);
  assert.deepEqual(desk.facts(), ['0 gone']);
  desk.opened(0, 2, 14n);
  assert.deepEqual(desk.facts(), [], 'an open connection without a command does not count');
  desk.signs(1, 0, 2);
  assert.deepEqual(desk.facts(), ['0 back']);
  desk.closed(0, 2);
  desk.signs(1);
  assert.deepEqual(desk.facts(), ['0 gone'], 'a command by HTTP does not count as a connection');
});

test('when an account row is reused, connections of the previous owner do not count for the new one', () => {
  const desk = new Desk();
  desk.opened(0, 1, 11n);
  desk.opened(0, 2, 12n);
  desk.guards(1, 1_000, 0n, 0, 1);
  desk.signs(1, 0, 2);
  assert.deepEqual(desk.facts(), []);
  desk.presence.forget(0);
  desk.guards(1, 1_000);
  assert.deepEqual(desk.facts(), [], 'the new owner never had a connection, so it is not disconnected');
  desk.opened(0, 3, 13n);
  desk.signs(1, 0, 3);
  desk.closed(0, 1);
  desk.closed(0, 2);
  assert.deepEqual(desk.facts(), [], 'connections of the previous owner do not count');
  desk.closed(0, 3);
  assert.deepEqual(desk.facts(), ['0 gone']);
});

test('a wallet without cancel on disconnect causes no updates; once it is set, earlier connections count', () => {
  const desk = new Desk();
  desk.opened(0, 1, 11n);
  desk.opened(0, 2, 12n);
  desk.signs(1, 0, 1);
  desk.signs(2, 0, 2);
  desk.closed(0, 2);
  assert.deepEqual(desk.facts(), []);
  for (const wallet of [1, 2, 3]) desk.guards(wallet, 0);
  assert.deepEqual(desk.facts(), ['1 gone'], 'the last connection of the second wallet had closed before; the third never had one');
  desk.closed(0, 1);
  assert.deepEqual(desk.facts(), ['0 gone']);
});

test('when a disconnected wallet sets a new grace by HTTP, it starts anew; by a connection, that connection counts', () => {
  const desk = new Desk();
  desk.opened(0, 1, 11n);
  desk.guards(1, 800, 0n, 0, 1);
  desk.closed(0, 1);
  assert.deepEqual(desk.facts(), ['0 gone']);
  desk.guards(1, 5_000);
  assert.deepEqual(desk.facts(), ['0 gone']);
  assert.equal(desk.state.safety.goneAt[desk.account(1)], desk.now + 5_000);
  Object.assign(desk, { presence: new Presence(desk.state, desk.queues) });
  assert.deepEqual(desk.facts(), [], 'the grace period is already running');
  desk.guards(1, 9_000);
  assert.deepEqual(desk.facts(), ['0 gone']);
  desk.opened(0, 1, 12n);
  desk.guards(1, 9_000, 0n, 0, 1);
  assert.deepEqual(desk.facts(), []);
  desk.closed(0, 1);
  assert.deepEqual(desk.facts(), ['0 gone']);
});

test('a disconnected wallet that turns cancel on disconnect off causes no more updates', () => {
  const desk = new Desk();
  desk.opened(0, 1, 11n);
  desk.guards(1, 800, 0n, 0, 1);
  desk.closed(0, 1);
  assert.deepEqual(desk.facts(), ['0 gone']);
  desk.signs(1, 0, 0, desk.write.cancelOnDisconnect(1, desk.next(), false, 0, [0, 0]));
  assert.deepEqual(desk.facts(), []);
});

test('a named connection counts without any command; an unknown one is lost once all notices of that time have been read', () => {
  const desk = new Desk();
  const [, other] = desk.queues;
  other.given = 3;
  desk.opened(1, 7, 11n);
  desk.guards(1, 0, 11n);
  desk.guards(2, 0, 99n);
  other.taken = 2;
  assert.deepEqual(desk.facts(), []);
  other.given = 9;
  other.taken = 3;
  assert.deepEqual(desk.facts(), ['1 gone'], 'later notices do not matter');
  desk.guards(3, 0, 50n);
  assert.deepEqual(desk.facts(), []);
  desk.opened(0, 1, 50n);
  other.taken = 9;
  assert.deepEqual(desk.facts(), [], 'its notice was still in the ring');
  other.given = 10;
  desk.guards(1, 0, 50n);
  desk.closed(1, 7);
  assert.deepEqual(desk.facts(), [], 'wallet 1 has named another connection since');
  desk.closed(0, 1);
  assert.deepEqual(desk.facts().sort(), ['0 gone', '2 gone']);
});

test('whether a named connection is gone is decided before the core runs; main waits while its notice may be in a ring', () => {
  const desk = new Desk();
  const [own, other] = desk.queues;
  const isGone = (id: bigint, number = 0, mayWait = true): boolean | null => {
    const record = desk.write.cancelOnDisconnect(1, desk.next(), true, 1_000, [Number(id & 0xffff_ffffn), Number(id >> 32n)]);
    stampConnection(record, 0, number);
    return desk.presence.isGone(0, record, 0, desk.account(1), mayWait);
  };
  own.given = 5;
  assert.equal(isGone(99n), true, 'a notice later in its own ring cannot be about a connection that was named before');
  other.given = 3;
  assert.deepEqual([isGone(99n), desk.presence.isWaiting], [null, true]);
  other.given = 7;
  other.taken = 3;
  assert.deepEqual([isGone(99n), desk.presence.isWaiting], [true, false], 'later notices do not matter');
  assert.deepEqual([isGone(50n), isGone(50n, 0, false)], [null, false], 'a command that may not wait treats it as open');
  desk.opened(1, 7, 50n);
  assert.equal(isGone(50n), false);
  desk.closed(1, 7);
  other.taken = 7;
  assert.equal(isGone(50n), true);
  assert.equal(isGone(0n), false, 'a wallet without any connection so far has lost none');
  desk.opened(0, 1, 11n);
  desk.signs(1, 0, 1);
  assert.equal(isGone(0n), false);
  desk.closed(0, 1);
  assert.equal(isGone(0n), true);
  desk.opened(0, 2, 12n);
  assert.equal(isGone(0n, 2), false, 'the command comes by a connection, which is open');
});

test('when the named connection is already gone, the grace period starts with the command and the reply says when it ends', () => {
  const desk = new Desk();
  desk.signs(1);
  const record = desk.write.cancelOnDisconnect(1, desk.next(), true, 1_000, [99, 0]);
  writeCode(record, 0, CONNECTION_GONE);
  assert.equal(desk.send(record), C.OK);
  assert.equal(desk.number(0), desk.now + 1_000);
  assert.equal(desk.state.safety.goneAt[desk.account(1)], desk.now + 1_000);
  desk.guards(1, 1_000, 99n);
  assert.equal(desk.number(0), 0, 'without that code the wallet is present');
});

test('when the log has no room, the core gets its updates later, with the state of that time', () => {
  const desk = new Desk();
  desk.opened(0, 1, 11n);
  for (const wallet of [1, 2]) desk.guards(wallet, 1_000, 0n, 0, 1);
  desk.hasRoom = false;
  desk.closed(0, 1);
  assert.deepEqual(desk.facts(), []);
  desk.opened(0, 2, 12n);
  desk.signs(2, 0, 2);
  desk.hasRoom = true;
  assert.deepEqual(desk.facts(), ['0 gone']);
});

test('when a connection that signed for 300 wallets closes, each of them is disconnected', () => {
  const desk = new Desk();
  const wallets = Array.from({ length: 300 }, (_, wallet) => wallet);
  desk.opened(0, 1, 11n);
  for (const wallet of wallets) desk.guards(wallet, 0, 0n, 0, 1);
  desk.closed(0, 1);
  assert.deepEqual(desk.facts(), wallets.map((account) => `${account} gone`));
});

test('when the table of connections is full, one connection of each wallet is still kept, so its loss is noticed', () => {
  const desk = new Desk();
  const presence = new Presence(desk.state, desk.queues, 2);
  Object.assign(desk, { presence });
  for (const number of [1, 2]) desk.opened(0, number, BigInt(number));
  for (const wallet of [1, 2, 3]) desk.guards(wallet, 1_000, 0n, 0, 1);
  desk.signs(3, 0, 2);
  desk.closed(0, 1);
  assert.deepEqual(desk.facts(), ['0 gone', '1 gone', '2 gone'], 'the second connection of the third wallet was not kept');
  desk.signs(3, 0, 2);
  assert.deepEqual(desk.facts(), ['2 back']);
  desk.opened(0, 3, 3n);
  desk.signs(3, 0, 3);
  desk.closed(0, 2);
  assert.deepEqual(desk.facts(), [], 'the table has room again');
  desk.closed(0, 3);
  assert.deepEqual(desk.facts(), ['2 gone']);
});

test('after a restart every wallet is disconnected', () => {
  const desk = new Desk();
  desk.opened(0, 1, 11n);
  desk.guards(1, 5_000, 0n, 0, 1);
  desk.guards(2, 5_000, 11n, 0, 1);
  desk.signs(3, 0, 1);
  const next = new Desk({ state: desk.state });
  next.now = desk.now;
  assert.deepEqual(next.facts(), ['0 gone', '1 gone']);
  assert.deepEqual(new Desk({ state: desk.state }).facts(), [], 'a running grace period is not extended');
});

test('an api thread whose ring is full opens no connection, and reports closed ones when there is room again', () => {
  const ring = createRing({ bytes: 128, consumers: 1, largest: NOTICE_BYTES });
  const connectionNotices = new ConnectionNotices(ringProducer(ring), { ringSoon: () => undefined } as unknown as Ringer);
  const consumer = ringConsumer(ring, 0);
  const heard = (): string[] => {
    const notes: string[] = [];
    for (let at = consumer.peek(); at >= 0; at = consumer.peek()) {
      const { views } = consumer;
      const isOpening = recordKind(views, at) === CONNECTION_OPENED;
      notes.push(`${connectionOf(views, at)} ${isOpening ? connectionIdOf(views, at).toString(16) : 'over'}`);
      consumer.advance();
    }
    consumer.release();
    return notes;
  };
  const first = connectionNotices.open('0100000000000000')!;
  const second = connectionNotices.open('0200000000000000')!;
  assert.equal(connectionNotices.open('0300000000000000'), null);
  assert.ok(first.isOpen);
  first.close();
  first.close();
  assert.ok(!first.isOpen && second.isOpen);
  connectionNotices.flush();
  assert.deepEqual(heard(), ['1 1', '2 2']);
  connectionNotices.flush();
  second.close();
  assert.deepEqual(heard(), ['1 over', '2 over']);
  connectionNotices.flush();
  assert.deepEqual(heard(), []);
});

test('after a restart no wallet is disconnected before the venue accepts connections', async () => {
  const desk = new Desk();
  desk.guards(1, 5_000);
  const wiring = createWiring(1);
  const loop = new MainLoop({
    wiring: wiring.main, counters: new SharedCounters(wiring.counters), state: desk.state, rules: rulesOf(readConfig([], {}) as Config),
    meters: new Meters(createMeters(['main']), 'main'), onDigest: () => undefined,
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const account = desk.account(1);
  loop.start();
  for (let i = 0; i < 50; i++) await turn();
  assert.equal(desk.state.safety.goneAt[account], 0);
  loop.startPresence();
  for (let i = 0; i < 50; i++) await turn();
  assert.ok(desk.state.safety.goneAt[account]! > 0);
  loop.stop();
});
