// The open requests and sockets of a web server. Each item knows its index: the old table of a Set would keep nearly every request alive
// until a full collection.

export type ActiveItem = {
  place: number;
  onTick(tick: number): void;
  onClose(): void;
};

export class ActiveList {
  readonly #items: ActiveItem[] = [];

  add(item: ActiveItem): void {
    item.place = this.#items.push(item) - 1;
  }

  remove(item: ActiveItem): void {
    const { place } = item;
    if (place < 0) return;
    item.place = -1;
    const last = this.#items.pop()!;
    if (last === item) return;
    this.#items[place] = last;
    last.place = place;
  }

  forEach(what: (item: ActiveItem) => void): void {
    for (const item of [...this.#items]) if (item.place >= 0) what(item);
  }
}
