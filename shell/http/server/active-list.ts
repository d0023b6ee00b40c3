// The open requests and sockets of a web server. A list in which each item knows its index, instead of a Set: an old
// Set table keeps nearly every request alive until a full collection (as in shell/process/wrapping-id-table.ts).

export type ActiveItem = {
  /** -1 when not in the list. */
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

  /** Items removed during the walk are skipped. */
  forEach(what: (item: ActiveItem) => void): void {
    for (const item of [...this.#items]) if (item.place >= 0) what(item);
  }
}
