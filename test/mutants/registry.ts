// Faults of one line in cancels of many orders, the operator's markets and the registry, for scripts/mutants.ts.

import { of, type Mutant } from './fault.ts';

const CANCELS: readonly Mutant[] = [
  ...of('trading/cancel-all', 'core/trading/cancel-all', [
    ['cancel-all: orders placed meanwhile are cancelled too', 'oldest !== 0 && orderEntry(orders, oldest) <= last)', 'oldest !== 0)'],
    ['cancel-all: the rest is forgotten', 'pushCancelJob(cancelJobs, account, last, scope, next, reason, filter);\n', '\n'],
    ['cancel-all: the scope of an underlying cancels everything',
      'if (scope >= 0 && instruments.underlying[slot] !== scope) continue;\n', '\n'],
    ['cancel-all: the scope of a contract cancels later contracts too',
      'scope === ONE_CONTRACT ? first + 1 :', 'scope === ONE_CONTRACT && first < 0 ? 1 :'],
    ['cancel-all: an unlisted contract is accepted', 'result.code = NOT_LISTED', 'result.code = OK'],
    ['cancel-all: all orders are cancelled at once instead of in bounded steps', 'if (left-- === 0) return slot;\n', '\n'],
  ]),
  ...of('trading/cancel-jobs', 'core/trading/cancel-all', [
    ['cancel-all: the orders of every wallet count as pending cancels', 'jobs[at + ACCOUNT] !== account || entry >', 'entry >'],
    ['cancel-all: an order placed after it does not trade', '|| entry > jobs[at + LAST] ||', '||'],
    ['cancel-all: waits until all other work is done', 'return isAlone || counters[TURN] === 1;', 'return isAlone;'],
  ]),
  ...of('trading/taker', 'core/trading/cancel-all', [
    ['cancel-all: an order with a pending cancel trades', 'pendingCancelReason(trading, maker, taker.time)', '0'],
  ]),
  ...of('trading/dry-run', 'core/trading/cancel-all', [
    ['fok: orders with a pending cancel count', 'if (pendingCancelReason(trading, slot, time) !== 0)', 'if (time < 0)'],
  ]),
];

const SAFETY: readonly Mutant[] = [
  ...of('trading/timers', 'core/safety/timers', [
    ['deadlines: a second DISCONNECTED postpones the deadline', 'goneAt[account] !== 0 : goneAt', 'time < 0 : goneAt'],
    ['deadlines: a connection that returns too late stops the deadline',
      ': goneAt[account] <= time) return;', ': goneAt[account] === 0) return;'],
    ['deadlines: a lost named connection may come back', 'if (!isOfConnection(safety, account, 0, 0)) turnOff(safety, account);\n', '\n'],
    ['deadlines: deadlines take all places of the cancel queue',
      'fired < FIRES_PER_TICK && hasTimedJobRoom(cancelJobs)', 'fired < FIRES_PER_TICK'],
    ['deadlines: setting cancel on disconnect again keeps a running deadline',
      ' ? time + safety.grace[account] : 0;\n', ' ? time + safety.grace[account] : safety.goneAt[account];\n'],
    ['deadlines: a wallet’s own command runs before its due deadline', 'isOverdue(trading.safety, account, time) &&', 'account < 0 &&'],
    ['deadlines: any lost connection counts as the named one',
      'if (!isOfConnection(safety, account, views', 'if (account < 0 && !isOfConnection(safety, account, views'],
  ]),
  ...of('trading/cancel-all', 'core/safety/timers', [
    ['deadlines: orders trade between deadline and tick', 'if (isOverdue(safety, account, time) && ', 'if (account < 0 && '],
  ]),
  ...of('safety/safety', 'core/safety/timers', [
    ['deadlines: a switch fires a moment too late', 'at !== 0 && at <= time', 'at !== 0 && at < time'],
    ['deadlines: orders end with the reason of the later deadline', '=== cancelAt[account];', '!== cancelAt[account];'],
    ['deadlines: the later of two deadlines counts', 'Math.min(cancelAt', 'Math.max(cancelAt'],
    ['deadlines: deadlines are forgotten in a load', 'if (dueOf(safety, account) !== 0) updateDeadline', 'if (account < 0) updateDeadline'],
  ]),
  ...of('safety/deadlines', 'core/safety/deadlines', [
    ['deadlines: equal deadlines fire in any order', '&& one < other)', '&& one > other)'],
  ]),
  ...of('math/heap', 'core/safety/deadlines', [
    ['deadlines: a moved deadline keeps its old place', 'settle(rows, row, place[row] === 0', 'put(rows, row, place[row] === 0'],
  ]),
];

const MARKETS: readonly Mutant[] = [
  ...of('lifecycle/operator-markets', 'core/lifecycle/operator-markets', [
    ['markets: a market with open interest is deleted', 'instruments.openInterest[slot] !== 0', 'instruments.openInterest[slot] < 0'],
    ['markets: an expiry at any hour is listed', 'expiry === expiryOfDay(dayOfTime(expiry)) && ', ''],
    ['markets: the operator’s expiries take the rows of the calendar',
      ' && hasRowFor(valuation.surface, underlying, expiry, time) ?', ' ?'],
    ['markets: a deleted market is listed again before its orders are gone',
      'return hasOrders(lifecycle, slot) ? ENGINE_BUSY : OK;', 'return OK;'],
    ['markets: a market requested twice is listed twice',
      ' || roomFault(lifecycle, underlying, expiry, strike, kind, time) !== OK) return;', ') return;'],
  ]),
  ...of('book/books', 'core/lifecycle/operator-markets', [
    ['markets: a deleted book keeps its asks',
      'return bestOrder(books, instrument, BUY) || bestOrder(books, instrument, SELL);', 'return bestOrder(books, instrument, BUY);'],
  ]),
  ...of('lifecycle/listing', 'core/lifecycle/operator-markets', [
    ['markets: a listed half of a pair is listed twice',
      'if (findInstrument(instruments, underlying, expiry, strike, kind) >= 0) continue;\n', '\n'],
    ['markets: the missing half of a pair is not listed',
      'if (findInstrument(instruments, underlying, expiries[i], strike, PUT) < 0) return true;\n', '\n'],
  ]),
  ...of('lifecycle/expiry', 'core/lifecycle/operator-markets', [
    ['markets: a deleted market waits for a settlement price',
      'if (instruments.status[slot] === DELETED) settleInstrument(instruments, slot);\n      else expire', 'expire'],
  ]),
  ...of('trading/place', 'core/lifecycle/operator-markets', [
    ['markets: a deleted market counts as expired',
      'instrument < 0 || trading.instruments.status[instrument] === DELETED', 'instrument < 0'],
  ]),
  ...of('trading/cancel', 'core/lifecycle/operator-markets', [
    ['markets: an order is cancelled where there is no book', 'return hasBook(trading, slot) ? slot : 0;', 'return slot;'],
    ['markets: by its client id an order is cancelled where there is no book',
      'else if (hasBook(trading, slot) && !endPast', 'else if (!endPast'],
  ]),
];

const PEOPLE: readonly Mutant[] = [
  ...of('registry/usernames', 'core/registry/usernames', [
    ['usernames: unique in their case only', 'name, at, size, CASE_BIT)) return account;', 'name, at, size, 0)) return account;'],
    ['usernames: case is ignored for signs too', '!(isLetter(char) && (char ^ other) === ignored)', '(char ^ other) !== ignored'],
    ['usernames: two changes a day', '!isSame && changed[account] === day ?', '!isSame && changed[account] > day ?'],
    ['usernames: the same name again is a change', 'const isSame = owner === account &&', 'const isSame = owner === day &&'],
    ['usernames: a former name is never free again', 'if (length[account] !== 0) removeFromHashIndex(usernames.chains, account);\n', '\n'],
    ['usernames: a load forgets who has which',
      'if (usernames.length[account] !== 0) addToHashIndex', 'if (usernames.length[account] === 0) addToHashIndex'],
  ]),
  ...of('codec/commands', 'shell/api/new-command', [
    ['codec: fields are not aligned', 'Math.ceil(end / field.align) * field.align', 'end'],
  ]),
  ...of('registry/payouts', 'core/registry/payouts', [
    ['payouts: a wallet marks another’s payout as seen',
      'if (row < 0 || payouts.account[row] === account) continue;', 'if (row < 0 || row >= 0) continue;'],
    ['payouts: seen twice', 'if (row < 0 || payouts.seen[row] !== 0) continue;', 'if (row < 0) continue;'],
    ['payouts: a new one in an old row is seen already', 'seen[row] = 0;\n', '\n'],
    ['payouts: a payout no longer kept is refused as another wallet’s', 'id > counters[IDS] - capacity ?', 'id > 0 ?'],
  ]),
  ...of('registry/competitions', 'core/registry/competitions', [
    ['competitions: a competition that has ended is created', 'start < end && end > time', 'start < end'],
    ['competitions: the primary condition is none of them', ' && (conditions & (1 << primary)) !== 0', ''],
    ['competitions: one more than the capacity is created',
      'counters[COUNT] < competitions.capacity ?', 'counters[COUNT] <= competitions.capacity ?'],
  ]),
  ...of('trading/wallets', 'core/engine/agents', [
    ['agents: an agent revokes all others', '|| kind === REVOKE_ALL_AGENTS;', ';'],
  ]),
  ...of('trading/wallets', 'core/engine/voids', [
    ['voids: an agent voids nonces',
      'if (isAboutAgents(kind) || kind === VOID_NONCES) return false;', 'if (isAboutAgents(kind)) return false;'],
    ['voids: a revocation that finds no agent voids nothing',
      '  voidApprovals(trading.revocations,', '  if (revoked) voidApprovals(trading.revocations,'],
    ['voids: a revocation of all voids nothing',
      '  voidAllApprovals(trading.revocations, account, views.u32[nonce], views.u32[nonce + 1]);\n', ''],
  ]),
  ...of('accounts/revocations', 'core/engine/voids', [
    ['voids: an earlier revocation that arrives late lowers the void nonce',
      '  if (link !== 0 && isBelow(lo, hi, boundLo(r, link), boundHi(r, link))) return;\n', ''],
    ['voids: a revocation without a row voids nothing',
      '      voidAllApprovals(r, account, lo, hi);\n      return 0;', '      return 0;'],
    ['voids: the lowest void nonce of a full wallet is forgotten',
      '    raiseAll(r, account, boundLo(r, lowest), boundHi(r, lowest));\n', ''],
    ['voids: an approval with exactly the void nonce acts', 'return lo === MOST && hi === MOST ? lo : (lo + 1) >>> 0;', 'return lo;'],
  ]),
  ...of('engine/apply', 'core/engine/voids', [
    ['voids: a refused tier change does not use its nonce',
      '  if (state.result.code !== OK) markUsed(state.nonces, signer,', '  if (state.result.code < OK) markUsed(state.nonces, signer,'],
  ]),
  ...of('accounts/agents', 'core/engine/agents', [
    ['agents: an expired agent counts among those revoked',
      '  dropExpired(agents, accounts, account, time);\n  const link = accounts.agentHead[account];',
      '  const link = accounts.agentHead[account];'],
  ]),
];

export const REGISTRY: readonly Mutant[] = [...CANCELS, ...SAFETY, ...MARKETS, ...PEOPLE];
