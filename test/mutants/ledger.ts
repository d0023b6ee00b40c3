// Faults in the account ledger and in what the operator gives and takes: each is one line, with the test that must notice it.

import { of, type Mutant } from './fault.ts';

/** Name, file under shell/ or scripts/, text, what takes its place. */
type Row = readonly [name: string, file: string, find: string, replace: string];

const ofShell = (test: string, rows: readonly Row[]): Mutant[] => rows.map(([name, file, find, replace]) => (
  { name, file: `shell/${file}.ts`, find, replace, tests: [`test/${test}.test.ts`] }
));

const ofScripts = (test: string, rows: readonly Row[]): Mutant[] => rows.map(([name, file, find, replace]) => (
  { name, file: `scripts/${file}.ts`, find, replace, tests: [`test/${test}.test.ts`] }
));

export const LEDGER: readonly Mutant[] = [
  ...of('ledger/movements', 'shell/reader/ledger', [
    ['ledger: the premium has the sign of the seller', '=== BUY ? -premium : premium', '=== BUY ? premium : -premium'],
    ['ledger: a fee comes before its trade', 'f[E.FILL_TAKER_CASH] + f[E.FILL_TAKER_FEE], taker', 'f[E.FILL_TAKER_CASH], taker'],
    ['ledger: funding has the sign of the payment', 'FUNDING, -f[E.PAID_AMOUNT]', 'FUNDING, f[E.PAID_AMOUNT]'],
    ['ledger: a row with amount 0 is made', 'if (amount === 0) return;', ''],
  ]),
  ...of('ledger/movements', 'core/ledger/movements', [
    ['ledger: the fund gets no row of a takeover', 'add(f[E.OVER_FUND], TAKEOVER,', 'add(account, TAKEOVER,'],
  ]),
  ...of('ledger/ledger', 'shell/reader/ledger', [
    ['ledger: realised profit makes no movement', 'if (profit !== 0) accounts.movements[account]++;', ''],
    ['ledger: the receiver of a move is not counted', '  movements[to]++;\n', ''],
  ]),
  ...of('trading/wallets', 'shell/reader/ledger', [
    ['ledger: a wallet that comes back counts from the start', 'accounts.movements[account] = closedLedger(closed, row);', ''],
  ]),
  ...ofShell('shell/reader/ledger', [
    ['ledger: all rows of an event have its last number', 'reader/history/ledger-rows',
      'accounts.movements[account]! - later', 'accounts.movements[account]!'],
    ['ledger: a resumed stream repeats rows in memory', 'reader/channels/resume',
      'row.wallet === wallet && row.number > after) found.push(row)', 'row.wallet === wallet) found.push(row)'],
  ]),
  ...ofShell('shell/storage/history/ledger', [
    ['ledger: dropped rows are not summed in the opening row',
      'storage/history/ledger-pages', '    carry.run(entry.id, number - KEPT_LEDGER);\n', ''],
    ['ledger: a history that begins late has no opening row', 'storage/history/ledger-pages',
      '      carry.run(entry.id, number - 1);\n', ''],
    ['ledger: a resumed stream sends the opening row as a movement', 'storage/history/ledger-pages', ' AND kind <> ${CARRIED}', ''],
  ]),
  ...of('lifecycle/operator-credit', 'core/lifecycle/credit', [
    ['credit: a debit takes collateral that positions need', 'amount < 0 && !isCovered(lifecycle, account, -amount)', 'after < 0'],
    ['credit: a balance has no bound', '!(Math.abs(after) <= MAX_BALANCE)', 'false'],
    ['credit: the sum of credits has no bound', ' || !isSafe(received)', ''],
    ['credit: an id acts each time', 'if (known >= 0 || account < 0) return;', 'if (account < 0) return;'],
    ['credit: pending funding is not paid first', '  payFunding(lifecycle, account);\n', ''],
    ['credit: the portfolio stream has no message', '  touchAccount(streams.accounts, account);\n', ''],
  ]),
  ...of('registry/credits', 'core/lifecycle/credit', [
    ['credit: the oldest id stays in the index', 'if (counters[COUNT] >= capacity) removeFromHashIndex(chains, row);', ''],
    ['credit: a restored state knows no ids', 'row++) addToHashIndex(credits.chains, row);', 'row++);'],
  ]),
  ...of('lifecycle/account-closing', 'core/lifecycle/credit', [
    ['credit: an unused account with a credit is closed', 'if (accounts.credited[account] !== 0) return false;', ''],
  ]),
  ...ofScripts('scripts/audit/movements', [
    ['audit: the end compares no ledger', 'audit/replay', 'replay.ledgerFault() ?? sumFault(state)', 'sumFault(state)'],
    ['audit: snapshots compare no ledger', 'audit/replay', 'this.ledgerFault() ?? snapshotFault(', 'snapshotFault('],
  ]),
];
