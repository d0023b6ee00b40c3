// Payoff curves of the page: at expiry against intrinsic values written out, today against the venue's marks, break-evens and largest
// losses of known positions and of random ones.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import type { RiskInputs } from '../../../../client/src/main.ts';
import { Payoff } from '../../../../client/terminal/whatif/payoff.ts';
import { rebuild } from '../../../../client/terminal/whatif/rebuild.ts';
import { WhatIf } from '../../../../client/terminal/whatif/what-if.ts';
import { defaultSettings, SETTINGS } from '../../../../core/settings.ts';

const NOW = Date.UTC(2026, 0, 5, 8);
const VALUES = defaultSettings();
const CONTRACTS = ['BTC-20260106-90000-P', 'BTC-20260106-100000-C', 'BTC-20260106-110000-C', 'BTC-20260206-100000-C', 'BTC-PERP'];
const [PUT_90, CALL_100, CALL_110, LATER, PERP] = CONTRACTS as [string, string, string, string, string];

function inputs(holdings: RiskInputs['holdings'] = []): RiskInputs {
  const contract = (symbol: string) => {
    const isPerp = symbol === PERP;
    return {
      symbol, status: 'ACTIVE' as const, trading_mode: 'orderbook' as const, is_surface_stale: false,
      volatility: isPerp ? '0' : '0.5',
      mark_price: isPerp ? '100000' : '1000', theo_price: isPerp ? '100000' : '1000',
    };
  };
  return {
    wallet_address: `0x${'12'.repeat(20)}`, time_ms: NOW, margin_mode: 'standard', wallet_mode: 'open',
    liquidation_state: 'healthy', tier: 'default', balance: '1000000',
    settings: Object.fromEntries(SETTINGS.map(({ at, name }) => [name, VALUES[at]!])),
    underlyings: [{ underlying: 'BTC', vintage: 1, marked_at: NOW, index_price: '100000', settlement_average: '0', preset: 'dense' }],
    contracts: CONTRACTS.map(contract), holdings,
  };
}

function order(symbol: string, side: 'Buy' | 'Sell', size: string, price: string) {
  return { symbol, side, size, price };
}

function near(actual: number | null | undefined, expected: number): void {
  const reach = 1e-6 * Math.max(1, Math.abs(expected));
  assert.ok(typeof actual === 'number' && Math.abs(actual - expected) <= reach, `${actual}, not ${expected}`);
}

test('a bought call loses at most its premium, without a bound on its gain, and breaks even at strike plus premium', () => {
  const payoff = new WhatIf(inputs()).payoffOfOrders([order(CALL_100, 'Buy', '2', '1000')], 'BTC');
  const { breakEvens, expiry, largestGain, largestLoss } = payoff.summary();
  assert.equal(expiry, Date.UTC(2026, 0, 6, 8));
  assert.equal(breakEvens.length, 1);
  near(breakEvens[0], 101_000);
  near(largestLoss, 2_000);
  assert.equal(largestGain, null);
  near(payoff.atExpiry(110_000), 18_000);
});

test('a sold call has no bound on its loss, a sold put loses at most its strike less the premium', () => {
  const call = new WhatIf(inputs()).payoffOfOrders([order(CALL_100, 'Sell', '1', '1000')], 'BTC').summary();
  assert.equal(call.largestLoss, null);
  near(call.largestGain, 1_000);
  const put = new WhatIf(inputs()).payoffOfOrders([order(PUT_90, 'Sell', '1', '1000')], 'BTC').summary();
  near(put.largestLoss, 89_000);
  near(put.breakEvens[0], 89_000);
});

test('a spread is bounded on both sides, and a strangle breaks even twice', () => {
  const whatIf = new WhatIf(inputs());
  const calls = [order(CALL_100, 'Buy', '1', '1500'), order(CALL_110, 'Sell', '1', '500')];
  const spread = whatIf.payoffOfOrders(calls, 'BTC').summary();
  near(spread.largestLoss, 1_000);
  near(spread.largestGain, 9_000);
  near(spread.breakEvens[0], 101_000);
  const wings = [order(CALL_110, 'Buy', '1', '500'), order(PUT_90, 'Buy', '1', '500')];
  const strangle = whatIf.payoffOfOrders(wings, 'BTC').summary();
  near(strangle.breakEvens[0], 89_000);
  near(strangle.breakEvens[1], 111_000);
});

test('a perp alone has one line at any time, and a break-even at its entry with the fee', () => {
  const data = inputs();
  const whatIf = new WhatIf({ ...data, settings: { ...data.settings, taker_fee: 500 } });
  const payoff = whatIf.payoffOfOrders([order(PERP, 'Buy', '1', '100000')], 'BTC');
  const { breakEvens, expiry, largestLoss } = payoff.summary();
  assert.equal(expiry, null);
  near(breakEvens[0], 100_050);
  near(largestLoss, 100_050);
  near(payoff.at(120_000, { time: NOW + 1e9, volatilityShift: 0.3 }), 19_950);
});

test('the account’s curve has its positions at their cost, with unpaid funding, and the orders on top', () => {
  const holdings = [
    { symbol: PERP, amount: '-2', cost: '-198000', unpaid_funding: '10', orders: [] },
    { symbol: CALL_100, amount: '3', cost: '2400', unpaid_funding: '0', orders: [] },
  ];
  const whatIf = new WhatIf(inputs(holdings));
  near(whatIf.payoffOfAccount([], 'BTC').atExpiry(120_000), -2 * 120_000 + 198_000 + 20 + 3 * 20_000 - 2_400);
  const order1 = order(CALL_110, 'Sell', '1', '500');
  near(whatIf.payoffOfAccount([order1], 'BTC').atExpiry(120_000), -2 * 120_000 + 198_000 + 20 + 3 * 20_000 - 2_400 - 10_000 + 500);
  assert.throws(() => whatIf.payoffOfAccount([], 'ETH'), /ETH has no contract/);
});

test('before expiry a long option is worth more with more volatility and less with less time', () => {
  const payoff = new WhatIf(inputs()).payoffOfOrders([order(LATER, 'Buy', '1', '1000')], 'BTC');
  const today = payoff.at(100_000);
  assert.ok(payoff.at(100_000, { volatilityShift: 0.1 }) > today);
  assert.ok(payoff.at(100_000, { time: NOW + 10 * 86_400_000 }) < today);
  assert.ok(payoff.at(100_000, { volatilityShift: -9 }) >= -1_000);
});

test('for one expiry the curve is that of intrinsic values, zero at each break-even and nowhere below the largest loss', () => {
  const strikes = [90_000, 100_000, 110_000, 0];
  const leg = fc.record({
    at: fc.nat(3), position: fc.integer({ min: -50, max: 50 }).filter((one) => one !== 0), price: fc.integer({ min: 1, max: 5_000 }),
  });
  const state = rebuild(inputs());
  let bounded = 0;
  fc.assert(fc.property(fc.array(leg, { minLength: 1, maxLength: 6 }), fc.array(fc.integer({ min: 0, max: 400_000 })), (legs, spots) => {
    const slots = [0, 1, 2, 4];
    const held = legs.map(({ at, position, price }) => (
      { slot: slots[at]!, position: position * 1e6, cost: position * (at === 3 ? 95_000 + price : price) * 1e6, paid: 0 }
    ));
    const payoff = new Payoff(state, 0, held);
    const { breakEvens, largestGain, largestLoss } = payoff.summary();
    const profit = (spot: number): number => legs.reduce((sum, { at, position, price }) => {
      const intrinsic = at === 3 ? spot : Math.max(0, at === 0 ? strikes[at]! - spot : spot - strikes[at]!);
      return sum + position * (intrinsic - (at === 3 ? 95_000 + price : price));
    }, 0);
    for (const spot of spots) {
      near(payoff.atExpiry(spot), profit(spot));
      if (largestLoss !== null) assert.ok(profit(spot) >= -largestLoss - 1e-3);
      if (largestGain !== null) assert.ok(profit(spot) <= largestGain + 1e-3);
    }
    for (const spot of breakEvens) assert.ok(Math.abs(profit(spot)) < 1e-3, `${spot}: ${profit(spot)}`);
    if (largestLoss === null) assert.ok(profit(1e9) < profit(1e8));
    else bounded++;
  }), { seed: 7 });
  assert.ok(bounded > 20);
});
