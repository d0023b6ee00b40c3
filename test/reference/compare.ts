// What venue and reference model must agree on after every command: open orders, positions with cost, profit and funding, cash, and, for
// accounts with cached sums, the requirement of standard margin and the reserves. Reads raw arrays.

import assert from 'node:assert/strict';
import type { State } from '../../core/engine/state.ts';
import { clientIdIn, isQuote, liveRows, nameIn, openOrders, termsIn } from '../support/raw.ts';
import { initialOf, reservesOf } from './margin.ts';
import type { Model } from './model.ts';
import { STANDARD } from './terms.ts';

/** Cached sums of an account, by their place in a row of the core's cache. */
const SUMS = 8;
const INITIAL = 2;
const RESERVED = 3;

/** `wallets`: by the number of their account. */
export function assertSameState(state: State, model: Model, wallets: readonly number[]): void {
  const byId = [...model.orders, ...model.waiting].sort((a, b) => a.id - b.id);
  const waits = new Map(model.waiting.map(({ id, awaits }) => [id, awaits === true ? ' awaits' : ' waits']));
  const lines = byId.map(({ id, wallet, slot, side, price, left, clientId, quoteSet }) =>
    `${id} of ${wallet}: contract ${slot} side ${side} ${price} ${left} ${nameOf(clientId, quoteSet)}${waits.get(id) ?? ''}`);
  assert.deepEqual(ordersOf(state, wallets), lines, 'open orders');
  assert.deepEqual(positionsOf(state, wallets), [...model.accounts.values()].flatMap(({ wallet, positions }) =>
    [...positions].map(([slot, { size, cost, realized, funded }]) =>
      lineOf(wallet, slot, size, cost, realized, model.world.market.contracts[slot]!.expiry === 0 ? funded : 0n))).sort(), 'positions');
  wallets.forEach((wallet, account) => {
    const own = model.ownOrders(wallet);
    const expected = model.accounts.get(wallet);
    assert.ok(expected !== undefined, `wallet ${wallet} has an account`);
    assert.equal(BigInt(state.accounts.cash[account]!), expected.cash, `cash of ${wallet}`);
    const areSumsThere = state.cache.filledAt[account] === state.valuation.counters[0]! + 1;
    if (!areSumsThere) return;
    const sum = (at: number): bigint => BigInt(state.cache.sums[account * SUMS + at]!);
    assert.equal(sum(RESERVED), reservesOf(model.world, expected, own), `reserves of ${wallet}`);
    if (expected.mode === STANDARD) assert.equal(sum(INITIAL), initialOf(model.world, expected, own), `requirement of ${wallet}`);
  });
}

const nameOf = (clientId: string, quoteSet: string | undefined): string => (quoteSet === undefined ? clientId : `set ${quoteSet}`);

function ordersOf(state: State, wallets: readonly number[]): string[] {
  return openOrders(state).map(({ id, account, instrument, side, price, remaining, slot, entry, flags }) => {
    const name = `${nameOf(clientIdIn(state, slot), isQuote({ flags }) ? nameIn(state, slot) : undefined)}${
      entry !== 0 ? '' : termsIn(state, slot).awaitsEntry ? ' awaits' : ' waits'}`;
    return `${id} of ${wallets[account]}: contract ${instrument} side ${side} ${price} ${remaining} ${name}`;
  });
}

function positionsOf(state: State, wallets: readonly number[]): string[] {
  return liveRows(state).filter(({ position }) => position !== 0).map(({ account, instrument, position, cost, realized, row }) => {
    const isPerp = state.instruments.expiry[instrument] === 0;
    return lineOf(wallets[account]!, instrument, position, cost, realized, isPerp ? state.holdings.funding[row]! : 0);
  }).sort();
}

type Amount = bigint | number;

function lineOf(wallet: number, slot: number, size: Amount, cost: Amount, realized: Amount, funded: Amount): string {
  return `${wallet} holds ${size} of ${slot}: cost ${cost} profit ${realized} funded to ${funded}`;
}
