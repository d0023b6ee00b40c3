// The operator's halts, blocked wallets and cancels in a run: drawn, and checked from events. Nothing trades in a halted market, only the
// venue in a cancel-only one; nothing comes to rest in either, and no order of a blocked wallet rests or fills. The modes are remembered
// here, by the ids of contracts. Shares only layouts with the core.

import assert from 'node:assert/strict';
import * as E from '../../core/codec/events.ts';
import { OK } from '../../core/errors.ts';
import type { State } from '../../core/engine/state.ts';
import { accountTotal, instrumentTotal } from '../support/raw.ts';
import { accountOf, type RunContext } from './draw.ts';
import { CODES } from './names.ts';
import type { Registry } from './registry.ts';

const HALTED = 2;
const BLOCKED = 2;

export class Controls {
  private readonly state: State;
  private venue: number;
  private readonly underlyings = new Map<number, number>();
  private readonly contracts = new Map<number, number>();
  private readonly wallets = new Map<number, number>();

  /** Starts from the present state. */
  constructor(state: State) {
    this.state = state;
    const { id, modes } = state.instruments;
    this.venue = modes.venue[0]!;
    modes.underlying.forEach((mode, underlying) => this.underlyings.set(underlying, mode));
    for (let slot = 0; slot < instrumentTotal(state); slot++) this.contracts.set(id[slot]!, modes.contract[slot]!);
    for (let account = 0; account < accountTotal(state); account++) this.wallets.set(account, state.accounts.walletMode[account]!);
  }

  /** Sends a halt, a block or a cancel. Without a registry only what cancels nothing. */
  act({ anyone, command, count, draw, random, venue: { state, write } }: RunContext, registry: Registry | null): void {
    const mode = random.chance(0.6) ? 0 : random.between(1, 2);
    const choice = random.fraction();
    if (choice < 0.4) {
      const slot = random.between(0, instrumentTotal(state) - 1);
      const { expiry, kind, strike, underlying } = state.instruments;
      const contract = { expiry: expiry[slot]!, strike: strike[slot]!, kind: kind[slot]! };
      const of = random.chance(0.15) ? -1 : random.chance(0.05) ? 99 : underlying[slot]!;
      command(write.tradingMode(mode, of, of < 0 || random.chance(0.4) ? null : contract));
      return count(`halt ${CODES.get(state.result.code)}`);
    }
    const wallet = random.chance(0.7) ? draw.openOrder(state).wallet : anyone;
    const account = accountOf(state, wallet);
    const isCancel = registry !== null && choice > 0.8;
    const mayBlock = registry !== null || account < 0 || state.accounts.openOrders[account] === 0;
    const last = state.orders.counters[5]!;
    command(isCancel ? write.cancelWallet(wallet) : write.walletMode(wallet, mayBlock ? mode : Math.min(1, mode)));
    count(`${isCancel ? 'cancel' : 'block'} ${CODES.get(state.result.code)}`);
    if (state.result.code === OK && (isCancel || mode === BLOCKED)) registry?.end(account, last, () => true);
  }

  /** `isWorking`: the venue itself acts. */
  hear(kind: number, f: Float64Array, isWorking: boolean): void {
    switch (kind) {
      case E.TRADING_MODE_CHANGED: this.set(f[E.MODE_UNDERLYING]!, f[E.MODE_CONTRACT]!, f[E.MODE_SET]!); return;
      case E.WALLET_MODE_CHANGED: this.wallets.set(f[E.ACCOUNT]!, f[E.WALLET_MODE_VALUE]!); return;
      case E.ACCOUNT_CLOSED:
        assert.equal(this.wallets.get(f[E.ACCOUNT]!) ?? 0, 0, 'controls: a wallet that is not open keeps its row');
        return;
      case E.QUOTE_CHANGED:
        if (f[E.ORDER_REASON] !== E.QUOTE_OPEN) return;
        assert.equal(this.modeOf(f[E.ORDER_INSTRUMENT]!), 0, 'controls: a quote rests in an open market');
        assert.notEqual(this.wallets.get(f[E.ACCOUNT]!), BLOCKED, 'controls: no quote of a blocked wallet rests');
        return;
      case E.ORDER_RESTED:
        assert.equal(this.modeOf(f[E.ORDER_INSTRUMENT]!), 0, 'controls: an order rests in an open market');
        assert.notEqual(this.wallets.get(f[E.ACCOUNT]!), BLOCKED, 'controls: no order of a blocked wallet rests');
        return;
      case E.FILL: {
        const mode = this.modeOf(f[E.FILL_INSTRUMENT]!);
        assert.ok(mode === 0 || (isWorking && mode < HALTED), `controls: a fill in a market with mode ${mode}`);
        assert.notEqual(this.wallets.get(f[E.FILL_MAKER]!), BLOCKED, 'controls: no order of a blocked wallet fills');
        if (!isWorking) assert.notEqual(this.wallets.get(f[E.FILL_TAKER]!), BLOCKED, 'controls: a blocked wallet takes nothing');
      }
    }
  }

  private set(underlying: number, slot: number, mode: number): void {
    if (slot >= 0) this.contracts.set(this.state.instruments.id[slot]!, mode);
    else if (underlying >= 0) this.underlyings.set(underlying, mode);
    else this.venue = mode;
  }

  private modeOf(slot: number): number {
    const { id, underlying } = this.state.instruments;
    return Math.max(this.venue, this.underlyings.get(underlying[slot]!) ?? 0, this.contracts.get(id[slot]!) ?? 0);
  }
}
