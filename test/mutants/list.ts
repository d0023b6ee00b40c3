// Faults of one line that a competent engineer might make, each with the tests that must notice it. Planted by
// scripts/mutants.ts; a line that has changed is an error there, so the list follows the code. A fault that no test
// could notice, since nothing that can be asked differs, does not belong here.

export type Mutant = {
  readonly name: string;
  readonly file: string;
  /** Text that stands in the file exactly once, and what takes its place. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
};

/** Name, text, what takes its place. */
type Fault = readonly [name: string, find: string, replace: string];

function of(file: string, tests: string | readonly string[], faults: readonly Fault[]): Mutant[] {
  const files = (typeof tests === 'string' ? [tests] : tests).map((test) => `test/${test}.test.ts`);
  return faults.map(([name, find, replace]) => ({ name, file: `core/${file}.ts`, find, replace, tests: files }));
}

const MATCHING: readonly Mutant[] = [
  ...of('book/matching', 'core/orders', [
    ['matching: an order at the taker’s limit is not met', 'ladders[row] < books.takerRank ? 0', 'ladders[row] <= books.takerRank ? 0'],
    ['matching: last in, first out',
      'books.levels[ladders[row | BEST_LEVEL] << 2];', 'books.levels[(ladders[row | BEST_LEVEL] << 2) | 1];'],
  ]),
  ...of('book/matching', 'book/differential', [
    ['matching: a level loses the whole order, not the part that filled',
      'shrinkLevel(books, books.places[maker << 1], left);', 'shrinkLevel(books, books.places[maker << 1], resting);'],
  ]),
  ...of('trading/take', 'core/orders', [
    ['matching: self-trade compares an account with a holding',
      'if (orderAccount(books, maker) === account) {', 'if (orderAccount(books, maker) === taker.holding) {'],
    ['matching: a self-trade ends the taker', 'DONE_SELF_TRADE);\n      continue;', 'DONE_SELF_TRADE);\n      break;'],
  ]),
  ...of('trading/fill', 'core/orders', [
    ['matching: at the taker’s price',
      'taker.price = priceOfKey(orderKey(trading.books, slot));', 'taker.price = trading.candidate.price;'],
  ]),
  ...of('trading/place', 'core/orders', [
    ['matching: what an ioc order does not get rests', 'left > 0 && tif === GTC &&', 'left > 0 && tif !== FOK &&'],
  ]),
  ...of('book/levels', 'book/book', [
    ['book: a load forgets who is last in line',
      'if (orders[(slot << 3) | NEXT] === 0) levels[(level << 2) | 1] = slot;', 'levels[(level << 2) | 1] = slot;'],
  ]),
];

const RULES: readonly Mutant[] = [
  ...of('trading/rehearse', 'trading/reduce-only', [
    ['fok: own orders count beside those of others', 'if (account === candidate.account || (hasDoomed', 'if ((hasDoomed'],
    ['fok: two reduce-only orders of one wallet count its position twice',
      'Math.max(0, held - rehearsal.taken[holding])', 'Math.max(0, held)'],
  ]),
  ...of('trading/rehearse', 'trading/protection', [
    ['fok: orders that a trigger would end count', 'if (triggered[row] !== 0) return false;', 'if (triggered[row] !== 0) return true;'],
  ]),
  ...of('trading/replace', 'trading/replace', [
    ['replace: the old order stays', 'withdrawOrder(trading, old, DONE_REPLACED);\n', '\n'],
    ['replace: the old order’s reserve still counts', 'orderRemaining(books, slot), 0);', 'orderRemaining(books, slot), orderRemaining(books, slot));'],
  ]),
  ...of('trading/place', 'trading/replace', [
    ['replace: the old order’s client id is taken', 'if (same >= 0 && same !== replaced)', 'if (same >= 0)'],
    ['replace: a reduce-only order in the place of another is one too many', '- (replacesOne ? 1 : 0)', ''],
  ]),
  ...of('trading/fill', 'trading/reduce-only', [
    ['reduce-only: a maker’s orders do not shrink',
      'if (holdings.reduceOnly[makerHolding] !== 0) fitReduceOnly(trading, makerHolding);\n', '\n'],
    ['reduce-only: a taker’s own orders do not shrink',
      'if (holdings.reduceOnly[taker.holding] !== 0) fitReduceOnly(trading, taker.holding);\n', '\n'],
  ]),
  ...of('trading/reduce', 'trading/reduce-only', [
    ['reduce-only: margin keeps the size before it shrank',
      'priceOfKey(orderKey(books, slot)), before, size);', 'priceOfKey(orderKey(books, slot)), before, before);'],
  ]),
  ...of('trading/place', 'trading/force', [
    ['liquidation: closing orders are judged one by one',
      'size + (side === BUY ? holdings.bidSize[row] : holdings.askSize[row]) <= ', 'size <= '],
  ]),
  ...of('trading/place', 'redteam/orders', [
    ['expiry: an order in its very millisecond passes', 'DOUBLE_EXPIRY] <= time) return EXPIRED;', 'DOUBLE_EXPIRY] < time) return EXPIRED;'],
  ]),
  ...of('margin/check', 'redteam/orders', [
    ['tier1: each ask is judged by itself', 'if (total > long) {', 'if (size > long) {'],
  ]),
  ...of('margin/check', 'core/orders', [
    ['funds: a wallet with nothing passes', 'accounts.cash[account] <= 0 &&', 'accounts.cash[account] < 0 &&'],
  ]),
  ...of('margin/check', 'core/admission', [
    ['position limit: the limit itself is too much', 'return notional > margin', 'return notional >= margin'],
    ['position limit: an order that lowers nothing is refused', 'if (after <= before) return OK;', 'if (after < before) return OK;'],
  ]),
  ...of('margin/account', 'core/admission', [
    ['position limit: open orders do not count',
      'const largest = largestPosition(position, bidSize, askSize);', 'const largest = Math.abs(position);'],
  ]),
  ...of('sequencer/admission', 'core/admission', [
    ['rate: one more than allowed', 'used + count <= allowed', 'used <= allowed'],
  ]),
  ...of('sequencer/budgets', 'core/admission', [
    ['rate: a class that is new in a minute keeps the others’ counts',
      'account * CLASSES + CLASSES);', 'account * CLASSES + rateClass);'],
    ['new wallets: the 21st of an hour', '>= NEW_WALLETS_PER_HOUR', '> NEW_WALLETS_PER_HOUR'],
  ]),
  ...of('engine/apply', 'core/orders', [
    ['nonce: a refusal uses it', 'f[REFUSED_KIND] = kind;',
      'f[REFUSED_KIND] = kind;\n    markUsed(state.nonces, account, views.u32[(at >>> 2) + WORD_NONCE], views.u32[(at >>> 2) + WORD_NONCE + 1]);'],
  ]),
  ...of('nonces', 'nonces/nonces', [
    ['nonce: the next one counts as used', 'if (past >= 0) return past < n.length[highest];', 'if (past >= 0) return past <= n.length[highest];'],
  ]),
  ...of('accounts/agents', 'core/agents', [
    ['agent: acts in the millisecond it expires', 'expires === 0 || expires > time', 'expires === 0 || expires >= time'],
    ['agent: acts after its time', 'return live(agents.expires[link - 1], time);', 'return true;'],
  ]),
  ...of('trading/wallets', 'core/agents', [
    ['agent: dismisses another', 'kind === APPROVE_AGENT || kind === REVOKE_AGENT) return false;', 'kind === APPROVE_AGENT) return false;'],
  ]),
];

const BOOKS: readonly Mutant[] = [
  ...of('ledger/ledger', 'core/ledger', [
    ['ledger: the payer pays one micro less',
      'accounts.cash[from] = accounts.cash[from] - amount + 0;', 'accounts.cash[from] = accounts.cash[from] - amount + 1;'],
  ]),
  ...of('ledger/wide', 'ledger/wide', [
    ['ledger: no carry from a full limb', 'const carry = sum >= BASE ? 1 : 0;', 'const carry = sum > BASE ? 1 : 0;'],
    ['ledger: a mean rounds a half down', '>= count ? 1 : 0', '> count ? 1 : 0'],
  ]),
  ...of('trading/fill', 'trading/fees', [
    ['fees: maker’s and taker’s swapped', 'taker.fee = feeOf(settings, TAKER_FEE', 'taker.fee = feeOf(settings, MAKER_FEE'],
    ['fees: the maker pays none', 'if (makerFee !== 0) payHouse(ledger, accounts, maker, FEES, makerFee);\n', '\n'],
    ['fees: the fee may leave a balance’s range', ' && (fee === 0 || isExact(cash - fee))', ''],
  ]),
  ...of('margin/fees', 'trading/fees', [
    ['fees: the part of the premium is a floor, not a cap', 'return Math.min(fee,', 'return Math.max(fee,'],
    ['fees: a perp’s has an option’s cap', 'if (kind === PERP) return fee;\n', '\n'],
  ]),
  ...of('trading/fill', 'trading/perps', [
    ['perps: a maker’s pending funding is forgotten', 'payHolding(trading, makerHolding);\n', '\n'],
    ['open interest: the maker’s side does not count', '\n    + longChange(makerBefore, holdings.position[makerHolding]);', ';'],
  ]),
  ...of('positions/holdings', 'trading/perps', [
    ['positions: a part that closes takes no cost with it', 'holdings.cost[row] - closedCost + (amount', 'holdings.cost[row] + (amount'],
    ['positions: a flip closes with all of its amount', 'const closedAmount = closed === size ? amount : towardsZero(amount, closed, size);', 'const closedAmount = amount;'],
    ['positions: the cost of a short is rounded away from zero',
      'return value < 0 ? -mulDivFloor(-value, part, whole) : mulDivFloor(value, part, whole);', 'return mulDivFloor(value, part, whole);'],
  ]),
  ...of('positions/holdings', 'core/admission', [
    ['positions: one that closes is still counted', 'if (before !== 0 && after === 0) accounts.positions', 'if (before === 0 && after === 0) accounts.positions'],
  ]),
];

const STANDARD: readonly Mutant[] = [
  ...of('margin/standard', 'margin/standard', [
    ['standard: in and out of the money swapped', 'isCall ? strike - spot : spot - strike)', 'isCall ? spot - strike : strike - spot)'],
    ['standard: a short put may need less than its maintenance',
      'return isCall ? initial : Math.max(initial, contractMaintenance(inputs, instrument));', 'return initial;'],
    ['standard: a put’s maintenance on the smaller of index and mark', 'spot : Math.max(spot, mark)', 'spot : Math.min(spot, mark)'],
    ['standard: an ask against a long needs a short’s margin', 'Math.max(0, askSize - Math.max(0, position))', 'askSize'],
    ['standard: an ask of a long position that is larger than it frees margin',
      'Math.max(0, askSize - Math.max(0, position))', 'askSize - Math.max(0, position)'],
    ['standard: an order better than mark is credited',
      '(worse <= 0 ? 0 : mulDivCeil(worse, size, CONTRACT))', '(worse <= 0 ? -mulDivCeil(-worse, size, CONTRACT) : mulDivCeil(worse, size, CONTRACT))'],
    ['standard: a bid that closes a short is credited beyond its own premium',
      'premium : Math.max(0, premium - mulDivFloor(inputs.valuation.mark[instrument], closing, CONTRACT))',
      'premium : premium - mulDivFloor(inputs.valuation.mark[instrument], closing, CONTRACT)'],
    ['standard: each bid closes the whole short', 'closable -= closing;\n    const whole', 'const whole'],
  ]),
  ...of('margin/standard', 'margin/check', [
    ['perps: only open bids count', 'Math.abs(position + bidSize), Math.abs(position - askSize));', 'Math.abs(position + bidSize));'],
    ['perps: profit without the funding that is pending', ' - pendingFunding(inputs.funding, holdings, holding);', ';'],
  ]),
  ...of('margin/account', 'margin/standard', [
    ['standard: long options are collateral', 'if (mode !== PORTFOLIO) return Math.max(0, value);', 'if (mode !== PORTFOLIO) return 0;'],
  ]),
  ...of('margin/account', ['margin/check', 'margin/portfolio'], [
    ['maintenance: open orders count in it',
      'return maintenancePart(margin, positionInitialOf(margin, account));', 'return maintenancePart(margin, initialOf(margin, account));'],
  ]),
  ...of('margin/account', 'margin/check', [
    ['settings: rates of before stay in force', 'cache.ratedAt.fill(0);\n', '\n'],
    ['portfolio: a long counts in whole while its surface is stale', 'counted <= 0 || !isSurfaceStale(valuation, instrument)', 'counted <= 0'],
    ['portfolio: a mark beyond theo is collateral', 'const counted = isFavoured ?', 'const counted = !isFavoured ?'],
  ]),
  ...of('margin/check', ['core/orders', 'redteam/closing'], [
    ['closing: exempt without its fee', '(side === BUY ? amount : -amount) + orderFee(margin, instrument, price, size);', '(side === BUY ? amount : -amount);'],
    ['closing: exempt beside others that close the same', 'size + open > -position : size + open > position', 'size > -position : size > position'],
    ['closing: exempt at a loss to the account', 'return gain + freedByFill(margin, order, after) >= 0;', 'return true;'],
    ['closing: exempt at any price', 'if (side === BUY ? price > mark + distance : price < mark - distance) return false;\n', '\n'],
  ]),
  ...of('margin/check', 'margin/check', [
    ['mode: reserves of open orders need not fit', 'const required = initialIn(margin, account, mode) + reservedOf(margin, account);', 'const required = initialIn(margin, account, mode);'],
    ['portfolio: a run of the index is ignored', 'return accounts.mode[order.account] !== PORTFOLIO || !hasIndexRun', 'return accounts.mode[order.account] === PORTFOLIO || !hasIndexRun'],
    ['portfolio: the new order’s loss is not asked for', 'reservedOf(margin, account)\n      + orderLoss(margin, instrument, side, price, size);', 'reservedOf(margin, account);'],
  ]),
];

const PORTFOLIO: readonly Mutant[] = [
  ...of('margin/scenarios', 'margin/must-hold', [
    ['portfolio: tail rows of options weigh as much as others', '(after - before) * (grid.weight[row] / PPM)', '(after - before)'],
    ['portfolio: tail rows of perps weigh as much as others', 'grid.spot[row] * grid.weight[row];', 'grid.spot[row] * PPM;'],
    ['portfolio: open orders hedge', 'if (part >= 0 && whole >= 0) continue;\n', '\n'],
    ['portfolio: volatility shocks shrink towards expiry', 'pow(term / days,', 'pow(days / term,'],
    ['portfolio: shocks of the last day grow without end', 'Math.max(1, left / DAY)', 'left / DAY'],
    ['portfolio: the floor of an upward shock for all shocks', 'grid.scaled && shock > 0 ?', 'grid.scaled ?'],
  ]),
  ...of('margin/records', 'margin/must-hold', [
    ['portfolio: the last tail row is dropped', 'gridOf(inputs.settings, underlying).rows - 1; row >= from', 'gridOf(inputs.settings, underlying).rows - 2; row >= from'],
    ['portfolio: calls and puts net in one bucket', ' || records.cellKind[cell - 1] !== kind)) cell', ')) cell'],
    ['portfolio: an ask counts as a bid in its bucket',
      'moveCell(inputs, records, record, cell, ALL, underlying, bought - offered);', 'moveCell(inputs, records, record, cell, ALL, underlying, bought + offered);'],
    ['portfolio: the overlay falls towards expiry',
      'Math.min(values[OVERLAY_RAMP], values[OVERLAY_START] - left)', 'Math.min(values[OVERLAY_RAMP], left - values[OVERLAY_START] + values[OVERLAY_RAMP])'],
    ['portfolio: an order that leaves leaves its loss behind',
      'addOrders(scenarios, entry, count, -askWas, -1, losses, to)', 'addOrders(scenarios, entry, count, -askWas, 1, losses, to)'],
    ['portfolio: the step of venue17 a moment late', 'left > values[OVERLAY_STEP] ? 0', 'left >= values[OVERLAY_STEP] ? 0'],
  ]),
  ...of('margin/portfolio', 'margin/must-hold', [
    ['portfolio: the overlay within the maximum', 'Math.max(scanning, floor) + overlay', 'Math.max(scanning, floor + overlay)'],
    ['portfolio: floor and overlay of a new order are forgotten', 'const after = shortOf(net + moved(records, half, change));', 'const after = shortOf(net);'],
    ['portfolio: a change leaves its old short in the floor', 'short - before + after', 'short + after'],
  ]),
];

const PROTECTION: readonly Mutant[] = [
  ...of('mmp/windows', 'mmp/mmp', [
    ['mmp: the window has both its ends', 'windows.filledAt[link - 1] <= end', 'windows.filledAt[link - 1] < end'],
  ]),
  ...of('mmp/mmp', 'mmp/mmp', [
    ['mmp: the limit itself triggers', 'Math.abs(sum) > limit', 'Math.abs(sum) >= limit'],
    ['mmp: a short sum never triggers', 'Math.abs(sum) > limit', 'sum > limit'],
    ['mmp: a freeze has its end in it', 'return time < mmp.until[row];', 'return time <= mmp.until[row];'],
    ['mmp: what led to a trigger leads to the next', 'mmp.triggers[row]++;\n  clearWindow(mmp.windows, row);', 'mmp.triggers[row]++;'],
    ['mmp: frozen until a reset is not frozen at all', 'frozenTime === 0 ? UNTIL_RESET : Math', 'Math'],
  ]),
  ...of('trading/protection', 'trading/protection', [
    ['mmp: quantity is net', 'recordFill(mmp, row, time, Math.abs(size), delta, vega)', 'recordFill(mmp, row, time, size, delta, vega)'],
    ['mmp: a trigger cancels orders that opted out', '(orders.flags[slot] & FLAG_MMP_OPT_OUT) === 0 && orderIdOf(trading, slot) <= last', 'orderIdOf(trading, slot) <= last'],
    ['mmp: a trigger cancels other underlyings’ orders', 'if (instruments.underlying[holdings.instrument[holding]] !== mmp.underlying[row]) continue;\n', '\n'],
    ['mmp: a trigger cancels what came after it', 'orderIdOf(trading, slot) <= doomed.upTo[row]', 'doomed.upTo[row] !== 0'],
  ]),
  ...of('trading/fill', 'trading/protection', [
    ['mmp: a maker’s delta has the taker’s sign', 'taker.instrument, -bought, taker.time', 'taker.instrument, bought, taker.time'],
    ['mmp: a taker that triggers goes on', 'taker.stopped = DONE_MMP_SELF;\n', '\n'],
  ]),
];

const SETTLEMENT: readonly Mutant[] = [
  ...of('lifecycle/settlement-price', 'lifecycle/settlement-price', [
    ['settlement: the window begins a second early', 'Math.max(end - WINDOW + SECOND, counters', 'Math.max(end - WINDOW, counters'],
    ['settlement: half of the samples are too few', 'samples * 2 >= SAMPLES', 'samples * 2 > SAMPLES'],
    ['settlement: stale seconds are sampled', ' || isIndexStale(valuation, settings, underlying, second)) continue;', ') continue;'],
    ['settlement: seconds before the index was there are sampled', 'second < valuation.indexAt[underlying] || ', ''],
    ['settlement: a window begins with the sum of the last', 'settlement.sum.fill(0);\n', '\n'],
  ]),
  ...of('lifecycle/settlement-price', 'lifecycle/settlement', [
    ['settlement: calls and puts are swapped', 'kind[slot] === CALL ? price - strike', 'kind[slot] !== CALL ? price - strike'],
  ]),
  ...of('lifecycle/settlement', 'lifecycle/settlement', [
    ['settlement: what rounding leaves is dropped', 'settlement.rest[slot] = after;', 'settlement.rest[slot] = 0;'],
    ['settlement: a paid position stays', 'holdings.position[row] = 0;\n', '\n'],
    ['settlement: two payouts of one id', '++settlement.counters[PAYOUT_IDS]', 'settlement.counters[PAYOUT_IDS] + 1'],
    ['settlement: a fee is given, not taken', 'payHouse(ledger, accounts, account, FEES, charged);', 'payHouse(ledger, accounts, account, FEES, -charged);'],
    ['settlement: the fee on the strike’s distance, not on the price', 'instruments.kind[slot], price, each,', 'instruments.kind[slot], each, each,'],
    ['settlement: a step passes over where it stopped', 'row < end && paid < PAYOUTS_A_STEP; row++) {', 'row < end && paid <= PAYOUTS_A_STEP; row++) {'],
    ['settlement: the operator prices what still trades', 'if (instruments.status[slot] === ACTIVE) return false;\n', '\n'],
    ['settlement: the operator prices an expiry twice', ' && settlement.price[slot] === 0) waits = true;', ') waits = true;'],
    ['settlement: a price of nothing', 'price >= 1 && price <= MAX_PRICE', 'price >= 0 && price <= MAX_PRICE'],
    ['settlement: who was paid still has a position', 'accounts.positions[account]--;\n', '\n'],
  ]),
];

const FUNDING: readonly Mutant[] = [
  ...of('lifecycle/funding', 'lifecycle/funding', [
    ['funding: shorts pay longs', 'mulDivHalfUp(rate, index, 1_000_000)', 'mulDivHalfUp(-rate, index, 1_000_000)'],
    ['funding: the hour’s rate has no bound',
      'return within(Math.round(rate / HOURS_OF_RATE), values[FUNDING_HOURLY_BOUND] * OF_PPM);', 'return Math.round(rate / HOURS_OF_RATE);'],
    ['funding: the rate of eight hours each hour', 'Math.round(rate / HOURS_OF_RATE)', 'Math.round(rate)'],
    ['funding: the premium has no bound', 'return within(Math.round((above - below) / index * UNIT),', 'return Math.max(Math.round((above - below) / index * UNIT),'],
    ['funding: a missing side counts as a price of 0', 'ask > 0 ? Math.max(0, index - ask) : 0', 'Math.max(0, index - ask)'],
    ['funding: the interest replaces the premium', 'const rate = premium + within(', 'const rate = within('],
    ['funding: the price of an impact takes the whole last level', 'size + left / price', 'size + resting'],
    ['funding: due after the venue slept through an hour', ' && time < perps.hour[underlying] + HOUR', ''],
  ]),
  ...of('positions/funding', 'trading/perps', [
    ['funding: payers round down', ': mulDivCeil(position, since, PER_MICRO)', ': -mulDivCeil(-position, since, PER_MICRO)'],
    ['funding: shorts neither pay nor get', 'const position = holdings.position[row];', 'const position = Math.max(0, holdings.position[row]);'],
  ]),
  ...of('trading/funding', 'trading/perps', [
    ['funding: paid again at each touch', 'touchFunding(funding, holdings, holding);\n', '\n'],
    ['funding: what rounding leaves belongs to nobody', 'payHouse(ledger, accounts, account, ROUNDING, amount);', 'accounts.cash[account] -= amount;'],
  ]),
];

const LIQUIDATION: readonly Mutant[] = [
  ...of('lifecycle/sweep', 'liquidation/states', [
    ['liquidation: two ticks are enough', 'risk.falls[account] < values[LIQUIDATION_FALLS] ||', 'risk.falls[account] < values[LIQUIDATION_FALLS] - 1 ||'],
    ['liquidation: three seconds are not enough', '< values[LIQUIDATION_FALL_TIME]', '<= values[LIQUIDATION_FALL_TIME]'],
    ['liquidation: marks count at every sweep', 'if (!hasNewMarks(lifecycle, account, risk.countedAt[account])) return;\n', '\n'],
    ['liquidation: equity of exactly maintenance is a fall', 'if (!(equityOf(lifecycle, account) < maintenanceOf', 'if (!(equityOf(lifecycle, account) <= maintenanceOf'],
    ['liquidation: healthy again at maintenance', '>= positionInitialOf(lifecycle, account)', '>= maintenanceOf(lifecycle, account)'],
    ['liquidation: ticks go on counting over a stale index', 'if (!liquidating) risk.falls[account] = 0;\n', 'if (!liquidating) return;\n'],
    ['liquidation: a second fall waits again', 'isSecond ? time : time + values', 'time + values'],
  ]),
  ...of('lifecycle/liquidation', 'liquidation/states', [
    ['liquidation: acts on a stale index', 'if (hasStaleIndex(lifecycle, account, time) || recover(', 'if (recover('],
    ['liquidation: waits although equity is nearly gone', ' && equity >= mulDivCeil(maintenance, values[LIQUIDATION_NO_WAIT], PPM)', ''],
  ]),
  ...of('lifecycle/liquidation', 'liquidation/closing', [
    ['liquidation: what is below a lot is closed by quarters for ever', 'Math.max(values[LIQUIDATION_LOT], mulDivFloor(held, values[LIQUIDATION_PART], PPM))', 'mulDivFloor(held, values[LIQUIDATION_PART], PPM)'],
    ['liquidation: what frees least goes first', '(freed < most ||', '(freed > most ||'],
    ['liquidation: sells above the mark and buys below it', 'side === BUY ? mark + distance : mark - distance', 'side === BUY ? mark - distance : mark + distance'],
    ['liquidation: the fee may leave a debt', 'Math.min(mulDivCeil(value, settings.values[LIQUIDATION_FEE], PPM), Math.max(0, equityOf(lifecycle, account)))', 'mulDivCeil(value, settings.values[LIQUIDATION_FEE], PPM)'],
    ['liquidation: a fill is no progress', 'risk.since[account] = time;\n  takeFee', 'takeFee'],
  ]),
  ...of('lifecycle/fund', 'liquidation/takeover', [
    ['fund: pays with all it has', 'return mulDivFloor(worth, lifecycle.settings.values[FUND_PART], PPM);', 'return worth;'],
    ['fund: its positions are worth nothing to it', 'Math.max(0, equityOf(lifecycle, fund))', 'Math.max(0, lifecycle.accounts.cash[fund])'],
  ]),
  ...of('lifecycle/takeover', 'liquidation/takeover', [
    ['takeover: a short’s bids stay', 'position === 0 || sells !== position > 0 || closing > keep', 'position === 0 || closing > keep'],
    ['takeover: the cash stays', 'POSTED_TAKEOVER, accounts.cash[account])', 'POSTED_TAKEOVER, 0)'],
  ]),
  ...of('lifecycle/transfer', 'liquidation/takeover', [
    ['takeover: a perp changes hands for its value, not for its cost', 'isPerp ? profitOf(holdings, row, delta, amount) : -amount);\n  applyFill', '-amount);\n  applyFill'],
    ['takeover: open interest counts both sides', 'Math.max(0, holdings.position[row]) - Math.max(0, before)', 'Math.abs(holdings.position[row]) - Math.abs(before)'],
  ]),
  ...of('lifecycle/deleverage', 'liquidation/deleverage', [
    ['deleveraging: ties to the higher account', 'ranked[at + RANK_ACCOUNT] < account', 'ranked[at + RANK_ACCOUNT] > account'],
    ['deleveraging: the deficit on the wrong side of the mark', 'position > 0 ? least(mark + distance) : Math.max(0, mark - distance)', 'position < 0 ? least(mark + distance) : Math.max(0, mark - distance)'],
    ['deleveraging: beyond a holder’s profit', 'held > 0 ? Math.max(0, zero, entry) : Math.min(zero, entry)', 'zero'],
    ['deleveraging: the fund is asked', 'account < 0 || account === fundOf(lifecycle) || instrument', 'account < 0 || instrument'],
    ['deleveraging: who has nothing is asked', 'if (equity <= 0) return NOT_RANKED;\n', '\n'],
    ['deleveraging: profit without leverage', 'return least(mulDivFloor(gain, leverage, PPM));', 'return gain;'],
  ]),
];

const MARKS: readonly Mutant[] = [
  ...of('valuation/quotes', 'valuation/quotes', [
    ['marks: one wallet’s quote moves them', 'return hasTwoWallets(orders, slot, since, least) ? (bid + ask) / 2 : 0;', 'return (bid + ask) / 2;'],
    ['marks: a quote that has just come moves them', 'if (createdAt[order] > since) break;\n', '\n'],
  ]),
  ...of('valuation/index-price', 'valuation/index-price', [
    ['index: two outliers are a price', '< values[INDEX_CONFIRMATIONS]', '< values[INDEX_CONFIRMATIONS] - 1'],
    ['index: the median has 30 s and a moment', 'ticks.at[at] <= since', 'ticks.at[at] < since'],
  ]),
];

export const MUTANTS: readonly Mutant[] = [
  ...MATCHING, ...RULES, ...BOOKS, ...STANDARD, ...PORTFOLIO, ...PROTECTION, ...SETTLEMENT, ...FUNDING, ...LIQUIDATION, ...MARKS,
];
