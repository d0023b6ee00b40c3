// Work that waits, in a line of its own for each client, and the lines have turns: whoever has much waiting stands in its own way
// alone. The order of a line is that in which its work came.

/** One that has been emptied holds nothing. */
type ClientQueue<T> = { first: T | null; last: T | null; length: number };

/** `next` of what waits: the one behind it in its line; the queue's to set. */
export class FairQueue<Key, T extends { next: T | null }> {
  /** In the order of their turns; none is empty. */
  readonly #queues = new Map<Key, ClientQueue<T>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  lengthOf(key: Key): number {
    return this.#queues.get(key)?.length ?? 0;
  }

  add(key: Key, item: T): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) {
      this.#queues.set(key, { first: item, last: item, length: 1 });
    } else {
      queue.last!.next = item;
      queue.last = item;
      queue.length++;
    }
    this.#length++;
  }

  /**
   * Takes out the first of each line in turn, again and again, and gives it to `serve`; a line whose first is not ready waits. True:
   * there is more that is ready, and `isOver` said that it is enough.
   */
  serve(isReady: (item: T) => boolean, isOver: () => boolean, serve: (item: T) => void): boolean {
    // A line that is put back stands behind the others, and the loop comes by it again.
    for (const [key, queue] of this.#queues) {
      const first = queue.first!;
      if (!isReady(first)) continue;
      if (isOver()) return true;
      this.#queues.delete(key);
      // Neither what is served nor an emptied line holds on to anything: old ones would keep what came later until a full collection
      // (docs/decisions/speed.md).
      queue.first = first.next;
      queue.length--;
      first.next = null;
      if (queue.first === null) queue.last = null;
      else this.#queues.set(key, queue);
      this.#length--;
      serve(first);
    }
    return false;
  }
}
