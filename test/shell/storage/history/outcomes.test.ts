// Decision 3.3: a result among the newest 1,000 of its wallet, or younger than 24 hours, is always there; older ones are removed in the
// end, also of quiet wallets, in steps of bounded size.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { emptyRows, type Batch, type OutcomeRow } from '../../../../shell/storage/history/protocol.ts';
import { HistoryStore } from '../../../../shell/storage/history/history-store.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { TIME, VENUE, walletOf } from './support.ts';

const DAY = 86_400_000;
const PROMISED = 1_000;

function outcome(seq: number, wallet: string, time: number): OutcomeRow {
  const numbers = [seq, 0, 0, 0];
  return {
    seq, wallet, nonce: String(seq), kind: 18, digest: 'ab'.repeat(32), code: 0, numbers, time, orderId: 0, flags: 0, isMmpTriggered: false,
  };
}

function batchOf(outcomes: OutcomeRow[], seq: number): Batch {
  return { type: 'batch', seq, rows: { ...emptyRows(), outcomes } };
}

/** Whether the rows of a wallet are there, oldest first. */
function presence(store: HistoryStore, rows: readonly OutcomeRow[]): boolean[] {
  return rows.map((row) => {
    const found = store.answer({ name: 'outcome', wallet: row.wallet, nonce: row.nonce });
    if (found.length > 0) assert.deepEqual(found, [row]);
    return found.length > 0;
  });
}

/** How many of a wallet's rows are there; the oldest go first. */
function leftOf(store: HistoryStore, rows: readonly OutcomeRow[]): number {
  let [gone, there] = [-1, rows.length];
  while (there - gone > 1) {
    const middle = (gone + there) >> 1;
    if (presence(store, [rows[middle]!])[0]) there = middle;
    else gone = middle;
  }
  return rows.length - there;
}

/** A number of outcomes at once after a pause, by one of three wallets; sometimes the store is opened anew. */
const burst = fc.record({
  wallet: fc.integer({ min: 1, max: 3 }), count: fc.oneof(fc.nat(30), fc.integer({ min: 300, max: 900 })),
  pause: fc.oneof(fc.nat(1_000), fc.integer({ min: DAY / 4, max: DAY + 1 })), reopen: fc.nat(4).map((value) => value === 0),
});

test('property: no promised result is removed, whatever happens', (t) => {
  let removed = 0;
  fc.assert(fc.property(fc.array(burst, { minLength: 8, maxLength: 20 }), (bursts) => {
    const folder = temporaryFolder(t);
    let store = HistoryStore.open(folder, VENUE);
    const all = new Map<string, OutcomeRow[]>();
    let time = TIME;
    let seq = 0;
    for (const { wallet: number, count, pause, reopen } of bursts) {
      const wallet = walletOf(number);
      time += pause;
      const rows = Array.from({ length: count }, () => outcome(++seq, wallet, time));
      all.set(wallet, [...(all.get(wallet) ?? []), ...rows]);
      store.commit([batchOf(rows, seq)]);
      if (reopen) {
        store.close();
        store = HistoryStore.open(folder, VENUE);
      }
    }
    for (const rows of all.values()) {
      const there = presence(store, rows);
      rows.forEach((row, at) => {
        const promised = rows.length - at <= PROMISED || time - row.time <= DAY;
        assert.ok(there[at] || !promised, `outcome ${at} of ${rows.length}, ${time - row.time} ms old`);
      });
      removed += there.filter((found) => !found).length;
    }
    store.close();
  }), { numRuns: 12 });
  assert.ok(removed > 500, `only ${removed} outcomes went`);
});

test('results beyond the promise are removed, also of quiet wallets, in bounded steps', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const count = 25_000;
  const heavy = Array.from({ length: count }, (_, at) => outcome(at + 1, walletOf(500), TIME));
  const quiet = Array.from({ length: 100 }, (_, at) => outcome(count + at + 1, walletOf(at + 1), TIME));
  store.commit([batchOf(heavy, count), batchOf(quiet, count + 100)]);
  assert.ok(presence(store, heavy).every(Boolean));
  let seq = count + 100;
  const left: number[] = [];
  for (let turn = 0; turn < 8; turn++) {
    store.commit([batchOf([outcome(++seq, walletOf(501), TIME + DAY + 1)], seq)]);
    left.push(leftOf(store, heavy));
  }
  assert.equal(left.at(-1), PROMISED);
  left.reduce((before, after) => {
    assert.ok(before - after <= 16_384, left.join());
    return after;
  }, count);
  assert.ok(presence(store, heavy).every((isThere, at) => isThere === at >= count - PROMISED));
  assert.ok(presence(store, quiet).every(Boolean));
  store.close();
});

test('a result exactly a day old is kept', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const rows = Array.from({ length: PROMISED + 10 }, (_, at) => outcome(at + 1, walletOf(1), TIME));
  store.commit([batchOf(rows, rows.length)]);
  const later = (time: number): void => {
    store.commit([batchOf([outcome(store.appliedSeq + 1, walletOf(2), time)], store.appliedSeq + 1)]);
  };
  for (let turn = 0; turn < 3; turn++) later(TIME + DAY);
  assert.ok(presence(store, rows).every(Boolean));
  for (let turn = 0; turn < 3; turn++) later(TIME + DAY + 1);
  assert.deepEqual(presence(store, rows).map(Number), rows.map((_, at) => Number(at >= 10)));
  store.close();
});

test('of a nonce used twice the first result is read', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const first = outcome(1, walletOf(1), TIME);
  store.commit([batchOf([first, { ...outcome(2, walletOf(1), TIME), nonce: first.nonce }], 2)]);
  assert.deepEqual(store.answer({ name: 'outcome', wallet: first.wallet, nonce: first.nonce }), [first]);
  store.close();
});
