// index_prices: the current index price of every underlying, then every price that is used.

import { INDEX_IS_USED, INDEX_MOVED, INDEX_RECEIVED, INDEX_UNDERLYING } from '../../../core/codec/events.ts';
import { underlyingCount } from '../../../core/instruments/underlyings.ts';
import { INDEX_PRICES } from '../../../core/streams.ts';
import { micro } from '../text.ts';
import { openVenue, NO_ID, type ChannelSource, type SourceParts } from './source.ts';

export function indexPricesSource({ state, names, topics }: SourceParts): ChannelSource {
  const { streams, underlyings, valuation } = state;
  const message = (prices: readonly string[], time: number): string => (
    `{"type":"IndexPriceUpdate","prices":[${prices.join(',')}],"timestamp":${time},"seq":${streams.venue[INDEX_PRICES]!}}`
  );
  const price = (underlying: number): string => (
    `{"underlying":"${names.underlying(underlying)}","price":"${micro(valuation.index[underlying]!)}",`
    + `"timestamp":${valuation.indexAt[underlying]!}}`
  );
  return {
    events: [INDEX_MOVED],
    onEvent: (_, f, { time }) => {
      if (f[INDEX_IS_USED] !== 1 || f[INDEX_RECEIVED] === 0) return;
      topics.publish(NO_ID, streams.venue[INDEX_PRICES]!, () => message([price(f[INDEX_UNDERLYING]!)], time));
    },
    open: openVenue,
    snapshot: (_, { time }, give) => {
      const prices: string[] = [];
      const count = underlyingCount(underlyings);
      for (let underlying = 0; underlying < count; underlying++) if (valuation.index[underlying]! > 0) prices.push(price(underlying));
      give({ seq: streams.venue[INDEX_PRICES]!, messages: prices.length === 0 ? [] : [message(prices, time)] });
    },
  };
}
