// Topics of all channels, their subscriptions by api thread, and the sources that feed them (channels/). A message is encoded once, and
// only for a subscriber.

import { ACCOUNT, ACCOUNT_CLOSED, ACCOUNT_OPENED } from '../../core/codec/events.ts';
import { SEQ } from '../../core/engine/state.ts';
import { CHANNELS, type Channel, type ChannelKind } from '../ipc/channels.ts';
import { behind, ok, refused, refusedAs, type QueryAnswer, type GiveAnswer } from './answers.ts';
import { bookSource } from './channels/book.ts';
import { candlesSource } from './channels/candles.ts';
import { competitionSource } from './channels/competition.ts';
import { fillsSource } from './channels/fills.ts';
import { indexPricesSource } from './channels/index-prices.ts';
import { marketUpdatesSource } from './channels/market-updates.ts';
import { ledgerSource } from './channels/ledger.ts';
import { liquidationSource } from './channels/liquidation.ts';
import { optionsChainSource } from './channels/options-chain.ts';
import { orderUpdatesSource } from './channels/order-updates.ts';
import { orderbookSource } from './channels/orderbook.ts';
import { fundingSource, perpTickerSource } from './channels/perps.ts';
import { quotesSource } from './channels/quotes.ts';
import { portfolioSource } from './channels/portfolio.ts';
import {
  ChannelTopics, type ChannelSnapshot, type ChannelSource, type ChannelTopic, type Send, type SourceParts, type TopicKey,
} from './channels/source.ts';
import { tradesSource } from './channels/trades.ts';
import { volIndexSource } from './channels/vol-index.ts';
import type { QueryParameters } from '../ipc/queries.ts';
import { subscriptionText } from '../ipc/subscription.ts';
import type { CurrentRecord } from './history/rows.ts';

const MOST_TOPICS = 1_000_000;

const SOURCES: Readonly<Record<ChannelKind, (parts: SourceParts) => ChannelSource>> = {
  order_updates: orderUpdatesSource, fills: fillsSource, portfolio: portfolioSource, quotes: quotesSource, liquidation: liquidationSource,
  competition: competitionSource, ledger: ledgerSource,
  orderbook: orderbookSource, book: bookSource, trades: tradesSource,
  index_prices: indexPricesSource, market_updates: marketUpdatesSource, candles: candlesSource,
  funding: fundingSource, perp_ticker: perpTickerSource, options_chain: optionsChainSource, vol_index: volIndexSource,
};

type Stream = { readonly channel: Channel; readonly source: ChannelSource; readonly topics: ChannelTopics };

export class StreamPublisher {
  readonly #parts: Omit<SourceParts, 'topics'>;
  readonly #streams = new Map<string, Stream>();
  readonly #byNumber = new Map<number, ChannelTopic>();
  #byEvent: (readonly Stream[] | undefined)[] = [];
  #finishing: readonly Stream[] = [];
  #conflating: readonly Stream[] = [];
  #lastNumber = 0;

  constructor(parts: Omit<SourceParts, 'topics'>, send: Send) {
    this.#parts = parts;
    for (const channel of CHANNELS) {
      const topics = new ChannelTopics(send);
      this.#streams.set(channel.name, { channel, topics, source: SOURCES[channel.name]({ ...parts, topics }) });
    }
  }

  subscribe(api: number, options: QueryParameters['subscribe'], time: number, give: GiveAnswer): void {
    const { channel: name, key, from_seq: fromSeq, min_seq: minSeq = 0, follows } = options;
    if (this.#parts.state.clock[SEQ]! < minSeq) return give(refusedAs(behind(`seq ${minSeq}`)));
    const stream = this.#streams.get(name);
    if (stream === undefined) return give(refused('bare', 'invalid_parameter', `Unknown channel: ${name}`));
    const opened = stream.source.open(key);
    if ('code' in opened) return give(refusedAs(opened));
    stream.source.snapshot(opened, { time, fromSeq, follows }, (snapshot) => {
      if ('code' in snapshot) return give(refusedAs(snapshot));
      const isBehind = follows === true && snapshot.seq !== null && snapshot.seq < fromSeq!;
      if (isBehind) return give(refusedAs(behind(`number ${fromSeq} of ${name}`)));
      if (snapshot.isPart === true) return give(ok(subscriptionText(0, snapshot.seq, snapshot.messages)));
      // Opened again, because the state may have changed while the history answered.
      const again = stream.source.open(key);
      if (!('code' in again)) return give(this.#enter(api, stream, again, snapshot));
      if (!stream.topics.byKey.has(opened.key)) stream.source.end?.(opened);
      give(refusedAs(again));
    });
  }

  unsubscribe(api: number, number: number, count: number): boolean {
    const topic = this.#byNumber.get(number);
    const held = topic?.subscriptions[api] ?? 0;
    if (topic === undefined || held < count) return false;
    topic.subscriptions[api] = held - count;
    if (topic.subscriptions.every((one) => !(one > 0))) this.#drop(topic);
    return true;
  }

  onEvent(kind: number, f: Float64Array, record: CurrentRecord): void {
    if (kind === ACCOUNT_OPENED || kind === ACCOUNT_CLOSED) this.#noteAccount(f[ACCOUNT]!, kind === ACCOUNT_OPENED);
    const byEvent = this.#byEvent[kind];
    if (byEvent === undefined) return;
    for (const { source } of byEvent) source.onEvent(kind, f, record);
  }

  finish(record: CurrentRecord): void {
    for (const { source } of this.#finishing) source.finish!(record);
  }

  get isPending(): boolean {
    return this.#conflating.some(({ source }) => source.isPending!());
  }

  flush(now: number): void {
    for (const { source } of this.#conflating) source.flush!(now);
  }

  #noteAccount(account: number, isOpen: boolean): void {
    for (const { channel, topics } of this.#streams.values()) {
      if (channel.key !== 'wallet' || topics.byKey.size === 0) continue;
      if (isOpen) topics.bind(this.#parts.names.wallet(account), account);
      else topics.unbind(account);
    }
  }

  #enter(api: number, { channel, source, topics }: Stream, opened: TopicKey, snapshot: ChannelSnapshot): QueryAnswer {
    const { key, id } = opened;
    let topic = topics.byKey.get(key);
    if (topic === undefined && this.#byNumber.size >= MOST_TOPICS) {
      source.end?.(opened);
      return refused('bare', 'engine_busy', 'Too many subscriptions');
    }
    if (topic === undefined) {
      do this.#lastNumber = (this.#lastNumber + 1) >>> 0; while (this.#byNumber.has(this.#lastNumber));
      topic = { number: this.#lastNumber, channel: channel.name as ChannelKind, key, id, subscriptions: [] };
      this.#byNumber.set(topic.number, topic);
      topics.add(topic);
      if (topics.byKey.size === 1) this.#listen();
    }
    topic.subscriptions[api] = (topic.subscriptions[api] ?? 0) + 1;
    return ok(subscriptionText(topic.number, snapshot.seq, snapshot.messages));
  }

  #drop(topic: ChannelTopic): void {
    const { source, topics } = this.#streams.get(topic.channel)!;
    this.#byNumber.delete(topic.number);
    topics.remove(topic);
    source.end?.(topic);
    if (topics.byKey.size === 0) this.#listen();
  }

  #listen(): void {
    // A fill is sent before the update of its order.
    const active = [...this.#streams.values()].filter(({ topics }) => topics.byKey.size > 0)
      .sort((a, b) => Number(b.channel.name === 'fills') - Number(a.channel.name === 'fills'));
    const byEvent: Stream[][] = [];
    for (const stream of active) for (const kind of stream.source.events) (byEvent[kind] ??= []).push(stream);
    this.#byEvent = byEvent;
    this.#finishing = active.filter(({ source }) => source.finish !== undefined);
    this.#conflating = active.filter(({ source }) => source.flush !== undefined);
  }
}
