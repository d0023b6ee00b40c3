// The subscriptions of one connection. A message must never be sent before its snapshot, after its stream's end, or twice. If two
// subscriptions carry it, the one with the newer snapshot delivers it.

import { BOUNDS } from '../http/limits.ts';
import { refuse, type Refused } from '../http/errors.ts';
import type { Source } from '../http/source.ts';
import type { Channel } from '../ipc/channels.ts';
import { ChainFilters } from './chain-filters.ts';
import { OutboundMessage } from './outbound-message.ts';
import { ANSWERS, Backlog, type OutboundQueue } from './outbound-queue.ts';
import { idFieldOf, type RequestId } from './request-id.ts';
import { Subscription } from './subscription.ts';
import { CLIENT_LOST, type JoinResult, type TopicRegistry, type SubscribeQuery } from './topic-registry.ts';

type SubscribeRequest = {
  readonly channel: Channel; readonly name: string; readonly id: RequestId; readonly keys: readonly string[];
  readonly symbols: ReadonlySet<string> | null; readonly minSeq: number | undefined;
};
type Joined = Extract<JoinResult, { readonly topic: unknown }>;

const ALL = '';

export class ConnectionSubscriptions {
  readonly #source: Source;
  readonly #registry: TopicRegistry;
  readonly #out: OutboundQueue;
  readonly #byName = new Map<string, Subscription>();
  readonly #singleSymbolCounts = new Map<string, number>();
  #snapshots = 0;
  readonly #chain: ChainFilters;
  #isOver = false;

  constructor(registry: TopicRegistry, out: OutboundQueue, source: Source) {
    this.#source = source;
    this.#registry = registry;
    this.#out = out;
    this.#chain = new ChainFilters(registry.chains, out, () => {
      for (const one of this.#chain.subscriptions) this.#drop(one);
      out.send(OutboundMessage.error(CLIENT_LOST));
    });
  }

  get source(): string {
    return this.#source.network;
  }

  subscribe(request: SubscribeRequest, fromSeq: number | undefined, answered: () => void): void {
    const { channel, name, keys, id } = request;
    const [first] = keys.map((key) => this.#byName.get(nameOf(channel, key)));
    const symbols = mergedSymbols(first, request.symbols);
    const tooMany = this.#tooMany(channel, keys, symbols);
    if (tooMany !== null) {
      this.#out.send(OutboundMessage.error(refuse('limit_exceeded', tooMany), id));
      return answered();
    }
    if (fromSeq !== undefined) return this.#beginResume({ ...request, symbols }, fromSeq, answered);
    if (first === undefined || first.resumedTo === null) return this.#begin({ ...request, symbols }, answered);
    first.symbols = symbols;
    this.#out.enqueue(first.backlog!, subscribed(name, first.resumedTo, id), ANSWERS);
    first.backlog!.whenReleased(answered);
  }

  #tooMany(channel: Channel, keys: readonly string[], symbols: ReadonlySet<string> | null): string | null {
    const { subscriptions: most } = BOUNDS;
    if (symbols !== null && symbols.size > most) return `Too many symbols of ${channel.name}: ${most} is the maximum`;
    const fresh = keys.filter((key) => !this.#byName.has(nameOf(channel, key))).length;
    if (this.#byName.size + fresh > most) return `Too many subscriptions: ${most} is the maximum`;
    return channel.key === 'filter' && fresh > 0 ? this.#chain.tooMany(keys[0]!) : null;
  }

  unsubscribe(channel: Channel, keys: readonly string[] | null): void {
    for (const one of keys?.map((key) => this.#byName.get(nameOf(channel, key))) ?? [...this.#byName.values()]) {
      if (one?.channel === channel) this.#drop(one);
    }
  }

  /** A wallet's stream ends with its last symbol. */
  removeSymbols(channel: Channel, key: string, symbols: ReadonlySet<string>): void {
    const one = this.#byName.get(nameOf(channel, key));
    if (one === undefined || one.symbols === null) return;
    one.symbols = new Set([...one.symbols].filter((symbol) => !symbols.has(symbol)));
    if (one.symbols.size === 0) this.#drop(one);
    else this.#out.discard(one, one.backlog, (message) => !one.isWanted(message));
  }

  endPrivate(): void {
    for (const one of [...this.#byName.values()]) {
      if (one.channel.key !== 'wallet') continue;
      this.#drop(one);
      this.#out.send(unsubscribed(one.name));
    }
  }

  close(): void {
    this.#isOver = true;
    for (const one of this.#byName.values()) if (one.topic !== null) this.#registry.leave(one.topic, one);
    this.#chain.close();
    this.#byName.clear();
  }

  deliver(subscription: Subscription, message: OutboundMessage): void {
    if (!subscription.isWanted(message)) return;
    const other = this.#overlapping(subscription, message);
    if (other !== undefined && other.snapshotNumber > subscription.snapshotNumber) return;
    if (subscription.backlog === null) this.#out.send(message, subscription);
    else this.#out.enqueueLive(subscription.backlog, message, subscription);
  }

  #overlapping({ channel, key }: Subscription, message: OutboundMessage): Subscription | undefined {
    if (channel.key !== 'symbol') return undefined;
    if (key !== ALL) return this.#byName.get(nameOf(channel, ALL));
    return this.#singleSymbolCounts.has(channel.name) ? this.#byName.get(nameOf(channel, String(message.value['symbol']))) : undefined;
  }

  lost(subscription: Subscription): void {
    this.#drop(subscription);
    this.#out.send(OutboundMessage.error(CLIENT_LOST));
  }

  requestSnapshot(subscription: Subscription): void {
    const isWanted = () => this.#has(subscription);
    this.#registry.join(this.#queryOf(subscription), subscription, isWanted, (result) => {
      // The backlog's snapshot is newer than every skipped message.
      if (!('topic' in result) || !isWanted() || subscription.backlog !== null) {
        this.#out.endSnapshotRequest(null);
        return this.#registry.onNextFlush(() => this.#out.drain());
      }
      const backlog = this.#newBacklog([subscription]);
      this.#addSnapshot(subscription, backlog, result);
      this.#out.endSnapshotRequest(backlog);
    });
  }

  #begin({ channel, name, keys, symbols, id, minSeq }: SubscribeRequest, answered: () => void): void {
    const subscriptions = keys.map((key) => this.#open(channel, key));
    const backlog = this.#newBacklog(subscriptions);
    backlog.whenReleased(answered);
    const errors: Refused[] = [];
    const begun: Joined[] = [];
    const ask = (subscription: Subscription, done: () => void): void => {
      const isWanted = () => this.#has(subscription);
      this.#registry.join(this.#queryOf(subscription, minSeq), subscription, isWanted, (result) => {
        if (this.#isOver) return;
        if (!('topic' in result)) {
          if (isWanted()) this.#drop(subscription);
          if ('error' in result) errors.push(result.error);
        } else if (isWanted()) {
          subscription.symbols = symbols;
          this.#addSnapshot(subscription, backlog, result);
          begun.push(result);
        }
        done();
      });
    };
    runLimited(subscriptions, ask, () => {
      const answers = errors.map((refused) => OutboundMessage.error(refused, id));
      if (begun.length > 0) answers.push(subscribed(name, keys.length === 1 ? begun[0]!.seq : null, id));
      this.#out.release(backlog, answers);
    });
  }

  #queryOf({ channel, key }: Subscription, minSeq?: number): SubscribeQuery {
    return { channel: channel.name, key, ...(minSeq !== undefined && { min_seq: minSeq }) };
  }

  #addSnapshot(subscription: Subscription, backlog: Backlog, { topic, snapshot }: Joined): void {
    if (subscription.topic !== null) this.#out.supersede(subscription);
    subscription.topic = topic;
    subscription.backlog = backlog;
    subscription.snapshotNumber = ++this.#snapshots;
    if (subscription.channel.key === 'symbol') this.#supersedeOverlapping(subscription);
    if (subscription.channel.key === 'filter') this.#chain.add(subscription);
    for (const message of snapshot) this.#out.enqueue(backlog, message, subscription);
  }

  #supersedeOverlapping({ channel, key }: Subscription): void {
    const all = this.#byName.get(nameOf(channel, ALL));
    if (key !== ALL) {
      if (all !== undefined) this.#out.supersede(all, key);
      return;
    }
    if (!this.#singleSymbolCounts.has(channel.name)) return;
    for (const one of this.#byName.values()) {
      if (one === all || one.channel !== channel) continue;
      this.#out.supersede(one);
      this.#out.discard(one, one.backlog, () => true);
    }
  }

  /** Overlapping subscriptions need a new snapshot if the ended one had skipped messages. */
  #handOver(ended: Subscription): void {
    const { channel, key } = ended;
    if (channel.key !== 'symbol' || (ended.backlog === null && !this.#out.isBehind(ended))) return;
    for (const one of this.#byName.values()) {
      const isOverlapping = one.channel === channel && one.topic !== null && (key === ALL || one.key === ALL);
      if (isOverlapping && one.snapshotNumber < ended.snapshotNumber) this.#out.requestSnapshotLater(one);
    }
  }

  #beginResume({ channel, name, keys, symbols, id, minSeq }: SubscribeRequest, fromSeq: number, answered: () => void): void {
    const before = this.#byName.get(nameOf(channel, keys[0]!));
    if (before !== undefined && before.topic === null) this.#drop(before);
    const subscription = this.#open(channel, keys[0]!);
    subscription.symbols = symbols;
    const backlog = this.#resume(subscription, fromSeq, { name, id, minSeq });
    backlog.whenReleased(answered);
  }

  /** Messages after `fromSeq`, the next part when these are read. `asked`: the Subscribe to answer. */
  #resume(subscription: Subscription, fromSeq: number, asked: Pick<SubscribeRequest, 'name' | 'id' | 'minSeq'> | null): Backlog {
    let isPart = false;
    const backlog = new Backlog();
    backlog.whenReleased(() => {
      if (subscription.backlog !== backlog) return;
      subscription.backlog = null;
      if (isPart && this.#has(subscription)) this.#resume(subscription, subscription.resumedTo!, null);
    });
    if (subscription.topic === null) subscription.backlog = backlog;
    subscription.resumedTo = fromSeq;
    const isWanted = () => this.#has(subscription);
    const query = { ...this.#queryOf(subscription, asked?.minSeq), from_seq: fromSeq };
    this.#registry.join(query, subscription, isWanted, (result) => {
      if (this.#isOver) return;
      if ('error' in result) {
        if (isWanted()) {
          this.#drop(subscription);
          // Once the stream has begun, its error would pass for the reply to a later request.
          const error = asked === null ? OutboundMessage.error(CLIENT_LOST) : OutboundMessage.error(result.error, asked.id);
          this.#out.enqueue(backlog, error, ANSWERS);
        }
      } else if (isWanted()) {
        isPart = 'part' in result;
        subscription.backlog = backlog;
        if ('part' in result) {
          subscription.resumedTo = result.seq + result.part.length;
          if (subscription.topic !== null) this.#registry.leave(subscription.topic, subscription);
          subscription.topic = null;
        } else {
          subscription.resumedTo = null;
          subscription.topic = result.topic;
        }
        if (asked !== null) this.#out.enqueue(backlog, subscribed(asked.name, result.seq, asked.id), ANSWERS);
        for (const message of 'part' in result ? result.part : result.snapshot) {
          if (subscription.isWanted(message)) this.#out.enqueue(backlog, message, subscription);
        }
      }
      this.#out.release(backlog);
    });
    return backlog;
  }

  #newBacklog(subscriptions: readonly Subscription[]): Backlog {
    const backlog = new Backlog();
    backlog.whenReleased(() => { for (const one of subscriptions) if (one.backlog === backlog) one.backlog = null; });
    return backlog;
  }

  #open(channel: Channel, key: string): Subscription {
    const name = nameOf(channel, key);
    const before = this.#byName.get(name);
    if (before !== undefined) return before;
    const subscription = new Subscription(this, channel, key);
    this.#byName.set(name, subscription);
    if (isSingleSymbol(subscription)) this.#singleSymbolCounts.set(channel.name, (this.#singleSymbolCounts.get(channel.name) ?? 0) + 1);
    return subscription;
  }

  #has(subscription: Subscription): boolean {
    return !this.#isOver && this.#byName.get(nameOf(subscription.channel, subscription.key)) === subscription;
  }

  #drop(subscription: Subscription): void {
    const { channel, key, topic } = subscription;
    this.#byName.delete(nameOf(channel, key));
    if (isSingleSymbol(subscription)) {
      const left = this.#singleSymbolCounts.get(channel.name)! - 1;
      if (left === 0) this.#singleSymbolCounts.delete(channel.name);
      else this.#singleSymbolCounts.set(channel.name, left);
    }
    if (topic !== null) this.#handOver(subscription);
    this.#out.dropStream(subscription, subscription.backlog);
    if (topic !== null) this.#registry.leave(topic, subscription);
    if (channel.key === 'filter') this.#chain.remove(subscription);
  }
}

function isSingleSymbol({ channel, key }: Subscription): boolean {
  return channel.key === 'symbol' && key !== ALL;
}

function subscribed(channel: string, seq: number | null, id: RequestId): OutboundMessage {
  return OutboundMessage.of({ type: 'Subscribed', channel, ...(seq !== null && { seq }), ...idFieldOf(id) });
}

export function unsubscribed(channel: string, id: RequestId = null): OutboundMessage {
  return OutboundMessage.of({ type: 'Unsubscribed', channel, ...idFieldOf(id) });
}

function nameOf({ name }: Channel, key: string): string {
  return `${name} ${key}`;
}

function mergedSymbols(before: Subscription | undefined, symbols: ReadonlySet<string> | null): ReadonlySet<string> | null {
  if (before === undefined || symbols === null) return symbols;
  return before.symbols === null ? null : new Set([...before.symbols, ...symbols]);
}

function runLimited<T>(items: readonly T[], ask: (item: T, done: () => void) => void, over: () => void): void {
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
