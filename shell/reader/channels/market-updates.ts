// market_updates: every option that is listed, expires or is deleted. There is no snapshot; GET /instruments has it.

import { CALL, PERP } from '../../../core/codec/commands.ts';
import { INSTRUMENT, INSTRUMENT_DELETED, INSTRUMENT_EXPIRED, INSTRUMENT_LISTED } from '../../../core/codec/events.ts';
import { MARKET_UPDATES } from '../../../core/streams.ts';
import type { State } from '../../../core/engine/state.ts';
import { micro, type Names } from '../text.ts';
import { openVenue, NO_ID, type ChannelSource, type SourceParts } from './source.ts';

export function marketUpdatesSource({ state, names, topics }: SourceParts): ChannelSource {
  const { instruments, streams } = state;
  return {
    events: [INSTRUMENT_LISTED, INSTRUMENT_EXPIRED, INSTRUMENT_DELETED],
    onEvent: (kind, f, { time }) => {
      const slot = f[INSTRUMENT]!;
      if (instruments.kind[slot] === PERP) return;
      topics.publish(NO_ID, streams.venue[MARKET_UPDATES]!, () => marketMessage(state, names, kind, slot, time));
    },
    open: openVenue,
    snapshot: (_, __, give) => give({ seq: streams.venue[MARKET_UPDATES]!, messages: [] }),
  };
}

/** The expiry is in seconds. */
function marketMessage({ instruments, streams }: State, names: Names, kind: number, slot: number, time: number): string {
  const action = kind === INSTRUMENT_LISTED ? 'Created' : kind === INSTRUMENT_EXPIRED ? 'Expired' : 'Deleted';
  const terms = kind === INSTRUMENT_DELETED ? {} : {
    strike: micro(instruments.strike[slot]!), is_call: instruments.kind[slot] === CALL, underlying: names.underlyingOf(slot),
    expiry: instruments.expiry[slot]! / 1_000,
  };
  return JSON.stringify({
    type: 'MarketUpdate', action, symbol: names.symbol(slot), ...terms, timestamp: time, seq: streams.venue[MARKET_UPDATES]!,
  });
}
