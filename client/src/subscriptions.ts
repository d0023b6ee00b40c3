// The subscriptions of one socket, asked for again after each connect. Temporary refusals are retried; permanent ones end the subscription.
// Must never unsubscribe from what another subscription still wants.

import { BOUNDS } from '../../shell/http/limits.ts';
import { chainKey } from '../../shell/ipc/chain-selection.ts';
import type { Channel } from '../../shell/ipc/channels.ts';
import { StrikebookError } from './strikebook-error.ts';
import type { SubscriptionRequest, SocketMessage, ReconnectingSocket } from './reconnecting-socket.ts';
import type { AnyMessage } from './messages.ts';
import { isTemporary, isUnavailable, oldestKeptSeq } from './refusals.ts';
import type { MessageBuffer } from './stream.ts';

/** Missing messages. If `to` is below `from`, the venue started a new count. */
export type Gap = { readonly channel: string; readonly key: string; readonly from: number; readonly to: number };

export type ClientSubscription = {
  readonly channel: Channel; readonly ask: SubscriptionRequest;
  /** The part of the channel name after the colon. */
  readonly rest: string;
  readonly symbols: ReadonlySet<string> | null; readonly buffer: MessageBuffer<AnyMessage>;
  readonly listener: ((message: AnyMessage) => void) | undefined;
  /** The last `seq` of each stream, and the streams heard since the last connect. */
  readonly seqs: Map<string, number>; readonly heard: Set<string>;
  readonly settle: { resolve(): void; reject(error: StrikebookError): void };
  readonly onDown: (() => void) | undefined;
  /** Once `subscribe` has resolved. Later errors go to `onError` and the stream. */
  isAnswered: boolean;
  isConfirmed: boolean;
  /** The stream continues after `seqs`: older messages are repeats for another subscription. */
  isResumed: boolean;
};

const ALL = '';

export class Subscriptions {
  readonly #link: ReconnectingSocket;
  readonly #wallet: string;
  readonly #restMs: number;
  readonly #ended: (subscription: ClientSubscription, error: StrikebookError) => void;
  readonly #missed: (gap: Gap) => void;
  readonly #all = new Set<ClientSubscription>();
  readonly #entering = new Set<ClientSubscription>();
  /** Ended here, not yet at the venue. */
  readonly #leaving = new Set<ClientSubscription>();
  readonly #postponed: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    link: ReconnectingSocket, wallet: string, restMs: number, ended: (subscription: ClientSubscription, error: StrikebookError) => void,
    missed: (gap: Gap) => void,
  ) {
    this.#link = link;
    this.#wallet = wallet;
    this.#restMs = restMs;
    this.#ended = ended;
    this.#missed = missed;
  }

  [Symbol.iterator](): Iterator<ClientSubscription> {
    return this.#all.values();
  }

  add(subscription: ClientSubscription): void {
    this.#all.add(subscription);
    if (this.#link.isOpen) this.#enter(subscription);
  }

  /** Ends it here, and at the venue unless another subscription wants the same messages. */
  leave(subscription: ClientSubscription): void {
    if (!this.#all.delete(subscription)) return;
    this.#entering.delete(subscription);
    this.#leave(subscription);
  }

  /** For when the connection is closing anyway. */
  forget(subscription: ClientSubscription): void {
    this.#all.delete(subscription);
  }

  up(): void {
    for (const subscription of this.#all) {
      subscription.heard.clear();
      this.#enter(subscription);
    }
  }

  down(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#postponed.length = 0;
    this.#entering.clear();
    this.#leaving.clear();
    for (const subscription of this.#all) subscription.isConfirmed = subscription.isResumed = false;
  }

  /** A new snapshot of a book for all its subscribers here. */
  renew(symbol: string): void {
    const readers = (): ClientSubscription[] => (
      [...this.#all].filter(({ channel, symbols }) => channel.name === 'book' && symbols?.has(symbol))
    );
    this.#link.turn(async () => {
      const reader = readers().find(({ symbols }) => symbols!.size === 1);
      if (reader === undefined) return;
      await this.#refusalOf({ type: 'Unsubscribe', channel: 'book', symbols: [symbol] });
      for (const { heard } of readers()) heard.delete(symbol);
      await this.#askFor([reader]);
    });
  }

  #enter(subscription: ClientSubscription): void {
    if (!this.#all.has(subscription)) return;
    this.#entering.add(subscription);
    this.#link.turn(() => this.#askFor(takeTogether(this.#entering, isAlike)));
  }

  #leave(subscription: ClientSubscription): void {
    this.#leaving.add(subscription);
    // Unless it was never confirmed.
    this.#link.turn(() => this.#dismiss(takeTogether(this.#leaving, isOfOneEnd).filter(({ isConfirmed }) => isConfirmed)));
  }

  /** `isAnew`: do not resume. The next message shows what was missed. */
  async #askFor(together: readonly ClientSubscription[], isAnew = false): Promise<void> {
    const [first] = together;
    if (first === undefined) return;
    const last = first.channel.resume && !isAnew ? first.seqs.get(this.#wallet) : undefined;
    const symbols = together.length === 1 ? undefined : [...new Set(together.flatMap((one) => [...one.symbols!]))];
    const { minSeq } = this.#link;
    const ask = {
      ...first.ask, ...(symbols !== undefined && { symbols }), ...(last !== undefined && { from_seq: last }),
      ...(minSeq > 0 && { min_seq: minSeq }),
    };
    const refusal = await this.#refusalOf(ask, (answer) => { for (const one of together) this.#begin(one, answer, isAnew); });
    if (refusal === null) return;
    const { message } = refusal;
    const { code } = refusal.details as SocketMessage;
    if (isUnavailable(code)) return this.#postpone(() => together.forEach((one) => this.#enter(one)));
    const oldest = last === undefined ? undefined : oldestKeptSeq(message);
    if (oldest !== undefined) return this.#askFor(together, !this.#skip(first, oldest));
    if (together.length === 1 && !isTemporary(code)) return this.#refused(first, refusal);
    if (isTemporary(code)) return this.#postpone(() => this.#again(together));
    // The Error does not name the subscription, so ask for each half separately.
    const middle = together.length >> 1;
    await this.#askFor(together.slice(0, middle));
    await this.#askFor(together.slice(middle));
  }

  /** Reports what the venue no longer keeps as missed. False if the numbers cannot tell. */
  #skip({ channel, seqs }: ClientSubscription, oldest: number | null): boolean {
    const from = seqs.get(this.#wallet)! + 1;
    if (oldest === null || oldest <= from) return false;
    seqs.set(this.#wallet, oldest - 1);
    this.#missed({ channel: channel.name, key: this.#wallet, from, to: oldest - 1 });
    return true;
  }

  #refusalOf(ask: SubscriptionRequest, answered?: (answer: SocketMessage) => void): Promise<StrikebookError | null> {
    return this.#link.ask(ask, answered).then(() => null, (error: unknown) => {
      if (!(error instanceof StrikebookError)) throw error;
      return error.code === 'subscription_refused' ? error : null;
    });
  }

  #begin(subscription: ClientSubscription, { seq }: SocketMessage, isAnew: boolean): void {
    subscription.isConfirmed = true;
    const { channel, seqs } = subscription;
    if (channel.resume) {
      const last = seqs.get(this.#wallet);
      // Remembered even if the connection is lost before the next message.
      if (last === undefined && typeof seq === 'number') seqs.set(this.#wallet, seq);
      // A portfolio can start at any number. An answer below the requested number means a new count.
      subscription.isResumed = !isAnew && seqs.has(this.#wallet) && !(last !== undefined && Number(seq) < last);
      if (typeof seq === 'number') this.#resumeBehind(subscription, seq);
    }
    subscription.isAnswered = true;
    subscription.settle.resolve();
  }

  /** The venue resumes a stream for one reader at a time: subscriptions that were further behind are resumed again. */
  #resumeBehind(subscription: ClientSubscription, begins: number): void {
    for (const one of this.#all) {
      const isBehind = one !== subscription && one.channel === subscription.channel && one.isConfirmed && one.isResumed
        && one.seqs.get(this.#wallet)! < begins;
      if (!isBehind) continue;
      one.isConfirmed = false;
      this.#enter(one);
    }
  }

  async #refused(subscription: ClientSubscription, refusal: StrikebookError): Promise<void> {
    this.#all.delete(subscription);
    this.#ended(subscription, refusal);
    // Some of several symbols may have been accepted. Ending anything else could itself be refused.
    const { channel, symbols } = subscription;
    if (channel.key === 'symbol' && symbols !== null && symbols.size > 1) await this.#dismiss([subscription]);
  }

  /** Unsubscribes from what no other subscription wants. */
  async #dismiss(over: readonly ClientSubscription[]): Promise<void> {
    const ask = over.length === 0 ? null : this.#unwanted(over);
    if (ask !== null && await this.#refusalOf(ask) !== null) this.#postpone(() => over.forEach((one) => this.#leave(one)));
  }

  /** A stream that could not be resumed has ended for all subscriptions of the wallet. */
  #again(together: readonly ClientSubscription[]): void {
    const { channel } = together[0]!;
    for (const one of channel.resume ? this.#all : together) if (one.channel === channel) this.#enter(one);
  }

  /** Does nothing while disconnected: the next connect asks for everything. */
  #postpone(work: () => void): void {
    if (!this.#link.isOpen) return;
    this.#postponed.push(work);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const one of this.#postponed.splice(0)) one();
    }, this.#restMs);
  }

  #unwanted(over: readonly ClientSubscription[]): SubscriptionRequest | null {
    const { channel, ask, rest } = over[0]!;
    const others = [...this.#all].filter((one) => one.channel === channel && one.rest === rest);
    if (channel.key === 'filter') {
      const isShared = others.some((one) => chainKey(one.ask) === chainKey(ask));
      return isShared ? null : { ...ask, type: 'Unsubscribe' };
    }
    if (channel.key !== 'symbol') return others.length === 0 ? { type: 'Unsubscribe', channel: ask.channel } : null;
    const wanted = new Set(others.flatMap(keysOf));
    const free = [...new Set(over.flatMap(keysOf))].filter((key) => !wanted.has(key));
    return free.length === 0 ? null : { type: 'Unsubscribe', channel: ask.channel, symbols: free };
  }
}

/** The first subscription, and those that fit into the same message. */
function takeTogether(
  waiting: Set<ClientSubscription>, isTogether: (first: ClientSubscription, one: ClientSubscription) => boolean,
): readonly ClientSubscription[] {
  const together: ClientSubscription[] = [];
  let count = 0;
  for (const one of waiting) {
    const [first] = together;
    const size = one.symbols?.size ?? 1;
    if (first !== undefined && (count + size > BOUNDS.subscriptions || !isTogether(first, one))) continue;
    waiting.delete(one);
    together.push(one);
    count += size;
  }
  return together;
}

function keysOf({ symbols }: ClientSubscription): readonly string[] {
  return symbols === null ? [ALL] : [...symbols];
}

function isAlike(one: ClientSubscription, other: ClientSubscription): boolean {
  return one.channel.key === 'symbol' && one.channel === other.channel && one.symbols !== null && other.symbols !== null;
}

function isOfOneEnd(one: ClientSubscription, other: ClientSubscription): boolean {
  if (one.channel !== other.channel || one.rest !== other.rest) return false;
  return one.channel.key !== 'filter' || chainKey(one.ask) === chainKey(other.ask);
}
