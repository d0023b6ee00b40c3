// Sends commands to main and receives replies, which are passed on only when durable.

import { REPLY_WORD_SEQ } from '../../core/codec/reply.ts';
import { OK } from '../../core/errors.ts';
import { sharedSteady } from '../process/clock.ts';
import type { Meters } from '../process/observability/meters.ts';
import type { Ringer } from '../ipc/doorbell.ts';
import { reached, type Counter } from '../ipc/counters.ts';
import type { RingConsumer, RingProducer } from '../ipc/ring.ts';
import { stampConnection, stampSent } from '../ipc/command-ring.ts';
import { IN_FLIGHT } from '../process/wiring.ts';
import { BOUNDS } from '../http/limits.ts';
import { measureCommand, writeCommand, type Command } from './command.ts';
import { PendingRequests, type Waiter } from './pending-requests.ts';
import { readReply, requestOfReply, type Reply } from './reply.ts';

type WriteParts = {
  readonly origin: number;
  readonly commands: RingProducer;
  readonly replies: RingConsumer;
  readonly ringMain: Ringer;
  readonly durable: Counter;
  readonly steady: () => number;
  readonly meters: Meters;
};

export class CommandSender {
  readonly pending = new PendingRequests<Reply>(IN_FLIGHT, BOUNDS.answerMs);
  readonly #parts: WriteParts;

  constructor(parts: WriteParts) {
    this.#parts = parts;
  }

  /** All or none; false if there is no room. `waiter` gets each reply with its position. */
  send(sent: readonly Command[], waiter: Waiter<Reply>): boolean {
    const { origin, commands, ringMain, steady } = this.#parts;
    const extra = sent.reduce((sum, { places = 1 }) => sum + places - 1, 0);
    if (!this.pending.hasRoom(sent.length + extra)) return false;
    const sizes: number[] = [];
    const places: number[] = [];
    for (const command of sent) {
      const bytes = measureCommand(command);
      const at = commands.claim(bytes);
      if (at < 0) {
        commands.abandon();
        return false;
      }
      sizes.push(bytes);
      places.push(at);
    }
    const request = this.pending.add(steady(), waiter, sent.length, 0, extra);
    for (let i = 0; i < sent.length; i++) {
      const command = sent[i]!;
      writeCommand(commands.views, places[i]!, sizes[i]!, command, origin, request);
      stampSent(commands.views, places[i]!, sharedSteady());
      const { connection } = command.source;
      if (connection?.isOpen === true) stampConnection(commands.views, places[i]!, connection.number);
    }
    commands.publish();
    ringMain.ringSoon();
    return true;
  }

  drain(limit: number): number {
    const { replies, durable, meters } = this.#parts;
    let done = 0;
    while (done < limit) {
      const at = replies.peek();
      if (at < 0 || !reached(durable.load(), replies.views.u32[(at >>> 2) + REPLY_WORD_SEQ]!)) break;
      const request = requestOfReply(replies.views, at);
      const reply = readReply(replies.views, at);
      replies.advance();
      done++;
      this.pending.settle(request, reply);
      if (reply.code === OK) meters.observe('reply', (sharedSteady() - meters.timestamp(reply.seq)) / 1_000);
    }
    replies.release();
    return done;
  }
}
