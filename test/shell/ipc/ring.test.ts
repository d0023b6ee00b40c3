// The ring in one thread: layout at every alignment, refusals, bulks, and a random comparison with a plain queue.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import {
  createRing, ringConsumer, ringDepth, ringProducer, type RingConsumer, type RingDescription, type RingProducer,
} from '../../../shell/ipc/ring.ts';
import { fault, fill } from './pattern.ts';

const STARTS = [0, 2 ** 31 - 8, 2 ** 31 - 64, 2 ** 32 - 8, 2 ** 32 - 64];

function put(ring: RingProducer, number: number, bytes: number): number {
  const at = ring.claim(bytes);
  if (at >= 0) fill(ring.views, at, number, bytes);
  return at;
}

function expectRecord(consumer: RingConsumer, number: number, bytes: number): void {
  const at = consumer.next();
  assert.notEqual(at, -1, `record ${number} is missing`);
  assert.equal(at % 8, 0);
  assert.ok(at + bytes <= consumer.views.u8.length, 'record crosses the end');
  assert.equal(fault(consumer.views, at, number, bytes), '');
}

test('every record size at every alignment arrives whole and contiguous, with counters across 2^31 and 2^32', () => {
  const bytes = 128;
  for (const start of STARTS) {
    for (let shift = 0; shift < bytes; shift += 8) {
      for (let size = 8; size <= bytes / 2; size += 8) {
        const description = createRing({ bytes, consumers: 1, largest: bytes / 2, start: start + shift });
        const producer = ringProducer(description);
        const consumer = ringConsumer(description, 0);
        for (let number = 0; number < 20; number++) {
          assert.notEqual(put(producer, number, size), -1, 'an empty ring takes a record of the largest size anywhere');
          assert.equal(consumer.next(), -1, 'a claimed record is not seen');
          producer.publish();
          expectRecord(consumer, number, size);
          assert.equal(consumer.next(), -1);
          consumer.release();
          assert.equal(ringDepth(description, 0), 0);
        }
      }
    }
  }
});

test('a consumer knows when it has taken all that was published by a moment, with counters across 2^31 and 2^32', () => {
  for (const start of STARTS) {
    const description = createRing({ bytes: 128, consumers: 1, largest: 64, start });
    const producer = ringProducer(description);
    const consumer = ringConsumer(description, 0);
    assert.ok(consumer.hasTaken(consumer.end()), 'of nothing, all');
    for (let number = 0; number < 20; number++) {
      put(producer, 2 * number, 40);
      const before = consumer.end();
      producer.publish();
      assert.ok(consumer.hasTaken(before), 'a claimed record is not one yet');
      const end = consumer.end();
      put(producer, 2 * number + 1, 16);
      producer.publish();
      assert.ok(!consumer.hasTaken(end));
      expectRecord(consumer, 2 * number, 40);
      assert.ok(consumer.hasTaken(end) && !consumer.hasTaken(consumer.end()), 'the one behind it does not matter');
      expectRecord(consumer, 2 * number + 1, 16);
      assert.ok(consumer.hasTaken(consumer.end()));
      consumer.release();
    }
  }
});

test('a full ring refuses records, keeps its own, and accepts again once the slowest consumer releases', () => {
  const description = createRing({ bytes: 64, consumers: 2, largest: 32, start: 2 ** 32 - 32 });
  const producer = ringProducer(description);
  const [fast, slow] = [ringConsumer(description, 0), ringConsumer(description, 1)];
  for (let number = 0; number < 4; number++) assert.notEqual(put(producer, number, 16), -1);
  assert.equal(producer.claim(8), -1);
  assert.equal(producer.room(), 0);
  producer.publish();
  assert.equal(producer.claim(8), -1);
  for (let number = 0; number < 4; number++) expectRecord(fast, number, 16);
  fast.release();
  assert.deepEqual([0, 1].map((consumer) => ringDepth(description, consumer)), [0, 64]);
  assert.equal((producer.published() - producer.released()) | 0, 64, 'as the slowest has it');
  assert.equal(producer.claim(8), -1, 'one consumer still holds everything');
  expectRecord(slow, 0, 16);
  assert.equal(producer.claim(8), -1, 'taken but not released');
  slow.release();
  assert.equal(ringDepth(description, 1), 48);
  assert.equal(producer.room(), 16);
  assert.equal(producer.claim(24), -1);
  assert.notEqual(put(producer, 4, 16), -1);
  producer.publish();
  for (let number = 1; number < 5; number++) expectRecord(slow, number, 16);
  expectRecord(fast, 4, 16);
});

test('the depth of a ring stays within its size while records come and go during the reading', (t) => {
  const { load } = Atomics;
  for (const start of STARTS) {
    for (const records of [1, 10]) {
      const description = createRing({ bytes: 128, consumers: 1, largest: 64, start });
      const producer = ringProducer(description);
      const consumer = ringConsumer(description, 0);
      let isMoving = false;
      const looking = t.mock.method(Atomics, 'load', (words: Int32Array, index: number) => {
        const value = load(words, index);
        if (isMoving) return value;
        isMoving = true;
        for (let number = 0; number < records; number++) {
          put(producer, number, 40);
          producer.publish();
          expectRecord(consumer, number, 40);
          consumer.release();
        }
        isMoving = false;
        return value;
      });
      const depth = ringDepth(description, 0);
      looking.mock.restore();
      assert.ok(depth >= 0 && depth <= 128, `${depth} bytes in a ring of 128`);
      assert.equal(ringDepth(description, 0), 0);
    }
  }
});

test('peeking finds every record of one publish after the first, across the wrap, and takes none', () => {
  for (const start of STARTS) {
    for (let shift = 0; shift < 64; shift += 8) {
      const description = createRing({ bytes: 64, consumers: 1, largest: 32, start: start + shift });
      const producer = ringProducer(description);
      const consumer = ringConsumer(description, 0);
      let number = 0;
      for (const sizes of [[64 - 8 * 6, 8], [8, 8, 8], [24, 16], [8], [16, 8, 16]]) {
        const places = sizes.map((bytes) => put(producer, number++, bytes));
        assert.equal(consumer.peek(), -1);
        producer.publish();
        const found = [];
        for (let at = consumer.peek(); at >= 0; at = consumer.after(at)) found.push(at);
        assert.deepEqual(found, places);
        assert.ok(!places.includes(-1));
        sizes.forEach((bytes, i) => expectRecord(consumer, number - sizes.length + i, bytes));
        assert.equal(consumer.peek(), -1);
        consumer.release();
      }
    }
    const full = createRing({ bytes: 64, consumers: 1, largest: 32, start });
    const [producer, consumer] = [ringProducer(full), ringConsumer(full, 0)];
    const places = [0, 1, 2, 3].map((number) => put(producer, number, 16));
    producer.publish();
    const found = [];
    for (let at = consumer.peek(); at >= 0; at = consumer.after(at)) found.push(at);
    assert.deepEqual(found, places.filter((at) => at >= 0), 'of a ring that is full too');
  }
});

test('abandon() drops every unpublished claim, also across the wrap, and nothing else', () => {
  for (const start of STARTS) {
    const description = createRing({ bytes: 64, consumers: 1, largest: 24, start: start + 48 });
    const producer = ringProducer(description);
    const consumer = ringConsumer(description, 0);
    put(producer, 1, 8);
    producer.publish();
    put(producer, 2, 24);
    put(producer, 3, 16);
    producer.abandon();
    producer.publish();
    expectRecord(consumer, 1, 8);
    assert.equal(consumer.next(), -1);
    put(producer, 4, 16);
    producer.publish();
    expectRecord(consumer, 4, 16);
    assert.equal(consumer.next(), -1);
  }
});

test('peek() returns the same record until advance(), and advance() without a peek takes nothing', () => {
  const description = createRing({ bytes: 64, consumers: 1, largest: 24 });
  const producer = ringProducer(description);
  const consumer = ringConsumer(description, 0);
  consumer.advance();
  assert.equal(consumer.peek(), -1);
  consumer.advance();
  const first = put(producer, 1, 24);
  const second = put(producer, 2, 16);
  producer.publish();
  assert.equal(consumer.peek(), first);
  assert.equal(consumer.peek(), first);
  consumer.release();
  assert.equal(ringDepth(description, 0), 40, 'a record that was only shown is not released');
  consumer.advance();
  consumer.advance();
  assert.equal(consumer.peek(), second);
  consumer.release();
  assert.equal(ringDepth(description, 0), 16);
  expectRecord(consumer, 2, 16);
});

test('a new producer or consumer continues where the old one published or released', () => {
  const description = createRing({ bytes: 64, consumers: 1, largest: 16, start: 2 ** 31 - 16 });
  const first = ringProducer(description);
  put(first, 1, 16);
  put(first, 2, 16);
  first.publish();
  put(first, 3, 16);
  const consumer = ringConsumer(description, 0);
  expectRecord(consumer, 1, 16);
  consumer.release();
  expectRecord(consumer, 2, 16);
  const second = ringProducer(description);
  put(second, 4, 16);
  second.publish();
  const again = ringConsumer(description, 0);
  expectRecord(again, 2, 16);
  expectRecord(again, 4, 16);
  assert.equal(again.next(), -1);
});

test('an impossible length is reported as corruption', () => {
  for (const length of [0, 4, 12, 24, 0x7fff_fff8]) {
    const description = createRing({ bytes: 64, consumers: 1, largest: 32 });
    const producer = ringProducer(description);
    const at = put(producer, 1, 16);
    producer.views.u32[at >>> 2] = length;
    producer.publish();
    assert.throws(() => ringConsumer(description, 0).next(), /ring corrupt/);
  }
});

test('a description or claim out of range is refused by name', () => {
  const good = { bytes: 64, consumers: 1, largest: 32 };
  for (const bytes of [8, 63, 96, 2 ** 31, NaN]) assert.throws(() => createRing({ ...good, bytes }), /power of two/);
  for (const consumers of [0, 1.5]) assert.throws(() => createRing({ ...good, consumers }), /consumers/);
  for (const largest of [0, 4, 20, 40]) assert.throws(() => createRing({ ...good, largest }), /largest/);
  for (const start of [4, 0.5, Infinity]) assert.throws(() => createRing({ ...good, start }), /start/);
  const description = createRing(good);
  for (const bytes of [0, -8, 12, 16.5, 40, NaN]) assert.throws(() => ringProducer(description).claim(bytes), /cannot claim/);
  for (const index of [-1, 1, 0.5]) assert.throws(() => ringConsumer(description, index), /no consumer/);
});

test('property: the ring behaves like a queue, with random operations and three consumers', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('claim' as const), eighths: fc.integer({ min: 1, max: 8 }) }) },
    { weight: 4, arbitrary: fc.constant({ kind: 'publish' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'abandon' as const }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('next' as const), who: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('peek' as const), who: fc.nat(2) }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('release' as const), who: fc.nat(2) }) },
  );
  const sizes = fc.constantFrom(16, 32, 64, 128);
  const many = fc.array(step, { maxLength: 300, size: 'max' });
  fc.assert(
    fc.property(sizes, fc.constantFrom(...STARTS), fc.nat(15), many, (size, base, shift, steps) => {
      const model = new Model(size, base + 8 * shift);
      for (const one of steps) {
        if (one.kind === 'claim') model.claim(Math.min(8 * one.eighths, size / 2));
        else if (one.kind === 'publish') model.publish();
        else if (one.kind === 'abandon') model.abandon();
        else if (one.kind === 'next') model.take(one.who, true);
        else if (one.kind === 'peek') model.take(one.who, false);
        else model.release(one.who);
      }
    }),
    { numRuns: 2000 },
  );
});

/** A queue of records with unbounded positions, driving the ring beside it and comparing every answer. */
class Model {
  private readonly size: number;
  private readonly start: number;
  private readonly description: RingDescription;
  private readonly producer: RingProducer;
  private readonly consumers: RingConsumer[];
  /** Every record ever published, then those claimed. */
  private queue: { number: number; bytes: number; begin: number }[] = [];
  private published = 0;
  private numbers = 0;
  /** For each consumer: records taken, position, position at the last release. */
  private readonly taken = [0, 0, 0];
  private readonly positions: number[];
  private readonly tails: number[];

  constructor(size: number, start: number) {
    this.size = size;
    this.start = start;
    this.positions = [start, start, start];
    this.tails = [start, start, start];
    this.description = createRing({ bytes: size, consumers: 3, largest: size / 2, start });
    this.producer = ringProducer(this.description);
    this.consumers = [0, 1, 2].map((index) => ringConsumer(this.description, index));
  }

  private end(count: number): number {
    const last = this.queue[count - 1];
    return last === undefined ? this.start : last.begin + last.bytes;
  }

  /** Where a record of `bytes` would begin, or -1: the first place at which it does not cross a multiple of the size. */
  private place(bytes: number): number {
    let begin = this.end(this.queue.length);
    if (Math.floor(begin / this.size) !== Math.floor((begin + bytes - 1) / this.size)) begin = Math.ceil(begin / this.size) * this.size;
    return begin + bytes - Math.min(...this.tails) <= this.size ? begin : -1;
  }

  claim(bytes: number): void {
    let most = 0;
    while (most < this.size / 2 && this.place(most + 8) >= 0) most += 8;
    const room = this.producer.room();
    assert.ok(most < this.size / 2 ? room === most : room >= most, `room ${room} where ${most} can be claimed`);
    const begin = this.place(bytes);
    assert.equal(put(this.producer, this.numbers, bytes), begin < 0 ? -1 : begin % this.size);
    if (begin < 0) return;
    this.queue.push({ number: this.numbers, bytes, begin });
    this.numbers += 1;
  }

  publish(): void {
    this.producer.publish();
    this.published = this.queue.length;
  }

  abandon(): void {
    this.producer.abandon();
    this.queue = this.queue.slice(0, this.published);
  }

  take(who: number, advance: boolean): void {
    const consumer = this.consumers[who]!;
    const at = consumer.peek();
    const record = this.taken[who]! < this.published ? this.queue[this.taken[who]!] : undefined;
    if (record === undefined) {
      assert.equal(at, -1);
      return;
    }
    assert.equal(at, record.begin % this.size);
    assert.equal(fault(consumer.views, at, record.number, record.bytes), '');
    this.positions[who] = record.begin;
    if (!advance) return;
    consumer.advance();
    this.positions[who] = record.begin + record.bytes;
    this.taken[who]! += 1;
  }

  release(who: number): void {
    this.consumers[who]!.release();
    this.tails[who] = this.positions[who]!;
    assert.equal(ringDepth(this.description, who), this.end(this.published) - this.tails[who]!);
    assert.equal((this.producer.published() - this.producer.released()) | 0, this.end(this.published) - Math.min(...this.tails));
  }
}
