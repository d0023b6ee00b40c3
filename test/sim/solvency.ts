// Solvency of accounts, computed from raw cash, positions and prices: while marks do not move, no trade takes a solvent account below
// zero, and a liquidation uses equity with options at theo. Money in micros. Shares only layouts with the core.

import assert from 'node:assert/strict';
import { PERP } from '../../core/codec/commands.ts';
import { ACCOUNT, DELEVERAGED, DELEVERAGED_AGAINST, FUND_POSTED, LIQUIDATION_CHANGED, LIQUIDATION_EQUITY, LIQUIDATION_MAINTENANCE,
  LIQUIDATION_STATE, ORDER_ACCEPTED, OVER_INSTRUMENT, OVER_POSITION, OVER_PRICE, POSTED_COVER, POSTED_TAKEOVER,
  POSTED_WHY, TAKEN_OVER } from '../../core/codec/events.ts';
import type { State } from '../../core/engine/state.ts';
import { fundOf } from '../../core/lifecycle/insurance-fund.ts';
import { book, maintenance, type Position } from '../core/margin/oracle.ts';
import { equities } from './auditor.ts';

const HEALTHY = 0;
const PRE_LIQUIDATION = 1;
const IN_LIQUIDATION = 2;

export class Solvency {
  /** Equity of accounts when the marks last moved, at marks and at theo; NaN for those that were not solvent then. */
  private readonly solvent: Float64Array[] = [new Float64Array(0), new Float64Array(0)];
  private vintage = -1;
  /** Accounts in takeover. */
  private readonly taking = new Set<number>();
  private readonly isStretched: boolean;

  /** `isStretched`: the markets of the run are rougher than the method is made for (stretch.ts). */
  constructor(isStretched: boolean) {
    this.isStretched = isStretched;
  }

  /** Starts anew with another state. */
  forget(): void {
    this.vintage = -1;
    this.taking.clear();
  }

  /**
   * While the marks stand still nobody who was solvent gets below zero, with the margin he needs or without: at marks who is healthy,
   * at theo whoever it is, by the venue's own orders too.
   */
  check(state: State): void {
    const hasMoved = this.vintage !== state.valuation.counters[0];
    this.vintage = state.valuation.counters[0]!;
    this.compare(state, 0, state.valuation.mark, hasMoved, HEALTHY);
    this.compare(state, 1, state.valuation.theo, hasMoved, IN_LIQUIDATION);
  }

  /** The venue does not trade for an account that has its maintenance margin. */
  private checkForced(state: State, account: number, held: readonly Position[]): void {
    if (this.isStretched) return;
    const equity = equityAtTheo(state, account);
    const { high } = maintenance(state, account, [...held]);
    assert.ok(equity < high, `liquidation: forced upon account ${account} with ${equity} of ${high}`);
  }

  /** Accounts in any state up to `last`. */
  private compare(state: State, which: number, prices: Float64Array, hasMoved: boolean, last: number): void {
    const now = equities(state, prices, new Float64Array(state.accounts.capacity));
    if (this.solvent[which]!.length === 0) this.solvent[which] = new Float64Array(state.accounts.capacity).fill(NaN);
    const before = this.solvent[which]!;
    for (let account = 0; account < state.accounts.counters[0]!; account++) {
      const isAsked = state.accounts.status[account]! <= last;
      if (hasMoved) before[account] = isAsked ? now[account]! : NaN;
      else if (before[account]! >= 0 && isAsked && !(now[account]! >= 0)) {
        const what = which === 0 ? 'marks' : 'theo';
        assert.fail(`solvency: account ${account} went from ${before[account]} to ${now[account]} at fixed ${what}`);
      }
    }
  }

  /** Checks an event against the state after it; `isVenues`: it comes from the venue's own work. */
  hear(state: State, kind: number, slots: Float64Array, isVenues: boolean): void {
    const account = slots[ACCOUNT]!;
    if (kind === ORDER_ACCEPTED && isVenues && account !== fundOf(state)) this.checkForced(state, account, book(state, account));
    // The fund and deleveraging cover a deficit, so equity is below any requirement.
    if (kind === DELEVERAGED || (kind === FUND_POSTED && slots[POSTED_WHY] === POSTED_COVER)) this.taking.add(account);
    if (kind === TAKEN_OVER && !this.taking.has(account)) {
      this.taking.add(account);
      this.checkForced(state, account, withMoved(book(state, account), slots[OVER_INSTRUMENT]!, BigInt(slots[OVER_POSITION]!)));
    }
    if (kind === LIQUIDATION_CHANGED) this.taking.delete(account);
    // The fund takes a bankrupt account with the deficit that neither it nor the opposite holders' profits could pay.
    if (kind === FUND_POSTED && slots[POSTED_WHY] === POSTED_TAKEOVER) for (const known of this.solvent) known[fundOf(state)] = NaN;
    // A counterparty gives up to its equity at theo, which may be more than it has at marks.
    if (kind === DELEVERAGED && this.isStretched) this.solvent[0]![slots[DELEVERAGED_AGAINST]!] = NaN;
    if (kind === TAKEN_OVER) {
      assert.equal(slots[OVER_PRICE], state.valuation.theo[slots[OVER_INSTRUMENT]!], 'liquidation: taken over at theo');
    }
    if (kind === LIQUIDATION_CHANGED) judge(state, slots);
  }
}

/** The account before its position went to the fund at theo, which does not change its equity. */
function withMoved(held: readonly Position[], instrument: number, position: bigint): Position[] {
  return [...held.filter((one) => one.instrument !== instrument), { instrument, position, orders: [] }];
}

/**
 * A liquidation goes by equity at theo, to the micro, or beyond 2^53 by the double nearest to it; by a requirement that is a number; and
 * the two say what it does.
 */
function judge(state: State, slots: Float64Array): void {
  const [equity, maintenance, now] = [slots[LIQUIDATION_EQUITY]!, slots[LIQUIDATION_MAINTENANCE]!, slots[LIQUIDATION_STATE]!];
  assert.equal(equity, Number(equityAtTheo(state, slots[ACCOUNT]!)), 'liquidation: judged by equity at theo');
  assert.ok(maintenance >= 0 && maintenance < Infinity, `liquidation: judged by a requirement of ${maintenance}`);
  const isBelow = now === PRE_LIQUIDATION || now === IN_LIQUIDATION;
  if (isBelow) assert.ok(equity < maintenance, `liquidation: state ${now} with ${equity} of ${maintenance}`);
  if (now === HEALTHY) assert.ok(equity >= maintenance, `liquidation: ends with ${equity} of ${maintenance}`);
}

/** From raw cash, positions and funding, exactly: a value to the nearest micro, funding rounded up for who pays it. */
function equityAtTheo({ accounts, funding, holdings, instruments, valuation }: State, account: number): bigint {
  let equity = BigInt(accounts.cash[account]!);
  for (let row = 0; row < holdings.counters[0]!; row++) {
    if (holdings.account[row] !== account) continue;
    const slot = holdings.instrument[row]!;
    const position = BigInt(holdings.position[row]!);
    const twice = 2n * position * BigInt(valuation.theo[slot]!);
    equity += (position < 0n ? twice - 1_000_000n : twice + 1_000_000n) / 2_000_000n;
    if (instruments.kind[slot] !== PERP) continue;
    const owed = position * (BigInt(funding.cumulative[slot]!) - BigInt(holdings.funding[row]!));
    equity -= BigInt(holdings.cost[row]!) + (owed > 0n ? (owed + 999_999_999n) / 1_000_000_000n : owed / 1_000_000_000n);
  }
  return equity;
}
