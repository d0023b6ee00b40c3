// The limits of exact money: the faucet total passes 2^53 micros with the 901st wallet. When the next fill would take a balance
// past 2^53, the order ends with the reason balance range, and no fill is booked in part.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { CONTRACT, GTC, USDC } from '../../../core/units.ts';
import { DONE_BALANCE_RANGE, DONE_FILLED, INSUFFICIENT_MARGIN, OK, POSITION_LIMIT } from '../../../core/errors.ts';
import { PUT } from '../../../core/codec/commands.ts';
import { ORDER_DONE, ORDER_FILLED, ORDER_REASON } from '../../../core/codec/events.ts';
import { SMALL } from '../../../core/limits.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { applyFill, canHold, createHoldings, openHolding } from '../../../core/positions/holdings.ts';
import { createAccounts } from '../../../core/accounts/accounts.ts';
import { wideToBigInt } from '../../../core/ledger/wide.ts';
import { audit, moneyInAll } from '../../sim/auditor.ts';
import { Scene } from '../../support/scene.ts';
import { FREE } from '../../support/venue.ts';

const BALANCE = 10_000_000;

test('ledger: the faucet total passes 2^53 with the 901st wallet, and all balances sum to zero after every command', () => {
  const scene = new Scene();
  // The last account is the insurance fund's.
  const count = SMALL.accounts - 1;
  for (let wallet = 0; wallet < count; wallet++) {
    assert.equal(scene.buy(wallet, 1, 1), OK);
    assert.equal(moneyInAll(scene.state), 0n);
  }
  assert.equal(wideToBigInt(scene.state.ledger.house, 0), -BigInt(count * BALANCE) * 1_000_000n);
  assert.ok(-wideToBigInt(scene.state.ledger.house, 0) > BigInt(Number.MAX_SAFE_INTEGER));
  audit(scene.state);
});

/** Wallets 1 to `count` pay all they have to wallet 0, each for 0.01 contracts. */
function collect(scene: Scene, count: number): void {
  for (let wallet = 1; wallet <= count; wallet++) {
    assert.equal(scene.buy(wallet, 1_000_000_000, 0.01), OK);
    assert.equal(scene.sell(0, 1_000_000_000, 0.01), OK);
  }
}

test('ledger: a maker whose balance would pass 2^53 is cancelled with reason balance range, and the taker continues', () => {
  const scene = new Scene({ rules: FREE });
  collect(scene, 899);
  assert.equal(scene.cash(0), 900 * BALANCE * USDC);
  assert.equal(scene.sell(0, 1_000_000, 10), OK);
  assert.equal(scene.sell(1_000, 1_000_000, 1), OK);
  const room = Number.MAX_SAFE_INTEGER - scene.cash(0);
  assert.ok(room < BALANCE * USDC);
  assert.equal(scene.buy(901, 1_000_000, 5), OK);
  assert.equal(scene.cash(0), 900 * BALANCE * USDC + 5_000_000 * USDC, 'within the range it fills');
  assert.equal(scene.buy(902, 1_000_000, 5), OK);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [DONE_BALANCE_RANGE, DONE_FILLED]);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_FILLED), [5 * CONTRACT, CONTRACT]);
  assert.equal(scene.number(2), 4 * CONTRACT, 'what is left rests');
  assert.equal(scene.orders(0).length, 0);
  audit(scene.state);
});

test('ledger: a taker whose balance would pass 2^53 keeps its fills and ends with reason balance range', () => {
  const scene = new Scene({ rules: FREE });
  collect(scene, 899);
  assert.equal(scene.buy(901, 1_000_000, 5), OK);
  assert.equal(scene.buy(902, 1_000_000, 5), OK);
  assert.equal(scene.sell(0, 1_000_000, 10, { tif: GTC }), OK);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [DONE_FILLED, DONE_BALANCE_RANGE]);
  assert.deepEqual([scene.number(1), scene.number(2)], [5 * CONTRACT, 0]);
  assert.deepEqual(scene.orders().map((order) => order.remaining), [5 * CONTRACT], 'the second maker stays');
  audit(scene.state);
});

test('ledger: a short position with proceeds above 2^52 can still be bought back', () => {
  const scene = new Scene({ rules: FREE });
  collect(scene, 600);
  assert.ok(scene.held(0)!.cost < -(2 ** 52));
  assert.equal(scene.sell(601, 100, 6), OK);
  assert.equal(scene.buy(0, 100, 6), OK);
  assert.equal(scene.number(1), 6 * CONTRACT);
  assert.equal(scene.held(0), undefined);
  audit(scene.state);
});

test('holdings: canHold is false when a fill would take position, cost or realised profit out of the safe integers', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const accounts = createAccounts(2);
  const holdings = createHoldings(4);
  const row = openHolding(holdings, accounts, 0, 0);
  assert.ok(canHold(holdings, row, most, most));
  applyFill(holdings, accounts, row, most, most, 0);
  assert.deepEqual([holdings.position[row], holdings.cost[row]], [most, most]);
  assert.ok(!canHold(holdings, row, 1, 0), 'position');
  assert.ok(canHold(holdings, row, -1, -most), 'a closing part at any profit');
  applyFill(holdings, accounts, row, -most + 1, -5, 0);
  assert.deepEqual([holdings.position[row], holdings.cost[row], holdings.realized[row]], [1, 1, -(most - 1) + 5]);
  assert.ok(!canHold(holdings, row, 5, most), 'cost');
  applyFill(holdings, accounts, row, 1, 7, 0);
  assert.deepEqual([holdings.position[row], holdings.cost[row], holdings.realized[row]], [2, 8, -(most - 1) + 5]);
  assert.ok(!canHold(holdings, row, -1, 3), 'a loss beyond the range');
  assert.ok(canHold(holdings, row, -1, 2), 'a lesser one');
  assert.ok(canHold(holdings, row, -1, -most), 'a profit brings it back');
  assert.ok(canHold(holdings, row, -2, 3), 'what the position has realised goes with it');
});

test('holdings: realised profit is that of the current position; it restarts at 0 when the position closes or flips', () => {
  const accounts = createAccounts(2);
  const holdings = createHoldings(4);
  const row = openHolding(holdings, accounts, 0, 0);
  const fill = (delta: number, amount: number): readonly number[] => {
    const profit = applyFill(holdings, accounts, row, delta, amount, 0);
    return [profit, holdings.position[row]!, holdings.cost[row]!, holdings.realized[row]!];
  };
  assert.deepEqual(fill(4, 400), [0, 4, 400, 0]);
  assert.deepEqual(fill(-1, -150), [50, 3, 300, 50]);
  assert.deepEqual(fill(-1, -90), [-10, 2, 200, 40]);
  assert.deepEqual(fill(-2, -240), [40, 0, 0, 0], 'closed');
  assert.deepEqual(fill(2, 200), [0, 2, 200, 0], 'opened again');
  assert.deepEqual(fill(-3, -330), [20, -1, -110, 0], 'a flip opens another position');
  assert.deepEqual(fill(-1, -90), [0, -2, -200, 0]);
  assert.deepEqual(fill(1, 120), [-20, -1, -100, -20]);
  assert.deepEqual(fill(3, 270), [10, 2, 180, 0], 'and back');
});

test('margin: given an index too high for exact sums, results are the same with and without cached sums', () => {
  const rich = defaultSettings();
  rich[0] = 4_000_000_000 * USDC;
  const scene = new Scene({ rules: FREE, settings: rich }, 1);
  const slots = scene.slots((one) => one.underlying === 'BTC' && one.strike < 2 * USDC).slice(0, 4);
  for (const slot of slots) {
    assert.equal(scene.sell(1, 0.5, 20_000_000, { slot }), OK);
    assert.equal(scene.buy(2, 0.5, 10_000_000, { slot }), OK);
  }
  const cold = new Set([7, 11]);
  const outcomes: number[][] = [];
  scene.venue(scene.write.index(0, 900_000_000 * USDC, 1));
  scene.settle();
  for (let i = 0; i < 12; i++) {
    if (cold.has(i)) scene.state.cache.filledAt.fill(0);
    const code = i % 3 === 0 ? scene.sell(1, 1, 1, { slot: slots[i % 4]! }) : scene.buy(1, 0.4, 1 + i, { slot: slots[i % 4]! });
    outcomes.push([code, scene.number(0), scene.number(1), scene.number(2)]);
    scene.cancel(1, scene.orders(1)[0]?.id ?? 0);
  }
  assert.ok(outcomes.every((row) => row.every(Number.isFinite)), JSON.stringify(outcomes));
  const replica = scene.replay();
  assert.deepEqual(replica.events.digest, scene.state.events.digest);
  // Who sells more has too much. Closing a short perp or call for next to nothing gains more than it costs, however little there is; a
  // put is worth less than that.
  const { kind } = scene.state.instruments;
  assert.deepEqual(outcomes.map(([code]) => code), outcomes.map((_, i) => (
    i % 3 === 0 ? POSITION_LIMIT : kind[slots[i % 4]!] === PUT ? INSUFFICIENT_MARGIN : OK
  )));
});
