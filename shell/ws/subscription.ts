// One channel and key of one connection: a member of its topic, and a flow of messages to the client.

import type { Channel } from '../ipc/channels.ts';
import type { OutboundMessage } from './outbound-message.ts';
import type { OutboundStream, Backlog } from './outbound-queue.ts';
import type { TopicSubscriber, ThreadTopic } from './topic-registry.ts';

/** What happens to a subscription is the matter of the connection that has it. */
type Owner = {
  readonly source: string;
  deliver(subscription: Subscription, message: OutboundMessage): void;
  lost(subscription: Subscription): void;
  requestSnapshot(subscription: Subscription): void;
};

export class Subscription implements TopicSubscriber, OutboundStream {
  readonly channel: Channel;
  readonly key: string;
  /** Of the messages of a wallet, those that are wanted; null for all. */
  symbols: ReadonlySet<string> | null = null;
  /** Null until the reader has answered. */
  topic: ThreadTopic | null = null;
  /** Where messages wait for their snapshot, and for room. */
  backlog: Backlog | null = null;
  /** When the last of its snapshots was made: in the order of those of its connection. */
  snapshotNumber = 0;
  /** While the stream is taken up again: the number up to which it has been sent or stands in the hold. */
  resumedTo: number | null = null;
  readonly #owner: Owner;

  constructor(owner: Owner, channel: Channel, key: string) {
    this.#owner = owner;
    this.channel = channel;
    this.key = key;
  }

  get source(): string {
    return this.#owner.source;
  }

  get name(): string {
    return this.channel.name;
  }

  get slow(): Channel['slow'] {
    return this.channel.slow;
  }

  deliver(_: ThreadTopic, message: OutboundMessage): void {
    this.#owner.deliver(this, message);
  }

  lost(): void {
    this.#owner.lost(this);
  }

  requestSnapshot(): void {
    this.#owner.requestSnapshot(this);
  }

  /** A private message names its symbol itself or in the request it is about. */
  isWanted(message: OutboundMessage): boolean {
    if (this.symbols === null) return true;
    const { symbol, request } = message.value as { symbol?: string; request?: { symbol?: string } };
    return this.symbols.has(symbol ?? request?.symbol ?? '');
  }
}
