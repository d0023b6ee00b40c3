// The index of one coin, made of Hyperliquid's two prices: the mid of all-mids is the index, and the oracle price (spot, a median over
// several exchanges and validators, every few seconds) bounds it. Either alone is enough. Prices are integers of 1e-6 USDC, times ms of a
// steady clock. docs/decisions/marks.md has the reasons.
// Never shows a price that rests on nothing new. After a silence it never shows a first price that nothing confirms: the core,
// whose outlier rule (MARGIN.md, "The index") stands behind all this, believes the first price after a silence.

import type { IndexSource } from '../../ipc/status.ts';

/** A price older than this says nothing by itself. */
const FRESH = 10_000;
/** For so long an oracle price bounds the mids; without one for longer they are used alone. */
const AWAY = 60_000;
/** The bound: a mid further from the oracle price than this part of it counts as just so far. */
const BOUND_PART = 200;
/** Prices within so many thousandths confirm each other; so many in a row confirm themselves. */
const NEAR = 50;
const CONFIRMATIONS = 3;
/** A mid that follows one in use within this time is as good. */
const MID_KEEPS = 30_000;

type Told = { readonly price: number; readonly time: number };

/** What one of the two says. */
type Voice = {
  /** A price says something of the next one for so long. */
  readonly keeps: number;
  newest: Told | null;
  /** The newest that is confirmed. */
  used: Told | null;
  /** Prices in a row, each near the one before. */
  agreeing: number;
};

export class IndexPrice {
  readonly #oracle: Voice = { keeps: AWAY, newest: null, used: null, agreeing: 0 };
  readonly #mid: Voice = { keeps: MID_KEEPS, newest: null, used: null, agreeing: 0 };
  #isNew = false;

  /** `time`: when it was asked for, so that a slow answer is an old one. What is not later than the last is left out. */
  addOracle(price: number, time: number): void {
    const { newest, used } = this.#oracle;
    if (newest !== null && time <= newest.time) return;
    // An oracle price moves the bound, whatever the mids say: it has to be near the last one, or be said again.
    this.#tell(this.#oracle, this.#mid, { price, time }, isYoung(used, time, AWAY) && isNear(used.price, price));
  }

  addMid(price: number, time: number): void {
    this.#tell(this.#mid, this.#oracle, { price, time }, isYoung(this.#mid.used, time, MID_KEEPS));
  }

  /** The index at `time`, once for each news; 0: there is none, or nothing new. */
  takeNew(time: number): number {
    const price = this.#isNew ? this.#at(time).price : 0;
    this.#isNew = false;
    return price;
  }

  /** What the index is made of at `time`. */
  sourceAt(time: number): IndexSource {
    return this.#at(time).source;
  }

  #tell(voice: Voice, other: Voice, told: Told, isConfirmed: boolean): void {
    const { newest, agreeing, keeps } = voice;
    voice.agreeing = isYoung(newest, told.time, keeps) && isNear(newest.price, told.price) ? agreeing + 1 : 1;
    voice.newest = told;
    const isSaidByBoth = isYoung(other.newest, told.time, FRESH) && isNear(other.newest.price, told.price);
    if (isSaidByBoth) other.used = other.newest;
    if (!isConfirmed && !isSaidByBoth && voice.agreeing < CONFIRMATIONS) return;
    voice.used = told;
    this.#isNew = true;
  }

  #at(time: number): { readonly price: number; readonly source: IndexSource } {
    const [mid, oracle] = [this.#mid.used, this.#oracle.used];
    if (!isYoung(mid, time, FRESH)) {
      return isYoung(oracle, time, FRESH) ? { price: oracle.price, source: 'oracle_alone' } : { price: 0, source: 'none' };
    }
    if (!isYoung(oracle, time, AWAY)) return { price: mid.price, source: 'mid_alone' };
    const most = Math.floor(oracle.price / BOUND_PART);
    const price = Math.max(oracle.price - most, Math.min(oracle.price + most, mid.price));
    return { price, source: price === mid.price ? 'mid' : 'bounded' };
  }
}

function isYoung(told: Told | null, time: number, age: number): told is Told {
  return told !== null && time - told.time <= age;
}

function isNear(from: number, price: number): boolean {
  return Math.abs(price - from) * 1_000 <= from * NEAR;
}
