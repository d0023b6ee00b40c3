// in_liquidation, portfolio mode: positions that hold each other's requirement down. No leg frees anything by itself, all of
// them together free what each of them is closed by. Maintenance is all of the initial margin here, so that an account is
// closed until it has that.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BUY, CONTRACT, SELL, USDC } from '../../../core/units.ts';
import { CALL, PERP, PUT } from '../../../core/codec/commands.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { FILL, FILL_INSTRUMENT, FILL_SIZE, TAKEN_OVER } from '../../../core/codec/events.ts';
import { freshen, positionInitialOf } from '../../../core/margin/account-margin.ts';
import { freedBy } from '../../../core/margin/freed.ts';
import { LIQUIDATION_WAIT, MAINTENANCE_PART, PPM } from '../../../core/settings.ts';
import { findHolding } from '../../../core/positions/holdings.ts';
import { fiveFigures } from '../../sim/draw.ts';
import { Pit } from './pit.ts';

type Leg = { readonly slot: number; readonly size: number };

/** Wallet 1 is hedged and in liquidation; wallets 3 and 4 are there to quote. */
class Hedged extends Pit {
  constructor(legs: (pit: Pit) => readonly Leg[]) {
    super({ balance: 100_000, set: [[MAINTENANCE_PART, PPM], [LIQUIDATION_WAIT, 0]] });
    for (const wallet of [1, 2, 3, 4]) {
      this.cancel(wallet, 0);
      assert.equal(this.send(this.write.marginMode(wallet, this.next(), PORTFOLIO)), 0);
    }
    for (const { slot, size } of legs(this)) {
      const [buyer, seller] = size > 0 ? [1, 2] : [2, 1];
      this.trade(buyer, seller, fiveFigures(this.mark(slot)) / USDC, Math.abs(size), slot);
    }
    // Bets on ETH that are lost leave it a little less than the requirement.
    const account = this.account(1);
    freshen(this.state, account);
    const lost = Math.floor(this.equity(account) - positionInitialOf(this.state, account) / USDC - 500);
    const eth = this.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
    this.trade(1, 2, 3_000 + lost, 1, eth);
    this.trade(2, 1, 3_000, 1, eth);
    this.trade(1, 2, 3_000, 1, eth);
    this.index(1_000, 1);
    this.trade(2, 1, 1_000, 1, eth);
    this.seconds(4);
    assert.equal(this.status(1), IN_LIQUIDATION);
    this.kept = [];
  }

  quote(slot: number, size: number): void {
    const mark = this.mark(slot);
    this.place(3, BUY, fiveFigures(mark * 0.999) / USDC, size, { slot });
    this.place(4, SELL, fiveFigures(mark * 1.001) / USDC, size, { slot });
  }

  /** What closing a quarter of the leg, and nothing else, would free. */
  freed(slot: number): number {
    const account = this.account(1);
    const row = findHolding(this.state.holdings, account, slot);
    freshen(this.state, account);
    return freedBy(this.state, account, row, this.state.holdings.position[row]! * 0.75);
  }

  requirement(): number {
    freshen(this.state, this.account(1));
    return positionInitialOf(this.state, this.account(1));
  }

  /** Contract and size of every fill so far. */
  filled(): (readonly [number, number])[] {
    return this.seen(FILL).map((slots) => [slots[FILL_INSTRUMENT]!, slots[FILL_SIZE]! / CONTRACT]);
  }
}

/** The BTC contract of an expiry, 0 the first, that is struck nearest to `strike`. */
function near(pit: Pit, kind: number, nth: number, strike: number): number {
  const slots = pit.slots((one) => one.underlying === 'BTC' && one.kind === kind);
  const expiry = [...new Set(slots.map((slot) => pit.contract(slot).expiry))].sort((a, b) => a - b)[nth]!;
  const away = (slot: number): number => Math.abs(pit.contract(slot).strike / USDC - strike);
  return slots.filter((slot) => pit.contract(slot).expiry === expiry).sort((a, b) => away(a) - away(b))[0]!;
}

test('a short call hedged by a perp: both legs are closed by a quarter in the same second', () => {
  let call = -1;
  const pit = new Hedged((made) => [{ slot: call = near(made, CALL, 5, 100_000), size: -1 }, { slot: made.perp, size: 0.6 }]);
  assert.ok(pit.freed(call) < 0 && pit.freed(pit.perp) < 0, 'each leg holds the requirement of the other down');
  const before = pit.requirement();
  for (const slot of [call, pit.perp]) pit.quote(slot, 1);
  pit.seconds(1);
  assert.deepEqual(pit.filled(), [[call, 0.25], [pit.perp, 0.15]], 'what adds less goes first');
  assert.ok(Math.abs(pit.requirement() - before * 0.75) < USDC, 'as much is freed as is closed');
  assert.equal(pit.status(1), HEALTHY);
});

test('one leg of a hedge alone is not closed: the book has nothing for the other', () => {
  let call = -1;
  const pit = new Hedged((made) => [{ slot: call = near(made, CALL, 5, 100_000), size: -1 }, { slot: made.perp, size: 0.6 }]);
  pit.quote(pit.perp, 1);
  pit.seconds(10);
  assert.deepEqual(pit.filled(), []);
  // Little comes for the other leg: it stays the larger one, and what it is behind by is not closed any further.
  pit.quote(call, 0.1);
  pit.seconds(1);
  assert.deepEqual(pit.filled(), [[call, 0.1], [pit.perp, 0.15]]);
  pit.seconds(1);
  assert.deepEqual(pit.filled(), [[call, 0.1], [pit.perp, 0.15]]);
  pit.seconds(27);
  assert.equal(pit.status(1), IN_LIQUIDATION, 'the clock began again with the fills');
  pit.seconds(2);
  assert.equal(pit.status(1), LIQUIDATED);
});

test('four legs, none of which frees anything by itself: the account comes back, and the fund takes nothing', () => {
  let slots: readonly number[] = [];
  const sizes = [-1.121, -1.083, 1.967, -0.421];
  const pit = new Hedged((made) => {
    slots = [near(made, CALL, 4, 100_000), near(made, PUT, 4, 90_000), near(made, CALL, 5, 110_000), made.perp];
    return sizes.map((size, i) => ({ slot: slots[i]!, size }));
  });
  assert.ok(slots.every((slot) => pit.freed(slot) < 0));
  for (const slot of slots) pit.quote(slot, 3);
  for (let second = 0; second < 60 && pit.status(1) !== HEALTHY; second++) pit.seconds(1);
  assert.equal(pit.status(1), HEALTHY);
  assert.deepEqual(pit.seen(TAKEN_OVER), []);
});
