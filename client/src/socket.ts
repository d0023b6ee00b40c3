// The streams of a venue over one socket: subscriptions that live through reconnects, with their gaps told. The channels are
// the venue's own table. A stream of a wallet is read whole and filtered here, because its `seq` counts all symbols.
// What happened while the connection was away is not sent again: `onGap` tells what is missing, and a read fetches it.

import { CHANNELS, type Channel } from '../../shell/ws/channels.ts';
import { LocalBook } from './book.ts';
import { StrikebookError } from './errors.ts';
import { Link, PROBE, type Ask, type Frame, type LinkOptions } from './link.ts';
import { CHANNEL_OF, symbolOf, type AnyMessage, type ChannelName, type Messages } from './messages.ts';
import { MessageBuffer, type Stream } from './stream.ts';
import { bytesOf } from './typed-data.ts';

/** Messages `from` to `to` of a stream are missing. With `to` below `from`, the venue has begun to count again. */
export type Gap = { readonly channel: ChannelName; readonly key: string; readonly from: number; readonly to: number };

export type SocketEvents = {
  /** Connected; `isAgain` after a loss. Subscriptions are made again by themselves. */
  readonly onUp?: (isAgain: boolean) => void;
  /** The connection is lost, or could not be made; the next attempt follows. */
  readonly onDown?: (reason: string) => void;
  readonly onGap?: (gap: Gap) => void;
  /** A subscription that the venue refuses after a reconnect, an Error that answers nothing asked, an error thrown by a listener. */
  readonly onError?: (error: unknown) => void;
};
export type SocketOptions = LinkOptions & SocketEvents & {
  /** Of the private channels. */
  readonly wallet?: string;
};
export type SubscribeOptions<Message> = {
  /** Canonical symbols; without them all. */
  readonly symbols?: readonly string[];
  /** Called with each message as it comes; the stream itself then stays empty. */
  readonly onMessage?: (message: Message) => void;
  /** Unread messages a stream may have. */
  readonly bound?: number;
};

type Subscription = {
  readonly channel: Channel; readonly symbols: ReadonlySet<string> | null; readonly buffer: MessageBuffer<AnyMessage>;
  readonly listener: ((message: AnyMessage) => void) | undefined;
  /** Of the last message of each stream of the subscription, and which of them have been heard since the last connect. */
  readonly seqs: Map<string, number>; readonly heard: Set<string>;
  /** Answers `subscribe`, once. */
  readonly settle: { resolve(): void; reject(error: StrikebookError): void };
  readonly onDown: (() => void) | undefined;
  /** `subscribe` has answered: what ends it later is told by `onError` and by the stream. */
  isAnswered: boolean;
};

const BOUND = 10_000;
/** The key of all symbols. */
const ALL = '';
const CANONICAL = /^[A-Z0-9]+-(PERP|[0-9]{8}-[0-9.]+-[CP])$/;

export class VenueSocket {
  readonly #link: Link;
  readonly #events: SocketEvents;
  readonly #wallet: string | undefined;
  readonly #subscriptions = new Set<Subscription>();
  #wasUp = false;
  #isClosed = false;

  /** `url` of the venue, http or https. */
  constructor(url: string, options: SocketOptions = {}) {
    this.#events = options;
    this.#wallet = options.wallet?.toLowerCase();
    if (this.#wallet !== undefined) bytesOf(this.#wallet, 20, 'wallet');
    const query = this.#wallet === undefined ? '' : `?wallet=${this.#wallet}`;
    const owner = { up: () => this.#up(), down: (reason: string) => this.#down(reason), message: (frame: Frame) => this.#message(frame) };
    this.#link = new Link(`${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/ws${query}`, owner, options);
  }

  get isConnected(): boolean {
    return this.#link.isOpen;
  }

  /** Answers when the venue has subscribed; throws `subscription_refused` when it does not want to, for all symbols or none. */
  subscribe<C extends ChannelName>(channel: C, options: SubscribeOptions<Messages[C]> = {}): Promise<Stream<Messages[C]>> {
    return this.#subscribe(channel, options, undefined);
  }

  /** Answers when the first state of the book is here. */
  async book(symbol: string): Promise<LocalBook> {
    let close = (): void => undefined;
    const book = new LocalBook(symbol, () => close());
    const isHere = new Promise<void>((resolve) => {
      const stop = book.onChange(() => { if (book.isLive) { stop(); resolve(); } });
    });
    const options = { symbols: [symbol], onMessage: (message: Messages['orderbook']) => book.apply(message) };
    const stream = await this.#subscribe('orderbook', options, () => book.pause());
    close = () => stream.close();
    // The stream stays empty: its reader hears of nothing but its end.
    await Promise.race([isHere, stream[Symbol.asyncIterator]().next()]);
    return book;
  }

  /** Ends the connection and every stream. */
  close(): void {
    this.#isClosed = true;
    this.#link.close();
    for (const subscription of [...this.#subscriptions]) this.#end(subscription, new StrikebookError('closed', 'The socket was closed'));
  }

  #subscribe<C extends ChannelName>(name: C, options: SubscribeOptions<Messages[C]>, onDown: (() => void) | undefined) {
    return new Promise<Stream<Messages[C]>>((resolve, reject) => {
      const channel = CHANNELS.find((one) => one.name === name);
      const strange = options.symbols?.find((symbol) => !CANONICAL.test(symbol));
      if (this.#isClosed) throw new StrikebookError('closed', 'The socket was closed');
      if (channel === undefined) throw new StrikebookError('invalid_argument', `Unknown channel: ${name}`);
      if (strange !== undefined) throw new StrikebookError('invalid_argument', `${strange} is no canonical symbol`);
      if (channel.key === 'wallet' && this.#wallet === undefined) {
        throw new StrikebookError('invalid_argument', `The channel ${name} needs a wallet`);
      }
      const buffer = new MessageBuffer<AnyMessage>(options.bound ?? BOUND, () => this.#leave(subscription));
      const subscription: Subscription = {
        channel, symbols: options.symbols === undefined ? null : new Set(options.symbols), buffer,
        listener: options.onMessage as Subscription['listener'], seqs: new Map(), heard: new Set(), onDown, isAnswered: false,
        settle: { resolve: () => resolve(buffer as unknown as Stream<Messages[C]>), reject },
      };
      this.#subscriptions.add(subscription);
      if (this.#link.isOpen) this.#enter(subscription);
    });
  }

  #enter(subscription: Subscription): void {
    this.#link.turn(async () => {
      if (!this.#subscriptions.has(subscription)) return;
      const { channel, symbols } = subscription;
      const wanted = channel.key === 'symbol' && symbols !== null ? { symbols: [...symbols] } : {};
      try {
        await this.#link.ask({ type: 'Subscribe', channel: channel.name, ...wanted });
        subscription.isAnswered = true;
        subscription.settle.resolve();
      } catch (error) {
        // Without an answer the next connect asks again.
        if (!(error instanceof StrikebookError) || error.code !== 'subscription_refused') return;
        this.#end(subscription, error);
        if (subscription.isAnswered) this.#events.onError?.(error);
        // Its answer also says that every Error about this one has come.
        await this.#forget(this.#unwanted(subscription) ?? PROBE);
      }
    });
  }

  /** The reader has closed its stream. */
  #leave(subscription: Subscription): void {
    if (!this.#subscriptions.delete(subscription)) return;
    const unwanted = this.#unwanted(subscription);
    if (unwanted !== null) this.#link.turn(() => this.#forget(unwanted));
  }

  /** What of a subscription that is over no other one wants. */
  #unwanted({ channel, symbols }: Subscription): Ask | null {
    const others = [...this.#subscriptions].filter((one) => one.channel === channel);
    if (channel.key === 'wallet') return others.length === 0 ? { type: 'Unsubscribe', channel: channel.name } : null;
    const keys = symbols === null ? [ALL] : [...symbols];
    const free = keys.filter((key) => !others.some((one) => (one.symbols === null ? key === ALL : one.symbols.has(key))));
    return free.length === 0 ? null : { type: 'Unsubscribe', channel: channel.name, symbols: free };
  }

  /** A connection that is away has forgotten everything. */
  async #forget(unwanted: Ask): Promise<void> {
    await this.#link.ask(unwanted).catch(() => undefined);
  }

  #end(subscription: Subscription, error: StrikebookError): void {
    this.#subscriptions.delete(subscription);
    subscription.settle.reject(error);
    subscription.buffer.end(error);
    subscription.onDown?.();
  }

  #up(): void {
    for (const subscription of this.#subscriptions) {
      subscription.heard.clear();
      this.#enter(subscription);
    }
    this.#guard(() => this.#events.onUp?.(this.#wasUp));
    this.#wasUp = true;
  }

  #down(reason: string): void {
    for (const { onDown } of this.#subscriptions) this.#guard(() => onDown?.());
    this.#guard(() => this.#events.onDown?.(reason));
  }

  #message(frame: Frame): void {
    const name = CHANNEL_OF[String(frame.type)];
    if (name === undefined) {
      if (frame.type === 'Error') this.#events.onError?.(new StrikebookError('subscription_refused', String(frame.message)));
      return;
    }
    const message = frame as AnyMessage;
    const symbol = symbolOf(message);
    for (const subscription of this.#subscriptions) {
      if (subscription.channel.name === name) this.#deliver(subscription, name, symbol, message);
    }
  }

  #deliver(subscription: Subscription, name: ChannelName, symbol: string, message: AnyMessage): void {
    const { channel, symbols, buffer, listener } = subscription;
    const isWanted = symbols === null || symbols.has(symbol);
    if (channel.key === 'symbol' && !isWanted) return;
    const key = channel.key === 'symbol' ? symbol : this.#wallet!;
    if (!this.#count(subscription, name, key, message.seq) || !isWanted) return;
    if (listener !== undefined) this.#guard(() => listener(message));
    else buffer.push(message, channel.slow === 'conflate' ? symbol : null);
  }

  /** Whether the message is new. Overlapping subscriptions bring one twice; so does a snapshot for another reader. */
  #count({ channel, seqs, heard }: Subscription, name: ChannelName, key: string, seq: number): boolean {
    const last = seqs.get(key);
    const isFirst = !heard.has(key);
    heard.add(key);
    if (last !== undefined && seq <= last && !isFirst) return false;
    seqs.set(key, seq);
    if (last === undefined || seq === last || seq === last + 1) return seq !== last || channel.slow === 'conflate';
    // A book was left out where the reader was slow; the one that is here is whole.
    const gap = { channel: name, key, from: last + 1, to: seq - 1 };
    if (channel.slow === 'close' || seq < last) this.#guard(() => this.#events.onGap?.(gap));
    return true;
  }

  /** A listener that throws must not end the others. */
  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#events.onError?.(error);
    }
  }
}
