// Who listens to what, and the messages they are sent: public streams per symbol (or all symbols), private ones per wallet.
// A message is encoded once per event and only if a topic of it has a subscriber. Its `seq` is the stream's counter in the
// core's state: gapless, the same after a restart. A topic belongs to a channel and a key; api threads are counted in it.

import { ACCOUNT, ACCOUNT_OPENED, BOOK_CHANGED, FILL, FILL_INSTRUMENT, FILL_MAKER, FILL_MAKER_REST, FILL_TAKER, INSTRUMENT,
  ORDER_ACCEPTED, ORDER_DONE, ORDER_RESTED, ORDER_SHRUNK, REFUSED, REFUSED_KIND } from '../../core/codec/events.ts';
import { PLACE_ORDER, REPLACE_ORDER } from '../../core/codec/commands.ts';
import { instrumentCount } from '../../core/instruments/instruments.ts';
import type { State } from '../../core/engine/state.ts';
import { fillMessage, makerMessage, orderMessage, rejectedMessage, tradeMessage } from './messages.ts';
import { isBookEmpty, orderbookMessage } from './orderbook.ts';
import { CHANNELS, type Channel } from './protocol.ts';
import type { RecordInHand } from './rows.ts';
import { accountOfWallet, slotOfSymbol, wordsOfAddress, type Names } from './text.ts';

/** Topics that may exist at once. */
const MOST_TOPICS = 1_000_000;

/** Gives one message to an api thread. */
type Send = (api: number, topic: number, seq: number, message: Uint8Array) => void;

/** `id`: that of an instrument, or an account; NO_ID for none; `subscriptions` by api thread. */
type Topic = {
  readonly number: number; readonly channel: Channel; readonly key: string; readonly id: number; readonly subscriptions: number[];
};

/** Topics of one channel: by id of the instrument or by account, and the one of all symbols. */
class Topics {
  readonly byId = new Map<number, Topic>();
  readonly byKey = new Map<string, Topic>();
  all: Topic | null = null;

  get isEmpty(): boolean {
    return this.byKey.size === 0;
  }
}

/** The key stands for all symbols, or for a wallet that has no account yet. */
const NO_ID = -1;

type Refused = 'unknown channel' | 'unknown key' | 'too many topics';

export class Streams {
  readonly #state: State;
  readonly #names: Names;
  readonly #send: Send;
  readonly #channels: Record<Channel, Topics> = {
    orderbook: new Topics(), trades: new Topics(), order_updates: new Topics(), fills: new Topics(),
  };
  readonly #byNumber = new Map<number, Topic>();
  #lastNumber = 0;

  constructor(state: State, names: Names, send: Send) {
    this.#state = state;
    this.#names = names;
    this.#send = send;
  }

  /** The JSON of a Subscription: what stands now. Everything sent to `api` on the topic after this call came after it. */
  subscribe(api: number, channelName: string, key: string, time: number): string | Refused {
    const channel = CHANNELS.find((one) => one === channelName);
    if (channel === undefined) return 'unknown channel';
    const topic = this.#topicOf(channel, key);
    if (typeof topic === 'string') return topic;
    topic.subscriptions[api] = (topic.subscriptions[api] ?? 0) + 1;
    return this.#standing(topic, time);
  }

  /** False when the api has no subscription to a topic of this number. */
  unsubscribe(api: number, number: number): boolean {
    const topic = this.#byNumber.get(number);
    const count = topic?.subscriptions[api] ?? 0;
    if (topic === undefined || count === 0) return false;
    topic.subscriptions[api] = count - 1;
    if (topic.subscriptions.every((one) => !(one > 0))) this.#drop(topic);
    return true;
  }

  note(kind: number, f: Float64Array, record: RecordInHand): void {
    switch (kind) {
      case BOOK_CHANGED: this.#noteBook(f[INSTRUMENT]!, record.time); return;
      case FILL: this.#noteFill(f, record.time); return;
      case ORDER_ACCEPTED: case ORDER_RESTED: case ORDER_DONE: case ORDER_SHRUNK:
        this.#toWallet('order_updates', f[ACCOUNT]!, () => orderMessage(this.#state, this.#names, kind, f, record));
        return;
      case REFUSED:
        if (f[REFUSED_KIND] !== PLACE_ORDER && f[REFUSED_KIND] !== REPLACE_ORDER) return;
        this.#toWallet('order_updates', f[ACCOUNT]!, () => rejectedMessage(this.#state, this.#names, f, record));
        return;
      case ACCOUNT_OPENED: this.#noteAccount(f[ACCOUNT]!); return;
    }
  }

  #noteBook(slot: number, time: number): void {
    this.#toSymbol('orderbook', slot, () => orderbookMessage(this.#state, this.#names, slot, time));
  }

  #noteFill(f: Float64Array, time: number): void {
    const state = this.#state;
    const names = this.#names;
    this.#toSymbol('trades', f[FILL_INSTRUMENT]!, () => tradeMessage(state, names, f, time));
    this.#toWallet('fills', f[FILL_TAKER]!, () => fillMessage(state, names, f, true, time));
    this.#toWallet('fills', f[FILL_MAKER]!, () => fillMessage(state, names, f, false, time));
    if (f[FILL_MAKER_REST]! > 0) this.#toWallet('order_updates', f[FILL_MAKER]!, () => makerMessage(state, names, f, time));
  }

  /** A wallet that was listened to before it had an account is now found by its number. */
  #noteAccount(account: number): void {
    for (const channel of ['order_updates', 'fills'] as const) {
      const topics = this.#channels[channel];
      if (topics.isEmpty) continue;
      const topic = topics.byKey.get(this.#names.wallet(account));
      if (topic !== undefined) topics.byId.set(account, topic);
    }
  }

  #toSymbol(channel: 'orderbook' | 'trades', slot: number, encode: () => string): void {
    const { byId, all } = this.#channels[channel];
    const topic = byId.get(this.#state.instruments.id[slot]!);
    if (topic === undefined && all === null) return;
    const message = Buffer.from(encode());
    const seq = this.#symbolSeq(channel, slot);
    if (topic !== undefined) this.#publish(topic, seq, message);
    if (all !== null) this.#publish(all, seq, message);
  }

  #toWallet(channel: 'order_updates' | 'fills', account: number, encode: () => string): void {
    const topic = this.#channels[channel].byId.get(account);
    if (topic !== undefined) this.#publish(topic, this.#walletSeq(channel, account), Buffer.from(encode()));
  }

  #publish(topic: Topic, seq: number, message: Uint8Array): void {
    topic.subscriptions.forEach((count, api) => {
      if (count > 0) this.#send(api, topic.number, seq, message);
    });
  }

  #symbolSeq(channel: 'orderbook' | 'trades', slot: number): number {
    const { streams } = this.#state;
    return (channel === 'orderbook' ? streams.books : streams.trades)[slot]!;
  }

  #walletSeq(channel: 'order_updates' | 'fills', account: number): number {
    const { streams } = this.#state;
    return (channel === 'fills' ? streams.fills : streams.orderUpdates)[account]!;
  }

  /** The topic of a channel and a key in any form, made if need be. */
  #topicOf(channel: Channel, key: string): Topic | Refused {
    const isPublic = channel === 'orderbook' || channel === 'trades';
    let canonical = key.toLowerCase();
    let id = NO_ID;
    if (isPublic) {
      const slot = key === '' ? NO_ID : slotOfSymbol(this.#state, key);
      if (key !== '' && slot < 0) return 'unknown key';
      id = slot < 0 ? NO_ID : this.#state.instruments.id[slot]!;
      canonical = slot < 0 ? '' : this.#names.symbol(slot);
    } else {
      if (wordsOfAddress(canonical) === null) return 'unknown key';
      id = accountOfWallet(this.#state, canonical);
    }
    const topics = this.#channels[channel];
    const found = topics.byKey.get(canonical);
    if (found !== undefined) return found;
    if (this.#byNumber.size >= MOST_TOPICS) return 'too many topics';
    do this.#lastNumber = (this.#lastNumber + 1) >>> 0; while (this.#byNumber.has(this.#lastNumber));
    const topic: Topic = { number: this.#lastNumber, channel, key: canonical, id, subscriptions: [] };
    this.#byNumber.set(topic.number, topic);
    topics.byKey.set(canonical, topic);
    if (id >= 0) topics.byId.set(id, topic);
    else if (isPublic) topics.all = topic;
    return topic;
  }

  #drop(topic: Topic): void {
    const topics = this.#channels[topic.channel];
    this.#byNumber.delete(topic.number);
    topics.byKey.delete(topic.key);
    if (topics.all === topic) topics.all = null;
    else topics.byId.delete(topic.id >= 0 ? topic.id : accountOfWallet(this.#state, topic.key));
  }

  #standing({ number, channel, key, id }: Topic, time: number): string {
    const messages: string[] = [];
    let seq: number | null = null;
    if (channel === 'orderbook' || channel === 'trades') {
      const slot = id < 0 ? NO_ID : slotOfSymbol(this.#state, key);
      if (channel === 'orderbook') {
        const slots = id < 0 ? this.#filledBooks() : [slot];
        for (const one of slots) messages.push(orderbookMessage(this.#state, this.#names, one, time));
      }
      seq = id < 0 ? null : this.#symbolSeq(channel, slot);
    } else {
      const account = accountOfWallet(this.#state, key);
      seq = account < 0 ? 0 : this.#walletSeq(channel, account);
    }
    return `{"topic":${number},"seq":${seq},"messages":[${messages.join(',')}]}`;
  }

  #filledBooks(): number[] {
    const slots: number[] = [];
    const rows = instrumentCount(this.#state.instruments);
    for (let slot = 0; slot < rows; slot++) if (!isBookEmpty(this.#state, slot)) slots.push(slot);
    return slots;
  }
}
