// Auto-deleveraging: what the insurance fund may not pay of a deficit is asked of those who hold the opposite side with a
// profit. One position of the bankrupt account after the other, the largest requirement first, is closed against them at
// its zero-equity price: the deficit of that moment, spread over the positions not dealt with yet by their requirement,
// goes on top of the mark. Nobody trades beyond the price at which he has no profit left, so a deal never costs more than
// a profit; what then remains of position and deficit is the fund's.
// The next counterparty is the best-ranked holder, found by a scan over all rows in slices. Rank, in whole millionths:
//   floor(floor(profit * 1e6 / requirement) * floor(value * 1e6 / equity) / 1e6)
// with profit and value of the position at mark, the requirement it has alone, and the equity of its account; each factor
// and the rank are at most 2^53 - 1, a requirement at least 1; ties go to the lower account number. Holders without profit
// or equity, and the fund, are not ranked. Money micros, prices 1e-6 USDC. Source: margin.md, "Liquidation".

import { CONTRACT } from '../units.ts';
import { PPM } from '../settings.ts';
import { mulDivCeil, mulDivFloor } from '../math/exact.ts';
import { ACCOUNT, DELEVERAGED, DELEVERAGED_AGAINST, DELEVERAGED_AGAINST_CASH, DELEVERAGED_AGAINST_POSITION, DELEVERAGED_CASH,
  DELEVERAGED_INSTRUMENT, DELEVERAGED_POSITION, DELEVERAGED_PRICE, DELEVERAGED_SIZE, DELEVERAGED_SLOTS, emit } from '../codec/events.ts';
import { findHolding, holdingRows } from '../positions/holdings.ts';
import { positionValue } from '../margin/standard.ts';
import { equityOf, freshen } from '../margin/account.ts';
import { requirementAlone } from './bridge.ts';
import type { Lifecycle } from './expiry.ts';
import { fundOf } from './fund.ts';
import { DEAL_BEST, DEAL_CURSOR, DEAL_INSTRUMENT, DEAL_PRICE, DEAL_RANK, MARGIN_A_STEP, PASS, ROWS_A_STEP } from './risk.ts';
import { canMove, moveRow } from './transfer.ts';

const NOT_RANKED = -1;

/** One bounded step for the account: true when it has no deficit, or nothing to ask for it, any more. */
export function deleverageStep(lifecycle: Lifecycle, account: number, time: number): boolean {
  const { holdings, risk } = lifecycle;
  const { deal } = risk;
  freshen(lifecycle, account);
  if (deal[DEAL_INSTRUMENT] === 0 && !choosePosition(lifecycle, account)) return true;
  const row = findHolding(holdings, account, deal[DEAL_INSTRUMENT] - 1);
  if (row < 0 || holdings.position[row] === 0) {
    deal.fill(0);
    return false;
  }
  if (!rankSome(lifecycle, row)) return false;
  const best = deal[DEAL_BEST] - 1;
  deal[DEAL_CURSOR] = deal[DEAL_BEST] = deal[DEAL_RANK] = 0;
  if (best < 0) {
    risk.tried[row] = risk.counters[PASS];
    deal.fill(0);
    return false;
  }
  // A client's command between two steps may have changed what was ranked: then the scan begins again.
  if (rankOf(lifecycle, row, best) === NOT_RANKED) return false;
  if (!closeAgainst(lifecycle, row, best, time)) risk.tried[row] = risk.counters[PASS];
  if (holdings.account[row] !== account || risk.tried[row] === risk.counters[PASS]) deal.fill(0);
  return false;
}

/** Chooses the next position and its price; false when there is no deficit or no requirement to spread it over. */
function choosePosition(lifecycle: Lifecycle, account: number): boolean {
  const { accounts, holdings, risk, valuation } = lifecycle;
  const deficit = -equityOf(lifecycle, account);
  if (deficit <= 0) return false;
  let best = -1;
  let most = 0;
  let total = 0;
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    const row = link - 1;
    if (holdings.position[row] === 0 || risk.tried[row] === risk.counters[PASS]) continue;
    const requirement = requirementAlone(lifecycle, account, row);
    total = least(total + requirement);
    if (requirement < most || requirement === 0) continue;
    if (requirement === most && holdings.instrument[row] > holdings.instrument[best]) continue;
    best = row;
    most = requirement;
  }
  if (best < 0) return false;
  const position = holdings.position[best];
  const mark = valuation.mark[holdings.instrument[best]];
  const distance = least(mulDivCeil(least(mulDivCeil(deficit, most, total)), CONTRACT, Math.abs(position)));
  risk.deal.fill(0);
  risk.deal[DEAL_INSTRUMENT] = holdings.instrument[best] + 1;
  risk.deal[DEAL_PRICE] = position > 0 ? least(mark + distance) : Math.max(0, mark - distance);
  return true;
}

function least(value: number): number {
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}

/** Ranks the holders in the next rows against the bankrupt `row`: true when all have been looked at. */
function rankSome(lifecycle: Lifecycle, row: number): boolean {
  const { accounts, holdings } = lifecycle;
  const { deal } = lifecycle.risk;
  const instrument = holdings.instrument[row];
  const rows = holdingRows(holdings);
  const end = Math.min(rows, deal[DEAL_CURSOR] + ROWS_A_STEP);
  let other = deal[DEAL_CURSOR];
  for (let cost = 0; other < end && cost < MARGIN_A_STEP; other++) {
    const account = holdings.account[other];
    if (account < 0 || holdings.instrument[other] !== instrument) continue;
    cost += 1 + accounts.positions[account] + accounts.openOrders[account];
    const rank = rankOf(lifecycle, row, other);
    if (rank === NOT_RANKED || rank < deal[DEAL_RANK]) continue;
    if (rank === deal[DEAL_RANK] && deal[DEAL_BEST] !== 0 && account > holdings.account[deal[DEAL_BEST] - 1]) continue;
    deal[DEAL_BEST] = other + 1;
    deal[DEAL_RANK] = rank;
  }
  deal[DEAL_CURSOR] = other;
  return other >= rows;
}

/** The rank of the holder in row `other` for closing the bankrupt `row`. */
function rankOf(lifecycle: Lifecycle, row: number, other: number): number {
  const { holdings, valuation } = lifecycle;
  const account = holdings.account[other];
  const instrument = holdings.instrument[other];
  const position = holdings.position[other];
  if (account < 0 || account === fundOf(lifecycle) || instrument !== holdings.instrument[row]) return NOT_RANKED;
  if (position === 0 || position > 0 === holdings.position[row] > 0) return NOT_RANKED;
  const entry = entryPrice(holdings.cost[other], position);
  const mark = valuation.mark[instrument];
  if (position > 0 ? entry >= mark : entry <= mark) return NOT_RANKED;
  freshen(lifecycle, account);
  const equity = equityOf(lifecycle, account);
  if (equity <= 0) return NOT_RANKED;
  const value = positionValue(lifecycle, instrument, position);
  const profit = Math.max(0, value - holdings.cost[other]);
  const gain = least(mulDivFloor(profit, PPM, Math.max(1, requirementAlone(lifecycle, account, other))));
  const leverage = least(mulDivFloor(Math.abs(value), PPM, least(equity)));
  return least(mulDivFloor(gain, leverage, PPM));
}

/** The price at which a position of this cost has neither profit nor loss, rounded to its holder's favour. */
function entryPrice(cost: number, position: number): number {
  return position > 0 ? mulDivCeil(cost, CONTRACT, position) : mulDivFloor(-cost, CONTRACT, -position);
}

/** Closes what both have, at the zero-equity price or the holder's entry; false beyond the range of a balance. */
function closeAgainst(lifecycle: Lifecycle, row: number, other: number, time: number): boolean {
  const { accounts, events, holdings, risk } = lifecycle;
  const account = holdings.account[row];
  const against = holdings.account[other];
  const instrument = holdings.instrument[row];
  const position = holdings.position[row];
  const held = holdings.position[other];
  const size = Math.min(Math.abs(position), Math.abs(held));
  const entry = entryPrice(holdings.cost[other], held);
  const zero = risk.deal[DEAL_PRICE];
  const price = held > 0 ? Math.max(0, zero, entry) : Math.min(zero, entry);
  const amount = held > 0 ? mulDivCeil(price, size, CONTRACT) : -mulDivFloor(price, size, CONTRACT);
  const delta = held > 0 ? size : -size;
  if (!canMove(lifecycle, account, row, delta, amount) || !canMove(lifecycle, against, other, -delta, -amount)) return false;
  moveRow(lifecycle, row, delta, amount, time);
  moveRow(lifecycle, other, -delta, -amount, time);
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
  emit(events, DELEVERAGED, DELEVERAGED_SLOTS);
  return true;
}
