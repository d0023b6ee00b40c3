// The index of one coin, made of Hyperliquid's two prices: the oracle price (spot, a median over several exchanges and
// validators, every few seconds) sets the level, and the mid of its perpetual carries it on to the next one. Prices are
// integers of 1e-6 USDC, times ms of a steady clock. docs/decisions/0020-the-index-of-a-real-venue.md has the reasons.
// Never shows a price that rests on nothing new, and none where the two sources contradict each other.

/** A mid older than this says nothing, and without one an oracle price as old says nothing. */
const FRESH = 10_000;
/** Beyond this even a mid does not carry an oracle price on. */
const CARRIED = 30_000;
/** Parts per thousand: the most a mid may move the index between two oracle prices; the most by which sources may differ. */
const MOST_MOVE = 5;
const MOST_APART = 50;
/** Without a mid or a price of late to hold against it, so many oracle prices in a row must agree. */
const CONFIRMATIONS = 3;
const OF_LATE = 30_000;

type Told = { readonly price: number; readonly time: number };

export class IndexPrice {
  #oracle: Told | null = null;
  #mid: Told | null = null;
  #shown: Told | null = null;
  /** The mid when the oracle price came, or the first soon after it; 0: there is none, and no mid carries this price on. */
  #midAtOracle = 0;
  /** Oracle prices in a row that agree, each with the one before. */
  #agreeing = 0;
  #isNew = false;

  /** `time`: when it was asked for, so that a slow answer is an old one. What is older than the last is left out. */
  tellOracle(price: number, time: number): void {
    if (this.#oracle !== null && time <= this.#oracle.time) return;
    this.#agreeing = this.#oracle !== null && isWithin(this.#oracle.price, price, MOST_APART) ? this.#agreeing + 1 : 1;
    this.#oracle = { price, time };
    this.#midAtOracle = this.#mid !== null && time - this.#mid.time <= FRESH ? this.#mid.price : 0;
    this.#isNew = true;
  }

  tellMid(price: number, time: number): void {
    this.#mid = { price, time };
    if (this.#midAtOracle === 0 && this.#oracle !== null && time - this.#oracle.time <= FRESH) this.#midAtOracle = price;
    this.#isNew = true;
  }

  /** The index at `time`, once for each news; 0: there is none, or nothing new. */
  show(time: number): number {
    const price = this.#isNew ? this.#priceAt(time) : 0;
    this.#isNew = false;
    if (price > 0) this.#shown = { price, time };
    return price;
  }

  /** True when there is news of both, and they differ too much for either to be used. */
  isContradicted(time: number): boolean {
    const oracle = this.#oracle;
    if (oracle === null || time - oracle.time > CARRIED || !this.#hasMid(time)) return false;
    return !isWithin(this.#mid!.price, oracle.price, MOST_APART);
  }

  #priceAt(time: number): number {
    if (this.#oracle === null) return 0;
    const { price, time: toldAt } = this.#oracle;
    const age = time - toldAt;
    if (!this.#hasMid(time)) return age <= FRESH && this.#isConfirmed(price, time) ? price : 0;
    if (age > CARRIED || this.isContradicted(time)) return 0;
    const mid = this.#mid!.price;
    return isWithin(this.#midAtOracle, mid, MOST_MOVE) ? Math.round(price * (mid / this.#midAtOracle)) : 0;
  }

  #hasMid(time: number): boolean {
    return this.#mid !== null && time - this.#mid.time <= FRESH;
  }

  /** Without a mid: by what was shown of late, or by the oracle's own constancy. */
  #isConfirmed(price: number, time: number): boolean {
    const shown = this.#shown;
    const isNear = shown !== null && time - shown.time <= OF_LATE && isWithin(shown.price, price, MOST_APART);
    return isNear || this.#agreeing >= CONFIRMATIONS;
  }
}

/** `price` at most so many thousandths away from `from`. */
function isWithin(from: number, price: number, thousandths: number): boolean {
  return Math.abs(price - from) * 1_000 <= from * thousandths;
}
