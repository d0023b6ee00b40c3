// Single margin rules with numbers worked by hand: perps and fees in standard mode, closing orders, an index that has moved away
// from the marks, a stale surface, and changes of the margin mode.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BUY, CONTRACT, SELL, USDC } from '../../../core/units.ts';
import { INSUFFICIENT_MARGIN, NO_FUNDS, NO_SPOT_PRICE, OK, ORDER_NOT_FOUND, ORDERS_DO_NOT_FIT, POSITION_LIMIT,
  POSITIONS_OPEN } from '../../../core/errors.ts';
import { MODE_BEFORE, MODE_CHANGED, MODE_VALUE } from '../../../core/codec/events.ts';
import { accountCount, PORTFOLIO, STANDARD } from '../../../core/accounts/accounts.ts';
import { DEFAULT_BALANCE, defaultSettings, SETTLEMENT_FEE, SHORT_OPTION_INITIAL, TAKER_FEE } from '../../../core/settings.ts';
import { collateralOf, equityOf, forgetMargin, freshen, initialOf, maintenanceOf, orderInitialOf, positionInitialOf,
  reservedOf } from '../../../core/margin/account-margin.ts';
import { freedBy } from '../../../core/margin/freed.ts';
import { checkOrder, checkPositionLimit, closingDistance } from '../../../core/margin/order-check.ts';
import { feeOf } from '../../../core/margin/standard.ts';
import { findHolding } from '../../../core/positions/holdings.ts';
import { Scene } from '../../support/scene.ts';
import { CALL, Desk, NOW, PERP, PUT } from './desk.ts';

const K = 1_000 * USDC;

/** A desk with a perp and two calls that expire in 30 days, at an index of 100,000. */
function openDesk(): { desk: Desk; perp: number; call: number; higher: number } {
  const desk = new Desk();
  const perp = desk.list(PERP, 0, 0);
  const call = desk.list(CALL, 100_000, 30);
  const higher = desk.list(CALL, 105_000, 30);
  desk.mark(100_000, 0.6);
  desk.state.valuation.indexFlags[0] = 1;
  return { desk, perp, call, higher };
}

function judge(desk: Desk, account: number, instrument: number, side: number, price: number, size: number): number {
  const row = findHolding(desk.state.holdings, account, instrument);
  const order = { account, instrument, row, side, price: Math.round(price), size: Math.round(size * CONTRACT) };
  return checkOrder(desk.state, order, NOW, desk.state.result.numbers);
}

test('perps in standard mode: initial margin is 10 % of the largest possible position, maintenance 5 %, profit is collateral', () => {
  const { desk, perp } = openDesk();
  const { state } = desk;
  const account = desk.account(50_000, STANDARD);
  const row = desk.hold(account, perp, CONTRACT, 2 * CONTRACT, CONTRACT);
  state.holdings.cost[row] = 99 * K;
  freshen(state, account);
  assert.equal(initialOf(state, account), 30 * K);
  assert.equal(positionInitialOf(state, account), 10 * K);
  assert.equal(orderInitialOf(state, account), 20 * K);
  assert.equal(maintenanceOf(state, account), 5 * K);
  assert.equal(equityOf(state, account), 51 * K);
  assert.equal(collateralOf(state, account), 51 * K, 'profit of a perp is collateral');
  assert.equal(freedBy(state, account, row, 0), 10 * K);
  assert.equal(judge(desk, account, perp, BUY, 100 * K, 2.1), OK, 'at most 5.1 contracts long');
  assert.equal(judge(desk, account, perp, BUY, 101 * K, 2.1), INSUFFICIENT_MARGIN, 'also 1,000 above mark for each contract');
  assert.deepEqual([...state.result.numbers.subarray(0, 3)], [53.1 * K, 51 * K, 2.1 * K]);
});

test('pending funding counts in equity before it is paid', () => {
  const { desk, perp } = openDesk();
  const { state } = desk;
  const account = desk.account(50_000, STANDARD);
  desk.hold(account, perp, -2 * CONTRACT);
  state.funding.cumulative[perp] = 3e9;
  desk.afresh(account);
  assert.equal(equityOf(state, account), 50_006 * USDC);
});

test('fees: a rate of the notional at the index, for options at most an eighth of the premium; an order must cover its fee', () => {
  const settings = { values: defaultSettings() };
  settings.values[TAKER_FEE] = 500;
  settings.values[SETTLEMENT_FEE] = 150;
  const fee = (rate: number, kind: number, price: number, size: number): number => feeOf(settings, rate, kind, 100 * K, price, size);
  assert.equal(fee(TAKER_FEE, PERP, 90 * K, 2 * CONTRACT), 100 * USDC);
  assert.equal(fee(TAKER_FEE, CALL, 3 * K, 2 * CONTRACT), 100 * USDC);
  assert.equal(fee(TAKER_FEE, CALL, 100 * USDC, 2 * CONTRACT), 25 * USDC);
  assert.equal(fee(TAKER_FEE, CALL, 1, 1), 1, 'rounded up');
  assert.equal(fee(SETTLEMENT_FEE, CALL, 20 * K, CONTRACT), 15 * USDC);
  const { desk, perp, call } = openDesk();
  desk.state.settings.values[TAKER_FEE] = 500;
  const account = desk.account(10_100, STANDARD);
  assert.equal(judge(desk, account, perp, BUY, 100 * K, 1), OK);
  desk.state.accounts.cash[account] = 10_049 * USDC;
  assert.equal(judge(desk, account, perp, BUY, 100 * K, 1), INSUFFICIENT_MARGIN);
  assert.deepEqual(desk.state.result.numbers[0], 10_050 * USDC);
  desk.state.accounts.cash[account] = 7_050 * USDC;
  assert.equal(judge(desk, account, call, BUY, 7 * K, 1), OK, 'a premium of 7,000 and a fee of 50');
  assert.equal(judge(desk, account, call, BUY, 7.001 * K, 1), INSUFFICIENT_MARGIN);
});

for (const mode of [STANDARD, PORTFOLIO]) {
  test(`a closing order near the mark is accepted without funds if free collateral does not fall: mode ${mode}`, () => {
    const { desk, perp, call } = openDesk();
    const { mark } = desk.state.valuation;
    assert.equal(closingDistance(desk.state, perp), K);
    assert.equal(closingDistance(desk.state, call), Math.floor(mark[call]! / 10));
    const account = desk.account(0, mode);
    // No cash: all equity is the profit of the perp.
    const profit = (amount: number, position = 2 * CONTRACT, asks = CONTRACT / 2): void => {
      const row = desk.hold(account, perp, position, 0, asks);
      desk.state.holdings.cost[row]! -= amount;
      desk.afresh(account);
    };
    profit(1.5 * K);
    assert.equal(judge(desk, account, perp, SELL, 99 * K, 1.5), OK);
    profit(1.5 * K - 1);
    assert.equal(judge(desk, account, perp, SELL, 99 * K, 1.5), NO_FUNDS, 'it would leave a debt');
    assert.equal(judge(desk, account, perp, SELL, 100 * K, 1.5), OK, 'at mark it loses nothing');
    profit(100 * K);
    assert.equal(judge(desk, account, perp, SELL, 99 * K, 1.6), NO_FUNDS, 'together with the open ask it could reverse the position');
    assert.equal(judge(desk, account, perp, SELL, 98.9 * K, 1), NO_FUNDS, 'too far from mark');
    assert.equal(judge(desk, account, perp, BUY, 100 * K, 1), NO_FUNDS, 'it would open');
    desk.state.settings.values[TAKER_FEE] = 200_000;
    assert.equal(judge(desk, account, perp, SELL, 100 * K, 1), NO_FUNDS, 'the fee exceeds the margin that closing frees');
    desk.state.settings.values[TAKER_FEE] = 0;
    profit(100 * K, -2 * CONTRACT, 0);
    desk.hold(account, call, -CONTRACT);
    const furthest = mark[call]! + closingDistance(desk.state, call);
    assert.equal(judge(desk, account, call, BUY, furthest, 1), OK);
    assert.equal(judge(desk, account, call, BUY, furthest + 1, 1), NO_FUNDS);
    profit(0, -2 * CONTRACT, 0);
    assert.equal(judge(desk, account, call, BUY, mark[call]!, 1), OK, 'the debt does not grow');
    assert.equal(judge(desk, account, call, BUY, mark[call]! + 1, 1), NO_FUNDS);
  });
}

test('an order that closes a hedge is refused without funds, because it raises the requirement', () => {
  const { desk, call, higher } = openDesk();
  const account = desk.account(1);
  const { mark } = desk.state.valuation;
  desk.hold(account, call, -CONTRACT);
  desk.hold(account, higher, CONTRACT);
  assert.equal(judge(desk, account, higher, SELL, mark[higher]!, 1), INSUFFICIENT_MARGIN);
  desk.hold(account, higher, 0);
  assert.equal(judge(desk, account, call, BUY, mark[call]!, 1), OK, 'without the hedge the short may always be closed');
});

test('a closing order that raises the requirement is accepted if its price above mark covers the rise and the fee', () => {
  const { desk, call, higher } = openDesk();
  const { settings, valuation } = desk.state;
  const account = desk.account(1);
  desk.hold(account, call, -CONTRACT);
  desk.afresh(account);
  const bare = initialOf(desk.state, account);
  desk.hold(account, higher, CONTRACT);
  desk.afresh(account);
  const price = valuation.mark[higher]! + bare - initialOf(desk.state, account);
  assert.equal(judge(desk, account, higher, SELL, price, 1), OK);
  assert.equal(judge(desk, account, higher, SELL, price - 1, 1), INSUFFICIENT_MARGIN);
  settings.values[TAKER_FEE] = 500;
  assert.equal(judge(desk, account, higher, SELL, price + 50 * USDC - 1, 1), INSUFFICIENT_MARGIN);
  assert.equal(judge(desk, account, higher, SELL, price + 50 * USDC, 1), OK);
});

test('portfolio: an order needs its initial margin and what it pays above mark', () => {
  const { desk, perp } = openDesk();
  const enough = desk.account(26_000);
  const almost = desk.account(25_999.999999);
  assert.equal(judge(desk, enough, perp, BUY, 110 * K, 1), OK);
  assert.equal(judge(desk, almost, perp, BUY, 110 * K, 1), INSUFFICIENT_MARGIN);
});

test('portfolio: maintenance margin counts positions only, not open orders', () => {
  const { desk, perp } = openDesk();
  const account = desk.account();
  desk.hold(account, perp, CONTRACT, 2 * CONTRACT);
  desk.afresh(account);
  assert.equal(initialOf(desk.state, account), 48 * K);
  assert.equal(maintenanceOf(desk.state, account), 12.8 * K);
});

test('when settings change, margin uses them at once, also for an account whose sums were cached', () => {
  const { desk, call } = openDesk();
  const { state } = desk;
  const account = desk.account(1e7, STANDARD);
  desk.hold(account, call, -CONTRACT);
  desk.afresh(account);
  assert.equal(initialOf(state, account), 15 * K);
  state.settings.values[SHORT_OPTION_INITIAL] = 200_000;
  forgetMargin(state.cache, accountCount(state.accounts));
  freshen(state, account);
  assert.equal(initialOf(state, account), 20 * K);
});

test('while the index is more than 2 % from the marks, portfolio accounts may only close; standard accounts may open', () => {
  const { desk, perp } = openDesk();
  const { state } = desk;
  const portfolio = desk.account();
  const standard = desk.account(1e7, STANDARD);
  desk.hold(portfolio, perp, CONTRACT);
  for (const [index, code] of [[102 * K, OK], [102 * K + 1, NO_SPOT_PRICE], [98 * K, OK], [98 * K - 1, NO_SPOT_PRICE]] as const) {
    state.valuation.index[0] = index;
    assert.equal(judge(desk, portfolio, perp, BUY, 100 * K, 1), code);
    assert.equal(judge(desk, portfolio, perp, SELL, 100 * K, 1), OK, 'it only closes');
    assert.equal(judge(desk, standard, perp, BUY, 100 * K, 1), OK);
  }
  state.valuation.indexFlags[0] = 0;
  state.valuation.indexAt[0] = NOW - 10_001;
  assert.equal(judge(desk, standard, perp, BUY, 100 * K, 1), NO_SPOT_PRICE);
  assert.equal(judge(desk, portfolio, perp, SELL, 100 * K, 1), OK);
});

test('a long option with a stale surface counts by half as portfolio collateral and in full as equity', () => {
  const { desk, call } = openDesk();
  const { state } = desk;
  const account = desk.account(1_000);
  desk.hold(account, call, CONTRACT);
  freshen(state, account);
  const worth = state.valuation.mark[call]!;
  assert.equal(collateralOf(state, account), 1_000 * USDC + worth);
  state.valuation.stale[call] = 1;
  desk.afresh(account);
  assert.equal(collateralOf(state, account), 1_000 * USDC + Math.floor(worth / 2));
  assert.equal(equityOf(state, account), 1_000 * USDC + worth);
});

test('a mark that is better than theo for the owner raises equity but not portfolio collateral, long or short', () => {
  const { desk, call } = openDesk();
  const { state } = desk;
  const { mark, theo } = state.valuation;
  const fair = theo[call]!;
  const [portfolio, standard] = [desk.account(10_000), desk.account(10_000, STANDARD)];
  for (const [position, beyond, counted] of [[2, 1.02, fair], [2, 0.98, 0.98 * fair], [-2, 0.98, fair], [-2, 1.02, 1.02 * fair]] as const) {
    mark[call] = Math.round(beyond * fair);
    for (const account of [portfolio, standard]) {
      desk.hold(account, call, position * CONTRACT);
      desk.afresh(account);
      assert.equal(equityOf(state, account), 10_000 * USDC + position * mark[call]!, 'equity at mark');
    }
    assert.equal(collateralOf(state, portfolio), 10_000 * USDC + position * Math.round(counted));
    assert.equal(collateralOf(state, standard), 10_000 * USDC + Math.min(0, position * mark[call]!), 'standard mode ignores theo');
    state.valuation.stale[call] = 1;
    desk.afresh(portfolio);
    const half = position > 0 ? Math.floor(Math.round(counted) * position / 2) : position * Math.round(counted);
    assert.equal(collateralOf(state, portfolio), 10_000 * USDC + half, 'half of the collateral value');
    state.valuation.stale[call] = 0;
  }
});

test('portfolio: a sale that closes a long is accepted at or above the lower of mark and theo', () => {
  const { desk, call } = openDesk();
  const { mark, theo } = desk.state.valuation;
  const account = desk.account(1_000);
  // The requirement is the floor for short options alone, so closing the long frees nothing.
  desk.hold(account, desk.list(CALL, 700_000, 4), -10 * CONTRACT);
  desk.mark(100_000, 0.6);
  desk.hold(account, call, CONTRACT);
  const fair = theo[call]!;
  mark[call] = Math.round(1.02 * fair);
  desk.afresh(account);
  assert.equal(judge(desk, account, call, SELL, fair, 1), OK);
  assert.equal(judge(desk, account, call, SELL, fair - 1, 1), INSUFFICIENT_MARGIN);
  mark[call] = Math.round(0.98 * fair);
  desk.afresh(account);
  assert.equal(judge(desk, account, call, SELL, mark[call]!, 1), OK);
  assert.equal(judge(desk, account, call, SELL, mark[call]! - 1, 1), INSUFFICIENT_MARGIN);
});

test('portfolio: an order reserves its loss against the mark; a price better than the mark gives no credit', () => {
  const scene = new Scene();
  assert.equal(scene.send(scene.write.marginMode(1, scene.next(), PORTFOLIO)), OK);
  const { state } = scene;
  const account = scene.account(1);
  const mark = scene.mark(scene.atm) / USDC;
  const price = Math.ceil(mark / 10) * 10;
  assert.equal(scene.buy(1, price + 50, 2), OK);
  assert.equal(scene.buy(1, price - 50, 2), OK);
  freshen(state, account);
  assert.equal(reservedOf(state, account), Math.round(2 * (price + 50 - mark) * USDC));
});

test('the position cap counts perps and options of the underlying together', () => {
  const { desk, perp, call } = openDesk();
  const account = desk.account();
  desk.hold(account, perp, 900 * CONTRACT);
  const order = { account, instrument: call, row: -1, side: SELL, price: 1, size: 100 * CONTRACT };
  assert.equal(checkPositionLimit(desk.state, order, 0), OK);
  assert.equal(checkPositionLimit(desk.state, { ...order, size: order.size + 1 }, 0), POSITION_LIMIT);
});

test('above the position cap an order is accepted only if the largest possible position does not grow', () => {
  const { desk, perp, call } = openDesk();
  const account = desk.account();
  const row = desk.hold(account, perp, 1_001 * CONTRACT);
  const order = { account, instrument: perp, row, side: SELL, price: 1, size: 2_002 * CONTRACT };
  assert.equal(checkPositionLimit(desk.state, order, 0), OK, 'the largest possible short equals the long');
  assert.equal(checkPositionLimit(desk.state, { ...order, size: order.size + 1 }, 0), POSITION_LIMIT);
  assert.equal(checkPositionLimit(desk.state, { ...order, side: BUY, size: 1 }, 0), POSITION_LIMIT);
  assert.equal(checkPositionLimit(desk.state, { ...order, instrument: call, row: -1, size: 1 }, 0), POSITION_LIMIT);
});

test('standard: a bid below mark that closes a short neither lowers nor raises collateral', () => {
  const { desk, call } = openDesk();
  const { state } = desk;
  const account = desk.account(0, STANDARD);
  desk.hold(account, call, -CONTRACT);
  state.accounts.cash[account] = 15 * K + state.valuation.mark[call]! - 1;
  desk.afresh(account);
  assert.equal(judge(desk, account, call, BUY, USDC, 1), OK, 'it only closes');
  assert.equal(judge(desk, account, call, BUY, USDC, 2), INSUFFICIENT_MARGIN);
  assert.deepEqual([...state.result.numbers.subarray(0, 3)], [15 * K, 15 * K - 1, 1]);
});

test('margin mode: a change to standard is refused if the account cannot pay the premiums of its open bids', () => {
  const settings = defaultSettings();
  settings[DEFAULT_BALANCE] = 1_250 * USDC;
  const scene = new Scene({ settings });
  const change = (mode: number): number => scene.send(scene.write.marginMode(1, scene.next(), mode));
  assert.equal(change(PORTFOLIO), OK);
  assert.equal(scene.buy(1, 700, 1, { slot: scene.nearest(CALL) }), OK);
  assert.equal(scene.buy(1, 700, 1, { slot: scene.nearest(PUT) }), OK, 'both premiums cannot be lost in full at once');
  assert.equal(change(STANDARD), ORDERS_DO_NOT_FIT);
  assert.equal(scene.cancel(1, 1), OK);
  assert.equal(change(STANDARD), OK);
});

test('margin mode: a change needs margin for all open orders and no position, and gives an event', () => {
  const settings = defaultSettings();
  settings[DEFAULT_BALANCE] = 130_000 * USDC;
  const scene = new Scene({ settings });
  const perp = scene.state.instruments.perpOf[0]!;
  const change = (wallet: number, mode: number): number => scene.send(scene.write.marginMode(wallet, scene.next(), mode));
  assert.equal(change(1, PORTFOLIO), OK);
  assert.deepEqual([scene.emitted(MODE_CHANGED, MODE_VALUE), scene.emitted(MODE_CHANGED, MODE_BEFORE)], [[PORTFOLIO], [STANDARD]]);
  assert.equal(scene.number(0), STANDARD, 'the reply names the mode before');
  assert.equal(change(1, PORTFOLIO), OK);
  assert.deepEqual([scene.emitted(MODE_CHANGED, MODE_VALUE), scene.emitted(MODE_CHANGED, MODE_BEFORE)], [[PORTFOLIO], [PORTFOLIO]]);
  assert.equal(change(1, STANDARD), OK);
  // Ten contracts need 10 % in standard mode and 16 % in portfolio mode.
  assert.equal(scene.buy(1, 100_000, 10, { slot: perp }), OK);
  assert.equal(change(1, PORTFOLIO), ORDERS_DO_NOT_FIT);
  assert.deepEqual(scene.emitted(MODE_CHANGED, MODE_VALUE), []);
  assert.equal(scene.state.accounts.mode[scene.account(1)], STANDARD);
  scene.cancel(1, scene.orders(1)[0]!.id);
  assert.equal(scene.buy(1, 100_000, 8, { slot: perp }), OK);
  assert.equal(change(1, PORTFOLIO), OK);
  assert.equal(scene.sell(2, 100_000, 1, { slot: perp }), OK);
  assert.equal(change(1, STANDARD), POSITIONS_OPEN);
  assert.equal(change(2, STANDARD), POSITIONS_OPEN, 'also refused for the mode it has');
  assert.deepEqual(scene.emitted(MODE_CHANGED, MODE_VALUE), []);
});

test('margin mode: an account in debt without orders and positions may change it', () => {
  const scene = new Scene();
  assert.equal(scene.cancel(1, 1), ORDER_NOT_FOUND, 'the account is opened');
  scene.state.accounts.cash[scene.account(1)] = -USDC;
  assert.equal(scene.send(scene.write.marginMode(1, scene.next(), PORTFOLIO)), OK);
});
