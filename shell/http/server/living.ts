// What lives on an edge and is told of its ticks: requests and sockets. A list in which each knows its place, and no Set, for the
// same reason as in shell/process/numbered.ts: an old table of a Set would hold on to nearly every request until a full collection.

/** Something that ends itself when it has lasted too long, or when the edge closes. It is told until it is removed. */
export type Live = {
  /** The list's to set; -1 outside it. */
  place: number;
  onTick(tick: number): void;
  onClose(): void;
};

export class Living {
  readonly #items: Live[] = [];

  add(item: Live): void {
    item.place = this.#items.push(item) - 1;
  }

  /** One that was never added, or is gone, is left alone. */
  remove(item: Live): void {
    const { place } = item;
    if (place < 0) return;
    item.place = -1;
    const last = this.#items.pop()!;
    if (last === item) return;
    this.#items[place] = last;
    last.place = place;
  }

  /** Those that are here now, each once, whatever the calls add or remove; one that is removed before its turn is passed over. */
  tell(what: (item: Live) => void): void {
    for (const item of [...this.#items]) if (item.place >= 0) what(item);
  }
}
