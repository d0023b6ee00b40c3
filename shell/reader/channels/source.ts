// What a channel is to the reader: its keys, events, snapshot and messages. A source keeps nothing that the state has.

import { findClosed } from '../../../core/accounts/closed-accounts.ts';
import type { State } from '../../../core/engine/state.ts';
import type { Rows } from '../../storage/history/protocol.ts';
import { refuse, type Refusal } from '../../http/errors.ts';
import type { ChannelKind } from '../../ipc/channels.ts';
import type { CompetitionMessages } from '../competitions/competition-messages.ts';
import type { CandleParts } from '../history/candle-parts.ts';
import type { HistoryLink } from '../history/link.ts';
import type { OrderEnds } from '../history/order-ends.ts';
import type { GreeksCache } from '../market/greeks-cache.ts';
import type { Statistics } from '../market/statistics.ts';
import type { CurrentRecord } from '../history/rows.ts';
import { accountOfWallet, slotOfSymbol, wordsOfAddress, type Names } from '../text.ts';

/** Shortest time between messages of a conflating channel (decision 7.5). */
export const CONFLATION_MS = 10;

/** `symbols`: options and underlyings. Null: all. */
export type ChainFilter = {
  readonly expiry: number | null; readonly type: 'call' | 'put' | null; readonly symbols: ReadonlySet<string> | null;
};

/** `id`: an instrument or account, else NO_ID. */
export type TopicKey = { readonly key: string; readonly id: number; readonly filter?: ChainFilter };

export const NO_ID = -1;

/** A wallet's `id` is set while it has an account. */
export type ChannelTopic = {
  readonly key: string; id: number; readonly number: number; readonly channel: ChannelKind; readonly subscriptions: number[];
};

/** `isPart`: part of a resumed stream, which starts no subscription; the client asks again. */
export type ChannelSnapshot = { readonly seq: number | null; readonly messages: readonly string[]; readonly isPart?: boolean };

/** `follows`: a number that is not there yet may come. */
export type SnapshotOptions = { readonly time: number; readonly fromSeq: number | undefined; readonly follows?: boolean | undefined };

export type GiveSnapshot = (snapshot: ChannelSnapshot | Refusal) => void;

export type ChannelSource = {
  readonly events: readonly number[];
  onEvent(kind: number, f: Float64Array, record: CurrentRecord): void;
  finish?(record: CurrentRecord): void;
  open(key: string): TopicKey | Refusal;
  snapshot(key: TopicKey, options: SnapshotOptions, give: GiveSnapshot): void;
  end?(key: TopicKey): void;
  isPending?(): boolean;
  /** `now` is monotonic, ms. */
  flush?(now: number): void;
};

export type SourceParts = {
  readonly state: State;
  readonly names: Names;
  readonly greeksCache: GreeksCache;
  readonly statistics: Statistics;
  readonly candleParts: CandleParts;
  readonly rows: Rows;
  readonly history: HistoryLink;
  readonly competitionMessages: CompetitionMessages;
  readonly ends: OrderEnds;
  readonly topics: ChannelTopics;
};

/** `also`: a second topic of the thread, 0 for none. */
export type Send = (api: number, topic: number, seq: number, message: Uint8Array, also: number) => void;

export class ChannelTopics {
  readonly byKey = new Map<string, ChannelTopic>();
  readonly #byId = new Map<number, ChannelTopic>();
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  add(topic: ChannelTopic): void {
    this.byKey.set(topic.key, topic);
    if (topic.id !== NO_ID) this.#byId.set(topic.id, topic);
  }

  remove(topic: ChannelTopic): void {
    this.byKey.delete(topic.key);
    this.#byId.delete(topic.id);
  }

  bind(key: string, id: number): void {
    const topic = this.byKey.get(key);
    if (topic === undefined) return;
    topic.id = id;
    this.#byId.set(id, topic);
  }

  unbind(id: number): void {
    const topic = this.#byId.get(id);
    if (topic !== undefined) topic.id = NO_ID;
    this.#byId.delete(id);
  }

  hasSubscribers(id: number): boolean {
    return this.#byId.has(id) || this.hasAllSubscribers;
  }

  get hasAllSubscribers(): boolean {
    return this.byKey.has('');
  }

  /**
   * Sends to the topic of the id and the topic of all. An api thread gets one message for both, or a connection that
   * changes between them could miss or repeat it.
   */
  publish(id: number, seq: number, make: () => string | Uint8Array): void {
    const one = this.#byId.get(id);
    const all = this.byKey.get('');
    if (one === undefined && all === undefined) return;
    const made = make();
    this.sendOnce([one, all].filter((topic) => topic !== undefined), seq, typeof made === 'string' ? Buffer.from(made) : made);
  }

  sendOnce(topics: readonly ChannelTopic[], seq: number, message: Uint8Array): void {
    const most = Math.max(0, ...topics.map(({ subscriptions }) => subscriptions.length));
    for (let api = 0; api < most; api++) {
      const [first, second] = topics.filter(({ subscriptions }) => (subscriptions[api] ?? 0) > 0);
      if (first !== undefined) this.#send(api, first.number, seq, message, second?.number ?? 0);
    }
  }

  send(topic: ChannelTopic, seq: number, message: Uint8Array): void {
    this.sendOnce([topic], seq, message);
  }
}

export function openSymbol(state: State, names: Names, key: string): TopicKey | Refusal {
  if (key === '') return { key, id: NO_ID };
  const slot = slotOfSymbol(state, key);
  return slot < 0 ? refuse('not_found', `Unknown symbol or wallet: ${key}`) : { key: names.symbol(slot), id: state.instruments.id[slot]! };
}

export function openVenue(key: string): TopicKey | Refusal {
  return key === '' ? { key, id: NO_ID } : refuse('not_found', `Unknown key: ${key}`);
}

export function openWallet(state: State, key: string): TopicKey | Refusal {
  const wallet = key.toLowerCase();
  return wordsOfAddress(wallet) === null
    ? refuse('not_found', `Unknown symbol or wallet: ${key}`) : { key: wallet, id: accountOfWallet(state, wallet) };
}

/** A closed account's stream goes on from `closedSeqOf`. */
export function walletSeq(
  state: State, seqOf: (account: number) => number, { key }: TopicKey, closedSeqOf: (row: number) => number = () => 0,
): number {
  const account = accountOfWallet(state, key);
  if (account >= 0) return seqOf(account);
  const words = wordsOfAddress(key);
  const row = words === null ? -1 : findClosed(state.closed, words, 0);
  return row < 0 ? 0 : closedSeqOf(row);
}
