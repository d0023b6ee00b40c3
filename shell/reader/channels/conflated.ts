// Books whose changes are held back until CONFLATION_MS after their last message, so that the next carries all of them: what `orderbook`
// and `book` have in common. A message has the seq of the book as it stands, the one of GET /orderbook, so it may jump; nothing
// held back is older than a snapshot that is handed out, for that sends it first.

import { BOOK_CHANGED, INSTRUMENT } from '../../../core/codec/events.ts';
import { instrumentCount } from '../../../core/instruments/instruments.ts';
import { slotOfSymbol } from '../text.ts';
import { CONFLATION_MS, NO_ID, openSymbol, type Key, type ChannelSource, type SourceParts } from './source.ts';

type BookMessages = {
  /** What stands of the book in this instrument slot. */
  readonly snapshot: (slot: number, time: number) => string;
  /** What has changed since the last message; bytes are good until the next one is made. */
  readonly change: (slot: number, time: number) => string | Uint8Array;
  /** Whether all symbols have a snapshot of this book. */
  readonly isShown: (slot: number) => boolean;
  readonly end?: (key: Key) => void;
};

export function conflatedBooks({ state, names, topics }: SourceParts, { snapshot, change, isShown, end }: BookMessages): ChannelSource {
  const { instruments, streams } = state;
  /** Slots of the books that have changed; by slot, when last. */
  const held: number[] = [];
  const changedAt: (number | null)[] = [];
  /** By slot, when its last message was sent for its time had come; of the clock that `flush` is given. */
  const sentAt: number[] = [];
  const tell = (slot: number): void => {
    const time = changedAt[slot]!;
    changedAt[slot] = null;
    topics.tell(instruments.id[slot]!, streams.books[slot]!, () => change(slot, time));
  };
  const flush = (now: number): void => {
    let resting = 0;
    for (const slot of held) {
      if (now - (sentAt[slot] ?? -Infinity) < CONFLATION_MS) {
        held[resting++] = slot;
      } else {
        sentAt[slot] = now;
        tell(slot);
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
    hears: [BOOK_CHANGED],
    note: (_, f, { time }) => {
      const slot = f[INSTRUMENT]!;
      if (!topics.isHeard(instruments.id[slot]!)) return;
      if ((changedAt[slot] ?? null) === null) held.push(slot);
      changedAt[slot] = time;
    },
    open: (key) => openSymbol(state, names, key),
    stand: ({ key, id }, { time }, ready) => {
      held.splice(0).forEach(tell);
      const slots = id === NO_ID ? shown() : [slotOfSymbol(state, key)];
      ready({ seq: id === NO_ID ? null : streams.books[slots[0]!]!, messages: slots.map((slot) => snapshot(slot, time)) });
    },
    end: (key) => end?.(key),
    isPending: () => held.length > 0,
    flush,
  };
}
