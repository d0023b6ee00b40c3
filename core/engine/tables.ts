// Fill levels of the bounded tables, for metrics. What happens when one is full: docs/ARCHITECTURE.md. Decides nothing.

import { openAccounts } from '../accounts/accounts.ts';
import { agentRows, smallTierAgents } from '../accounts/agents.ts';
import { closedCount } from '../accounts/closed-accounts.ts';
import { pendingCount } from '../accounts/pending-approvals.ts';
import { instrumentRoom } from '../instruments/instruments.ts';
import { SMALL_TIER_POOL_PERCENT } from '../limits.ts';
import { windowRows } from '../mmp/windows.ts';
import { nonceRunsInUse } from '../nonces.ts';
import { OPEN, SMALL_TIER_OPEN, smallTierPlaces } from '../orders/orders.ts';
import { liveHoldings } from '../positions/holdings.ts';
import { competitionCount } from '../registry/competitions.ts';
import type { State } from './state.ts';

type Table = { readonly name: string; readonly used: (state: State) => number; readonly capacity: (state: State) => number };

const share = (rows: number): number => Math.floor(rows * SMALL_TIER_POOL_PERCENT / 100);

export const TABLES: readonly Table[] = [
  { name: 'accounts', used: ({ accounts }) => openAccounts(accounts), capacity: ({ limits }) => limits.accounts },
  { name: 'closed_accounts', used: ({ closed }) => closedCount(closed), capacity: ({ limits }) => limits.closedAccounts },
  { name: 'pending_approvals', used: ({ pending }) => pendingCount(pending), capacity: ({ limits }) => limits.pendingApprovals },
  { name: 'agents', used: ({ agents }) => agentRows(agents), capacity: ({ limits }) => limits.agents },
  { name: 'agents_small_tiers', used: ({ agents }) => smallTierAgents(agents), capacity: ({ limits }) => share(limits.agents) },
  { name: 'orders', used: ({ orders }) => orders.counters[OPEN], capacity: ({ limits }) => limits.orders - 1 },
  { name: 'orders_small_tiers', used: ({ orders }) => orders.counters[SMALL_TIER_OPEN], capacity: ({ orders }) => smallTierPlaces(orders) },
  { name: 'holdings', used: ({ holdings }) => liveHoldings(holdings), capacity: ({ limits }) => limits.holdings },
  { name: 'holdings_small_tiers', used: ({ holdings }) => holdings.ofSmallTiers[0], capacity: ({ limits }) => share(limits.holdings) },
  {
    name: 'instruments', used: ({ instruments }) => instruments.capacity - instrumentRoom(instruments),
    capacity: ({ limits }) => limits.instruments,
  },
  { name: 'price_level_pages', used: ({ books }) => books.pagesUsed, capacity: ({ limits }) => limits.levelPages },
  { name: 'nonce_runs', used: ({ nonces }) => nonceRunsInUse(nonces), capacity: ({ limits }) => limits.nonceRuns },
  { name: 'protections', used: ({ mmp }) => windowRows(mmp.windows), capacity: ({ limits }) => limits.mmpConfigs },
  { name: 'protections_small_tiers', used: ({ mmp }) => mmp.small[0], capacity: ({ limits }) => share(limits.mmpConfigs) },
  { name: 'competitions', used: (state) => competitionCount(state), capacity: ({ limits }) => limits.competitions },
];
