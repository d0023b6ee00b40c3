// The store against a plain array: any batches, repeated or overlapping, any queries, commits that overtake a query, reopened at any
// time. A page merged from store and memory is the page of the whole.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { mergePage, storePage } from '../../../../shell/storage/history/merge-page.ts';
import { nonceKey } from '../../../../shell/storage/history/outcomes.ts';
import { emptyRows, type Batch, type HistoryQuery } from '../../../../shell/storage/history/protocol.ts';
import { HistoryStore } from '../../../../shell/storage/history/history-store.ts';
import { generator } from '../journal/support.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { VENUE, append, batchOf, matching, pageOf, queriesAbout, rowsOf, walletOf } from './support.ts';

const LONG = process.env['STRIKEBOOK_LONG'] === '1';

/** The reader, as far as it matters here: what it applied, what it sent, what it knows to be committed. */
class Reader {
  readonly whole = emptyRows();
  readonly #folder: string;
  #store: HistoryStore;
  #applied = 0;
  #sent = 0;
  #committed = 0;
  #underway: Batch[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    this.#store = HistoryStore.open(folder, VENUE);
  }

  apply(count: number): void {
    for (let i = 0; i < count; i++) append(this.whole, rowsOf(++this.#applied));
  }

  /** `again` commands that were sent already come once more, in a batch of their own or in front of the new ones. */
  send(again: number, apart: boolean): void {
    const first = Math.max(1, this.#sent + 1 - again);
    if (apart) this.#underway.push(batchOf(first, this.#sent));
    this.#underway.push(batchOf(apart ? this.#sent + 1 : first, this.#applied));
    this.#sent = this.#applied;
  }

  /** The store takes some of what is underway; the word of it may still be underway itself. */
  commit(batches: number): void {
    this.#store.commit(this.#underway.splice(0, batches));
  }

  hear(): void {
    this.#committed = this.#store.appliedSeq;
  }

  /** The process ends with what is underway and starts anew. */
  reopen(): void {
    this.#store.close();
    this.#store = HistoryStore.open(this.#folder, VENUE);
    this.#committed = this.#store.appliedSeq;
    this.#sent = this.#committed;
    this.#underway = [];
  }

  /** Between question and answer the store commits some of what was sent before. */
  ask(query: HistoryQuery, overtaking: number): object[] {
    const recent = matching(this.whole, query).filter(({ seq }) => seq > this.#committed);
    const asked = 'skip' in query ? { ...query, ...storePage(query, recent.length) } : query;
    this.commit(overtaking);
    const stored = this.#store.answer(asked) as typeof recent;
    return mergePage('skip' in query ? query : { skip: 0, limit: 1 }, recent, stored, this.#store.appliedSeq);
  }

  close(): void {
    this.#store.close();
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('apply' as const), count: fc.nat(30) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('send' as const), again: fc.nat(20), apart: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('commit' as const), count: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('hear' as const) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('ask' as const), seed: fc.nat(), overtaking: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
);

test('property: in any sequence of steps a page of store and memory is the page of the whole', (t) => {
  let rowsSeen = 0;
  fc.assert(fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
    const reader = new Reader(temporaryFolder(t));
    const { whole } = reader;
    for (const one of steps) {
      if (one.kind === 'apply') reader.apply(one.count);
      else if (one.kind === 'send') reader.send(one.again, one.apart);
      else if (one.kind === 'commit') reader.commit(one.count);
      else if (one.kind === 'hear') reader.hear();
      else if (one.kind === 'reopen') reader.reopen();
      else {
        for (const query of queriesAbout(whole, generator(one.seed))) {
          const found = reader.ask(query, one.overtaking);
          assert.deepEqual(found, pageOf(whole, query), JSON.stringify(query));
          rowsSeen += found.length;
        }
      }
    }
    reader.close();
  }), { includeErrorInReport: true, numRuns: LONG ? 2_000 : 150 });
  assert.ok(rowsSeen > 1_000, `only ${rowsSeen} rows were compared`);
});

test('numbers up to the safe integers and nonces up to u64 are read back exactly', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const top = Number.MAX_SAFE_INTEGER;
  const nonces = [
    '0', '1', String(top), '9007199254740992', '9007199254740993', '9223372036854775807', '9223372036854775808', '18446744073709551615',
  ];
  const outcomes = nonces.map((nonce, at) => ({
    seq: at + 1, wallet: walletOf(1), nonce, kind: at, digest: String(at).repeat(64), code: 0, numbers: [top, -top, 1e-9], time: top,
    orderId: at, flags: at, isMmpTriggered: at % 2 === 1,
  }));
  const fill = { ...batchOf(1, 50).rows.fills[0]!, seq: 9, price: top, size: top, fee: -top, realized: -top, position: -top, time: top };
  store.commit([{ type: 'batch', seq: 9, rows: { ...emptyRows(), fills: [fill], outcomes } }]);
  outcomes.forEach((row) => assert.deepEqual(store.answer({ name: 'outcome', wallet: row.wallet, nonce: row.nonce }), [row]));
  assert.deepEqual(store.answer({ name: 'fills', wallet: fill.wallet, limit: 10, skip: 0 }), [fill]);
  store.close();
});

test('property: two nonces never share a key', () => {
  fc.assert(fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (nonce) => (
    BigInt.asUintN(64, BigInt(nonceKey(String(nonce)))) === nonce
  )), { examples: [[2n ** 53n], [2n ** 53n - 1n], [2n ** 63n], [2n ** 64n - 1n]] });
});

test('a batch without rows advances the seq, and an old one changes nothing', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const empty = emptyRows();
  assert.equal(store.commit([{ type: 'batch', seq: 7, rows: empty }]), 7);
  assert.equal(store.commit([batchOf(1, 7)]), 7);
  assert.deepEqual(store.answer({ name: 'trades', limit: 100, skip: 0 }), []);
  assert.equal(store.commit([batchOf(1, 40)]), 40);
  const above = batchOf(8, 40).rows.trades.reverse();
  assert.ok(above.length > 10);
  assert.deepEqual(store.answer({ name: 'trades', limit: 100, skip: 0 }), above);
  store.close();
});

test('a batch out of order is refused whole, and the store is then out of use', (t) => {
  const folder = temporaryFolder(t);
  for (const spoil of [
    (batch: Batch) => batch.rows.trades.reverse(),
    (batch: Batch) => batch.rows.orders.push({ ...batch.rows.orders[0]!, seq: batch.seq + 1 }),
  ]) {
    const store = HistoryStore.open(folder, VENUE);
    const applied = store.commit([batchOf(store.appliedSeq + 1, store.appliedSeq + 30)]);
    const batch = batchOf(applied + 1, applied + 30);
    spoil(batch);
    assert.throws(() => store.commit([batch]), /^HistoryRefusal: a row of seq /);
    assert.throws(() => store.commit([]), /^HistoryRefusal: the history store is out of use: /);
    const again = HistoryStore.open(folder, VENUE);
    assert.equal(again.appliedSeq, applied);
    assert.equal(again.answer({ name: 'trades', limit: 1_000, skip: 0 }).length, batchOf(1, applied).rows.trades.length);
    again.close();
  }
});

test('a skip or limit out of range is refused', (t) => {
  const folder = temporaryFolder(t);
  const wallet = batchOf(1, 100).rows.fills[0]!.wallet;
  for (const query of [
    { name: 'fills', wallet, limit: -1, skip: 0 }, { name: 'trades', limit: 1, skip: 0.5 },
    { name: 'orders', wallet, ending: 'filled', limit: NaN, skip: 0 },
  ] as const) {
    const store = HistoryStore.open(folder, VENUE);
    store.commit([batchOf(1, 100)]);
    assert.throws(() => store.answer(query), RangeError);
  }
});

test('a payout marked as seen is read as seen, whether stored before the mark or with it', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const payouts = [1, 2, 3].map((seq) => ({
    seq, payoutId: seq * 7, wallet: walletOf(1), symbol: 'BTC-20260925-1-C', expiry: 9, position: -5, price: 4, value: -3, cost: -2,
    net: -1, time: seq, isSeen: false,
  }));
  store.commit([{ type: 'batch', seq: 2, rows: { ...emptyRows(), payouts: payouts.slice(0, 2) } }]);
  const seen = [{ seq: 3, payoutId: 7 }, { seq: 4, payoutId: 21 }];
  store.commit([{ type: 'batch', seq: 4, rows: { ...emptyRows(), payouts: payouts.slice(2), seen } }]);
  const found = store.answer({ name: 'payouts', wallet: walletOf(1), limit: 10, skip: 0 }) as typeof payouts;
  assert.deepEqual(found.map(({ payoutId, isSeen }) => [payoutId, isSeen]), [[21, true], [14, false], [7, true]]);
  store.close();
});
