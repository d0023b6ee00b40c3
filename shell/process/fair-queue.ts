// Work that waits, in a line of its own for each client, and the lines have turns: whoever has much waiting stands in its own way
// alone. The order of a line is that in which its work came.

/** One that has been emptied holds nothing. */
type Line<T> = { first: T | null; last: T | null; length: number };

/** `next` of what waits: the one behind it in its line; the queue's to set. */
export class FairQueue<Key, T extends { next: T | null }> {
  /** In the order of their turns; none is empty. */
  readonly #lines = new Map<Key, Line<T>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  lengthOf(key: Key): number {
    return this.#lines.get(key)?.length ?? 0;
  }

  add(key: Key, item: T): void {
    const line = this.#lines.get(key);
    if (line === undefined) {
      this.#lines.set(key, { first: item, last: item, length: 1 });
    } else {
      line.last!.next = item;
      line.last = item;
      line.length++;
    }
    this.#length++;
  }

  /**
   * Takes out the first of each line in turn, again and again, and gives it to `serve`; a line whose first is not ready waits. True:
   * there is more that is ready, and `isOver` said that it is enough.
   */
  serve(isReady: (item: T) => boolean, isOver: () => boolean, serve: (item: T) => void): boolean {
    // A line that is put back stands behind the others, and the loop comes by it again.
    for (const [key, line] of this.#lines) {
      const first = line.first!;
      if (!isReady(first)) continue;
      if (isOver()) return true;
      this.#lines.delete(key);
      // Neither what is served nor an emptied line holds on to anything: old ones would keep what came later until a full collection
      // (docs/decisions/speed.md).
      line.first = first.next;
      line.length--;
      first.next = null;
      if (line.first === null) line.last = null;
      else this.#lines.set(key, line);
      this.#length--;
      serve(first);
    }
    return false;
  }
}
