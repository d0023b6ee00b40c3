// The core against a reference model of the trading engine, written from the specification alone, in BigInt, without shared code. Both get
// the same random commands, mix by mix, and must agree after each in reply, fills, ends of orders and state. Also: perps by the clock,
// a faulty model, and the model's imports. STRIKEBOOK_LONG=1 runs 100 times as many commands; STRIKEBOOK_SEED=n replays one seed.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { HalfHour, playTicks } from './hours.ts';
import { MIXES, type Mix } from './mixes.ts';
import { BatchTwin } from './batches.ts';
import type { Twin } from './twin.ts';

const isLong = process.env['STRIKEBOOK_LONG'] === '1';
const one = process.env['STRIKEBOOK_SEED'];
const STEPS = isLong ? 1_250 : 250;
const SEEDS = isLong ? 20 : 1;
const NAMES = Object.keys(MIXES);

/** The files of the model; they import only each other. */
const MODEL = ['checks', 'firing', 'margin', 'matching', 'model', 'money', 'perps', 'placing', 'positions', 'pricing', 'protection',
  'quotes', 'terms'];

/** Buckets that all mixes together must reach, so that every kind of input is tested. */
const REQUIRED = [
  ...['place', 'replace', 'amend', 'cancel', 'cancelByClientId', 'cancelAll', 'cancelAfter', 'setProtection', 'endProtection', 'mode',
    'tier', 'halt', 'block', 'operatorCancel', 'index', 'surface', 'configure', 'wait'].map((kind) => `command ${kind}`),
  ...['OK', 'MAX_OPEN_ORDERS', 'MAX_POSITIONS', 'POSITION_LIMIT', 'EXPIRED', 'DUPLICATE_CLIENT_ID', 'REDUCE_ONLY_INCREASES',
    'TOO_MANY_REDUCE_ONLY', 'NO_FUNDS', 'MMP_FROZEN', 'TIER1_SHORT', 'NO_SPOT_PRICE', 'INSUFFICIENT_MARGIN',
    'MARKET_CANCEL_ONLY', 'MARKET_HALTED', 'WALLET_CLOSE_ONLY', 'WALLET_BLOCKED', 'OUTSIDE_BAND', 'TOO_LATE', 'ORDER_EXPIRED',
    'TOO_MANY_LINKED', 'WOULD_TAKE', 'TOO_MANY_TRIGGERS'].map((code) => `place ${code}`),
  ...['OK', 'NOT_OPEN', 'ORDER_NOT_FOUND', 'INSUFFICIENT_MARGIN'].map((code) => `replace ${code}`),
  ...['OK', 'NOT_OPEN', 'ORDER_NOT_FOUND', 'INSUFFICIENT_MARGIN'].map((code) => `amend ${code}`),
  'waiting order that is amended', 'waiting order that is reduced', 'waiting order with nothing to reduce',
  'order that waits for its trigger', 'order that fires at the price band',
  ...['OK', 'INSUFFICIENT_MARGIN', 'REDUCE_ONLY_INCREASES', 'TIER1_SHORT'].map((code) => `fired ${code}`),
  ...['opening', 'trade', 'fee', 'funding', 'settlement', 'settlement_fee', 'credit'].map((kind) => `row ${kind}`),
  'credit DEBIT_TOO_LARGE', 'command massQuote', 'command cancelQuotes',
  ...['OK', 'TOO_LATE', 'NEWER_QUOTES'].map((code) => `massQuote ${code}`),
  ...['UNCHANGED', 'REDUCED', 'OPEN', 'REMOVED', ...['NO_QUOTE_TO_RESIZE', 'PRICE_FIGURES', 'MAX_OPEN_ORDERS', 'INSUFFICIENT_MARGIN',
    'TIER1_SHORT', 'MMP_FROZEN', 'MARKET_CANCEL_ONLY', 'WOULD_TAKE'].map((code) => `REJECTED ${code}`)].map((status) => `quote ${status}`),
  'amend ORDER_OF_QUOTE_SET', 'replace ORDER_OF_QUOTE_SET',
  ...['place OK', 'place INSUFFICIENT_MARGIN', 'place NO_ENTRY', 'replace OK', 'cancel OK', 'cancel NOT_OPEN']
    .map((what) => `item ${what}`),
  'trigger whose entry has a fill',
  'amend in place', 'amend that enters anew',
  ...['OK', 'NOT_OPEN', 'ORDER_NOT_FOUND'].map((code) => `cancel ${code}`),
  'cancelByClientId OK', 'cancelByClientId NOT_OPEN', 'tier OK', 'tier before the first order',
  ...['OK', 'POSITIONS_OPEN', 'ORDERS_DO_NOT_FIT'].map((code) => `mode ${code}`),
  ...['FILLED', 'CANCELLED', 'IOC_REST', 'FOK_KILLED', 'SELF_TRADE', 'MMP', 'MMP_SELF', 'NOTHING_TO_REDUCE', 'REPLACED', 'AMENDED',
    'MARGIN', 'CANCEL_AFTER', 'EXPIRED', 'BALANCE_RANGE', 'BLOCKED', 'OPERATOR', 'ORDER_EXPIRED',
    'LINKED', 'NO_ENTRY'].map((reason) => `done ${reason}`),
  'exempt order', 'order in the last half hour',
  'fill of a whole maker', 'fill of a part of a maker', 'maker that closes without margin', 'order that rests',
  'order that waits is met', 'protection of a maker', 'protection of a taker', 'reduce-only order that shrinks', 'settled position',
  'order under standard margin', 'order under portfolio margin', 'funding of an hour', 'funding of several hours',
  'expired order is met', 'fok that would meet an own order', 'linked order that shrinks',
  'order that slides', 'taker that stops at an own order',
];

const total = new Map<string, number>();

function play(seed: number, mix: Mix): Twin {
  const twin = new BatchTwin(seed, mix);
  for (let step = 0; step < STEPS * mix.length; step++) {
    try {
      twin.step();
    } catch (fault) {
      throw new Error(`seed ${seed}, step ${step}: ${twin.last()}`, { cause: fault });
    }
  }
  return twin;
}

for (const [at, name] of NAMES.entries()) {
  const seeds = one !== undefined ? [Number(one)] : Array.from({ length: SEEDS }, (_, i) => at + 1 + i * NAMES.length);
  test(`reference: after each random command core and model agree: ${name}`, (t) => {
    const mix = MIXES[name]!;
    for (const seed of seeds) {
      const { histogram, model } = play(seed, mix);
      for (const [bucket, count] of [...histogram, ...model.reached]) total.set(bucket, (total.get(bucket) ?? 0) + count);
    }
    t.diagnostic(`${STEPS * mix.length} commands of each seed: ${seeds.join(', ')}`);
  });
}

test('reference: every bucket is reached, and at most 0.5 % of killed fok orders are undecided by the model', (t) => {
  for (const [bucket, count] of [...total].sort(([a], [b]) => (a < b ? -1 : 1))) t.diagnostic(`${bucket}: ${count}`);
  if (one !== undefined) return;
  assert.deepEqual(REQUIRED.filter((bucket) => !total.has(bucket)), [], 'empty buckets');
  const killed = total.get('done FOK_KILLED')!;
  assert.ok((total.get('fok killed in doubt') ?? 0) * 200 <= killed, `in doubt: ${total.get('fok killed in doubt')} of ${killed}`);
});

test('reference: in the half hour before an expiry, marks, funding rates and settlement prices agree', (t) => {
  for (let seed = 1; seed <= (isLong ? 40 : 1); seed++) {
    const { marks, rates, settled } = new HalfHour(seed).run();
    assert.deepEqual({ rates, settled }, { rates: 2, settled: 2 });
    t.diagnostic(`seed ${seed}: ${marks} marks, ${rates} rates, ${settled} settlement prices`);
  }
});

test('reference: core and model agree which ticks of the index are used, by the rule of the median', () => {
  for (let seed = 1; seed <= (isLong ? 40 : 1); seed++) {
    const { used, ignored } = playTicks(seed, 400);
    assert.ok(used > 100 && ignored > 20, `seed ${seed}: ${used} used, ${ignored} not`);
  }
});

/** Faults of one unit, in the model and in the venue. */
const FAULTS: Readonly<Record<string, (twin: Twin) => void>> = {
  'the maker’s fee of the model': ({ model: { world } }) => {
    world.rules = { ...world.rules, makerFee: world.rules.makerFee + 1n };
  },
  'cash of a wallet in the model': ({ model }) => {
    model.accounts.get(0)!.cash += 1n;
  },
  'a position in the venue': ({ venue }) => {
    const { position } = venue.state.holdings;
    position[position.findIndex((size) => size !== 0)]! += 1;
  },
};

test('reference: a planted fault of one unit in the model or the venue is noticed', () => {
  for (const [name, plant] of Object.entries(FAULTS)) {
    const twin = new BatchTwin(3, MIXES['fees and tiers']!);
    for (let step = 0; step < 100; step++) twin.step();
    plant(twin);
    assert.throws(() => {
      for (let step = 0; step < 100; step++) twin.step();
    }, { name: 'AssertionError' }, name);
  }
});

test('reference: the files of the model import only each other', () => {
  for (const name of MODEL) {
    const source = readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8');
    const imported = [...source.matchAll(/(?:from|import) \(?'([^']*)'/g)].map(([, from]) => from!);
    assert.deepEqual(imported.filter((from) => !MODEL.some((other) => from === `./${other}.ts`)), [], name);
  }
});
