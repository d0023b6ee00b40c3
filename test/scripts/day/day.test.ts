// The simulated day of `npm run day`, ten hours of it by steps: a venue process, signed requests, a daily expiry, funding by the hour,
// a crash, liquidations, the audit of the folder. And that its checks would say so if something were not as it must be.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checksOf, meanOf } from '../../../scripts/day/checks.ts';
import { CRASH, DAY, endOf, EXPIRY, HOUR, indexPath, startOf, UNDERLYINGS, WHOLE_DAY } from '../../../scripts/day/plan.ts';
import { reportLines } from '../../../scripts/day/report.ts';
import { runDay, type DayReport } from '../../../scripts/day/run.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Marks each second would be most of what the venue does between two steps of its clock. */
const SETTINGS = '{ "mark_interval": "1 min", "liquidation_interval": "10 s" }';
/** From before the expiry until after the crash. */
const HOURS = { from: 7, to: 17, opening: 0.5 };
/** No whole seconds: at one the index of before is in force still, which the checks cannot tell from the times. */
const GRAIN = 900_001;
const FUNDED = /^a funding rate of (BTC|ETH)-PERP at each full hour at which it is held$/;

test('the index follows its seed, never moves by a hundredth in a minute, and falls in the crash', () => {
  const [path, same, other] = [indexPath(7), indexPath(7), indexPath(8)];
  for (const underlying of UNDERLYINGS) {
    let last = path(underlying, startOf(WHOLE_DAY));
    for (let time = startOf(WHOLE_DAY); time <= endOf(WHOLE_DAY); time += 60_000) {
      const price = path(underlying, time);
      assert.equal(price, same(underlying, time));
      assert.ok(Math.abs(price / last - 1) < 0.01, `${underlying} ${new Date(time).toISOString()}: ${last} to ${price}`);
      last = price;
    }
    assert.notEqual(path(underlying, EXPIRY), other(underlying, EXPIRY));
    assert.ok(path(underlying, CRASH + HOUR) / path(underlying, CRASH) < 0.8);
  }
});

test('the mean of the half hour takes at each second the index in force', () => {
  const first = EXPIRY - 1_799_000;
  assert.equal(meanOf([{ time: DAY, price: 100 }], EXPIRY), 100n);
  // From the last second on: one sample of 1,800.
  assert.equal(meanOf([{ time: DAY, price: 0 }, { time: EXPIRY, price: 900 }], EXPIRY), 1n);
  assert.equal(meanOf([{ time: DAY, price: 0 }, { time: EXPIRY, price: 899 }], EXPIRY), 0n);
  assert.equal(meanOf([{ time: DAY, price: 0 }, { time: EXPIRY + 1, price: 1e9 }], EXPIRY), 0n);
  assert.equal(meanOf([{ time: first - 1, price: 1_800 }, { time: first + 1, price: 0 }], EXPIRY), 1n);
});

/** What the checks say of a report that was changed. */
function claimsThatFail({ hours, desk, stopped, record, audit }: DayReport): string[] {
  return checksOf(hours, desk, stopped, record, audit).filter(({ isSo }) => !isSo).map(({ claim }) => claim);
}

test('a simulated day ends with books that sum to zero, and its checks report a planted error in each of them', async (t) => {
  const folder = temporaryFolder(t);
  const settings = join(folder, 'settings.json');
  writeFileSync(settings, SETTINGS);
  const report = await runDay({
    data: join(folder, 'data'), hours: HOURS, speed: 0, grain: GRAIN, seed: 1, durability: 'normal', flags: ['--settings', settings],
    say: () => {},
  });
  for (const line of reportLines(report)) t.diagnostic(line);
  assert.deepEqual(report.checks.filter(({ isSo }) => !isSo), []);

  const { desk, record } = report;
  const [settled] = [...record.payouts.values()].filter(({ count }) => count > 0);
  settled!.sum += 1n;
  assert.deepEqual(claimsThatFail(report), ['payouts sum to 0 in each of them, each within a micro of its value']);
  settled!.sum -= 1n;
  settled!.isSettled = false;
  assert.deepEqual(claimsThatFail(report), ['every instrument of the expiry is settled']);
  settled!.isSettled = true;
  const rate = record.fundings.findIndex(({ time }) => time > DAY + (HOURS.from + 2) * HOUR);
  const [taken] = record.fundings.splice(rate, 1, record.fundings[rate]!, record.fundings[rate]!);
  assert.match(claimsThatFail(report).join(), FUNDED);
  record.fundings.splice(rate, 2);
  assert.match(claimsThatFail(report).join(), FUNDED);
  record.fundings.push(taken!);
  assert.deepEqual(claimsThatFail(report), []);
  desk.accepted++;
  assert.deepEqual(claimsThatFail(report), ['every accepted order is in the journal, and no other']);
});
