// The subscriptions of one socket, as the venue is asked for them: after each connect again, those that differ in their symbols alone
// in one Subscribe, a stream that the venue keeps from where it was. What the venue refuses only for now is asked for again; what it
// refuses for good ends. Must never ask for the end of what another subscription wants, as things stand when it is asked.

import { BOUNDS } from '../../shell/http/limits.ts';
import { chainKey } from '../../shell/ipc/chain-selection.ts';
import type { Channel } from '../../shell/ipc/channels.ts';
import { StrikebookError } from './errors.ts';
import type { Ask, Frame, Link } from './link.ts';
import type { AnyMessage } from './messages.ts';
import { isPassing, isShut, oldestKept } from './refusals.ts';
import type { MessageBuffer } from './stream.ts';

/** Messages `from` to `to` of a stream are missing. With `to` below `from`, the venue has begun to count again. */
export type Gap = { readonly channel: string; readonly key: string; readonly from: number; readonly to: number };

export type Subscription = {
  readonly channel: Channel; readonly ask: Ask;
  /** What stands behind the colon of a channel's name. */
  readonly rest: string;
  readonly symbols: ReadonlySet<string> | null; readonly buffer: MessageBuffer<AnyMessage>;
  readonly listener: ((message: AnyMessage) => void) | undefined;
  /** Of the last message of each stream of the subscription, and which of them have been heard since the last connect. */
  readonly seqs: Map<string, number>; readonly heard: Set<string>;
  /** Answers `subscribe`, once. */
  readonly settle: { resolve(): void; reject(error: StrikebookError): void };
  readonly onDown: (() => void) | undefined;
  /** `subscribe` has answered: what ends it later is told by `onError` and by the stream. */
  isAnswered: boolean;
  /** The venue has taken it on this connection: what comes is for it. */
  isStanding: boolean;
  /** What comes goes on after `seqs`: an older message is one that another subscription is told again. */
  isResumed: boolean;
};

/** The key of all symbols. */
const ALL = '';

export class Subscriptions {
  readonly #link: Link;
  readonly #wallet: string;
  readonly #restMs: number;
  /** Told of each that the venue refused for good. */
  readonly #ended: (subscription: Subscription, error: StrikebookError) => void;
  readonly #missed: (gap: Gap) => void;
  readonly #all = new Set<Subscription>();
  /** To be asked for, in this order. */
  readonly #entering = new Set<Subscription>();
  /** Over here, but not yet at the venue. */
  readonly #leaving = new Set<Subscription>();
  /** What the venue could not take at its time, for the end of the rest. */
  readonly #postponed: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `restMs`: how long what is refused for now rests. */
  constructor(
    link: Link, wallet: string, restMs: number, ended: (subscription: Subscription, error: StrikebookError) => void,
    missed: (gap: Gap) => void,
  ) {
    this.#link = link;
    this.#wallet = wallet;
    this.#restMs = restMs;
    this.#ended = ended;
    this.#missed = missed;
  }

  [Symbol.iterator](): Iterator<Subscription> {
    return this.#all.values();
  }

  add(subscription: Subscription): void {
    this.#all.add(subscription);
    if (this.#link.isOpen) this.#enter(subscription);
  }

  /** It is over here: the venue is told unless another one wants the same. */
  leave(subscription: Subscription): void {
    if (!this.#all.delete(subscription)) return;
    this.#entering.delete(subscription);
    this.#leave(subscription);
  }

  /** It is over, and so is the connection. */
  forget(subscription: Subscription): void {
    this.#all.delete(subscription);
  }

  up(): void {
    for (const subscription of this.#all) {
      subscription.heard.clear();
      this.#enter(subscription);
    }
  }

  /** The venue has forgotten everything. */
  down(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#postponed.length = 0;
    this.#entering.clear();
    this.#leaving.clear();
    for (const subscription of this.#all) subscription.isStanding = subscription.isResumed = false;
  }

  /** A new snapshot of a book, for everyone on this socket who keeps it. */
  renew(symbol: string): void {
    const readers = (): Subscription[] => [...this.#all].filter(({ channel, symbols }) => channel.name === 'book' && symbols?.has(symbol));
    this.#link.turn(async () => {
      const reader = readers().find(({ symbols }) => symbols!.size === 1);
      if (reader === undefined) return;
      // Where this is refused, the new Subscribe will do.
      await this.#refusalOf({ type: 'Unsubscribe', channel: 'book', symbols: [symbol] });
      for (const { heard } of readers()) heard.delete(symbol);
      await this.#askFor([reader]);
    });
  }

  #enter(subscription: Subscription): void {
    if (!this.#all.has(subscription)) return;
    this.#entering.add(subscription);
    this.#link.turn(() => this.#askFor(takeTogether(this.#entering, isAlike)));
  }

  #leave(subscription: Subscription): void {
    this.#leaving.add(subscription);
    // What left before it was asked for, or was refused, has no end there.
    this.#link.turn(() => this.#dismiss(takeTogether(this.#leaving, isOfOneEnd).filter(({ isStanding }) => isStanding)));
  }

  /** `isAnew`: from now on, whatever was missed, which the next message tells. */
  async #askFor(together: readonly Subscription[], isAnew = false): Promise<void> {
    const [first] = together;
    if (first === undefined) return;
    const last = first.channel.resume && !isAnew ? first.seqs.get(this.#wallet) : undefined;
    const symbols = together.length === 1 ? undefined : [...new Set(together.flatMap((one) => [...one.symbols!]))];
    const ask = { ...first.ask, ...(symbols !== undefined && { symbols }), ...(last !== undefined && { from_seq: last }) };
    const refusal = await this.#refusalOf(ask, (answer) => { for (const one of together) this.#begin(one, answer, isAnew); });
    if (refusal === null) return;
    const { message } = refusal;
    const { code } = refusal.details as Frame;
    if (isShut(code)) return this.#postpone(() => together.forEach((one) => this.#enter(one)));
    const oldest = last === undefined ? undefined : oldestKept(message);
    if (oldest !== undefined) return this.#askFor(together, !this.#skip(first, oldest));
    if (together.length === 1 && !isPassing(code)) return this.#refused(first, refusal);
    if (isPassing(code)) return this.#postpone(() => this.#again(together));
    // An Error does not say which one it is about: each half is asked for by itself.
    const middle = together.length >> 1;
    await this.#askFor(together.slice(0, middle));
    await this.#askFor(together.slice(middle));
  }

  /** What is no longer kept is missed, and what is kept goes on; false where the numbers say nothing of that. */
  #skip({ channel, seqs }: Subscription, oldest: number | null): boolean {
    const from = seqs.get(this.#wallet)! + 1;
    if (oldest === null || oldest <= from) return false;
    seqs.set(this.#wallet, oldest - 1);
    this.#missed({ channel: channel.name, key: this.#wallet, from, to: oldest - 1 });
    return true;
  }

  /** Null when the venue has taken it, or is away: then the next connect asks. */
  #refusalOf(ask: Ask, answered?: (answer: Frame) => void): Promise<StrikebookError | null> {
    return this.#link.ask(ask, answered).then(() => null, (error: unknown) => {
      if (!(error instanceof StrikebookError)) throw error;
      return error.code === 'subscription_refused' ? error : null;
    });
  }

  #begin(subscription: Subscription, { seq }: Frame, isAnew: boolean): void {
    subscription.isStanding = true;
    const { channel, seqs } = subscription;
    if (channel.resume) {
      const last = seqs.get(this.#wallet);
      // What comes next follows this, even when nothing comes before the connection is lost.
      if (last === undefined && typeof seq === 'number') seqs.set(this.#wallet, seq);
      // A portfolio is taken up from any number: an answer below the one asked for is that of a new count.
      subscription.isResumed = !isAnew && seqs.has(this.#wallet) && !(last !== undefined && Number(seq) < last);
      if (typeof seq === 'number') this.#resumeBehind(subscription, seq);
    }
    subscription.isAnswered = true;
    subscription.settle.resolve();
  }

  /** The venue takes a stream up for one reader at a time: others that had not come to where it begins now are taken up after it. */
  #resumeBehind(subscription: Subscription, begins: number): void {
    for (const one of this.#all) {
      const isBehind = one !== subscription && one.channel === subscription.channel && one.isStanding && one.isResumed
        && one.seqs.get(this.#wallet)! < begins;
      if (!isBehind) continue;
      one.isStanding = false;
      this.#enter(one);
    }
  }

  async #refused(subscription: Subscription, refusal: StrikebookError): Promise<void> {
    this.#all.delete(subscription);
    this.#ended(subscription, refusal);
    // Only of several symbols some may stand. To end anything else that was refused may be refused in its turn.
    const { channel, symbols } = subscription;
    if (channel.key === 'symbol' && symbols !== null && symbols.size > 1) await this.#dismiss([subscription]);
  }

  /** Ends at the venue what of subscriptions that are over no other one wants. */
  async #dismiss(over: readonly Subscription[]): Promise<void> {
    const ask = over.length === 0 ? null : this.#unwanted(over);
    if (ask !== null && await this.#refusalOf(ask) !== null) this.#postpone(() => over.forEach((one) => this.#leave(one)));
  }

  /** When a stream could not be taken up again, the venue had already ended it for the others of this wallet. */
  #again(together: readonly Subscription[]): void {
    const { channel } = together[0]!;
    for (const one of channel.resume ? this.#all : together) if (one.channel === channel) this.#enter(one);
  }

  /** Nothing while the connection is away: the next connect asks for all that is wanted. */
  #postpone(work: () => void): void {
    if (!this.#link.isOpen) return;
    this.#postponed.push(work);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const one of this.#postponed.splice(0)) one();
    }, this.#restMs);
  }

  #unwanted(over: readonly Subscription[]): Ask | null {
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

/** Takes out the first, and those behind it that one message can name with it. */
function takeTogether(
  waiting: Set<Subscription>, isTogether: (first: Subscription, one: Subscription) => boolean,
): readonly Subscription[] {
  const together: Subscription[] = [];
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

function keysOf({ symbols }: Subscription): readonly string[] {
  return symbols === null ? [ALL] : [...symbols];
}

/** Whether one Subscribe can ask for both: they choose symbols of the same channel. */
function isAlike(one: Subscription, other: Subscription): boolean {
  return one.channel.key === 'symbol' && one.channel === other.channel && one.symbols !== null && other.symbols !== null;
}

/** Whether one Unsubscribe ends both. */
function isOfOneEnd(one: Subscription, other: Subscription): boolean {
  if (one.channel !== other.channel || one.rest !== other.rest) return false;
  return one.channel.key !== 'filter' || chainKey(one.ask) === chainKey(other.ask);
}
