// A state for margin tests: contracts, marks and holdings are written directly, as a vintage and trading would leave them, so a
// test chooses strikes, times and volatilities itself. Sizes and prices in whole contracts and USDC.

import { createState, type State } from '../../../core/engine/state.ts';
import { defaultSettings, MARK_MIN_SIZE, PRESET } from '../../../core/settings.ts';
import { SMALL, type Limits } from '../../../core/limits.ts';
import { CALL, PERP, PUT } from '../../../core/codec/commands.ts';
import { addAccount, PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { addInstrument } from '../../../core/instruments/instruments.ts';
import { addUnderlying } from '../../../core/instruments/underlyings.ts';
import { closeIfEmpty, findHolding, openHolding } from '../../../core/positions/holdings.ts';
import { enterEmptyHolding, forgetAccount, freshen, updateHolding } from '../../../core/margin/account-margin.ts';
import { contractValue } from './scenario-oracle.ts';

export const NOW = Date.UTC(2026, 0, 5, 8);
export const DAY = 86_400_000;
export { CALL, PERP, PUT };

export class Desk {
  readonly state: State;

  constructor(preset = 0, limits: Limits = SMALL) {
    this.state = createState(limits);
    this.state.settings.values.set(defaultSettings());
    this.state.settings.values.fill(preset, PRESET, MARK_MIN_SIZE);
    for (const name of [0x435442, 0x485445]) addUnderlying(this.state.underlyings, name, 0);
  }

  /** A contract of underlying `underlying` that expires `days` after NOW; a perp for PERP. */
  list(kind: number, strike: number, days: number, underlying = 0): number {
    return addInstrument(this.state.instruments, underlying, kind === PERP ? 0 : NOW + days * DAY, strike * 1e6, kind, NOW);
  }

  /** A new vintage: marks every contract of the underlying by formula, at one volatility or at one for each slot. */
  mark(index: number, volatility: number | ((slot: number) => number), time = NOW, underlying = 0, average = 0): void {
    const { instruments, valuation } = this.state;
    valuation.index[underlying] = valuation.markIndex[underlying] = Math.round(index * 1e6);
    valuation.markedAt[underlying] = time;
    valuation.average[underlying] = Math.round(average * 1e6);
    valuation.vintage[underlying]!++;
    valuation.counters[0]!++;
    for (let slot = 0; slot < instruments.counters[0]!; slot++) {
      if (instruments.underlying[slot] !== underlying) continue;
      if (instruments.kind[slot] === PERP) {
        valuation.mark[slot] = valuation.theo[slot] = valuation.markIndex[underlying]!;
        continue;
      }
      const sigma = Math.round((typeof volatility === 'number' ? volatility : volatility(slot)) * 1e6);
      valuation.sigma[slot] = sigma;
      valuation.mark[slot] = valuation.theo[slot] = Math.round(1e6 * contractValue(
        instruments.kind[slot] === CALL, index, instruments.strike[slot]! / 1e6, instruments.expiry[slot]!, time, average, sigma / 1e6,
      ));
    }
  }

  /** A new account with cash, by default in portfolio mode. */
  account(cash = 1e7, mode = PORTFOLIO): number {
    const { accounts } = this.state;
    const account = addAccount(accounts, new Uint32Array([accounts.counters[0]! + 1, 2, 3, 4, 5]), 0, NOW);
    accounts.cash[account] = Math.round(cash * 1e6);
    accounts.mode[account] = mode;
    return account;
  }

  /** Sets the account's position in a contract (at the cost of the mark) and the sizes of its open orders, in 1e-6. */
  hold(account: number, slot: number, position: number, bids = 0, asks = 0): number {
    const { accounts, holdings, valuation } = this.state;
    const isNew = findHolding(holdings, account, slot) < 0;
    const row = openHolding(holdings, accounts, account, slot);
    if (isNew) enterEmptyHolding(this.state, row);
    holdings.position[row] = position;
    holdings.bidSize[row] = bids;
    holdings.askSize[row] = asks;
    holdings.cost[row] = Math.round(position * valuation.mark[slot]! / 1e6);
    updateHolding(this.state, account, row);
    return row;
  }

  /** Removes all holdings of the account. */
  clear(account: number): void {
    const { accounts, holdings } = this.state;
    for (let link = accounts.holdingHead[account]!; link !== 0; link = accounts.holdingHead[account]!) {
      this.hold(account, holdings.instrument[link - 1]!, 0);
      closeIfEmpty(holdings, accounts, link - 1);
    }
  }

  /** Recomputes the account's sums from its holdings. */
  afresh(account: number): void {
    forgetAccount(this.state, account);
    freshen(this.state, account);
  }
}
