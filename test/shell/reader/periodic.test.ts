// Series over time, made from what was applied: equity at every mark against the portfolio's own figure, theoretical prices, candles
// against the ticks that were sent, payouts against the settlement's events; all the same from a rebuilt store.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { POSITION_SETTLED, SETTLED_NET, SETTLED_PAYOUT_ID, SETTLED_POSITION, SETTLED_VALUE, ACCOUNT } from '../../../core/codec/events.ts';
import { BUY, SELL } from '../../../core/units.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, EXPIRY, walletText } from './support.ts';
import { LiquidationScene } from '../../core/liquidation/liquidation-scene.ts';
import { START } from '../../support/venue.ts';

const USDC = 1e6;
const ONE = 1e6;
const MINUTE = 60_000;
const MARK = 5 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Points<T> = { data: { points: ({ timestamp: number } & T)[] } };
type Payout = Record<string, unknown> & { id: number; symbol: string; net_pnl: string; settlement_value: string };

function equityOf(bench: Bench, wallet: number): string {
  return bench.body<{ margin_summary: { equity: string } }>('portfolio', { wallet: walletText(wallet) }).margin_summary.equity;
}

function pnlOf(bench: Bench, wallet: number, interval: '5m' | '1h' | '1d', limit = 100): [number, string][] {
  const { data } = bench.body<Points<{ equity: string }>>('historicalPnl', { wallet: walletText(wallet), interval, limit });
  return data.points.map(({ timestamp, equity }) => [timestamp, equity]);
}

/** Moves the index each minute, or as often as `every` says, up to `until`. */
function run(bench: Bench, until: number, each: (time: number) => void = () => {}, every = MINUTE): void {
  for (let step = 0; bench.venue.now < until; step++) {
    bench.venue.advance(every);
    bench.venue.venue(bench.venue.write.index(0, (100_000 + 37 * (step % 11) - 20 * (step % 5)) * USDC, 1));
    bench.venue.settle();
    bench.feed();
    each(bench.venue.now);
  }
}

function trade(bench: Bench): void {
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 2 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 2 * ONE });
}

test('equity at each mark equals the portfolio\'s of then; a wallet without a position keeps its last', (t) => {
  const bench = new Bench(t);
  trade(bench);
  bench.place({ wallet: 3, side: BUY, price: USDC, size: ONE });
  // Opened at a mark itself.
  const said: [number, string][] = [[START, '10000000']];
  // The state before the first command at or after a mark is the one that counts: of the minute before.
  let last = equityOf(bench, 1);
  run(bench, START + 2 * HOUR, (time) => {
    if (time % MARK === 0) said.push([time, last]);
    last = equityOf(bench, 1);
    if (time % (20 * MINUTE) === 0) bench.commit();
  });
  assert.deepEqual(pnlOf(bench, 1, '5m'), said);
  assert.ok(new Set(said.map(([, equity]) => equity)).size > 10);
  assert.deepEqual(pnlOf(bench, 1, '5m', 3), said.slice(-3));
  assert.deepEqual(pnlOf(bench, 1, '1h'), said.filter(([time]) => time % HOUR === 0));
  assert.deepEqual(pnlOf(bench, 1, '1d'), said.slice(0, 1));
  assert.deepEqual(pnlOf(bench, 1, '5m', 0), []);
  assert.deepEqual(pnlOf(bench, 3, '5m'), [[START, '10000000']], 'from its opening on it has not changed');
  assert.deepEqual(pnlOf(bench, 9, '5m'), []);
});

test('the insurance fund\'s equity is its fees while flat, and then includes what it takes over', (t) => {
  const scene = new LiquidationScene();
  const bench = new Bench(t, { venue: scene });
  scene.trade(1, 2, 100_000, 1);
  scene.index(92_700);
  scene.buy(3, 92_700, 0.25, { slot: scene.perp });
  scene.seconds(4);
  bench.feed();
  const fund = `0x${Buffer.from('strikebook insurance').toString('hex')}`;
  type Equity = { margin_summary: { equity: string }; positions: object[] };
  const stands = (): [string, number] => {
    const { margin_summary: { equity }, positions } = bench.body<Equity>('portfolio', { wallet: fund });
    return [equity, positions.length];
  };
  const last = (): string => {
    scene.now += MARK;
    const { data } = bench.body<Points<{ equity: string }>>('historicalPnl', { wallet: fund, interval: '5m', limit: 1 });
    scene.now -= MARK;
    return data.points[0]!.equity;
  };
  assert.deepEqual([stands(), last()], [['1000231.75', 0], '1000231.75']);

  scene.seconds(300);
  bench.feed();
  const [worth, positions] = stands();
  assert.deepEqual([positions, last()], [1, worth]);
});

test('theoretical prices and candles come by interval, and the current candle has its ticks so far', (t) => {
  const bench = new Bench(t);
  run(bench, START + 3 * HOUR + 7 * MINUTE);
  const theos = bench.body<Points<{ theoretical_price: number }>>('historicalTheos', {
    instrument_name: CALL_100_SYMBOL, interval: '1h', limit: 2,
  }).data.points;
  assert.deepEqual(theos.map(({ timestamp }) => timestamp), [START + 2 * HOUR, START + 3 * HOUR]);
  assert.ok(theos.every(({ theoretical_price: price }) => price > 1_000 && price < 5_000));
  const { data } = bench.body<{ data: { candles: Record<string, number>[] } }>('candles', {
    underlying: 'BTC', resolution: '5m', start: START + 3 * HOUR, end: START + 4 * HOUR,
  });
  const price = (minute: number): number => 100_000 + 37 * (minute % 11) - 20 * (minute % 5);
  // The tick of step s comes at minute s + 1.
  const expected = [[180, 185], [185, 188]].map(([from, to]) => {
    const prices = Array.from({ length: to! - from! }, (_, at) => price(from! + at - 1));
    return [START + from! * MINUTE, prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1)];
  });
  assert.deepEqual(data.candles.map((one) => [one.start_time_ms, one.open, one.high, one.low, one.close]), expected);
  assert.equal(data.candles[0]!.end_time_ms, START + 3 * HOUR + MARK);
  const doge = bench.answer('candles', { underlying: 'DOGE', resolution: '5m', start: START, end: START + HOUR });
  assert.deepEqual([doge.status, JSON.parse(doge.body).error], [400, 'invalid_parameter']);
  const unknown = bench.answer('historicalTheos', { instrument_name: 'BTC-20300101-1-C', interval: '5m', limit: 1 });
  assert.deepEqual([unknown.status, JSON.parse(unknown.body).error], [404, 'not_found']);
  const blank = bench.answer('historicalTheos', { instrument_name: ' ', interval: '5m', limit: 1 });
  assert.deepEqual([blank.status, JSON.parse(blank.body).error], [400, 'invalid_parameter']);
});

test('a settlement has payout rows, and a rebuilt store gives the same of everything', (t) => {
  const bench = new Bench(t);
  trade(bench);
  const events: number[][] = [];
  const { listener } = bench.venue.state.events;
  bench.venue.state.events.listener = (kind, f) => {
    listener!(kind, f);
    const slots = [ACCOUNT, SETTLED_PAYOUT_ID, SETTLED_POSITION, SETTLED_VALUE, SETTLED_NET];
    if (kind === POSITION_SETTLED) events.push(slots.map((slot) => f[slot]!));
  };
  run(bench, EXPIRY + HOUR, () => bench.commit(), HOUR);
  const rows = [1, 2].flatMap((wallet) => (
    bench.body<{ data: Payout[] }>('payouts', { wallet: walletText(wallet), limit: 50, offset: 0 }).data
  ));
  const text = (micros: number): string => String(micros / 1e6);
  assert.deepEqual(
    rows.map((row) => [row.id, row.position_size, row.settlement_value, row.net_pnl]).sort(),
    events.map(([, id, position, value, net]) => [id, text(position!), text(value!), text(net!)]).sort(),
  );
  assert.equal(rows.length, 2);
  assert.deepEqual({ ...rows[0], id: 0, settlement_price: '', settlement_value: '', net_pnl: '', created_at: 0 }, {
    id: 0, wallet: walletText(1), symbol: CALL_100_SYMBOL, expiry_ts: EXPIRY / 1_000, position_size: '-2', settlement_price: '',
    settlement_value: '', settlement_entry_price: '2000', cost_basis: '-4000', net_pnl: '', ledger_applied: true, is_seen: false,
    created_at: 0,
  });
  const one = { wallet: walletText(1), limit: 50, offset: 0 };
  const count = (more: object): number => bench.body<{ data: unknown[] }>('payouts', { ...one, ...more }).data.length;
  assert.deepEqual(
    [count({ symbol: CALL_100_SYMBOL }), count({ symbol: 'BTC-06JAN26-100000-C' }), count({ symbol: 'BTC-20260106-90000-C' }),
      count({ symbol: 'x' }), count({ ledger_applied: true }), count({ ledger_applied: false }), count({ offset: 1 })],
    [1, 1, 0, 0, 1, 0, 0],
  );
  // After the settlement the wallet is flat: its last point is its cash.
  assert.equal(pnlOf(bench, 1, '5m').at(-1)![1], equityOf(bench, 1));

  const again = new Bench(t, { venue: bench.venue });
  const everything = (of: Bench): unknown[] => [1, 2, 3].flatMap((wallet) => [
    ...(['5m', '1h', '1d'] as const).map((interval) => pnlOf(of, wallet, interval)), of.body('profile', { wallet: walletText(wallet) }),
    of.body('payouts', { wallet: walletText(wallet), limit: 50, offset: 0 }),
  ]).concat(
    (['5m', '1h', '1d'] as const).map((interval) => (
      of.body('historicalTheos', { instrument_name: CALL_100_SYMBOL, interval, limit: 100 })
    )),
    (['1m', '4h', '1d'] as const).map((resolution) => (
      of.body('candles', { underlying: 'BTC', resolution, start: START, end: START + DAY })
    )),
  );
  const fromMemory = everything(again);
  again.commit();
  assert.deepEqual(fromMemory, everything(bench));
  assert.deepEqual(everything(again), everything(bench));
});

test('a profile has margin in use, available balance, profit and the account\'s age', (t) => {
  const bench = new Bench(t);
  trade(bench);
  run(bench, START + DAY + 2 * HOUR, () => {}, 20 * MINUTE);
  type Profile = { data: { margin: Record<string, string>; pnl: Record<string, string>; [name: string]: unknown } };
  const { data } = bench.body<Profile>('profile', { wallet: walletText(1) });
  const portfolio = bench.body<{ total_margin_used: string; available_balance: string; positions: { unrealized_pnl: string }[] }>(
    'portfolio', { wallet: walletText(1) },
  );
  assert.deepEqual(data.margin, {
    in_use: portfolio.total_margin_used, available: portfolio.available_balance,
    total: String((Number(portfolio.total_margin_used) * 1e6 + Number(portfolio.available_balance) * 1e6) / 1e6),
    deposits: '10000000', withdraws: '0',
  });
  assert.equal(data.pnl.unrealized, portfolio.positions[0]!.unrealized_pnl);
  assert.equal(data.pnl.lifetime_realized, '0');
  const yesterday = pnlOf(bench, 1, '1h').find(([time]) => time === bench.venue.now - DAY)![1];
  const gained = Math.round(Number(equityOf(bench, 1)) * 1e6 - Number(yesterday) * 1e6);
  assert.equal(Math.round(Number(data.pnl.pnl_24h) * 1e6), gained);
  assert.deepEqual([data.account_first_seen_ts_ms, data.account_age_days, data.username], [START, 1, '']);
  const { data: stranger } = bench.body<Profile>('profile', { wallet: walletText(8) });
  assert.deepEqual([stranger.account_first_seen_ts_ms, stranger.margin.total, stranger.pnl.pnl_24h], [null, '10000000', '0']);
});

test('fills are filtered by time and symbol', (t) => {
  const bench = new Bench(t);
  const OTHER = { ...CALL_100, strike: 110_000e6 };
  for (let i = 0; i < 6; i++) {
    const contract = i % 2 === 0 ? CALL_100 : OTHER;
    bench.place({ ...contract, wallet: 1, side: SELL, price: 2_000 * USDC, size: ONE });
    bench.place({ ...contract, wallet: 2, side: BUY, price: 9_000 * USDC, size: ONE });
    bench.venue.advance(MINUTE);
    bench.feed();
    if (i === 3) bench.commit();
  }
  const times = (more: object): number[] => (
    bench.body<{ data: { timestamp: number }[] }>('fills', { wallet: walletText(1), limit: 10, offset: 0, ...more }).data
      .map(({ timestamp }) => (timestamp - START) / MINUTE)
  );
  assert.deepEqual(times({}), [5, 4, 3, 2, 1, 0]);
  assert.deepEqual(times({ from: START + MINUTE, to: START + 4 * MINUTE }), [4, 3, 2, 1]);
  assert.deepEqual(times({ from: START + MINUTE, to: START + 4 * MINUTE, offset: 2, limit: 1 }), [2]);
  assert.deepEqual(times({ symbol: CALL_100_SYMBOL }), [4, 2, 0]);
  assert.deepEqual(times({ symbol: CALL_100_SYMBOL, from: START + 1, offset: 1 }), [2]);
  assert.deepEqual(times({ symbol: 'nonsense' }), []);
  assert.deepEqual(times({ competition_id: 1 }), []);
});
