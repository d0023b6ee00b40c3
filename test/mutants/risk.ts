// Faults of one line in margin, settlement, funding and liquidation, for scripts/mutants.ts.

import { of, type Mutant } from './fault.ts';

const STANDARD: readonly Mutant[] = [
  ...of('margin/standard', 'core/margin/standard', [
    ['standard: in and out of the money swapped', 'isCall ? strike - spot : spot - strike)', 'isCall ? spot - strike : strike - spot)'],
    ['standard: a short put may need less than its maintenance',
      'return isCall ? initial : Math.max(initial, contractMaintenance(inputs, instrument));', 'return initial;'],
    ['standard: a put’s maintenance on the smaller of index and mark', 'spot : Math.max(spot, mark)', 'spot : Math.min(spot, mark)'],
    ['standard: an ask that closes a long is margined as a short', 'Math.max(0, askSize - Math.max(0, position))', 'askSize'],
    ['standard: an ask of a long position that is larger than it frees margin',
      'Math.max(0, askSize - Math.max(0, position))', 'askSize - Math.max(0, position)'],
    ['standard: an order better than mark is credited', '(worse <= 0 ? 0 : mulDivCeilWide(worse, size, CONTRACT))',
      '(worse <= 0 ? -mulDivCeil(-worse, size, CONTRACT) : mulDivCeilWide(worse, size, CONTRACT))'],
    ['standard: each bid closes the whole short', 'closable -= closing;\n    const whole', 'const whole'],
  ]),
  ...of('margin/standard', 'core/margin/order-check', [
    ['standard: a bid that closes a short is credited beyond its own premium',
      'premium : Math.max(0, premium - mulDivFloor(inputs.valuation.mark[instrument], closing, CONTRACT))',
      'premium : premium - mulDivFloor(inputs.valuation.mark[instrument], closing, CONTRACT)'],
    ['perps: only open bids count', 'Math.abs(position + bidSize), Math.abs(position - askSize));', 'Math.abs(position + bidSize));'],
    ['perps: profit leaves out pending funding', ' - pendingFunding(inputs.funding, holdings, holding);', ';'],
    ['standard: long options are collateral', 'return isPerp ? 0 : Math.max(0, value);', 'return 0;'],
  ]),
  ...of('margin/account-margin', 'core/trading/amend', [
    ['margin: a reserve beyond exact sums is taken off as if it were exact',
      '  if (!(cache.parts[row] <= Number.MAX_SAFE_INTEGER)) cache.filledAt[account] = 0;\n', ''],
  ]),
  ...of('margin/account-margin', 'core/margin/order-check', [
    ['maintenance: open orders count in it',
      'return maintenancePart(margin, positionInitialOf(margin, account));', 'return maintenancePart(margin, initialOf(margin, account));'],
    ['settings: earlier rates stay in force', 'cache.ratedAt.fill(0);\n', '\n'],
  ]),
  ...of('margin/standard', 'core/margin/order-check', [
    ['portfolio: a long counts in whole while its surface is stale',
      'counted <= 0 || !isSurfaceStale(valuation, instrument)', 'counted <= 0'],
  ]),
  ...of('margin/standard', 'e2e/redteam/marks', [
    ['portfolio: a mark beyond theo is collateral', 'const counted = value - quoted;', 'const counted = value;'],
  ]),
  ...of('margin/standard', 'e2e/redteam/basis', [
    ['portfolio: a perp’s mark beyond the index is collateral', 'if (isPerp) return quoted;', 'if (isPerp) return 0;'],
  ]),
  ...of('margin/order-check', 'e2e/redteam/closing', [
    ['closing: equity is judged at the mark instead of at theo',
      'equityOf(margin, account), equityAtTheo(margin, account), rate',
      'equityOf(margin, account), equityOf(margin, account), rate'],
  ]),
  ...of('margin/order-check', ['core/engine/orders', 'core/margin/order-check'], [
    ['closing: the exemption leaves out the fee',
      '(side === BUY ? amount : -amount) + orderFee(margin, instrument, price, size);', '(side === BUY ? amount : -amount);'],
    ['closing: an order is exempt although other orders close the same position',
      'size + open > -position : size + open > position', 'size > -position : size > position'],
    ['closing: an order is exempt although it loses more than the equity',
      'return gain + freedByFill(margin, order, after) >= 0;', 'return true;'],
    ['closing: an order is exempt at any price',
      'if (side === BUY ? price > mark + distance : price < mark - distance) return false;\n', '\n'],
  ]),
  ...of('margin/standard', 'reference/reference', [
    ['standard: what a bid frees of a short is rounded up',
      'premium - mulDivFloor(inputs.valuation.mark[instrument]', 'premium - mulDivCeil(inputs.valuation.mark[instrument]'],
  ]),
  ...of('margin/order-check', 'reference/reference', [
    ['tier1: the text of the refusal leaves open asks out', 'numbers[1] = total;', 'numbers[1] = size;'],
  ]),
  ...of('margin/order-check', 'core/margin/order-check', [
    ['margin mode: reserves of open orders need not fit',
      'const required = initialIn(margin, account, mode) + reservedOf(margin, account);',
      'const required = initialIn(margin, account, mode);'],
    ['portfolio: an index move since the marks is ignored', 'return accounts.mode[order.account] !== PORTFOLIO || !hasIndexMoved',
      'return accounts.mode[order.account] === PORTFOLIO || !hasIndexMoved'],
    ['portfolio: the new order’s loss is not required',
      'reservedOf(margin, account)\n      + orderLoss(margin, instrument, side, price, size);', 'reservedOf(margin, account);'],
  ]),
];

const PORTFOLIO: readonly Mutant[] = [
  ...of('margin/scenarios', 'core/margin/portfolio', [
    ['portfolio: tail rows of options weigh as much as others', '(after - before) * (grid.weight[row] / PPM)', '(after - before)'],
    ['portfolio: tail rows of perps weigh as much as others', 'grid.spot[row] * grid.weight[row];', 'grid.spot[row] * PPM;'],
    ['portfolio: open orders hedge', 'if (part >= 0 && whole >= 0) continue;\n', '\n'],
    ['portfolio: volatility shocks shrink towards expiry', 'pow(term / days,', 'pow(days / term,'],
    ['portfolio: shocks of the last day grow without end', 'Math.max(1, left / DAY)', 'left / DAY'],
    ['portfolio: the floor of an upward shock for all shocks', 'grid.scaled && shock > 0 ?', 'grid.scaled ?'],
  ]),
  ...of('margin/portfolio-sums', 'core/margin/exact-value', [
    ['portfolio: sums of an overlay beyond the exact range are gone on with', ' && totals[at + OVERLAY + ALL] <= EXACT', ''],
  ]),
  ...of('margin/portfolio-sums', 'core/margin/portfolio', [
    ['portfolio: the last tail row is dropped',
      'gridOf(inputs.settings, underlying).rows - 1; row >= from', 'gridOf(inputs.settings, underlying).rows - 2; row >= from'],
    ['portfolio: calls and puts net in one bucket', ' || bucketKind[bucket - 1] !== kind)) bucket', ')) bucket'],
    ['portfolio: an ask counts as a bid in its bucket',
      'moveBucket(inputs, portfolios, portfolio, bucket, ALL, underlying, bought - offered);',
      'moveBucket(inputs, portfolios, portfolio, bucket, ALL, underlying, bought + offered);'],
    ['portfolio: the overlay falls towards expiry', 'Math.min(values[OVERLAY_RAMP], values[OVERLAY_START] - left)',
      'Math.min(values[OVERLAY_RAMP], left - values[OVERLAY_START] + values[OVERLAY_RAMP])'],
    ['portfolio: a removed order leaves its loss in the sums',
      'addOrders(scenarios, entry, count, -askWas, -1, losses, to)', 'addOrders(scenarios, entry, count, -askWas, 1, losses, to)'],
  ]),
  ...of('margin/portfolio-requirement', 'core/margin/portfolio', [
    ['portfolio: the overlay within the maximum', 'Math.max(scanning, floor) + overlay', 'Math.max(scanning, floor + overlay)'],
    ['portfolio: floor and overlay of a new order are forgotten',
      'const after = shortOf(net + moved(portfolios, half, change));', 'const after = shortOf(net);'],
    ['portfolio: a change leaves its old short in the floor', 'short - before + after', 'short + after'],
  ]),
];

const SETTLEMENT: readonly Mutant[] = [
  ...of('lifecycle/settlement-price', 'core/lifecycle/settlement-price', [
    ['settlement: the window begins a second early',
      'Math.max(end - SETTLEMENT_WINDOW + SECOND, counters', 'Math.max(end - SETTLEMENT_WINDOW, counters'],
    ['settlement: half of the samples are too few', 'samples * 2 >= SAMPLES', 'samples * 2 > SAMPLES'],
    ['settlement: stale seconds are sampled', ' || isIndexStale(valuation, settings, underlying, second)) continue;', ') continue;'],
    ['settlement: seconds before the index was there are sampled', 'second < valuation.indexAt[underlying] || ', ''],
    ['settlement: a window begins with the sum of the last', 'settlement.sum.fill(0);\n', '\n'],
  ]),
  ...of('lifecycle/settlement-price', 'core/lifecycle/settlement', [
    ['settlement: calls and puts are swapped', 'kind[slot] === CALL ? price - strike', 'kind[slot] !== CALL ? price - strike'],
  ]),
  ...of('registry/payouts', 'core/lifecycle/settlement', [
    ['settlement: two payouts get one id', 'return ++counters[IDS];', 'return counters[IDS] + 1;'],
  ]),
  ...of('lifecycle/settlement', 'core/lifecycle/settlement', [
    ['settlement: rounding remainders are dropped', 'settlement.rest[slot] = after;', 'settlement.rest[slot] = 0;'],
    ['settlement: a paid position is not closed', 'holdings.position[row] = 0;\n', '\n'],
    ['settlement: the fee is credited instead of charged',
      'payHouse(ledger, accounts, account, FEES, charged);', 'payHouse(ledger, accounts, account, FEES, -charged);'],
    ['settlement: the fee on the strike’s distance, not on the price',
      'instruments.kind[slot], price, each,', 'instruments.kind[slot], each, each,'],
    ['settlement: a step skips the holding where the last one stopped',
      'row < end && paid < PAYOUTS_A_STEP; row++) {', 'row < end && paid <= PAYOUTS_A_STEP; row++) {'],
    ['settlement: the operator sets the price of an expiry that still trades',
      'if (instruments.status[slot] === ACTIVE) return false;\n', '\n'],
    ['settlement: the operator sets the price of an expiry twice', ' && settlement.price[slot] === 0) waits = true;', ') waits = true;'],
    ['settlement: a price of 0 is accepted', 'price >= 1 && price <= MAX_PRICE', 'price >= 0 && price <= MAX_PRICE'],
    ['settlement: a paid account still counts as holding a position', 'accounts.positions[account]--;\n', '\n'],
  ]),
];

const FUNDING: readonly Mutant[] = [
  ...of('lifecycle/funding-rate', 'core/lifecycle/funding-rate', [
    ['funding: shorts pay longs', 'mulDivHalfUp(rate, index, 1_000_000)', 'mulDivHalfUp(-rate, index, 1_000_000)'],
    ['funding: the hour’s rate has no bound', 'return within(Math.round(rate / HOURS_OF_RATE), values[FUNDING_HOURLY_BOUND] * OF_PPM);',
      'return Math.round(rate / HOURS_OF_RATE);'],
    ['funding: the rate of eight hours each hour', 'Math.round(rate / HOURS_OF_RATE)', 'Math.round(rate)'],
    ['funding: the first user of a perp chooses the moment of a sample', '!isBetween && ', ''],
    ['funding: the premium has no bound',
      'return within(Math.round((above - below) / index * UNIT),', 'return Math.max(Math.round((above - below) / index * UNIT),'],
    ['funding: a missing side counts as a price of 0', 'ask > 0 ? Math.max(0, index - ask) : 0', 'Math.max(0, index - ask)'],
    ['funding: the interest replaces the premium', 'const rate = premium + within(', 'const rate = within('],
    ['funding: the impact price counts the whole last level',
      'left / price);\n    left -=', 'resting);\n    left -='],
    ['funding: a side that holds just the notional cannot fill it',
      'if (price * resting >= left)', 'if (price * resting > left)'],
    ['funding: an hour that the venue missed is charged', ' && time < perps.hour[underlying] + HOUR', ''],
  ]),
  ...of('positions/funding', 'core/trading/perps', [
    ['funding: payers round down', ': mulDivCeil(position, since, PER_MICRO)', ': -mulDivCeil(-position, since, PER_MICRO)'],
    ['funding: shorts neither pay nor get',
      'const position = holdings.position[row];', 'const position = Math.max(0, holdings.position[row]);'],
  ]),
  ...of('trading/funding', 'core/trading/perps', [
    ['funding: paid again at each touch', 'touchFunding(funding, holdings, holding);\n', '\n'],
    ['funding: rounding remainders are lost',
      'payHouse(ledger, accounts, account, ROUNDING, amount);', 'accounts.cash[account] -= amount;'],
  ]),
];

const LIQUIDATION: readonly Mutant[] = [
  ...of('lifecycle/sweep', 'core/liquidation/states', [
    ['liquidation: two ticks are enough',
      'risk.falls[account] < values[LIQUIDATION_FALLS] ||', 'risk.falls[account] < values[LIQUIDATION_FALLS] - 1 ||'],
    ['liquidation: three seconds are not enough', '< values[LIQUIDATION_FALL_TIME]', '<= values[LIQUIDATION_FALL_TIME]'],
    ['liquidation: marks count at every sweep', 'if (!hasNewMarks(lifecycle, account, risk.countedAt[account])) return false;\n', '\n'],
    ['liquidation: equity of exactly maintenance is a fall',
      'return !(equityAtTheo(lifecycle, account) < maintenanceOf', 'return !(equityAtTheo(lifecycle, account) <= maintenanceOf'],
    ['liquidation: an account has recovered at maintenance instead of initial margin',
      '>= positionInitialOf(lifecycle, account)', '>= maintenanceOf(lifecycle, account)'],
    ['liquidation: ticks go on counting over a stale index', 'risk.falls[account] = 0;\n    restartCalm(', 'restartCalm('],
    ['liquidation: a second fall waits again', 'isSecond ? time : time + values', 'time + values'],
  ]),
  ...of('lifecycle/sweep', 'core/liquidation/crowd', [
    ['liquidation: an account without room in the queue waits for the next sweep', ' && hasWorkRoom(work); account++', '; account++'],
  ]),
  ...of('lifecycle/insurance-fund', 'core/liquidation/crowd', [
    ['fund: wallets take the last free account row', '(fundOf(lifecycle) < 0 ? 1 : 0)', '0'],
  ]),
  ...of('lifecycle/sweep', 'e2e/redteam/liquidation', [
    ['liquidation: a fall is judged at marks instead of at theo', 'import { equityAtTheo, ', 'import { equityOf as equityAtTheo, '],
  ]),
  ...of('lifecycle/liquidation', 'e2e/redteam/liquidation', [
    ['liquidation: an order loses more than there is', 'left > 0 ? mulDivFloor(clampSafe(left), CONTRACT, size) : 0;', 'Infinity;'],
    ['fund: closes at a mark that is worse than theo', '!isFund && left > 0 ? mulDivFloor', 'isFund ? 1e12 : left > 0 ? mulDivFloor'],
    ['liquidation: a pushed mark is what an order loses from',
      'Math.max(mark - distance, theo - most) : Math.min(mark + distance, theo + most)',
      'Math.max(mark - distance, mark - most) : Math.min(mark + distance, mark + most)'],
    ['liquidation: the depth of a fall is judged at marks', 'import { equityAtTheo, ', 'import { equityOf as equityAtTheo, '],
  ]),
  ...of('margin/account-margin', 'e2e/redteam/liquidation', [
    ['margin: equity at theo is that at mark', 'margin.cache.sums[account * SUMS + QUOTED]);', '0);'],
    ['margin: the part of equity made by quotes stays after the position is closed',
      'quoted - parts[row + QUOTED];', 'quoted;'],
  ]),
  ...of('lifecycle/liquidation', 'core/liquidation/states', [
    ['liquidation: closes on a stale index',
      'if (isIndexStale(valuation, settings, instruments.underlying[instrument], time)) return false;\n', '\n'],
    ['liquidation: the fund takes over at a stale index', 'if (isLost && !cannotBeTakenOver(lifecycle, account, time))', 'if (isLost)'],
    ['liquidation: waits although equity is nearly gone',
      ' && equity >= mulDivCeilWide(maintenance, values[LIQUIDATION_NO_WAIT], PPM)', ''],
  ]),
  ...of('lifecycle/sweep', 'core/liquidation/pause', [
    ['liquidation: time with a stale index is time without progress', ' === IN_LIQUIDATION && !isStale)', ' === IN_LIQUIDATION)'],
    ['liquidation: the time without progress begins anew at every pause',
      'else risk.calm[account]++;', 'else risk.calm[account]++;\n    risk.stalled[account] = 0;'],
    ['liquidation: a pause of any length takes a new fall', '>= values[LIQUIDATION_RESET]', '>= 0'],
    ['liquidation: a pause of 60 s resets nothing', 'if (isCalmLong(lifecycle, account)) risk.stalled', 'if (time < 0) risk.stalled'],
    ['liquidation: after 60 s in a row it goes on at the first tick',
      'if (isCalmLong(lifecycle, account) && !countFall(lifecycle, account, time)) return;\n', '\n'],
    ['liquidation: seconds above maintenance add up over those below it',
      '  risk.calm[account] = 0;\n  // Without prices', '  // Without prices'],
    ['liquidation: a pause counts while an index is stale',
      'if (!isCalmLong(lifecycle, account)) lifecycle.risk.calm[account] = 0;', ''],
    ['liquidation: orders that a deleveraging left opening something stay',
      'if (hasOpeningOrders(lifecycle, account)) pushWork(work, LIQUIDATE, account, 0);\n', '\n'],
    ['liquidation: an account that pauses makes work each second',
      'if (hasOpeningOrders(lifecycle, account)) pushWork', 'pushWork'],
    ['liquidation: a second without progress counts twice', 'risk.stalled[account] += settings', 'risk.stalled[account] += 2 * settings'],
  ]),
  ...of('lifecycle/liquidation', 'core/liquidation/pause', [
    ['liquidation: an account at or above maintenance is closed and taken over',
      'if (hasMaintenance(lifecycle, account)) {', 'if (time < 0) {'],
  ]),
  ...of('lifecycle/liquidation', 'core/liquidation/closing', [
    ['liquidation: a position below one lot is closed by quarters for ever',
      'Math.max(values[LIQUIDATION_LOT], mulDivFloor(held, values[LIQUIDATION_PART], PPM))',
      'mulDivFloor(held, values[LIQUIDATION_PART], PPM)'],
    ['liquidation: the position that frees least margin is closed first', '(freed < most ||', '(freed > most ||'],
    ['liquidation: an order’s fee may exceed the equity left',
      ' - orderFee(lifecycle, instrument, mark + distance, size);', ';'],
    ['liquidation: sells above the mark and buys below it',
      'Math.max(mark - distance, theo - most) : Math.min(mark + distance, theo + most)',
      'Math.max(mark + distance, theo - most) : Math.min(mark - distance, theo + most)'],
    ['liquidation: the fee may leave a debt',
      'Math.min(mulDivCeil(value, settings.values[LIQUIDATION_FEE], PPM), Math.max(0, equityAtTheo(lifecycle, account)))',
      'mulDivCeil(value, settings.values[LIQUIDATION_FEE], PPM)'],
    ['liquidation: a fill is no progress', 'noteProgress(lifecycle, account, before);\n', '\n'],
  ]),
  ...of('lifecycle/liquidation', 'e2e/redteam/pause', [
    ['liquidation: a tiny trade counts as progress',
      '  if (risk.freed[account] * PROGRESS_DIVISOR < after + risk.freed[account]) return;\n', '\n'],
    ['liquidation: margin freed by several orders is not added up',
      'risk.freed[account] += before - after;', 'risk.freed[account] = before - after;'],
  ]),
  ...of('lifecycle/insurance-fund', 'core/liquidation/takeover', [
    ['fund: pays with its whole balance', 'return mulDivFloor(worth, lifecycle.settings.values[FUND_PART], PPM);', 'return worth;'],
    ['fund: its positions are worth nothing to it',
      'Math.max(0, equityAtTheo(lifecycle, fund))', 'Math.max(0, lifecycle.accounts.cash[fund])'],
  ]),
  ...of('lifecycle/takeover', 'core/liquidation/takeover', [
    ['takeover: the cash stays', 'POSTED_TAKEOVER, amount: accounts.cash[account]', 'POSTED_TAKEOVER, amount: 0'],
  ]),
  ...of('lifecycle/takeover', 'e2e/redteam/liquidation', [
    ['takeover: the fund pays a deficit that marks make', 'import { equityAtTheo, ', 'import { equityOf as equityAtTheo, '],
    ['takeover: positions move at mark instead of at theo',
      'f[OVER_PRICE] = valuation.theo[instrument];', 'f[OVER_PRICE] = valuation.mark[instrument];'],
  ]),
  ...of('lifecycle/takeover', 'core/liquidation/large-amounts', [
    ['takeover: the fund’s own position is left out of the range check',
      '    if (!canMove(lifecycle, fund, ', '    if (link < 0 && !canMove(lifecycle, fund, '],
  ]),
  ...of('lifecycle/takeover', 'core/liquidation/states', [
    ['liquidation: opening orders are not cancelled',
      'position === 0 || sells !== position > 0 || closing > keep', 'position === 0 || closing > keep'],
  ]),
  ...of('lifecycle/transfer', 'core/liquidation/takeover', [
    ['takeover: a perp changes hands for its value, not for its cost',
      'realize(accounts, account, cashOfMove(lifecycle, instrument, amount, profit));', 'realize(accounts, account, -amount);'],
    ['takeover: open interest counts both sides',
      'Math.max(0, holdings.position[row]) - Math.max(0, before)', 'Math.abs(holdings.position[row]) - Math.abs(before)'],
  ]),
  ...of('lifecycle/deleverage', 'core/liquidation/deleverage', [
    ['deleveraging: ties to the higher account', 'ranked[at + RANK_ACCOUNT] < account', 'ranked[at + RANK_ACCOUNT] > account'],
    ['deleveraging: the deficit on the wrong side of theo',
      'position > 0 ? clampSafe(theo + distance) : Math.max(0, theo - distance)',
      'position < 0 ? clampSafe(theo + distance) : Math.max(0, theo - distance)'],
    ['deleveraging: priced from the mark', 'const theo = valuation.theo[holdings', 'const theo = valuation.mark[holdings'],
    ['deleveraging: profit is judged at marks',
      'const theo = valuation.theo[instrument];', 'const theo = valuation.mark[instrument];'],
    ['deleveraging: the deficit is judged at marks', 'import { equityAtTheo, ', 'import { equityOf as equityAtTheo, '],
    ['deleveraging: beyond a holder’s entry price', 'held > 0 ? Math.max(0, zero, worst) : Math.min(zero, worst)', 'zero'],
    ['deleveraging: beyond a holder’s profit', 'Math.max(entry, fair - bearable) : Math.min(entry, fair + bearable)',
      'fair - bearable : fair + bearable'],
    ['deleveraging: beyond a holder’s equity', 'Math.max(entry, fair - bearable) : Math.min(entry, fair + bearable)', 'entry : entry'],
    ['deleveraging: the fund is ranked', 'account < 0 || account === fundOf(lifecycle) || instrument', 'account < 0 || instrument'],
    ['deleveraging: a holder without equity is ranked', 'if (equity <= 0) return NOT_RANKED;\n', '\n'],
    ['deleveraging: profit without leverage', 'return clampSafe(mulDivFloor(gain, leverage, PPM));', 'return gain;'],
    ['deleveraging: the amount of a sale is rounded down', 'held > 0 ? mulDivCeil(price, size', 'held > 0 ? mulDivFloor(price, size'],
  ]),
  ...of('margin/account-margin', 'core/margin/exact-value', [
    ['margin: sums that come back into the exact range after they left it', ' && isSafe(net - sums[at + QUOTED]);', ';'],
    ['margin: NaN counts as 0', 'const loss = value > 0 ? 0 : value;', 'const loss = value < 0 ? value : 0;'],
  ]),
  ...of('margin/order-check', 'core/margin/exact-value', [
    ['closing: an order of a position beyond the exact range is never exempt',
      'isSafe(gain) ? gain : exactValueChange(', 'gain ?? exactValueChange('],
  ]),
  ...of('math/exact', 'core/margin/exact-value', [
    ['margin: a requirement beyond the exact range is infinite', 'exact < Infinity ? exact : Math.ceil(a * b / divisor)', 'exact'],
  ]),
  ...of('lifecycle/deleverage', 'core/liquidation/large-amounts', [
    ['deleveraging: ranks beyond the exact range are cut', 'mulDivFloorWide(equity, CONTRACT, size)',
      'mulDivFloor(clampSafe(equity), CONTRACT, size)'],
  ]),
  ...of('lifecycle/takeover', 'core/liquidation/large-amounts', [
    ['fund: pays each second for what it cannot take over', ' && hasRoom(lifecycle, account, fund)', ''],
  ]),
  ...of('lifecycle/work-steps', 'core/lifecycle/turns', [
    ['marks: other work finds half of a vintage', ' || isRevaluing(lifecycle)', ''],
  ]),
  ...of('sequencer/sequencer', 'core/lifecycle/turns', [['ticks: two in a row while work waits',
  ' && !(isBusy && sequencer.ticked);', ';']]),
];

export const RISK: readonly Mutant[] = [...STANDARD, ...PORTFOLIO, ...SETTLEMENT, ...FUNDING, ...LIQUIDATION];
