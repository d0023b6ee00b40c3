// Streams and reads of a panel while it is shown (example: connection.ts). Equal streams share one subscription; who comes later gets the
// last message of each symbol at once.

import { useEffect, useRef, useState } from 'preact/hooks';
import {
  isWalletChannel, type ChannelName, type MessageOf, type Reads, type Stream, type StrikebookError, type VenueSocket,
} from '../../src/main.ts';
import { connection } from './connection.ts';

type StreamOptions = {
  readonly symbols?: readonly string[]; readonly expiry?: string; readonly option_type?: 'call' | 'put' | 'both';
};
type Message = MessageOf<ChannelName>;
type Listener = { readonly onMessage: (message: Message) => void; readonly onReset: () => void };
type ReadState<Answer> = {
  /** Stays when a later read fails. */
  readonly data: Answer | null;
  readonly error: StrikebookError | null;
  readonly refresh: () => void;
};

/** Messages that tell a whole state: the last one is enough to begin with. */
const WHOLE: readonly string[] = ['orderbook', 'options_chain', 'index_prices', 'perp_ticker', 'funding', 'vol_index'];

class Topic {
  readonly isOwn: boolean;
  readonly channel: ChannelName;
  readonly #options: StreamOptions;
  readonly #listeners = new Set<Listener>();
  readonly #last = new Map<string, Message>();
  #socket: VenueSocket | null = null;
  #ending = new AbortController();
  #stream: Stream<Message> | null = null;

  constructor(channel: ChannelName, options: StreamOptions) {
    this.isOwn = isWalletChannel(channel);
    this.channel = channel;
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  add(listener: Listener): void {
    this.#listeners.add(listener);
    for (const message of this.#last.values()) listener.onMessage(message);
  }

  remove(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  reset(): void {
    this.#last.clear();
    for (const { onReset } of this.#listeners) onReset();
  }

  follow(socket: VenueSocket | null): void {
    if (socket === this.#socket) return;
    this.end();
    this.#socket = socket;
    if (socket === null) return;
    const ending = this.#ending = new AbortController();
    const options = { ...this.#options, signal: ending.signal, onMessage: (message: Message) => this.#heard(message) };
    socket.subscribe(this.channel, options).then((stream) => {
      if (ending.signal.aborted) stream.close();
      else this.#stream = stream;
    }, () => undefined);
  }

  renew(): void {
    const socket = this.#socket;
    this.end();
    this.follow(socket);
  }

  end(): void {
    if (this.#socket !== null) this.reset();
    this.#socket = null;
    this.#ending.abort();
    this.#stream?.close();
    this.#stream = null;
  }

  #heard(message: Message): void {
    if (WHOLE.includes(this.channel)) {
      const key = keyOf(message);
      // Deleted first: the map keeps the order of arrival.
      this.#last.delete(key);
      this.#last.set(key, message);
    }
    for (const { onMessage } of [...this.#listeners]) onMessage(message);
  }
}

const topics = new Map<string, Topic>();
connection.listen({
  up: (isAgain, link) => {
    if (isAgain) for (const topic of topics.values()) if (topic.isOwn === (link === 'own')) topic.reset();
  },
  gap: ({ channel }) => { for (const topic of topics.values()) if (topic.channel.split(':')[0] === channel) topic.renew(); },
});
connection.socket.subscribe((socket) => { for (const topic of topics.values()) if (topic.isOwn) topic.follow(socket); });
connection.sharedSocket.subscribe((socket) => { for (const topic of topics.values()) if (!topic.isOwn) topic.follow(socket); });

/** `onReset`: what was heard no longer holds, a snapshot follows. A wallet's channels need `connection.account`. */
export function useStream<C extends ChannelName>(
  channel: C, options: StreamOptions | null, onMessage: (message: MessageOf<C>) => void, onReset: () => void = () => undefined,
): void {
  const handlers = useRef({ onMessage, onReset });
  handlers.current = { onMessage, onReset };
  const key = options === null ? null : `${channel} ${JSON.stringify(options)}`;
  useEffect(() => {
    if (key === null) return undefined;
    const topic = topics.get(key) ?? new Topic(channel, options!);
    const listener: Listener = {
      onMessage: (message) => handlers.current.onMessage(message as MessageOf<C>), onReset: () => handlers.current.onReset(),
    };
    topics.set(key, topic);
    topic.add(listener);
    topic.follow((topic.isOwn ? connection.socket : connection.sharedSocket).peek());
    return () => {
      topic.remove(listener);
      if (!topic.isIdle) return;
      topics.delete(key);
      topic.end();
    };
  }, [key]);
}

/**
 * Reads at once, and again after `everyMs`, when the venue is back, and on `refresh`. Does not read while the page is hidden or `query` is
 * null.
 */
export function useRead<P extends keyof Reads>(
  path: P, query: Reads[P]['query'] | null, { everyMs }: { readonly everyMs?: number } = {},
): ReadState<Reads[P]['answer']> {
  type Answered = { readonly key: string; readonly data: Reads[P]['answer'] | null; readonly error: StrikebookError | null };
  const key = query === null ? '' : `${path} ${JSON.stringify(query)}`;
  const [{ key: known, data, error }, setState] = useState<Answered>({ key, data: null, error: null });
  const read = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (query === null) return undefined;
    const ending = new AbortController();
    let isReading = false;
    let isAskedAgain = false;
    const once = async (): Promise<void> => {
      const client = connection.client.peek();
      if (client === null || document.hidden) return;
      if (isReading) {
        isAskedAgain = true;
        return;
      }
      isReading = true;
      isAskedAgain = false;
      try {
        const answer = await client.get(path, query, { signal: ending.signal, retries: 0 });
        if (!ending.signal.aborted) setState({ key, data: answer, error: null });
      } catch (failure) {
        const error = failure as StrikebookError;
        if (!ending.signal.aborted) setState((before) => ({ key, data: before.key === key ? before.data : null, error }));
      } finally {
        isReading = false;
        if (isAskedAgain && !ending.signal.aborted) void once();
      }
    };
    const begin = (): void => void once();
    read.current = begin;
    const stopClient = connection.client.subscribe(begin);
    const stopLink = connection.listen({ up: begin });
    document.addEventListener('visibilitychange', begin);
    const timer = everyMs === undefined ? undefined : setInterval(begin, everyMs);
    return () => {
      ending.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', begin);
      stopLink();
      stopClient();
    };
  }, [key, everyMs]);
  return { data: known === key ? data : null, error: known === key ? error : null, refresh: () => read.current() };
}

function keyOf(message: Message): string {
  switch (message.type) {
    case 'OptionsChainUpdate': return `${message.expiry} ${message.action === 'Upsert' ? message.row.strike : message.symbol}`;
    case 'IndexPriceUpdate': return message.prices.map(({ underlying }) => underlying).join();
    default: return 'symbol' in message ? message.symbol ?? '' : '';
  }
}
