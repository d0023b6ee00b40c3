// The records of one request on their way to main: together or not at all, in order, and each reply once.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { CANCEL_ORDER, WORD_ORDER_ID } from '../../../../core/codec/commands.ts';
import { BYTE_ITEMS, WORD_REQUEST } from '../../../../core/codec/record.ts';
import type { Command } from '../../../../shell/api/command.ts';
import { PendingRequests } from '../../../../shell/api/pending-requests.ts';
import { CommandSender } from '../../../../shell/api/command-sender.ts';
import { Meters } from '../../../../shell/process/observability/meters.ts';
import { apiName, createWiring } from '../../../../shell/process/wiring.ts';
import { SharedCounters } from '../../../../shell/ipc/counters.ts';
import { Ringer } from '../../../../shell/ipc/doorbell.ts';
import { createRing, ringConsumer, ringProducer } from '../../../../shell/ipc/ring.ts';

const SOURCE = { network: '127.0.0.1', digest: 1, loopback: true };

/** A command without a proof: 128 bytes. */
function command(id: number, items?: number): Command {
  const fields = { orderId: { lo: id, hi: 0 } };
  const plain = { kind: CANCEL_ORDER, wallet: new Uint8Array(20), signed: null, source: SOURCE, code: 0, fields };
  return items === undefined ? plain : { ...plain, items };
}

test('records are written together or not at all, and a refusal leaves nothing behind', (t) => {
  const wiring = createWiring(1);
  const api = wiring.apis[0]!;
  const ring = createRing({ bytes: 8_192, consumers: 1, largest: 4_096 });
  const ringMain = new Ringer(api.ringMain);
  t.after(() => {
    ringMain.close();
    const bells = [wiring.main.doorbell, wiring.reader.doorbell, wiring.journal.doorbell, api.doorbell];
    for (const { ports } of bells) for (const end of ports) end.close();
  });
  const writes = new CommandSender({
    origin: 1, commands: ringProducer(ring), replies: ringConsumer(api.replies, 0), ringMain,
    durable: new SharedCounters(wiring.counters).counter('durable'), steady: () => 0,
    meters: new Meters(wiring.measures.meters, apiName(0)),
  });
  const taken: number[][] = [];
  const consumer = ringConsumer(ring, 0);
  const take = (): void => {
    for (let at = consumer.next(); at >= 0; at = consumer.next()) {
      const { u8, u32 } = consumer.views;
      const word = at >>> 2;
      taken.push([u32[word + WORD_ORDER_ID]!, u8[at + BYTE_ITEMS]!, u32[word + WORD_REQUEST]!]);
    }
    consumer.release();
  };
  const send = (...commands: Command[]): boolean => writes.send(commands, { settle: () => undefined, expire: () => undefined });
  const many = Array.from({ length: 50 }, (_, i) => command(100 + i, 50));
  assert.equal(send(...many), true);
  assert.equal(send(...many), false);
  assert.equal(writes.pending.size, 50);
  assert.equal(send(command(7)), true);
  take();
  assert.deepEqual(taken.splice(0), [...many.map((_, i) => [100 + i, 50, 1]), [7, 0, 2]]);
  assert.equal(send(...many), true);
  take();
  assert.deepEqual(taken.map(([id]) => id), many.map((_, i) => 100 + i));
});

test('replies of a bulk request come in order; on timeout the first missing item is named, and late replies free their places', () => {
  const pending = new PendingRequests<string>(5, 100);
  const told: unknown[] = [];
  const request = pending.add(0, { settle: (answer, at) => told.push([answer, at]), expire: (from) => told.push(from) }, 3);
  assert.deepEqual([pending.size, pending.open, pending.hasRoom(2), pending.hasRoom(3)], [3, 1, true, false]);
  pending.settle(request, 'first');
  assert.deepEqual([pending.size, pending.open], [2, 1]);
  pending.sweep(100);
  assert.deepEqual(told, [['first', 0], 1]);
  assert.deepEqual([pending.size, pending.open], [2, 0]);
  pending.settle(request, 'second');
  assert.equal(pending.size, 1);
  pending.settle(request, 'third');
  assert.deepEqual([pending.size, pending.open, told.length], [0, 0, 2]);
  const again = pending.add(200, { settle: (answer, at) => told.push([answer, at]), expire: () => assert.fail() }, 2);
  pending.settle(again, 'a');
  pending.settle(again, 'b');
  pending.settle(again, 'nobody waits for this');
  assert.deepEqual([pending.size, pending.open, told.slice(2)], [0, 0, [['a', 0], ['b', 1]]]);
});
