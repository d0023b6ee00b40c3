// Perps over time: impact prices, premium, the basis of the mark, the hourly rate, its bounds and due times, and the funding
// of all wallets. Expected numbers are computed with BigInt or Math.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { BUY, CONTRACT, HOUR, SECOND, SELL, USDC } from '../../../core/units.ts';
import { FUNDING_RATE } from '../../../core/codec/events.ts';
import { defaultSettings, FUNDING_HOURLY_BOUND, FUNDING_INTEREST, FUNDING_REACH, PREMIUM_BOUND, PREMIUM_INTERVAL, PREMIUM_MEAN_TIME,
} from '../../../core/settings.ts';
import { bestOrder, cancelOrder, createBooks, restOrder } from '../../../core/book/books.ts';
import type { Books } from '../../../core/book/layout.ts';
import { priceKeyOf } from '../../../core/book/price-key.ts';
import { addAccount } from '../../../core/accounts/accounts.ts';
import { payHouse, ROUNDING } from '../../../core/ledger/ledger.ts';
import { wideToBigInt } from '../../../core/ledger/wide.ts';
import { addFunding, pendingFunding, touchFunding } from '../../../core/positions/funding.ts';
import { openHolding } from '../../../core/positions/holdings.ts';
import { hourlyRate, impactPrice, perpsDue, premiumOf, samplePerps } from '../../../core/lifecycle/funding-rate.ts';
import { equityOf, freshen } from '../../../core/margin/account-margin.ts';
import { walletWords } from '../../support/records.ts';
import { Scene } from '../../support/scene.ts';
import { TestVenue } from '../../support/venue.ts';

const NOTIONAL = 20_000 * USDC;
const INDEX = 100_000 * USDC;
const MILLION = 1_000_000n;
const USUAL = { values: defaultSettings() };
/** A full hour. */
const H = Date.UTC(2026, 0, 5, 12);

type Level = { readonly price: number; readonly size: number };

let ids = 0;
function rest(books: Books, instrument: number, side: number, { price, size }: Level): void {
  restOrder(books, instrument, side, priceKeyOf(price * USDC), 0, ++ids, size * CONTRACT);
}

/** A venue whose BTC perp has orders and open interest that belong to no account. */
function perp(at: number, index = INDEX): { venue: TestVenue; slot: number; at: (time: number) => number[][] } {
  const venue = new TestVenue();
  venue.now = at;
  venue.venue(venue.write.index(0, index, 1));
  const { state } = venue;
  const slot = state.instruments.perpOf[0]!;
  state.instruments.openInterest[slot] = CONTRACT;
  const sample = (time: number): number[][] => {
    venue.events = [];
    samplePerps(state, time, null);
    return venue.events.filter(({ kind }) => kind === FUNDING_RATE).map(({ slots }) => [...slots.subarray(1, 5)]);
  };
  return { venue, slot, at: sample };
}

test('impact price: the average price at which 20,000 USDC would fill, within the rounding of doubles', () => {
  const level = fc.record({
    price: fc.integer({ min: 90_000, max: 99_999 }), size: fc.integer({ min: 1, max: 200 }).map((n) => n / 1_000),
  });
  fc.assert(fc.property(fc.array(level, { minLength: 1, maxLength: 30 }), fc.constantFrom(BUY, SELL), (levels, side) => {
    const books = createBooks({ orders: 64, instruments: 2, levelPages: 64 });
    for (const one of levels) rest(books, 1, side, one);
    const found = impactPrice(books, 1, side, NOTIONAL, null);
    const best = [...levels].sort((a, b) => (side === BUY ? b.price - a.price : a.price - b.price));
    // In micros times size units; the size is a fraction with the denominator of the last level's price.
    let left = BigInt(NOTIONAL) * MILLION;
    let taken = 0n;
    for (const { price, size } of best) {
      const cost = BigInt(price) * MILLION * BigInt(Math.round(size * CONTRACT));
      if (cost >= left) {
        const expected = Number(BigInt(NOTIONAL) * MILLION * BigInt(price) * MILLION * 1_000_000_000n
          / (taken * BigInt(price) * MILLION + left)) / 1e9;
        assert.ok(Math.abs(found - expected) <= expected * 4e-16 * levels.length, `${found} for ${expected}`);
        return;
      }
      left -= cost;
      taken += BigInt(Math.round(size * CONTRACT));
    }
    assert.equal(found, 0, 'the side cannot fill the notional');
  }));
});

test('impact price: it exists if a side holds exactly the notional, and not if the side holds one size unit less', () => {
  for (const [side, size, expected] of [[BUY, 0.2, 100_000], [SELL, 0.2, 100_000], [BUY, 0.199_999, 0], [SELL, 0.199_999, 0]] as const) {
    const books = createBooks({ orders: 64, instruments: 2, levelPages: 64 });
    rest(books, 1, side, { price: 100_000, size });
    assert.equal(impactPrice(books, 1, side, NOTIONAL, null), expected * USDC);
  }
});

test('impact price: only the first 1,024 levels of a side count', () => {
  for (const [dust, expected] of [[1_023, 1], [1_024, 0]] as const) {
    const books = createBooks({ orders: 2_048, instruments: 2, levelPages: 2_048 });
    for (let i = 0; i < dust; i++) rest(books, 0, BUY, { price: 99_999 - i, size: 0.000_001 });
    rest(books, 0, BUY, { price: 90_000, size: 1 });
    assert.equal(Math.sign(impactPrice(books, 0, BUY, NOTIONAL, null)), expected);
  }
});

test('premium: the distance of impact prices from the index, at most 0.5 %; a missing side counts as the index', () => {
  const at = (bid: number, ask: number): number => premiumOf(USUAL, INDEX, bid * USDC, ask * USDC);
  assert.equal(at(99_900, 100_100), 0, 'the index is between the impact prices');
  assert.equal(at(100_100, 100_200), 1_000_000, '0.1 %');
  assert.equal(at(99_700, 99_800), -2_000_000, '-0.2 %');
  assert.equal(at(100_100, 0), 1_000_000);
  assert.equal(at(0, 99_800), -2_000_000);
  assert.equal(at(0, 0), 0);
  assert.equal(at(101_000, 102_000), 5_000_000);
  assert.equal(at(98_000, 99_000), -5_000_000);
  assert.equal(premiumOf(USUAL, 3 * USDC, 3 * USDC + 1, 4 * USDC), 333, 'to the nearest 1e-9');
});

test('hourly rate: an eighth of the premium, after moving it towards 0.01 % by at most 0.05 %; bounded by 0.1 %', () => {
  const rate = (premium: number): number => hourlyRate(USUAL, premium * HOUR);
  assert.equal(rate(0), 12_500, 'no premium: 0.01 % in 8 hours');
  assert.equal(rate(600_000), 12_500, 'the largest premium that moves all the way to 0.01 %');
  assert.equal(rate(-400_000), 12_500);
  assert.equal(rate(600_008), 12_501);
  assert.equal(rate(5_000_000), 562_500);
  assert.equal(rate(-5_000_000), -562_500);
  assert.equal(rate(1e9), 1_000_000);
  assert.equal(rate(-1e9), -1_000_000);
  fc.assert(fc.property(fc.integer({ min: -3_600_000_000, max: 3_600_000_000 }), (sum) => {
    const premium = Math.floor(sum / 720 + 0.5);
    const eight = premium + Math.max(-5e5, Math.min(5e5, 1e5 - premium));
    assert.equal(hourlyRate(USUAL, sum * 5 * SECOND), Math.max(-1e6, Math.min(1e6, Math.floor(eight / 8 + 0.5))));
  }));
});

test('mark: every 5 s the 30 s mean of the basis follows the middle of the impact prices, bounded by 0.5 %', () => {
  const { venue, slot, at } = perp(H);
  const { books, perps, valuation } = venue.state;
  let expected = 0;
  let time = H;
  const follow = (middle: number, samples: number): void => {
    for (let i = 0; i < samples; i++) {
      at(time += 5 * SECOND);
      expected = Math.round(expected + (1 - Math.exp(-1 / 6)) * (middle - expected));
      assert.ok(Math.abs(perps.distance[0]! - expected) <= 1, `${perps.distance[0]} for ${expected}`);
      assert.equal(valuation.basis[0], perps.distance[0]);
    }
  };
  rest(books, slot, BUY, { price: 100_200, size: 1 });
  follow(0, 3);
  rest(books, slot, SELL, { price: 100_400, size: 1 });
  follow(3e6, 12);
  assert.equal(at(time + SECOND).length, 0);
  assert.equal(perps.next[0], time + 5 * SECOND, 'no sample in between');
  rest(books, slot, BUY, { price: 100_300, size: 1 });
  follow(3.5e6, 5);
  rest(books, slot, BUY, { price: 109_000, size: 1 });
  // A middle of 4.7 % counts as 0.5 %, so that the mean returns from it as fast as it goes there.
  follow(5e6, 6);
  assert.ok(valuation.basis[0]! < 4.6e6);
  follow(5e6, 90);
  assert.ok(valuation.basis[0]! >= 5e6 - 10);
});

test('hour: funding is the mean of 720 samples, with that at the full hour, times the index, paid once', () => {
  const { venue, slot, at } = perp(H);
  const { books, funding } = venue.state;
  const taken = (from: number, to: number): number[][] => {
    const rates: number[][] = [];
    for (let time = from; time <= to; time += 5 * SECOND) rates.push(...at(time));
    return rates;
  };
  // The sample at H belongs to the hour before, and is the only one of that hour.
  assert.deepEqual(taken(H, H), [[slot, 12_500, INDEX, 1_250_000_000]]);
  assert.deepEqual(taken(H + 5 * SECOND, H + HOUR / 2), []);
  rest(books, slot, BUY, { price: 100_400, size: 1 });
  assert.deepEqual(taken(H + HOUR / 2 + 5 * SECOND, H + HOUR - 5 * SECOND), []);
  // 360 samples of 0.4 %: 0.2 % in the mean, 0.15 % in 8 hours.
  const [row] = taken(H + HOUR, H + HOUR);
  assert.deepEqual(row, [slot, 187_500, INDEX, 1_250_000_000 + 18_750_000_000]);
  assert.equal(funding.cumulative[slot], 20_000_000_000, 'nano-USDC a contract: 20 USDC');
  assert.deepEqual(taken(H + HOUR + 5 * SECOND, H + 2 * HOUR - 5 * SECOND), []);
  const [full] = taken(H + 2 * HOUR, H + 2 * HOUR);
  assert.deepEqual(full!.slice(1, 2), [437_500], '720 samples of 0.4 %');
});

test('settings: bounds, interval and mean time are settings, and a new interval applies within the hour', () => {
  const values = defaultSettings();
  values[PREMIUM_BOUND] = 20_000;
  values[FUNDING_INTEREST] = 0;
  values[FUNDING_REACH] = 1_000;
  values[FUNDING_HOURLY_BOUND] = 500;
  assert.equal(premiumOf({ values }, INDEX, 101_500 * USDC, 0), 15_000_000);
  assert.deepEqual([0, 1e6, 3e6, 2e7].map((premium) => hourlyRate({ values }, premium * HOUR)), [0, 0, 250_000, 500_000]);

  const { venue, slot, at } = perp(H);
  const { books, perps, settings } = venue.state;
  rest(books, slot, BUY, { price: 100_400, size: 1 });
  rest(books, slot, SELL, { price: 100_400, size: 1 });
  at(H);
  for (let time = H + 5 * SECOND; time <= H + HOUR / 4; time += 5 * SECOND) at(time);
  settings.values[PREMIUM_INTERVAL] = 20 * SECOND;
  settings.values[PREMIUM_MEAN_TIME] = 40 * SECOND;
  const before = perps.distance[0]!;
  at(H + HOUR / 4 + 20 * SECOND);
  assert.equal(perps.distance[0], Math.round(before + (1 - Math.exp(-0.5)) * (4e6 - before)));
  assert.equal(perps.next[0], H + HOUR / 4 + 40 * SECOND);
  for (let time = H + HOUR / 4 + 40 * SECOND; time < H + HOUR; time += 20 * SECOND) at(time);
  assert.deepEqual(at(H + HOUR)[0]!.slice(1, 2), [437_500], 'the whole hour at 0.4 %');
});

test('hour: there is no funding without open interest, with a stale index or after sleep through the next hour', () => {
  const start = (): ReturnType<typeof perp> => {
    const one = perp(H + HOUR - 10 * SECOND);
    assert.deepEqual(one.at(H + HOUR - 5 * SECOND), []);
    return one;
  };
  const sold = start();
  sold.venue.state.instruments.openInterest[sold.slot] = 0;
  rest(sold.venue.state.books, sold.slot, BUY, { price: 99_000, size: 1 });
  assert.deepEqual(sold.at(H + HOUR), []);
  const stale = start();
  stale.venue.state.valuation.indexFlags[0] = 2;
  assert.deepEqual(stale.at(H + HOUR), []);
  stale.venue.state.valuation.indexFlags[0] = 1;
  assert.deepEqual(stale.at(H + HOUR + 5 * SECOND), [], 'not paid later either');
  const late = start();
  assert.deepEqual(late.at(H + HOUR + 7 * SECOND).length, 1, 'a late tick still pays the hour');
  assert.equal(late.venue.state.perps.hour[0], H + 2 * HOUR, 'the sample of that tick belongs to the next hour');
  assert.deepEqual(start().at(H + 2 * HOUR - 1).length, 1);
  assert.deepEqual(start().at(H + 2 * HOUR).length, 1, 'funding of the hour that ends now, not of the one before');
  const slept = start();
  assert.deepEqual(slept.at(H + 2 * HOUR + 5 * SECOND), []);
  assert.deepEqual(slept.at(H + 3 * HOUR - 5 * SECOND), []);
  assert.equal(slept.at(H + 3 * HOUR).length, 1, 'later hours are paid again');
});

test('a stale index gives no sample; missing samples count as 0', () => {
  const { venue, slot, at } = perp(H);
  rest(venue.state.books, slot, BUY, { price: 100_400, size: 1 });
  at(H);
  venue.state.valuation.indexFlags[0] = 2;
  for (let time = H + 5 * SECOND; time <= H + HOUR / 2; time += 5 * SECOND) at(time);
  assert.equal(venue.state.perps.premium[0], 0);
  venue.state.valuation.indexFlags[0] = 1;
  at(H + HOUR / 2 + 5 * SECOND);
  assert.equal(venue.state.perps.premium[0], 4_000_000 * 5 * SECOND);
  assert.equal(at(H + HOUR)[0]![1], hourlyRate(USUAL, 8_000_000 * 5 * SECOND), 'two samples of 720');
});

test('idle: a perp without open interest and orders needs no ticks once its mark is the index', () => {
  const { venue, slot, at } = perp(H - 5 * SECOND);
  const { books, instruments, valuation } = venue.state;
  instruments.openInterest[slot] = 0;
  assert.equal(perpsDue(venue.state), Infinity);
  rest(books, slot, BUY, { price: 100_200, size: 1 });
  rest(books, slot, SELL, { price: 100_400, size: 1 });
  assert.ok(perpsDue(venue.state) < H, 'at once');
  at(H - 5 * SECOND + 1);
  assert.equal(perpsDue(venue.state), H);
  assert.equal(valuation.basis[0], 0, 'an order between two samples causes no sample');
  at(H + 1);
  assert.ok(valuation.basis[0]! > 0);
  for (const side of [BUY, SELL]) cancelOrder(books, bestOrder(books, slot, side));
  assert.equal(perpsDue(venue.state), H + 5 * SECOND);
  at(H + 5 * SECOND);
  assert.equal(valuation.basis[0], 0);
  assert.equal(perpsDue(venue.state), Infinity);
});

test('idle: a perp with asks only is not idle; after an idle time the mean starts from the index again', () => {
  const { venue: { state: { books, instruments, perps, valuation } }, slot, at } = perp(H);
  const quote = (): void => [BUY, SELL].forEach((side) => rest(books, slot, side, { price: 100_300, size: 1 }));
  quote();
  at(H);
  const first = valuation.basis[0]!;
  instruments.openInterest[slot] = 0;
  cancelOrder(books, bestOrder(books, slot, BUY));
  at(H + 5 * SECOND);
  assert.equal(perps.next[0], H + 10 * SECOND, 'an ask alone keeps the samples coming');
  cancelOrder(books, bestOrder(books, slot, SELL));
  at(H + 10 * SECOND);
  assert.deepEqual([valuation.basis[0], perps.next[0]], [0, 0]);
  quote();
  at(H + 15 * SECOND);
  assert.ok(first > 0 && valuation.basis[0] === first);
});

test('idle: an hour that has begun ends on time, even if the perp is idle by then', () => {
  const { venue, slot, at } = perp(H);
  const { books, instruments, perps } = venue.state;
  rest(books, slot, BUY, { price: 100_200, size: 1 });
  at(H + 5 * SECOND);
  cancelOrder(books, bestOrder(books, slot, BUY));
  instruments.openInterest[slot] = 0;
  at(H + 10 * SECOND);
  assert.deepEqual([perps.hour[0], perpsDue(venue.state)], [H + HOUR, H + HOUR]);
  assert.deepEqual(at(H + HOUR), [], 'no open interest');
  assert.deepEqual([perps.hour[0], perps.premium[0], perpsDue(venue.state)], [0, 0, Infinity]);
});

test('a position that is opened after an hour neither pays nor receives the funding of that hour', () => {
  const scene = new Scene();
  const perps = { slot: scene.state.instruments.perpOf[0]! };
  scene.now = H - 20 * 60 * SECOND;
  scene.settle();
  for (const [buyer, seller] of [[1, 2], [2, 1]] as const) {
    assert.equal(scene.sell(seller, 100_000, 1, perps), 0);
    assert.equal(scene.buy(buyer, 100_000, 1, perps), 0);
    scene.advance(60 * SECOND);
  }
  while (scene.now < H + 20 * 60 * SECOND) scene.advance(60 * SECOND);
  scene.now += 3 * 60 * SECOND;
  assert.equal(scene.sell(3, 100_000, 1, perps), 0);
  assert.equal(scene.buy(4, 100_000, 1, perps), 0);
  scene.settle();
  assert.deepEqual(scene.emitted(FUNDING_RATE, 1), []);
  assert.equal(scene.state.funding.cumulative[perps.slot], 0);
});

test('funding of all wallets and its rounding sum to exactly 0, and each wallet is off by less than a micro a posting', () => {
  const round = fc.record({
    positions: fc.array(fc.integer({ min: -5_000_000_000, max: 5_000_000_000 }), { minLength: 1, maxLength: 8 }),
    hours: fc.array(fc.record({
      amount: fc.integer({ min: -60_000_000_000, max: 60_000_000_000 }), touched: fc.array(fc.nat(8), { maxLength: 4 }),
    }), { minLength: 1, maxLength: 12 }),
  });
  fc.assert(fc.property(round, ({ positions, hours }) => {
    const { state } = new TestVenue();
    const { accounts, funding, holdings, ledger } = state;
    const slot = state.instruments.perpOf[0]!;
    const held = [...positions, -positions.reduce((sum, one) => sum + one, 0)];
    const rows = held.map((position, i) => {
      const row = openHolding(holdings, accounts, addAccount(accounts, walletWords(i), 0, 0), slot);
      holdings.position[row] = position;
      return row;
    });
    const postings = held.map(() => 0);
    const touch = (i: number): void => {
      payHouse(ledger, accounts, holdings.account[rows[i]!]!, ROUNDING, pendingFunding(funding, holdings, rows[i]!));
      touchFunding(funding, holdings, rows[i]!);
      assert.equal(pendingFunding(funding, holdings, rows[i]!), 0);
      postings[i]!++;
    };
    for (const { amount, touched } of hours) {
      assert.ok(addFunding(funding, slot, amount));
      for (const i of touched) if (i < held.length) touch(i);
    }
    held.forEach((_, i) => touch(i));
    const owed = BigInt(funding.cumulative[slot]!);
    let all = wideToBigInt(ledger.house, ROUNDING);
    assert.ok(all >= 0n && all <= postings.reduce((sum, count) => sum + BigInt(count), 0n), 'left over');
    held.forEach((position, i) => {
      const cash = BigInt(accounts.cash[i]!);
      all += cash;
      // In 1e-9 micros: the wallet has paid what its position owes, rounded up at each posting.
      const over = -cash * 1_000_000_000n - BigInt(position) * owed;
      assert.ok(over >= 0n && over < BigInt(postings[i]!) * 1_000_000_000n);
    });
    assert.equal(all, 0n);
  }), { numRuns: 60 });
});

test('funding: a payment that would take the cumulative sum out of its exact range is not made', () => {
  const { venue, slot, at } = perp(H - 5 * SECOND, 1e15);
  const { funding } = venue.state;
  funding.cumulative[slot] = 2 ** 52 - 1;
  assert.deepEqual(at(H), []);
  assert.equal(funding.cumulative[slot], 2 ** 52 - 1);
  assert.equal(addFunding(funding, slot, Infinity), false);
  assert.equal(addFunding(funding, slot, 1), true);
});

test('funding of traded perps: equity of each holder changes at the hour, and cash by the same amount at the next trade', () => {
  const scene = new Scene();
  const slot = scene.state.instruments.perpOf[0]!;
  const perps = { slot };
  const equity = (wallet: number): number => {
    freshen(scene.state, scene.account(wallet));
    return equityOf(scene.state, scene.account(wallet));
  };
  scene.now = H - 20 * SECOND;
  scene.settle();
  assert.equal(scene.sell(1, 100_000, 1.5, perps), 0);
  assert.equal(scene.buy(2, 100_000, 0.5, perps), 0);
  assert.equal(scene.buy(3, 100_000, 1, perps), 0);
  scene.advance(SECOND);
  const before = [1, 2, 3].map((wallet) => [scene.cash(wallet), equity(wallet)] as const);
  const rates: number[][] = [];
  const listener = scene.state.events.listener!;
  scene.state.events.listener = (kind, f) => {
    listener(kind, f);
    if (kind === FUNDING_RATE) rates.push([...f.subarray(1, 5)]);
  };
  while (scene.now < H) scene.advance(SECOND);
  assert.deepEqual(rates, [[slot, 12_500, INDEX, 1_250_000_000]]);
  // 0.00125 % of the index is 1.25 USDC a contract; the book is empty, so the mark is the index.
  const paid = [-1_875_000, 625_000, 1_250_000];
  assert.deepEqual([1, 2, 3].map((wallet, i) => equity(wallet) - before[i]![1]), paid.map((one) => -one));
  assert.deepEqual([1, 2, 3].map((wallet) => scene.cash(wallet)), before.map(([cash]) => cash), 'cash is unchanged until the next trade');
  assert.equal(scene.buy(1, 100_000, 1.5, perps), 0);
  assert.equal(scene.sell(2, 100_000, 0.5, perps), 0);
  assert.equal(scene.sell(3, 100_000, 1, perps), 0);
  assert.deepEqual([1, 2, 3].map((wallet, i) => scene.cash(wallet) - before[i]![0]), paid.map((one) => -one));
  assert.equal(wideToBigInt(scene.state.ledger.house, ROUNDING), 0n);
  assert.equal(scene.held(1, slot), undefined);
});
