// The nodes of one venue, which of them is asked, and what they have shown so far. With one address nothing ever changes.

/** More than two takeovers take: some eight seconds. */
const RETRIES_OF_NODES = 10;

export class Addresses {
  readonly #all: readonly string[];
  #at = 0;
  #seq = 0;
  #hasNodes: boolean;

  constructor(given: string | readonly string[]) {
    this.#all = (typeof given === 'string' ? [given] : given).map((url) => url.replace(/\/+$/, ''));
    if (this.#all.length === 0) throw new RangeError('an address of the venue is missing');
    this.#hasNodes = !this.isOne;
  }

  get current(): string {
    return this.#all[this.#at]!;
  }

  get isOne(): boolean {
    return this.#all.length === 1;
  }

  /** The newest command that an answer included. */
  get seq(): number {
    return this.#seq;
  }

  /** What the next answer must include, because another node may give it; 0: anything. */
  get minSeq(): number {
    return this.#hasNodes ? this.#seq : 0;
  }

  /** Of calls that do not say otherwise. */
  get retries(): { readonly retries?: number } {
    return this.#hasNodes ? { retries: RETRIES_OF_NODES } : {};
  }

  /** `isOfNode`: behind one address there may be a balancer. */
  note(seq: number | null, isOfNode: boolean): void {
    this.#seq = Math.max(this.#seq, seq ?? 0);
    this.#hasNodes ||= isOfNode;
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
