// A contract of the options chain is written as text once, until its book, its marks or the index change.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BOOK_CHANGED, INSTRUMENT } from '../../../core/codec/events.ts';
import { BUY } from '../../../core/units.ts';
import { optionsChainSource } from '../../../shell/reader/channels/options-chain.ts';
import { NO_ID, ChannelTopics, type TopicKey, type SourceParts } from '../../../shell/reader/channels/source.ts';
import { GreeksCache } from '../../../shell/reader/market/greeks-cache.ts';
import type { CurrentRecord } from '../../../shell/reader/history/rows.ts';
import { Names } from '../../../shell/reader/text.ts';
import { Bench, CALL_100_SYMBOL } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;

type Message = Record<string, unknown>;

test('options chain: a contract that has not changed is written once for all subscribers', (t) => {
  const bench = new Bench(t);
  const { state } = bench.reader;
  let made = 0;
  class Counting extends GreeksCache {
    override at(slot: number): number {
      made++;
      return super.at(slot);
    }
  }
  const topics = new ChannelTopics(() => undefined);
  const source = optionsChainSource({ state, names: new Names(state), greeksCache: new Counting(state), topics } as unknown as SourceParts);
  const subscribe = (): { rows: Message[]; made: number } => {
    made = 0;
    let rows: Message[] = [];
    source.snapshot(source.open('{}') as TopicKey, { time: bench.venue.now, fromSeq: undefined }, (snapshot) => {
      assert.ok('messages' in snapshot);
      rows = snapshot.messages.map((text) => (JSON.parse(text) as { row: Message }).row);
    });
    return { rows, made };
  };
  const first = subscribe();
  topics.add({ number: 1, channel: 'options_chain', key: (source.open('{}') as TopicKey).key, id: NO_ID, subscriptions: [1] });
  assert.ok(first.made > 20);
  assert.deepEqual(subscribe(), { rows: first.rows, made: 0 });
  const shown = (rows: Message[]): unknown => (
    rows.map(({ call }) => call as Message | undefined).find((call) => call?.symbol === CALL_100_SYMBOL)!.bid_price_usd
  );
  const isOption = (slot: number): boolean => new Names(state).symbol(slot) === CALL_100_SYMBOL;
  bench.place({ wallet: 1, side: BUY, price: 1_500 * USDC, size: ONE });
  const fields = new Float64Array(16);
  fields[INSTRUMENT] = Array.from({ length: state.instruments.status.length }, (_, slot) => slot).find(isOption)!;
  source.onEvent(BOOK_CHANGED, fields, { time: bench.venue.now } as CurrentRecord);
  const after = subscribe();
  assert.deepEqual([shown(first.rows), shown(after.rows)], [null, 1_500]);
  assert.ok(after.made > 0 && after.made < 5, `${after.made} of one contract`);
  bench.venue.advance(1_000);
  bench.venue.venue(bench.venue.write.index(0, 100_500 * USDC, 1));
  bench.venue.settle();
  bench.feed();
  assert.ok(subscribe().made > 20, 'with new marks everything is new');
});
