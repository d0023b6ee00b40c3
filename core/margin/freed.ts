// What closing a part of an account's positions would free of its initial margin, and what one position needs alone: what liquidation
// and deleveraging go by. Money micros, sizes 1e-6 contracts. Nothing here changes a sum.

import { PORTFOLIO } from '../accounts/accounts.ts';
import { positionInitialOf, standardInitial, type Margin } from './account.ts';
import { requirementIf, requirementLeft, standaloneRequirement, type Change } from './portfolio.ts';
import { POSITIONS } from './records.ts';

const scratch: { readonly smaller: Change } = { smaller: { holding: -1, slot: 0, position: 0, bid: 0, ask: 0 } };

/** Initial margin of the positions that would be freed if the one of this holding were `left`. */
export function freedBy(margin: Margin, account: number, holding: number, left: number): number {
  const { accounts, holdings } = margin;
  const { smaller } = scratch;
  const instrument = holdings.instrument[holding];
  if (accounts.mode[account] !== PORTFOLIO) {
    return standardInitial(margin, instrument, holdings.position[holding], 0, 0) - standardInitial(margin, instrument, left, 0, 0);
  }
  smaller.holding = holding;
  smaller.slot = instrument;
  smaller.position = left;
  smaller.bid = holdings.bidSize[holding];
  smaller.ask = holdings.askSize[holding];
  return positionInitialOf(margin, account) - requirementIf(margin, margin.cache.records, account, POSITIONS, smaller);
}

/** The same in portfolio mode, where positions offset each other, if each holding's position became `left(holding)`. */
export function freedTogether(margin: Margin, account: number, left: (holding: number) => number): number {
  const { accounts, cache } = margin;
  return positionInitialOf(margin, account) - requirementLeft(margin, cache.records, account, accounts.holdingHead[account], left);
}

/** Initial margin of a position that stands alone, in the account's mode. */
export function standaloneInitial(margin: Margin, account: number, instrument: number, position: number): number {
  if (margin.accounts.mode[account] !== PORTFOLIO) return standardInitial(margin, instrument, position, 0, 0);
  return standaloneRequirement(margin, margin.cache.records, instrument, position);
}
