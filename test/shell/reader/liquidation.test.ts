// The liquidation price of wallets in both margin modes against a dense scan of the index with the formulas written out again: at the
// price equity equals maintenance margin, and nowhere nearer on either side does it cross.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { PORTFOLIO, STANDARD } from '../../../core/accounts/accounts.ts';
import { freshen } from '../../../core/margin/account-margin.ts';
import { DENSE, VENUE17 } from '../../../core/settings.ts';
import { EXPIRED_PENDING_PRICE } from '../../../core/instruments/instruments.ts';
import { PortfolioBodies } from '../../../shell/reader/account/portfolio.ts';
import { Names } from '../../../shell/reader/text.ts';
import { CALL, DAY, Desk, NOW, PERP, PUT } from '../../core/margin/desk.ts';
import { contractValue, DENSE as DENSE_ROWS, VENUE17 as VENUE17_ROWS } from '../../core/margin/scenario-oracle.ts';
import { Random } from '../../sim/random.ts';

const isLong = process.env['STRIKEBOOK_LONG'] === '1';
/** What is lost at the rounding of a price to 1e-6 USDC, of hundreds of contracts. */
const CENT = 0.01;

type Leg = { quantity: number; kind: number; strike: number; days: number; sigma?: number; underlying?: number; isExpired?: boolean };
type Book = { legs: readonly Leg[]; mode: number; preset?: number; index: number; average?: number; excess?: number; cash?: number };
type Position = { symbol: string; liquidation_price: string | null };

/** What one wallet has, on a venue of its own. */
class Stand {
  readonly #desk: Desk;
  readonly #book: Book;
  readonly #account: number;
  #cash: number;

  constructor(book: Book) {
    this.#book = book;
    this.#desk = new Desk(book.preset);
    const slots = book.legs.map(({ kind, strike, days, underlying = 0 }) => this.#desk.list(kind, strike, days, underlying));
    const sigmaOf = (slot: number): number => book.legs[slots.indexOf(slot)]!.sigma ?? 0.6;
    this.#desk.mark(book.index, sigmaOf, NOW, 0, book.average);
    this.#desk.mark(ETHER, sigmaOf, NOW, 1);
    const { accounts, instruments } = this.#desk.state;
    this.#account = this.#desk.account(book.cash ?? 0, book.mode);
    book.legs.forEach(({ quantity, isExpired }, i) => {
      this.#desk.hold(this.#account, slots[i]!, Math.round(quantity * 1e6));
      if (isExpired === true) instruments.status[slots[i]!] = EXPIRED_PENDING_PRICE;
    });
    this.#cash = book.cash ?? 0;
    if (book.excess === undefined) return;
    this.#cash = Math.round((book.excess - this.excess(book.index)) * 1e6) / 1e6;
    accounts.cash[this.#account] = Math.round(this.#cash * 1e6);
  }

  /** As the venue shows it. */
  get price(): number | null {
    const { state } = this.#desk;
    this.#desk.afresh(this.#account);
    freshen(state, this.#account);
    const names = new Names(state);
    const body = new PortfolioBodies(state, names).body(names.wallet(this.#account), NOW).toString();
    const { positions } = JSON.parse(body) as { positions: Position[] };
    const prices = new Set(positions.flatMap((one) => (one.symbol.startsWith('BTC') ? [one.liquidation_price] : [])));
    assert.equal(prices.size, 1, 'the positions of an underlying share one');
    const [price] = [...prices];
    return price === null ? null : Number(price);
  }

  /** Equity less maintenance margin with BTC at this index. */
  excess(index: number): number {
    const { legs, mode } = this.#book;
    const gained = (leg: Leg): number => leg.quantity * (this.#mark(leg, index) - (leg.kind === PERP ? this.#spot(leg) : 0));
    const equity = legs.reduce((sum, leg) => sum + gained(leg), this.#cash);
    if (mode === PORTFOLIO) return equity - 0.8 * this.#requirement(index);
    return equity - legs.reduce((sum, leg) => sum + this.#maintenance(leg, leg.underlying === 1 ? ETHER : index), 0);
  }

  #spot({ underlying }: Leg): number {
    return underlying === 1 ? ETHER : this.#book.index;
  }

  #mark(leg: Leg, index: number): number {
    const at = leg.underlying === 1 ? ETHER : index;
    if (leg.isExpired === true) return this.#value(leg, this.#spot(leg));
    return leg.kind === PERP ? at : this.#value(leg, at);
  }

  #value({ kind, strike, days, sigma, underlying }: Leg, index: number, volatility = sigma ?? 0.6): number {
    const average = underlying === 1 ? 0 : this.#book.average ?? 0;
    return contractValue(kind === CALL, index, strike, NOW + days * DAY, NOW, average, volatility);
  }

  #maintenance(leg: Leg, index: number): number {
    const { kind, quantity } = leg;
    if (kind === PERP) return 0.05 * Math.abs(quantity) * index;
    return Math.max(0, -quantity) * 0.075 * (kind === CALL ? index : Math.max(index, this.#mark(leg, index)));
  }

  #requirement(index: number): number {
    const sums = { scanning: 0, floor: 0, overlay: 0 };
    for (const underlying of [0, 1]) {
      const own = this.#book.legs.filter((leg) => (leg.underlying ?? 0) === underlying);
      const at = underlying === 1 ? ETHER : index;
      sums.scanning += this.#scan(own, at);
      const nets = new Map<string, { days: number; net: number }>();
      for (const { kind, days, quantity } of own) {
        if (kind === PERP) continue;
        const net = (nets.get(`${kind} ${days}`)?.net ?? 0) + quantity;
        nets.set(`${kind} ${days}`, { days, net });
      }
      for (const { days, net } of nets.values()) {
        sums.floor += 0.015 * at * Math.max(0, -net);
        sums.overlay += 0.010 * at * Math.max(0, -net) * this.#ramp(days);
      }
    }
    return Math.max(sums.scanning, sums.floor) + sums.overlay;
  }

  #ramp(days: number): number {
    if (this.#book.preset === VENUE17) return days > 2 ? 0 : 1;
    return Math.max(0, Math.min(1, 3 - days));
  }

  #scan(legs: readonly Leg[], index: number): number {
    const isDense = this.#book.preset !== VENUE17;
    const before = legs.map((leg) => (leg.kind === PERP ? index : this.#value(leg, index)));
    let worst = 0;
    for (const [x, v, weight] of isDense ? DENSE_ROWS : VENUE17_ROWS) {
      const gain = legs.reduce((sum, leg, i) => {
        if (leg.kind === PERP) return sum + leg.quantity * index * x / 100;
        const days = Math.max(1, leg.days);
        const h = isDense ? (30 / days) ** (days < 30 ? 0.30 : 0.13) : 1;
        const sigma = Math.max(isDense && v > 0 ? 0.40 : 0.01, (leg.sigma ?? 0.6) * (1 + v / 100 * h));
        return sum + leg.quantity * (this.#value(leg, index * (1 + x / 100), sigma) - before[i]!);
      }, 0);
      worst = Math.max(worst, -gain * weight);
    }
    return worst;
  }
}

const ETHER = 4_000;

/** Fails where the scan, in steps of `fine` up to 35 % away and of 1 % beyond, knows better; answers the price. */
function checked(book: Book, fine: number): number | null {
  const stand = new Stand(book);
  const { price } = stand;
  const told = JSON.stringify({ ...book, price });
  const side = Math.sign(stand.excess(book.index));
  if (price !== null) {
    assert.ok(price >= 0.01 * book.index && price <= 10 * book.index, told);
    assert.ok(Math.abs(stand.excess(price)) < CENT, `${stand.excess(price)} at the price of ${told}`);
  }
  const reach = price === null ? Infinity : Math.abs(Math.log(price / book.index)) - 1e-9;
  for (const [direction, end] of [[1, Math.log(10)], [-1, -Math.log(0.01)]] as const) {
    for (let away = 0; away < Math.min(reach, end); away += away < 0.35 ? fine : 0.01) {
      const index = book.index * Math.exp(direction * away);
      assert.ok(side * stand.excess(index) > -CENT, `${stand.excess(index)} at ${index} of ${told}`);
    }
  }
  return price;
}

/** The same wallet with the index elsewhere. */
function movedTo(index: number, book: Book): Book {
  return { ...book, index, excess: new Stand(book).excess(index) };
}

const STRADDLE: Book = {
  mode: PORTFOLIO, index: 109_000, excess: 63_000,
  legs: [PUT, CALL].map((kind) => ({ quantity: 33, kind, strike: 98_000, days: 1, sigma: 0.64 })),
};
const HEDGE: Book = {
  mode: STANDARD, index: 100_000, excess: 153_900,
  legs: [{ quantity: 58, kind: CALL, strike: 108_000, days: 1 }, { quantity: -29, kind: PERP, strike: 0, days: 0 }],
};

test('a straddle in portfolio mode is below maintenance near its strike, and not far from it', () => {
  const price = checked(STRADDLE, 0.001)!;
  assert.ok(price > 103_000 && price < 103_100, `${price}`);
  assert.ok(new Stand(STRADDLE).excess(81_738) > 0, 'the band ends above');
  close(checked(movedTo(103_500, STRADDLE), 0.001), price);
});

test('calls against perps in standard mode are below maintenance only in a band around the strike', () => {
  const price = checked(HEDGE, 0.001)!;
  assert.ok(price > 106_200 && price < 106_400, `${price}`);
  assert.ok(new Stand(HEDGE).excess(111_000) > 0, 'the band ends below');
  for (const index of [105_000, 106_000]) close(checked(movedTo(index, HEDGE), 0.001), price);
});

test('an account below maintenance gets the nearer index at which it recovers, or none', () => {
  // In the band of each of the two, nearer to one end of it and to the other.
  const up = checked(movedTo(108_900, HEDGE), 0.001)!;
  assert.ok(up > 109_000 && up < 111_000, `${up}`);
  close(checked(movedTo(106_400, HEDGE), 0.001), checked(HEDGE, 0.001)!);
  close(checked(movedTo(103_000, STRADDLE), 0.001), checked(STRADDLE, 0.001)!);
  const down = checked(movedTo(94_000, STRADDLE), 0.001)!;
  assert.ok(down > 93_000 && down < 94_000, `${down}`);
  for (const mode of [STANDARD, PORTFOLIO]) {
    const short: Book = { mode, index: 100_000, legs: [{ quantity: -1, kind: PUT, strike: 90_000, days: 30 }], excess: -1e6 };
    assert.equal(checked(short, 0.01), null);
  }
});

test('a dip of a hundredth of a percent is found', () => {
  // Short a butterfly in its last half hour: a scenario that hits it takes the more the nearer it comes to the middle strike.
  const legs = ([[-20, 101_900], [40, 102_000], [-20, 102_100]] as const).map(([quantity, strike]) => (
    { quantity, kind: CALL, strike, days: 10 / 1440, sigma: 0.05 }
  ));
  const book: Book = { mode: PORTFOLIO, index: 100_000, average: 100_000, legs };
  const stand = new Stand({ ...book, excess: 0 });
  const around = Array.from({ length: 10_000 }, (_, i) => ({ index: 100_000 + i, excess: stand.excess(100_000 + i) }));
  const { index: lowest, excess: least } = around.reduce((low, one) => (one.excess < low.excess ? one : low));
  assert.equal(checked({ ...book, excess: 10 - least }, 0.001), null);
  const price = checked({ ...book, excess: -10 - least }, 0.0001)!;
  assert.ok(Math.abs(price - lowest) < 10, `${price} is not at ${lowest}`);
});

/** A small book of options of few strikes and expiries, some of them in their last half hour or expired, and of perps. */
function randomBook(random: Random, mode: number): Book {
  const index = 100_000;
  const legs: Leg[] = [];
  const count = 1 + below(random, 5);
  for (let i = 0; i < count; i++) {
    const days = random.pick([10 / 1440, 2 / 24, 1, 2.5, 7, 45]);
    const quantity = (1 + below(random, 40)) * (random.chance(0.5) ? 1 : -1) / 2;
    const kind = random.pick([CALL, CALL, CALL, PUT, PUT, PUT, PERP]);
    if (kind === PERP && !legs.some((leg) => leg.kind === PERP)) legs.push({ quantity, kind, strike: 0, days: 0 });
    else if (kind !== PERP) {
      const strike = 1_000 * (70 + below(random, 60));
      if (legs.some((leg) => leg.kind === kind && leg.strike === strike && leg.days === days)) continue;
      legs.push({ quantity, kind, strike, days, sigma: random.pick([0.1, 0.6, 1.5]) });
    }
  }
  if (random.chance(0.2)) legs.push({ quantity: 1 - 2 * below(random, 2), kind: CALL, strike: 99_000, days: -1 / 24, isExpired: true });
  if (random.chance(0.2)) legs.push({ quantity: -30, kind: CALL, strike: 4_100, days: 2, underlying: 1 });
  if (!legs.some(({ underlying }) => underlying === undefined)) legs.push({ quantity: -1, kind: PERP, strike: 0, days: 0 });
  const excess = (random.chance(0.7) ? 1 : -1) * 10 ** (1 + 5 * below(random, 1_000) / 1_000);
  return { legs, mode, index, excess, average: random.pick([0, 99_000, 100_500]), preset: random.pick([DENSE, VENUE17]) };
}

for (const [mode, name, books] of [[STANDARD, 'standard', 300], [PORTFOLIO, 'portfolio', 25]] as const) {
  test(`property: for random books in ${name} mode the price equals that of the scan`, () => {
    const random = new Random(7);
    const seen = { none: 0, above: 0, below: 0 };
    for (let i = 0; i < (isLong ? 40 : 1) * books; i++) {
      const book = randomBook(random, mode);
      const price = checked(book, 0.002);
      seen[price === null ? 'none' : price > book.index ? 'above' : 'below']++;
    }
    for (const [which, times] of Object.entries(seen)) assert.ok(times > 0, which);
  });
}

function below(random: Random, count: number): number {
  return Math.floor(random.fraction() * count);
}

function close(actual: number | null, expected: number): void {
  assert.ok(actual !== null && Math.abs(actual - expected) < CENT, `${actual} is not ${expected}`);
}
