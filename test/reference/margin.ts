// Margin of the reference model: value, collateral and requirement of an account in both modes, what open orders reserve, and which orders
// need no margin (MARGIN.md, "One view of an account" to "Orders that only close", and docs/decisions/attacks.md). Computed anew each
// time over all positions and open orders; slow on purpose.

import { EXACT, least, MILLION, most, nearest, sizeOf, up } from './money.ts';
import { greeksOf, scenarioRows, type Priced } from './pricing.ts';
import { BUY, CALL, closable, copyAccount, openSizes, PERP, PORTFOLIO, positionIn, PUT, SELL, STANDARD, type Account, type Order,
  type Position, type Side, type World } from './terms.ts';
import { pendingFunding, trade } from './positions.ts';

const HOUR = 3_600_000n;

/** Values of one contract at the marks: `theo` has options at their theoretical price, perps at the index. */
type Worth = 'mark' | 'theo';

const kindOf = ({ market }: World, slot: number): number => market.contracts[slot]!.kind;
const indexOf = ({ market }: World, slot: number): bigint => market.index[market.contracts[slot]!.underlying]!;

function worthOf(world: World, slot: number, worth: Worth): bigint {
  return worth === 'theo' && kindOf(world, slot) === PERP ? indexOf(world, slot) : world.market[worth][slot]!;
}

/** Decision 2.7: a rate on underlying notional, an option's at most 12.5 % of its premium; rounded up (decision 2.4). */
export function feeOf(world: World, rate: bigint, slot: number, price: bigint, size: bigint): bigint {
  const fee = up(rate * size * indexOf(world, slot), MILLION * MILLION);
  return kindOf(world, slot) === PERP ? fee : least(fee, up(world.rules.feePart * price * size, MILLION * MILLION));
}

/** "One account view": cash, positions at `worth`, less the cost and the pending funding of perps. */
export function equityOf(world: World, account: Account, worth: Worth): bigint {
  let equity = account.cash;
  for (const [slot, position] of account.positions) {
    equity += nearest(position.size * worthOf(world, slot, worth), MILLION);
    if (kindOf(world, slot) === PERP) equity -= position.cost + pendingFunding(world, slot, position);
  }
  return equity;
}

/** True if the terms of equity are exact in doubles in any order of addition. */
export function isExact(world: World, account: Account): boolean {
  let gross = sizeOf(account.cash);
  for (const [slot, { cost, size }] of account.positions) {
    gross += sizeOf(nearest(size * world.market.mark[slot]!, MILLION)) + (kindOf(world, slot) === PERP ? sizeOf(cost) : 0n);
  }
  return gross <= EXACT;
}

/** Equity less what is no collateral: in standard mode long options, in portfolio mode what `uncounted` says. */
export function collateralOf(world: World, account: Account): bigint {
  let collateral = equityOf(world, account, 'mark');
  for (const [slot, position] of account.positions) {
    collateral -= uncounted(world, account.mode, slot, position);
  }
  return collateral;
}

/**
 * Of an option's value at its mark. In portfolio mode it counts at mark or theo, whichever is worse for its holder, and so does a
 * perp (decision record 17); a long option with a stale surface by half.
 */
function uncounted(world: World, mode: number, slot: number, { size }: Position): bigint {
  const [atMark, atTheo] = (['mark', 'theo'] as const).map((worth) => nearest(size * worthOf(world, slot, worth), MILLION));
  const isPerp = kindOf(world, slot) === PERP;
  if (mode === STANDARD) return isPerp ? 0n : most(0n, atMark!);
  const counted = least(atMark!, atTheo!);
  if (isPerp) return atMark! - counted;
  return atMark! - (size > 0n && world.market.hasStaleSurface[slot]! ? counted - nearest(counted, 2n) : counted);
}

/**
 * What open orders reserve, oldest first: an option's bid its premium, less mark · size of the part, at most the short in all, that
 * closes one; every other what it loses against the mark; each with the fee of a taker.
 */
export function reservesOf(world: World, account: Account, orders: readonly Order[]): bigint {
  let reserves = 0n;
  const closableShorts = new Map<number, bigint>();
  for (const { slot, side, price, left } of orders) {
    const mark = world.market.mark[slot]!;
    const fee = feeOf(world, world.rules.takerFee, slot, price, left);
    if (kindOf(world, slot) === PERP || side === SELL || account.mode === PORTFOLIO) {
      reserves += up(most(0n, side === BUY ? price - mark : mark - price) * left, MILLION) + fee;
      continue;
    }
    const short = closableShorts.get(slot) ?? closable(positionIn(account, slot), BUY);
    const closing = least(short, left);
    closableShorts.set(slot, short - closing);
    reserves += most(0n, up(price * left, MILLION) + fee - mark * closing / MILLION);
  }
  return reserves;
}

/** Initial margin of the positions with these open orders. */
export function initialOf(world: World, account: Account, orders: readonly Order[]): bigint {
  const slots = [...new Set([...account.positions.keys(), ...orders.map(({ slot }) => slot)])];
  return account.mode === PORTFOLIO ? portfolioInitial(world, account, orders, slots)
    : slots.reduce((sum, slot) => sum + standardInitial(world, slot, positionIn(account, slot), openSizes(orders, slot)), 0n);
}

/** "Standard mode": perps on the largest position that open orders could lead to, options on the short exposure; no offsets. */
function standardInitial(world: World, slot: number, position: bigint, { bids, asks }: { bids: bigint; asks: bigint }): bigint {
  const { rules, market } = world;
  const mark = market.mark[slot]!;
  const index = indexOf(world, slot);
  const { kind, strike } = market.contracts[slot]!;
  if (kind === PERP) {
    return up(up(rules.perp * mark, MILLION) * most(sizeOf(position), sizeOf(position + bids), sizeOf(position - asks)), MILLION);
  }
  const outOfTheMoney = most(0n, kind === CALL ? strike - index : index - strike);
  const each = most(
    up(rules.shortOption * index, MILLION) - outOfTheMoney, up(rules.shortOptionLeast * index, MILLION),
    kind === PUT ? up(rules.shortPutLeast * most(index, mark), MILLION) : 0n,
  );
  return up((most(0n, asks - most(0n, position)) + most(0n, -position)) * each, MILLION);
}

/** "Portfolio mode" 4 to 8: IM = max(scanning risk, option floor) + gamma overlay, the sums over underlyings taken first. */
function portfolioInitial(world: World, account: Account, orders: readonly Order[], slots: readonly number[]): bigint {
  const { market, rules } = world;
  let [scanning, floor, overlay] = [0n, 0n, 0n];
  for (const underlying of new Set(slots.map((slot) => market.contracts[slot]!.underlying))) {
    const rows: bigint[] = [];
    const buckets = new Map<string, { net: bigint; left: bigint }>();
    for (const slot of slots.filter((one) => market.contracts[one]!.underlying === underlying)) {
      const position = positionIn(account, slot);
      const { bids, asks } = openSizes(orders, slot);
      rowsOf(world, slot).forEach((change, row) => {
        rows[row] = (rows[row] ?? 0n) + nearest(position * change, MILLION)
          + nearest(bids * least(0n, change), MILLION) + nearest(asks * least(0n, -change), MILLION);
      });
      const { kind, expiry } = market.contracts[slot]!;
      if (kind === PERP) continue;
      const bucket = buckets.get(`${expiry} ${kind}`) ?? { net: 0n, left: BigInt(expiry - market.markedAt[underlying]!) };
      buckets.set(`${expiry} ${kind}`, { ...bucket, net: bucket.net + position - asks });
    }
    scanning += most(0n, -least(rows[0]!, ...rows));
    const shorts = [...buckets.values()].map(({ net, left }) => ({ short: most(0n, -net), left }));
    const index = market.index[underlying]!;
    floor += up(rules.optionFloor * up(index * shorts.reduce((sum, { short }) => sum + short, 0n), MILLION), MILLION);
    for (const { short, left } of shorts) {
      overlay += up(rules.gammaOverlay * up(index * short, MILLION) * rampOf(rules.preset, left), MILLION * 24n * HOUR);
    }
  }
  return most(scanning, floor) + overlay;
}

/** Part of the gamma overlay so long before expiry, of 24 hours: a ramp from 72 hours on, in `venue17` a step at 48. */
function rampOf(preset: 'dense' | 'venue17', left: bigint): bigint {
  if (preset === 'venue17') return left <= 48n * HOUR ? 24n * HOUR : 0n;
  return least(24n * HOUR, most(0n, 72n * HOUR - left));
}

export function requiredOf(world: World, account: Account, orders: readonly Order[]): bigint {
  return initialOf(world, account, orders) + reservesOf(world, account, orders);
}

export function hasMargin(world: World, account: Account, orders: readonly Order[]): boolean {
  return collateralOf(world, account) >= requiredOf(world, account, orders);
}

/**
 * An order that closes loses nothing, or no more than the account's equity: against the mark, and against theo of equity at theo
 * (docs/decisions/attacks.md). A taker's close pays the fee of a taker, one that rested that of a maker.
 */
export function canLose(world: World, account: Account, slot: number, side: Side, price: bigint, size: bigint, fee: bigint): boolean {
  return (['mark', 'theo'] as const).every((worth) => {
    const value = worthOf(world, slot, worth);
    const loss = nearest((side === BUY ? price - value : value - price) * size, MILLION) + fee;
    return loss <= most(0n, equityOf(world, account, worth));
  });
}

/**
 * "An order is accepted when", the exemption: with the other open orders of its side no larger than what it closes, no worse than
 * mark by more than the closing distance, no loss beyond equity, and as much above the requirement as before once it has filled.
 */
export function isExempt(world: World, account: Account, order: Order, others: readonly Order[]): boolean {
  const { rules, market } = world;
  const { slot, side, price, left } = order;
  const open = openSizes(others, slot)[side === BUY ? 'bids' : 'asks'];
  if (left + open > closable(positionIn(account, slot), side)) return false;
  const mark = market.mark[slot]!;
  const index = indexOf(world, slot);
  const distance = kindOf(world, slot) === PERP ? rules.closingPerp * index : most(rules.closingMark * mark, rules.closingIndex * index);
  if ((side === BUY ? price - mark : mark - price) * MILLION > distance) return false;
  const fee = feeOf(world, rules.takerFee, slot, price, left);
  if (!canLose(world, account, slot, side, price, left, fee)) return false;
  const after = copyAccount(account);
  trade(world, after, slot, side, price, left, fee);
  return collateralOf(world, after) - requiredOf(world, after, others) >= collateralOf(world, account) - requiredOf(world, account, others);
}

/**
 * Decision 4.4: notional per wallet and underlying, open orders included; an order that makes no position larger may pass. Where a
 * contract costs next to nothing, sizes meet the end of their exact range first.
 */
export function isBeyondLimit(world: World, account: Account, own: readonly Order[], order: Order): boolean {
  const { underlying } = world.market.contracts[order.slot]!;
  const largest = (orders: readonly Order[]): bigint => {
    const slots = new Set([...account.positions.keys(), ...orders.map(({ slot }) => slot)]);
    return [...slots].filter((slot) => world.market.contracts[slot]!.underlying === underlying).reduce((sum, slot) => {
      const position = positionIn(account, slot);
      const { bids, asks } = openSizes(orders, slot);
      return sum + most(sizeOf(position), sizeOf(position + bids), sizeOf(position - asks));
    }, 0n);
  };
  const after = largest([...own, order]);
  const { bids, asks } = openSizes([...own, order], order.slot);
  if (most(bids, asks) > EXACT) return true;
  return after > largest(own) && (after > EXACT || after * world.market.index[underlying]! > world.rules.positionLimit * MILLION);
}

/** Delta and vega of one contract at the marks. */
export function greeksIn(world: World, slot: number): { delta: bigint; vega: bigint } {
  return greeksOf(pricedOf(world, slot));
}

/** Scenario rows, computed once for each state of the market. */
const rowsKept = new WeakMap<object, Map<number, bigint[]>>();

function rowsOf(world: World, slot: number): bigint[] {
  const kept = rowsKept.get(world.market) ?? new Map<number, bigint[]>();
  rowsKept.set(world.market, kept);
  const rows = kept.get(slot) ?? scenarioRows(pricedOf(world, slot), world.rules.preset);
  kept.set(slot, rows);
  return rows;
}

function pricedOf(world: World, slot: number): Priced {
  const { average, contracts, markedAt, sigma } = world.market;
  const { expiry, kind, strike, underlying } = contracts[slot]!;
  return {
    kind, strike: Number(strike), index: Number(indexOf(world, slot)), average: average[underlying]!, left: expiry - markedAt[underlying]!,
    sigma: sigma[slot]!,
  };
}
