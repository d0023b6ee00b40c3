// The production book against the naive one: random commands in several regimes, compared step by step; and the production book
// against itself saved and loaded at random steps. STRIKEBOOK_LONG=1 runs 40 times as many commands.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasBookRoom } from '../../../core/book/books.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { validateBooks } from './validate.ts';
import { createFastBook, reload, savedSections, type Capacities, type FastBook } from './fast.ts';
import { createNaiveBook, type Taken, type Taker } from './naive.ts';

const FACTOR = process.env['STRIKEBOOK_LONG'] === '1' ? 40 : 1;
/** The first id; ids carry into the high word in every run. */
const FIRST_ID = 2 ** 32 - 300;

type Kind = 'limit' | 'ioc' | 'fok' | 'cancel' | 'reduce';
type Regime = {
  readonly name: string; readonly limits: Capacities; readonly commands: number; readonly accounts: number;
  /** Open orders at the start, and the number that the mix of commands aims at. */
  readonly preload: number; readonly target: number;
  readonly validateEvery: number;
  price(random: () => number, side: number, crossing: boolean): number;
  size(random: () => number): number;
};

const small = (random: () => number): number => 1 + Math.floor(random() * 20);

/** Prices within `ticks` keys on each side of the key `middle`; a crossing order has one on the other side. */
function around(middle: number, ticks: number): Regime['price'] {
  return (random, side, crossing) => priceOfKey(middle + (Math.floor(random() * ticks) + 1) * ((side === 0) === crossing ? 1 : -1));
}

const REGIMES: readonly Regime[] = [
  { name: 'deep', limits: { orders: 32_768, instruments: 2, levelPages: 32_768 }, commands: 8_000, accounts: 500, preload: 24_000,
    target: 24_000, validateEvery: 200, price: around(100_000, 4), size: small },
  { name: 'wide', limits: { orders: 1_024, instruments: 2, levelPages: 1_024 }, commands: 14_000, accounts: 20, preload: 0, target: 250,
    validateEvery: 1, price: around(500_000, 499_999), size: (random) => 1 + Math.floor(random() * 1e15) },
  { name: 'low prices', limits: { orders: 512, instruments: 1, levelPages: 512 }, commands: 5_000, accounts: 20, preload: 0, target: 100,
    validateEvery: 1, price: around(8, 7), size: (random) => 1 + Math.floor(random() * 1e15) },
  { name: 'many', limits: { orders: 1_024, instruments: 200, levelPages: 1_024 }, commands: 6_000, accounts: 30, preload: 0, target: 500,
    validateEvery: 1, price: around(190_000, 200), size: small },
  { name: 'contest', limits: { orders: 256, instruments: 1, levelPages: 256 }, commands: 15_000, accounts: 3, preload: 0, target: 60,
    validateEvery: 1, price: around(64_000, 12), size: small },
  { name: 'full pool', limits: { orders: 24, instruments: 2, levelPages: 64 }, commands: 2_000, accounts: 9, preload: 0, target: 200,
    validateEvery: 1, price: around(64_000, 90), size: small },
];

function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let word = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
    return ((word ^ (word >>> 15)) >>> 0) / 4_294_967_296;
  };
}

/** A command with all random choices made, so that it can be applied to any book. */
type Command = {
  readonly kind: Kind; readonly taker: Taker; readonly id: number; readonly target: number; readonly part: number;
  readonly maxSteps: number; readonly meanwhile: readonly number[];
};

type Opened = { readonly id: number };

function draw(regime: Regime, random: () => number, id: number, open: readonly Opened[], preload: boolean): Command {
  const pick = (): number => (open.length === 0 ? 0 : open[Math.floor(random() * open.length)]!.id);
  const mix = random();
  const grow = open.length < regime.target ? 0.75 : 0.45;
  const taking: Kind = mix < grow ? 'limit' : mix < grow + 0.04 ? 'ioc' : 'fok';
  const kind: Kind = preload ? 'limit' : mix < grow + 0.08 ? taking : mix < 0.93 ? 'cancel' : 'reduce';
  const side = random() < 0.5 ? 0 : 1;
  const crossing = !preload && random() < (kind === 'limit' ? 0.12 : 0.9);
  const taker: Taker = {
    instrument: Math.floor(random() * regime.limits.instruments), side, price: regime.price(random, side, crossing),
    size: regime.size(random) * (random() < 0.1 ? 5 : 1), account: Math.floor(random() * regime.accounts),
  };
  return {
    kind, taker: { ...taker, size: Math.min(taker.size, 1e15) }, id, target: pick(), part: random(),
    maxSteps: random() < 0.05 ? 1 : 1_000_000, meanwhile: random() < 0.1 ? [pick(), pick()] : [],
  };
}

type Played = { readonly outcome: string; readonly taken: Taken | null; readonly done: boolean };

/** `sizeOf` is the remaining size of the target of a reduce, taken from the naive book. */
function play(book: FastBook | ReturnType<typeof createNaiveBook>, command: Command, sizeOf: number): Played {
  const { kind, taker, id, target, part, maxSteps, meanwhile } = command;
  if (kind === 'cancel') return { outcome: kind, taken: null, done: book.cancel(target) };
  if (kind === 'reduce') return { outcome: kind, taken: null, done: book.reduce(target, Math.max(1, Math.floor(sizeOf * part))) };
  if (kind === 'fok' && !book.canFill(taker)) return { outcome: 'fok killed', taken: null, done: false };
  const taken = book.take(taker, kind === 'fok' ? 1_000_000 : maxSteps, kind === 'fok' ? [] : meanwhile);
  const stopped = taken.steps.length === maxSteps;
  if (kind === 'limit' && taken.left > 0 && !stopped) book.rest(taker, id, taken.left);
  return { outcome: stopped ? 'stopped' : kind, taken, done: kind !== 'fok' || taken.left === 0 };
}

type Histogram = Record<string, number>;

function count(histogram: Histogram, played: Played, command: Command): void {
  const add = (name: string): void => { histogram[name] = (histogram[name] ?? 0) + 1; };
  add(played.outcome);
  for (const [kind] of played.taken?.steps ?? []) add(kind);
  if (played.taken !== null && played.taken.steps.length > 1 && command.meanwhile.length > 0) add('meanwhile');
  if (played.taken !== null && played.taken.steps.length > 5) add('sweep');
}

function compareBooks(fast: FastBook, naive: ReturnType<typeof createNaiveBook>, instruments: number): void {
  assert.equal(fast.open(), naive.open());
  for (let instrument = 0; instrument < instruments; instrument++) {
    for (let side = 0; side < 2; side++) {
      assert.deepEqual(fast.lines(instrument, side), naive.lines(instrument, side));
      assert.deepEqual(fast.depth(instrument, side), naive.depth(instrument, side));
    }
  }
}

function runDifferential(regime: Regime, seed: number, histogram: Histogram): void {
  const random = createRandom(seed);
  const naive = createNaiveBook();
  const fast = createFastBook(regime.limits);
  const commands = regime.commands * FACTOR;
  for (let n = 0; n < regime.preload + commands; n++) {
    const preload = n < regime.preload;
    const command = draw(regime, random, FIRST_ID + n, naive.orders, preload);
    if (preload) {
      // Preloaded orders do not cross, so the slow search of the naive book for a maker is skipped.
      for (const book of [fast, naive]) book.rest(command.taker, command.id, command.taker.size);
      continue;
    }
    const full = naive.open() >= regime.limits.orders - 1;
    assert.equal(hasBookRoom(fast.books, 0, 0), !full);
    if (full && command.kind === 'limit') {
      histogram['full'] = (histogram['full'] ?? 0) + 1;
      continue;
    }
    const sizeOf = command.kind === 'reduce' ? naive.orders.find((order) => order.id === command.target)?.remaining ?? 1 : 1;
    const played = play(naive, command, sizeOf);
    assert.deepEqual(play(fast, command, sizeOf), played, `${regime.name} seed ${seed} command ${n}`);
    const { instrument } = command.taker;
    for (let side = 0; side < 2; side++) assert.equal(fast.best(instrument, side), naive.best(instrument, side));
    count(histogram, played, command);
    if (n % regime.validateEvery === 0) assert.equal(validateBooks(fast.books), '', `${regime.name} seed ${seed} command ${n}`);
    if (n % 500 === 0) compareBooks(fast, naive, regime.limits.instruments);
  }
  compareBooks(fast, naive, regime.limits.instruments);
  assert.equal(validateBooks(fast.books), '');
}

const histogram: Histogram = {};

REGIMES.forEach((regime, i) => {
  test(`after each command the fast book equals the naive book: ${regime.name}`, () => runDifferential(regime, 1_000 + i, histogram));
});

test('the random commands reach every result more than 20 times', (t) => {
  t.diagnostic(JSON.stringify(histogram));
  const outcomes = ['limit', 'ioc', 'fok', 'fok killed', 'cancel', 'reduce', 'fill', 'self', 'stopped', 'meanwhile', 'sweep', 'full'];
  for (const outcome of outcomes) assert.ok((histogram[outcome] ?? 0) > 20, `${outcome}: ${histogram[outcome] ?? 0}`);
});

test('a book saved and loaded at random steps gives the same results as one that was not', () => {
  for (const regime of REGIMES.filter(({ preload }) => preload === 0)) {
    const random = createRandom(77);
    const whole = createFastBook(regime.limits);
    let broken = createFastBook(regime.limits);
    const ids: Opened[] = [];
    for (let n = 0; n < 1_500 * FACTOR; n++) {
      const command = draw(regime, random, FIRST_ID + n, ids.slice(-regime.target), false);
      if (!hasBookRoom(whole.books, 0, 0) && command.kind === 'limit') continue;
      assert.equal(hasBookRoom(broken.books, 0, 0), hasBookRoom(whole.books, 0, 0));
      if (command.kind === 'reduce') continue;
      assert.deepEqual(play(broken, command, 1), play(whole, command, 1), `${regime.name} command ${n}`);
      if (command.kind === 'limit') ids.push({ id: command.id });
      if (random() < 0.02) {
        broken = reload(broken, regime.limits);
        assert.equal(validateBooks(broken.books), '');
        assert.deepEqual(savedSections(broken), savedSections(whole));
      }
    }
    assert.deepEqual(savedSections(broken), savedSections(whole));
  }
});
