// For any orders and any path of the index: money and positions balance after every second, no closing order or takeover hits an account
// at or above maintenance margin, a takeover leaves neither debt nor position, the fund never pays more than its part, deleveraging takes
// at most profits, and a replay from the start or from a snapshot between any two steps gives the same state.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { BUY, MINUTE, SECOND, SELL, USDC } from '../../../core/units.ts';
import { CALL, PUT } from '../../../core/codec/commands.ts';
import { IN_LIQUIDATION, LIQUIDATED, PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { ACCOUNT, DELEVERAGED, DELEVERAGED_AGAINST, DELEVERAGED_INSTRUMENT, DELEVERAGED_PRICE, FILL, FUND_POSTED, LIQUIDATION_CHANGED,
  LIQUIDATION_STATE, ORDER_ACCEPTED, POSTED_AMOUNT, POSTED_COVER, POSTED_WHY, TAKEN_OVER } from '../../../core/codec/events.ts';
import { createState, type State } from '../../../core/engine/state.ts';
import { apply } from '../../../core/engine/apply.ts';
import { LIQUIDATE } from '../../../core/lifecycle/work-queue.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { SMALL } from '../../../core/limits.ts';
import { viewsOf } from '../../../core/codec/record.ts';
import { equityAtTheo, maintenance } from '../margin/oracle.ts';
import { accountTotal, liveRows, openOrders, type RawHolding } from '../../support/raw.ts';
import { hashOf } from '../../support/venue.ts';
import { balance, equityOf, LiquidationScene } from './liquidation-scene.ts';

const WALLETS = 8;

type Step = { readonly kind: number; readonly a: number; readonly b: number; readonly size: number; readonly off: number };

const steps = fc.array(fc.record({
  kind: fc.integer({ min: 0, max: 11 }), a: fc.nat(WALLETS - 1), b: fc.nat(WALLETS - 1), size: fc.integer({ min: 1, max: 90 }),
  off: fc.integer({ min: -100, max: 100 }),
}), { minLength: 40, maxLength: 90 });

class RandomRun {
  readonly scene: LiquidationScene;
  readonly slots: readonly number[];
  readonly states = new Set<number>();
  private before = new Map<string, RawHolding>();
  /** True while time passes: every order is then the venue's. */
  private isVenues = false;
  private btc = 100_000;
  private eth = 3_000;

  constructor(seed: number) {
    this.scene = new LiquidationScene({ seed });
    const { scene } = this;
    // A full hour, with its funding, falls into the middle of most runs.
    scene.advance(49 * MINUTE);
    const eth = scene.slots((one) => one.kind === 2 && one.underlying === 'ETH')[0]!;
    this.slots = [scene.perp, scene.perp, eth, scene.nearest(CALL), scene.nearest(PUT)];
    for (let wallet = 0; wallet < WALLETS; wallet += 2) {
      assert.equal(scene.send(scene.write.marginMode(wallet, scene.next(), PORTFOLIO)), 0);
    }
    const keep = scene.state.events.listener!;
    scene.state.events.listener = (kind, slots) => {
      keep(kind, slots);
      this.watch(kind, slots);
    };
  }

  private watch(kind: number, slots: Float64Array): void {
    const { scene } = this;
    if (kind === LIQUIDATION_CHANGED) this.states.add(slots[LIQUIDATION_STATE]!);
    if (kind === TAKEN_OVER || kind === DELEVERAGED) this.states.add(100 + kind);
    if (kind === FUND_POSTED && slots[POSTED_WHY] === POSTED_COVER) {
      const paid = -BigInt(slots[POSTED_AMOUNT]!);
      assert.ok(paid > 0n && paid * 5n <= equityOf(scene.state, scene.fund()) + paid, 'more than a fifth of the fund');
    }
    if (kind === ORDER_ACCEPTED && this.isVenues && slots[ACCOUNT] !== scene.fund()) this.checkForced(slots[ACCOUNT]!, 'an order');
    if (kind === DELEVERAGED) this.checkDeal(slots);
    if (kind === DELEVERAGED || kind === TAKEN_OVER || kind === FILL) this.remember();
  }

  /** A deleveraged holder loses at most its profit: it opened at this price or a better one for itself. */
  private checkDeal(slots: Float64Array): void {
    const { position, cost } = this.before.get(`${slots[DELEVERAGED_AGAINST]}/${slots[DELEVERAGED_INSTRUMENT]}`)!;
    const paid = BigInt(slots[DELEVERAGED_PRICE]!) * BigInt(position);
    assert.ok(paid >= BigInt(cost) * 1_000_000n, `more than the profit: ${slots[DELEVERAGED_PRICE]} for ${cost} of ${position}`);
  }

  private remember(): void {
    this.before = new Map(liveRows(this.scene.state).map((row) => [`${row.account}/${row.instrument}`, row]));
  }

  step({ kind, a, b, size, off }: Step): void {
    const { scene } = this;
    const slot = this.slots[b % this.slots.length]!;
    const scale = slot === this.slots[2] ? 0.3 : 0.01;
    const price = Number((scene.mark(slot) / USDC * (1 + off / 5_000)).toPrecision(4));
    if (kind <= 5 && price > 0) {
      scene.place(a, off % 2 === 0 ? BUY : SELL, price, size * scale, { slot });
      if (kind <= 3) scene.place(b, off % 2 === 0 ? SELL : BUY, price, size * scale, { slot });
    } else if (kind === 6) scene.index(this.btc = Math.min(250_000, Math.max(20_000, this.btc * (1 + off / 900))));
    else if (kind === 7) scene.index(this.eth = Math.min(9_000, Math.max(500, this.eth * (1 + off / 600))), 1);
    else if (kind === 8 && size % 5 === 0) scene.goStale();
    else this.seconds(1 + size % 4);
  }

  private seconds(count: number): void {
    for (let i = 0; i < count; i++) {
      this.second();
      this.check();
    }
  }

  /** Runs step by step, to see when a takeover begins: its work item then leaves its first part. */
  private second(): void {
    const { scene } = this;
    const { work } = scene.state;
    const partOf = (): number => {
      const at = work.counters[0]! * 5;
      return work.items[at] === LIQUIDATE ? work.items[at + 2]! : 0;
    };
    scene.now += SECOND;
    this.isVenues = true;
    for (let before = partOf(); runDue(scene.sequencer, scene.now); before = partOf()) {
      if (before === 0 && partOf() !== 0) this.checkForced(work.items[work.counters[0]! * 5 + 1]!, 'a takeover');
    }
    this.isVenues = false;
  }

  private checkForced(account: number, what: string): void {
    const { state } = this.scene;
    const equity = equityAtTheo(state, account);
    const { high } = maintenance(state, account);
    assert.equal(state.accounts.status[account], IN_LIQUIDATION);
    assert.ok(equity < high, `${what} forced upon equity ${equity} of a maintenance margin of ${high}`);
    this.states.add(what === 'a takeover' ? 1_000 : 1_001);
  }

  check(): void {
    const { state } = this.scene;
    balance(state);
    const rows = liveRows(state);
    const orders = openOrders(state);
    for (let account = 0; account < accountTotal(state); account++) {
      if (state.accounts.status[account] !== LIQUIDATED) continue;
      assert.ok(!rows.some((row) => row.account === account), 'a position or an order after a takeover');
      assert.ok(!orders.some((order) => order.account === account));
      assert.equal(state.accounts.cash[account], 0);
    }
    if (this.scene.fund() >= 0) assert.equal(state.accounts.status[this.scene.fund()], 0);
  }
}

test('random: for any orders and path of the index, balances hold, nothing is forced above maintenance and replays agree', () => {
  const seen = new Set<number>();
  fc.assert(fc.property(steps, fc.constantFrom(0, 300, 1_000_000), (path, seed) => {
    const run = new RandomRun(seed);
    for (const step of path) run.step(step);
    run.scene.index(100_000);
    run.scene.seconds(3);
    run.check();
    assert.equal(hashOf(run.scene.replay()), run.scene.hash());
    for (const state of run.states) seen.add(state);
  }), { numRuns: 40, seed: 7 });
  const wanted = [0, 1, 2, 3, 100 + TAKEN_OVER, 100 + DELEVERAGED, 1_000, 1_001];
  for (const state of wanted) assert.ok(seen.has(state), `never happened: ${state}`);
});

test('snapshot: a core restored between any two steps of a liquidation ends in the same state', () => {
  const scene = new LiquidationScene({ seed: 600 });
  const eth = scene.slots((one) => one.kind === 2 && one.underlying === 'ETH')[0]!;
  scene.trade(1, 2, 100_000, 0.5);
  scene.trade(1, 3, 100_000, 0.2);
  scene.trade(1, 4, 3_000, 5, eth);
  for (let i = 0; i < 200; i++) scene.sell(1, 130_000 + 10 * i, 0.001, { slot: scene.perp });
  scene.seconds(1);
  scene.index(2_500, 1);
  scene.index(84_000);
  const from = scene.log.kept.length;
  scene.seconds(5);
  assert.equal(scene.status(1), LIQUIDATED);
  const wanted = scene.hash();
  const onto = createState(SMALL);
  const run = (state: State, first: number, end: number): void => {
    for (let i = first; i < end; i++) apply(state, viewsOf(scene.log.kept[i]!.buffer as ArrayBuffer), 0);
  };
  run(onto, 0, from);
  const whole = scene.log.kept.length;
  for (let at = from; at < whole; at++) {
    // Every step of the last second, and every sixteenth before it.
    if (whole - at < 40 || at % 16 === 0) {
      const copy = createState(SMALL);
      restoreState(copy, copyOf(onto));
      run(copy, at, whole);
      assert.equal(hashOf(copy), wanted, `from record ${at}`);
    }
    run(onto, at, at + 1);
  }
});
