// The index of one coin from Hyperliquid's two prices (docs/decisions/marks.md): the mid, bounded by the oracle price; either alone
// suffices. Prices in 1e-6 USDC, times in ms of a steady clock. After a silence the first price must be confirmed, because the core
// trusts it (docs/MARGIN.md, "The index").

import type { IndexSource } from '../../ipc/status.ts';

const FRESH_MS = 10_000;
/** An older oracle price no longer bounds the mids. */
const ORACLE_VALID_MS = 60_000;
/** A mid is limited to 1/200 from the oracle price. */
const BOUND_PART = 200;
/** Prices within 50 thousandths confirm each other; so do three in a row of one source. */
const NEAR_THOUSANDTHS = 50;
const CONFIRMATIONS = 3;
/** Soon after a used mid, the next needs no confirmation. */
const MID_VALID_MS = 30_000;

type Observation = { readonly price: number; readonly time: number };

type PriceSource = {
  readonly validMs: number;
  newest: Observation | null;
  used: Observation | null;
  consecutive: number;
};

export class IndexPrice {
  readonly #oracle: PriceSource = { validMs: ORACLE_VALID_MS, newest: null, used: null, consecutive: 0 };
  readonly #mid: PriceSource = { validMs: MID_VALID_MS, newest: null, used: null, consecutive: 0 };
  #isNew = false;

  addOracle(price: number, time: number): void {
    const { newest, used } = this.#oracle;
    if (newest !== null && time <= newest.time) return;
    // The oracle price moves the bound, so it must be near the last one or be repeated.
    this.#add(this.#oracle, this.#mid, { price, time }, isWithin(used, time, ORACLE_VALID_MS) && isNear(used.price, price));
  }

  addMid(price: number, time: number): void {
    this.#add(this.#mid, this.#oracle, { price, time }, isWithin(this.#mid.used, time, MID_VALID_MS));
  }

  takeNew(time: number): number {
    const price = this.#isNew ? this.#at(time).price : 0;
    this.#isNew = false;
    return price;
  }

  sourceAt(time: number): IndexSource {
    return this.#at(time).source;
  }

  #add(source: PriceSource, other: PriceSource, observation: Observation, isConfirmed: boolean): void {
    const { newest, consecutive, validMs } = source;
    source.consecutive = isWithin(newest, observation.time, validMs) && isNear(newest.price, observation.price) ? consecutive + 1 : 1;
    source.newest = observation;
    const isConfirmedByOther = isWithin(other.newest, observation.time, FRESH_MS) && isNear(other.newest.price, observation.price);
    if (isConfirmedByOther) other.used = other.newest;
    if (!isConfirmed && !isConfirmedByOther && source.consecutive < CONFIRMATIONS) return;
    source.used = observation;
    this.#isNew = true;
  }

  #at(time: number): { readonly price: number; readonly source: IndexSource } {
    const [mid, oracle] = [this.#mid.used, this.#oracle.used];
    if (!isWithin(mid, time, FRESH_MS)) {
      return isWithin(oracle, time, FRESH_MS) ? { price: oracle.price, source: 'oracle_alone' } : { price: 0, source: 'none' };
    }
    if (!isWithin(oracle, time, ORACLE_VALID_MS)) return { price: mid.price, source: 'mid_alone' };
    const most = Math.floor(oracle.price / BOUND_PART);
    const price = Math.max(oracle.price - most, Math.min(oracle.price + most, mid.price));
    return { price, source: price === mid.price ? 'mid' : 'bounded' };
  }
}

function isWithin(observation: Observation | null, time: number, age: number): observation is Observation {
  return observation !== null && time - observation.time <= age;
}

function isNear(from: number, price: number): boolean {
  return Math.abs(price - from) * 1_000 <= from * NEAR_THOUSANDTHS;
}
