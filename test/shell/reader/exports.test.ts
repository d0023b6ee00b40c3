// Exports in parts while the venue runs: each row of the moment the export began comes once, whatever was added since and wherever the
// history stands; one export at a time per network source.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import { BUY, SELL } from '../../../core/units.ts';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { CHARGE_API, CHARGE_NONE, QUERIES, type Budget, type ExportPart, type ExportQuery } from '../../../shell/ipc/queries.ts';
import { ReadBudgets } from '../../../shell/reader/budgets.ts';
import { ReadQueue } from '../../../shell/reader/read-queue.ts';
import { Bench, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const ID = { source: 5, id: 'a' };

function part(bench: Bench, query: Omit<ExportQuery, 'source' | 'id'>): ExportPart {
  return bench.body<ExportPart>('export', { ...ID, ...query });
}

/** Two fills, one done order of each side, and an order that rests. */
function trade(bench: Bench, step: number): void {
  bench.place({ wallet: 1, side: SELL, price: (2_000 + step) * USDC, size: ONE });
  bench.place({ wallet: 2, side: BUY, price: 3_000 * USDC, size: ONE });
  bench.place({ wallet: 1, side: BUY, price: (10 + step) * USDC, size: ONE });
}

test('an export has each row of its beginning once, and none that was added while it ran', (t) => {
  for (const list of ['fills', 'trades', 'orders'] as const) {
    const bench = new Bench(t);
    for (let step = 0; step < 12; step++) {
      trade(bench, step);
      if (step % 5 === 0) bench.commit();
    }
    const wallet = walletText(1);
    const filter = list === 'trades' ? { list } as const : { list, wallet } as const;
    const whole = bench.body<{ data: object[] }>(list, { wallet, limit: 1_000, offset: 0 }).data;
    const { as_of: asOf, rows: first } = part(bench, { filter, offset: 0, limit: 0 });
    assert.equal(first.length, list === 'orders' ? 12 : 0);
    const rows = [...first];
    for (let offset = 0, step = 20; ; step++) {
      // What was open is done now, and there is more of everything.
      trade(bench, step);
      bench.place({ wallet: 2, side: SELL, price: 5 * USDC, size: 2 * ONE, tif: 1 });
      if (step % 2 === 0) bench.commit();
      const next = part(bench, { as_of: asOf, filter, offset, limit: 5 }).rows;
      if (next.length === 0) break;
      offset += next.length;
      rows.push(...next);
    }
    assert.deepEqual(rows, whole, list);
    assert.ok(rows.length >= 12);
  }
});

test('a source has one export at a time, which ends when told or after a minute without a request', (t) => {
  const bench = new Bench(t);
  const query = { filter: { list: 'trades' }, offset: 0, limit: 0 } as const;
  const status = (source: number, id: string): number => bench.answer('export', { source, id, ...query }).status;
  assert.deepEqual([status(5, 'a'), status(5, 'b'), status(6, 'b'), status(5, 'a')], [200, 409, 200, 200]);
  bench.answer('exportEnd', { source: 5, id: 'b' });
  assert.equal(status(5, 'b'), 409, 'another cannot end it');
  bench.answer('exportEnd', { source: 5, id: 'a' });
  assert.deepEqual([status(5, 'b'), status(5, 'a')], [200, 409]);
  bench.venue.advance(60_001);
  bench.feed();
  assert.equal(status(5, 'a'), 200);
});

test('an export is charged as one read of its wallet, or of its source for trades; its later parts are free', (t) => {
  const bench = new Bench(t);
  const left: (number | undefined)[] = [];
  const reads = new ReadQueue({
    reader: bench.reader, durable: () => 0, steady: () => 0,
    budgets: new ReadBudgets({ table: DEFAULT_LIMITS, isRated: true, now: () => bench.venue.now, tierOf: () => 0 }),
    give: (_, __, ___, budget: Budget) => left.push(budget?.left), fault: assert.fail,
  });
  const take = (filter: ExportQuery['filter'], charge = CHARGE_API): void => {
    const query: ExportQuery = { ...ID, filter, offset: 0, limit: 0 };
    reads.take(0, 1, QUERIES.indexOf('export'), JSON.stringify(query), { charge, source: ID.source, isLoopback: false });
    reads.serve(() => false);
  };
  const { requests } = DEFAULT_LIMITS[0]!;
  const wallet = walletText(1);
  take({ list: 'fills', wallet });
  take({ list: 'orders', wallet });
  take({ list: 'orders', wallet: walletText(2) });
  take({ list: 'trades' });
  take({ list: 'fills', wallet }, CHARGE_NONE);
  take({ list: 'fills', wallet });
  assert.deepEqual(left, [requests - 1, requests - 2, requests - 1, BOUNDS.sourceRequests - 4, undefined, requests - 3]);
});
