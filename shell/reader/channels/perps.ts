// funding and perp_ticker: the current state of a perp, then its changes, at most one message a perp in TICKER_MS. The
// `seq` is that of the last command, so it skips.

import { BOOK_CHANGED, FILL, FILL_INSTRUMENT, INDEX_MOVED, INDEX_UNDERLYING, INSTRUMENT, MARKS_MOVED } from '../../../core/codec/events.ts';
import { SEQ, TIME } from '../../../core/engine/state.ts';
import { underlyingCount } from '../../../core/instruments/underlyings.ts';
import { refuse } from '../../http/errors.ts';
import type { MessageNamed } from '../../http/shapes/messages.ts';
import { fundingOf, perpOf, perpOfSymbol, perpSlots } from '../market/perps.ts';
import { NO_ID, type ChannelSource, type SourceParts } from './source.ts';

const TICKER_MS = 100;

type Kind = {
  readonly events: readonly number[];
  /** -1: none. */
  readonly slotOf: (kind: number, f: Float64Array) => number;
  readonly isChanged?: (slot: number) => boolean;
  readonly message: (slot: number, time: number, seq: number) => string;
};

export function perpTickerSource(parts: SourceParts): ChannelSource {
  const { names, state, statistics } = parts;
  return perpSource(parts, {
    events: [BOOK_CHANGED, FILL, INDEX_MOVED, MARKS_MOVED],
    slotOf: (kind, f) => (
      kind === BOOK_CHANGED ? f[INSTRUMENT]! : kind === FILL ? f[FILL_INSTRUMENT]! : state.instruments.perpOf[f[INDEX_UNDERLYING]!]!
    ),
    message: (slot, time, seq) => JSON.stringify({
      type: 'PerpTickerUpdate', ...perpOf(state, names, statistics, slot, time), timestamp: time, seq,
    } satisfies MessageNamed<'PerpTickerUpdate'>),
  });
}

export function fundingSource(parts: SourceParts): ChannelSource {
  const { names, state } = parts;
  const { funding, instruments, perps } = state;
  const sampledAt = new Float64Array(perps.sampledAt.length).fill(NaN);
  const hours = new Float64Array(perps.sampledAt.length).fill(NaN);
  return perpSource(parts, {
    events: [], slotOf: () => -1,
    isChanged: (slot) => {
      const underlying = instruments.underlying[slot]!;
      const sample = perps.sampledAt[underlying]!;
      const hour = funding.hours[slot]!;
      if (sampledAt[underlying] === sample && hours[underlying] === hour) return false;
      sampledAt[underlying] = sample;
      hours[underlying] = hour;
      return true;
    },
    message: (slot, time, seq) => JSON.stringify({
      type: 'FundingUpdate', ...fundingOf(state, names, slot, time), timestamp: time, seq,
    } satisfies MessageNamed<'FundingUpdate'>),
  });
}

function perpSource({ state, topics }: SourceParts, { events, slotOf, isChanged, message }: Kind): ChannelSource {
  const { clock, instruments, underlyings } = state;
  const held = new Set<number>();
  const sentAt: number[] = [];
  const hold = (slot: number): void => {
    if (slot >= 0 && instruments.perpOf[instruments.underlying[slot]!] === slot && topics.hasSubscribers(instruments.id[slot]!)) {
      held.add(slot);
    }
  };
  const seq = (): number => clock[SEQ]!;
  return {
    events, onEvent: (kind, f) => hold(slotOf(kind, f)),
    ...(isChanged !== undefined && { finish: () => {
      for (let underlying = 0; underlying < underlyingCount(underlyings); underlying++) {
        const slot = instruments.perpOf[underlying]!;
        if (slot >= 0 && isChanged(slot)) hold(slot);
      }
    } }),
    open: (key) => {
      if (key === '') return { key, id: NO_ID };
      const slot = perpOfSymbol(state, key);
      return slot < 0 ? refuse('not_found', `Perp not found: ${key}`) : { key, id: instruments.id[slot]! };
    },
    snapshot: ({ key, id }, { time }, give) => {
      const slots = id === NO_ID ? perpSlots(state) : [perpOfSymbol(state, key)];
      give({ seq: seq(), messages: slots.map((slot) => message(slot, time, seq())) });
    },
    isPending: () => held.size > 0,
    flush: (now) => {
      for (const slot of held) {
        if (now - (sentAt[slot] ?? -Infinity) < TICKER_MS) continue;
        sentAt[slot] = now;
        held.delete(slot);
        topics.publish(instruments.id[slot]!, seq(), () => message(slot, clock[TIME]!, seq()));
      }
    },
  };
}
