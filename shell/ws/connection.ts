// One client connection, in JSON or MessagePack (wire contract, section 4). Orders go to order-entry.ts, other requests
// to connection-subscriptions.ts. A wallet is named here, never proved (interface.md, Events 1).

import { BOUNDS } from '../http/limits.ts';
import { INTERNAL, refuse, type Checked, type Refused } from '../http/errors.ts';
import type { ErrorCode } from '../http/shapes/error-codes.ts';
import type { ApiContext } from '../api/context.ts';
import { canonicalSymbol, namesMarket } from '../api/values.ts';
import type { Socket, SocketListener } from '../http/server/sockets.ts';
import { readBody, type Schema, type FieldValues } from '../http/fields.ts';
import type { Quota } from '../http/quota.ts';
import { parseJson } from '../http/json.ts';
import type { JsonObject } from '../process/json-object.ts';
import { chainKey } from '../ipc/chain-selection.ts';
import { channelOf, type Channel } from '../ipc/channels.ts';
import { OrderEntry } from './order-entry.ts';
import { OutboundMessage, type Encoding } from './outbound-message.ts';
import { peekMessage } from './peek-message.ts';
import { parseMsgpack } from './msgpack.ts';
import { RequestQueue, type QueuedRequest } from './request-queue.ts';
import { BAD_ID, idFieldOf, idOf, type RequestId } from './request-id.ts';
import type { OutboundMemory } from './outbound-memory.ts';
import { OutboundQueue } from './outbound-queue.ts';
import { ConnectionSubscriptions, unsubscribed } from './connection-subscriptions.ts';
import type { TopicRegistry } from './topic-registry.ts';
import type { WriteScheduler } from './write-scheduler.ts';

type ConnectionParts = {
  readonly api: ApiContext; readonly socket: Socket; readonly registry: TopicRegistry; readonly scheduler: WriteScheduler;
  readonly memory: OutboundMemory;
  readonly encoding: Encoding;
  readonly connection: string;
  /** Null: accepted. */
  readonly refusal: () => Refused | null;
  readonly refusedBytes: Quota<number>;
};

type ChannelRequest = {
  readonly channel: Channel; readonly rest: string; readonly fields: SubscribeFields; readonly symbols: readonly string[] | null;
  readonly id: RequestId;
};

const CHANNEL_BYTES = 128;
const FILTER_BYTES = 64;
export const SYMBOL_CHARS = 64;
export const SUBSCRIBE = {
  channel: { kind: 'text', maxBytes: CHANNEL_BYTES, doc: 'Of the list of channels.' },
  symbols: { kind: 'list', max: BOUNDS.subscriptions, optional: true, doc: 'Without it all.' },
  expiry: { kind: 'text', maxBytes: FILTER_BYTES, optional: true, doc: 'An ISO date, such as 2026-01-30, or seconds as text.' },
  option_type: { kind: 'text', maxBytes: FILTER_BYTES, optional: true, doc: '`call`, `put` or `both`.' },
  from_seq: { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER, optional: true, doc: 'The last number that the client has.' },
  min_seq: {
    kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER, optional: true,
    doc: 'The stream begins with everything up to that command (`X-Strikebook-Seq`). Waits for it for a second, then Error `behind`.',
  },
} as const satisfies Schema;
export const AUTHENTICATE = { wallet: { kind: 'address' } } as const satisfies Schema;
type SubscribeFields = FieldValues<typeof SUBSCRIBE>;

export class Connection implements SocketListener {
  readonly #api: ApiContext;
  readonly #socket: Socket;
  readonly #out: OutboundQueue;
  readonly #entry: OrderEntry;
  readonly #subscriptions: ConnectionSubscriptions;
  readonly #requests = new RequestQueue();
  readonly #refusal: () => Refused | null;
  readonly #refusedBytes: Quota<number>;
  readonly #encoding: Encoding;
  #wallet: string | null;

  constructor(parts: ConnectionParts, wallet: string | null) {
    const { api, socket, registry, scheduler, memory, encoding, connection, refusal, refusedBytes } = parts;
    this.#api = api;
    this.#socket = socket;
    this.#out = new OutboundQueue(socket, encoding, scheduler, memory);
    this.#subscriptions = new ConnectionSubscriptions(registry, this.#out, socket.source);
    this.#encoding = encoding;
    this.#wallet = wallet;
    this.#refusal = refusal;
    this.#refusedBytes = refusedBytes;
    this.#entry = new OrderEntry({
      api, connection, source: socket.source, send: (text) => this.#out.send(new OutboundMessage(text)),
      end: (reason) => this.#out.closeConnection(reason),
    });
  }

  message(bytes: Uint8Array, isBinary: boolean): void {
    const refused = this.#refusal();
    const isRead = refused === null || this.#refusedBytes.take(this.#socket.id, false, bytes.length) === null;
    const parsed = isRead ? this.#read(bytes, isBinary) : { ok: true, value: peekMessage(bytes, this.#encoding) } as const;
    const sent: JsonObject = parsed.ok ? parsed.value : {};
    const { type } = sent;
    if (typeof type === 'string' && this.#entry.take(type, sent, refused)) return;
    if (!this.#socket.countMessage()) return;
    const id = idOf(sent);
    const fault = refused ?? (parsed.ok ? null : parsed) ?? (id === undefined ? BAD_ID : null);
    try {
      const request = fault === null ? this.#requestOf(sent, type, id!) : this.#error(fault, id);
      if (!this.#requests.add(request)) this.#out.closeConnection('too many requests are waiting');
    } catch (error) {
      this.#api.fault('socket message', error);
      this.#out.send(OutboundMessage.error(INTERNAL, id));
    }
  }

  drain(): void {
    this.#out.drain();
  }

  close(): void {
    this.#requests.clear();
    this.#entry.close();
    this.#subscriptions.close();
    this.#out.close();
  }

  #read(bytes: Uint8Array, isBinary: boolean): Checked<JsonObject> {
    if (this.#encoding === 'msgpack') {
      if (!isBinary) return refuse('invalid_request', 'Text messages are not supported on a connection with encoding=msgpack');
      return parseMsgpack(bytes);
    }
    if (isBinary) return refuse('invalid_request', 'Binary messages are not supported without encoding=msgpack');
    const parsed = parseJson(bytes, 'Message');
    return parsed.ok || parsed.code !== 'invalid_json' ? parsed : refuse('invalid_json', 'Message is not a JSON object');
  }

  #requestOf(sent: JsonObject, type: unknown, id: RequestId): QueuedRequest {
    if (typeof type !== 'string') return this.#error(refuse('missing_field', 'Message has no type'), id);
    switch (type) {
      case 'Subscribe': return this.#onChannel(sent, id, isSymbol, (asked, answered) => this.#subscribe(asked, answered));
      case 'Unsubscribe': return this.#onChannel(sent, id, isKey, (asked, answered) => this.#unsubscribe(asked, answered));
      case 'Authenticate': return this.#authenticate(sent, id);
      default: return this.#error(refuse('invalid_parameter', `Unknown message type: ${type.slice(0, CHANNEL_BYTES)}`), id);
    }
  }

  #answer(make: () => OutboundMessage): QueuedRequest {
    return {
      weight: 1,
      run: (answered) => {
        this.#out.send(make());
        answered();
      },
    };
  }

  #error(refused: Refused, id: RequestId | undefined): QueuedRequest {
    return this.#answer(() => OutboundMessage.error(refused, id));
  }

  #onChannel(
    sent: JsonObject, id: RequestId, isValid: (symbol: unknown) => boolean, act: (asked: ChannelRequest, answered: () => void) => void,
  ): QueuedRequest {
    const fields = readBody(SUBSCRIBE, sent);
    if (!fields.ok) return this.#error(fields, id);
    const found = channelOf(fields.value.channel);
    if (found === null) return this.#error(refuse('invalid_parameter', `Unknown channel: ${fields.value.channel}`), id);
    const { symbols: given } = fields.value;
    if (given !== undefined && !given.every(isValid)) {
      return this.#error(refuse('invalid_parameter', 'symbols must be a list of symbols'), id);
    }
    const symbols = given === undefined ? null : [...new Set((given as string[]).map(canonicalSymbol))];
    const asked: ChannelRequest = { ...found, fields: fields.value, symbols, id };
    return { weight: Math.max(1, symbols?.length ?? 0), run: (answered) => act(asked, answered) };
  }

  #keysOf({ channel, rest, symbols, fields }: ChannelRequest): readonly string[] {
    switch (channel.key) {
      case 'wallet': return [this.#wallet ?? ''];
      case 'symbol': return symbols ?? [''];
      case 'venue': return [''];
      case 'name': return [rest];
      case 'filter': return [chainKey({ expiry: fields.expiry, option_type: fields.option_type, symbols: symbols ?? undefined })];
    }
  }

  #subscribe(asked: ChannelRequest, answered: () => void): void {
    const { channel, symbols, id, fields: { channel: name, from_seq: fromSeq, min_seq: minSeq } } = asked;
    const { key, resume }: Channel = channel;
    const end = (code: ErrorCode, message: string): void => {
      this.#out.send(OutboundMessage.error(refuse(code, message), id));
      answered();
    };
    if (key === 'wallet' && this.#wallet === null) return end('unauthorized', 'Authentication required for this channel');
    if (fromSeq !== undefined && !resume) return end('invalid_parameter', `Channel ${name} has no from_seq: it cannot be resumed`);
    // Invalid names may be too long for a query to the reader.
    const nameless = key === 'filter' ? symbols?.find((symbol) => !namesMarket(symbol)) : undefined;
    if (nameless !== undefined) return end('not_found', `Unknown symbol: ${nameless}`);
    const request = { channel, name, id, keys: this.#keysOf(asked), symbols: chosenSymbols(asked), minSeq };
    this.#subscriptions.subscribe(request, fromSeq, answered);
  }

  #unsubscribe(asked: ChannelRequest, answered: () => void): void {
    const { channel, id, fields: { channel: name, symbols, expiry, option_type } } = asked;
    const isWhole = channel.key === 'wallet'
      || (channel.key !== 'name' && symbols === undefined && expiry === undefined && option_type === undefined);
    const chosen = chosenSymbols(asked);
    if (chosen !== null) this.#subscriptions.removeSymbols(channel, this.#wallet ?? '', chosen);
    else this.#subscriptions.unsubscribe(channel, isWhole ? null : this.#keysOf(asked));
    this.#out.send(unsubscribed(name, id));
    answered();
  }

  #authenticate(sent: JsonObject, id: RequestId): QueuedRequest {
    const fields = readBody(AUTHENTICATE, sent);
    if (!fields.ok) return this.#error(fields, id);
    const { wallet } = fields.value;
    return this.#answer(() => {
      if (this.#wallet !== wallet) this.#subscriptions.endPrivate();
      this.#wallet = wallet;
      return OutboundMessage.of({ type: 'Authenticated', wallet, ...idFieldOf(id) });
    });
  }
}

/** The empty key means all symbols. */
function isSymbol(symbol: unknown): boolean {
  return symbol !== '' && isKey(symbol);
}

/** An Unsubscribe may name the empty key, to end only the subscription to all symbols. */
function isKey(symbol: unknown): boolean {
  return typeof symbol === 'string' && symbol.length <= SYMBOL_CHARS;
}

function chosenSymbols({ channel: { key, filters }, symbols }: ChannelRequest): ReadonlySet<string> | null {
  return key === 'wallet' && symbols !== null && filters.includes('symbols') ? new Set(symbols) : null;
}
