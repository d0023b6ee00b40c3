// Competitions in the reader: who scores, what a fill counts, ranks and medals, against sums made here by the rules of decision 5.7; the
// same from a rebuilt history.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { PERP } from '../../../core/codec/commands.ts';
import { FILL, FILL_TAKER } from '../../../core/codec/events.ts';
import { BUY, SELL } from '../../../core/units.ts';
import { LiquidationScene } from '../../core/liquidation/liquidation-scene.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { Bench, CALL_100, walletText } from './support.ts';
import { START } from '../../support/venue.ts';

const USDC = 1e6;
const ONE = 1e6;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Not at marks of five minutes. */
const FROM = START + 7 * MINUTE;
const TO = START + 3 * HOUR + 2 * MINUTE;

const WALLETS = [1, 2, 3, 4];

type Row = { rank: number; wallet: string; username: string; pnl: string; volume: string; efficiency: string; medal: number | null };
type SharedValue = { data: Row[]; connected_user: Record<string, unknown> | null; sort_by: string; pagination: { count: number } };

function board(bench: Bench, more: object = {}): SharedValue {
  return bench.body<SharedValue>('leaderboard', { competition_id: 1, sort_order: 'desc', limit: 100, offset: 0, ...more });
}

function equityOf(bench: Bench, wallet: number): number {
  const { margin_summary: summary } = bench.body<{ margin_summary: { equity: string } }>('portfolio', { wallet: walletText(wallet) });
  return Math.round(Number(summary.equity) * 1e6);
}

function create(bench: Bench): void {
  bench.venue.venue(bench.venue.write.competition(FROM, TO, 7, 0, ['Spring', 'First of all', '', '']));
  bench.feed();
}

/** The index moves each minute. */
function run(bench: Bench, until: number): void {
  while (bench.venue.now < until) {
    bench.venue.advance(MINUTE);
    const step = (bench.venue.now - START) / MINUTE;
    bench.venue.venue(bench.venue.write.index(0, (100_000 + 41 * (step % 13)) * USDC, 1));
    bench.venue.settle();
    bench.feed();
  }
}

function fill(bench: Bench, [buyer, seller]: readonly [number, number], price: number, size = ONE, more: { signer?: number } = {}): void {
  assert.equal(bench.place({ wallet: seller, side: SELL, price, size, ...more }), 0);
  assert.equal(bench.place({ wallet: buyer, side: BUY, price, size, tif: 1, ...more }), 0);
}

/** What each wallet's fills should count for, and its equity where it is looked at. */
class Expected {
  readonly before = new Map<number, number>();
  readonly #sums = new Map(WALLETS.map((wallet) => [wallet, { volume: 0, adjustment: 0 }]));

  counts([buyer, seller]: readonly [number, number], price: number, counted: number, volume: number): void {
    this.#sums.get(buyer)!.adjustment += price - counted;
    this.#sums.get(seller)!.adjustment -= price - counted;
    for (const wallet of [buyer, seller]) this.#sums.get(wallet)!.volume += volume;
  }

  check(rows: readonly Row[], equity: (wallet: number) => number): void {
    const wanted = WALLETS.map((wallet) => {
      const { volume, adjustment } = this.#sums.get(wallet)!;
      const pnl = equity(wallet) - (this.before.get(wallet) ?? 10_000_000 * USDC) + adjustment;
      const efficiency = volume === 0 ? 0 : Math.round(pnl / volume * 1e6) / 1e6;
      return { wallet: walletText(wallet), pnl, volume: volume / 1e6, efficiency };
    }).sort((a, b) => b.pnl - a.pnl);
    assert.deepEqual(rows.map(({ wallet, pnl, volume, efficiency }) => (
      { wallet, pnl: Math.round(Number(pnl) * 1e6), volume: Number(volume), efficiency: Number(efficiency) }
    )), wanted);
    assert.deepEqual(rows.map(({ rank }) => rank), [1, 2, 3, 4]);
  }
}

/** A fill near the mark, one far above it, and one between wallets whose orders an agent of both has signed. */
function compete(bench: Bench): Expected {
  const expected = new Expected();
  const [slot] = bench.venue.slots((one) => (
    one.expiry === CALL_100.expiry && one.strike === CALL_100.strike && one.kind === CALL_100.kind && one.underlying === 'BTC'
  ));
  const { valuation } = bench.reader.state;
  fill(bench, [1, 2], 2_000 * USDC);
  assert.deepEqual(board(bench, { wallet: walletText(1) }).data, []);
  run(bench, FROM - MINUTE);
  // What holds at the start: the state of the minute before, for nothing has happened since.
  for (const wallet of [1, 2]) expected.before.set(wallet, equityOf(bench, wallet));
  run(bench, FROM + 10 * MINUTE);
  bench.commit();
  const near = Math.round(valuation.mark[slot!]! / 1e7) * 1e7;
  fill(bench, [3, 1], near);
  expected.counts([3, 1], near, near, near);
  const gift = 4_000 * USDC;
  const bound = valuation.mark[slot!]! + Math.max(Math.floor(valuation.mark[slot!]! / 20), Math.floor(valuation.markIndex[0]! / 1_000));
  fill(bench, [4, 1], gift);
  expected.counts([4, 1], gift, bound, gift);
  // The sums are loaded now, and kept up to date from here on.
  board(bench);
  for (const wallet of [2, 4]) assert.equal(bench.venue.send(bench.venue.write.agent('approve', wallet, 900 + wallet, 77)), 0);
  bench.feed();
  const ownMark = valuation.mark[slot!]!;
  fill(bench, [2, 4], near + 30 * USDC, ONE, { signer: 77 });
  expected.counts([2, 4], near + 30 * USDC, ownMark, 0);
  run(bench, FROM + HOUR);
  return expected;
}

test('while a competition runs: profit, volume and efficiency; sort orders, pages, the wallet\'s own standing', (t) => {
  const bench = new Bench(t);
  create(bench);
  const expected = compete(bench);
  const active = board(bench, { wallet: walletText(3) });
  expected.check(active.data, (wallet) => equityOf(bench, wallet));
  assert.ok(active.data.every(({ medal }) => medal === null));
  assert.equal(active.connected_user!['rank'], active.data.find(({ wallet }) => wallet === walletText(3))!.rank);
  assert.deepEqual(board(bench, { wallet: walletText(9) }).connected_user, {
    rank: null, wallet: walletText(9), username: '', pnl: null, volume: null, efficiency: null, medal: null,
  });
  assert.deepEqual(board(bench, { sort_order: 'asc' }).data, active.data.toReversed());
  assert.deepEqual(board(bench, { offset: 1, limit: 2 }).data, active.data.slice(1, 3));
  const byVolume = board(bench, { sort_by: 'volume' }).data.map(({ volume }) => Number(volume));
  assert.deepEqual(byVolume, byVolume.toSorted((a, b) => b - a));
});

test('after its end a competition stands still, has medals and fills, and is the same from a rebuilt history', (t) => {
  const bench = new Bench(t);
  create(bench);
  const expected = compete(bench);
  bench.commit();
  run(bench, TO - MINUTE);
  const atEnd = new Map(WALLETS.map((wallet) => [wallet, equityOf(bench, wallet)]));
  run(bench, TO + HOUR);
  fill(bench, [3, 2], 2_100 * USDC);
  const final = board(bench).data;
  expected.check(final, (wallet) => atEnd.get(wallet)!);
  assert.deepEqual(final.map(({ medal }) => medal), [1, 2, 3, null]);
  assert.deepEqual(board(bench).data, final);
  const again = new Bench(t, { venue: bench.venue });
  assert.deepEqual(board(again).data, final);
  const third = new Bench(t, { venue: bench.venue });
  third.commit();
  assert.deepEqual(board(third).data, final);
  const own = { wallet: walletText(1), limit: 10, offset: 0, competition_id: 1 };
  const fills = bench.body<{ data: { timestamp: number }[] }>('fills', own).data;
  assert.equal(fills.length, 2);
  assert.ok(fills.every(({ timestamp }) => timestamp >= FROM && timestamp < TO));
});

type Profile = { data: { medal: number | null; platform_medals: object; active_competition_rank?: object } };

test('a profile shows the standing while a competition runs, and the medals after it', (t) => {
  const bench = new Bench(t);
  create(bench);
  const honours = (wallet: number, of = bench): unknown[] => {
    const { data } = of.body<Profile>('profile', { wallet: walletText(wallet) });
    return [data.medal, data.platform_medals, data.active_competition_rank];
  };
  const none = { pnl: null, volume: null, efficiency: null };
  assert.deepEqual(honours(1), [null, none, undefined]);
  compete(bench);
  for (const { rank, wallet, username: _, medal: __, ...sums } of board(bench).data) {
    const { data } = bench.body<Profile>('profile', { wallet });
    assert.deepEqual(data.active_competition_rank, {
      competition_id: 1, competition_name: 'Spring', competition_state: 'active', rank, ...sums, medal: null,
    });
  }
  assert.deepEqual(honours(9), [null, none, undefined], 'who has not scored has no place');
  run(bench, TO + MINUTE);
  const won = board(bench).data;
  for (const round of ['first', 'kept']) {
    for (const { wallet, medal } of won) {
      const { data } = bench.body<Profile>('profile', { wallet });
      const { medal: told, platform_medals: medals, active_competition_rank: active } = data;
      assert.deepEqual([told, medals, active], [medal, { ...none, pnl: medal }, undefined], round);
    }
  }
  bench.venue.venue(bench.venue.write.competition(TO, TO + HOUR, 2, 1, ['Second', '', '', '']));
  bench.feed();
  fill(bench, [3, 9], 2_000 * USDC);
  run(bench, TO + 2 * HOUR);
  for (const wallet of [3, 9]) {
    const [medal, medals] = honours(wallet) as [number, { pnl: number | null; volume: number }];
    const before = won.find((one) => one.wallet === walletText(wallet))?.medal ?? null;
    assert.deepEqual([medals.pnl, medal], [before, Math.min(before ?? Infinity, medals.volume)]);
    assert.deepEqual(honours(wallet, new Bench(t, { venue: bench.venue })), honours(wallet));
  }
});

test('realised profit on the stream includes funding that is due, paid or not', (t) => {
  const bench = new Bench(t);
  create(bench);
  run(bench, FROM);
  const perp = { underlying: 'BTC', expiry: 0, strike: 0, kind: PERP, price: 100_000 * USDC, size: ONE };
  bench.place({ ...perp, wallet: 2, side: SELL });
  bench.place({ ...perp, wallet: 1, side: BUY });
  run(bench, START + HOUR + 2 * MINUTE);
  type Told = { messages: { type: string; lifetime_realized_pnl: string; timestamp: number }[] };
  for (const wallet of [1, 2].map(walletText)) {
    const { messages } = bench.body<Told>('subscribe', { channel: 'competition', key: wallet, from_seq: 0 });
    const told = messages.findLast(({ type }) => type === 'CompetitionPnlSummary')!;
    assert.ok(told.timestamp > START + HOUR);
    const { data } = bench.body<{ data: { pnl: { lifetime_realized: string } } }>('profile', { wallet });
    assert.notEqual(told.lifetime_realized_pnl, '0', 'the hour asked for a rate');
    assert.equal(told.lifetime_realized_pnl, data.pnl.lifetime_realized);
  }
});

test('a competition whose start has passed begins when it is created, with each wallet\'s equity of then', (t) => {
  const bench = new Bench(t);
  fill(bench, [1, 2], 2_000 * USDC);
  run(bench, START + 6 * MINUTE);
  // Flat again at a loss, within the five minutes that the creation lies in; wallet 3 has gained it.
  fill(bench, [3, 1], 1_000 * USDC);
  run(bench, START + 7 * MINUTE);
  const expected = new Expected();
  for (const wallet of [1, 2, 3]) expected.before.set(wallet, equityOf(bench, wallet));
  bench.venue.venue(bench.venue.write.competition(START, TO, 7, 0, ['Late', '', '', '']));
  bench.feed();
  const { data } = bench.body<{ data: { start_ts_ms: number; state: string } }>('competition', { id: 1 });
  assert.deepEqual([data.start_ts_ms, data.state], [START + 7 * MINUTE, 'active']);
  assert.deepEqual(board(bench).data, [], 'what was traded before does not count');
  const [slot] = bench.venue.slots((one) => (
    one.expiry === CALL_100.expiry && one.strike === CALL_100.strike && one.kind === CALL_100.kind && one.underlying === 'BTC'
  ));
  for (const pair of [[1, 2], [3, 4]] as const) {
    const mark = bench.reader.state.valuation.mark[slot!]!;
    const price = Math.round(mark / 1e7) * 1e7;
    fill(bench, pair, price);
    expected.counts(pair, price, price, price);
  }
  run(bench, START + HOUR);
  expected.check(board(bench).data, (wallet) => equityOf(bench, wallet));
  const again = new Bench(t, { venue: bench.venue });
  again.commit();
  assert.deepEqual(board(again).data, board(bench).data);
});

test('a competition created at the moment an account opens leaves the account\'s deposit unchanged', (t) => {
  const bench = new Bench(t);
  run(bench, START + 7 * MINUTE);
  fill(bench, [1, 2], 2_000 * USDC);
  // 3 holds its position at the creation, 1 has closed its own.
  fill(bench, [3, 1], 1_000 * USDC);
  bench.venue.venue(bench.venue.write.competition(START, TO, 7, 0, ['Late', '', '', '']));
  bench.feed();
  type Money = { data: { margin: { deposits: string } } };
  const deposits = (): string[] => [1, 2, 3].map((wallet) => (
    bench.body<Money>('profile', { wallet: walletText(wallet) }).data.margin.deposits
  ));
  assert.deepEqual(deposits(), ['10000000', '10000000', '10000000']);
  bench.commit();
  assert.deepEqual(deposits(), ['10000000', '10000000', '10000000']);
});

test('a wallet flat at the creation starts with its equity of then, also after a reader restart', (t) => {
  const folder = temporaryFolder(t);
  const first = new Bench(t, { folder });
  fill(first, [1, 2], 2_000 * USDC);
  fill(first, [5, 3], 2_000 * USDC);
  run(first, START + 6 * MINUTE);
  // 1 and 2 are flat within the five minutes that the creation lies in; 4 was, and holds a position again.
  fill(first, [2, 1], 1_000 * USDC);
  fill(first, [4, 3], 2_000 * USDC);
  fill(first, [3, 4], 1_500 * USDC);
  fill(first, [4, 3], 2_000 * USDC);
  first.commit();
  first.history.store.close();
  const bench = new Bench(t, { folder, venue: first.venue });
  bench.venue.advance(MINUTE);
  bench.feed();
  const before = WALLETS.map((wallet) => equityOf(bench, wallet));
  bench.venue.venue(bench.venue.write.competition(START, TO, 7, 0, ['Late', '', '', '']));
  bench.feed();
  bench.nonce = first.nonce;
  fill(bench, [1, 3], 2_000 * USDC);
  fill(bench, [2, 4], 2_000 * USDC);
  const pnl = (): Map<string, string> => new Map(board(bench).data.map((row) => [row.wallet, row.pnl]));
  const gained = (wallet: number): number => Math.round(Number(pnl().get(walletText(wallet))) * 1e6);
  const adjusted = new Map(bench.reader.rows.rows.scores.map(({ wallet, adjustment }) => [wallet, adjustment]));
  assert.deepEqual(
    WALLETS.map(gained),
    WALLETS.map((wallet, at) => equityOf(bench, wallet) - before[at]! + adjusted.get(walletText(wallet))!),
  );
  const whole = new Bench(t, { venue: bench.venue });
  bench.commit();
  assert.deepEqual(board(bench).data, board(whole).data);
});

test('at start, end and creation every account has its equity, although they take turns at other marks', (t) => {
  const bench = new Bench(t);
  const few = new Bench(t, { venue: bench.venue, mostAccounts: 1 });
  const points = (of: Bench, wallet: number): [number, string][] => {
    const parameters = { wallet: walletText(wallet), interval: '5m', limit: 100 } as const;
    const { data } = of.body<{ data: { points: { timestamp: number; equity: string }[] } }>('historicalPnl', parameters);
    return data.points.map(({ timestamp, equity }) => [timestamp, equity]);
  };
  fill(bench, [1, 2], 2_000 * USDC);
  fill(bench, [3, 4], 2_000 * USDC);
  run(bench, START + 6 * MINUTE);
  create(bench);
  run(bench, FROM + MINUTE);
  bench.venue.venue(bench.venue.write.competition(START, TO, 7, 0, ['Late', '', '', '']));
  bench.feed();
  fill(bench, [1, 3], 2_000 * USDC);
  fill(bench, [2, 4], 2_000 * USDC);
  // Flat, and not any more before the next mark: whosever turn it is, what they had in between is not their equity there.
  for (const minute of [2, 7]) {
    run(bench, START + 2 * HOUR + minute * MINUTE);
    for (const pair of [[3, 1], [1, 3], [3, 1], [4, 3], [3, 4]] as const) fill(bench, pair, 2_000 * USDC);
  }
  // Nothing is heard for long, across a mark and the end.
  run(bench, TO - 3 * MINUTE);
  bench.venue.advance(20 * MINUTE);
  run(bench, TO + 20 * MINUTE);
  few.feed();
  for (const competition of [1, 2]) {
    assert.equal(board(bench, { competition_id: competition }).data.length, 4);
    assert.deepEqual(board(few, { competition_id: competition }).data, board(bench, { competition_id: competition }).data);
  }
  let left = 0;
  for (const wallet of WALLETS) {
    const all = new Map(points(bench, wallet));
    // The interval of the start shows that, where the mark at its end is not this wallet's turn.
    const some = points(few, wallet).filter(([time]) => time !== START + 10 * MINUTE);
    left += all.size - some.length;
    for (const [time, equity] of some) assert.equal(equity, all.get(time), `wallet ${wallet} at minute ${(time - START) / MINUTE}`);
  }
  assert.ok(left > 10, 'they take turns');
});

test('the insurance fund takes no part, and what it closes counts for the other side', (t) => {
  const scene = new LiquidationScene();
  const bench = new Bench(t, { venue: scene });
  scene.venue(scene.write.competition(START, TO, 7, 1, ['LiquidationScene', '', '', '']));
  scene.trade(1, 2, 100_000, 1);
  scene.seconds(1);
  scene.index(90_800);
  scene.seconds(4);
  assert.equal(scene.positionOf(scene.fund()), 1);
  assert.equal(scene.buy(3, 90_800, 0.5, { slot: scene.perp }), 0);
  scene.kept = [];
  scene.seconds(30);
  const sold = scene.seen(FILL).filter((slots) => slots[FILL_TAKER] === scene.fund());
  assert.ok(sold.length > 0);
  bench.feed();
  const traded = new Map(board(bench).data.map(({ wallet, volume }) => [wallet, Number(volume)]));
  assert.deepEqual([...traded.keys()].sort(), [1, 2, 3].map(walletText).sort());
  assert.ok(traded.get(walletText(3))! > 0);
});

test('competitions are listed by state and time and read by id; an unknown one is 404', (t) => {
  const bench = new Bench(t);
  create(bench);
  const count = (more: object): number => bench.body<{ data: unknown[] }>('competitions', { limit: 10, offset: 0, ...more }).data.length;
  assert.deepEqual(
    [count({}), count({ state: 'pre' }), count({ state: 'active' }), count({ offset: 1 }), count({ limit: 0 })], [1, 1, 0, 0, 0],
  );
  assert.deepEqual(
    [count({ from: TO }), count({ from: TO + 1 }), count({ to: FROM }), count({ to: FROM - 1 }), count({ from: FROM + 1, to: FROM + 2 })],
    [1, 0, 1, 0, 1],
  );
  run(bench, FROM);
  assert.equal(count({ state: 'active' }), 1);
  assert.deepEqual(bench.body('competition', { id: 1 }), {
    success: true,
    data: {
      id: 1, name: 'Spring', description: 'First of all', rules_url: null, rules_content: null,
      win_conditions: ['pnl', 'volume', 'efficiency'], primary_win_condition: 'pnl', start_ts_ms: FROM, end_ts_ms: TO, state: 'active',
      created_at: new Date(START).toISOString(), updated_at: new Date(START).toISOString(),
    },
  });
  for (const name of ['competition', 'leaderboard'] as const) {
    const parameters = { id: 2, competition_id: 2, sort_order: 'desc', limit: 1, offset: 0 } as const;
    assert.equal(bench.answer(name, parameters).status, 404);
  }
});
