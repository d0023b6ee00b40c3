// The subscriptions of one connection: how each begins with what stands, goes on, is taken up again, and ends. A request comes when
// the one before is answered and sent (line.ts), so nothing here is under way twice, but for streams that are taken up part by
// part: that goes on by itself. Must never send a message of a stream before what it follows, nor one after the stream has ended, nor one
// message twice: of what two subscriptions bring, all symbols and one of them, the one tells whose snapshot is the newer.

import { BOUNDS } from '../http/limits.ts';
import { refuse, type Refused } from '../http/errors.ts';
import type { Source } from '../http/source.ts';
import type { Channel } from '../ipc/channels.ts';
import { ChainFilters } from './chain-filters.ts';
import { Frame } from './frame.ts';
import { ANSWERS, Hold, type Outflow } from './outflow.ts';
import { echoOf, type Id } from './request-id.ts';
import { Subscription } from './subscription.ts';
import { CLIENT_LOST, type JoinResult, type Topics, type Wish } from './topics.ts';

/** What of a channel a client asks for; `name` as it wrote it, `id` of the request. */
type Wanted = {
  readonly channel: Channel; readonly name: string; readonly id: Id; readonly keys: readonly string[];
  readonly symbols: ReadonlySet<string> | null;
};
type Joined = Extract<JoinResult, { readonly topic: unknown }>;

/** The key of all symbols. */
const ALL = '';

export class Subscriptions {
  /** Of the connection. */
  readonly #source: Source;
  readonly #topics: Topics;
  readonly #out: Outflow;
  /** By channel and key. */
  readonly #byName = new Map<string, Subscription>();
  /** By channel, how many of them are to one symbol. */
  readonly #toOne = new Map<string, number>();
  /** Snapshots that stood. */
  #stood = 0;
  readonly #chain: ChainFilters;
  #isOver = false;

  constructor(topics: Topics, out: Outflow, source: Source) {
    this.#source = source;
    this.#topics = topics;
    this.#out = out;
    this.#chain = new ChainFilters(topics.chains, out, () => {
      for (const one of this.#chain.subscriptions) this.#drop(one);
      out.send(Frame.error(CLIENT_LOST));
    });
  }

  /** The network source. */
  get source(): string {
    return this.#source.network;
  }

  /** `answered`: Subscribed or what was wrong has been sent, and all that stands. */
  subscribe(wanted: Wanted, fromSeq: number | undefined, answered: () => void): void {
    const { channel, name, keys, id } = wanted;
    const [first] = keys.map((key) => this.#byName.get(nameOf(channel, key)));
    const symbols = united(first, wanted.symbols);
    const tooMany = this.#tooMany(channel, keys, symbols);
    if (tooMany !== null) {
      this.#out.send(Frame.error(refuse('limit_exceeded', tooMany), id));
      return answered();
    }
    if (fromSeq !== undefined) return this.#takeUp({ ...wanted, symbols }, fromSeq, answered);
    if (first === undefined || first.resumedTo === null) return this.#begin({ ...wanted, symbols }, answered);
    // It is being taken up: it goes on, and the answer stands between the messages it says.
    first.symbols = symbols;
    this.#out.hold(first.hold!, subscribed(name, first.resumedTo, id), ANSWERS);
    first.hold!.whenReleased(answered);
  }

  /** What is wrong when there would be more subscriptions than a connection may have, or more symbols than one of a wallet. */
  #tooMany(channel: Channel, keys: readonly string[], symbols: ReadonlySet<string> | null): string | null {
    const { subscriptions: most } = BOUNDS;
    if (symbols !== null && symbols.size > most) return `Too many symbols of ${channel.name}: ${most} is the maximum`;
    const fresh = keys.filter((key) => !this.#byName.has(nameOf(channel, key))).length;
    if (this.#byName.size + fresh > most) return `Too many subscriptions: ${most} is the maximum`;
    return channel.key === 'filter' && fresh > 0 ? this.#chain.tooMany(keys[0]!) : null;
  }

  /** `keys` null: all of the channel. */
  unsubscribe(channel: Channel, keys: readonly string[] | null): void {
    for (const one of keys?.map((key) => this.#byName.get(nameOf(channel, key))) ?? [...this.#byName.values()]) {
      if (one?.channel === channel) this.#drop(one);
    }
  }

  /** Takes symbols away from what was chosen of a wallet's stream, which ends with the last of them; one of all symbols stays. */
  narrow(channel: Channel, key: string, symbols: ReadonlySet<string>): void {
    const one = this.#byName.get(nameOf(channel, key));
    if (one === undefined || one.symbols === null) return;
    one.symbols = new Set([...one.symbols].filter((symbol) => !symbols.has(symbol)));
    if (one.symbols.size === 0) this.#drop(one);
    else this.#out.leaveOut(one, one.hold, (frame) => !one.isWanted(frame));
  }

  /** The connection has another wallet: the client is told of each channel that was the last one's. */
  endPrivate(): void {
    for (const one of [...this.#byName.values()]) {
      if (one.channel.key !== 'wallet') continue;
      this.#drop(one);
      this.#out.send(unsubscribed(one.name));
    }
  }

  close(): void {
    this.#isOver = true;
    for (const one of this.#byName.values()) if (one.topic !== null) this.#topics.leave(one.topic, one);
    this.#chain.close();
    this.#byName.clear();
  }

  /** One message of a subscription. */
  deliver(subscription: Subscription, frame: Frame): void {
    if (!subscription.isWanted(frame)) return;
    const other = this.#twinOf(subscription, frame);
    if (other !== undefined && other.stoodAt > subscription.stoodAt) return;
    if (subscription.hold === null) this.#out.send(frame, subscription);
    else this.#out.holdLive(subscription.hold, frame, subscription);
  }

  /** The subscription that brings the same message: that of all symbols, or of the symbol. */
  #twinOf({ channel, key }: Subscription, frame: Frame): Subscription | undefined {
    if (channel.key !== 'symbol') return undefined;
    if (key !== ALL) return this.#byName.get(nameOf(channel, ALL));
    return this.#toOne.has(channel.name) ? this.#byName.get(nameOf(channel, String(frame.value['symbol']))) : undefined;
  }

  /** A message of a subscription could not be delivered: nothing may be missing unsaid, so it ends. */
  lose(subscription: Subscription): void {
    this.#drop(subscription);
    this.#out.send(Frame.error(CLIENT_LOST));
  }

  /** A new snapshot for a subscription of which messages were left out. */
  renew(subscription: Subscription): void {
    const isStill = () => this.#has(subscription);
    this.#topics.join(this.#wishOf(subscription), subscription, isStill, (result) => {
      // What is held begins with a snapshot that came after all that was left out.
      if (!('topic' in result) || !isStill() || subscription.hold !== null) {
        this.#out.restart(null);
        return this.#topics.later(() => this.#out.drain());
      }
      const hold = this.#newHold([subscription]);
      this.#stand(subscription, hold, result);
      this.#out.restart(hold);
    });
  }

  #begin({ channel, name, keys, symbols, id }: Wanted, answered: () => void): void {
    const subscriptions = keys.map((key) => this.#open(channel, key));
    const hold = this.#newHold(subscriptions);
    hold.whenReleased(answered);
    const errors: Refused[] = [];
    const begun: Joined[] = [];
    const ask = (subscription: Subscription, heard: () => void): void => {
      const isStill = () => this.#has(subscription);
      this.#topics.join(this.#wishOf(subscription), subscription, isStill, (result) => {
        if (this.#isOver) return;
        if (!('topic' in result)) {
          if (isStill()) this.#drop(subscription);
          if ('error' in result) errors.push(result.error);
        } else if (isStill()) {
          subscription.symbols = symbols;
          this.#stand(subscription, hold, result);
          begun.push(result);
        }
        heard();
      });
    };
    someAtATime(subscriptions, ask, () => {
      const answers = errors.map((refused) => Frame.error(refused, id));
      if (begun.length > 0) answers.push(subscribed(name, keys.length === 1 ? begun[0]!.seq : null, id));
      this.#out.release(hold, answers);
    });
  }

  #wishOf({ channel, key }: Subscription): Wish {
    return { channel: channel.name, key };
  }

  /** From here on messages of the subscription are held, behind what stands. */
  #stand(subscription: Subscription, hold: Hold, { topic, snapshot }: Joined): void {
    if (subscription.topic !== null) this.#out.supersede(subscription);
    subscription.topic = topic;
    subscription.hold = hold;
    subscription.stoodAt = ++this.#stood;
    if (subscription.channel.key === 'symbol') this.#supersedeTwins(subscription);
    if (subscription.channel.key === 'filter') this.#chain.stand(subscription);
    for (const frame of snapshot) this.#out.hold(hold, frame, subscription);
  }

  /** What was left out of the subscriptions that bring the same stands in this snapshot, and what waits of them is older. */
  #supersedeTwins({ channel, key }: Subscription): void {
    const all = this.#byName.get(nameOf(channel, ALL));
    if (key !== ALL) {
      if (all !== undefined) this.#out.supersede(all, key);
      return;
    }
    if (!this.#toOne.has(channel.name)) return;
    for (const one of this.#byName.values()) {
      if (one === all || one.channel !== channel) continue;
      this.#out.supersede(one);
      this.#out.leaveOut(one, one.hold, () => true);
    }
  }

  /** The others that bring the same as this one, which ends, tell it from now on: with a new snapshot if it has left something out. */
  #handOver(ended: Subscription): void {
    const { channel, key } = ended;
    if (channel.key !== 'symbol' || (ended.hold === null && !this.#out.isBehind(ended))) return;
    for (const one of this.#byName.values()) {
      const isTwin = one.channel === channel && one.topic !== null && (key === ALL || one.key === ALL);
      if (isTwin && one.stoodAt < ended.stoodAt) this.#out.renewLater(one);
    }
  }

  /**
   * A stream begins anew where the client left it: live messages of before are among those that it is told again. One that runs does
   * so until the answer is here, or what happens meanwhile would be told behind what other streams of the wallet make of it.
   */
  #takeUp({ channel, name, keys, symbols, id }: Wanted, fromSeq: number, answered: () => void): void {
    const before = this.#byName.get(nameOf(channel, keys[0]!));
    if (before !== undefined && before.topic === null) this.#drop(before);
    const subscription = this.#open(channel, keys[0]!);
    subscription.symbols = symbols;
    const hold = this.#resume(subscription, fromSeq, { name, id });
    hold.whenReleased(answered);
  }

  /** Asks for what came after a message, and for the rest when the client has read that. `asked`: the Subscribe to be answered. */
  #resume(subscription: Subscription, fromSeq: number, asked: Pick<Wanted, 'name' | 'id'> | null): Hold {
    let isPart = false;
    const hold = new Hold();
    hold.whenReleased(() => {
      if (subscription.hold !== hold) return;
      subscription.hold = null;
      if (isPart && this.#has(subscription)) this.#resume(subscription, subscription.resumedTo!, null);
    });
    if (subscription.topic === null) subscription.hold = hold;
    subscription.resumedTo = fromSeq;
    const isStill = () => this.#has(subscription);
    this.#topics.join({ channel: subscription.name, key: subscription.key, from_seq: fromSeq }, subscription, isStill, (result) => {
      if (this.#isOver) return;
      if ('error' in result) {
        if (isStill()) {
          this.#drop(subscription);
          // Of a stream that has begun, a reason would pass for the answer to what the client asks now.
          this.#out.hold(hold, asked === null ? Frame.error(CLIENT_LOST) : Frame.error(result.error, asked.id), ANSWERS);
        }
      } else if (isStill()) {
        isPart = 'part' in result;
        subscription.hold = hold;
        if ('part' in result) {
          subscription.resumedTo = result.seq + result.part.length;
          if (subscription.topic !== null) this.#topics.leave(subscription.topic, subscription);
          subscription.topic = null;
        } else {
          subscription.resumedTo = null;
          subscription.topic = result.topic;
        }
        // From here on: what is held may end the connection, and then all that it has is left.
        if (asked !== null) this.#out.hold(hold, subscribed(asked.name, result.seq, asked.id), ANSWERS);
        for (const frame of 'part' in result ? result.part : result.snapshot) {
          if (subscription.isWanted(frame)) this.#out.hold(hold, frame, subscription);
        }
      }
      // Also where nobody wants the stream any more: answers may wait in it.
      this.#out.release(hold);
    });
    return hold;
  }

  #newHold(subscriptions: readonly Subscription[]): Hold {
    const hold = new Hold();
    hold.whenReleased(() => { for (const one of subscriptions) if (one.hold === hold) one.hold = null; });
    return hold;
  }

  #open(channel: Channel, key: string): Subscription {
    const name = nameOf(channel, key);
    const before = this.#byName.get(name);
    if (before !== undefined) return before;
    const subscription = new Subscription(this, channel, key);
    this.#byName.set(name, subscription);
    if (isToOne(subscription)) this.#toOne.set(channel.name, (this.#toOne.get(channel.name) ?? 0) + 1);
    return subscription;
  }

  #has(subscription: Subscription): boolean {
    return !this.#isOver && this.#byName.get(nameOf(subscription.channel, subscription.key)) === subscription;
  }

  #drop(subscription: Subscription): void {
    const { channel, key, topic } = subscription;
    this.#byName.delete(nameOf(channel, key));
    if (isToOne(subscription)) {
      const left = this.#toOne.get(channel.name)! - 1;
      if (left === 0) this.#toOne.delete(channel.name);
      else this.#toOne.set(channel.name, left);
    }
    if (topic !== null) this.#handOver(subscription);
    this.#out.forget(subscription, subscription.hold);
    if (topic !== null) this.#topics.leave(topic, subscription);
    if (channel.key === 'filter') this.#chain.end(subscription);
  }
}

function isToOne({ channel, key }: Subscription): boolean {
  return channel.key === 'symbol' && key !== ALL;
}

function subscribed(channel: string, seq: number | null, id: Id): Frame {
  return Frame.of({ type: 'Subscribed', channel, ...(seq !== null && { seq }), ...echoOf(id) });
}

/** `id`: of the request that it answers, null for none. */
export function unsubscribed(channel: string, id: Id = null): Frame {
  return Frame.of({ type: 'Unsubscribed', channel, ...echoOf(id) });
}

function nameOf({ name }: Channel, key: string): string {
  return `${name} ${key}`;
}

/** What is wanted of a wallet's stream: each Subscribe adds its symbols, and null is all. */
function united(before: Subscription | undefined, symbols: ReadonlySet<string> | null): ReadonlySet<string> | null {
  if (before === undefined || symbols === null) return symbols;
  return before.symbols === null ? null : new Set([...before.symbols, ...symbols]);
}

/** Asks for a few at a time, so that one connection leaves others of its source their turns; `over` when all have been heard. */
function someAtATime<T>(items: readonly T[], ask: (item: T, heard: () => void) => void, over: () => void): void {
  let next = 0;
  let open = 0;
  let isAsking = false;
  const goOn = (): void => {
    if (isAsking) return;
    isAsking = true;
    while (open < BOUNDS.snapshotsAsked && next < items.length) {
      open++;
      ask(items[next++]!, () => {
        open--;
        goOn();
      });
    }
    isAsking = false;
    if (open === 0 && next === items.length) over();
  };
  goOn();
}
