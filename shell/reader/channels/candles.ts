// candles:<UNDERLYING>:<resolution>: the current candle of an index, at the start if it has a price, then after every
// used price. Same candles as GET /candles. The seq counts the underlying's prices, for every resolution.

import { INDEX_IS_USED, INDEX_MOVED, INDEX_RECEIVED, INDEX_UNDERLYING } from '../../../core/codec/events.ts';
import { TIME } from '../../../core/engine/state.ts';
import type { CandleRow } from '../../storage/history/protocol.ts';
import { askCandles, candleRecord, startOf, withTick } from '../history/candles.ts';
import { RESOLUTIONS, type Resolution } from '../../ipc/enum-names.ts';
import { refuse } from '../../http/errors.ts';
import { HISTORY_BUSY } from '../answers.ts';
import { NO_ID, type ChannelSource, type SourceParts } from './source.ts';
import type { MessageNamed } from '../../http/shapes/messages.ts';

const NAMES = Object.keys(RESOLUTIONS) as Resolution[];

export function candlesSource({ state, names, rows, history, topics }: SourceParts): ChannelSource {
  const { ticks } = state.streams;
  /** Newest candle by subscribed key. */
  const newest = new Map<string, CandleRow>();
  const message = (underlying: number, resolution: Resolution, candle: CandleRow): string => JSON.stringify({
    type: 'CandleUpdate', ...candleRecord(names.underlying(underlying), resolution, candle), seq: ticks[underlying]!,
  } satisfies MessageNamed<'CandleUpdate'>);
  const meaningOf = (key: string): { underlying: number; resolution: Resolution } | null => {
    const [name, resolution] = key.split(':');
    const underlying = names.underlyings().indexOf(name!);
    const found = NAMES.find((one) => one === resolution);
    return underlying < 0 || found === undefined || key !== keyOf(name!, found) ? null : { underlying, resolution: found };
  };
  return {
    events: [INDEX_MOVED],
    onEvent: (_, f, { seq, time }) => {
      if (f[INDEX_IS_USED] !== 1 || f[INDEX_RECEIVED] === 0) return;
      const underlying = f[INDEX_UNDERLYING]!;
      for (const resolution of NAMES) {
        const key = keyOf(names.underlying(underlying), resolution);
        const topic = topics.byKey.get(key);
        if (topic === undefined) continue;
        const candle = withTick(newest.get(key) ?? null, { seq, time, price: f[INDEX_RECEIVED]! }, RESOLUTIONS[resolution]);
        newest.set(key, candle);
        topics.send(topic, ticks[underlying]!, Buffer.from(message(underlying, resolution, candle)));
      }
    },
    open: (key) => (meaningOf(key) === null ? refuse('invalid_parameter', `Unknown channel: candles:${key}`) : { key, id: NO_ID }),
    snapshot: ({ key }, { time }, give) => {
      const { underlying, resolution } = meaningOf(key)!;
      // Prices of an ended interval may still arrive; its candle is kept but not shown.
      const start = startOf(Math.min(time, state.clock[TIME]!), RESOLUTIONS[resolution]);
      const span = { underlying: names.underlying(underlying), resolution, start, end: Number.MAX_SAFE_INTEGER };
      const isAsked = askCandles(rows, history, span, (candles) => {
        const candle = candles.at(-1);
        if (candle !== undefined) newest.set(key, candle);
        const isShown = candle?.time === startOf(time, RESOLUTIONS[resolution]);
        give({ seq: ticks[underlying]!, messages: isShown ? [message(underlying, resolution, candle)] : [] });
      });
      if (!isAsked) give(HISTORY_BUSY);
    },
    end: ({ key }) => void newest.delete(key),
  };
}

function keyOf(underlying: string, resolution: Resolution): string {
  return `${underlying}:${resolution}`;
}
