// trades: every trade of a contract, in the order in which they were made, with the side of the taker.

import { FILL, FILL_INSTRUMENT } from '../../../core/codec/events.ts';
import { tradeMessage } from '../history/messages.ts';
import { slotOfSymbol } from '../text.ts';
import { NO_ID, openSymbol, type ChannelSource, type SourceParts } from './source.ts';

export function tradesSource({ state, names, topics }: SourceParts): ChannelSource {
  const { instruments, streams } = state;
  return {
    events: [FILL],
    onEvent: (_, f, { time }) => {
      const slot = f[FILL_INSTRUMENT]!;
      topics.publish(instruments.id[slot]!, streams.trades[slot]!, () => tradeMessage(state, names, f, time));
    },
    open: (key) => openSymbol(state, names, key),
    snapshot: ({ key, id }, _, give) => give({ seq: id === NO_ID ? null : streams.trades[slotOfSymbol(state, key)]!, messages: [] }),
  };
}
