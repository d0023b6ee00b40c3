// Faults of one line in cancels of many orders, the operator's markets and the registry, for scripts/mutants.ts.

import { of, type Mutant } from './fault.ts';

const CANCELS: readonly Mutant[] = [
  ...of('trading/cancel-all', 'core/trading/cancel-all', [
    ['cancel-all: what is placed meanwhile goes too', 'oldest !== 0 && orderEntry(orders, oldest) <= last)', 'oldest !== 0)'],
    ['cancel-all: the rest is forgotten', 'pushCancelJob(cancelJobs, account, last, scope, next, reason, filter);\n', '\n'],
    ['cancel-all: of an underlying it is of everything',
      'if (scope >= 0 && instruments.underlying[slot] !== scope) continue;\n', '\n'],
    ['cancel-all: of one contract it is of all that follow',
      'scope === ONE_CONTRACT ? first + 1 :', 'scope === ONE_CONTRACT && first < 0 ? 1 :'],
    ['cancel-all: a contract that is not listed is none of its orders', 'result.code = NOT_LISTED', 'result.code = OK'],
    ['cancel-all: as many at once as there are', 'if (left-- === 0) return slot;\n', '\n'],
  ]),
  ...of('trading/cancel-jobs', 'core/trading/cancel-all', [
    ['cancel-all: orders in hand are those of every wallet', 'jobs[at + ACCOUNT] !== account || entry >', 'entry >'],
    ['cancel-all: an order placed since does not trade', '|| entry > jobs[at + LAST] ||', '||'],
    ['cancel-all: its turn comes only when all else is done', 'return isAlone || counters[TURN] === 1;', 'return isAlone;'],
  ]),
  ...of('trading/taker', 'core/trading/cancel-all', [
    ['cancel-all: what waits to be cancelled trades', 'pendingCancelReason(trading, maker, taker.time)', '0'],
  ]),
  ...of('trading/dry-run', 'core/trading/cancel-all', [
    ['fok: what waits to be cancelled counts', 'if (pendingCancelReason(trading, slot, time) !== 0)', 'if (time < 0)'],
  ]),
];

const SAFETY: readonly Mutant[] = [
  ...of('trading/timers', 'core/safety/timers', [
    ['silence: one more word of a lost connection puts the deadline off', 'goneAt[account] !== 0 : goneAt', 'time < 0 : goneAt'],
    ['silence: who comes back too late is let off', ': goneAt[account] <= time) return;', ': goneAt[account] === 0) return;'],
    ['silence: a named connection comes a second time', 'if (!isOfConnection(safety, account, 0, 0)) turnOff(safety, account);\n', '\n'],
    ['silence: deadlines take all the room', 'fired < FIRES_PER_TICK && hasTimedJobRoom(cancelJobs)', 'fired < FIRES_PER_TICK'],
    ['silence: what runs out goes on when it is set anew',
      ' ? time + safety.grace[account] : 0;\n', ' ? time + safety.grace[account] : safety.goneAt[account];\n'],
    ['silence: an own command runs ahead of the deadline', 'isOverdue(trading.safety, account, time) &&', 'account < 0 &&'],
    ['silence: any lost connection is the one',
      'if (!isOfConnection(safety, account, views', 'if (account < 0 && !isOfConnection(safety, account, views'],
  ]),
  ...of('trading/cancel-all', 'core/safety/timers', [
    ['silence: until its tick a deadline lets orders trade', 'if (isOverdue(safety, account, time) && ', 'if (account < 0 && '],
  ]),
  ...of('safety/safety', 'core/safety/timers', [
    ['silence: a switch fires when its time is over, not when it comes', 'at !== 0 && at <= time', 'at !== 0 && at < time'],
    ['silence: orders go for the reason of the later deadline', '=== cancelAt[account];', '!== cancelAt[account];'],
    ['silence: of both deadlines the later one', 'Math.min(cancelAt', 'Math.max(cancelAt'],
    ['silence: deadlines are forgotten in a load', 'if (dueOf(safety, account) !== 0) updateDeadline', 'if (account < 0) updateDeadline'],
  ]),
  ...of('safety/deadlines', 'core/safety/deadlines', [
    ['silence: equal deadlines in any order', '&& one < other)', '&& one > other)'],
  ]),
  ...of('math/heap', 'core/safety/deadlines', [
    ['silence: a moved deadline stays where it was', 'settle(rows, row, place[row] === 0', 'put(rows, row, place[row] === 0'],
  ]),
];

const MARKETS: readonly Mutant[] = [
  ...of('lifecycle/operator-markets', 'core/lifecycle/operator-markets', [
    ['markets: deleted with open interest', 'instruments.openInterest[slot] !== 0', 'instruments.openInterest[slot] < 0'],
    ['markets: at any hour of the day', 'expiry === expiryOfDay(dayOfTime(expiry)) && ', ''],
    ['markets: the calendar’s expiries give way', ' && hasRowFor(valuation.surface, underlying, expiry, time) ?', ' ?'],
    ['markets: back before its orders are gone', 'return hasOrders(lifecycle, slot) ? ENGINE_BUSY : OK;', 'return OK;'],
    ['markets: what was asked for twice is listed twice',
      ' || roomFault(lifecycle, underlying, expiry, strike, kind, time) !== OK) return;', ') return;'],
  ]),
  ...of('book/books', 'core/lifecycle/operator-markets', [
    ['markets: a deleted book keeps its asks',
      'return bestOrder(books, instrument, BUY) || bestOrder(books, instrument, SELL);', 'return bestOrder(books, instrument, BUY);'],
  ]),
  ...of('lifecycle/listing', 'core/lifecycle/operator-markets', [
    ['markets: a half that is there is listed twice',
      'if (findInstrument(instruments, underlying, expiry, strike, kind) >= 0) continue;\n', '\n'],
    ['markets: the missing half of a pair is not missed',
      'if (findInstrument(instruments, underlying, expiries[i], strike, PUT) < 0) return true;\n', '\n'],
  ]),
  ...of('lifecycle/expiry', 'core/lifecycle/operator-markets', [
    ['markets: the row of a deleted one waits for a price',
      'if (instruments.status[slot] === DELETED) settleInstrument(instruments, slot);\n      else expire', 'expire'],
  ]),
  ...of('trading/place', 'core/lifecycle/operator-markets', [
    ['markets: a deleted one has expired', 'instrument < 0 || trading.instruments.status[instrument] === DELETED', 'instrument < 0'],
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
    ['usernames: signs differ as letters do', '!(isLetter(char) && (char ^ other) === ignored)', '(char ^ other) !== ignored'],
    ['usernames: two changes a day', '!isSame && changed[account] === day ?', '!isSame && changed[account] > day ?'],
    ['usernames: the same name again is a change', 'const isSame = owner === account &&', 'const isSame = owner === day &&'],
    ['usernames: an old name is never free again', 'if (length[account] !== 0) removeFromHashIndex(usernames.chains, account);\n', '\n'],
    ['usernames: a load forgets who has which',
      'if (usernames.length[account] !== 0) addToHashIndex', 'if (usernames.length[account] === 0) addToHashIndex'],
  ]),
  ...of('codec/commands', 'shell/api/new-command', [
    ['codec: fields lie where the last one ends', 'Math.ceil(end / field.align) * field.align', 'end'],
  ]),
  ...of('registry/payouts', 'core/registry/payouts', [
    ['payouts: another wallet’s may be seen',
      'if (row < 0 || payouts.account[row] === account) continue;', 'if (row < 0 || row >= 0) continue;'],
    ['payouts: seen twice', 'if (row < 0 || payouts.seen[row] !== 0) continue;', 'if (row < 0) continue;'],
    ['payouts: a new one in an old row is seen already', 'seen[row] = 0;\n', '\n'],
    ['payouts: what was forgotten is another’s', 'id > counters[IDS] - capacity ?', 'id > 0 ?'],
  ]),
  ...of('registry/competitions', 'core/registry/competitions', [
    ['competitions: over before they are made', 'start < end && end > time', 'start < end'],
    ['competitions: the primary condition is none of them', ' && (conditions & (1 << primary)) !== 0', ''],
    ['competitions: one more than there is room for',
      'counters[COUNT] < competitions.capacity ?', 'counters[COUNT] <= competitions.capacity ?'],
  ]),
  ...of('trading/wallets', 'core/engine/agents', [
    ['agents: an agent dismisses all others', '|| kind === REVOKE_ALL_AGENTS;', ';'],
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
    ['voids: a late revocation takes back what a later one voided',
      '  if (link !== 0 && isBelow(lo, hi, boundLo(r, link), boundHi(r, link))) return;\n', ''],
    ['voids: a revocation without a row voids nothing',
      '      voidAllApprovals(r, account, lo, hi);\n      return 0;', '      return 0;'],
    ['voids: the lowest of a full wallet is forgotten', '    raiseAll(r, account, boundLo(r, lowest), boundHi(r, lowest));\n', ''],
    ['voids: an approval of the very nonce acts', 'return lo === MOST && hi === MOST ? lo : (lo + 1) >>> 0;', 'return lo;'],
  ]),
  ...of('engine/apply', 'core/engine/voids', [
    ['voids: a tier that was refused keeps its nonce',
      '  if (state.result.code !== OK) markUsed(state.nonces, signer,', '  if (state.result.code < OK) markUsed(state.nonces, signer,'],
  ]),
  ...of('accounts/agents', 'core/engine/agents', [
    ['agents: an expired one counts among all that are dismissed',
      '  dropExpired(agents, accounts, account, time);\n  const link = accounts.agentHead[account];',
      '  const link = accounts.agentHead[account];'],
  ]),
];

export const REGISTRY: readonly Mutant[] = [...CANCELS, ...SAFETY, ...MARKETS, ...PEOPLE];
