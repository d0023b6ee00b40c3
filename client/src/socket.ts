// The socket of a venue: signed requests, and streams that survive reconnects. Streams that the venue keeps are resumed; for others `onGap`
// reports what was missed. A wallet's stream is filtered here, because its `seq` counts all symbols.

import { BOUNDS } from '../../shell/http/limits.ts';
import { channelOf, type Channel } from '../../shell/ipc/channels.ts';
import type { CallOptions, RetryOptions } from './retries.ts';
import { LocalBook } from './book.ts';
import { OrderEntryClient } from './order-entry.ts';
import { StrikebookError } from './strikebook-error.ts';
import type { Request } from './http.ts';
import { ReconnectingSocket, longestWaitOf, type SocketMessage, type ReconnectOptions } from './reconnecting-socket.ts';
import { callListener, tellFault } from './listeners.ts';
import { channelOfType, isFullSnapshot, streamOf, symbolOf, type AnyMessage, type ChannelName, type MessageOf } from './messages.ts';
import { MessageBuffer, type Stream } from './stream.ts';
import { Subscriptions, type Gap, type ClientSubscription } from './subscriptions.ts';
import { Trading, type Account } from './trading.ts';
import { Addresses } from './addresses.ts';
import { bytesOf } from './typed-data.ts';

export type SocketEvents = {
  /** `isAgain`: after a loss. Subscriptions are renewed automatically. */
  readonly onUp?: (isAgain: boolean) => void;
  /** The connection was lost, or none could be made. Another attempt follows. */
  readonly onDown?: (reason: string) => void;
  readonly onGap?: (gap: Gap) => void;
  /**
   * A subscription refused for good after a reconnect, an Error that answers no request, and exceptions of listeners. Its own exceptions
   * are ignored.
   */
  readonly onError?: (error: unknown) => void;
};
export type SocketOptions = ReconnectOptions & SocketEvents & RetryOptions & {
  /** Default: the wallet that the client acts for. */
  readonly wallet?: string;
};
export type SubscribeOptions<Message> = {
  /** Canonical symbols; for the options chain also underlyings. At most 1,000, except for streams of a wallet. Default: all. */
  readonly symbols?: readonly string[];
  /** For the options chain. Each filter of a socket gets the rows that any of them selects. */
  readonly expiry?: string;
  readonly option_type?: 'call' | 'put' | 'both';
  /** For streams that the venue keeps: the last `seq` you have. */
  readonly from_seq?: number;
  /** The stream itself then stays empty. */
  readonly onMessage?: (message: Message) => void;
  /** Most unread messages of the stream. */
  readonly bound?: number;
  /** Ends the wait for the venue with `aborted`. To end a running stream, call `close`. */
  readonly signal?: AbortSignal;
};

const BOUND = 10_000;
const CANONICAL = /^[A-Z0-9]{1,8}-(PERP|[0-9]{8}-[0-9.]{1,16}-[CP])$/;

export class VenueSocket extends Trading {
  readonly #link: ReconnectingSocket;
  readonly #entry: OrderEntryClient;
  readonly #events: SocketEvents;
  readonly #wallet: string | undefined;
  readonly #subscriptions: Subscriptions;
  #connection: string | null = null;
  #venue: unknown;
  #wasUp = false;
  #isClosed = false;

  constructor(url: string | Addresses, options: SocketOptions = {}, account: Account | null = null) {
    super(account);
    this.#events = options;
    this.#wallet = options.wallet?.toLowerCase() ?? account?.forms.wallet;
    const addresses = url instanceof Addresses ? url : new Addresses(url);
    const nodes = {
      get retries() { return addresses.retries; },
      moved: (leader: unknown): void => this.#link.follow(leader), note: (seq: number): void => addresses.note(seq, true),
    };
    this.#entry = new OrderEntryClient((text) => this.#link.say(text), nodes, options, (error) => this.#tell(error));
    if (this.#wallet !== undefined) bytesOf(this.#wallet, 20, 'wallet');
    const query = this.#wallet === undefined ? '' : `?wallet=${this.#wallet}`;
    const owner = {
      up: (hello: SocketMessage) => this.#up(hello), down: (reason: string) => this.#down(reason),
      message: (frame: SocketMessage) => this.#message(frame),
      beat: () => this.#entry.beat(), fault: (error: unknown) => this.#tell(error),
    };
    this.#link = new ReconnectingSocket(addresses, `/ws${query}`, owner, options);
    const ended = (subscription: ClientSubscription, error: StrikebookError): void => {
      this.#end(subscription, error);
      if (subscription.isAnswered) this.#tell(error);
    };
    const missed = (gap: Gap): void => this.#missed(gap);
    this.#subscriptions = new Subscriptions(this.#link, this.#wallet ?? '', longestWaitOf(options), ended, missed);
  }

  get isConnected(): boolean {
    return this.#link.isOpen;
  }

  /** The venue's id of the current connection, or null. Each connection has a new one. */
  get connection(): string | null {
    return this.#connection;
  }

  override send<Answer>(request: Request<Answer>, call: CallOptions = {}): Promise<Answer> {
    return this.#entry.send(request, call);
  }

  /** Resolves when subscribed. Throws `subscription_refused` if the venue refuses, for all symbols together. */
  subscribe<C extends ChannelName>(channel: C, options: SubscribeOptions<MessageOf<C>> = {}): Promise<Stream<MessageOf<C>>> {
    return this.#subscribe(channel, options, undefined);
  }

  /** Resolves when the first snapshot has arrived. */
  async book(symbol: string, { signal }: Pick<SubscribeOptions<never>, 'signal'> = {}): Promise<LocalBook> {
    let close = (): void => undefined;
    const book = new LocalBook(symbol, {
      onClose: () => close(), renew: () => this.#subscriptions.renew(symbol), fault: (error) => this.#tell(error),
    });
    const isHere = new Promise<void>((resolve) => {
      const stop = book.onChange(() => { if (book.isLive) { stop(); resolve(); } });
    });
    const options = { symbols: [symbol], onMessage: (message: MessageOf<'book'>) => book.apply(message), ...(signal && { signal }) };
    const stream = await this.#subscribe('book', options, () => book.pause());
    close = () => stream.close();
    signal?.addEventListener('abort', close, { once: true });
    if (signal?.aborted) close();
    // The stream stays empty, so it resolves only at its end.
    await Promise.race([isHere, stream[Symbol.asyncIterator]().next()]).finally(() => signal?.removeEventListener('abort', close));
    if (signal?.aborted && !book.isLive) throw aborted(`The book of ${symbol}`, signal);
    return book;
  }

  /** Requests without an answer fail, but may have acted. */
  close(): void {
    this.#isClosed = true;
    // First, so that requests in flight are not reported as lost.
    this.#entry.close();
    this.#link.close();
    for (const subscription of [...this.#subscriptions]) {
      this.#subscriptions.forget(subscription);
      this.#end(subscription, new StrikebookError('closed', 'The socket was closed'));
    }
  }

  #subscribe<C extends ChannelName>(name: C, options: SubscribeOptions<MessageOf<C>>, onDown: (() => void) | undefined) {
    return new Promise<Stream<MessageOf<C>>>((resolve, reject) => {
      if (this.#isClosed) throw new StrikebookError('closed', 'The socket was closed');
      const { channel, rest } = this.#channelOf(name, options);
      const buffer = new MessageBuffer<AnyMessage>(options.bound ?? BOUND, () => this.#subscriptions.leave(subscription));
      const { expiry, option_type, from_seq: from, signal } = options;
      if (signal?.aborted) throw aborted(`The subscription to ${name}`, signal);
      const abort = (): void => {
        this.#subscriptions.leave(subscription);
        this.#end(subscription, aborted(`The subscription to ${name}`, signal!));
      };
      const settled = <T>(settle: (value: T) => void) => (value: T): void => {
        signal?.removeEventListener('abort', abort);
        settle(value);
      };
      signal?.addEventListener('abort', abort);
      const symbols = channel.filters.includes('symbols') ? options.symbols : undefined;
      const isChosen = symbols !== undefined && channel.key !== 'wallet';
      const subscription: ClientSubscription = {
        channel, rest, symbols: symbols === undefined ? null : new Set(symbols), buffer, onDown,
        ask: {
          type: 'Subscribe', channel: name, ...(isChosen && { symbols }), ...(expiry !== undefined && { expiry }),
          ...(option_type !== undefined && { option_type }),
        },
        listener: options.onMessage as ClientSubscription['listener'], seqs: new Map(from === undefined ? [] : [[this.#wallet!, from]]),
        heard: new Set(),
        settle: { resolve: settled<void>(() => resolve(buffer as unknown as Stream<MessageOf<C>>)), reject: settled(reject) },
        isAnswered: false, isConfirmed: false, isResumed: false,
      };
      this.#subscriptions.add(subscription);
    });
  }

  /** The venue's Error would not name the cause. */
  #channelOf(name: string, { symbols, from_seq: from }: SubscribeOptions<never>): { readonly channel: Channel; readonly rest: string } {
    const found = channelOf(name);
    if (found === null) throw new StrikebookError('invalid_argument', `Unknown channel: ${name}`);
    const { key, filters, resume }: Channel = found.channel;
    const strange = key === 'filter' ? undefined : symbols?.find((symbol) => !CANONICAL.test(symbol));
    const count = symbols !== undefined && filters.includes('symbols') ? symbols.length : 1;
    if (count === 0 || (key !== 'wallet' && count > BOUNDS.subscriptions)) {
      throw new StrikebookError('invalid_argument', `${name}: 1 to ${BOUNDS.subscriptions} symbols can be named, not ${count}`);
    }
    if (strange !== undefined) throw new StrikebookError('invalid_argument', `${strange} is no canonical symbol`);
    if (key === 'wallet' && this.#wallet === undefined) {
      throw new StrikebookError('invalid_argument', `The channel ${name} needs a wallet`);
    }
    if (from !== undefined && !resume) throw new StrikebookError('invalid_argument', `The channel ${name} cannot be resumed`);
    return found;
  }

  #end(subscription: ClientSubscription, error: StrikebookError): void {
    subscription.settle.reject(error);
    subscription.buffer.end(error);
    this.#guard(() => subscription.onDown?.());
  }

  #up({ connection, venue_id: venue }: SocketMessage): void {
    this.#connection = typeof connection === 'string' ? connection : null;
    if (this.#wasUp && venue !== this.#venue) this.#beginAnew();
    this.#venue = venue;
    this.#entry.up();
    this.#subscriptions.up();
    this.#guard(() => this.#events.onUp?.(this.#wasUp));
    this.#wasUp = true;
  }

  /** Another venue, or one whose data was removed, numbers its messages anew. */
  #beginAnew(): void {
    for (const { channel, seqs } of this.#subscriptions) {
      for (const [key, last] of seqs) this.#missed({ channel: channel.name, key, from: last + 1, to: 0 });
      seqs.clear();
    }
  }

  #down(reason: string): void {
    this.#connection = null;
    this.#entry.down(reason);
    this.#subscriptions.down();
    for (const { onDown } of this.#subscriptions) this.#guard(() => onDown?.());
    this.#guard(() => this.#events.onDown?.(reason));
  }

  #message(frame: SocketMessage): boolean {
    const isAnswer = this.#entry.take(frame);
    if (!isAnswer) this.#event(frame);
    return isAnswer;
  }

  #event(frame: SocketMessage): void {
    const channel = channelOfType(frame.type);
    if (channel === undefined) {
      if (frame.type === 'Error') this.#tell(new StrikebookError('subscription_refused', String(frame.message), { details: frame }));
      return;
    }
    const message = frame as unknown as AnyMessage;
    const stream = streamOf(channel, message, this.#wallet ?? '');
    for (const subscription of this.#subscriptions) {
      if (subscription.isConfirmed && subscription.channel.name === channel.name) this.#deliver(subscription, stream, message);
    }
  }

  #deliver(subscription: ClientSubscription, stream: string, message: AnyMessage): void {
    const { channel, rest, symbols, buffer, listener } = subscription;
    const isWanted = channel.key === 'filter' || symbols === null || symbols.has(symbolOf(message));
    if ((channel.key === 'symbol' && !isWanted) || (channel.key === 'name' && rest !== stream)) return;
    if (!this.#count(subscription, stream, message) || !isWanted) return;
    if (listener !== undefined) this.#guard(() => listener(message));
    else buffer.push(message, channel.slow === 'conflate' ? stream : null);
  }

  #count({ channel, seqs, heard, isResumed }: ClientSubscription, stream: string, message: AnyMessage): boolean {
    if (channel.key === 'filter') return true;
    const { seq } = message;
    const last = seqs.get(stream);
    // The first message after a connect may start a new count, or be a snapshot.
    const isFirst = !heard.has(stream) && (!isResumed || seq === last);
    if (last !== undefined && seq <= last && !isFirst) return false;
    heard.add(stream);
    seqs.set(stream, seq);
    if (last === undefined || seq === last + 1) return true;
    if (seq === last) return isFullSnapshot(message);
    // Books skip numbers for slow readers, and name their predecessor themselves.
    const isMissed = channel.slow === 'close' && !isFullSnapshot(message);
    const gap = { channel: channel.name, key: stream, from: last + 1, to: seq - 1 };
    if (isMissed || seq < last) this.#missed(gap);
    return true;
  }

  #missed(gap: Gap): void {
    this.#guard(() => this.#events.onGap?.(gap));
  }

  #guard(call: () => unknown): void {
    callListener(call, (error) => this.#tell(error));
  }

  #tell(error: unknown): void {
    tellFault(this.#events.onError, error);
  }
}

function aborted(what: string, { reason }: AbortSignal): StrikebookError {
  return new StrikebookError('aborted', `${what} was aborted`, { cause: reason });
}
