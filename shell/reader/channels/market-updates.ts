// market_updates: every option that is listed, expires or is deleted, and every trading mode that the operator sets. No
// snapshot: GET /instruments and GET /markets have it.

import { CALL, PERP } from '../../../core/codec/commands.ts';
import { INSTRUMENT, INSTRUMENT_DELETED, INSTRUMENT_EXPIRED, INSTRUMENT_LISTED, MODE_CONTRACT, MODE_SET, MODE_UNDERLYING,
  TRADING_MODE_CHANGED } from '../../../core/codec/events.ts';
import { MARKET_UPDATES } from '../../../core/streams.ts';
import type { State } from '../../../core/engine/state.ts';
import { micro, tradingModeText, type Names } from '../text.ts';
import { openVenue, NO_ID, type ChannelSource, type SourceParts } from './source.ts';

export function marketUpdatesSource({ state, names, topics }: SourceParts): ChannelSource {
  const { instruments, streams } = state;
  return {
    events: [INSTRUMENT_LISTED, INSTRUMENT_EXPIRED, INSTRUMENT_DELETED, TRADING_MODE_CHANGED],
    onEvent: (kind, f, { time }) => {
      if (kind === TRADING_MODE_CHANGED) {
        const [scope, mode] = [scopeOf(names, f[MODE_UNDERLYING]!, f[MODE_CONTRACT]!), f[MODE_SET]!];
        topics.publish(NO_ID, streams.venue[MARKET_UPDATES]!, () => modeMessage(state, scope, mode, time));
        return;
      }
      const slot = f[INSTRUMENT]!;
      if (instruments.kind[slot] === PERP) return;
      topics.publish(NO_ID, streams.venue[MARKET_UPDATES]!, () => marketMessage(state, names, kind, slot, time));
    },
    open: openVenue,
    snapshot: (_, __, give) => give({ seq: streams.venue[MARKET_UPDATES]!, messages: [] }),
  };
}

function scopeOf(names: Names, underlying: number, slot: number): string {
  if (slot >= 0) return names.symbol(slot);
  return underlying < 0 ? '' : names.underlying(underlying);
}

function modeMessage({ streams }: State, scope: string, mode: number, time: number): string {
  return JSON.stringify({
    type: 'MarketUpdate', action: 'TradingMode', scope, trading_mode: tradingModeText(mode), timestamp: time,
    seq: streams.venue[MARKET_UPDATES]!,
  });
}

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
