// What a channel is to the reader: which keys it knows, which events of the core it hears, what stands when a subscription
// begins, and what is sent. A source lives as long as the reader and keeps nothing that the state could tell it; what it keeps
// for its subscribers goes with the last of them. It hears nothing while nobody listens.

import { findClosed } from '../../../core/accounts/closed.ts';
import type { State } from '../../../core/engine/state.ts';
import type { Rows } from '../../storage/history/protocol.ts';
import { refuse, type Refusal } from '../../http/errors.ts';
import type { ChannelName } from '../../ipc/channels.ts';
import type { CompetitionMoments } from '../competitions/moments.ts';
import type { HistoryLink } from '../history/link.ts';
import type { OrderEnds } from '../history/order-ends.ts';
import type { Measures } from '../market/measures.ts';
import type { RecordInHand } from '../history/rows.ts';
import { accountOfWallet, slotOfSymbol, wordsOfAddress, type Names } from '../text.ts';

/** What changes of a book, or of rows of a chain, within so many ms of the last message is in the next (decision 7.5). */
export const CONFLATION_MS = 10;

/** What a client wants of the options chain. `expiry` in ms; `symbols`: of options, and names of underlyings. Null: all. */
export type ChainFilter = {
  readonly expiry: number | null; readonly type: 'call' | 'put' | null; readonly symbols: ReadonlySet<string> | null;
};

/** A key in its canonical form; `id`: that of an instrument, or an account; NO_ID for neither. `filter`: of the options chain. */
export type Key = { readonly key: string; readonly id: number; readonly filter?: ChainFilter };

/** The key stands for all symbols, or for a wallet that has no account yet. */
export const NO_ID = -1;

/** One key of a channel that somebody listens to; a wallet's `id` comes and goes with its account; `subscriptions` by api thread. */
export type Topic = {
  readonly key: string; id: number; readonly number: number; readonly channel: ChannelName; readonly subscriptions: number[];
};

/**
 * What stands when a subscription begins: complete messages as they go to clients, at this seq of the stream. A part of what is
 * told again begins none: who has it asks for what follows.
 */
export type ChannelState = { readonly seq: number | null; readonly messages: readonly string[]; readonly isPart?: boolean };

/** `time`: now, ms. */
export type Wish = { readonly time: number; readonly fromSeq: number | undefined };

/** Calls this exactly once, now or when the history has answered; a refusal says why there is no subscription. */
export type Ready = (standing: ChannelState | Refusal) => void;

export type ChannelSource = {
  /** Kinds of the core's events that `note` is called with, while there are topics. */
  readonly hears: readonly number[];
  note(kind: number, f: Float64Array, record: RecordInHand): void;
  /** The record has been applied. */
  settle?(record: RecordInHand): void;
  /** A key in any form, or why there is none. */
  open(key: string): Key | Refusal;
  /** What is sent on the topic after `ready` was called is what happened after it. */
  stand(key: Key, wish: Wish, ready: Ready): void;
  /** The topic of this key has nobody left. */
  end?(key: Key): void;
  /** Whether `flush` has something to send; only of a source that holds back. */
  isPending?(): boolean;
  /** Sends what is held back, or a part of it; `now`: ms of a clock that never goes back. */
  flush?(now: number): void;
};

export type SourceParts = {
  readonly state: State;
  readonly names: Names;
  readonly measures: Measures;
  /** What the history has not taken yet, and the way to ask it. */
  readonly rows: Rows;
  readonly history: HistoryLink;
  readonly moments: CompetitionMoments;
  readonly ends: OrderEnds;
  readonly topics: ChannelTopics;
};

/** Gives one message to an api thread; `also`: a second topic that it is of, 0 for none. */
export type Send = (api: number, topic: number, seq: number, message: Uint8Array, also: number) => void;

/** The topics of one channel, by canonical key and by id. */
export class ChannelTopics {
  readonly byKey = new Map<string, Topic>();
  readonly #byId = new Map<number, Topic>();
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  add(topic: Topic): void {
    this.byKey.set(topic.key, topic);
    if (topic.id !== NO_ID) this.#byId.set(topic.id, topic);
  }

  remove(topic: Topic): void {
    this.byKey.delete(topic.key);
    this.#byId.delete(topic.id);
  }

  /** What is listened to as this key is found by this id from now on. */
  bind(key: string, id: number): void {
    const topic = this.byKey.get(key);
    if (topic === undefined) return;
    topic.id = id;
    this.#byId.set(id, topic);
  }

  /** The id is nobody's any more. */
  unbind(id: number): void {
    const topic = this.#byId.get(id);
    if (topic !== undefined) topic.id = NO_ID;
    this.#byId.delete(id);
  }

  /** Whether a message about the id, or about one of all of them, would reach anybody. */
  isHeard(id: number): boolean {
    return this.#byId.has(id) || this.isAllHeard;
  }

  /** Whether anybody listens to all of them at once. */
  get isAllHeard(): boolean {
    return this.byKey.has('');
  }

  /**
   * Sends to the topic of the id and to that of all; the message is made once, and only if somebody wants it. Bytes are copied. An api
   * thread gets it once for both topics: one that goes between the two would have its connections miss it or be told twice.
   */
  tell(id: number, seq: number, make: () => string | Uint8Array): void {
    const one = this.#byId.get(id);
    const all = this.byKey.get('');
    if (one === undefined && all === undefined) return;
    const made = make();
    this.sendOnce([one, all].filter((topic) => topic !== undefined), seq, typeof made === 'string' ? Buffer.from(made) : made);
  }

  /** Sends once to each api thread that has any of these topics, for the first two of them that it has. */
  sendOnce(topics: readonly Topic[], seq: number, message: Uint8Array): void {
    const most = Math.max(0, ...topics.map(({ subscriptions }) => subscriptions.length));
    for (let api = 0; api < most; api++) {
      const [first, second] = topics.filter(({ subscriptions }) => (subscriptions[api] ?? 0) > 0);
      if (first !== undefined) this.#send(api, first.number, seq, message, second?.number ?? 0);
    }
  }

  send(topic: Topic, seq: number, message: Uint8Array): void {
    this.sendOnce([topic], seq, message);
  }
}

/** A symbol in any accepted form; '' is all of them. */
export function openSymbol(state: State, names: Names, key: string): Key | Refusal {
  if (key === '') return { key, id: NO_ID };
  const slot = slotOfSymbol(state, key);
  return slot < 0 ? refuse('not_found', `Unknown symbol or wallet: ${key}`) : { key: names.symbol(slot), id: state.instruments.id[slot]! };
}

/** The venue as a whole has one key. */
export function openVenue(key: string): Key | Refusal {
  return key === '' ? { key, id: NO_ID } : refuse('not_found', `Unknown key: ${key}`);
}

export function openWallet(state: State, key: string): Key | Refusal {
  const wallet = key.toLowerCase();
  return wordsOfAddress(wallet) === null
    ? refuse('not_found', `Unknown symbol or wallet: ${key}`) : { key: wallet, id: accountOfWallet(state, wallet) };
}

/**
 * Seq of a wallet's stream, of which `seqOf` has the counters by account. Without one it is 0, or `closedSeqOf` the row of a wallet
 * whose account was closed: a stream that may have counted before goes on where it stood.
 */
export function walletSeq(
  state: State, seqOf: (account: number) => number, { key }: Key, closedSeqOf: (row: number) => number = () => 0,
): number {
  const account = accountOfWallet(state, key);
  if (account >= 0) return seqOf(account);
  const words = wordsOfAddress(key);
  const row = words === null ? -1 : findClosed(state.closed, words, 0);
  return row < 0 ? 0 : closedSeqOf(row);
}
