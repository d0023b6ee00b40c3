// Shared by `orderbook` and `book`: changes are conflated until CONFLATION_MS after the book's last message. The seq is that of GET
// /orderbook and may skip.

import { BOOK_CHANGED, INSTRUMENT } from '../../../core/codec/events.ts';
import { instrumentCount } from '../../../core/instruments/instruments.ts';
import { slotOfSymbol } from '../text.ts';
import { CONFLATION_MS, NO_ID, openSymbol, type TopicKey, type ChannelSource, type SourceParts } from './source.ts';

type BookMessages = {
  readonly snapshot: (slot: number, time: number) => string;
  /** Bytes are valid until the next call. */
  readonly change: (slot: number, time: number) => string | Uint8Array;
  readonly isShown: (slot: number) => boolean;
  readonly end?: (key: TopicKey) => void;
};

export function conflatedBooks({ state, names, topics }: SourceParts, { snapshot, change, isShown, end }: BookMessages): ChannelSource {
  const { instruments, streams } = state;
  const held: number[] = [];
  const changedAt: (number | null)[] = [];
  const sentAt: number[] = [];
  const send = (slot: number): void => {
    const time = changedAt[slot]!;
    changedAt[slot] = null;
    topics.publish(instruments.id[slot]!, streams.books[slot]!, () => change(slot, time));
  };
  const flush = (now: number): void => {
    let resting = 0;
    for (const slot of held) {
      if (now - (sentAt[slot] ?? -Infinity) < CONFLATION_MS) {
        held[resting++] = slot;
      } else {
        sentAt[slot] = now;
        send(slot);
      }
    }
    held.length = resting;
  };
  const shown = (): number[] => {
    const slots: number[] = [];
    const rows = instrumentCount(instruments);
    for (let slot = 0; slot < rows; slot++) if (isShown(slot)) slots.push(slot);
    return slots;
  };
  return {
    events: [BOOK_CHANGED],
    onEvent: (_, f, { time }) => {
      const slot = f[INSTRUMENT]!;
      if (!topics.hasSubscribers(instruments.id[slot]!)) return;
      if ((changedAt[slot] ?? null) === null) held.push(slot);
      changedAt[slot] = time;
    },
    open: (key) => openSymbol(state, names, key),
    snapshot: ({ key, id }, { time }, give) => {
      held.splice(0).forEach(send);
      const slots = id === NO_ID ? shown() : [slotOfSymbol(state, key)];
      give({ seq: id === NO_ID ? null : streams.books[slots[0]!]!, messages: slots.map((slot) => snapshot(slot, time)) });
    },
    end: (key) => end?.(key),
    isPending: () => held.length > 0,
    flush,
  };
}
