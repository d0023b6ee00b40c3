// What the reader tells of perps and of funding: listings, rates, messages, and rows whose sum is what the core moved.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { viewsOf } from '../../../core/codec/record.ts';
import { OK } from '../../../core/errors.ts';
import { BUY, HOUR, MINUTE, SECOND, SELL } from '../../../core/units.ts';
import { FUNDING_CUMULATIVE, FUNDING_RATE } from '../../../core/codec/events.ts';
import type { PerpMarket } from '../../../shell/http/shapes/perps.ts';
import { Bench, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const ALICE = walletText(1);
const BOB = walletText(2);
const BTC_PERP = { underlying: 'BTC', expiry: 0, strike: 0, kind: PERP };

type Row = Record<string, unknown>;
type Rows = { data: Row[] };

/** The index is the operator's, which does not age: in hours it is told less often. */
const [STEP, LONG_STEP] = [5 * SECOND, 5 * MINUTE];
const RUNS = process.env['STRIKEBOOK_LONG'] === '1' ? 20 : 3;

/** Lets `ms` pass, with the index where it was. */
function pass(bench: Bench, ms: number, price = 100_000): void {
  const { venue } = bench;
  for (const end = venue.now + ms; venue.now < end;) {
    venue.advance(Math.min(ms < HOUR ? STEP : LONG_STEP, end - venue.now));
    venue.venue(venue.write.index(0, price * USDC, 1));
  }
  bench.feed();
}

function trade(bench: Bench, seller: number, buyer: number, size: number, price = 100_000): void {
  assert.equal(bench.place({ ...BTC_PERP, wallet: seller, side: SELL, price: price * USDC, size: Math.round(size * ONE) }), OK);
  assert.equal(bench.place({ ...BTC_PERP, wallet: buyer, side: BUY, price: price * USDC, size: Math.round(size * ONE) }), OK);
}

test('a perp without any use has no rates, and its grid step follows the mark', (t) => {
  const bench = new Bench(t);
  const funding = bench.body('funding', { symbol: 'BTC-PERP' });
  assert.deepEqual(funding, {
    symbol: 'BTC-PERP', funding_rate: null, predicted_rate: null, premium: null, index_price: 100_000, mark_price: 100_000,
    next_funding_time: bench.venue.now + HOUR, interval_hours: 1,
  });
  const { data } = bench.body<Rows>('perps', {});
  assert.deepEqual(data.map(({ symbol, asset, tick_size: tick }) => [symbol, asset, tick]), [['BTC-PERP', 0, 10], ['ETH-PERP', 1, 0.1]]);
  assert.deepEqual(data[0], {
    ...funding, underlying: 'BTC', asset: 0, best_bid_price: null, best_ask_price: null, last_price: null, open_interest: 0, volume_24h: 0,
    turnover_24h: 0, tick_size: 10, trading_mode: 'orderbook',
  });
  assert.deepEqual(bench.body<Rows>('perps', { underlying: 'ETH' }).data.map(({ symbol }) => symbol), ['ETH-PERP']);
  const { data: markets } = bench.body<{ data: { underlying: string; perp: Row }[] }>('markets', { include_instruments: false });
  for (const { underlying, perp } of markets) assert.deepEqual(perp, data.find(({ symbol }) => symbol === `${underlying}-PERP`));
});

test('an option, an unknown name or an unknown underlying has no funding', (t) => {
  const bench = new Bench(t);
  for (const symbol of ['DOGE-PERP', 'BTC', 'BTC-20260106-100000-C']) {
    const { status, body } = bench.answer('funding', { symbol });
    assert.deepEqual([status, (JSON.parse(body) as { message: string }).message], [404, `Perp not found: ${symbol}`]);
  }
  for (const name of ['perps', 'openInterest'] as const) {
    const { status, body } = bench.answer(name, { underlying: 'DOGE' });
    assert.equal(status, 400);
    assert.match(body, /Unknown underlying: DOGE/);
  }
});

test('given quotes above the index, when samples are taken, then premium and prediction are of the mean so far', (t) => {
  const bench = new Bench(t);
  trade(bench, 1, 2, 2);
  bench.place({ ...BTC_PERP, wallet: 1, side: BUY, price: 100_100 * USDC, size: ONE });
  pass(bench, 10 * SECOND);
  const funding = bench.body('funding', { symbol: 'BTC-PERP' });
  // 0.1 % above the index, drawn towards 0.01 % by 0.05 %: 0.05 % in 8 hours.
  assert.deepEqual([funding.premium, funding.predicted_rate, funding.funding_rate], [0.001, 0.0000625, null]);
  bench.cancel(1, 3);
  pass(bench, 10 * SECOND);
  const half = bench.body('funding', { symbol: 'BTC-PERP' });
  assert.deepEqual([half.premium, half.predicted_rate], [0, 0.0000125], 'the mean is now 0.05 %, within reach of 0.01 %');
  const [perp] = bench.body<Rows>('perps', { underlying: 'BTC' }).data;
  assert.deepEqual([perp!.open_interest, perp!.volume_24h, perp!.turnover_24h, perp!.last_price], [2, 2, 200_000, 100_000]);
  pass(bench, HOUR);
  const later = bench.body('funding', { symbol: 'BTC-PERP' });
  assert.equal(later.funding_rate, 0.0000125);
  assert.equal(later.next_funding_time, Math.ceil(bench.venue.now / HOUR) * HOUR);
});

test('a payment is told on the portfolio stream before the balance, and the numbers of the stream have no gap', (t) => {
  const bench = new Bench(t);
  trade(bench, 1, 2, 2);
  pass(bench, 2 * HOUR + SECOND);
  bench.answer('subscribe', { channel: 'portfolio', key: BOB });
  const first = bench.body<{ seq: number }>('subscribe', { channel: 'portfolio', key: BOB }).seq;
  bench.sent.length = 0;
  trade(bench, 3, 2, 1);
  const messages = bench.sent.map(({ message }) => message);
  assert.deepEqual(messages.map(({ seq }) => seq), messages.map((_, i) => first + 1 + i));
  const types = messages.map((one) => one.update_type);
  assert.equal(types[types.indexOf('FundingUpdate') + 1], 'BalanceUpdate');
  const [paid] = messages.filter((one) => one.update_type === 'FundingUpdate');
  const start = bench.venue.now - SECOND - 2 * HOUR;
  const { from_time: from, to_time: to, hours, rate, position, amount } = paid!;
  // 0.00125 % of 100,000 is 1.25 USDC a contract and hour.
  assert.deepEqual([from, to, hours, rate, position, amount], [start, start + 2 * HOUR, 2, 0.000025, '2', '-5']);
});

test('given fills in a protection\'s window, when they age, then what it has used falls, without a command', (t) => {
  const bench = new Bench(t);
  const { venue } = bench;
  venue.send(venue.write.mmp(1, ++bench.nonce, 'BTC', { interval: 60_000, frozen: 30_000, quantity: 3 * ONE }));
  trade(bench, 1, 2, 2);
  const own = (): Row => bench.body<Rows>('mmp', { wallet: ALICE }).data[0]!;
  assert.deepEqual([own().qty_used, own().delta_used, own().is_frozen, own().last_triggered_ms], ['2', '-2', false, null]);
  venue.now += 40_000;
  trade(bench, 1, 2, 2);
  assert.deepEqual([own().qty_used, own().is_frozen, own().frozen_until, own().last_triggered_ms],
    ['4', true, venue.now + 30_000, venue.now]);
  const triggered = venue.now;
  venue.now += 20_000;
  assert.deepEqual([own().qty_used, own().is_frozen], ['2', true], 'the first fill has left the window');
  venue.now += 40_000;
  assert.deepEqual([own().qty_used, own().is_frozen, own().frozen_until, own().last_triggered_ms], ['0', false, null, triggered]);
});

test('a freeze that only a reset ends has no end', (t) => {
  const bench = new Bench(t);
  const { venue } = bench;
  venue.send(venue.write.mmp(1, ++bench.nonce, 'BTC', { interval: 60_000, frozen: 0, quantity: ONE }));
  trade(bench, 1, 2, 2);
  const [own] = bench.body<Rows>('mmp', { wallet: ALICE }).data;
  assert.deepEqual([own!.is_frozen, own!.frozen_until], [true, null]);
});

test('open interest sums contracts by expiry and type, and the perp apart', (t) => {
  const bench = new Bench(t);
  trade(bench, 1, 2, 2);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 3 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: ONE });
  const [btc] = bench.body<{ data: (Row & { expiries: Row[] })[] }>('openInterest', { underlying: 'BTC' }).data;
  assert.deepEqual([btc!.perp, btc!.calls, btc!.puts, btc!.index_price], [2, 1, 0, 100_000]);
  assert.deepEqual(btc!.expiries.filter(({ calls }) => calls !== 0), [{ expiry: Date.UTC(2026, 0, 6, 8) / 1_000, calls: 1, puts: 0 }]);
  assert.deepEqual(bench.body<Rows>('openInterest', {}).data.map(({ underlying }) => underlying), ['BTC', 'ETH']);
});

test('an insurance fund without an account has nothing', (t) => {
  assert.deepEqual(new Bench(t).body('insuranceFund', {}), { success: true, data: { balance: '0', equity: '0', positions: [] } });
});

type Payment = { from_time: number; to_time: number; hours: number; rate: number; amount: string };
type Payments = { data: Payment[]; accrued: string };

const micros = (text: string): bigint => BigInt(Math.round(Number(text) * 1e6));

test('rows of funding sum to what the core moved to the unit, and with what is accrued to all that was charged', (t) => {
  const hour = fc.record({
    index: fc.integer({ min: 98_000, max: 102_000 }), commits: fc.boolean(),
    trades: fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 1_500_000 })), {
      maxLength: 3,
    }),
  });
  fc.assert(fc.property(fc.array(hour, { minLength: 2, maxLength: 6 }), (hours) => {
    const bench = new Bench(t);
    const { venue } = bench;
    bench.place({ ...BTC_PERP, wallet: 4, side: BUY, price: 99_000 * USDC, size: ONE });
    bench.place({ ...BTC_PERP, wallet: 4, side: SELL, price: 101_000 * USDC, size: ONE });
    const positions = [0, 0, 0, 0];
    /** By wallet, in 1e-9 micros: position times what a contract was charged. */
    const owed = [0n, 0n, 0n, 0n];
    let charged = 0;
    const listener = venue.state.events.listener!;
    venue.state.events.listener = (kind, f) => {
      if (kind === FUNDING_RATE && f[1] === venue.state.instruments.perpOf[0]) {
        const more = BigInt(f[FUNDING_CUMULATIVE]! - charged);
        charged = f[FUNDING_CUMULATIVE]!;
        positions.forEach((position, wallet) => { owed[wallet]! += BigInt(position) * more; });
      }
      listener(kind, f);
    };
    for (const { index, commits, trades } of hours) {
      for (const [seller, step, size] of trades) {
        const buyer = (seller - 1 + step) % 3 + 1;
        trade(bench, seller, buyer, size / ONE);
        positions[seller]! -= size;
        positions[buyer]! += size;
      }
      if (commits) bench.commit();
      for (let minute = 0; minute < 60; minute += 5) {
        venue.advance(5 * MINUTE);
        venue.venue(venue.write.index(0, index * USDC, 1));
      }
      bench.feed();
    }
    for (const round of ['in memory', 'in the history']) {
      for (const wallet of [1, 2, 3]) {
        const { data, accrued } = bench.body<Payments>('fundingPayments', { wallet: walletText(wallet), limit: 1_000, offset: 0 });
        const booked = data.reduce((sum, { amount }) => sum + micros(amount), 0n);
        const account = venue.state.accounts;
        const row = Array.from({ length: 8 }, (_, i) => i).find((i) => account.address[i * 5] === wallet + 1);
        const cash = row === undefined ? 10_000_000 * USDC : account.cash[row]!;
        const { of_wallet: own } = bench.body<PerpMarket>('perpMarket', { wallet: walletText(wallet) }).perps[0]!;
        assert.equal(micros(own!.paid_funding.all), -(booked + micros(accrued)), `${round}: what is shown as paid is the sum of the rows`);
        assert.equal(booked, BigInt(cash) - 10_000_000n * BigInt(USDC), `${round}: trades at one price move no other cash`);
        const over = -(booked + micros(accrued)) * 1_000_000_000n - owed[wallet]!;
        assert.ok(over >= 0n && over < BigInt(data.length + 1) * 1_000_000_000n, `${round}: rounded up once a booking`);
        for (const { from_time: from, to_time: to, hours: count } of data) {
          assert.ok(count >= 1 && from + count * HOUR <= to && to % HOUR === 0 && from % HOUR === 0);
        }
      }
      bench.commit();
    }
  }), { numRuns: RUNS });
});

test('funding paid is told in all, since the position began, and since it last changed', (t) => {
  const bench = new Bench(t);
  const paid = (wallet = BOB): unknown => {
    const { of_wallet: own } = bench.body<PerpMarket>('perpMarket', { wallet }).perps[0]!;
    return own === null ? null : [own.paid_funding.all, own.paid_funding.since_open, own.paid_funding.since_change];
  };
  assert.deepEqual(paid(), ['0', '0', '0'], 'a wallet without an account');
  trade(bench, 1, 2, 2);
  pass(bench, HOUR);
  assert.deepEqual([paid(), paid(ALICE)], [['2.5', '2.5', '2.5'], ['-2.5', '-2.5', '-2.5']], 'what is not booked yet counts');
  trade(bench, 3, 2, 1);
  assert.deepEqual(paid(), ['2.5', '2.5', '0']);
  pass(bench, HOUR);
  assert.deepEqual(paid(), ['6.25', '6.25', '3.75']);
  trade(bench, 2, 1, 5);
  assert.deepEqual(paid(), ['6.25', '0', '0'], 'the position turned');
  pass(bench, HOUR);
  assert.deepEqual(paid(), ['3.75', '-2.5', '-2.5']);
  trade(bench, 1, 2, 2);
  assert.deepEqual(paid(), ['3.75', '0', '0'].with(1, '-2.5'), 'nothing is held, so nothing has begun');
  trade(bench, 1, 2, 1);
  assert.deepEqual(paid(), ['3.75', '0', '0']);
  assert.equal(bench.body<PerpMarket>('perpMarket', {}).perps[0]!.of_wallet, null, 'no wallet is named');
});

test('hours of funding are listed newest first, within their bounds, and an option has none', (t) => {
  const bench = new Bench(t);
  trade(bench, 1, 2, 2);
  const start = bench.venue.now;
  pass(bench, HOUR);
  bench.commit();
  pass(bench, 2 * HOUR);
  const rows = (more = {}): Row[] => bench.body<Rows>('fundingHistory', { symbol: 'btc-perp'.toUpperCase(), limit: 10, ...more }).data;
  const plain = { funding_rate: 0.0000125, index_price: 100_000, premium: 0 };
  assert.deepEqual(rows(), [3, 2, 1].map((n) => ({ time_ms: start + n * HOUR, ...plain })));
  assert.deepEqual(rows({ limit: 1 }).map((row) => row.time_ms), [start + 3 * HOUR]);
  assert.deepEqual(rows({ start: start + HOUR, end: start + 2 * HOUR }).map((row) => row.time_ms), [start + 2 * HOUR, start + HOUR]);
  assert.equal(bench.answer('fundingHistory', { symbol: 'BTC-20260106-100000-C', limit: 10 }).status, 404);
});

test('a past hour has the mean of its premiums, in memory and in the history', (t) => {
  const bench = new Bench(t);
  trade(bench, 1, 2, 2);
  bench.place({ ...BTC_PERP, wallet: 1, side: BUY, price: 100_100 * USDC, size: ONE });
  pass(bench, 2 * MINUTE);
  assert.equal(bench.body('funding', { symbol: 'BTC-PERP' }).premium, 0.001);
  bench.cancel(1, 3);
  pass(bench, HOUR);
  for (let round = 0; round < 2; round++) {
    const [hour] = bench.body<Rows>('fundingHistory', { symbol: 'BTC-PERP', limit: 1 }).data;
    assert.ok(Math.abs(Number(hour!.premium) - 0.001 * 2 / 60) < 0.000003, `premium ${hour!.premium}`);
    bench.commit();
  }
});

test('what is accrued is owed until the next booking, which tells the hours since the position was last paid', (t) => {
  const bench = new Bench(t);
  trade(bench, 1, 2, 2);
  pass(bench, 90 * MINUTE);
  const own = (symbol?: string): Payments => (
    bench.body<Payments>('fundingPayments', { wallet: BOB, limit: 10, offset: 0, ...(symbol === undefined ? {} : { symbol }) })
  );
  assert.deepEqual([own().data, own().accrued], [[], '-2.5']);
  assert.equal(own('ETH-PERP').accrued, '0');
  trade(bench, 3, 2, 1);
  const { data, accrued } = own('BTC-PERP');
  assert.equal(accrued, '0');
  const at = bench.venue.now;
  assert.deepEqual(data, [{
    symbol: 'BTC-PERP', from_time: at - 90 * MINUTE, to_time: at - 30 * MINUTE, hours: 1, rate: 0.0000125, position: '2', amount: '-2.5',
    booked_ms: at,
  }]);
  bench.commit();
  pass(bench, 3 * HOUR);
  trade(bench, 3, 2, 1);
  const [newest, older] = own('BTC-PERP').data;
  assert.deepEqual([newest!.hours, newest!.from_time, newest!.to_time, newest!.rate, newest!.amount],
    [3, at - 30 * MINUTE, at + 150 * MINUTE, 0.0000375, '-11.25']);
  assert.deepEqual(older, data[0]);
  assert.deepEqual(own('ETH-PERP').data, []);
});

test('given an account that acts without changing its position, then each booking begins where the last one ended', (t) => {
  const bench = new Bench(t);
  trade(bench, 1, 2, 2);
  const start = bench.venue.now;
  for (let hour = 0; hour < 3; hour++) {
    pass(bench, HOUR);
    assert.equal(bench.place({ ...BTC_PERP, wallet: 2, side: BUY, price: 90_000 * USDC, size: ONE }), OK);
  }
  const { data } = bench.body<Payments>('fundingPayments', { wallet: BOB, limit: 10, offset: 0 });
  assert.deepEqual(data.map(({ from_time: from, to_time: to, hours }) => [from, to, hours]),
    [2, 1, 0].map((hour) => [start + hour * HOUR, start + (hour + 1) * HOUR, 1]));
});

test('the channels of perps tell the state at once, then the newest state, at most once in 100 ms, to who asked for the perp', (t) => {
  const bench = new Bench(t);
  const snapshot = (channel: string, key: string): Row[] => bench.body<{ messages: Row[] }>('subscribe', { channel, key }).messages;
  const topicOf = (channel: string, key: string): number => bench.body<{ topic: number }>('subscribe', { channel, key }).topic;
  for (const channel of ['funding', 'perp_ticker']) {
    assert.deepEqual(snapshot(channel, '').map(({ symbol }) => symbol), ['BTC-PERP', 'ETH-PERP']);
    const { type, timestamp, seq, ...state } = snapshot(channel, 'BTC-PERP')[0]!;
    assert.deepEqual([typeof type, timestamp, typeof seq], ['string', bench.venue.now, 'number']);
    assert.deepEqual(state, channel === 'funding' ? bench.body('funding', { symbol: 'BTC-PERP' }) : bench.body<Rows>('perps', {}).data[0]);
    for (const key of ['DOGE-PERP', 'BTC-20260106-100000-C']) assert.equal(bench.answer('subscribe', { channel, key }).status, 404);
  }
  const [funding, ticker, ether] = [topicOf('funding', 'BTC-PERP'), topicOf('perp_ticker', 'BTC-PERP'), topicOf('perp_ticker', 'ETH-PERP')];
  const to = (topic: number): Row[] => bench.sent.filter((one) => one.topic === topic).map(({ message }) => message);
  trade(bench, 1, 2, 2);
  for (let i = 0; i < 20; i++) bench.flush();
  bench.sent.length = 0;
  pass(bench, 10 * SECOND);
  for (let i = 0; i < 20; i++) bench.flush();
  const { premium, predicted_rate: predicted, symbol } = to(funding).at(-1)!;
  assert.deepEqual([symbol, premium, predicted], ['BTC-PERP', 0, 0.0000125]);
  const ticks = to(ticker);
  assert.ok(ticks.length >= 1 && ticks.every((one) => one.symbol === 'BTC-PERP'));
  assert.deepEqual([ticks.at(-1)!.open_interest, ticks.at(-1)!.volume_24h], [2, 2]);
  assert.ok(to(ether).every((one) => one.symbol === 'ETH-PERP'));
  bench.sent.length = 0;
  bench.isHeld = true;
  for (let i = 0; i < 5; i++) {
    bench.place({ ...BTC_PERP, wallet: 1, side: SELL, price: (101_000 + 100 * i) * USDC, size: ONE });
    bench.flush();
  }
  assert.equal(to(ticker).length, 1, 'five changes in 50 ms');
  for (let i = 0; i < 20; i++) bench.flush();
  assert.equal(to(ticker).length, 2, 'the last of them is not lost');
});

test('given rates that stay, when commands go by, then the channel allocates nothing for them', (t) => {
  const bench = new Bench(t);
  bench.answer('subscribe', { channel: 'funding', key: '' });
  const record = { views: viewsOf(new ArrayBuffer(64)), at: 0, seq: 1, time: bench.venue.now };
  // Code that is not compiled yet makes an object of every number that it reads.
  for (let command = 0; command < 100_000; command++) bench.reader.streams.finish(record);
  const bytes = Array.from({ length: 9 }, () => {
    const before = process.memoryUsage().heapUsed;
    for (let command = 0; command < 2_000; command++) bench.reader.streams.finish(record);
    return process.memoryUsage().heapUsed - before;
  });
  assert.ok(bytes.sort((a, b) => a - b)[4]! < 64_000, `bytes in 2,000 commands: ${bytes.join(' ')}`);
});
