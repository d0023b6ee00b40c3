// Payouts of an expiry: exact, with a sum of zero, paid once, with a snapshot at any step; fees; the operator's settlement price;
// balances at the end of their range. Expected amounts are BigInt.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { MINUTE, SECOND, USDC } from '../../../core/units.ts';
import * as C from '../../../core/errors.ts';
import { CALL, FLAG_INDEX_AGELESS, PUT } from '../../../core/codec/commands.ts';
import { INSTRUMENT_SETTLED, POSITION_SETTLED, SETTLEMENT_SET } from '../../../core/codec/events.ts';
import { createState } from '../../../core/engine/state.ts';
import { addAccount } from '../../../core/accounts/accounts.ts';
import { FEES, ROUNDING } from '../../../core/ledger/ledger.ts';
import { addWide, wideToBigInt } from '../../../core/ledger/wide.ts';
import { openHolding } from '../../../core/positions/holdings.ts';
import { defaultSettings, SETTLEMENT_FEE } from '../../../core/settings.ts';
import { SMALL } from '../../../core/limits.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { settlementRecord } from '../../../shell/process/venue-commands.ts';
import { audit, moneyInAll } from '../../sim/auditor.ts';
import { walletWords } from '../../support/records.ts';
import { Scene } from '../../support/scene.ts';
import { hashOf, START, TestVenue } from '../../support/venue.ts';

const EXPIRY = START + 480 * MINUTE;
const MILLION = 1_000_000n;

type Held = { readonly slot: number; readonly position: number; readonly cash?: number };
type Payout = {
  account: number; slot: number; id: number; position: number; price: number; value: number; cost: number; net: number; fee: number;
  cash: number;
};

/** The first expiry of BTC waits for its price; nobody has traded. */
const pending = (() => {
  const venue = new TestVenue().open();
  venue.venue(venue.write.index(0, 100_000 * USDC));
  venue.now = EXPIRY;
  venue.settle();
  return { venue, source: copyOf(venue.state), slots: venue.slots((one) => one.underlying === 'BTC' && one.expiry === EXPIRY) };
})();

function contractOf(wanted: number, strike: number): number {
  return pending.slots.find((slot) => {
    const contract = pending.venue.contract(slot);
    return contract.kind === wanted && contract.strike === strike * USDC;
  })!;
}

/** A copy of that venue with positions written directly, each in its own account; cash comes from the faucet. */
function holding(held: readonly Held[]): { venue: TestVenue; payouts: Payout[] } {
  const state = createState(SMALL);
  restoreState(state, pending.source);
  const { accounts, holdings, instruments, ledger } = state;
  held.forEach(({ slot, position, cash = 0 }, i) => {
    const account = addAccount(accounts, walletWords(i), 0, START);
    const row = openHolding(holdings, accounts, account, slot);
    holdings.position[row] = position;
    holdings.cost[row] = Math.round(position / 7);
    accounts.positions[account] = 1;
    accounts.cash[account] = cash;
    addWide(ledger.house, 0, -cash);
    instruments.openInterest[slot]! += Math.max(0, position);
  });
  // No listing reuses a settled contract's slot before the test has read it.
  state.schedule.listing.fill(EXPIRY + 1_440 * MINUTE);
  const venue = new TestVenue({ state });
  venue.now = EXPIRY + SECOND;
  const payouts: Payout[] = [];
  venue.state.events.listener = (kind, f) => {
    venue.events.push({ kind, slots: f.slice() });
    if (kind !== POSITION_SETTLED) return;
    const at = (word: number): number => f[word]!;
    payouts.push({
      account: at(1), slot: at(2), id: at(3), position: at(4), price: at(5), value: at(6), cost: at(7), net: at(8), fee: at(9),
      cash: at(10),
    });
  };
  return { venue, payouts };
}

/** Sends the operator's settlement price; returns the result code. */
function decide(venue: TestVenue, price: number, expiry = EXPIRY, underlying = 0): number {
  venue.venue(settlementRecord(underlying, expiry, price));
  return venue.state.result.code;
}

/** Value of one contract, price units. */
function intrinsic(venue: TestVenue, slot: number, price: number): bigint {
  const { strike, kind } = venue.contract(slot);
  return BigInt(Math.max(0, kind === CALL ? price - strike : strike - price));
}

/** n / d to the nearest, a half up. */
function rounded(n: bigint, d: bigint): bigint {
  const doubled = 2n * n + d;
  const floor = doubled / (2n * d);
  return doubled % (2n * d) < 0n ? floor - 1n : floor;
}

/** Positions in a few contracts that add up to 0 in each. */
const size = fc.oneof(fc.integer({ min: -3_000_000, max: 3_000_000 }), fc.integer({ min: -1e10, max: 1e10 }));
const books = fc.array(fc.record({
  pick: fc.nat(200), sizes: fc.array(size, { minLength: 1, maxLength: 12 }),
}), { minLength: 1, maxLength: 4 }).map((list) => {
  const held: Held[] = [];
  for (const [slot, sizes] of new Map(list.map(({ pick, sizes: all }) => [pending.slots[pick % pending.slots.length]!, all]))) {
    for (const position of [...sizes, -sizes.reduce((sum, one) => sum + one, 0)]) if (position !== 0) held.push({ slot, position });
  }
  return held;
});

test('payouts: for each contract they sum to exactly 0, and each is within a micro of its exact value', () => {
  fc.assert(fc.property(books, fc.integer({ min: 60_000_000_000, max: 140_000_000_000 }), (held, price) => {
    const { venue, payouts } = holding(held);
    assert.equal(decide(venue, price), C.OK);
    venue.settle();
    assert.equal(payouts.length, held.length);
    const running = new Map<number, bigint>();
    const sums = new Map<number, bigint>();
    payouts.forEach((one, i) => {
      assert.deepEqual([one.id, one.price, one.position], [i + 1, price, held[one.account]!.position]);
      const before = running.get(one.slot) ?? 0n;
      const value = intrinsic(venue, one.slot, price);
      const after = before + BigInt(one.position) * value;
      assert.equal(BigInt(one.value), rounded(after, MILLION) - rounded(before, MILLION));
      const off = BigInt(one.value) * MILLION - BigInt(one.position) * value;
      assert.ok(off < MILLION && -off < MILLION);
      assert.equal(one.net, one.value - one.cost);
      assert.equal(one.cash, one.value, 'all accounts had no cash');
      assert.equal(venue.state.accounts.cash[one.account], one.value);
      running.set(one.slot, after);
      sums.set(one.slot, (sums.get(one.slot) ?? 0n) + BigInt(one.value));
    });
    for (const sum of sums.values()) assert.equal(sum, 0n);
    assert.equal(moneyInAll(venue.state), 0n);
    assert.equal(wideToBigInt(venue.state.ledger.house, ROUNDING), 0n);
    audit(venue.state);
    for (const slot of pending.slots) {
      assert.equal(venue.state.instruments.status[slot], 3);
      assert.equal(venue.state.instruments.openInterest[slot], 0);
      assert.equal(venue.state.settlement.rest[slot], 0);
    }
  }), { numRuns: 60 });
});

test('payouts: paid once, in steps of at most 256, and a core restored at any step ends in the same state', () => {
  const [first, second] = pending.slots as [number, number];
  const held = Array.from({ length: 700 }, (_, i): Held => (
    { slot: i % 2 === 0 ? first : second, position: (i % 4 < 2 ? 1 : -1) * (333_333 + i - i % 4) }
  ));
  const { venue, payouts } = holding(held);
  assert.equal(decide(venue, 91_234_567_891), C.OK);
  const copies: ReturnType<typeof copyOf>[] = [];
  for (let steps = 0; ; steps++) {
    copies.push(copyOf(venue.state));
    const before = payouts.length;
    if (!runDue(venue.sequencer, venue.now)) break;
    assert.ok(payouts.length - before <= 256);
    assert.ok(steps < 100, 'steps, with those of marks');
    audit(venue.state);
  }
  assert.ok(copies.length > 4);
  assert.equal(new Set(payouts.map(({ account, slot }) => `${account}/${slot}`)).size, held.length);
  for (const copy of copies) {
    const state = createState(SMALL);
    restoreState(state, copy);
    const again = new TestVenue({ state });
    again.now = venue.now;
    again.settle();
    assert.equal(hashOf(again.state), hashOf(venue.state));
  }
  const settled = venue.events.filter(({ kind }) => kind === INSTRUMENT_SETTLED).map(({ slots }) => slots[1]!);
  assert.deepEqual(settled, pending.slots, 'each contract of the expiry once');
  const cash = [...venue.state.accounts.cash.subarray(0, 700)];
  assert.equal(decide(venue, 91_234_567_891), C.NOT_PENDING_PRICE);
  venue.settle();
  assert.deepEqual([...venue.state.accounts.cash.subarray(0, 700)], cash);
});

test('the operator’s price: accepted once, and only for an expiry that waits for its price', () => {
  const { venue } = holding([]);
  assert.equal(decide(venue, 95_000 * USDC, EXPIRY, 1), C.NOT_PENDING_PRICE, 'ETH has a settlement price');
  assert.equal(decide(venue, 95_000 * USDC, EXPIRY, 9), C.NOT_PENDING_PRICE);
  assert.equal(decide(venue, 95_000 * USDC, EXPIRY + 1_440 * MINUTE), C.NOT_PENDING_PRICE, 'not expired');
  assert.equal(decide(venue, 95_000 * USDC, 0), C.NOT_PENDING_PRICE, 'perps');
  for (const price of [0, -1, 1.5, NaN, 1e15 + 1]) assert.equal(decide(venue, price), C.INVALID_PRICE);
  assert.equal(decide(venue, 95_000 * USDC), C.OK);
  const set = venue.events.filter(({ kind }) => kind === SETTLEMENT_SET).map(({ slots }) => [...slots.subarray(1, 5)]);
  assert.deepEqual(set, [[0, EXPIRY, 95_000 * USDC, 0]]);
  assert.equal(decide(venue, 96_000 * USDC), C.NOT_PENDING_PRICE, 'the expiry has a price now');
  venue.settle();
  assert.equal(venue.state.settlement.price[pending.slots[0]!], 95_000 * USDC);
});

test('the operator’s price: refused until the last contract of the expiry has stopped trading', () => {
  const scene = new Scene();
  scene.venue(scene.write.index(0, 100_000 * USDC));
  const [last] = scene.slots((one) => one.underlying === 'BTC' && one.expiry === EXPIRY).slice(-1);
  for (let i = 0; i < 150; i++) assert.equal(scene.buy(i % 3, 1, 1, { slot: last! }), C.OK);
  scene.now = EXPIRY;
  const { status } = scene.state.instruments;
  const waiting = (): boolean => status[pending.slots[0]!] === 2;
  while (!waiting()) assert.ok(runDue(scene.sequencer, scene.now));
  assert.equal(status[last!], 1, 'the last contract still has orders to cancel');
  assert.equal(decide(scene, 95_000 * USDC), C.NOT_PENDING_PRICE);
  scene.settle();
  assert.equal(decide(scene, 95_000 * USDC), C.OK);
});

test('marks: an expired contract is marked with the mean of its samples, then with its settlement price', () => {
  const venue = new TestVenue().open();
  venue.venue(venue.write.index(0, 100_000 * USDC));
  venue.now = EXPIRY - 2 * SECOND;
  venue.venue(venue.write.index(0, 98_000 * USDC));
  venue.settle();
  const vintage = venue.state.valuation.counters[0]!;
  venue.now = EXPIRY - 500;
  venue.venue(venue.write.index(0, 96_500 * USDC));
  venue.settle();
  venue.now = EXPIRY;
  venue.settle();
  // Two seconds at 98,000, one at 96,500.
  const mean = 97_500_000_000;
  for (const slot of pending.slots) {
    const { strike, kind } = venue.contract(slot);
    assert.equal(venue.mark(slot), Math.max(0, kind === CALL ? mean - strike : strike - mean));
  }
  assert.ok(venue.state.valuation.counters[0]! > vintage, 'accounts are recomputed');
  assert.equal(decide(venue, 70_000 * USDC), C.OK);
  for (const slot of pending.slots) assert.equal(BigInt(venue.mark(slot)), intrinsic(venue, slot, 70_000 * USDC));
});

test('fees: contracts in the money pay a rate of the notional, at most an eighth of the value, to the fee account', () => {
  const settings = defaultSettings();
  settings[SETTLEMENT_FEE] = 150;
  const near = contractOf(CALL, 100_000);
  const far = contractOf(CALL, 90_000);
  const out = contractOf(PUT, 90_000);
  const held: Held[] = [near, far, out].flatMap((slot) => [1_234_567, -1_234_567].map((position) => ({ slot, position, cash: USDC })));
  const { venue, payouts } = holding(held);
  venue.venue(venue.write.configure(settings));
  assert.equal(decide(venue, 100_010 * USDC), C.OK);
  venue.settle();
  // 0.00015 of 1.234567 * 100,010 is 18.52035686...; 10 USDC a contract bring 12.34567, an eighth is 1.54320875.
  const notional = 1_234_567n * 100_010n * MILLION / MILLION;
  const whole = Number((notional * 150n + MILLION - 1n) / MILLION);
  assert.deepEqual(payouts.map(({ fee }) => fee), [1_543_209, 1_543_209, whole, whole, 0, 0]);
  for (const { account, value, fee, net, cost, cash } of payouts) {
    assert.equal(net, value - cost - fee);
    assert.equal(cash, USDC + value - fee);
    assert.equal(venue.state.accounts.cash[account], cash);
  }
  assert.equal(wideToBigInt(venue.state.ledger.house, FEES), BigInt(2 * (1_543_209 + whole)));
  assert.equal(moneyInAll(venue.state), 0n);
});

test('if a payout would take a balance out of its exact range, the balance gets what it can hold and no money is lost', () => {
  const slot = contractOf(CALL, 90_000);
  const most = Number.MAX_SAFE_INTEGER;
  const { venue, payouts } = holding([
    { slot, position: 5_000_000, cash: most - 7 }, { slot, position: -5_000_000, cash: 7 - most }, { slot, position: 9e14 },
    { slot, position: -9e14 },
  ]);
  assert.equal(decide(venue, 1e15), C.OK);
  venue.settle();
  assert.deepEqual(payouts.map(({ cash }) => cash), [most, -most, most, -most]);
  assert.equal(moneyInAll(venue.state), 0n);
  assert.equal(venue.state.accounts.positions[2], 0);
  assert.equal(venue.state.instruments.openInterest[slot], 0);
});

test('a traded expiry settles without the operator at the mean of its window; cash, cost and profit agree', () => {
  const scene = new Scene();
  const strike = scene.contract(scene.atm).strike;
  scene.sell(1, 2_000, 3);
  scene.buy(2, 2_000, 1.5);
  scene.buy(3, 2_000, 1.5);
  scene.sell(3, 1_000, 1);
  scene.buy(4, 1_000, 1);
  scene.now = EXPIRY - 30 * MINUTE;
  scene.settle();
  scene.venue(scene.write.index(0, 103_000 * USDC, FLAG_INDEX_AGELESS));
  const before = new Map([1, 2, 3, 4].map((wallet) => [wallet, scene.cash(wallet)]));
  const net = new Map<number, number>();
  scene.state.events.listener = (kind, f) => {
    if (kind === POSITION_SETTLED) net.set(f[1]!, f[8]!);
  };
  scene.now = EXPIRY;
  scene.settle();
  audit(scene.state);
  const each = 103_000 * USDC - strike;
  assert.deepEqual([1, 2, 3, 4].map((wallet) => scene.cash(wallet) - before.get(wallet)!), [-3 * each, 1.5 * each, 0.5 * each, each]);
  assert.deepEqual([1, 2, 3, 4].map((wallet) => net.get(scene.account(wallet))), [
    -3 * each + 6_000 * USDC, 1.5 * each - 3_000 * USDC, 0.5 * each - 1_000 * USDC, each - 1_000 * USDC,
  ]);
  assert.equal(scene.held(1), undefined);
  assert.equal(hashOf(scene.replay()), scene.hash());
});
