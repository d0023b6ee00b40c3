// Every capacity of the core, related to each other in one place. State is allocated at these sizes once:
// untouched pages of a typed array cost no memory, so production capacities are generous, and "full" is a
// named refusal, never a growth. Two sets under the same asserts: PRODUCTION, and SMALL for tests that must
// reach the ends. Units: rows, unless the name says otherwise.

import { DAY, HOUR } from './units.ts';

export type Limits = {
  /** Wallets with an account. */
  readonly accounts: number;
  /** Wallets whose account gave its row back: their highest nonces. */
  readonly closedAccounts: number;
  /** Agent authorisations of open accounts; small tiers have a part of them. */
  readonly agents: number;
  /** Approvals that wait for their wallet to open an account (decision 1.6). */
  readonly pendingApprovals: number;
  /** Revocations of agents that are remembered one by one; a wallet without a row has one nonce for all its agents. */
  readonly revocations: number;
  /** Open orders of all accounts: the order pool. */
  readonly orders: number;
  /** (account, instrument) rows with a position or an open order. */
  readonly holdings: number;
  /** Instruments ever listed and not yet forgotten. */
  readonly instruments: number;
  readonly underlyings: number;
  /** Runs of used nonces of all accounts. */
  readonly nonceRuns: number;
  /** Pages of 64 price levels shared by all books. */
  readonly levelPages: number;
  /** (account, underlying) pairs with a market-maker protection, on or off; never taken back, small tiers have a part of them. */
  readonly mmpConfigs: number;
  /** Fills that the windows of all protections remember together. */
  readonly mmpFills: number;
  /** Settlement payouts whose owner and seen flag are remembered, the newest. */
  readonly payouts: number;
  readonly competitions: number;
};

/** Underlyings a venue has room for at most, so settings kept per underlying have a place. */
export const MAX_UNDERLYINGS = 16;
/** Active agents one wallet may have (decision 1.6). */
export const AGENTS_PER_WALLET = 64;
/** Agents whose revocation one wallet has remembered each by itself. */
export const REVOCATIONS_PER_WALLET = 64;
/** Approvals of one wallet that wait: enough for each of its agents twice. All are read when one comes, and bound in one command. */
export const PENDING_PER_WALLET = 2 * AGENTS_PER_WALLET;
/** How long an approval waits for its wallet to open an account (decision 1.6). */
export const PENDING_TIME = 7 * DAY;
/** Nonces remembered exactly per wallet (decision 3.3). */
export const NONCES_PER_WALLET = 100_000;
/** Runs of nonces that a wallet can have where the memory of all is full, from the wallet with most: more than it has in flight. */
export const FAIR_NONCE_RUNS = 1_024;
/** Moments with fills that one protection remembers exactly. */
export const MMP_FILLS_PER_ROW = 4_096;
/** Reduce-only orders one wallet may have open in one instrument: each fill there looks at all of them. */
export const REDUCE_ONLY_PER_HOLDING = 16;
/** Bytes of UTF-8 in a client order id (decision 3.4). */
export const CLIENT_ID_BYTES = 64;
/** Characters of an underlying's name. */
export const UNDERLYING_CHARS = 8;
/** Characters of a username, all ASCII (decision 5.6). */
export const USERNAME_CHARS = 20;
/** Items of a bulk request (decision 3.7). */
export const BULK_ITEMS = 50;
/** Payouts that one command may mark as seen (decision 6.5). */
export const PAYOUT_IDS_A_COMMAND = 100;
/** Bytes of UTF-8 in the texts of a competition: name, description, address of its rules, the rules themselves. */
export const COMPETITION_TEXT_BYTES: readonly number[] = [100, 1_000, 300, 2_000];
/** Bytes of the largest command record, header and padding included. */
export const RECORD_BYTES = 4096;
/** Part of the orders, holdings, protections and agents that default and tier1 wallets may fill together, in percent (decision 5.4). */
export const SMALL_TIER_POOL_PERCENT = 70;
/** From so much of its capacity on a table is crowded, in percent, and gives rows back (decision 1.6). */
export const CROWDED_PERCENT = 90;
/** Open orders that a default or tier1 wallet may have to place one more while their part of the order pool is crowded. */
export const CROWDED_OPEN_ORDERS = 10;
/** An order of such a wallet that rested so long then ends, unless it is reduce-only. */
export const RESTED_TIME = 7 * DAY;
/** An account that was not used for so long, and never, gives its row back while the table of accounts is crowded. */
export const UNUSED_TIME = 30 * DAY;
/** How often at most a crowded table is looked through. */
export const RECLAIM_EVERY = HOUR;
/** Days ahead that the operator may list a market: no calendar of the venue goes further. */
export const MOST_DAYS_AHEAD = 3_660;
/** Highest price and index price: 1e9 USDC, in price units (decision 2.3). */
export const MAX_PRICE = 1e15;
/** Largest order size: 1e9 contracts, in size units (decision 2.3). */
export const MAX_SIZE = 1e15;
/** Largest price times size of one order: 9e9 USDC, in micros; below 2^53 (decision 2.3). */
export const MAX_ORDER_AMOUNT = 9e15;

export const PRODUCTION: Limits = checked({
  accounts: 1_048_576, closedAccounts: 4_194_304, agents: 1_048_576, pendingApprovals: 100_000, revocations: 262_144,
  orders: 1_048_576, holdings: 4_194_304, instruments: 65_536, underlyings: 16, nonceRuns: 16_777_216, levelPages: 1_048_576,
  mmpConfigs: 65_536, mmpFills: 1_048_576, payouts: 8_388_608, competitions: 1_024,
});

// for tests: they must reach the ends of every table
export const SMALL: Limits = checked({
  accounts: 1_200, closedAccounts: 1_200, agents: 512, pendingApprovals: 64, revocations: 256, orders: 4_096, holdings: 8_192,
  instruments: 1_024, underlyings: 4, nonceRuns: 16_384, levelPages: 4_096, mmpConfigs: 64, mmpFills: 1_024,
  payouts: 2_048, competitions: 8,
});

/** The asserts that hold for every set of limits. */
export function checked(limits: Limits): Limits {
  const { accounts, agents, orders, holdings, instruments, underlyings, levelPages } = limits;
  if (agents < AGENTS_PER_WALLET) throw new RangeError('limits: agents below one wallet’s allowance');
  if (levelPages < orders && levelPages < instruments) throw new RangeError('limits: fewer level pages than books');
  if (holdings < instruments) throw new RangeError('limits: fewer holdings than instruments');
  if (underlyings > MAX_UNDERLYINGS) throw new RangeError('limits: more underlyings than settings have a place for');
  if (instruments > 4_194_304) throw new RangeError('limits: more instruments than an order’s row has bits for');
  if (instruments < underlyings) throw new RangeError('limits: fewer instruments than underlyings');
  if (limits.mmpFills < limits.mmpConfigs * 16) throw new RangeError('limits: fewer than 16 fills a protection');
  const { closedAccounts, competitions, mmpConfigs, nonceRuns, payouts, pendingApprovals, revocations } = limits;
  const others = [closedAccounts, nonceRuns, pendingApprovals, revocations, mmpConfigs, payouts, competitions];
  for (const value of [accounts, orders, ...others]) {
    if (!Number.isInteger(value) || value < 1 || value > 1_073_741_824) throw new RangeError(`limits: ${value} is no capacity`);
  }
  return limits;
}
