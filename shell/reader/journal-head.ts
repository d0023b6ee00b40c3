// The head of the journal for those who ask for it: kept, and read again at most once a second. Anybody may ask, so a reading that
// fails (no file can be opened, say) is told to the operator and changes nothing: the head that is known stands, only older.

/** `hash`: hex, '' before the first command. */
export type ShownHead = { readonly seq: number; readonly hash: string };

/** How long the head, as shown, may be behind. */
const HEAD_FOR_MS = 1_000;

/** `read`: the head as it stands, null without a journal; `steady`: ms of a clock that never goes back. Throws if `read` does so now. */
export function keepJournalHead(read: () => ShownHead | null, steady: () => number, notice: (line: string) => void): () => ShownHead {
  let known = read() ?? { seq: 0, hash: '' };
  let readAt = steady();
  return () => {
    if (steady() - readAt < HEAD_FOR_MS) return known;
    readAt = steady();
    try {
      known = read() ?? known;
    } catch (error) {
      notice(`the head of the journal could not be read, that of seq ${known.seq} is shown: ${String(error)}`);
    }
    return known;
  };
}
