// A connection whose client reads when the test says so, with a reader that answers when the test says so.

import assert from 'node:assert/strict';
import { Quota } from '../../../shell/http/quota.ts';
import { BOUNDS, LIMITS } from '../../../shell/http/limits.ts';
import type { Refused } from '../../../shell/http/errors.ts';
import type { ErrorCode } from '../../../shell/http/shapes/error-codes.ts';
import type { Socket } from '../../../shell/http/server/sockets.ts';
import { Connection } from '../../../shell/ws/connection.ts';
import { OutboundMemory } from '../../../shell/ws/outbound-memory.ts';
import { TopicRegistry } from '../../../shell/ws/topic-registry.ts';
import { WriteScheduler } from '../../../shell/ws/write-scheduler.ts';
import { topicOf } from '../api/harness.ts';
import { QUIET_API, standingText } from '../../support/api.ts';

type Asked = {
  readonly query: string; readonly parameters: any;
  answer(seq: number | null, messages?: object[]): void;
  /** The next part of what is taken up again after `seq`. */
  part(seq: number, messages: object[]): void;
  refuse(message: string, code?: ErrorCode): void;
};

export class Scripted {
  readonly frames: any[] = [];
  readonly asked: Asked[];
  unread = 0;
  hasRoom = true;
  closed: [number, string] | null = null;
  readonly connection: Connection;
  readonly topics: TopicRegistry;
  readonly held: OutboundMemory;
  time = 0;
  /** The node follows another one. */
  follows = false;
  /** Why the connection takes no message now. */
  refusal: () => Refused | null = () => null;
  readonly turn = new WriteScheduler(() => this.time);

  /** One `beside` another is of the same thread: they share its topics, what they hold, and what the reader is asked. */
  constructor(wallet: string | null = null, beside: Scripted | null = null, network = '203.0.113.1', mostHeld = BOUNDS.threadHeldBytes) {
    const ask = (query: string, parameters: any, settle: (answer: object) => void): boolean => {
      const topic = topicOf(`${parameters.channel} ${parameters.key}`);
      const give = (status: number, text: string) => settle({ status, body: Buffer.from(text) });
      const stand = (number: number, seq: number | null, messages: readonly object[]) => (
        give(200, standingText(number, seq, messages))
      );
      if (this.hasRoom) {
        this.asked.push({
          query, parameters, answer: (seq, messages = []) => stand(topic, seq, messages),
          part: (seq, messages) => stand(0, seq, messages),
          refuse: (message, code = 'invalid_parameter') => give(400, JSON.stringify({ error: code, message })),
        });
      }
      return this.hasRoom;
    };
    const socket = {
      source: { network, digest: 7, loopback: false },
      cork: (work: () => void) => work(), bufferedBytes: () => this.unread, countMessage: () => true,
      close: (code: number, reason: string) => {
        this.closed ??= [code, reason];
        this.connection.close();
      },
      send: (frame: string | Uint8Array) => {
        this.unread += frame.length;
        this.frames.push(JSON.parse(typeof frame === 'string' ? frame : Buffer.from(frame).toString()));
      },
    } as unknown as Socket;
    this.asked = beside?.asked ?? [];
    this.held = beside?.held ?? new OutboundMemory(mostHeld);
    this.topics = beside?.topics ?? new TopicRegistry({ ask } as never, assert.fail, () => this.follows);
    this.connection = new Connection({
      api: QUIET_API, socket, registry: this.topics, scheduler: this.turn, memory: this.held, encoding: 'json', connection: '',
      refusedBytes: new Quota(LIMITS.refusedBytes, () => Math.floor(this.time / 1_000)), refusal: () => this.refusal(),
    }, wallet);
  }

  /** The client sends a message, or bytes that are none. */
  say(message: unknown): void {
    this.connection.message(Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)), false);
  }

  tell(key: string, message: object, channel = 'book'): void {
    this.topics.publish(topicOf(`${channel} ${key}`), Buffer.from(JSON.stringify(message)));
  }

  /** What was sent since the last call; the client has read it all. */
  read(): any[] {
    this.unread = 0;
    const frames = this.frames.splice(0);
    this.connection.drain();
    return frames;
  }
}
