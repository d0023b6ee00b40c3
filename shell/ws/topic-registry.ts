// Which connections of this thread want which stream. Every member asks the reader itself, also for a topic that another
// has: the answer brings a snapshot that stands at its place in the ring, so what follows in the ring is what happened
// after it. The reader counts: a topic streams until as many subscriptions have ended as there were `subscribe` from this thread.

import { bodyJson, type ReaderClient } from '../api/reader-client.ts';
import { BOUNDS } from '../http/limits.ts';
import { BUSY, refuse, type Refused } from '../http/errors.ts';
import { STATUS, type ErrorCode } from '../http/shapes/codes.ts';
import type { Answer, QueryParameters } from '../ipc/queries.ts';
import { isChainRow } from '../ipc/chain-row.ts';
import { readSubscription } from '../ipc/subscription.ts';
import { SnapshotQueue } from './snapshot-queue.ts';
import { ChainIndex } from './chain-index.ts';
import { OutboundMessage } from './outbound-message.ts';

/**
 * Who receives the messages of a topic; `lost` instead of one that could not be delivered, and then none any more. `source`: its
 * network source, with all of which it shares its turns to ask the reader.
 */
export type TopicSubscriber = {
  readonly source: string;
  deliver(topic: ThreadTopic, message: OutboundMessage): void;
  lost(topic: ThreadTopic): void;
};

/** One channel and key; `number` is the reader's. */
export type ThreadTopic = {
  readonly channel: string; readonly key: string; readonly number: number; readonly subscribers: Set<TopicSubscriber>;
};

/** What the reader is asked for. */
export type SubscribeQuery = QueryParameters['subscribe'];

/** The topic with its snapshot, which is that of `seq`, or the next part of what is resumed after `seq`; or why there is none. */
export type JoinResult =
  | { readonly part: readonly OutboundMessage[]; readonly seq: number }
  | { readonly topic: ThreadTopic; readonly seq: number | null; readonly snapshot: readonly OutboundMessage[] }
  | { readonly error: Refused };

/** An answer of the reader: its bytes, and its messages as frames, which are parts of them. */
type CachedAnswer = {
  readonly body: Uint8Array; readonly topic: number; readonly seq: number | null; readonly messages: readonly OutboundMessage[];
};

/** A connection and what it is to be sent have lost each other in the venue (law, Events 2): the client subscribes again. */
export const CLIENT_LOST: Refused = refuse('internal_error', 'Client not found');

export class TopicRegistry {
  /** What connections want of the options chain: their filters, of which several have one topic, and one may have several. */
  readonly chains: ChainIndex;
  readonly #reads: ReaderClient;
  readonly #byNumber = new Map<number, ThreadTopic>();
  readonly #queue = new SnapshotQueue();
  /** By channel and key the last answer, while a connection holds it or has just been given it. */
  readonly #cache = new Map<string, CachedAnswer>();
  /** By topic number, how many subscriptions have ended that the reader has not been told of. */
  readonly #unsubscribed = new Map<number, number>();
  /** Questions that tell it, without an answer. */
  #unsubscribesInFlight = 0;
  readonly #onNextFlush: (() => void)[] = [];
  readonly #fault: (place: string, error: unknown) => void;

  constructor(reads: ReaderClient, fault: (place: string, error: unknown) => void) {
    this.#reads = reads;
    this.#fault = fault;
    this.chains = new ChainIndex(fault);
  }

  /** Topics with members. */
  get size(): number {
    return this.#byNumber.size;
  }

  /**
   * Asks in its turn, and makes the member one of the topic when the reader answers, if it is still wanted then; `joined` is called
   * once, the membership already stands. An answer that comes after `joined` was told of none ends what it began.
   */
  join(query: SubscribeQuery, subscriber: TopicSubscriber, isWanted: () => boolean, joined: (result: JoinResult) => void): void {
    this.#queue.request(subscriber.source, (done) => {
      const end = (result: JoinResult): void => {
        try {
          joined(result);
        } finally {
          done();
        }
      };
      if (isWanted()) this.#ask(query, subscriber, isWanted, end);
      else end({ error: CLIENT_LOST });
    });
  }

  #ask(query: SubscribeQuery, subscriber: TopicSubscriber, isWanted: () => boolean, joined: (result: JoinResult) => void): void {
    const take = ({ status, body }: Answer, isWantedStill: boolean): JoinResult => {
      try {
        return status === 200 ? this.#addSubscriber(this.#read(body, query), query, subscriber, isWantedStill) : { error: refusalOf(body) };
      } catch (error) {
        this.#fault('subscribe', error);
        return { error: CLIENT_LOST };
      }
    };
    const answered = (answer: Answer) => joined(take(answer, isWanted()));
    const expired = () => joined({ error: CLIENT_LOST });
    const late = (answer: Answer) => void take(answer, false);
    const sent = this.#reads.ask('subscribe', query, answered, expired, null, late);
    if (!sent) joined({ error: BUSY });
  }

  /** What stands; where the last who asked for the same was told the same, the very frames of then, so that they are held once. */
  #read(body: Uint8Array, { channel, key }: SubscribeQuery): CachedAnswer {
    const name = `${channel} ${key}`;
    const last = this.#cache.get(name);
    if (last !== undefined && Buffer.compare(last.body, body) === 0) return last;
    // The body is lent.
    const own = new Uint8Array(body);
    const { topic, seq, messages } = readSubscription(own);
    const answer = { body: own, topic, seq, messages: messages.map((bytes) => new OutboundMessage(bytes)) };
    if (messages.length > 0) this.#cache.set(name, answer);
    return answer;
  }

  #addSubscriber(answer: CachedAnswer, { channel, key }: SubscribeQuery, subscriber: TopicSubscriber, isWanted: boolean): JoinResult {
    const { topic: number, seq, messages } = answer;
    if (number === 0) return { part: messages, seq: seq! };
    const topic = this.#byNumber.get(number) ?? { channel, key, number, subscribers: new Set<TopicSubscriber>() };
    if (!isWanted || topic.subscribers.has(subscriber)) this.#unsubscribe(number);
    else {
      topic.subscribers.add(subscriber);
      this.#byNumber.set(number, topic);
    }
    return { topic, seq, snapshot: messages };
  }

  leave(topic: ThreadTopic, subscriber: TopicSubscriber): void {
    if (!topic.subscribers.delete(subscriber)) return;
    if (topic.subscribers.size === 0) this.#byNumber.delete(topic.number);
    this.#unsubscribe(topic.number);
  }

  /**
   * One message of the reader to all who want it; `also`: a second topic that it is of, 0 for none. A row of the chain comes once for all
   * its topics, some of which may have ended.
   */
  publish(number: number, body: Uint8Array, also = 0): void {
    if (isChainRow(body)) return this.chains.publish(body);
    const [topic, other] = [this.#byNumber.get(number), also === 0 ? undefined : this.#byNumber.get(also)];
    if (topic === undefined && other === undefined) return;
    const message = new OutboundMessage(body);
    if (topic !== undefined) this.#deliver(topic, message);
    if (other !== undefined) this.#deliver(other, message);
  }

  #deliver(topic: ThreadTopic, message: OutboundMessage): void {
    for (const subscriber of topic.subscribers) {
      try {
        subscriber.deliver(topic, message);
      } catch (error) {
        this.#fault('stream', error);
        this.leave(topic, subscriber);
        subscriber.lost(topic);
      }
    }
  }

  /** Tells the reader what found no room, and forgets what stood and is held no more: the last of it is held longest. */
  flush(): void {
    for (const [name, { messages: frames }] of this.#cache) if (frames.at(-1)!.holders === 0) this.#cache.delete(name);
    this.#sendUnsubscribes();
    for (const work of this.#onNextFlush.splice(0)) work();
  }

  /** What could not be done now, for the next `flush`. */
  onNextFlush(work: () => void): void {
    this.#onNextFlush.push(work);
  }

  #unsubscribe(topic: number): void {
    this.#unsubscribed.set(topic, (this.#unsubscribed.get(topic) ?? 0) + 1);
    this.#sendUnsubscribes();
  }

  /** A few at a time, however many end at once, so that reads keep their places; an answer that comes late is one too. */
  #sendUnsubscribes(): void {
    const answered = (): void => {
      if (--this.#unsubscribesInFlight === 0) this.#sendUnsubscribes();
    };
    for (const [topic, count] of this.#unsubscribed) {
      if (this.#unsubscribesInFlight >= BOUNDS.endsTold) return;
      if (!this.#reads.ask('unsubscribe', { topic, count }, answered, () => undefined, null, answered)) return;
      this.#unsubscribesInFlight++;
      this.#unsubscribed.delete(topic);
    }
  }
}

/** What the reader has refused, by its body. */
function refusalOf(body: Uint8Array): Refused {
  try {
    const { error, message, ...extra } = bodyJson(body) as { error?: unknown; message?: unknown };
    if (typeof message === 'string') return { ...refuse(isCode(error) ? error : 'internal_error', message), extra };
  } catch {
    // A body that is no JSON has no message of its own.
  }
  return refuse('internal_error', 'Subscription refused');
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(STATUS, code);
}
