// Faults of one line that somebody might make, each with the tests that must notice it. Planted by scripts/mutants.ts;
// a line that has changed is an error there, so the list follows the code.

export type Mutant = {
  readonly name: string;
  readonly file: string;
  /** Text that stands in the file exactly once, and what takes its place. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
};

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'ledger: the payer pays one micro less', file: 'core/ledger/ledger.ts',
    find: 'accounts.cash[from] = accounts.cash[from] - amount + 0;', replace: 'accounts.cash[from] = accounts.cash[from] - amount + 1;',
    tests: ['test/core/ledger.test.ts'],
  },
];
