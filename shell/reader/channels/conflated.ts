// Books whose changes are held back for a moment, so that a message carries all changes since the one before: what `orderbook`
// and `book` have in common. A message has the seq of the book as it stands, the one of GET /orderbook, so it may jump; nothing
// held back is older than a snapshot that is handed out, for that sends it first.

import { BOOK_CHANGED, INSTRUMENT } from '../../../core/codec/events.ts';
import { instrumentCount } from '../../../core/instruments/instruments.ts';
import { slotOfSymbol } from '../text.ts';
import { NO_ID, openSymbol, type Key, type Source, type SourceParts } from './source.ts';

type BookMessages = {
  /** What stands of the book in this instrument slot. */
  readonly snapshot: (slot: number, time: number) => string;
  /** What has changed since the last message; bytes are good until the next one is made. */
  readonly change: (slot: number, time: number) => string | Uint8Array;
  /** Whether all symbols have a snapshot of this book. */
  readonly isShown: (slot: number) => boolean;
  readonly end?: (key: Key) => void;
};

export function conflatedBooks({ state, names, topics }: SourceParts, { snapshot, change, isShown, end }: BookMessages): Source {
  const { instruments, streams } = state;
  /** Slots of the books that have changed; by slot, when last. */
  const held: number[] = [];
  const changedAt: (number | null)[] = [];
  const flush = (): void => {
    for (const slot of held) {
      const time = changedAt[slot]!;
      changedAt[slot] = null;
      topics.tell(instruments.id[slot]!, streams.books[slot]!, () => change(slot, time));
    }
    held.length = 0;
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
      flush();
      const slots = id === NO_ID ? shown() : [slotOfSymbol(state, key)];
      ready({ seq: id === NO_ID ? null : streams.books[slots[0]!]!, messages: slots.map((slot) => snapshot(slot, time)) });
    },
    end: (key) => end?.(key),
    isPending: () => held.length > 0,
    flush,
  };
}
