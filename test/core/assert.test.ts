// Assertions of the core: given a state damaged by hand, the command that meets the damage stops with the name of the broken rule.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { CONTRACT, SELL, USDC } from '../../core/units.ts';
import { cancelOrder, restOrder } from '../../core/book/books.ts';
import { levelOf } from '../../core/book/levels.ts';
import { startTaking, takeMaker } from '../../core/book/matching.ts';
import { findOrder } from '../../core/book/pool.ts';
import { priceKeyOf } from '../../core/book/price-key.ts';
import { createHashIndex, addToHashIndex, removeFromHashIndex } from '../../core/math/hash-index.ts';
import { FEES, fundFromFaucet, moveCash, payHouse, realize } from '../../core/ledger/ledger.ts';
import { addWide } from '../../core/ledger/wide.ts';
import { findHolding } from '../../core/positions/holdings.ts';
import { createWorkQueue, popWork } from '../../core/lifecycle/work-queue.ts';
import { TradingScene } from './trading/support.ts';

/** Wallets 1 and 2 have traded the perp; then wallet 1 bids for two contracts at 90,000, orders 3 and 4. */
function market(): TradingScene {
  const scene = new TradingScene();
  scene.trade(1, 2, 100_000, 1);
  scene.buy(1, 90_000, 1, { slot: scene.perp });
  scene.buy(1, 90_000, 1, { slot: scene.perp });
  return scene;
}

const rowOf = (scene: TradingScene, wallet: number): number => findHolding(scene.state.holdings, scene.account(wallet), scene.perp);
const slotOf = (scene: TradingScene, id: number): number => findOrder(scene.state.books, id, 0);
const cancelBoth = (scene: TradingScene): void => [3, 4].forEach((id) => scene.cancel(1, id));

type Damage = readonly [label: string, damage: (scene: TradingScene) => void, meet: (scene: TradingScene) => void];

const DAMAGES: readonly Damage[] = [
  ['book: the previous order links to this one',
    (scene) => { scene.state.books.links[(slotOf(scene, 3) << 1) | 1] = 0; }, (scene) => scene.cancel(1, 4)],
  ['book: the next order links to this one',
    (scene) => { scene.state.books.links[slotOf(scene, 4) << 1] = 0; }, (scene) => scene.cancel(1, 3)],
  ['book: a level without orders has no size',
    (scene) => { scene.state.books.totals[(levelOf(scene.state.books, slotOf(scene, 3)) << 1) | 1]! += 1; }, cancelBoth],
  ["book: a level's size is not negative",
    (scene) => { scene.state.books.totals[(levelOf(scene.state.books, slotOf(scene, 3)) << 1) | 1] = 1; }, cancelBoth],
  ['book: the free list holds free slots',
    (scene) => { scene.state.books.counters[0] = slotOf(scene, 3); }, (scene) => scene.buy(1, 80_000, 1, { slot: scene.perp })],
  ['book: an open order is in the id index',
    (scene) => { scene.state.books.chains[4] = slotOf(scene, 3); }, (scene) => cancelOrder(scene.state.books, slotOf(scene, 3) + 1)],
  ['matching: the maker is the first in line at the best price',
    ({ perp, state }) => startTaking(state.books, perp, SELL, priceKeyOf(90_000 * USDC), CONTRACT),
    (scene) => takeMaker(scene.state.books, slotOf(scene, 4))],
  ['place: the book is not crossed after an order rests',
    (scene) => { restOrder(scene.state.books, scene.perp, SELL, priceKeyOf(85_000 * USDC), scene.account(2), 5, CONTRACT); },
    (scene) => scene.buy(1, 80_000, 1, { slot: scene.perp })],
  ['orders: open sizes are 0 without orders',
    (scene) => { scene.state.holdings.bidSize[rowOf(scene, 1)]! += 1; }, cancelBoth],
  ['orders: the sum of open sizes is exact and not negative',
    (scene) => { scene.state.holdings.bidSize[rowOf(scene, 1)] = CONTRACT; }, cancelBoth],
  ['orders: the younger neighbour links to this order',
    (scene) => { scene.state.holdings.orderTail[rowOf(scene, 1)] = slotOf(scene, 3); }, (scene) => scene.cancel(1, 4)],
  ['margin: a holding without orders has no reserve',
    (scene) => { scene.state.cache.parts[rowOf(scene, 1) * 8]! += 1; }, cancelBoth],
  ['holdings: the cost has the sign of the position',
    (scene) => { scene.state.holdings.cost[rowOf(scene, 2)] = 200_000 * USDC; },
    (scene) => scene.sell(2, 90_000, 0.5, { slot: scene.perp })],
  ['holdings: the number of positions is not negative',
    (scene) => { scene.state.accounts.positions[scene.account(2)] = 0; },
    (scene) => { scene.sell(1, 95_000, 1, { slot: scene.perp }); scene.buy(2, 95_000, 1, { slot: scene.perp }); }],
];

test('given a damaged state, the command that meets the damage throws the broken rule’s assertion', () => {
  for (const [label, damage, meet] of DAMAGES) {
    const scene = market();
    damage(scene);
    assert.throws(() => meet(scene), { name: 'Error', message: `assertion failed: ${label}` }, label);
  }
});

test('money: a transfer that would lose, create or round a micro throws', () => {
  const { state } = market();
  const { accounts, ledger } = state;
  const [one, other] = [0, 1];
  const most = Number.MAX_SAFE_INTEGER;
  for (const [label, move] of [
    ['money moves between two accounts', () => moveCash(accounts, one, one, 1)],
    ['an amount is an exact number of micros', () => moveCash(accounts, one, other, NaN)],
    ['cash stays in its exact range', () => moveCash(accounts, one, other, most)],
    ['one account receives what the other pays', () => moveCash(accounts, one, other, 0.1)],
    ['a realised profit is an exact number of micros', () => realize(accounts, one, Infinity)],
    ['cash changes by what was realised', () => realize(accounts, one, 0.3)],
    ['the house account exists', () => payHouse(ledger, accounts, one, 0, 1)],
    ['the house receives what the account pays', () => payHouse(ledger, accounts, one, FEES, -most)],
    ['the faucet gives an exact amount', () => fundFromFaucet(ledger, accounts, one, NaN)],
    ['the account gets what the faucet gives', () => fundFromFaucet(ledger, accounts, one, 0.3)],
  ] as const) {
    assert.throws(move, { message: `assertion failed: ledger: ${label}` }, label);
    accounts.cash.fill(1_000 * USDC, 0, 2);
  }
  assert.throws(() => addWide(new Float64Array(2), 0, NaN), /wide: the low limb lies within its base/);
});

test('queues and indexes: removing an item that is not in, or adding a row twice, throws', () => {
  assert.throws(() => popWork(createWorkQueue(4)), /work: a finished item was in the queue/);
  const chains = createHashIndex(16, (row) => row);
  addToHashIndex(chains, 3);
  assert.throws(() => addToHashIndex(chains, 3), /hash index: a row is added once/);
  assert.throws(() => removeFromHashIndex(chains, 5), /hash index: a removed row is in its chain/);
});
