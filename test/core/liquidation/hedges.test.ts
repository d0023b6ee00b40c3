// in_liquidation, portfolio mode: legs that hedge each other. Closing one leg alone frees no requirement; closing all legs by the same
// part frees that part. Here maintenance equals initial margin, so the venue closes until equity covers the initial margin.

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
import { LiquidationScene } from './liquidation-scene.ts';

type Leg = { readonly slot: number; readonly size: number };

/** Wallet 1 is hedged and in liquidation; wallets 3 and 4 quote. */
class Hedged extends LiquidationScene {
  constructor(legs: (scene: LiquidationScene) => readonly Leg[]) {
    super({ balance: 100_000, set: [[MAINTENANCE_PART, PPM], [LIQUIDATION_WAIT, 0]] });
    for (const wallet of [1, 2, 3, 4]) {
      this.cancel(wallet, 0);
      assert.equal(this.send(this.write.marginMode(wallet, this.next(), PORTFOLIO)), 0);
    }
    for (const { slot, size } of legs(this)) {
      const [buyer, seller] = size > 0 ? [1, 2] : [2, 1];
      this.trade(buyer, seller, fiveFigures(this.mark(slot)) / USDC, Math.abs(size), slot);
    }
    // Losses on ETH perps bring equity slightly below the requirement.
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

  /** The requirement that is freed by closing a quarter of this leg alone. */
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

/** The BTC contract with the strike nearest to `strike`, of the expiry number `nth` from 0. */
function near(scene: LiquidationScene, kind: number, nth: number, strike: number): number {
  const slots = scene.slots((one) => one.underlying === 'BTC' && one.kind === kind);
  const expiry = [...new Set(slots.map((slot) => scene.contract(slot).expiry))].sort((a, b) => a - b)[nth]!;
  const away = (slot: number): number => Math.abs(scene.contract(slot).strike / USDC - strike);
  return slots.filter((slot) => scene.contract(slot).expiry === expiry).sort((a, b) => away(a) - away(b))[0]!;
}

test('given a short call hedged by a perp, a quarter of both legs is closed in the same second', () => {
  let call = -1;
  const scene = new Hedged((made) => [{ slot: call = near(made, CALL, 5, 100_000), size: -1 }, { slot: made.perp, size: 0.6 }]);
  assert.ok(scene.freed(call) < 0 && scene.freed(scene.perp) < 0, 'closing one leg alone raises the requirement');
  const before = scene.requirement();
  for (const slot of [call, scene.perp]) scene.quote(slot, 1);
  scene.seconds(1);
  assert.deepEqual(scene.filled(), [[call, 0.25], [scene.perp, 0.15]], 'the leg that raises the requirement less is closed first');
  assert.ok(Math.abs(scene.requirement() - before * 0.75) < USDC, 'closing a quarter frees a quarter');
  assert.equal(scene.status(1), HEALTHY);
});

test('if the book is empty for one leg of a hedge, the other leg is not closed either', () => {
  let call = -1;
  const scene = new Hedged((made) => [{ slot: call = near(made, CALL, 5, 100_000), size: -1 }, { slot: made.perp, size: 0.6 }]);
  scene.quote(scene.perp, 1);
  scene.seconds(10);
  assert.deepEqual(scene.filled(), []);
  // A small quote for the call: a tenth of it and a quarter of the perp are closed, and then no more of the perp.
  scene.quote(call, 0.1);
  scene.seconds(1);
  assert.deepEqual(scene.filled(), [[call, 0.1], [scene.perp, 0.15]]);
  scene.seconds(1);
  assert.deepEqual(scene.filled(), [[call, 0.1], [scene.perp, 0.15]]);
  scene.seconds(27);
  assert.equal(scene.status(1), IN_LIQUIDATION, 'the fills restarted the 30 s');
  scene.seconds(2);
  assert.equal(scene.status(1), LIQUIDATED);
});

test('given four legs, none of which frees requirement alone, the account recovers and the fund takes nothing over', () => {
  let slots: readonly number[] = [];
  const sizes = [-1.121, -1.083, 1.967, -0.421];
  const scene = new Hedged((made) => {
    slots = [near(made, CALL, 4, 100_000), near(made, PUT, 4, 90_000), near(made, CALL, 5, 110_000), made.perp];
    return sizes.map((size, i) => ({ slot: slots[i]!, size }));
  });
  assert.ok(slots.every((slot) => scene.freed(slot) < 0));
  for (const slot of slots) scene.quote(slot, 3);
  for (let second = 0; second < 60 && scene.status(1) !== HEALTHY; second++) scene.seconds(1);
  assert.equal(scene.status(1), HEALTHY);
  assert.deepEqual(scene.seen(TAKEN_OVER), []);
});
