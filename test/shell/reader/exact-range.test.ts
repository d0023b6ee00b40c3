// Accounts with numbers beyond the exact range of 2^53 micros, from an index that rises ten-thousandfold over ordinary positions. No read
// throws and none shows a wrong number: reads refuse such an account, messages have null.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { PERP } from '../../../core/codec/commands.ts';
import { ACCOUNT, LIQUIDATION_SLOTS, LIQUIDATION_STATE } from '../../../core/codec/events.ts';
import { BUY, IOC, MINUTE, SECOND, SELL } from '../../../core/units.ts';
import { INSUFFICIENT_MARGIN } from '../../../core/errors.ts';
import { PORTFOLIO, PRE_LIQUIDATION, STANDARD } from '../../../core/accounts/accounts.ts';
import { equityOf, forgetMargin, freshen } from '../../../core/margin/account-margin.ts';
import { liquidationMessage } from '../../../shell/reader/history/liquidation-message.ts';
import { accountOfWallet, Names } from '../../../shell/reader/text.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, EXPIRY, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const PERP_BTC = { underlying: 'BTC', expiry: 0, strike: 0, kind: PERP };
const WALLETS = [1, 2, 3];
const CHANNELS = ['portfolio', 'liquidation', 'order_updates'];
const NO_NUMBER = /NaN|Infinity|\d{20}/;
const PAGE = { limit: 50, offset: 0 };

/** Wallet 1 gains at every price, wallet 2 loses, and of wallet 3 one position gains what the other loses. */
function open(t: TestContext, mode: number): Bench {
  const bench = new Bench(t);
  const { venue } = bench;
  venue.venue(venue.write.competition(venue.now + MINUTE, venue.now + 60 * MINUTE, 7, 0, ['Spring', '', '', '']));
  venue.advance(2 * MINUTE);
  if (mode === PORTFOLIO) for (const wallet of WALLETS) assert.equal(venue.send(venue.write.marginMode(wallet, 1_000, mode)), 0);
  const trade = (buyer: number, seller: number, contract: object, price: number): void => {
    assert.equal(bench.place({ ...contract, wallet: seller, side: SELL, price: price * USDC, size: 20 * ONE }), 0);
    assert.equal(bench.place({ ...contract, wallet: buyer, side: BUY, price: price * USDC, size: 20 * ONE }), 0);
  };
  trade(1, 2, PERP_BTC, 100_000);
  trade(3, 2, CALL_100, 2_000);
  trade(1, 3, PERP_BTC, 100_000);
  return bench;
}

function move(bench: Bench, index: number): void {
  bench.venue.advance(SECOND);
  bench.venue.venue(bench.venue.write.index(0, index * USDC, 1));
  bench.venue.settle();
  bench.feed();
}

function refusal(bench: Bench, name: 'portfolio' | 'profile', wallet: string): unknown[] {
  const { status, body } = bench.answer(name, { wallet });
  return [status, ...Object.values(JSON.parse(body) as object)];
}

const UNAVAILABLE = ['margin_unavailable', 'Margin data unavailable: an amount is beyond the exact range'];

for (const mode of [STANDARD, PORTFOLIO]) {
  test(`account beyond the exact range: every read and stream refuses or shows null, margin mode ${mode}`, (t) => {
    const bench = open(t, mode);
    const wallets = WALLETS.map(walletText);
    for (const channel of CHANNELS) for (const key of wallets) bench.body('subscribe', { channel, key });
    move(bench, 1e9);
    const texts: string[] = [];
    const body = (...asked: Parameters<Bench['answer']>): string => {
      const { status, body: text } = bench.answer(...asked);
      texts.push(text);
      return `${status}`;
    };
    for (const wallet of wallets) {
      assert.deepEqual(refusal(bench, 'portfolio', wallet), [503, false, null, ...UNAVAILABLE, 1]);
      assert.deepEqual(refusal(bench, 'profile', wallet), [503, ...UNAVAILABLE, 1]);
      assert.equal(body('subscribe', { channel: 'portfolio', key: wallet }), '503');
      assert.equal(body('riskGrid', { wallet }), '503', 'as /portfolio (decision 4.3)');
      assert.equal(body('simulateOrders', { wallet, orders: [{ symbol: CALL_100_SYMBOL, side: 'Buy', size: ONE }] }), '503');
      assert.equal(body('portfolioGreeks', { wallet, orders: [] }), '200');
      assert.equal(body('historicalPnl', { wallet, interval: '5m', limit: 10 }), '200');
    }
    assert.equal(body('leaderboard', { competition_id: 1, sort_order: 'desc', ...PAGE }), '200');
    for (const wallet of WALLETS) bench.place({ ...PERP_BTC, underlying: 'ETH', wallet, side: SELL, price: 3_000 * USDC, size: ONE });
    // Long enough for accounts to be liquidated, and past a mark of their equity.
    for (let i = 0; i < 400; i++) move(bench, 1e9);
    for (const wallet of wallets) body('historicalPnl', { wallet, interval: '5m', limit: 10 });
    body('leaderboard', { competition_id: 1, sort_order: 'desc', ...PAGE });
    assert.ok(bench.sent.length > 20);
    for (const text of [...texts, ...bench.sent.map(({ message }) => JSON.stringify(message))]) {
      assert.doesNotMatch(text, NO_NUMBER);
    }
    const untold = (field: string): number => bench.sent.filter(({ message }) => message[field] === null).length;
    assert.ok(untold('margin_summary') > 3 && untold('margin_summary') <= untold('total_margin_used'));
    if (mode === STANDARD) assert.ok(untold('equity') > 0, 'of a liquidation');
    // What comes back into the range is told again.
    move(bench, 100_000);
    for (const wallet of wallets) assert.equal(body('portfolio', { wallet }), '200');
  });
}

test('beyond the exact range a liquidation message has the equity if it is exact, and no requirement', (t) => {
  for (const mode of [STANDARD, PORTFOLIO]) {
    const bench = open(t, mode);
    const { state } = bench.reader;
    const account = accountOfWallet(state, walletText(3));
    const slots = new Float64Array(LIQUIDATION_SLOTS);
    slots.set([account, PRE_LIQUIDATION], ACCOUNT);
    slots.set([PRE_LIQUIDATION, 7 * USDC, 9 * USDC], LIQUIDATION_STATE);
    const told = (): unknown[] => {
      freshen(state, account);
      const { equity, mm_required, maintenance_margin, shortfall, partial_liquidation } = JSON.parse(
        liquidationMessage(state, new Names(state), slots, bench.venue.now),
      ) as { [field: string]: unknown; partial_liquidation: { target_equity: string | null } };
      return [equity, mm_required, maintenance_margin, shortfall, partial_liquidation.target_equity === null];
    };
    assert.deepEqual(told(), ['7', '9', '-2', '2', false]);
    move(bench, 1e9);
    assert.deepEqual(told(), ['7', null, null, null, true]);
  }
});

test('an equity within the exact range is exact to the micro, whatever gain and loss it is made of', (t) => {
  const bench = open(t, STANDARD);
  const { accounts, holdings, instruments, valuation } = bench.reader.state;
  const account = accountOfWallet(bench.reader.state, walletText(3));
  const pnl = (): number => {
    const body = bench.body<{ data: { wallet: string; pnl: string }[] }>('leaderboard', { competition_id: 1, sort_order: 'desc', ...PAGE });
    return Math.round(Number(body.data.find(({ wallet }) => wallet === walletText(3))!.pnl) * USDC);
  };
  let opened: number | null = null;
  for (const index of [100_000, 1e9, 1e9 + 7.777_777, 1e9 + 9.999_999]) {
    move(bench, index);
    let equity = BigInt(accounts.cash[account]!);
    for (let link = accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
      const instrument = holdings.instrument[link - 1]!;
      const value = BigInt(valuation.mark[instrument]!) * BigInt(holdings.position[link - 1]!) / BigInt(ONE);
      equity += value - (instruments.kind[instrument] === PERP ? BigInt(holdings.cost[link - 1]!) : 0n);
      assert.equal(Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER, index > 1e8);
    }
    opened ??= Number(equity) - pnl();
    assert.equal(pnl(), Number(equity) - opened, String(index));
  }
});

test('an option settled beyond the exact range shows no wrong number', (t) => {
  const bench = open(t, STANDARD);
  for (const channel of CHANNELS) for (const key of WALLETS.map(walletText)) bench.body('subscribe', { channel, key });
  move(bench, 1e9);
  for (bench.venue.advance(EXPIRY - bench.venue.now - 31 * MINUTE); bench.venue.now < EXPIRY + 2 * MINUTE; bench.venue.advance(MINUTE)) {
    move(bench, 1e9);
  }
  assert.ok(bench.sent.some(({ message }) => message['type'] === 'PositionExpired'));
  for (const { message } of bench.sent) assert.doesNotMatch(JSON.stringify(message), NO_NUMBER);
});

test('the margin ratio of next to no equity is a plain decimal, the end of the exact range', (t) => {
  const bench = open(t, STANDARD);
  const { state } = bench.reader;
  const account = accountOfWallet(state, walletText(1));
  state.accounts.cash[account]! += 1 - equityOf(state, account);
  forgetMargin(state.cache, 3);
  const { positions } = bench.body<{ positions: { margin_ratio: string }[] }>('portfolio', { wallet: walletText(1) });
  assert.deepEqual(positions.map((one) => one.margin_ratio), ['9007199254.740991']);
});

for (const mode of [STANDARD, PORTFOLIO]) {
  test(`an order of an account with margin beyond the exact range is refused with numbers, margin mode ${mode}`, (t) => {
    const bench = new Bench(t);
    const { venue } = bench;
    const size = (mode === PORTFOLIO ? 400 : 900) * ONE;
    for (const wallet of [1, 2]) {
      if (mode === PORTFOLIO) assert.equal(venue.send(venue.write.marginMode(wallet, 1_000, mode)), 0);
      const side = wallet === 1 ? SELL : BUY;
      assert.equal(bench.place({ ...PERP_BTC, wallet, side, price: 100_000 * USDC, size }), 0);
      bench.body('subscribe', { channel: 'order_updates', key: walletText(wallet) });
    }
    move(bench, 3e8);
    const codes: number[] = [];
    for (const wallet of [1, 2]) {
      for (const [side, amount] of [[SELL, ONE], [BUY, ONE], [SELL, size], [BUY, size]] as const) {
        codes.push(bench.place({ ...PERP_BTC, wallet, side, price: 3e8 * USDC, size: amount, tif: IOC }));
        const { numbers } = venue.state.result;
        assert.ok(numbers.every(Number.isSafeInteger), `${wallet} ${side} ${numbers.join()}`);
        const [required, available, shortfall] = numbers;
        if (codes.at(-1) === INSUFFICIENT_MARGIN) assert.ok(shortfall! >= 0 && required! >= available!, numbers.join());
      }
    }
    assert.ok(codes.includes(INSUFFICIENT_MARGIN), codes.join());
    for (const { message } of bench.sent) assert.doesNotMatch(JSON.stringify(message), NO_NUMBER);
  });
}
