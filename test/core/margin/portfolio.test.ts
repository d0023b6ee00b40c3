// Portfolio margin: the worked examples of MARGIN.md to the cent, the core against brute force over random portfolios, scenario rows
// prepared ahead against rows computed on first use, and eviction from a full cache of portfolios.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { CONTRACT } from '../../../core/units.ts';
import { SMALL } from '../../../core/limits.ts';
import { DENSE, VENUE17 } from '../../../core/settings.ts';
import { equityOf, freshen, initialOf, maintenanceOf, orderInitialOf, positionInitialOf,
  prepareRows } from '../../../core/margin/account-margin.ts';
import { freedBy, freedTogether, standaloneInitial } from '../../../core/margin/freed.ts';
import { createRiskSums, optionRequirement, perpRequirement, sumRisk } from '../../../core/margin/portfolio-requirement.ts';
import { ALL, POSITIONS } from '../../../core/margin/portfolio-sums.ts';
import { entryOf } from '../../../core/margin/scenarios.ts';
import { MAX_ROWS } from '../../../core/margin/presets.ts';
import { findHolding } from '../../../core/positions/holdings.ts';
import { Random } from '../../sim/random.ts';
import { CALL, DAY, Desk, NOW, PERP, PUT } from './desk.ts';
import { contractRows, portfolioRequirement, scanOf, type Exposure, type RowsOf, type Span } from './scenario-oracle.ts';

const isLong = process.env['STRIKEBOOK_LONG'] === '1';
const PORTFOLIOS = isLong ? 1_000_000 : 5_000;

type Leg = readonly [quantity: number, kind: number, strike: number, days: number];
type Example = { name: string; legs: readonly Leg[]; venue17: number; dense: number; floor: number; overlay: number };

const EXAMPLES: readonly Example[] = [
  { name: 'a short call', legs: [[-1, CALL, 100_000, 30]], venue17: 12_890.51, dense: 15_780.67, floor: 1_500, overlay: 0 },
  { name: 'a short put', legs: [[-1, PUT, 100_000, 30]], venue17: 12_184.41, dense: 14_195.06, floor: 1_500, overlay: 0 },
  {
    name: 'a short strangle of one day', legs: [[-1, PUT, 90_000, 1], [-1, CALL, 110_000, 1]], venue17: 10_499.50, dense: 15_679.95,
    floor: 3_000, overlay: 2_000,
  },
  {
    name: 'a ratio spread', legs: [[-10, CALL, 100_000, 30], [5, CALL, 105_000, 30]], venue17: 69_245.11, dense: 79_375.58, floor: 7_500,
    overlay: 0,
  },
  { name: 'a long call', legs: [[1, CALL, 100_000, 30]], venue17: 4_716.79, dense: 6_372.59, floor: 0, overlay: 0 },
  { name: 'a perp', legs: [[1, PERP, 0, 0]], venue17: 15_000, dense: 16_000, floor: 0, overlay: 0 },
];

for (const { name, legs, venue17, dense, floor, overlay } of EXAMPLES) {
  test(`worked example: ${name}`, () => {
    for (const [preset, scan] of [[DENSE, dense], [VENUE17, venue17]] as const) {
      const desk = new Desk(preset);
      const slots = legs.map(([, kind, strike, days]) => desk.list(kind, strike, days));
      desk.mark(100_000, 0.6);
      const account = desk.account();
      legs.forEach(([quantity], i) => desk.hold(account, slots[i]!, quantity * CONTRACT));
      freshen(desk.state, account);
      const risk = createRiskSums();
      sumRisk(desk.state, desk.state.cache.portfolios, account, POSITIONS, -1, risk);
      const cents = (micros: number): string => (micros / 1e6).toFixed(2);
      assert.equal(cents(risk.scanning), scan.toFixed(2));
      assert.equal(cents(risk.floor), floor.toFixed(2));
      assert.equal(cents(risk.overlay), overlay.toFixed(2));
      assert.equal(cents(positionInitialOf(desk.state, account)), (Math.max(scan, floor) + overlay).toFixed(2));
      assert.equal(maintenanceOf(desk.state, account), Math.ceil(0.8 * positionInitialOf(desk.state, account)));
    }
  });
}

test('worked example: bids at mark on a perp and on a put do not offset each other', () => {
  const desk = new Desk();
  const perp = desk.list(PERP, 0, 0);
  const put = desk.list(PUT, 200_000, 30);
  desk.mark(100_000, 0.6);
  const account = desk.account();
  desk.hold(account, perp, 0, 100 * CONTRACT);
  freshen(desk.state, account);
  const alone = initialOf(desk.state, account);
  assert.equal(alone, 1_600_000e6);
  desk.hold(account, put, 0, 100 * CONTRACT);
  freshen(desk.state, account);
  assert.ok(initialOf(desk.state, account) >= alone);
});

function within(value: number, { low, high }: Span, text: string): void {
  assert.ok(BigInt(value) >= low && BigInt(value) <= high, `${text}: ${value} is not within ${low} .. ${high}`);
}

/** Two underlyings with perps, calls and puts of five expiries: within the last half hour, a day, two, a month, a year. */
function marketDesk(preset: number): { desk: Desk; slots: number[] } {
  const desk = new Desk(preset);
  const slots: number[] = [];
  for (const [underlying, spot] of [[0, 100_000], [1, 3_000]] as const) {
    slots.push(desk.list(PERP, 0, 0, underlying));
    for (const days of [0.01, 1, 2.6, 30, 400]) {
      for (const kind of [CALL, PUT]) for (const part of [0.5, 0.9, 1, 1.15]) slots.push(desk.list(kind, spot * part, days, underlying));
    }
  }
  return { desk, slots };
}

function newVintage(desk: Desk, random: Random): void {
  const volatility = (): number => 0.05 + 1.8 * random.fraction() ** 2;
  const time = NOW + random.pick([0, 60_000, 600_000, 800_000, 2 * DAY]);
  for (const [underlying, spot] of [[0, 100_000], [1, 3_000]] as const) {
    const index = spot * (0.6 + 0.8 * random.fraction());
    desk.mark(index, volatility, time, underlying, random.chance(0.5) ? index * (0.97 + 0.06 * random.fraction()) : 0);
  }
}

/** Scenario rows by brute force, computed once for each contract and vintage. */
function rowsOnce({ state }: Desk): RowsOf {
  const known = new Map<number, ReturnType<RowsOf>>();
  return (slot) => {
    const rows = known.get(slot) ?? contractRows(state, slot);
    known.set(slot, rows);
    return rows;
  };
}

test(`the core agrees with brute force to the micro on ${PORTFOLIOS} portfolios`, () => {
  const random = new Random(17);
  const desks = [marketDesk(DENSE), marketDesk(VENUE17)];
  const rows = desks.map(({ desk }) => rowsOnce(desk));
  const accounts = desks.map(({ desk }) => desk.account());
  const risk = createRiskSums();
  let open = 0;
  for (let round = 0; round < PORTFOLIOS; round++) {
    const which = round % 2;
    const { desk, slots } = desks[which]!;
    const { state } = desk;
    const account = accounts[which]!;
    if (round % 20 < 2) {
      newVintage(desk, random);
      rows[which] = rowsOnce(desk);
    }
    const required = (exposures: readonly Exposure[]) => portfolioRequirement(state, exposures, rows[which]);
    const held: Exposure[] = [];
    desk.clear(account);
    for (let i = random.between(1, 6); i > 0; i--) {
      const instrument = random.pick(slots);
      if (held.some((one) => one.instrument === instrument)) continue;
      const size = (): number => Math.floor(10 ** (2 + 8 * random.fraction()));
      const [position, bids, asks] = [random.pick([0, 1, -1]) * size(), random.pick([0, 1]) * size(), random.pick([0, 1]) * size()];
      held.push({ instrument, position: BigInt(position), bids: BigInt(bids), asks: BigInt(asks) });
      desk.hold(account, instrument, position, bids, asks);
      freshen(state, account);
    }
    const all = required(held);
    sumRisk(state, state.cache.portfolios, account, ALL, -1, risk);
    within(risk.scanning, all.scanning, `round ${round}: scanning risk`);
    assert.deepEqual([BigInt(risk.floor), BigInt(risk.overlay)], [all.floor, all.overlay], `round ${round}`);
    within(initialOf(state, account), all.initial, `round ${round}: initial margin`);
    const plain = held.map((one) => ({ ...one, bids: 0n, asks: 0n }));
    const alone = required(plain);
    within(positionInitialOf(state, account), alone.initial, `round ${round}: of the positions`);
    assert.equal(orderInitialOf(state, account), initialOf(state, account) - positionInitialOf(state, account));
    const one = plain[random.between(0, plain.length - 1)]!;
    const lone = required([one]).initial;
    within(standaloneInitial(state, account, one.instrument, Number(one.position)), lone, `round ${round}: of one position`);
    const rest = required(plain.filter((other) => other !== one)).initial;
    const left = positionInitialOf(state, account) - freedBy(state, account, findHolding(state.holdings, account, one.instrument), 0);
    within(left, rest, `round ${round}: without one position`);
    const smaller = plain.map((other) => ({ ...other, position: other.position / 4n }));
    const together = freedTogether(state, account, (row) => Math.trunc(state.holdings.position[row]! / 4));
    const fewer = required(smaller).initial;
    within(positionInitialOf(state, account) - together, fewer, `round ${round}: every position smaller`);
    const isPerp = ({ instrument }: Exposure): boolean => state.instruments.kind[instrument] === PERP;
    const perps = held.filter(isPerp).reduce((sum, other) => sum + scanOf(state, [other], rows[which]).low, 0n);
    assert.equal(BigInt(perpRequirement(state, state.cache.portfolios, account)), perps);
    const options = required(held.filter((other) => !isPerp(other))).initial;
    within(optionRequirement(state, state.cache.portfolios, account), options, `round ${round}: of the options`);
    if (all.initial.low !== all.initial.high) open++;
  }
  assert.ok(open < PORTFOLIOS / 10, `${open} results with more than one value within float error`);
});

test('scenario rows prepared ahead equal rows computed on first use; rows prepared for other inputs are never used', () => {
  const { desk, slots } = marketDesk(DENSE);
  const { state } = desk;
  const { scenarios } = state.cache.portfolios;
  desk.mark(100_000, 0.6);
  const slot = slots[9]!;
  const read = (): number[] => {
    const from = entryOf(state, scenarios, slot) * MAX_ROWS;
    return Array.from({ length: MAX_ROWS }, (_, row) => scenarios.usdc[from + row]! * 1e6 + scenarios.rest[from + row]!);
  };
  const before = read();
  const { valuation } = state;
  const next = (index: number): void => {
    valuation.nextIndex[0] = index;
    valuation.nextTime[0] = NOW + 1_000;
    valuation.nextAverage[0] = 0;
    valuation.nextSigma[slot] = 550_000;
    prepareRows(state, slot);
  };
  next(90_000e6);
  assert.deepEqual(read(), before, 'the current vintage is unchanged');
  next(101_000e6);
  const made = scenarios.usdc.slice();
  desk.mark(101_000, 0.55, NOW + 1_000);
  const after = read();
  assert.deepEqual(scenarios.usdc, made, 'the first use computed no rows');
  scenarios.keys.fill(0);
  assert.deepEqual(read(), after);
  next(95_000e6);
  desk.mark(96_000, 0.55, NOW + 1_000);
  const other = read();
  scenarios.keys.fill(0);
  assert.deepEqual(read(), other);
});

test('when the cache of portfolios is full, an evicted portfolio is recomputed with the same initial margin', () => {
  const limits = { ...SMALL, accounts: 40 };
  const { desk, slots } = ((): { desk: Desk; slots: number[] } => {
    const one = new Desk(DENSE, limits);
    return { desk: one, slots: [90, 95, 100, 105, 110].flatMap((strike) => [1, 2, 3].map((days) => one.list(CALL, strike * 1_000, days))) };
  })();
  desk.mark(100_000, 0.6);
  const { state } = desk;
  Object.assign(state.cache.portfolios, { capacity: 3 });
  const random = new Random(5);
  const accounts = Array.from({ length: 12 }, () => desk.account());
  for (const account of accounts) for (const slot of slots) desk.hold(account, slot, random.between(-5e6, 5e6), 0, random.between(0, 2e6));
  const answers = accounts.map((account) => {
    freshen(state, account);
    return initialOf(state, account);
  });
  for (let i = 0; i < 200; i++) {
    const which = random.between(0, accounts.length - 1);
    freshen(state, accounts[which]!);
    assert.equal(initialOf(state, accounts[which]!), answers[which]);
  }
});

test('sums beyond the exact range are recomputed at every use with the same result, and are exact again for small positions', () => {
  const { desk, slots } = marketDesk(DENSE);
  desk.mark(100_000, 0.6);
  desk.mark(3_000, 0.6, NOW, 1);
  const { state } = desk;
  const account = desk.account();
  for (const slot of slots.slice(0, 12)) desk.hold(account, slot, 1e14, 1e13, 0);
  freshen(state, account);
  const huge = initialOf(state, account);
  assert.ok(!(huge <= Number.MAX_SAFE_INTEGER));
  freshen(state, account);
  assert.ok(Object.is(initialOf(state, account), huge));
  for (const slot of slots.slice(0, 12)) desk.hold(account, slot, 1e6);
  freshen(state, account);
  const small = initialOf(state, account);
  desk.afresh(account);
  assert.equal(initialOf(state, account), small);
  assert.ok(Number.isSafeInteger(equityOf(state, account)));
});
