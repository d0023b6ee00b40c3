// One channel and key of one connection: a member of its topic, and a flow of messages to the client.

import type { Channel } from '../ipc/channels.ts';
import type { Frame } from './frame.ts';
import type { Flow, Hold } from './outflow.ts';
import type { Member, Topic } from './topics.ts';

/** What happens to a subscription is the matter of the connection that has it. */
type Owner = {
  readonly source: string;
  deliver(subscription: Subscription, frame: Frame): void; lose(subscription: Subscription): void; renew(subscription: Subscription): void;
};

export class Subscription implements Member, Flow {
  readonly channel: Channel;
  readonly key: string;
  /** Of the messages of a wallet, those that are wanted; null for all. */
  symbols: ReadonlySet<string> | null = null;
  /** Null until the reader has answered. */
  topic: Topic | null = null;
  /** Where messages wait for their snapshot, and for room. */
  hold: Hold | null = null;
  /** When the last of its snapshots was made: in the order of those of its connection. */
  stoodAt = 0;
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

  deliver(_: Topic, frame: Frame): void {
    this.#owner.deliver(this, frame);
  }

  lost(): void {
    this.#owner.lose(this);
  }

  renew(): void {
    this.#owner.renew(this);
  }

  /** A private message names its symbol itself or in the request it is about. */
  isWanted(frame: Frame): boolean {
    if (this.symbols === null) return true;
    const { symbol, request } = frame.value as { symbol?: string; request?: { symbol?: string } };
    return this.symbols.has(symbol ?? request?.symbol ?? '');
  }
}
