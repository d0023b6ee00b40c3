// One socket connection: its wallet, its subscriptions, its orders (entry.ts), and what happens when it reads too slowly. Messages
// are those of the wire contract, section 4. Identification only: a wallet is named, never proved (law, Events 1).
// Never slows another connection: a message is sent, kept as the newest of its book, or ends this connection.

import { BOOK_BACKLOG, HELD_MESSAGES, STREAM_BACKLOG, SUBSCRIPTIONS } from '../api/bounds.ts';
import type { Refused } from '../api/action.ts';
import type { Api } from '../api/context.ts';
import { canonicalSymbol } from '../api/values.ts';
import type { Socket, SocketListener } from '../edge/sockets.ts';
import { readBody, type Schema, type Values } from '../http/fields.ts';
import { parseJson, type JsonObject } from '../http/json.ts';
import { CHANNELS, type Channel } from './channels.ts';
import { OrderEntry } from './entry.ts';
import type { JoinResult, Member, Topic, Topics } from './topics.ts';

/** Messages of one Subscribe that wait until all its snapshots are here, in order; `open` counts those still missing. */
type Hold = { open: number; readonly frames: string[] };
type Subscription = { readonly channel: Channel; readonly symbols: ReadonlySet<string> | null; topic: Topic | null; hold: Hold | null };

type ConnectionParts = {
  readonly api: Api; readonly socket: Socket; readonly topics: Topics;
  /** Why a message is not taken now, or null. */
  readonly refusal: () => Refused | null;
};

const CHANNEL_BYTES = 128;
const SUBSCRIBE = {
  channel: { kind: 'text', maxBytes: CHANNEL_BYTES }, symbols: { kind: 'list', max: SUBSCRIPTIONS, optional: true },
} as const satisfies Schema;
const AUTHENTICATE = { wallet: { kind: 'address' } } as const satisfies Schema;
type SubscribeFields = Values<typeof SUBSCRIBE>;

const POLICY_VIOLATION = 1008;
const SYMBOL_CHARS = 64;

export function errorFrame(message: string): string {
  return JSON.stringify({ type: 'Error', message });
}

export class Connection implements SocketListener, Member {
  readonly #socket: Socket;
  readonly #topics: Topics;
  readonly #entry: OrderEntry;
  readonly #refusal: () => Refused | null;
  #wallet: string | null;
  /** By channel and key. */
  readonly #subscriptions = new Map<string, Subscription>();
  /** Newest message of each conflated topic that the client has no room for. */
  readonly #newest = new Map<Topic, string>();
  #isOver = false;

  constructor({ api, socket, topics, refusal }: ConnectionParts, wallet: string | null) {
    this.#socket = socket;
    this.#topics = topics;
    this.#wallet = wallet;
    this.#refusal = refusal;
    this.#entry = new OrderEntry({
      api, refusal, source: socket.source, send: (frame) => this.#stream('answers', frame), end: (reason) => this.#end(reason),
    });
  }

  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  message(bytes: Uint8Array, isBinary: boolean): void {
    const parsed = isBinary ? null : parseJson(bytes);
    const type = parsed?.ok === true ? parsed.value['type'] : undefined;
    if (parsed?.ok === true && typeof type === 'string' && this.#entry.take(type, parsed.value)) return;
    if (!this.#socket.countMessage()) return;
    if (parsed === null) return this.#error('Binary messages are not supported');
    if (!parsed.ok) return this.#error(parsed.code === 'invalid_json' ? 'Message is not a JSON object' : 'Message cannot be read');
    if (typeof type !== 'string') return this.#error('Message has no type');
    const refused = this.#refusal();
    if (refused !== null) return this.#error(refused.message);
    switch (type) {
      case 'Subscribe': return this.#onChannel(parsed.value, (channel, keys, fields) => this.#subscribe(channel, keys, fields));
      case 'Unsubscribe': return this.#onChannel(parsed.value, (channel, keys, fields) => this.#unsubscribe(channel, keys, fields));
      case 'Authenticate': return this.#authenticate(parsed.value);
      default: return this.#error(`Unknown message type: ${type.slice(0, CHANNEL_BYTES)}`);
    }
  }

  drain(): void {
    const frames = [...this.#newest.values()];
    this.#newest.clear();
    for (const frame of frames) this.#socket.send(frame);
  }

  close(): void {
    this.#isOver = true;
    this.#entry.close();
    for (const name of [...this.#subscriptions.keys()]) this.#drop(name);
  }

  /** One message of a topic this connection belongs to. */
  deliver(topic: Topic, frame: string): void {
    const subscription = this.#subscriptions.get(nameOf(topic.channel, topic.key));
    if (subscription === undefined || !isWanted(subscription, frame)) return;
    const { channel, hold } = subscription;
    if (hold !== null) this.#hold(hold, frame);
    else if (channel.slow === 'conflate') this.#conflate(topic, frame);
    else this.#stream(channel.name, frame);
  }

  /** What must not be missed: `what` names it to a client that does not read. */
  #stream(what: string, frame: string): void {
    const unread = this.#socket.bufferedBytes();
    if (unread <= STREAM_BACKLOG) return void this.#socket.send(frame);
    this.#end(`slow consumer: ${unread} bytes of ${what} unread`);
  }

  #conflate(topic: Topic, frame: string): void {
    if (this.#newest.size > 0 || this.#socket.bufferedBytes() > BOOK_BACKLOG) this.#newest.set(topic, frame);
    else this.#socket.send(frame);
  }

  #hold(hold: Hold, frame: string): void {
    if (hold.frames.length >= HELD_MESSAGES) return this.#end('slow consumer: too many messages before the snapshot');
    hold.frames.push(frame);
  }

  #end(reason: string): void {
    this.#socket.close(POLICY_VIOLATION, reason);
  }

  #error(message: string): void {
    this.#socket.send(errorFrame(message));
  }

  /** Reads what Subscribe and Unsubscribe share; `keys` is null when the message names none. */
  #onChannel(sent: JsonObject, act: (channel: Channel, keys: readonly string[] | null, fields: SubscribeFields) => void): void {
    const fields = readBody(SUBSCRIBE, sent);
    if (!fields.ok) return this.#error(fields.message);
    const channel = CHANNELS.find(({ name }) => name === fields.value.channel);
    if (channel === undefined) return this.#error(`Unknown channel: ${fields.value.channel}`);
    const { symbols } = fields.value;
    if (symbols !== undefined && !symbols.every((symbol) => typeof symbol === 'string' && symbol.length <= SYMBOL_CHARS)) {
      return this.#error('symbols must be a list of symbols');
    }
    act(channel, symbols === undefined ? null : (symbols as string[]).map(canonicalSymbol), fields.value);
  }

  #subscribe(channel: Channel, symbols: readonly string[] | null, fields: SubscribeFields): void {
    if (channel.key === 'wallet' && this.#wallet === null) return this.#error('Authentication required for this channel');
    const keys = channel.key === 'wallet' ? [this.#wallet!] : [...new Set(symbols ?? [''])];
    const fresh = keys.filter((key) => !this.#subscriptions.has(nameOf(channel.name, key))).length;
    if (this.#subscriptions.size + fresh > SUBSCRIPTIONS) return this.#error(`Too many subscriptions: ${SUBSCRIPTIONS} is the maximum`);
    const filter = channel.key === 'wallet' && symbols !== null ? new Set(symbols) : null;
    const hold: Hold = { open: keys.length, frames: [] };
    const errors: string[] = [];
    for (const key of keys) {
      const name = nameOf(channel.name, key);
      const before = this.#subscriptions.get(name);
      const subscription: Subscription = { channel, symbols: filter, topic: before?.topic ?? null, hold };
      this.#subscriptions.set(name, subscription);
      const isStill = () => !this.#isOver && this.#subscriptions.get(name) === subscription;
      this.#topics.join(channel.name, key, this, isStill, (result) => {
        this.#joined(name, subscription, hold, result, isStill(), errors);
        if (hold.open === 0 && !this.#isOver) this.#release(channel, fields.channel, keys, hold, errors);
      });
    }
  }

  #joined(name: string, subscription: Subscription, hold: Hold, result: JoinResult, isStill: boolean, errors: string[]): void {
    hold.open--;
    if ('error' in result) {
      errors.push(result.error);
      if (isStill) this.#drop(name);
      return;
    }
    if (!isStill) return;
    subscription.topic = result.topic;
    for (const frame of result.snapshot) this.#hold(hold, frame);
  }

  /** All of one Subscribe have been answered: says so, then what was held back. */
  #release(channel: Channel, name: string, keys: readonly string[], hold: Hold, errors: readonly string[]): void {
    for (const error of errors) this.#error(error);
    if (errors.length < keys.length) this.#socket.send(JSON.stringify({ type: 'Subscribed', channel: name }));
    for (const frame of hold.frames) this.#socket.send(frame);
    hold.frames.length = 0;
    for (const key of keys) {
      const subscription = this.#subscriptions.get(nameOf(channel.name, key));
      if (subscription?.hold === hold) subscription.hold = null;
    }
  }

  #unsubscribe(channel: Channel, symbols: readonly string[] | null, fields: SubscribeFields): void {
    const keys = channel.key === 'symbol' ? symbols : null;
    for (const [name, subscription] of [...this.#subscriptions]) {
      if (subscription.channel !== channel) continue;
      if (keys === null || keys.some((key) => name === nameOf(channel.name, key))) this.#drop(name);
    }
    this.#socket.send(JSON.stringify({ type: 'Unsubscribed', channel: fields.channel }));
  }

  #authenticate(sent: JsonObject): void {
    const fields = readBody(AUTHENTICATE, sent);
    if (!fields.ok) return this.#error(fields.message);
    const { wallet } = fields.value;
    if (this.#wallet !== wallet) {
      for (const [name, { channel }] of [...this.#subscriptions]) if (channel.key === 'wallet') this.#drop(name);
      this.#wallet = wallet;
    }
    this.#socket.send(JSON.stringify({ type: 'Authenticated', wallet }));
  }

  #drop(name: string): void {
    const topic = this.#subscriptions.get(name)?.topic ?? null;
    this.#subscriptions.delete(name);
    if (topic === null) return;
    this.#newest.delete(topic);
    this.#topics.leave(topic, this);
  }
}

function nameOf(channel: string, key: string): string {
  return `${channel} ${key}`;
}

/** A private message names its symbol itself or in the request it is about. */
function isWanted({ symbols }: Subscription, frame: string): boolean {
  if (symbols === null) return true;
  const { symbol, request } = JSON.parse(frame) as { symbol?: string; request?: { symbol?: string } };
  return symbols.has(symbol ?? request?.symbol ?? '');
}
