// vol_index: the volatility indexes of all underlyings, then all again when one was taken. A slow client gets only the newest.

import { INDEX_UNDERLYING, MARKS_MOVED } from '../../../core/codec/events.ts';
import { underlyingCount } from '../../../core/instruments/underlyings.ts';
import { vintageOf } from '../../../core/valuation/valuation.ts';
import type { MessageNamed } from '../../http/shapes/messages.ts';
import { openVenue, NO_ID, type ChannelSource, type SourceParts } from './source.ts';

export function volIndexSource({ state, names, topics, candleParts: { volIndex } }: SourceParts): ChannelSource {
  const { valuation, underlyings } = state;
  const message = (time: number): string => {
    const indexes = Array.from({ length: underlyingCount(underlyings) }, (_, underlying) => {
      const { value, time: timestamp } = volIndex.of(underlying);
      return { underlying: names.underlying(underlying), vol_index: value, timestamp };
    });
    return JSON.stringify({
      type: 'VolIndexUpdate', indexes, timestamp: time, seq: vintageOf(valuation),
    } satisfies MessageNamed<'VolIndexUpdate'>);
  };
  return {
    events: [MARKS_MOVED],
    onEvent: (_, f, { time }) => {
      if (volIndex.isTaken(f[INDEX_UNDERLYING]!)) topics.publish(NO_ID, vintageOf(valuation), () => message(time));
    },
    open: openVenue,
    snapshot: (_, { time }, give) => give({ seq: vintageOf(valuation), messages: [message(time)] }),
  };
}
