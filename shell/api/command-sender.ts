// The way of commands to main and back: a record each in the command ring, a row of those that wait, replies that are taken
// only when what they tell is durable. The records of one request go together or not at all: with no room for all of them the
// answer is 'busy', and nothing was sent.

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
  /** 1 and up: which api thread this is, as records name it. */
  readonly origin: number;
  readonly commands: RingProducer;
  readonly replies: RingConsumer;
  readonly ringMain: Ringer;
  /** Low word of the last durable seq. */
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

  /**
   * Sends the commands of one request, in their order. `waiter` gets a reply to each, with the command's place. False: no room, and it
   * gets nothing.
   */
  send(sent: readonly Command[], waiter: Waiter<Reply>): boolean {
    const { origin, commands, ringMain, steady } = this.#parts;
    if (!this.pending.hasRoom(sent.length)) return false;
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
    const request = this.pending.add(steady(), waiter, sent.length);
    for (let i = 0; i < sent.length; i++) {
      const command = sent[i]!;
      writeCommand(commands.views, places[i]!, sizes[i]!, command, origin, request);
      stampSent(commands.views, places[i]!, sharedSteady());
      const { connection } = command.source;
      if (connection?.isOpen === true) stampConnection(commands.views, places[i]!, connection.number);
    }
    // All at once: main looks at all records of a bulk when it takes the first.
    commands.publish();
    ringMain.ringSoon();
    return true;
  }

  /** Takes up to `limit` replies that are durable; returns how many. */
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
