// The way of a command to main and back: a record in the command ring, a row of those that wait, a reply that is taken
// only when what it tells is durable. With no room anywhere the answer is 'busy', and nothing was sent.

import { REPLY_WORD_SEQ } from '../../core/codec/reply.ts';
import type { Ringer } from '../transport/doorbell.ts';
import { reached, type Counter } from '../transport/counters.ts';
import type { RingConsumer, RingProducer } from '../transport/ring.ts';
import { IN_FLIGHT } from '../threads/wiring.ts';
import { ANSWER_WITHIN } from './bounds.ts';
import { measureCommand, writeCommand, type Command } from './command.ts';
import { Pending } from './pending.ts';
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
};

export class Writes {
  readonly pending = new Pending<Reply>(IN_FLIGHT, ANSWER_WITHIN);
  readonly #parts: WriteParts;

  constructor(parts: WriteParts) {
    this.#parts = parts;
  }

  /** Sends the command; later exactly one of `settle` and `expire` is called. False: no room, neither will be. */
  send(command: Command, settle: (reply: Reply) => void, expire: () => void): boolean {
    const { origin, commands, ringMain, steady } = this.#parts;
    if (this.pending.isFull) return false;
    const { bytes, texts } = measureCommand(command);
    const at = commands.claim(bytes);
    if (at < 0) return false;
    writeCommand(commands.views, at, bytes, texts, command, origin, this.pending.add(steady(), settle, expire));
    commands.publish();
    ringMain.ringSoon();
    return true;
  }

  /** Takes up to `limit` replies that are durable; returns how many. */
  drain(limit: number): number {
    const { replies, durable } = this.#parts;
    let done = 0;
    while (done < limit) {
      const at = replies.peek();
      if (at < 0 || !reached(durable.load(), replies.views.u32[(at >>> 2) + REPLY_WORD_SEQ]!)) break;
      const request = requestOfReply(replies.views, at);
      const reply = readReply(replies.views, at);
      replies.advance();
      done++;
      this.pending.settle(request, reply);
    }
    replies.release();
    return done;
  }
}
