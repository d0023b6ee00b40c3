// One socket connection: its wallet, its subscriptions, its orders (entry.ts); what goes out is outflow.ts. Messages are those of
// the wire contract, section 4, as text or as MessagePack. Identification only: a wallet is named, never proved (law, Events 1).

import { SUBSCRIPTIONS } from '../api/bounds.ts';
import type { Refused } from '../api/action.ts';
import type { Api } from '../api/context.ts';
import { canonicalSymbol } from '../api/values.ts';
import type { Socket, SocketListener } from '../edge/sockets.ts';
import { readBody, type Schema, type Values } from '../http/fields.ts';
import { parseJson, type JsonObject } from '../http/json.ts';
import { channelOf, type Channel } from './channels.ts';
import { OrderEntry } from './entry.ts';
import { Frame, type Encoding } from './frame.ts';
import { parseMsgpack } from './msgpack.ts';
import { ANSWERS, Hold, Outflow, type Flow } from './outflow.ts';
import { CLIENT_LOST, type JoinResult, type Member, type Topic, type Topics } from './topics.ts';
import type { Turn } from './turn.ts';

type ConnectionParts = {
  readonly api: Api; readonly socket: Socket; readonly topics: Topics; readonly turn: Turn; readonly encoding: Encoding;
  /** The id that Hello told. */
  readonly connection: string;
  /** Why a message is not taken now, or null. */
  readonly refusal: () => Refused | null;
};

/** `name` as the client wrote it. */
type Wanted = {
  readonly channel: Channel; readonly name: string; readonly keys: readonly string[]; readonly symbols: ReadonlySet<string> | null;
};
/** Of a Subscribe with `from_seq`. */
type TakenUp = { readonly name: string; readonly symbols: ReadonlySet<string> | null; readonly fromSeq: number };
type Found = { readonly channel: Channel; readonly rest: string };

const CHANNEL_BYTES = 128;
const FILTER_BYTES = 64;
const SYMBOL_CHARS = 64;
export const SUBSCRIBE = {
  channel: { kind: 'text', maxBytes: CHANNEL_BYTES, doc: 'Of the list of channels.' },
  symbols: { kind: 'list', max: SUBSCRIPTIONS, optional: true, doc: 'Without it all.' },
  expiry: { kind: 'text', maxBytes: FILTER_BYTES, optional: true, doc: 'An ISO date, such as 2026-01-30.' },
  option_type: { kind: 'text', maxBytes: FILTER_BYTES, optional: true, doc: '`call` or `put`.' },
  from_seq: { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER, optional: true, doc: 'The last number that the client has.' },
} as const satisfies Schema;
export const AUTHENTICATE = { wallet: { kind: 'address' } } as const satisfies Schema;
type SubscribeFields = Values<typeof SUBSCRIBE>;

/** One channel and key of one connection. */
class Subscription implements Member, Flow {
  readonly channel: Channel;
  readonly key: string;
  /** Of the messages of a wallet, those that are wanted; null for all. */
  symbols: ReadonlySet<string> | null = null;
  topic: Topic | null = null;
  /** Where messages wait for their snapshot. */
  hold: Hold | null = null;
  readonly #connection: Connection;

  constructor(connection: Connection, channel: Channel, key: string) {
    this.#connection = connection;
    this.channel = channel;
    this.key = key;
  }

  get name(): string {
    return this.channel.name;
  }

  get slow(): Channel['slow'] {
    return this.channel.slow;
  }

  deliver(_: Topic, frame: Frame): void {
    this.#connection.deliver(this, frame);
  }

  lost(): void {
    this.#connection.lose(this);
  }

  renew(): void {
    this.#connection.renew(this);
  }
}

export class Connection implements SocketListener {
  readonly #socket: Socket;
  readonly #topics: Topics;
  readonly #out: Outflow;
  readonly #entry: OrderEntry;
  readonly #refusal: () => Refused | null;
  readonly #encoding: Encoding;
  #wallet: string | null;
  /** By channel and key. */
  readonly #subscriptions = new Map<string, Subscription>();
  #isOver = false;

  constructor({ api, socket, topics, turn, encoding, connection, refusal }: ConnectionParts, wallet: string | null) {
    this.#socket = socket;
    this.#topics = topics;
    this.#out = new Outflow(socket, encoding, turn);
    this.#encoding = encoding;
    this.#wallet = wallet;
    this.#refusal = refusal;
    this.#entry = new OrderEntry({
      api, refusal, connection, source: socket.source, send: (text) => this.#out.send(new Frame(text)),
      end: (reason) => this.#out.end(reason),
    });
  }

  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  message(bytes: Uint8Array, isBinary: boolean): void {
    const parsed = this.#read(bytes, isBinary);
    const type = typeof parsed === 'string' ? undefined : parsed['type'];
    if (typeof type === 'string' && this.#entry.take(type, parsed as JsonObject)) return;
    if (!this.#socket.countMessage()) return;
    if (typeof parsed === 'string') return this.#error(parsed);
    if (typeof type !== 'string') return this.#error('Message has no type');
    const refused = this.#refusal();
    if (refused !== null) return this.#error(refused.message);
    switch (type) {
      case 'Subscribe': return this.#onChannel(parsed, (wanted, fields) => this.#subscribe(wanted, fields.from_seq));
      case 'Unsubscribe': return this.#onChannel(parsed, (wanted, fields) => this.#unsubscribe(wanted, fields));
      case 'Authenticate': return this.#authenticate(parsed);
      default: return this.#error(`Unknown message type: ${type.slice(0, CHANNEL_BYTES)}`);
    }
  }

  drain(): void {
    this.#out.drain();
  }

  close(): void {
    this.#isOver = true;
    this.#entry.close();
    for (const subscription of [...this.#subscriptions.values()]) this.#drop(subscription);
  }

  /** One message of a subscription. */
  deliver(subscription: Subscription, frame: Frame): void {
    if (!isWanted(subscription, frame)) return;
    if (subscription.hold === null) this.#out.send(frame, subscription);
    else this.#out.hold(subscription.hold, frame, subscription);
  }

  /** A message of a subscription could not be delivered: nothing may be missing unsaid, so it ends. */
  lose(subscription: Subscription): void {
    this.#drop(subscription);
    this.#error(CLIENT_LOST);
  }

  /** A new snapshot for a subscription of which messages were left out. */
  renew(subscription: Subscription): void {
    const isStill = () => this.#has(subscription);
    this.#topics.join({ channel: subscription.name, key: subscription.key }, subscription, isStill, (result) => {
      if (!('topic' in result) || !isStill()) {
        this.#out.restart(subscription, null);
        return this.#topics.later(() => this.drain());
      }
      const hold = new Hold(() => { if (subscription.hold === hold) subscription.hold = null; });
      subscription.hold = hold;
      for (const frame of result.snapshot) this.#out.hold(hold, frame, subscription);
      this.#out.restart(subscription, hold);
    });
  }

  /** What was sent, or why it cannot be read. */
  #read(bytes: Uint8Array, isBinary: boolean): JsonObject | string {
    if (this.#encoding === 'msgpack') {
      if (!isBinary) return 'Text messages are not supported on a connection with encoding=msgpack';
      const parsed = parseMsgpack(bytes);
      return parsed.ok ? parsed.value : parsed.message;
    }
    if (isBinary) return 'Binary messages are not supported without encoding=msgpack';
    const parsed = parseJson(bytes);
    if (parsed.ok) return parsed.value;
    return parsed.code === 'invalid_json' ? 'Message is not a JSON object' : 'Message cannot be read';
  }

  #say(message: object): void {
    this.#out.send(Frame.of(message));
  }

  #error(message: string): void {
    this.#say(errorMessage(message));
  }

  /** Reads what Subscribe and Unsubscribe share. */
  #onChannel(sent: JsonObject, act: (wanted: Wanted, fields: SubscribeFields) => void): void {
    const fields = readBody(SUBSCRIBE, sent);
    if (!fields.ok) return this.#error(fields.message);
    const found = channelOf(fields.value.channel);
    if (found === null) return this.#error(`Unknown channel: ${fields.value.channel}`);
    const { symbols: given } = fields.value;
    if (given !== undefined && !given.every((symbol) => typeof symbol === 'string' && symbol.length <= SYMBOL_CHARS)) {
      return this.#error('symbols must be a list of symbols');
    }
    const symbols = given === undefined ? null : [...new Set((given as string[]).map(canonicalSymbol))];
    const keys = this.#keysOf(found, symbols, fields.value);
    const { key, filters }: Channel = found.channel;
    const filter = key === 'wallet' && filters.includes('symbols') && symbols !== null ? new Set(symbols) : null;
    act({ channel: found.channel, name: fields.value.channel, keys, symbols: filter }, fields.value);
  }

  /** What the reader is asked for. */
  #keysOf({ channel, rest }: Found, symbols: readonly string[] | null, fields: SubscribeFields): readonly string[] {
    switch (channel.key) {
      case 'wallet': return [this.#wallet ?? ''];
      case 'symbol': return symbols ?? [''];
      case 'venue': return [''];
      case 'name': return [rest];
      case 'filter': {
        const { expiry, option_type } = fields;
        return [JSON.stringify({ expiry, option_type, symbols: symbols ?? undefined })];
      }
    }
  }

  #subscribe({ channel, name, keys, symbols }: Wanted, fromSeq: number | undefined): void {
    if (channel.key === 'wallet' && this.#wallet === null) return this.#error('Authentication required for this channel');
    if (fromSeq !== undefined && !channel.resume) return this.#error(`Channel ${name} has no from_seq: it cannot be resumed`);
    const fresh = keys.filter((key) => !this.#subscriptions.has(nameOf(channel, key))).length;
    if (this.#subscriptions.size + fresh > SUBSCRIPTIONS) return this.#error(`Too many subscriptions: ${SUBSCRIPTIONS} is the maximum`);
    if (fromSeq !== undefined) return this.#takeUp(channel, keys[0]!, { name, symbols, fromSeq });
    const subscriptions = keys.map((key) => this.#open(channel, key));
    const hold = new Hold(() => { for (const one of subscriptions) if (one.hold === hold) one.hold = null; });
    const errors: string[] = [];
    let open = keys.length;
    let seq: number | null = null;
    for (const subscription of subscriptions) {
      subscription.symbols = symbols;
      subscription.hold = hold;
      const isStill = () => this.#has(subscription);
      this.#topics.join({ channel: channel.name, key: subscription.key }, subscription, isStill, (result) => {
        open--;
        if ('error' in result) errors.push(result.error);
        else seq = result.seq;
        this.#joined(subscription, hold, result, isStill());
        if (open > 0 || this.#isOver) return;
        const said = errors.map(errorMessage).map(Frame.of);
        const own = keys.length === 1 && seq !== null ? { seq } : {};
        if (errors.length < keys.length) said.push(Frame.of({ type: 'Subscribed', channel: name, ...own }));
        hold.frames.unshift(...said.map((frame) => ({ frame, flow: ANSWERS })));
        this.#out.release(hold);
      });
    }
  }

  #open(channel: Channel, key: string): Subscription {
    const name = nameOf(channel, key);
    const subscription = this.#subscriptions.get(name) ?? new Subscription(this, channel, key);
    this.#subscriptions.set(name, subscription);
    return subscription;
  }

  /** A stream begins anew where the client left it: live messages of before are among those that it is told again. */
  #takeUp(channel: Channel, key: string, { name, symbols, fromSeq }: TakenUp): void {
    const before = this.#subscriptions.get(nameOf(channel, key));
    if (before !== undefined) this.#drop(before);
    const subscription = this.#open(channel, key);
    subscription.symbols = symbols;
    this.#resume(subscription, fromSeq, name);
  }

  /** Asks for what came after a message, and for the rest when the client has read that. `name`: of a Subscribe to be answered. */
  #resume(subscription: Subscription, fromSeq: number, name: string | null): void {
    let next: number | null = null;
    const hold = new Hold(() => {
      if (next !== null && this.#has(subscription)) this.#resume(subscription, next, null);
      else if (subscription.hold === hold) subscription.hold = null;
    });
    subscription.hold = hold;
    const isStill = () => this.#has(subscription);
    this.#topics.join({ channel: subscription.name, key: subscription.key, from_seq: fromSeq }, subscription, isStill, (result) => {
      if (!isStill()) return;
      if ('error' in result) {
        this.#drop(subscription);
        return this.#error(result.error);
      }
      if (name !== null) hold.frames.push({ frame: Frame.of({ type: 'Subscribed', channel: name, seq: result.seq }), flow: ANSWERS });
      const isPart = 'part' in result;
      if (isPart) next = result.seq + result.part.length;
      else subscription.topic = result.topic;
      for (const frame of isPart ? result.part : result.snapshot) {
        if (isWanted(subscription, frame)) this.#out.hold(hold, frame, subscription);
      }
      this.#out.release(hold);
    });
  }

  #joined(subscription: Subscription, hold: Hold, result: JoinResult, isStill: boolean): void {
    if (!isStill) return;
    if (!('topic' in result)) return this.#drop(subscription);
    subscription.topic = result.topic;
    for (const frame of result.snapshot) this.#out.hold(hold, frame, subscription);
  }

  #unsubscribe({ channel, name, keys }: Wanted, fields: SubscribeFields): void {
    const isWhole = channel.key === 'wallet' || (channel.key !== 'name' && fields.symbols === undefined && fields.expiry === undefined
      && fields.option_type === undefined);
    for (const subscription of [...this.#subscriptions.values()]) {
      if (subscription.channel === channel && (isWhole || keys.includes(subscription.key))) this.#drop(subscription);
    }
    this.#say({ type: 'Unsubscribed', channel: name });
  }

  #authenticate(sent: JsonObject): void {
    const fields = readBody(AUTHENTICATE, sent);
    if (!fields.ok) return this.#error(fields.message);
    const { wallet } = fields.value;
    if (this.#wallet !== wallet) {
      for (const subscription of [...this.#subscriptions.values()]) if (subscription.channel.key === 'wallet') this.#drop(subscription);
      this.#wallet = wallet;
    }
    this.#say({ type: 'Authenticated', wallet });
  }

  #has(subscription: Subscription): boolean {
    return !this.#isOver && this.#subscriptions.get(nameOf(subscription.channel, subscription.key)) === subscription;
  }

  #drop(subscription: Subscription): void {
    this.#subscriptions.delete(nameOf(subscription.channel, subscription.key));
    this.#out.forget(subscription);
    if (subscription.topic !== null) this.#topics.leave(subscription.topic, subscription);
  }
}

export function errorMessage(message: string): object {
  return { type: 'Error', message };
}

function nameOf({ name }: Channel, key: string): string {
  return `${name} ${key}`;
}

/** A private message names its symbol itself or in the request it is about. */
function isWanted({ symbols }: Subscription, frame: Frame): boolean {
  if (symbols === null) return true;
  const { symbol, request } = frame.value as { symbol?: string; request?: { symbol?: string } };
  return symbols.has(symbol ?? request?.symbol ?? '');
}
