// Subscribers of this thread by topic of the reader. Each asks the reader itself: everything behind its snapshot in the
// answer ring is newer. The reader streams a topic until as many subscriptions of this thread have ended as began.

import { bodyJson, type ReaderClient } from '../api/reader-client.ts';
import { BOUNDS } from '../http/limits.ts';
import { BUSY, refuse, type Refused } from '../http/errors.ts';
import { isCode } from '../http/shapes/error-codes.ts';
import type { Answer, QueryParameters } from '../ipc/queries.ts';
import { isChainRow } from '../ipc/chain-row.ts';
import { readSubscription } from '../ipc/subscription.ts';
import { SnapshotQueue } from './snapshot-queue.ts';
import { ChainIndex } from './chain-index.ts';
import { OutboundMessage } from './outbound-message.ts';

/** `lost`: a message could not be delivered and none will follow. */
export type TopicSubscriber = {
  readonly source: string;
  deliver(topic: ThreadTopic, message: OutboundMessage): void;
  lost(topic: ThreadTopic): void;
};

export type ThreadTopic = {
  readonly channel: string; readonly key: string; readonly number: number; readonly subscribers: Set<TopicSubscriber>;
};

export type SubscribeQuery = QueryParameters['subscribe'];

export type JoinResult =
  | { readonly part: readonly OutboundMessage[]; readonly seq: number }
  | { readonly topic: ThreadTopic; readonly seq: number | null; readonly snapshot: readonly OutboundMessage[] }
  | { readonly error: Refused };

type CachedAnswer = {
  readonly body: Uint8Array; readonly topic: number; readonly seq: number | null; readonly messages: readonly OutboundMessage[];
};

/** What a node has not reached yet is asked for again for about a second. */
const BEHIND_TRIES = 50;
const BEHIND_EVERY_MS = 20;

export const CLIENT_LOST: Refused = refuse('internal_error', 'Client not found');

export class TopicRegistry {
  /** One topic may serve several chain filters, and one filter may need several topics. */
  readonly chains: ChainIndex;
  readonly #reads: ReaderClient;
  readonly #byNumber = new Map<number, ThreadTopic>();
  readonly #queue = new SnapshotQueue();
  readonly #cache = new Map<string, CachedAnswer>();
  readonly #unsubscribed = new Map<number, number>();
  #unsubscribesInFlight = 0;
  readonly #onNextFlush: (() => void)[] = [];
  readonly #fault: (place: string, error: unknown) => void;
  readonly #follows: () => boolean;

  /** `follows`: this node of a cluster does. */
  constructor(reads: ReaderClient, fault: (place: string, error: unknown) => void, follows: () => boolean) {
    this.#follows = follows;
    this.#reads = reads;
    this.#fault = fault;
    this.chains = new ChainIndex(fault);
  }

  get size(): number {
    return this.#byNumber.size;
  }

  /** `joined` is called once; an answer after a timeout is unsubscribed. */
  join(query: SubscribeQuery, subscriber: TopicSubscriber, isWanted: () => boolean, joined: (result: JoinResult) => void): void {
    this.#queue.request(subscriber.source, (done) => {
      const end = (result: JoinResult): void => {
        try {
          joined(result);
        } finally {
          done();
        }
      };
      const isResumed = query.from_seq !== undefined && this.#follows();
      const asked: SubscribeQuery = isResumed ? { ...query, follows: true } : query;
      if (isWanted()) this.#askUntilThere(asked, subscriber, isWanted, end, BEHIND_TRIES);
      else end({ error: CLIENT_LOST });
    });
  }

  #askUntilThere(
    query: SubscribeQuery, subscriber: TopicSubscriber, isWanted: () => boolean, joined: (result: JoinResult) => void, tries: number,
  ): void {
    this.#ask(query, subscriber, isWanted, (result) => {
      const isBehind = 'error' in result && result.error.code === 'behind' && tries > 0 && isWanted();
      if (!isBehind) return joined(result);
      setTimeout(() => this.#askUntilThere(query, subscriber, isWanted, joined, tries - 1), BEHIND_EVERY_MS).unref();
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

  #read(body: Uint8Array, { channel, key }: SubscribeQuery): CachedAnswer {
    const name = `${channel} ${key}`;
    const last = this.#cache.get(name);
    if (last !== undefined && Buffer.compare(last.body, body) === 0) return last;
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

  /** `also`: a second topic, or 0. A chain row comes once for all of its topics. */
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

  flush(): void {
    for (const [name, { messages: frames }] of this.#cache) if (frames.at(-1)!.holders === 0) this.#cache.delete(name);
    this.#sendUnsubscribes();
    for (const work of this.#onNextFlush.splice(0)) work();
  }

  onNextFlush(work: () => void): void {
    this.#onNextFlush.push(work);
  }

  #unsubscribe(topic: number): void {
    this.#unsubscribed.set(topic, (this.#unsubscribed.get(topic) ?? 0) + 1);
    this.#sendUnsubscribes();
  }

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

function refusalOf(body: Uint8Array): Refused {
  try {
    const { error, message, ...extra } = bodyJson(body) as { error?: unknown; message?: unknown };
    if (typeof message === 'string') return { ...refuse(isCode(error) ? error : 'internal_error', message), extra };
  } catch {
    // The body is not JSON, so it has no message.
  }
  return refuse('internal_error', 'Subscription refused');
}
