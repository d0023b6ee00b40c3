// Which connections of this thread want which stream. Every member asks the reader itself, also for a topic that another
// has: the answer brings a snapshot that stands at its place in the ring, so what follows in the ring is what happened
// after it. The reader counts: a topic streams until as many `unsubscribe` as `subscribe` have come from this thread.

import type { Answer, Reads } from '../api/reads.ts';
import type { Subscription } from '../reader/protocol.ts';

/** Who receives the messages of a topic. */
export type Member = { deliver(topic: Topic, frame: string): void };

/** One channel and key; `number` is the reader's. */
export type Topic = { readonly channel: string; readonly key: string; readonly number: number; readonly members: Set<Member> };

/** The topic with its snapshot frames, or why there is none. */
export type JoinResult = { readonly topic: Topic; readonly snapshot: readonly string[] } | { readonly error: string };

export class Topics {
  readonly #reads: Reads;
  readonly #byNumber = new Map<number, Topic>();
  /** Numbers of `unsubscribe` that found no room: one for each subscription of the past, sent by `flush`. */
  readonly #owed: number[] = [];

  readonly #fault: (place: string, error: unknown) => void;

  constructor(reads: Reads, fault: (place: string, error: unknown) => void) {
    this.#reads = reads;
    this.#fault = fault;
  }

  /** Topics with members. */
  get size(): number {
    return this.#byNumber.size;
  }

  /**
   * Makes the member one of the topic when the reader answers, if it is still wanted then; `joined` is called once,
   * the membership already stands.
   */
  join(channel: string, key: string, member: Member, isWanted: () => boolean, joined: (result: JoinResult) => void): void {
    const answered = ({ status, body }: Answer) => {
      const text = Buffer.from(body).toString('utf8');
      let result: JoinResult;
      try {
        if (status !== 200) result = { error: messageOf(text) };
        else result = this.#enter(JSON.parse(text) as Subscription, channel, key, member, isWanted());
      } catch (error) {
        this.#fault('subscribe', error);
        result = { error: 'The subscription failed' };
      }
      joined(result);
    };
    const late = () => joined({ error: 'The subscription was not answered in time' });
    const sent = this.#reads.ask('subscribe', { channel, key }, answered, late);
    if (!sent) joined({ error: 'Too many requests in flight' });
  }

  #enter({ topic: number, messages }: Subscription, channel: string, key: string, member: Member, isWanted: boolean): JoinResult {
    const topic = this.#byNumber.get(number) ?? { channel, key, number, members: new Set<Member>() };
    if (!isWanted || topic.members.has(member)) this.#unsubscribe(number);
    else {
      topic.members.add(member);
      this.#byNumber.set(number, topic);
    }
    return { topic, snapshot: messages.map((message) => JSON.stringify(message)) };
  }

  leave(topic: Topic, member: Member): void {
    if (!topic.members.delete(member)) return;
    if (topic.members.size === 0) this.#byNumber.delete(topic.number);
    this.#unsubscribe(topic.number);
  }

  /** One message of the reader to all who want it; decoded once. */
  publish(number: number, body: Uint8Array): void {
    const topic = this.#byNumber.get(number);
    if (topic === undefined) return;
    const frame = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
    for (const member of topic.members) {
      try {
        member.deliver(topic, frame);
      } catch (error) {
        this.#fault('stream', error);
      }
    }
  }

  /** Says again what found no room. */
  flush(): void {
    for (const number of this.#owed.splice(0)) this.#unsubscribe(number);
  }

  #unsubscribe(topic: number): void {
    const nothing = () => undefined;
    if (!this.#reads.ask('unsubscribe', { topic }, nothing, nothing)) this.#owed.push(topic);
  }
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // A body that is no JSON has no message of its own.
  }
  return 'Subscription refused';
}
