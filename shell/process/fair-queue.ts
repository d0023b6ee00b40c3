// A queue that serves clients in turn, so that one with much waiting delays only itself.

type ClientQueue<T> = { first: T | null; last: T | null; length: number };

export class FairQueue<Key, T extends { next: T | null }> {
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

  serve(isReady: (item: T) => boolean, isOver: () => boolean, serve: (item: T) => void): boolean {
    for (const [key, queue] of this.#queues) {
      const first = queue.first!;
      if (!isReady(first)) continue;
      if (isOver()) return true;
      this.#queues.delete(key);
      // No references stay, because old objects would keep newer ones alive (docs/decisions/speed.md).
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
