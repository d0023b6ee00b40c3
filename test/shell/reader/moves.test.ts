// A liquidation's rows reconcile: fills of its orders carry their fee, in the listing and on the stream; takeovers and deleveragings are
// rows of /fills?kind=all only. The same in memory, from the history, and after a restart.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { FUND_POSTED, POSTED_AMOUNT, POSTED_FEE, POSTED_WHY } from '../../../core/codec/events.ts';
import { LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { MAKER_FEE, TAKER_FEE } from '../../../core/settings.ts';
import { addressOfWords } from '../../../shell/reader/text.ts';
import { shareFee } from '../../../shell/reader/history/moves.ts';
import { accountTotal, liveRows } from '../../support/raw.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { LiquidationScene } from '../../core/liquidation/liquidation-scene.ts';
import { RestartedReader, Log } from './restarted-reader.ts';
import { Bench, walletText } from './support.ts';
import { liquidateWithDeficit } from './liquidate-with-deficit.ts';

type Fill = {
  fill_id: number; trade_id: number | null; order_id: number | null; symbol: string; side: string; price: string; size: string; fee: string;
  is_taker: boolean; realized_pnl: string; kind: string; wallet_address: string;
};

const FUND = Buffer.from('strikebook insurance').toString('hex');

function liquidated(t?: TestContext): { scene: LiquidationScene; bench: Bench | null } {
  const scene = new LiquidationScene({ seed: 600, set: [[TAKER_FEE, 100], [MAKER_FEE, 0]] });
  const bench = t === undefined ? null : new Bench(t, { venue: scene });
  liquidateWithDeficit(scene);
  return { scene, bench };
}

function fills(bench: Bench, wallet: string, kind?: 'trade' | 'all', page = { limit: 1_000, offset: 0 }, symbol?: string): Fill[] {
  const asked = { wallet, ...page, ...(kind === undefined ? {} : { kind }), ...(symbol === undefined ? {} : { symbol }) };
  return bench.body<{ data: Fill[] }>('fills', asked).data;
}

const micros = (text: string): bigint => BigInt(Math.round(Number(text) * 1e6));

test('fills of a liquidation order carry its fee in proportion to size, exact to the micro', (t) => {
  const { scene, bench } = liquidated(t);
  bench!.feed();
  const posted = scene.seen(FUND_POSTED).filter((slots) => slots[POSTED_WHY] === POSTED_FEE);
  const paid = posted.reduce((sum, slots) => sum + BigInt(slots[POSTED_AMOUNT]!), 0n);
  assert.ok(posted.length === 1 && paid > 0n, 'one order');
  for (const round of ['in memory', 'in the history']) {
    const own = fills(bench!, walletText(1)).filter(({ is_taker: isTaker, side }) => isTaker && side === 'Sell');
    assert.deepEqual(own.map(({ size }) => size), ['0.02', '0.03', '0.05'], round);
    // A taker's fee of 0.01 % on 0.1 at the index, and 1 % of what was closed.
    const taker = own.reduce((sum, { size }) => sum + BigInt(Math.ceil(Number(size) * 90_000 * 100)), 0n);
    assert.equal(own.reduce((sum, { fee }) => sum + micros(fee), 0n), paid + taker);
    for (const { fee, size } of own) assert.ok(Math.abs(Number(fee) - Number(size) * (900 + 9)) < 2e-6, `${fee} for ${size}`);
    const makers = fills(bench!, walletText(3));
    assert.ok(makers.every(({ fee }) => fee === '0'), 'who bought pays nothing of it');
    bench!.commit();
  }
});

test('a fee is shared by size, and the last fill takes the rounding remainder', () => {
  assert.deepEqual(shareFee(100, [1, 1, 1]), [33, 33, 34]);
  assert.deepEqual(shareFee(7, [5]), [7]);
  assert.deepEqual(shareFee(7, []), []);
  assert.deepEqual(shareFee(2 ** 53 - 1, [2 ** 52, 2 ** 52]).reduce((sum, part) => sum + part, 0), 2 ** 53 - 1);
});

test('the stream of a liquidated wallet has its fills with their fees as the listing does, without a gap', (t) => {
  const scene = new LiquidationScene({ seed: 600 });
  const bench = new Bench(t, { venue: scene });
  for (const wallet of [1, 2, 3]) assert.equal(bench.answer('subscribe', { channel: 'fills', key: walletText(wallet) }).status, 200);
  scene.trade(1, 2, 100_000, 0.8);
  scene.seconds(1);
  scene.index(90_000);
  for (const size of [0.05, 0.03]) scene.buy(3, 89_950, size, { slot: scene.perp });
  scene.seconds(6);
  bench.feed();
  for (const wallet of [1, 2, 3]) {
    const told = bench.sent.map(({ message }) => message).filter((one) => one['wallet_address'] === walletText(wallet));
    const listed = fills(bench, walletText(wallet)).reverse();
    assert.deepEqual(told.map(({ seq }) => seq), listed.map((_, i) => i + 1));
    assert.deepEqual(told.map(({ fill_id: id, fee }) => [id, fee]), listed.map(({ fill_id: id, fee }) => [id, fee]));
    assert.ok(wallet !== 1 || told.some(({ fee }) => fee !== '0'));
  }
});

test('takeovers and deleveragings are rows of kind=all only, with their price and no trade', (t) => {
  const { scene, bench } = liquidated(t);
  bench!.feed();
  for (const round of ['in memory', 'in the history']) {
    const plain = fills(bench!, walletText(1));
    assert.ok(plain.length > 0 && plain.every(({ kind, trade_id: trade, order_id: order }) => (
      kind === 'trade' && trade !== null && order !== null
    )), round);
    assert.deepEqual(fills(bench!, walletText(1), 'trade'), plain);
    const moves = fills(bench!, walletText(1), 'all').filter(({ kind }) => kind !== 'trade');
    assert.ok(moves.every(({ trade_id: trade, order_id: order, fee }) => trade === null && order === null && fee === '0'));
    assert.deepEqual(moves.map(({ kind, symbol, side, size }) => [kind, symbol, side, size]), [
      ['takeover', 'ETH-PERP', 'Sell', '0.2'], ['deleveraging', 'BTC-PERP', 'Sell', '0.7'],
    ]);
    assert.equal(moves[0]!.price, '3000', 'at theo');
    assert.ok(Number(moves[1]!.price) > 82_000, 'at the price of no equity, above the index');
    const [other] = fills(bench!, walletText(2), 'all').filter(({ kind }) => kind !== 'trade');
    assert.deepEqual([other!.kind, other!.side, other!.size, other!.price], ['deleveraging', 'Buy', '0.7', moves[1]!.price]);
    assert.ok(Number(other!.realized_pnl) > 0);
    assert.deepEqual(fills(bench!, `0x${FUND}`, 'all').map(({ kind, side, size }) => [kind, side, size]), [['takeover', 'Buy', '0.2']]);
    bench!.commit();
  }
  assert.equal(scene.position(2), -0.1);
});

test('rows of kind=all reconcile: signed sizes with the position, realised profit less fees with cash', (t) => {
  const { scene, bench } = liquidated(t);
  bench!.feed();
  const { state } = scene;
  const posted = scene.seen(FUND_POSTED).filter((slots) => slots[POSTED_WHY] !== POSTED_FEE);
  for (let account = 0; account < accountTotal(state); account++) {
    const wallet = addressOfWords(state.accounts.address, account * 5);
    const rows = fills(bench!, wallet, 'all');
    assert.equal(new Set(rows.map(({ fill_id: id }) => id)).size, rows.length);
    const held = new Map<string, bigint>();
    for (const { symbol, side, size } of rows) held.set(symbol, (held.get(symbol) ?? 0n) + (side === 'Buy' ? 1n : -1n) * micros(size));
    for (const [symbol, sum] of held) {
      const slot = symbol === 'BTC-PERP' ? scene.perp : scene.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
      const row = liveRows(state).find((one) => one.account === account && one.instrument === slot);
      assert.equal(sum, BigInt(row?.position ?? 0), `${wallet} ${symbol}`);
    }
    if (wallet === `0x${FUND}`) continue;
    const moved = posted.filter((slots) => slots[1] === account).reduce((sum, slots) => sum - BigInt(slots[POSTED_AMOUNT]!), 0n);
    const traded = rows.reduce((sum, row) => sum + micros(row.realized_pnl) - micros(row.fee), 0n);
    assert.equal(10_000n * 1_000_000n + traded + moved, BigInt(state.accounts.cash[account]!), wallet);
  }
});

test('pages of kind=all join to the whole list, in memory or history and with any filter', (t) => {
  const { bench } = liquidated(t);
  bench!.feed();
  for (let round = 0; round < 2; round++) {
    for (const wallet of [1, 2, 3]) {
      for (const symbol of [undefined, 'BTC-PERP', 'ETH-PERP']) {
        const whole = fills(bench!, walletText(wallet), 'all', { limit: 1_000, offset: 0 }, symbol);
        const paged = whole.map((_, offset) => fills(bench!, walletText(wallet), 'all', { limit: 1, offset }, symbol)[0]);
        assert.deepEqual(paged, whole);
        assert.ok(whole.every((row, i) => i === 0 || row.fill_id < whole[i - 1]!.fill_id), 'newest first');
      }
    }
    bench!.commit();
  }
});

test('after a restart with the history behind, the rows of a liquidation are the same', async (t) => {
  const { scene, bench } = liquidated(t);
  bench!.feed();
  const wanted = [1, 2, 3].map((wallet) => JSON.stringify(fills(bench!, walletText(wallet), 'all')));
  const folder = temporaryFolder(t);
  const log = new Log(folder, scene);
  log.commit();
  log.close();
  for (const committed of [0, 1, Infinity]) {
    let batches = 0;
    const restarted = await RestartedReader.begin(folder, scene, log.seq, () => batches++ < committed);
    const told = [1, 2, 3].map((wallet) => {
      const text = restarted.answer('fills', { wallet: walletText(wallet), kind: 'all', limit: 1_000, offset: 0 });
      return JSON.stringify((JSON.parse(text.slice(4)) as { data: object[] }).data);
    });
    assert.deepEqual(told, wanted);
    restarted.store.close();
  }
});

test('liquidations are listed without wallets: fills of closing orders, takeovers and deleveragings, newest first', (t) => {
  const { scene, bench } = liquidated(t);
  bench!.feed();
  type Rows = { data: { kind: string; symbol: string; side: string; price: string; size: string; time_ms: number }[] };
  let before: Rows['data'] = [];
  for (const round of ['in memory', 'in the history']) {
    const { data } = bench!.body<Rows>('liquidations', { limit: 100, offset: 0 });
    if (round === 'in the history') assert.deepEqual(data, before);
    before = data;
    const orders = data.filter(({ kind }) => kind === 'order');
    assert.deepEqual(orders.map(({ size, side }) => [size, side]), [['0.05', 'Sell'], ['0.03', 'Sell'], ['0.02', 'Sell']].reverse(), round);
    const moved = fills(bench!, walletText(1), 'all').filter(({ kind }) => kind === 'takeover');
    assert.deepEqual(data.filter(({ kind }) => kind === 'takeover').map(({ symbol, side, size }) => [symbol, side, size]),
      moved.map(({ symbol, side, size }) => [symbol, side, size]));
    assert.ok(data.some(({ kind }) => kind === 'deleveraging'), 'wallet 2 was deleveraged');
    assert.doesNotMatch(JSON.stringify(data), /0x|order_id|trade_id/);
    const first = data.at(-1)!.time_ms;
    const early = bench!.body<Rows>('liquidations', { limit: 100, offset: 0, to: first }).data;
    assert.ok(early.length > 0 && early.length < data.length && early.every((row) => row.time_ms === first));
    assert.deepEqual(bench!.body<Rows>('liquidations', { limit: 1, offset: 1 }).data, [data[1]]);
    bench!.commit();
  }
  assert.equal(scene.status(1), LIQUIDATED);
  const { data: fund } = bench!.body<{ data: { balance: string; positions: unknown[] } }>('insuranceFund', {});
  assert.ok(Number(fund.balance) >= 0);
});
