// Claims that must hold after the simulated day, each with the values found. The settlement price is computed here again, from the index
// prices of the journal alone. Prices 1e-6 USDC, times ms.

import type { AuditReport } from '../audit/replay.ts';
import type { Ended } from '../venue-process.ts';
import type { Desk } from './desk.ts';
import { DAY, EXPIRY, HOUR, UNDERLYINGS, type Hours } from './plan.ts';
import type { DayRecord, Index } from './record.ts';

export type Check = { readonly claim: string; readonly isSo: boolean; readonly found: string };

const WINDOW_SECONDS = 1_800;
/** A payout is within a micro of its position's value; the record counts in millionths of one. */
const MICRO = 1_000_000n;

/** What a venue says on a machine that others use: no fault of its own. */
const STOOD_STILL = /^strikebook: [a-z0-9 ]+: the thread has stood still for \d+ s\n/gm;

export function checksOf(hours: Hours, desk: Desk, stopped: Ended, record: DayRecord, audit: AuditReport): Check[] {
  const sent = [...desk.sent.values()].reduce((sum, times) => sum + times, 0);
  const { counts } = record;
  const { recovered, liquidated } = record.ended();
  const head = /stopped at seq (\d+), head ([0-9a-f]{64})/.exec(stopped.out);
  const { code } = stopped;
  const err = stopped.err.replace(STOOD_STILL, '');
  return [
    { claim: 'every request was answered', isSo: sent === desk.answered, found: `${desk.answered} of ${sent}` },
    { claim: 'the venue stopped cleanly', isSo: code === 0 && err === '', found: `exit code ${code} ${err}`.trim() },
    {
      claim: 'the audit is sound and ends where the venue stopped',
      isSo: head?.[2] === audit.head && Number(head[1]) === audit.lastSeq, found: `seq ${audit.lastSeq}, ${audit.signatures} signatures`,
    },
    {
      claim: 'every accepted order is in the journal, and no other', isSo: counts.orders === desk.accepted,
      found: `${counts.orders} there, ${desk.accepted} answers`,
    },
    ...sumChecks(record), ...settlementChecks(record), ...UNDERLYINGS.map((underlying) => fundingCheck(hours, record, underlying)),
    fundingsCheck(hours, record),
    {
      claim: 'a liquidation came to its end', isSo: recovered.length + liquidated.length > 0,
      found: `${recovered.length} recovered, ${liquidated.length} taken over`,
    },
    { claim: 'liquidation orders were filled', isSo: counts.closingFills > 0, found: `${counts.closingFills} fills` },
    { claim: 'a protection triggered', isSo: counts.triggers > 0, found: `${counts.triggers} times` },
    { claim: 'an account has portfolio margin', isSo: counts.portfolios > 0, found: `${counts.portfolios}` },
  ];
}

function sumChecks(record: DayRecord): Check[] {
  const { cash, perpCost, house, unmatched } = record.sums();
  const sum = cash - perpCost + house;
  return [
    { claim: 'cash, less the cost of perps, and house sum to 0', isSo: sum === 0n, found: `${sum} micros` },
    { claim: 'positions sum to 0 in every instrument', isSo: unmatched.length === 0, found: unmatched.join(' ') || 'all' },
  ];
}

function settlementChecks(record: DayRecord): Check[] {
  const ours = [...record.payouts.values()].filter(({ expiry }) => expiry === EXPIRY);
  const count = ours.reduce((sum, one) => sum + one.count, 0);
  const late = ours.filter(({ isSettled }) => !isSettled).length;
  const decided = record.decided.filter(({ expiry }) => expiry === EXPIRY);
  const fair = decided.filter(({ price, samples, underlying }) => (
    samples === WINDOW_SECONDS && BigInt(price) === meanOf(record.index[underlying]!, EXPIRY)
  ));
  return [
    {
      claim: 'every instrument of the expiry is settled', isSo: ours.length > 0 && late === 0,
      found: `${ours.length - late} of ${ours.length}`,
    },
    {
      claim: 'payouts sum to 0 in each of them, each within a micro of its value',
      isSo: count > 0 && ours.every(({ sum, worst }) => sum === 0n && worst < MICRO), found: `${count} payouts`,
    },
    {
      claim: 'settlement prices are the mean of their half hour',
      isSo: decided.length === UNDERLYINGS.length && fair.length === decided.length,
      found: decided.map(({ price, samples }) => `${price / 1e6} of ${samples} samples`).join(', '),
    },
  ];
}

/** Mean of the index in force at each second of the half hour before an expiry, rounded half up. */
export function meanOf(index: readonly Index[], expiry: number): bigint {
  let sum = 0n;
  let at = 0;
  for (let second = expiry - (WINDOW_SECONDS - 1) * 1_000; second <= expiry; second += 1_000) {
    while (at + 1 < index.length && index[at + 1]!.time <= second) at++;
    sum += BigInt(index[at]!.price);
  }
  const count = BigInt(WINDOW_SECONDS);
  return (sum * 2n + count) / (count * 2n);
}

/** One rate at each hour that requires it, and none at an hour in which no account held the perp. */
function fundingCheck({ from, to }: Hours, { fundings, watch }: DayRecord, underlying: string): Check {
  const perp = `${underlying}-PERP`;
  const { due, unheld } = watch.hours.get(perp) ?? { due: new Set<number>(), unheld: new Set<number>() };
  const hours = fundings.filter(({ symbol }) => symbol === perp).map(({ time }) => Math.floor((time - DAY) / HOUR));
  const all = Array.from({ length: to - from }, (_, at) => from + at + 1);
  const missing = all.filter((hour) => due.has(hour) && !hours.includes(hour));
  const doubled = all.filter((hour) => hours.indexOf(hour) !== hours.lastIndexOf(hour));
  const undue = all.filter((hour) => unheld.has(hour) && hours.includes(hour));
  const isSo = [missing, doubled, undue].every(({ length }) => length === 0);
  const rated = all.filter((hour) => hours.includes(hour));
  const idle = all.filter((hour) => unheld.has(hour));
  return {
    claim: `a funding rate of ${perp} at each full hour at which it is held`, isSo,
    found: isSo ? `${rated.length} of ${to - from} hours${idle.length === 0 ? '' : `, nobody held it at ${idle.join(' ')}`}`
      : `missing ${missing.join(' ')}, doubled ${doubled.join(' ')}, undue ${undue.join(' ')}`,
  };
}

/** The number of hourly rates of both perps: twice the hours where both are held throughout. */
function fundingsCheck({ from, to }: Hours, { fundings }: DayRecord): Check {
  const { length } = fundings.filter(({ time }) => time >= DAY + (from + 1) * HOUR);
  return { claim: `${to - from} fundings at least`, isSo: length >= to - from, found: `${length}` };
}
