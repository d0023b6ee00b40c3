// The simulated day of `npm run day`, eleven hours of it: a venue process, signed requests, a daily expiry, funding by the hour,
// a crash, liquidations, the audit of the folder. And that its checks would say so if something were not as it must be.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { checksOf, meanOf } from '../../../scripts/day/checks.ts';
import { CRASH, DAY, endOf, EXPIRY, HOUR, indexPath, startOf, UNDERLYINGS, WHOLE_DAY } from '../../../scripts/day/plan.ts';
import { reportLines } from '../../../scripts/day/report.ts';
import { runDay, type DayReport } from '../../../scripts/day/run.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Tried in this order: a machine with little time left cannot follow the first, and the cast gets too few answers in. */
const SPEEDS = [3_600, 900] as const;
/** Marks as often as the index is told, by the clock of the venue: every second they would be most of what it does at such a speed. */
const SETTINGS = '{ "mark_interval": "10 s" }';
/** From before the expiry until after the crash. */
const HOURS = { from: 6, to: 17 } as const;
/** What a day is for; the others are what must be true of any day. */
const REACHED: readonly string[] = ['a liquidation came to its end', 'liquidation orders were filled', 'a protection triggered'];
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

/** Hours in which everything came to pass, unless the slowest was too fast as well: then it is told as it was. */
async function dayOf(t: TestContext): Promise<DayReport> {
  for (const speed of SPEEDS) {
    const folder = temporaryFolder(t);
    const settings = join(folder, 'settings.json');
    writeFileSync(settings, SETTINGS);
    const isLast = speed === SPEEDS.at(-1);
    try {
      const report = await runDay({
        data: join(folder, 'data'), hours: HOURS, speed, seed: 1, durability: 'normal', flags: ['--settings', settings], say: () => {},
      });
      const failed = claimsThatFail(report);
      if (isLast || failed.length === 0 || !failed.every((claim) => REACHED.includes(claim))) return report;
    } catch (error) {
      if (isLast || !(error as Error).message.includes('No answer in time')) throw error;
    }
    t.diagnostic(`this machine does not follow at ${speed} times real time`);
  }
  throw new Error('no speed was tried');
}

test('a simulated day ends with books that sum to zero, and its checks report a planted error in each of them', async (t) => {
  const report = await dayOf(t);
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
