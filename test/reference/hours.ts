// The last half hour of a venue before an expiry, second by second, compared with perps.ts on its books and index: marks of both perps,
// funding rates of the full hour, the settlement price; and the ticks of a feed, used or ignored.

import assert from 'node:assert/strict';
import * as E from '../../core/codec/events.ts';
import { defaultSettings, DEFAULT_BALANCE, MAX_POSITION } from '../../core/settings.ts';
import { AGELESS } from '../../core/valuation/valuation.ts';
import { Random } from '../sim/random.ts';
import { liveRows, openOrders } from '../support/raw.ts';
import { TestVenue } from '../support/venue.ts';
import { fiveFigures } from './draw.ts';
import { IndexRule, PerpClock, SAMPLE_INTERVAL, settlementPrice } from './perps.ts';
import { BUY, GTC, IOC, PERP, type Side } from './terms.ts';

const SECOND = 1_000;
const WINDOW = 1_800 * SECOND;
const UNDERLYINGS = [0, 1];
/** Rounding of the core: rates and the distance of marks to 1e-9, marks to a price unit. */
const RATE_ERROR = 2e-9;
const MARK_ERROR = 3e-8;

type Half = { readonly rates: number; readonly settled: number; readonly marks: number };

export class HalfHour {
  private readonly random: Random;
  private readonly venue: TestVenue;
  private readonly perps: number[];
  private readonly clocks = UNDERLYINGS.map(() => new PerpClock());
  private readonly samples: bigint[][] = UNDERLYINGS.map(() => []);
  private readonly expiry: number;
  private nonce = 0;
  private rates = 0;
  private settled = 0;
  private marks = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
    const settings = defaultSettings();
    settings[DEFAULT_BALANCE] = 1e15;
    settings[MAX_POSITION] = 9e15;
    this.venue = new TestVenue({ settings }).open();
    const { instruments } = this.venue.state;
    this.perps = UNDERLYINGS.map((underlying) => instruments.perpOf[underlying]!);
    this.expiry = Math.min(...this.venue.slots(({ kind }) => kind !== PERP).map((slot) => instruments.expiry[slot]!));
    this.venue.now = this.expiry - WINDOW - 50 * SECOND;
    this.venue.settle();
    this.venue.state.events.listener = (kind, slots) => this.hear(kind, slots);
  }

  run(): Half {
    while (this.venue.now < this.expiry + SECOND) this.second();
    return { rates: this.rates, settled: this.settled, marks: this.marks };
  }

  private second(): void {
    const { random, venue } = this;
    for (let orders = random.between(0, 2); orders > 0; orders--) this.trade();
    if (random.chance(0.02)) this.cancelMost();
    if (random.chance(0.3)) {
      const underlying = random.between(0, 1);
      const moved = Math.round(this.indexOf(underlying) * (1 + (random.fraction() - 0.5) * 0.004));
      venue.venue(venue.write.index(underlying, moved, AGELESS));
      venue.settle();
    }
    venue.now += SECOND;
    if (venue.now > this.expiry - WINDOW && venue.now <= this.expiry) {
      for (const underlying of UNDERLYINGS) this.samples[underlying]!.push(BigInt(this.indexOf(underlying)));
    }
    if (venue.now % SAMPLE_INTERVAL === 0) for (const underlying of UNDERLYINGS) this.sample(underlying);
    venue.settle();
    const { mark, markIndex } = venue.state.valuation;
    for (const underlying of UNDERLYINGS) {
      const expected = this.clocks[underlying]!.mark(markIndex[underlying]!);
      const away = Math.abs(mark[this.perps[underlying]!]! - expected) / expected;
      assert.ok(away < MARK_ERROR, `mark of perp ${underlying}: ${mark[this.perps[underlying]!]}, expected ${expected}`);
      this.marks++;
    }
  }

  private indexOf(underlying: number): number {
    return this.venue.state.valuation.index[underlying]!;
  }

  private trade(): void {
    const { random, venue } = this;
    const underlying = random.between(0, 1);
    const side = random.between(0, 1) as Side;
    const away = (random.fraction() - 0.4) * random.pick([0.002, 0.01, 0.03]);
    const price = this.indexOf(underlying) * (side === BUY ? 1 - away : 1 + away);
    const size = Math.round(10 ** (4 + random.fraction() * 3)) * (underlying === 0 ? 1 : 20);
    venue.send(venue.write.place({
      ...venue.contract(this.perps[underlying]!), wallet: random.between(0, 5), nonce: ++this.nonce, side, size,
      price: Number(fiveFigures(price)), tif: random.pick([GTC, GTC, IOC]),
    }));
  }

  private cancelMost(): void {
    const { venue } = this;
    for (const { account, id } of openOrders(venue.state)) {
      const wallet = venue.state.accounts.address[account * 5]! - 1;
      if (this.random.chance(0.8)) venue.send(venue.write.cancel(wallet, ++this.nonce, id));
    }
  }

  private sample(underlying: number): void {
    const { state } = this.venue;
    const slot = this.perps[underlying]!;
    const quotes = openOrders(state).filter(({ instrument }) => instrument === slot)
      .map(({ side, price, remaining }) => ({ side: side as Side, price: BigInt(price), left: BigInt(remaining) }));
    const isUsed = quotes.length > 0 || liveRows(state).some(({ instrument, position }) => instrument === slot && position !== 0);
    if (isUsed) this.clocks[underlying]!.sample(quotes, this.indexOf(underlying));
    else this.clocks[underlying]!.rest();
  }

  private hear(kind: number, slots: Float64Array): void {
    if (kind === E.FUNDING_RATE) {
      const expected = this.clocks[this.perps.indexOf(slots[E.INSTRUMENT]!)]!.endHour();
      assert.ok(Math.abs(slots[E.FUNDING_HOURLY]! / 1e9 - expected) < RATE_ERROR, `rate ${slots[E.FUNDING_HOURLY]}, expected ${expected}`);
      this.rates++;
    } else if (kind === E.SETTLEMENT_SET && slots[E.SETTLEMENT_EXPIRY] === this.expiry) {
      const samples = this.samples[slots[E.INDEX_UNDERLYING]!]!;
      assert.equal(BigInt(slots[E.SETTLEMENT_VALUE]!), settlementPrice(samples), 'settlement price');
      assert.equal(slots[E.SETTLEMENT_SAMPLES], samples.length);
      this.settled++;
    }
  }
}

/** Ticks of a feed that drifts, jumps, and sometimes jumps again to about the same price; returns how many were used and ignored. */
export function playTicks(seed: number, ticks: number): { used: number; ignored: number } {
  const random = new Random(seed);
  const venue = new TestVenue().open();
  const rule = new IndexRule();
  const count = { used: 0, ignored: 0 };
  let isUsed = false;
  venue.state.events.listener = (kind, slots) => {
    if (kind === E.INDEX_MOVED && slots[E.INDEX_UNDERLYING] === 0) isUsed = slots[E.INDEX_IS_USED] === 1;
  };
  // What the operator has set is in force at once and the whole history of what follows.
  rule.take(venue.state.valuation.index[0]!, venue.now);
  let last = 0;
  for (let tick = 0; tick < ticks; tick++) {
    venue.now += random.pick([500, SECOND, SECOND, 3 * SECOND, 9 * SECOND, 14 * SECOND]);
    const index = venue.state.valuation.index[0]!;
    const price = last > 0 && random.chance(0.25) ? last * (1 + (random.fraction() - 0.5) * 0.08)
      : index * (1 + (random.fraction() - 0.5) * random.pick([0.01, 0.01, 0.08, 0.3]));
    last = Math.round(price);
    venue.venue(venue.write.index(0, last));
    venue.settle();
    assert.equal(isUsed, rule.take(last, venue.now), `tick ${tick} of ${last} at ${venue.now}`);
    count[isUsed ? 'used' : 'ignored']++;
    if (isUsed) last = 0;
  }
  return count;
}
