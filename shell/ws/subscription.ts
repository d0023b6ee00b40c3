// A subscription of one connection to one channel and key: hands the topic's messages to the connection.

import type { Channel } from '../ipc/channels.ts';
import type { OutboundMessage } from './outbound-message.ts';
import type { OutboundStream, Backlog } from './outbound-queue.ts';
import type { TopicSubscriber, ThreadTopic } from './topic-registry.ts';

type Owner = {
  readonly source: string;
  deliver(subscription: Subscription, message: OutboundMessage): void;
  lost(subscription: Subscription): void;
  requestSnapshot(subscription: Subscription): void;
};

export class Subscription implements TopicSubscriber, OutboundStream {
  readonly channel: Channel;
  readonly key: string;
  /** The filter of a wallet's stream. */
  symbols: ReadonlySet<string> | null = null;
  topic: ThreadTopic | null = null;
  backlog: Backlog | null = null;
  snapshotNumber = 0;
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

  isWanted(message: OutboundMessage): boolean {
    if (this.symbols === null) return true;
    const { symbol, request } = message.value as { symbol?: string; request?: { symbol?: string } };
    return this.symbols.has(symbol ?? request?.symbol ?? '');
  }
}
