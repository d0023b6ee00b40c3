// The account ledger beside a replay: what events tell of movements of cash, summed by account. After each command the sum is
// the account's cash, and the number of rows is the core's count. Each balance is the one before plus the amount.

import { ACCOUNT, ACCOUNT_OPENED, OPENED_BALANCE } from '../../core/codec/events.ts';
import type { State } from '../../core/engine/state.ts';
import { movementsOf } from '../../core/ledger/movements.ts';
import { accountCount } from '../../core/accounts/accounts.ts';

export class MovementCheck {
  readonly #state: State;
  readonly #sums: number[] = [];
  readonly #counts: number[] = [];
  readonly #moved = new Set<number>();
  #fault: string | null = null;

  /** Begins with the state as it stands. */
  constructor(state: State) {
    this.#state = state;
    for (let account = 0; account < accountCount(state.accounts); account++) this.#begin(account);
  }

  #begin(account: number): void {
    this.#sums[account] = this.#state.accounts.cash[account]!;
    this.#counts[account] = this.#state.accounts.movements[account]!;
  }

  onEvent(kind: number, slots: Float64Array): void {
    if (kind === ACCOUNT_OPENED) {
      // A reopened account continues the row numbers of its wallet.
      const opening = slots[OPENED_BALANCE] === 0 ? 0 : 1;
      this.#sums[slots[ACCOUNT]!] = 0;
      this.#counts[slots[ACCOUNT]!] = this.#state.accounts.movements[slots[ACCOUNT]!]! - opening;
    }
    for (const { account, amount, balance } of movementsOf(kind, slots, this.#state.instruments)) {
      this.#moved.add(account);
      this.#sums[account]! += amount;
      this.#counts[account]!++;
      if (this.#sums[account] !== balance) {
        this.#fault ??= `account ${account}: its ledger tells a balance of ${balance} micros and sums to ${this.#sums[account]}`;
      }
    }
  }

  /** Call after each command. Returns what does not add up, or null. */
  fault(): string | null {
    for (const account of this.#moved) this.#compare(account);
    this.#moved.clear();
    return this.#fault;
  }

  /** As `fault`, of every account: cash that moves without an event is in no row. */
  wholeFault(): string | null {
    for (let account = 0; account < accountCount(this.#state.accounts); account++) this.#compare(account);
    return this.#fault;
  }

  #compare(account: number): void {
    const { accounts } = this.#state;
    const [sum, count] = [this.#sums[account], this.#counts[account]];
    if (sum !== accounts.cash[account]) {
      this.#fault ??= `account ${account}: its ledger sums to ${sum} micros, its cash is ${accounts.cash[account]}`;
    } else if (accounts.free[account] === 0 && count !== accounts.movements[account]) {
      this.#fault ??= `account ${account}: its ledger has ${count} rows, the core counts ${accounts.movements[account]}`;
    }
  }
}
