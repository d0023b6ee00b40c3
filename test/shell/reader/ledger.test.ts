// The account ledger: rows of every kind, numbered without gaps, that sum to the cash at any seq; the same in memory, from the history,
// on the stream and after a restart.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { BUY, HOUR, MINUTE, SECOND, SELL, USDC } from '../../../core/units.ts';
import { OK } from '../../../core/errors.ts';
import { CALL } from '../../../core/codec/commands.ts';
import { BOOK_CHANGED, FUNDING_PAID, MARKS_MOVED } from '../../../core/codec/events.ts';
import { viewsOf } from '../../../core/codec/record.ts';
import { closeAccount } from '../../../core/lifecycle/account-closing.ts';
import { MAKER_FEE, SETTLEMENT_FEE, TAKER_FEE } from '../../../core/settings.ts';
import type { LedgerKind } from '../../../shell/ipc/enum-names.ts';
import type { LedgerEntry } from '../../../shell/http/shapes/account.ts';
import { ledgerRowsOf } from '../../../shell/reader/history/ledger-rows.ts';
import { addressOfWords, Names } from '../../../shell/reader/text.ts';
import { accountTotal } from '../../support/raw.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { LiquidationScene } from '../../core/liquidation/liquidation-scene.ts';
import { Log, RestartedReader } from './restarted-reader.ts';
import { Bench, walletText } from './support.ts';
import { liquidateWithDeficit } from './liquidate-with-deficit.ts';

const FUND = `0x${Buffer.from('strikebook insurance').toString('hex')}`;
const ALL = { limit: 1_000, offset: 0 };

type Query = { kind?: LedgerKind; symbol?: string; from?: number; to?: number; limit?: number; offset?: number };

function ledger(bench: Bench, wallet: string, query: Query = {}): LedgerEntry[] {
  return bench.body<{ data: LedgerEntry[] }>('ledger', { wallet, ...ALL, ...query }).data;
}

const micros = (text: string): bigint => {
  const [whole, fraction = ''] = text.replace('-', '').split('.') as [string, string?];
  const size = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return text.startsWith('-') ? -size : size;
};

/** Numbers without gaps, each balance the one before plus the amount, the last one the cash. */
function checkRows(rows: readonly LedgerEntry[], cash: number, note: string): void {
  let balance = 0n;
  rows.toReversed().forEach((row, at) => {
    assert.equal(row.seq, at + 1, note);
    assert.notEqual(row.amount, '0', note);
    balance += micros(row.amount);
    assert.equal(micros(row.balance), balance, `${note}: ${JSON.stringify(row)}`);
  });
  assert.equal(balance, BigInt(cash), note);
}

function checkAll(bench: Bench, note = ''): void {
  const { accounts } = bench.venue.state;
  for (let account = 0; account < accountTotal(bench.venue.state); account++) {
    const wallet = addressOfWords(accounts.address, account * 5);
    checkRows(ledger(bench, wallet), accounts.cash[account]!, `${note} ${wallet}`);
    assert.equal(accounts.movements[account], ledger(bench, wallet).length, `${note} ${wallet}`);
  }
}

/** A liquidateWithDeficit, in which wallets 1 and 4 get or give a credit. */
function liquidated(t: TestContext): { scene: LiquidationScene; bench: Bench } {
  const scene = new LiquidationScene({ seed: 600, set: [[TAKER_FEE, 100], [MAKER_FEE, 50], [SETTLEMENT_FEE, 100]] });
  const bench = new Bench(t, { venue: scene });
  liquidateWithDeficit(scene, () => {
    scene.venue(scene.write.credit(1, -1_500_000, 'ticket-1', 'a fee that was forgotten'));
    scene.venue(scene.write.credit(4, USDC, 'ticket-2'));
  });
  return { scene, bench };
}

/** An option is bought and settled. */
function settled(t: TestContext): { scene: LiquidationScene; bench: Bench; call: number } {
  const scene = new LiquidationScene({ set: [[TAKER_FEE, 100], [MAKER_FEE, 50], [SETTLEMENT_FEE, 100]] });
  const bench = new Bench(t, { venue: scene });
  const call = scene.nearest(CALL);
  scene.trade(1, 2, 1_000, 0.5, call);
  const expiry = scene.state.instruments.expiry[call]!;
  while (scene.now < expiry) {
    scene.index(101_000);
    scene.advance(MINUTE);
  }
  scene.index(101_000);
  scene.advance(MINUTE);
  return { scene, bench, call };
}

test('given a liquidation, when it is over, then every wallet has a row for each movement, from memory and from the history', (t) => {
  const { bench } = liquidated(t);
  bench.feed();
  for (const round of ['in memory', 'in the history']) {
    checkAll(bench, round);
    const kinds = new Set(ledger(bench, walletText(1)).map(({ kind }) => kind));
    for (const kind of ['opening', 'trade', 'fee', 'liquidation_fee', 'takeover', 'deleveraging', 'credit'] as const) {
      assert.ok(kinds.has(kind), `${kind} ${round}`);
    }
    assert.ok(ledger(bench, FUND).some(({ kind, amount }) => kind === 'liquidation_fee' && !amount.startsWith('-')));
    bench.commit();
  }
});

test('a row names its cause', (t) => {
  const { bench, scene } = liquidated(t);
  bench.feed();
  const own = ledger(bench, walletText(1));
  const of = (kind: LedgerKind): LedgerEntry[] => own.filter((row) => row.kind === kind);
  for (const row of [...of('trade'), ...of('fee')]) assert.ok(row.trade_id !== null && row.order_id !== null && row.symbol !== null);
  const [fee] = of('liquidation_fee');
  const order = of('fee').find(({ order_id: id }) => id === fee!.order_id);
  assert.ok(order !== undefined && order.command_seq === fee!.command_seq, 'the fee is of the liquidation order');
  const [debit] = of('credit');
  assert.deepEqual([debit!.amount, debit!.credit_id, debit!.reason], ['-1.5', 'ticket-1', 'a fee that was forgotten']);
  assert.deepEqual([debit!.trade_id, debit!.order_id, debit!.payout_id, debit!.hour_ms, debit!.symbol], [null, null, null, null, null]);
  assert.deepEqual(ledger(bench, walletText(4)), [], 'a wallet without an account has no rows');
  const [opening] = of('opening');
  assert.deepEqual([opening!.amount, opening!.balance, opening!.seq], ['10000', '10000', 1]);
  assert.ok(own.every(({ command_seq: seq, time_ms: time }) => seq > 0 && time <= scene.now));
});

test('the premium of an option, its settlement and their fees have a row each', (t) => {
  const { bench, scene, call } = settled(t);
  bench.feed();
  checkAll(bench);
  const [buyer, seller] = [ledger(bench, walletText(1)).reverse(), ledger(bench, walletText(2)).reverse()];
  const kinds = ['opening', 'trade', 'fee', 'settlement', 'settlement_fee'];
  assert.deepEqual(buyer.map(({ kind }) => kind), kinds);
  assert.deepEqual(buyer[1]!.amount, '-500');
  assert.equal(seller[1]!.amount, '500');
  const strike = scene.state.instruments.strike[call]! / USDC;
  assert.equal(Number(buyer[3]!.amount), (101_000 - strike) / 2);
  assert.ok(buyer[3]!.payout_id !== null && buyer[3]!.payout_id === buyer[4]!.payout_id && buyer[3]!.payout_id !== seller[3]?.payout_id);
  assert.equal(buyer[1]!.trade_id, seller[1]!.trade_id);
  assert.notEqual(buyer[1]!.order_id, seller[1]!.order_id);
});

test('funding has a row with its hour', (t) => {
  const scene = new LiquidationScene();
  const bench = new Bench(t, { venue: scene });
  scene.trade(1, 2, 101_000, 0.05);
  for (const wallet of [3, 4]) {
    assert.equal(scene.place(wallet, wallet === 3 ? BUY : SELL, wallet === 3 ? 103_000 : 104_000, 0.05, { slot: scene.perp }), OK);
  }
  while (scene.now % HOUR < 59 * MINUTE || scene.now % HOUR === 0) scene.index(100_000), scene.advance(5 * SECOND);
  for (let i = 0; i < 30; i++) scene.index(100_000), scene.advance(5 * SECOND);
  assert.equal(scene.buy(1, 1, 1), OK, 'an order pays what is due');
  const [paid] = scene.seen(FUNDING_PAID);
  bench.feed();
  const [row] = ledger(bench, walletText(1), { kind: 'funding' });
  assert.equal(Number(row!.amount) * USDC, -paid![3]!);
  assert.deepEqual([row!.hour_ms, row!.symbol], [Math.floor(scene.now / HOUR) * HOUR, 'BTC-PERP']);
  checkAll(bench);
});

test('filters and pages join to the whole list, in memory and in the history', (t) => {
  const { bench } = liquidated(t);
  bench.feed();
  for (let round = 0; round < 2; round++) {
    const whole = ledger(bench, walletText(1));
    const times = whole.map(({ time_ms: time }) => time);
    const [from, to] = [times.at(-4)!, times[3]!];
    for (const query of [{}, { kind: 'fee' }, { symbol: 'BTC-PERP' }, { from, to }, { kind: 'fee', symbol: 'BTC-PERP', from }] as Query[]) {
      const wanted = whole.filter((row) => (
        (query.kind === undefined || row.kind === query.kind) && (query.symbol === undefined || row.symbol === 'BTC-PERP')
        && row.time_ms >= (query.from ?? 0) && row.time_ms <= (query.to ?? Infinity)
      ));
      assert.ok(wanted.length > 1);
      assert.deepEqual(ledger(bench, walletText(1), query), wanted);
      assert.deepEqual(wanted.map((_, offset) => ledger(bench, walletText(1), { ...query, limit: 1, offset })[0]), wanted);
    }
    assert.deepEqual(ledger(bench, walletText(1), { symbol: 'no symbol' }), []);
    bench.commit();
  }
});

test('the stream tells each row once, in order, and goes on after a gap', (t) => {
  const scene = new LiquidationScene({ seed: 600, set: [[TAKER_FEE, 100]] });
  const bench = new Bench(t, { venue: scene });
  assert.equal(bench.answer('subscribe', { channel: 'ledger', key: walletText(1) }).status, 200);
  for (let i = 0; i < 6; i++) {
    scene.trade(1, 2, 100_000 - i * 1_000, 0.01);
    scene.trade(2, 1, 100_000 - i * 900, 0.01);
    bench.feed();
    if (i === 2) bench.commit();
  }
  const rows = ledger(bench, walletText(1)).reverse();
  const told = bench.sent.map(({ message }) => message);
  assert.deepEqual(told.map(({ type: _, timestamp: __, ...row }) => row), rows);
  assert.ok(told.every(({ type, timestamp, time_ms: time }) => type === 'LedgerUpdate' && timestamp === time));
  for (const from of [0, 1, 5, rows.length - 1, rows.length]) {
    const { status, body } = bench.answer('subscribe', { channel: 'ledger', key: walletText(1), from_seq: from });
    assert.equal(status, 200, body);
    for (const [at, message] of told.entries()) assert.equal(body.includes(JSON.stringify(message)), at >= from, `${from}: ${at}`);
  }
  assert.equal(bench.answer('subscribe', { channel: 'ledger', key: walletText(1), from_seq: rows.length + 1 }).status, 400);
});

test('an account that closes and comes back continues its ledger and its stream', (t) => {
  const scene = new LiquidationScene();
  const bench = new Bench(t, { venue: scene });
  assert.equal(bench.answer('subscribe', { channel: 'ledger', key: walletText(1) }).status, 200);
  assert.equal(scene.buy(1, 1, 1), OK);
  const account = scene.account(1);
  scene.cancel(1, scene.orders(1)[0]!.id);
  bench.feed();
  // Both cores close it, as a pass over unused accounts would.
  const { state } = bench.reader;
  for (const one of [scene.state, state]) assert.ok(closeAccount(one, account));
  assert.equal(scene.buy(1, 1, 1), OK);
  bench.feed();
  const seqs = bench.sent.map(({ seq, message }) => [seq, message['kind'], message['amount']]);
  assert.deepEqual(seqs.filter(([seq]) => seq !== 2), [[1, 'opening', '10000'], [3, 'opening', '10000']]);
  assert.equal(scene.state.accounts.movements[account], 3);
});

test('after a restart with the history behind, the rows are the same', async (t) => {
  const { scene, bench } = liquidated(t);
  bench.feed();
  const wallets = [walletText(1), walletText(2), walletText(3), FUND];
  const wanted = wallets.map((wallet) => ledger(bench, wallet));
  const folder = temporaryFolder(t);
  const log = new Log(folder, scene);
  log.commit();
  log.close();
  for (const committed of [0, 1, Infinity]) {
    let batches = 0;
    const restarted = await RestartedReader.begin(folder, scene, log.seq, () => batches++ < committed);
    const told = wallets.map((wallet) => (JSON.parse(restarted.answer('ledger', { wallet, ...ALL }).slice(4)) as { data: object[] }).data);
    assert.deepEqual(told, wanted);
    restarted.store.close();
  }
});

test('given any trades, credits and prices, when the reader has any of them, then rows sum to the cash of every wallet', (t) => {
  const step = fc.record({
    kind: fc.integer({ min: 0, max: 9 }), a: fc.integer({ min: 1, max: 4 }), b: fc.integer({ min: 1, max: 4 }),
    size: fc.integer({ min: 1, max: 60 }), off: fc.integer({ min: -60, max: 60 }),
  });
  fc.assert(fc.property(fc.array(step, { minLength: 10, maxLength: 40 }), fc.nat(3), (steps, batch) => {
    const scene = new LiquidationScene({ seed: 600, set: [[TAKER_FEE, 100], [MAKER_FEE, 50]] });
    const bench = new Bench(t, { venue: scene });
    const call = scene.nearest(CALL);
    let price = 100_000;
    steps.forEach(({ kind, a, b, size, off }, at) => {
      if (kind < 4 && a !== b) {
        scene.sell(a, price + off * 10, size / 100, { slot: kind === 0 ? call : scene.perp });
        scene.buy(b, price + off * 10, size / 100, { slot: kind === 0 ? call : scene.perp });
      } else if (kind < 6) scene.venue(scene.write.credit(a, off * 50 * USDC + 1, `id-${size}`));
      else if (kind < 9) scene.index(price = Math.max(50_000, price + off * 400));
      else scene.seconds(size % 5);
      bench.feed();
      if (at % 4 === batch) bench.commit();
      checkAll(bench, `step ${at}`);
    });
    bench.history.store.close();
  }), { numRuns: 25 });
});

test('an event that moves no cash makes no list of rows', (t) => {
  const { reader } = new Bench(t);
  const parts = { state: reader.state, names: new Names(reader.state) };
  const record = { views: viewsOf(new ArrayBuffer(64)), at: 0, seq: 1, time: 1 };
  const [one, other] = [BOOK_CHANGED, MARKS_MOVED].map((kind) => ledgerRowsOf(parts, kind, new Float64Array(32), record));
  assert.equal(one, other);
  assert.deepEqual(one, []);
});
