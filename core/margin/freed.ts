// Initial margin that closing positions would free, for liquidation and deleveraging.

import { PORTFOLIO } from '../accounts/accounts.ts';
import { positionInitialOf, standardInitial, type Margin } from './account-margin.ts';
import { requirementIf, requirementLeft, standaloneRequirement, type Change } from './portfolio-requirement.ts';
import { POSITIONS } from './portfolio-sums.ts';

const scratch: { readonly smaller: Change } = { smaller: { holding: -1, slot: 0, position: 0, bid: 0, ask: 0 } };

/** `left`: the holding's new position. Open orders are not counted. */
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
  return positionInitialOf(margin, account) - requirementIf(margin, margin.cache.portfolios, account, POSITIONS, smaller);
}

/** The same in portfolio mode if every holding's position becomes `left(holding)`. */
export function freedTogether(margin: Margin, account: number, left: (holding: number) => number): number {
  const { accounts, cache } = margin;
  return positionInitialOf(margin, account) - requirementLeft(margin, cache.portfolios, account, accounts.holdingHead[account], left);
}

export function standaloneInitial(margin: Margin, account: number, instrument: number, position: number): number {
  if (margin.accounts.mode[account] !== PORTFOLIO) return standardInitial(margin, instrument, position, 0, 0);
  return standaloneRequirement(margin, margin.cache.portfolios, instrument, position);
}
