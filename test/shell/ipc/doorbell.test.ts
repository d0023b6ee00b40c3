// The doorbell and the consumer loop: every moment of falling asleep within one thread, then litmus tests between threads. A lost wake-up
// is a hang, which the watchdog turns into a failure. Titles name allowed and forbidden outcomes. STRIKEBOOK_LONG=1 runs twenty times as
// many records.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as pass } from 'node:timers/promises';
import { runConsumer } from '../../../shell/ipc/consumer-loop.ts';
import { Doorbell, Ringer, createDoorbell, type RingerDescription } from '../../../shell/ipc/doorbell.ts';
import { createRing, ringConsumer, ringProducer, type RingConsumer, type RingProducer } from '../../../shell/ipc/ring.ts';
import type { DoorbellWorkerData, DoorbellWorkerReport } from './doorbell-worker.ts';
import { News } from './news.ts';
import { startWorker, type Started } from './threads.ts';

const FACTOR = process.env['STRIKEBOOK_LONG'] === '1' ? 20 : 1;

/** Enough passes of the event loop for a message between ports of one thread, as often as they are asked for. */
async function until(condition: () => boolean, what: string): Promise<void> {
  for (let passes = 0; !condition(); passes++) {
    if (passes > 100_000) throw new Error(`never: ${what}`);
    await pass();
  }
}

async function passes(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await pass();
}

test('a record published at any moment of falling asleep; allowed: found by look or message; forbidden: missed', async (t) => {
  // The calls of drain are the points: before the flag, between flag and last look, after the last look.
  for (let point = 0; point < 6; point++) {
    for (const early of [true, false]) {
      const { doorbell, ringers } = createDoorbell(1);
      const news = new News(new Ringer(ringers[0]!), point, early);
      const consumer = runConsumer({ doorbell: new Doorbell(doorbell), drain: news.drain });
      t.after(consumer.stop);
      for (let wakes = 0; news.looks <= point; wakes++) {
        await passes(20);
        consumer.wake();
        assert.ok(wakes < 20);
      }
      await until(() => news.found === 1, `the news of point ${point} found`);
      assert.equal(news.published, 1);
    }
  }
});

test('two producers ring a sleeper; allowed: one message; forbidden: none, two, or one to a waking consumer', async (t) => {
  const { doorbell, ringers } = createDoorbell(2);
  const bell = new Doorbell(doorbell);
  const [a, b] = ringers.map((ringer) => new Ringer(ringer));
  t.after(() => bell.close());
  let messages = 0;
  bell.listen(() => (messages += 1));
  a!.ring();
  b!.ring();
  await passes(50);
  assert.equal(messages, 0, 'nobody slept');
  for (let sleep = 1; sleep <= 10; sleep++) {
    bell.sleep();
    (sleep % 2 === 0 ? a! : b!).ring();
    a!.ring();
    b!.ring();
    await until(() => messages === sleep, 'a message');
    await passes(20);
    assert.equal(messages, sleep);
  }
  bell.sleep();
  bell.awake();
  a!.ring();
  await passes(50);
  assert.equal(messages, 10);
});

test('under constant load a turn handles no more than its limit, and timers run', async (t) => {
  const { doorbell } = createDoorbell(1);
  let handled = 0;
  let turn = 0;
  let timers = 0;
  const drain = (limit: number): number => {
    assert.ok(limit >= 1 && turn + limit <= 100, 'more than the rest of the turn');
    const done = Math.min(limit, 7);
    if (turn === 0) setImmediate(() => (turn = 0));
    turn += done;
    handled += done;
    return done;
  };
  const consumer = runConsumer({ doorbell: new Doorbell(doorbell), drain, recordsPerTurn: 100 });
  t.after(consumer.stop);
  const timer = setInterval(() => (timers += 1), 1);
  t.after(() => clearInterval(timer));
  await until(() => timers >= 3 && handled >= 1000, 'timers beside the load');
  consumer.stop();
  const before = handled;
  await passes(10);
  assert.equal(handled, before, 'drained after stop');
});

test('a draining consumer costs its producers no message, whether woken by its own thread or by its last look', async (t) => {
  const { doorbell, ringers } = createDoorbell(1);
  const ringer = new Ringer(ringers[0]!);
  let messages = 0;
  doorbell.ports[0]!.on('message', () => (messages += 1));
  // What the calls return: asleep after two; woken, one, none, one at the last look, another, asleep again.
  const answers = [0, 0, 1, 0, 1, 1, 0, 0];
  let calls = 0;
  const drain = (): number => {
    if (calls === 2 || calls === 5) ringer.ring();
    return answers[calls++] ?? 0;
  };
  const consumer = runConsumer({ doorbell: new Doorbell(doorbell), drain });
  t.after(consumer.stop);
  await until(() => calls === 2, 'asleep');
  consumer.wake();
  assert.equal(calls, 8);
  await passes(50);
  assert.equal(messages, 0);
  ringer.ring();
  await until(() => messages === 1, 'a message to the sleeper');
});

test('a busy thread looks every turn and is not rung; an idle one sleeps and is rung', async (t) => {
  const { doorbell, ringers } = createDoorbell(1);
  const ringer = new Ringer(ringers[0]!);
  let [messages, isBusy, news, found] = [0, true, 0, 0];
  doorbell.ports[0]!.on('message', () => (messages += 1));
  const drain = (): number => {
    const done = news;
    news = 0;
    found += done;
    return done;
  };
  const consumer = runConsumer({ doorbell: new Doorbell(doorbell), drain, isBusy: () => isBusy });
  t.after(consumer.stop);
  for (let i = 1; i <= 3; i++) {
    await passes(3);
    news++;
    ringer.ring();
    await until(() => found === i, 'found by a look');
  }
  assert.equal(messages, 0);
  isBusy = false;
  await passes(3);
  news++;
  ringer.ring();
  await until(() => found === 4, 'found by a ring');
  assert.equal(messages, 1);
});

test('wake() drains a sleeper at once, and does nothing within a turn or after stop(); stop() ends the loop', async (t) => {
  const { doorbell } = createDoorbell(1);
  let calls = 0;
  let action = (): void => undefined;
  const drain = (): number => {
    calls += 1;
    action();
    return 0;
  };
  const consumer = runConsumer({ doorbell: new Doorbell(doorbell), drain });
  t.after(consumer.stop);
  consumer.wake();
  assert.equal(calls, 0, 'the first turn comes from the event loop');
  await until(() => calls === 2, 'the first turn');
  consumer.wake();
  assert.equal(calls, 4);
  action = () => consumer.wake();
  consumer.wake();
  assert.equal(calls, 6);
  action = () => consumer.stop();
  consumer.wake();
  assert.equal(calls, 7);
  consumer.wake();
  await passes(10);
  assert.equal(calls, 7);
});

test('listening keeps a thread alive; ringing does not', (t) => {
  const { doorbell, ringers } = createDoorbell(1);
  const ringer = new Ringer(ringers[0]!);
  const bell = new Doorbell(doorbell);
  t.after(() => bell.close());
  bell.listen(() => undefined);
  assert.equal(doorbell.ports[0]!.hasRef(), true);
  assert.equal(ringers[0]!.port.hasRef(), false);
  ringer.close();
});

/** This thread's end of one exchange with a worker that answers every record. */
type Peer = {
  readonly out: RingProducer;
  readonly back: RingConsumer;
  readonly ringer: Ringer;
  readonly worker: Started<DoorbellWorkerReport>;
  sent: number;
  received: number;
};

function startPeer(toMe: RingerDescription, count: number, pause: number): Peer {
  // Room for a whole turn of records handed out and not released yet.
  const inward = createRing({ bytes: 1 << 14, consumers: 1, largest: 16, start: 2 ** 31 - 64 });
  const outward = createRing({ bytes: 1 << 14, consumers: 1, largest: 16, start: 2 ** 32 - 64 });
  const { doorbell, ringers } = createDoorbell(1);
  const data: DoorbellWorkerData = { inward, outward, doorbell, ringer: toMe, count, pause };
  const worker = startWorker<DoorbellWorkerReport>('./doorbell-worker.ts', data, [...doorbell.ports, toMe.port]);
  return { out: ringProducer(inward), back: ringConsumer(outward, 0), ringer: new Ringer(ringers[0]!), worker, sent: 0, received: 0 };
}

function send(peer: Peer): void {
  const at = peer.out.claim(16);
  assert.notEqual(at, -1);
  peer.out.views.u32[(at >>> 2) + 1] = peer.sent;
  peer.sent += 1;
  peer.out.publish();
  peer.ringer.ring();
}

/** Exchanges `count` records with each of `peers` workers, `window` of them under way at a time. */
async function exchange(count: number, peers: number, window: number, pause: number): Promise<void> {
  const { doorbell, ringers } = createDoorbell(peers);
  const all = ringers.map((ringer) => startPeer(ringer, count, pause));
  const drain = (limit: number): number => {
    let done = 0;
    for (const peer of all) {
      for (let at = peer.back.next(); at >= 0; at = done < limit ? peer.back.next() : -1) {
        assert.equal(peer.back.views.u32[(at >>> 2) + 1], peer.received, 'answers in order');
        peer.received += 1;
        done += 1;
        if (peer.sent < count) send(peer);
      }
      peer.back.release();
      if (done >= limit) break;
    }
    return done;
  };
  const consumer = runConsumer({ doorbell: new Doorbell(doorbell), drain });
  try {
    for (const peer of all) for (let i = 0; i < window; i++) send(peer);
    for (const peer of all) assert.equal((await peer.worker.answer).handled, count);
    await until(() => all.every((peer) => peer.received === count), 'the last answers');
  } finally {
    consumer.stop();
    await Promise.all(all.map((peer) => peer.worker.stop()));
  }
}

test('one record back and forth, answered at once; allowed: needless wake-ups; forbidden: a lost one (a hang)', async () => {
  await exchange(FACTOR * 15_000, 1, 1, 0);
});

test('one record back and forth, answered after varying pauses; forbidden: a lost wake-up (a hang)', async () => {
  await exchange(FACTOR * 10_000, 1, 1, 20_000);
});

test('two threads ring one doorbell with one record each; forbidden: a lost wake-up (a hang)', async () => {
  await exchange(FACTOR * 10_000, 2, 1, 2_000);
});

test('several records in flight back and forth; forbidden: a lost wake-up (a hang), an answer out of order', async () => {
  await exchange(FACTOR * 50_000, 1, 4, 50);
});
