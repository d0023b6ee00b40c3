// A venue for liquidation tests: the test moves the index and the clock, every event is kept, and after each second money and
// positions must balance exactly, without marks. Amounts are USDC and contracts where a name says so, else units. It reads raw
// arrays and shares no code with what it checks.

import assert from 'node:assert/strict';
import { CONTRACT, MINUTE, SECOND, USDC } from '../../../core/units.ts';
import { FLAG_INDEX_STALE, PERP } from '../../../core/codec/commands.ts';
import { DEFAULT_BALANCE, defaultSettings, FUND_SEED, LIQUIDATION_FEE, MARK_INTERVAL, MAX_POSITION } from '../../../core/settings.ts';
import type { State } from '../../../core/engine/state.ts';
import { accountTotal, fundAccount, liveRows, type RawHolding } from '../../support/raw.ts';
import { Scene } from '../../support/scene.ts';
import { FREE, type EventRow } from '../../support/venue.ts';

/** Weight of the high limb of a house account (core/ledger/wide, head comment). */
const LIMB = 1n << 40n;

/** `set`: more settings, as pairs of number and value. */
export type LiquidationSceneOptions = {
  balance?: number; seed?: number; fee?: number; markEvery?: number; set?: readonly (readonly [number, number])[];
};

/** Wallets with 10,000 USDC, BTC at 100,000: one perp takes all of that as initial margin and half of it as maintenance margin. */
export class LiquidationScene extends Scene {
  readonly perp: number;
  kept: EventRow[] = [];

  constructor({ balance = 10_000, seed = 1_000_000, fee = 10_000, markEvery = 1_000, set = [] }: LiquidationSceneOptions = {}) {
    const settings = defaultSettings();
    settings[DEFAULT_BALANCE] = balance * USDC;
    settings[FUND_SEED] = seed * USDC;
    settings[LIQUIDATION_FEE] = fee;
    settings[MARK_INTERVAL] = markEvery;
    settings[MAX_POSITION] = 1_000_000_000 * USDC;
    for (const [at, value] of set) settings[at] = value;
    super({ settings, rules: FREE });
    this.state.events.listener = (kind, slots) => {
      const row = { kind, slots: slots.slice() };
      this.events.push(row);
      this.kept.push(row);
    };
    // Ten minutes past the hour, so that no funding is due during a test.
    this.advance(10 * MINUTE);
    this.perp = this.slots((one) => one.kind === PERP && one.underlying === 'BTC')[0]!;
  }

  /** Sets the operator's index of an underlying in USDC, and does all work that is due. */
  index(price: number, underlying = 0): void {
    this.venue(this.write.index(underlying, Math.round(price * USDC), 1));
    this.settle();
  }

  /** Advances the clock second by second, and checks the balance after each. */
  seconds(count: number): void {
    for (let i = 0; i < count; i++) {
      this.advance(SECOND);
      balance(this.state);
    }
  }

  /** Two wallets trade at a price; the first one buys. */
  trade(buyer: number, seller: number, price: number, size: number, slot = this.perp): void {
    assert.equal(this.sell(seller, price, size, { slot }), 0);
    assert.equal(this.buy(buyer, price, size, { slot }), 0);
  }

  /** The feed marks its index as stale, with its last price if one is given. */
  goStale(price = 0): void {
    this.venue(this.write.index(0, Math.round(price * USDC), FLAG_INDEX_STALE));
    this.settle();
  }

  position(wallet: number, slot = this.perp): number {
    return this.positionOf(this.account(wallet), slot);
  }

  positionOf(account: number, slot = this.perp): number {
    return (liveRows(this.state).find((row) => row.account === account && row.instrument === slot)?.position ?? 0) / CONTRACT;
  }

  /** Cash in USDC. */
  dollars(wallet: number): number {
    return this.cash(wallet) / USDC;
  }

  /** The insurance fund's account, -1 while it has none. */
  fund(): number {
    return fundAccount(this.state);
  }

  fundDollars(): number {
    return this.state.accounts.cash[this.fund()]! / USDC;
  }

  /** The account's equity from cash, marks and costs in the raw state. */
  equity(account: number): number {
    return Number(equityOf(this.state, account)) / USDC;
  }

  /** Slots of all kept events of a kind; then forgets all events. */
  take(kind: number): number[][] {
    const found = this.kept.filter((event) => event.kind === kind).map((event) => [...event.slots]);
    this.kept = [];
    return found;
  }

  seen(kind: number): number[][] {
    return this.kept.filter((event) => event.kind === kind).map((event) => [...event.slots]);
  }
}

function valueAt(mark: number, position: number): bigint {
  const product = BigInt(mark) * BigInt(Math.abs(position));
  const value = (product * 2n + BigInt(CONTRACT)) / (2n * BigInt(CONTRACT));
  return position < 0 ? -value : value;
}

/** Pending funding of the row: its position times the funding of one contract since its last payment, 1e-9 USDC, rounded up. */
function owedOf(state: State, row: RawHolding): bigint {
  const since = BigInt(state.funding.cumulative[row.instrument]!) - BigInt(state.holdings.funding[row.row]!);
  const owed = BigInt(row.position) * since;
  return owed > 0n ? (owed + 999_999_999n) / 1_000_000_000n : owed / 1_000_000_000n;
}

export function equityOf(state: State, account: number): bigint {
  let sum = BigInt(state.accounts.cash[account]!);
  for (const row of liveRows(state)) {
    if (row.account !== account || row.position === 0) continue;
    sum += valueAt(state.valuation.mark[row.instrument]!, row.position);
    if (state.instruments.kind[row.instrument] === PERP) sum -= BigInt(row.cost) + owedOf(state, row);
  }
  return sum;
}

/** Exact, without marks: all cash less the cost of perps plus the house sums to 0, and so do the positions of each contract. */
export function balance(state: State): void {
  let money = 0n;
  const positions = new Map<number, bigint>();
  for (let account = 0; account < accountTotal(state); account++) money += BigInt(state.accounts.cash[account]!);
  for (let i = 0; i < state.ledger.house.length; i += 2) {
    money += BigInt(state.ledger.house[i]!) * LIMB + BigInt(state.ledger.house[i + 1]!);
  }
  const longs = new Map<number, bigint>();
  for (const row of liveRows(state)) {
    if (state.instruments.kind[row.instrument] === PERP) money -= BigInt(row.cost);
    positions.set(row.instrument, (positions.get(row.instrument) ?? 0n) + BigInt(row.position));
    if (row.position > 0) longs.set(row.instrument, (longs.get(row.instrument) ?? 0n) + BigInt(row.position));
  }
  assert.equal(money, 0n, 'money: cash, costs and house do not sum to 0');
  for (const [slot, sum] of positions) {
    assert.equal(sum, 0n, 'positions: longs and shorts differ');
    assert.equal(BigInt(state.instruments.openInterest[slot]!), longs.get(slot) ?? 0n, 'positions: open interest');
  }
}

/** Wallet 1 is long one perp bought at 100,000, wallet 2 short; then the index stays at `price` for the ticks that a fall needs. */
export function fallen(price: number, options: LiquidationSceneOptions = {}): LiquidationScene {
  const scene = new LiquidationScene(options);
  scene.trade(1, 2, 100_000, 1);
  scene.seconds(1);
  scene.index(price);
  scene.seconds(3);
  scene.kept = [];
  scene.seconds(1);
  return scene;
}
