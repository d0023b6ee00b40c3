// Auto-deleveraging: opposite holders in profit cover the part of a deficit that the insurance fund may not pay: largest requirement first,
// at theo plus the position's share of the deficit, but never beyond a holder's entry price or zero equity. The fund takes what remains.
//   rank = floor(floor(profit * 1e6 / requirement) * floor(value * 1e6 / equity) / 1e6), at theo, ties to the lower account number
// Factors and rank are at most 2^53 - 1, the requirement at least 1. Holders without profit or equity, and the fund, have no rank. Source:
// MARGIN.md, "Liquidation".

import { assert } from '../assert.ts';
import { DONE_LIQUIDATION } from '../errors.ts';
import { BUY, CONTRACT, SELL } from '../units.ts';
import { touchPosition } from '../account-streams.ts';
import { PERP } from '../codec/commands.ts';
import { PPM } from '../settings.ts';
import { clampSafe, mulDivCeil, mulDivFloor, mulDivFloorWide, mulDivCeilWide } from '../math/exact.ts';
import { ACCOUNT, DELEVERAGED, DELEVERAGED_AGAINST, DELEVERAGED_AGAINST_AMOUNT, DELEVERAGED_AGAINST_CASH, DELEVERAGED_AGAINST_FILL_ID,
  DELEVERAGED_AGAINST_POSITION, DELEVERAGED_AGAINST_REALIZED, DELEVERAGED_AMOUNT, DELEVERAGED_CASH, DELEVERAGED_FILL_ID,
  DELEVERAGED_INSTRUMENT,
  DELEVERAGED_POSITION, DELEVERAGED_PRICE, DELEVERAGED_REALIZED, DELEVERAGED_SIDE, DELEVERAGED_SIZE, DELEVERAGED_SLOTS,
  emit } from '../codec/events.ts';
import { findHolding, holdingRows } from '../positions/holdings.ts';
import { PORTFOLIO } from '../accounts/accounts.ts';
import { orderSide } from '../book/pool.ts';
import { FILL_IDS, olderOrder } from '../orders/orders.ts';
import { valueAtTheo } from '../margin/standard.ts';
import { equityAtTheo, freshen } from '../margin/account-margin.ts';
import { standaloneInitial } from '../margin/freed.ts';
import { removeOpenOrder } from '../trading/remove-order.ts';
import { TIER1 } from '../tiers.ts';
import type { Lifecycle } from './lifecycle.ts';
import { fundOf } from './insurance-fund.ts';
import { DEAL_COUNT, DEAL_CURSOR, DEAL_INSTRUMENT, DEAL_IS_RANKED, DEAL_NEXT, DEAL_PRICE, MARGIN_A_STEP, PASS, RANK, RANK_ACCOUNT,
  RANK_NUMBERS, RANK_ROW, RANKED, ROWS_A_STEP, type Risk } from './liquidation-state.ts';
import { canMove, cashOfMove, moveRow } from './transfer.ts';

const NOT_RANKED = -1;

export function deleverageStep(lifecycle: Lifecycle, account: number, time: number): boolean {
  const { holdings, risk } = lifecycle;
  const { deal } = risk;
  freshen(lifecycle, account);
  if (deal[DEAL_INSTRUMENT] === 0 && !choosePosition(lifecycle, account)) return true;
  const row = findHolding(holdings, account, deal[DEAL_INSTRUMENT] - 1);
  if (row < 0 || holdings.position[row] === 0) deal.fill(0);
  else if (deal[DEAL_IS_RANKED] === 0) rankSome(lifecycle, row);
  else if (deal[DEAL_NEXT] < deal[DEAL_COUNT]) closeNext(lifecycle, row, time);
  else if (deal[DEAL_COUNT] === RANKED) rankAgain(risk);
  else giveUp(risk, row);
  return false;
}

function rankAgain({ deal }: Risk): void {
  deal[DEAL_CURSOR] = deal[DEAL_IS_RANKED] = deal[DEAL_COUNT] = deal[DEAL_NEXT] = 0;
}

function giveUp(risk: Risk, row: number): void {
  risk.tried[row] = risk.counters[PASS];
  risk.deal.fill(0);
}

function closeNext(lifecycle: Lifecycle, row: number, time: number): void {
  const { holdings, risk } = lifecycle;
  assert(risk.deal[DEAL_NEXT] < risk.deal[DEAL_COUNT] && risk.deal[DEAL_COUNT] <= RANKED, 'deleverage: the next is one of the ranked');
  const at = risk.deal[DEAL_NEXT]++ * RANK_NUMBERS;
  const other = risk.ranked[at + RANK_ROW];
  if (holdings.account[other] !== risk.ranked[at + RANK_ACCOUNT] || rankOf(lifecycle, row, other) === NOT_RANKED) return;
  if (!closeAgainst(lifecycle, row, other, time)) giveUp(risk, row);
}

function choosePosition(lifecycle: Lifecycle, account: number): boolean {
  const { accounts, holdings, risk, valuation } = lifecycle;
  const deficit = -equityAtTheo(lifecycle, account);
  if (deficit <= 0) return false;
  let best = -1;
  let most = 0;
  let total = 0;
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    const row = link - 1;
    if (holdings.position[row] === 0 || risk.tried[row] === risk.counters[PASS]) continue;
    const requirement = requirementAlone(lifecycle, account, row);
    total += requirement;
    if (requirement < most || requirement === 0) continue;
    if (requirement === most && holdings.instrument[row] > holdings.instrument[best]) continue;
    best = row;
    most = requirement;
  }
  if (best < 0) return false;
  const position = holdings.position[best];
  const theo = valuation.theo[holdings.instrument[best]];
  const distance = clampSafe(mulDivCeilWide(mulDivCeilWide(deficit, most, total), CONTRACT, Math.abs(position)));
  risk.deal.fill(0);
  risk.deal[DEAL_INSTRUMENT] = holdings.instrument[best] + 1;
  risk.deal[DEAL_PRICE] = position > 0 ? clampSafe(theo + distance) : Math.max(0, theo - distance);
  return true;
}

/** A long option in standard mode has no requirement and is not collateral, so its whole value counts. */
function requirementAlone(lifecycle: Lifecycle, account: number, row: number): number {
  const { accounts, holdings, instruments } = lifecycle;
  const instrument = holdings.instrument[row];
  const position = holdings.position[row];
  const isLongOption = position > 0 && instruments.kind[instrument] !== PERP;
  if (isLongOption && accounts.mode[account] !== PORTFOLIO) return clampSafe(valueAtTheo(lifecycle, instrument, position));
  return standaloneInitial(lifecycle, account, instrument, position);
}

function rankSome(lifecycle: Lifecycle, row: number): void {
  const { accounts, holdings, risk } = lifecycle;
  const { deal } = risk;
  const instrument = holdings.instrument[row];
  const rows = holdingRows(holdings);
  const end = Math.min(rows, deal[DEAL_CURSOR] + ROWS_A_STEP);
  let other = deal[DEAL_CURSOR];
  assert(other <= end, 'deleverage: a scan continues where it ended');
  for (let cost = 0; other < end && cost < MARGIN_A_STEP; other++) {
    const account = holdings.account[other];
    if (account < 0 || holdings.instrument[other] !== instrument) continue;
    cost += 1 + accounts.positions[account] + accounts.openOrders[account];
    const rank = rankOf(lifecycle, row, other);
    if (rank !== NOT_RANKED) addRanked(risk, rank, other, account);
  }
  deal[DEAL_CURSOR] = other;
  if (other >= rows) deal[DEAL_IS_RANKED] = 1;
}

function addRanked({ deal, ranked }: Risk, rank: number, row: number, account: number): void {
  let place = deal[DEAL_COUNT];
  if (place < RANKED) deal[DEAL_COUNT]++;
  else if (isBefore(ranked, place - 1, rank, account)) return;
  else place--;
  for (; place > 0 && !isBefore(ranked, place - 1, rank, account); place--) {
    ranked.copyWithin(place * RANK_NUMBERS, (place - 1) * RANK_NUMBERS, place * RANK_NUMBERS);
  }
  ranked[place * RANK_NUMBERS + RANK] = rank;
  ranked[place * RANK_NUMBERS + RANK_ROW] = row;
  ranked[place * RANK_NUMBERS + RANK_ACCOUNT] = account;
}

function isBefore(ranked: Float64Array, place: number, rank: number, account: number): boolean {
  const at = place * RANK_NUMBERS;
  return ranked[at + RANK] > rank || (ranked[at + RANK] === rank && ranked[at + RANK_ACCOUNT] < account);
}

function rankOf(lifecycle: Lifecycle, row: number, other: number): number {
  const { holdings, valuation } = lifecycle;
  const account = holdings.account[other];
  const instrument = holdings.instrument[other];
  const position = holdings.position[other];
  if (account < 0 || account === fundOf(lifecycle) || instrument !== holdings.instrument[row]) return NOT_RANKED;
  if (position === 0 || position > 0 === holdings.position[row] > 0) return NOT_RANKED;
  const entry = entryPrice(holdings.cost[other], position);
  const theo = valuation.theo[instrument];
  if (position > 0 ? entry >= theo : entry <= theo) return NOT_RANKED;
  freshen(lifecycle, account);
  const equity = equityAtTheo(lifecycle, account);
  if (equity <= 0) return NOT_RANKED;
  const value = clampSafe(valueAtTheo(lifecycle, instrument, position));
  const profit = clampSafe(Math.max(0, value - holdings.cost[other]));
  const gain = clampSafe(mulDivFloor(profit, PPM, Math.max(1, clampSafe(requirementAlone(lifecycle, account, other)))));
  const leverage = clampSafe(mulDivFloor(Math.abs(value), PPM, clampSafe(equity)));
  return clampSafe(mulDivFloor(gain, leverage, PPM));
}

/** Rounds in the holder's favour. */
function entryPrice(cost: number, position: number): number {
  return position > 0 ? mulDivCeil(cost, CONTRACT, position) : mulDivFloor(-cost, CONTRACT, -position);
}

function worstPrice(lifecycle: Lifecycle, row: number, size: number): number {
  const { holdings, valuation } = lifecycle;
  const account = holdings.account[row];
  const entry = entryPrice(holdings.cost[row], holdings.position[row]);
  freshen(lifecycle, account);
  const equity = equityAtTheo(lifecycle, account);
  const bearable = equity > 0 ? mulDivFloorWide(equity, CONTRACT, size) : 0;
  const fair = valuation.theo[holdings.instrument[row]];
  return holdings.position[row] > 0 ? Math.max(entry, fair - bearable) : Math.min(entry, fair + bearable);
}

function closeAgainst(lifecycle: Lifecycle, row: number, other: number, time: number): boolean {
  const { accounts, events, holdings, orders, risk, streams } = lifecycle;
  const account = holdings.account[row];
  const against = holdings.account[other];
  const instrument = holdings.instrument[row];
  const position = holdings.position[row];
  const held = holdings.position[other];
  const size = Math.min(Math.abs(position), Math.abs(held));
  const worst = worstPrice(lifecycle, other, size);
  const zero = risk.deal[DEAL_PRICE];
  const price = held > 0 ? Math.max(0, zero, worst) : Math.min(zero, worst);
  const amount = held > 0 ? mulDivCeil(price, size, CONTRACT) : -mulDivFloor(price, size, CONTRACT);
  const delta = held > 0 ? size : -size;
  assert(account !== against && position > 0 !== held > 0, 'deleverage: the two hold opposite sides');
  assert(size > 0 && price >= 0, 'deleverage: a deal has a size, and a price that is not negative');
  if (!canMove(lifecycle, account, row, instrument, delta, amount)) return false;
  if (!canMove(lifecycle, against, other, instrument, -delta, -amount)) return false;
  const realized = moveRow(lifecycle, row, delta, amount, time);
  const againstRealized = moveRow(lifecycle, other, -delta, -amount, time);
  if (accounts.tier[against] === TIER1 && holdings.account[other] === against) keepLongOnly(lifecycle, other);
  const f = events.slots;
  f[ACCOUNT] = account;
  f[DELEVERAGED_INSTRUMENT] = instrument;
  f[DELEVERAGED_AGAINST] = against;
  f[DELEVERAGED_SIZE] = size;
  f[DELEVERAGED_PRICE] = price;
  f[DELEVERAGED_CASH] = accounts.cash[account];
  f[DELEVERAGED_AGAINST_CASH] = accounts.cash[against];
  f[DELEVERAGED_POSITION] = position + delta;
  f[DELEVERAGED_AGAINST_POSITION] = held - delta;
  f[DELEVERAGED_FILL_ID] = ++orders.counters[FILL_IDS];
  f[DELEVERAGED_AGAINST_FILL_ID] = ++orders.counters[FILL_IDS];
  f[DELEVERAGED_REALIZED] = realized;
  f[DELEVERAGED_AGAINST_REALIZED] = againstRealized;
  f[DELEVERAGED_SIDE] = delta > 0 ? BUY : SELL;
  f[DELEVERAGED_AMOUNT] = cashOfMove(lifecycle, instrument, amount, realized);
  f[DELEVERAGED_AGAINST_AMOUNT] = cashOfMove(lifecycle, instrument, -amount, againstRealized);
  touchPosition(streams.accounts, account, instrument, accounts.positions[account]);
  touchPosition(streams.accounts, against, instrument, accounts.positions[against]);
  emit(events, DELEVERAGED, DELEVERAGED_SLOTS);
  return true;
}

/** Tier1 is long only: cancels the youngest asks beyond the position. */
function keepLongOnly(lifecycle: Lifecycle, row: number): void {
  const { books, holdings, orders } = lifecycle;
  for (let slot = holdings.orderTail[row]; slot !== 0 && holdings.askSize[row] > Math.max(0, holdings.position[row]);) {
    const older = olderOrder(orders, slot);
    if (orderSide(books, slot) === SELL) removeOpenOrder(lifecycle, slot, DONE_LIQUIDATION);
    slot = older;
  }
}
