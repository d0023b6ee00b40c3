// Faults of one line in matching, the rules of trading, money and positions, market-maker protection and marks, for scripts/mutants.ts.

import { of, type Mutant } from './fault.ts';

const MATCHING: readonly Mutant[] = [
  ...of('book/matching', 'core/engine/orders', [
    ['matching: an order at the taker’s limit is not met', 'ladders[row] < books.takerRank ? 0', 'ladders[row] <= books.takerRank ? 0'],
    ['matching: last in, first out',
      'books.levels[ladders[row | BEST_LEVEL] << 2];', 'books.levels[(ladders[row | BEST_LEVEL] << 2) | 1];'],
  ]),
  ...of('book/matching', 'core/book/book', [
    ['matching: a level loses the whole order, not the part that filled',
      'shrinkLevel(books, level, left);', 'shrinkLevel(books, level, resting);'],
  ]),
  ...of('trading/taker', 'core/engine/orders', [
    ['matching: self-trade compares an account with a holding',
      'if (orderAccount(books, maker) === account) {', 'if (orderAccount(books, maker) === taker.holding) {'],
    ['matching: a self-trade ends the taker', 'DONE_SELF_TRADE);\n      continue;', 'DONE_SELF_TRADE);\n      break;'],
  ]),
  ...of('trading/taker', 'core/trading/cancel-all', [
    ['matching: an order with a pending cancel ends as a self-trade', 'ending !== 0 ? ending : DONE_SELF_TRADE', 'DONE_SELF_TRADE'],
  ]),
  ...of('trading/fill', 'core/engine/orders', [
    ['matching: trades at the taker’s price instead of the maker’s',
      'taker.price = priceOfKey(orderKey(trading.books, slot));', 'taker.price = trading.candidate.price;'],
  ]),
  ...of('trading/place', 'core/engine/orders', [
    ['matching: the unfilled part of an ioc order rests', 'left > 0 && tif === GTC &&', 'left > 0 && tif !== FOK &&'],
  ]),
  ...of('book/levels', 'core/book/book', [
    ['book: a load forgets who is last in line',
      'if (links[(slot << 1) | 1] === 0) levels[(level << 2) | 1] = slot;', 'levels[(level << 2) | 1] = slot;'],
  ]),
  ...of('book/pool', 'core/book/held', [
    ['book: a load chains orders in the order of slots, not of ids', 'if (id <= newestId[0]) {', 'if (id < 0) {'],
  ]),
];

const RULES: readonly Mutant[] = [
  ...of('trading/dry-run', 'core/trading/reduce-only', [
    ['fok: own orders count beside those of others', 'if (account === candidate.account) return 0;\n', '\n'],
    ['fok: two reduce-only orders of one wallet count its position twice',
      'Math.max(0, held - dryRun.taken[holding])', 'Math.max(0, held)'],
  ]),
  ...of('trading/dry-run', 'core/trading/protection', [
    ['fok: orders that market-maker protection would cancel count',
      'if (dryRun.triggered[holding] !== 0 &&', 'if (dryRun.triggered[holding] > 1 &&'],
    ['fok: amounts tried for one order still count for the next', '    triggered[holding] = 0;\n', '\n'],
    ['fok: a maker’s delta has the taker’s sign', 'side === BUY ? -size : size', 'size'],
    ['fok: the list of holdings met is never emptied', '  counters[MET] = 0;\n', '\n'],
  ]),
  ...of('trading/replace', 'core/trading/replace', [
    ['replace: the old order stays', 'withdrawOrder(trading, old, DONE_REPLACED);\n', '\n'],
    ['replace: the old order’s reserve still counts',
      'orderRemaining(books, slot), 0);', 'orderRemaining(books, slot), orderRemaining(books, slot));'],
  ]),
  ...of('trading/place', 'core/trading/cancel-all', [
    ['place: an ended order keeps its client id', 'if (ending !== 0) removeOpenOrder', 'if (ending < 0) removeOpenOrder'],
  ]),
  ...of('trading/place', 'core/trading/replace', [
    ['replace: the old order’s client id is taken', 'if (same >= 0 && same !== replaced)', 'if (same >= 0)'],
  ]),
  ...of('trading/reduce-only', 'core/trading/reduce-only', [
    ['replace: a reduce-only order that replaces another counts as one more', '- (replacesOne ? 1 : 0)', ''],
  ]),
  ...of('trading/judge', 'reference/reference', [
    ['place: margin is asked before a frozen protection',
      'if (refused === NO_FUNDS) return refused;', 'if (refused !== OK) return refused;'],
  ]),
  ...of('trading/place', 'reference/reference', [
    ['place: a duplicate client id of a reduce-only order without position is not refused',
      'if (same >= 0 && same !== replaced) return DUPLICATE_CLIENT_ID;',
      'if (same >= 0 && same !== replaced && candidate.size !== 0) return DUPLICATE_CLIENT_ID;'],
  ]),
  ...of('trading/fill', 'core/trading/reduce-only', [
    ['reduce-only: a maker’s orders do not shrink',
      'if (holdings.reduceOnly[makerHolding] !== 0) fitReduceOnly(trading, makerHolding);\n', '\n'],
    ['reduce-only: a taker’s own orders do not shrink',
      'if (holdings.reduceOnly[taker.holding] !== 0) fitReduceOnly(trading, taker.holding);\n', '\n'],
  ]),
  ...of('trading/move-order', 'core/trading/reduce-only', [
    ['reduce-only: margin keeps the size before it shrank',
      'priceOfKey(orderKey(books, slot)), before, remaining);', 'priceOfKey(orderKey(books, slot)), before, before);'],
  ]),
  ...of('trading/modes', 'core/trading/forced-trade', [
    ['liquidation: closing orders are judged one by one',
      'size + (side === BUY ? holdings.bidSize[row] : holdings.askSize[row]) <= ', 'size <= '],
  ]),
  ...of('trading/place', 'e2e/redteam/orders', [
    ['expiry: an order in the millisecond of expiry is accepted',
      'DOUBLE_EXPIRY] <= time) return EXPIRED;', 'DOUBLE_EXPIRY] < time) return EXPIRED;'],
  ]),
  ...of('margin/order-check', 'e2e/redteam/orders', [
    ['tier1: each ask is judged by itself', 'if (total > long) {', 'if (size > long) {'],
  ]),
  ...of('trading/taker', 'e2e/redteam/orders', [
    ['margin: a maker whose collateral has gone is filled',
      'else if (!makerMayFill(trading, taker, maker)) removeOpenOrder(trading, maker, DONE_MARGIN);\n', '\n'],
  ]),
  ...of('margin/order-check', 'core/engine/orders', [
    ['funds: a wallet without collateral is accepted', 'accounts.cash[account] <= 0 &&', 'accounts.cash[account] < 0 &&'],
  ]),
  ...of('margin/order-check', 'core/engine/admission', [
    ['position limit: the limit itself is too much', 'return notional > margin', 'return notional >= margin'],
  ]),
  ...of('margin/order-check', 'core/margin/order-check', [
    ['position limit: refuses an order that cannot raise the position',
      'if (after <= before) return OK;', 'if (after < before) return OK;'],
  ]),
  ...of('margin/account-margin', 'core/engine/admission', [
    ['position limit: open orders do not count',
      'const largest = largestPosition(position, bidSize, askSize);', 'const largest = Math.abs(position);'],
  ]),
  ...of('sequencer/admission', 'core/engine/admission', [
    ['rate: the wallet is read from the wrong record of the ring', 'return OK;\n  const row = budgetRow(budgets, views.u32, (at >>> 2)',
      'return OK;\n  const row = budgetRow(budgets, views.u32, (at << 2)'],
    ['rate: one more than allowed', 'used + count <= allowed', 'used <= allowed'],
    ['bulk: replays are charged to the wallet', ' && !isNonceUsed(state, views, word, account, word + WORD_WALLET, time);', ';'],
    ['bulk: an item that proves to be a replay stays charged',
      'if (verdict === FITS) refundItem', 'if (verdict === CHARGEABLE) refundItem'],
    ['bulk: a refunded budget is not reported', 'if (allowed !== UNLIMITED) admission.left', 'if (allowed < 0) admission.left'],
    ['bulk: all api threads share one row of verdicts', 'const origin = recordOrigin(views, at);', 'const origin = 0;'],
  ]),
  ...of('trading/room', 'core/engine/admission', [
    ['caps: an order that never rests counts as open', 'if (mayRest && mostOpen', 'if (mostOpen'],
    ['room: an order that never rests needs a place in the pool', 'if (!mayRest) return OK;\n', '\n'],
  ]),
  ...of('sequencer/admission', 'core/engine/agents', [
    ['new wallets: a wallet with waiting approvals is counted again when its account opens',
      '&& !isAlreadyCounted(state, views, at, time);', ';'],
    ['agents: a 65th agent is accepted', '>= AGENTS_PER_WALLET) return TOO_MANY_AGENTS;', '> AGENTS_PER_WALLET) return TOO_MANY_AGENTS;'],
    ['agents: a wallet has any number of approvals that wait',
      ' && countPending(state.pending, u32, wallet, time) < PENDING_PER_WALLET', ''],
  ]),
  ...of('accounts/pending-approvals', 'core/engine/agents', [
    ['agents: an approval that a later one replaced counts', 'if (later === 0) count++;', 'count++;'],
    ['agent: acts by an approval that a later one replaced',
      'isActive = isLive(pending.expires[link - 1], time);', 'isActive ||= isLive(pending.expires[link - 1], time);'],
    ['agents: an approval that waits behind another wallet’s is lost', 'if (pending.buckets[bucket] === link) {', 'if (link > 0) {'],
  ]),
  ...of('accounts/pending-approvals', 'core/engine/pending', [
    ['pending: an approval waits for ever', 'return since[link - 1] + PENDING_TIME > time && same', 'return same'],
    ['pending: the oldest approval is not known after a load',
      '    enter(pending, row);\n    append(pending, row);\n', '    enter(pending, row);\n'],
  ]),
  ...of('sequencer/admission', 'core/engine/crowded', [
    ['crowded: the cap of the tier stays', '|| !isPoolCrowded(orders)) return openOrders;', '|| isPoolCrowded(orders)) return openOrders;'],
  ]),
  ...of('sequencer/sequencer', 'core/engine/crowded', [
    ['crowded: the answer names another cap', 'if (code === MAX_OPEN_ORDERS) state.result.numbers[0] = admission.mostOpen;\n', '\n'],
  ]),
  ...of('lifecycle/reclaim', 'core/engine/crowded', [
    ['crowded: orders of other tiers end too', '&& isSmallTier(accounts.tier[orderAccount(books, slot)]) ', ''],
    ['crowded: reduce-only orders end too', ' && (orderFlags(orders, slot) & FLAG_REDUCE_ONLY) === 0;', ';'],
    ['crowded: orders that have not rested long enough end too', '&& standsSince(orders, slot) + RESTED_TIME <= time', ''],
    ['crowded: a moved order counts as resting since it was placed', ': orderEnteredAt(orders, slot)', ': orderCreatedAt(orders, slot)'],
    ['crowded: a pass ends with its first step', 'slot < slotsUsed(books) ? slot + 1 : 0;', '0;'],
  ]),
  ...of('lifecycle/reclaim-state', 'core/engine/crowded', [
    ['crowded: a pass waits for other work without end', '% STEPS_A_TURN;', '+ 1;'],
  ]),
  ...of('lifecycle/account-closing', 'core/engine/closing', [
    ['closing: accounts in use are closed too', 'accounts.usedAt[account] + UNUSED_TIME > time || ', ''],
    ['closing: accounts that traded are closed too', 'fillSeq(streams.accounts, account) !== 0 || ', ''],
    ['closing: accounts of other tiers are closed too', 'accounts.tier[account] !== DEFAULT_TIER || ', ''],
    ['closing: the insurance fund is closed too', ' || account === fundOf(lifecycle)) return false;', ') return false;'],
    ['closing: the next account of the row inherits market-maker protection', ' && !hasProtection(lifecycle, account);', ';'],
    ['closing: the balance does not return to the faucet',
      '  returnToFaucet(ledger, accounts, account);\n', '  accounts.cash[account] = 0;\n'],
    ['closing: the next account of the row inherits agents', '  revokeAllRows(agents, accounts, account);\n', ''],
    ['closing: the username stays taken', '  forgetUsername(lifecycle.usernames, account);\n', ''],
    ['closing: the next account of the row inherits a deadline', '  forgetSafety(safety, account);\n', ''],
    ['closing: the next account of the row inherits the stream counters', '  forgetStreams(streams.accounts, account);\n', ''],
    ['closing: an approval that a revocation voided acts again', 'hasNonce || hasRevoked, highest,', 'hasNonce, highest,'],
  ]),
  ...of('lifecycle/reclaim', 'core/engine/closing', [
    ['closing: accounts close although the table has room', 'isCrowded(accounts) && reclaim', 'reclaim'],
    ['closing: an account with many nonces is skipped',
      'if (!closeAccount(lifecycle, account)) break;', 'if (!closeAccount(lifecycle, account)) continue;'],
  ]),
  ...of('trading/wallets', 'core/engine/closing', [
    ['closing: a wallet that comes back may use old nonces', '  if (hasClosedNonce(closed, row)) voidUpTo(', '  if (row < 0) voidUpTo('],
    ['closing: the streams of a wallet that comes back restart',
      'closedOrderUpdates(closed, row), closedPortfolio(closed, row), closedQuotes(closed, row)', '0, 0, 0'],
  ]),
  ...of('sequencer/admission', 'core/engine/closing', [
    ['closing: a used nonce opens an account', 'return isClosedNonce(state.closed, views.u32, wallet, low, high) || ', 'return '],
  ]),
  ...of('lifecycle/ticks', 'core/engine/pending', [
    ['pending: no tick is due when an approval has ended',
      ', deadlineDue(lifecycle), pendingDue(lifecycle.pending),', ', deadlineDue(lifecycle),'],
  ]),
  ...of('lifecycle/ticks', 'core/engine/lifecycle', [
    ['listing: looked at only where somebody holds something',
      'listingDue(lifecycle, underlying), isHeld ?', 'isHeld ? listingDue(lifecycle, underlying) : Infinity, isHeld ?'],
  ]),
  ...of('lifecycle/listing', 'core/engine/lifecycle', [
    ['listing: an index that moved within the minute is not looked at', 'return isSeen ? Infinity : schedule.listing[underlying];',
      'return schedule.listing[underlying] === 0 ? 0 : Infinity;'],
  ]),
  ...of('sequencer/bulk-verdicts', 'shell/api/bulk/bulk', [
    ['bulks: no room for the two signers of each item', 'MOST_RECORDS = 2 * BULK_ITEMS', 'MOST_RECORDS = BULK_ITEMS'],
  ]),
  ...of('sequencer/rate-budgets', 'core/engine/admission', [
    ['rate: a class that is new in a minute keeps the others’ counts',
      'used.fill(0, row * CLASSES, row * CLASSES + CLASSES);', 'used.fill(0, row * CLASSES, row * CLASSES + 1);'],
    ['rate: a wallet begins anew with its account', 'budgets.minute[account] = budgets.minute[row];', 'budgets.minute[account] = 0;'],
    ['new wallets: a 21st in an hour is accepted',
      'budgets.newWallets[rows[size]] >= limits[size]', 'budgets.newWallets[rows[size]] > limits[size]'],
  ]),
  ...of('sequencer/rate-budgets', 'core/engine/budgets', [
    ['new wallets: the networks around a source are not counted', 'block === 0 ? 1 : SIZES', '1'],
    ['new wallets: all together are not bounded', 'if (budgets.allNewWallets >= limits[SIZES]) return SIZES;', ''],
    ['new wallets: a /56 is counted as its /48', 'size === 1 ? digestOfSubnet(block, subnet) : block', 'block'],
  ]),
  ...of('engine/apply', 'core/engine/orders', [
    ['nonce: a refusal uses it',
      'writeRefusal(state, account, kind);',
      'writeRefusal(state, account, kind);\n    markUsed(state.nonces, account, views.u32[(at >>> 2) + WORD_NONCE], 0);'],
  ]),
  ...of('nonces', 'core/nonces/nonces', [
    ['nonce: the next one counts as used',
      'if (past >= 0) return past < n.length[highest];', 'if (past >= 0) return past <= n.length[highest];'],
    ['nonces: a wallet with many runs takes from the richest as well', 'n.rich[0] === 0 || n.runs[account] >= n.fair', 'n.rich[0] === 0'],
    ['nonces: another wallet than the richest gives a run', 'n.runs[other] > n.runs[richest]', 'n.runs[other] < n.runs[richest]'],
    ['nonces: the richest are not counted anew after a load', '    if (n.runs[account] > 2 * n.fair) n.rich[0] += 1;\n', ''],
    ['nonces: the floor falls', 'void {\n  if (isBelowBound(n, account, lo, hi)) return;\n  n.bound', 'void {\n  n.bound'],
    ['nonces: the last void nonce can be used',
      '  raiseFloor(n, account, lo, hi);\n  dropVoided', '  raiseFloor(n, account, lo - 1, hi);\n  dropVoided'],
    ['nonces: void runs are not freed', '  dropVoided(n, account, VOIDED_A_NONCE);\n', ''],
  ]),
  ...of('accounts/agents', 'core/engine/agents', [
    ['agent: acts in the millisecond it expires', 'expires === 0 || expires > time', 'expires === 0 || expires >= time'],
    ['agents: rows promised to approvals that wait are given away', 'agents.rows[USED] > promised', 'agents.rows[USED] > 0'],
    ['agents: a load forgets how many rows are in use', 'count(agents, accounts, account, 1);\n  }\n}', '{}\n  }\n}'],
    ['agents: small tiers have all rows', 'const isWithinShare = !isSmallTier(', 'const isWithinShare = true || !isSmallTier('],
    ['agents: a waiting approval is not counted in the share of its tier',
      'agents.rows[SMALL_TIER] + promised < share', 'agents.rows[SMALL_TIER] < share'],
    ['agents: rows of a wallet that has another tier now',
      'link = agents.next[link - 1]) agents.rows[SMALL_TIER] += change;', 'link = agents.next[link - 1]) {}'],
    ['agent: acts after its expiry', 'return isLive(agents.expires[link - 1], time);', 'return true;'],
  ]),
  ...of('trading/wallets', 'core/engine/agents', [
    ['agent: revokes another agent', 'kind === APPROVE_NAMED_AGENT || kind === REVOKE_AGENT ||',
      'kind === APPROVE_NAMED_AGENT ||'],
  ]),
];

const BOOKS: readonly Mutant[] = [
  ...of('ledger/ledger', 'core/engine/ledger', [
    ['ledger: the payer pays one micro less',
      'cash[from] = paid - amount + 0;', 'cash[from] = paid - amount + 1;'],
  ]),
  ...of('assert', 'core/assert', [['assertions: a failed assertion is ignored', 'if (!condition) fail(label);', '']]),
  ...of('ledger/wide', 'core/ledger/wide', [
    ['ledger: no carry from a full limb', 'const carry = sum >= BASE ? 1 : 0;', 'const carry = sum > BASE ? 1 : 0;'],
  ]),
  ...of('ledger/wide', 'core/lifecycle/settlement-price', [
    ['ledger: a mean rounds a half down', '>= count ? 1 : 0', '> count ? 1 : 0'],
  ]),
  ...of('trading/fill', 'core/trading/fees', [
    ['fees: maker’s and taker’s swapped', 'taker.fee = feeOf(settings, TAKER_FEE', 'taker.fee = feeOf(settings, MAKER_FEE'],
    ['fees: the maker pays none', 'if (makerFee !== 0) payHouse(ledger, accounts, maker, FEES, makerFee);\n', '\n'],
  ]),
  ...of('margin/standard', 'core/trading/fees', [
    ['fees: the part of the premium is a floor, not a cap', ': Math.min(fee,', ': Math.max(fee,'],
    ['fees: a perp’s fee has the cap of an option’s', 'kind === PERP ? fee : Math', 'Math'],
    ['fees: the notional is rounded before the rate', ' * (size % CONTRACT) % CONTRACT;', ' * 0;'],
  ]),
  ...of('trading/fill', 'core/trading/replace', [
    ['tier1: an ask placed before the tier changed sells short',
      'if (isUncovered(trading, maker, 1 - side, position, size)) return false;\n', '\n'],
  ]),
  ...of('trading/fill', 'core/trading/fees', [
    ['fees: a maker that closes is judged by the fee of a taker', 'canLose(trading, maker, MAKER_FEE', 'canLose(trading, maker, TAKER_FEE'],
  ]),
  ...of('trading/dry-run', 'core/trading/perps', [
    ['fok: rounding that costs a maker equity is not counted', ' + rounding - freed)', ' - freed)'],
    ['fok: reserves that its own trial frees are not counted', ' + rounding - freed)', ' + rounding)'],
    ['fok: a reserve freed in one trial stays freed in the next', '    gone[holding] = 0;\n', '\n'],
  ]),
  ...of('trading/cancel', 'core/trading/cancel-all', [
    ['replace: an ended order lives on in the new one', 'if (ending === 0 && !isQuote(orders, slot))', 'if (!isQuote(orders, slot))'],
  ]),
  ...of('lifecycle/funding-rate', 'core/lifecycle/funding-rate', [
    ['funding: an hour ends only when the perp is used again', 'if (perps.hour[underlying] !== 0) due', 'if (false) due'],
  ]),
  ...of('lifecycle/funding-rate', 'core/lifecycle/hours', [
    ['funding: an hour waits for the sample that comes after it', ' || isHourOver(perps, underlying, time)', ''],
    ['funding: a sample is taken again when an hour ends', 'if (time >= perps.next[underlying]) samplePerpBook(', 'samplePerpBook('],
  ]),
  ...of('lifecycle/listing', 'core/lifecycle/reuse', [
    ['listing: options take the rows of perps that may still come', ' - (underlyings.capacity - underlyingCount(underlyings))', ''],
  ]),
  ...of('trading/fill', 'core/trading/perps', [
    ['perps: a maker’s pending funding is forgotten', 'payHolding(trading, makerHolding);\n', '\n'],
    ['open interest: the maker’s side is not counted', '\n    + longChange(makerBefore, holdings.position[makerHolding]);', ';'],
  ]),
  ...of('positions/holdings', 'core/trading/perps', [
    ['positions: closing a part keeps its cost', 'costBefore - closedCost + (amount', 'costBefore + (amount'],
    ['positions: a flip closes with all of its amount',
      'const closedAmount = closed === size ? amount : towardsZero(amount, closed, size);', 'const closedAmount = amount;'],
    ['positions: the cost of a short is rounded away from zero',
      'return value < 0 ? -mulDivFloor(-value, part, whole) : mulDivFloor(value, part, whole);', 'return mulDivFloor(value, part, whole);'],
    ['positions: a closed position is still counted',
      'if (after === 0) accounts.positions', 'if (before === 0 && after === 0) accounts.positions'],
  ]),
  ...of('positions/holdings', 'core/engine/ledger', [
    ['positions: profit goes on from one position to the next',
      'size < Math.abs(before) ? holdings.realized[row] + profit : 0;', 'holdings.realized[row] + profit;'],
  ]),
  ...of('positions/holdings', 'core/engine/orders', [
    ['positions: one row more than the capacity is used',
      'counters[HIGH_WATER] < holdings.capacity', 'counters[HIGH_WATER] <= holdings.capacity'],
  ]),
  ...of('positions/holdings', 'core/engine/admission', [
    ['holdings: small tiers have all rows', '!isSmallTier(tier) || holdings.ofSmallTiers[0] < share', 'true'],
    ['holdings: rows of a wallet that has another tier now', 'holdings.ofSmallTiers[0] += change;', '{}'],
    ['holdings: a load forgets how many rows small tiers have',
      'if (isSmallTier(accounts.tier[holdings.account[row]])) holdings.ofSmallTiers[0]++;', ''],
    ['holdings: a row of a small tier never comes back',
      'if (isSmallTier(accounts.tier[account])) holdings.ofSmallTiers[0]--;', ''],
  ]),
];

const PROTECTION: readonly Mutant[] = [
  ...of('mmp/windows', 'core/mmp/mmp', [
    ['mmp: the window includes both ends', 'windows.filledAt[link - 1] <= end', 'windows.filledAt[link - 1] < end'],
  ]),
  ...of('mmp/mmp', 'core/mmp/mmp', [
    ['mmp: the limit itself triggers', 'Math.abs(sum) > limit', 'Math.abs(sum) >= limit'],
    ['mmp: a short sum never triggers', 'Math.abs(sum) > limit', 'sum > limit'],
    ['mmp: the freeze includes its last moment', 'return time < mmp.until[row];', 'return time <= mmp.until[row];'],
    ['mmp: a trigger empties the window', 'mmp.triggers[row]++;', 'mmp.triggers[row]++;\n  clearWindow(mmp.windows, row);'],
    ['mmp: frozen until a reset is not frozen at all', 'frozenTime === 0 ? UNTIL_RESET : Math', 'Math'],
  ]),
  ...of('mmp/mmp', 'core/trading/protection-rows', [
    ['mmp: small tiers have all rows', 'return !isSmallTier(tier) ||', 'return true ||'],
    ['mmp: rows of a wallet that has another tier now', 'mmp.small[0] += change;', '{}'],
  ]),
  ...of('trading/protection', 'core/trading/protection', [
    ['mmp: a greek beyond the exact range is no number', 'return clampSafe(perContract < 0', 'return (perContract < 0'],
    ['mmp: quantity is net', 'recordFill(mmp, row, time, Math.abs(size), delta, vega)', 'recordFill(mmp, row, time, size, delta, vega)'],
    ['mmp: a trigger cancels orders that opted out',
      '(orderFlags(orders, slot) & FLAG_MMP_OPT_OUT) === 0 && orderEntry(orders, slot) <= last',
      'orderEntry(orders, slot) <= last'],
    ['mmp: a trigger cancels other underlyings’ orders',
      'if (instruments.underlying[holdings.instrument[holding]] !== mmp.underlying[row]) continue;\n', '\n'],
    ['mmp: a trigger cancels orders placed after it', 'orderSince(orders, slot) <= mmpCancels.upTo[row]', 'mmpCancels.upTo[row] !== 0'],
    ['mmp: all orders are cancelled at once instead of in bounded steps', '    count += cancelled;\n', '\n'],
  ]),
  ...of('trading/fill', 'core/trading/protection', [
    ['mmp: a maker’s delta has the taker’s sign', 'taker.instrument, -bought, taker.time', 'taker.instrument, bought, taker.time'],
    ['mmp: a taker that triggers goes on', 'taker.stopped = DONE_MMP_SELF;\n', '\n'],
  ]),
  ...of('trading/fill', 'e2e/rest/protection', [
    ['mmp: an order that triggers with its last fill does not report it',
      'trading.result.flags |= FLAG_MMP_TRIGGERED;',
      'if (takerRemaining(trading.books) > 0) trading.result.flags |= FLAG_MMP_TRIGGERED;'],
  ]),
];

const MARKS: readonly Mutant[] = [
  ...of('valuation/quotes', 'core/valuation/quotes', [
    ['marks: one wallet’s quote moves them', 'return hasTwoWallets(', 'return least > 0 || hasTwoWallets('],
    ['marks: a quote younger than the least age moves them', 'if (orderEnteredAt(orders, order) > since) break;\n', '\n'],
  ]),
  ...of('trading/fill', 'shell/api/protection', [
    ['protection: a trigger of the order’s own is not reported', 'trading.result.flags |= FLAG_MMP_TRIGGERED;', ''],
  ]),
  ...of('valuation/quotes', 'core/valuation/pending-cancel-quotes', [
    ['marks: an order that has ended is the best quote', '  if (isPendingCancel === null) return order;\n', '  return order;\n'],
    ['marks: an order that has ended lends its size to others', 'if (isPendingCancel === null || !isPendingCancel(order)) size', 'size'],
  ]),
  ...of('trading/cancel-all', 'core/valuation/pending-cancel-quotes', [
    ['marks: quotes past their wallet’s deadline move them until the next tick',
      ' && (first < 0 || !isOverdue(trading.safety, first, time))', ''],
  ]),
  ...of('valuation/marks', 'core/valuation/pending-cancel-quotes', [
    ['marks: quotes of an expired contract move its last mark', ' || instruments.expiry[slot] <= time ||', ' ||'],
  ]),
  ...of('lifecycle/funding-rate', 'core/valuation/pending-cancel-quotes', [
    ['perps: an order that has ended is part of the book',
      'isPendingCancel(order) ? 0 : orderRemaining(books, order)', 'orderRemaining(books, order)'],
  ]),
  ...of('valuation/marks', 'core/valuation/revaluation', [
    ['marks: a new contract has the greeks of the one before it', '  forgetGreeks(valuation, slot);\n', ''],
  ]),
  ...of('valuation/marks', 'e2e/redteam/basis', [
    ['marks: a perp’s theo is its mark',
      'if (instruments.kind[slot] === PERP) return index;',
      'if (instruments.kind[slot] === PERP) return unquotedMark(valuation, slot, index);'],
  ]),
  ...of('valuation/index-price', 'core/valuation/index-price', [
    ['index: two outliers in a row are believed', '< values[INDEX_CONFIRMATIONS]', '< values[INDEX_CONFIRMATIONS] - 1'],
    ['index: the median includes ticks just older than its span', 'ticks.at[at] <= since', 'ticks.at[at] < since'],
  ]),
];

export const TRADING: readonly Mutant[] = [...MATCHING, ...RULES, ...BOOKS, ...PROTECTION, ...MARKS];
