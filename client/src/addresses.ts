// The nodes of one venue, and which of them is asked. With one address nothing ever changes.

export class Addresses {
  readonly #all: readonly string[];
  #at = 0;

  constructor(given: string | readonly string[]) {
    this.#all = (typeof given === 'string' ? [given] : given).map((url) => url.replace(/\/+$/, ''));
    if (this.#all.length === 0) throw new RangeError('an address of the venue is missing');
  }

  get current(): string {
    return this.#all[this.#at]!;
  }

  get isOne(): boolean {
    return this.#all.length === 1;
  }

  /** The next one, unless another call has left this one already. */
  leave(failed: string): void {
    if (failed === this.current) this.#at = (this.#at + 1) % this.#all.length;
  }

  /**
   * `leader`: as a node tells it. Only given addresses are followed, so that no node can send signed requests elsewhere. True: another one
   * than was asked leads.
   */
  follow(asked: string, leader: unknown): boolean {
    const at = typeof leader === 'string' ? this.#all.indexOf(leader.replace(/\/+$/, '')) : -1;
    if (at < 0) this.leave(asked);
    else this.#at = at;
    return at >= 0 && this.#all[at] !== asked;
  }
}
