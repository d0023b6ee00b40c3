// All capacities of the core, in rows unless the name says otherwise. Memory is allocated once at these sizes; untouched pages cost
// nothing, so production is generous. A full table refuses by name and never grows.

import { DAY, HOUR } from './units.ts';

export type Limits = {
  readonly accounts: number;
  readonly closedAccounts: number;
  /** Small tiers share a part. */
  readonly agents: number;
  /** Approvals waiting for an account (decision 1.6). */
  readonly pendingApprovals: number;
  /** A wallet without a row has one nonce for all its agents. */
  readonly revocations: number;
  readonly orders: number;
  /** (account, instrument) pairs with a position or open order. */
  readonly holdings: number;
  readonly instruments: number;
  readonly underlyings: number;
  readonly nonceRuns: number;
  /** Pages of 64 price levels. */
  readonly levelPages: number;
  /** (account, underlying) pairs, on or off. Never freed; small tiers share a part. */
  readonly mmpConfigs: number;
  /** In the windows of all protections. */
  readonly mmpFills: number;
  readonly payouts: number;
  readonly competitions: number;
  readonly credits: number;
};

export const MAX_UNDERLYINGS = 16;
/** ASCII. */
export const AGENT_NAME_CHARS = 16;
export const AGENTS_PER_WALLET = 64;
export const REVOCATIONS_PER_WALLET = 64;
/** One command may read or bind all of them. */
export const PENDING_PER_WALLET = 2 * AGENTS_PER_WALLET;
/** Decision 1.6. */
export const PENDING_TIME = 7 * DAY;
/** Remembered one by one (decision 3.3). */
export const NONCES_PER_WALLET = 100_000;
/** Each wallet can get so many when the pool is full: more than it has in flight. */
export const FAIR_NONCE_RUNS = 1_024;
export const MMP_FILLS_PER_ROW = 4_096;
/** Small, because each fill visits all reduce-only orders of its holding. */
export const REDUCE_ONLY_PER_HOLDING = 16;
/** UTF-8 (decision 3.4). */
export const CLIENT_ID_BYTES = 64;
export const UNDERLYING_CHARS = 8;
/** ASCII characters in the name that links orders, or in the name of a quote set. */
export const LABEL_CHARS = 32;
/** Linked orders of one wallet in one contract. Small, because each fill visits all of them. */
export const LINKED_ORDERS = 8;
export const EXPIRED_ORDERS_A_TICK = 128;
/** Waiting triggers of the venue, and below of a wallet by its tier. */
export const TRIGGERS = 262_144;
export const TRIGGERS_A_WALLET: readonly number[] = [20, 10, 100, 200];
/** A step ends with so many orders, or with the order that reaches so many fills. */
export const FIRED_A_STEP = 32;
export const FILLS_A_FIRING_STEP = 1_024;
export const USERNAME_CHARS = 20;
/** Decision 3.7. */
export const BULK_ITEMS = 50;
/** Decision 6.5. */
export const PAYOUT_IDS_A_COMMAND = 100;
/** UTF-8: name, description, URL of the rules, rules. */
export const COMPETITION_TEXT_BYTES: readonly number[] = [100, 1_000, 300, 2_000];
/** extensions.md 7. */
export const CREDIT_ID_BYTES = 32;
export const CREDIT_REASON_BYTES = 256;
/** 9e9 USDC, in both directions: what the operator may bring a balance to. */
export const MAX_BALANCE = 9e15;
/** The largest record: a mass quote of 100 lines and 12,288 bytes of text. */
export const RECORD_BYTES = 20_480;
export const QUOTE_LINES = 100;
/** UTF-8. */
export const QUOTE_TEXT_BYTES = 12_288;
/** Items of a batch, and UTF-8 bytes of its signed text. With both at their bound, its record is below RECORD_BYTES. */
export const BATCH_ITEMS = 50;
export const BATCH_TEXT_BYTES = 10_240;
/** How far ahead a batch may schedule the cancel of all orders, ms. */
export const SCHEDULE_AHEAD: readonly [least: number, most: number] = [5_000, DAY];
/** How far ahead `valid_until` may lie, ms. */
export const QUOTE_VALID_TIME = 60_000;
/** Share of orders, holdings, protections and agents that default and tier1 wallets may fill together (decision 5.4). */
export const SMALL_TIER_POOL_PERCENT = 70;
/** A table fuller than this frees rows (decision 1.6). */
export const CROWDED_PERCENT = 90;
/** Per small-tier wallet while the small tiers' part of the pool is crowded. */
export const CROWDED_OPEN_ORDERS = 10;
/** After this time orders of small tiers end in a crowded pool, unless reduce-only. */
export const RESTED_TIME = 7 * DAY;
/** After this time an unused account closes while accounts are crowded. */
export const UNUSED_TIME = 30 * DAY;
/** Least time between searches of a crowded table. */
export const RECLAIM_EVERY = HOUR;
export const MOST_DAYS_AHEAD = 3_660;
/** 1e9 USDC, for index prices too (decision 2.3). */
export const MAX_PRICE = 1e15;
/** 1e9 contracts (decision 2.3). */
export const MAX_SIZE = 1e15;
/** Price times size: 9e9 USDC, below 2^53 (decision 2.3). */
export const MAX_ORDER_AMOUNT = 9e15;

export const PRODUCTION: Limits = checked({
  accounts: 1_048_576, closedAccounts: 4_194_304, agents: 1_048_576, pendingApprovals: 100_000, revocations: 262_144,
  orders: 1_048_576, holdings: 4_194_304, instruments: 65_536, underlyings: 16, nonceRuns: 16_777_216, levelPages: 1_048_576,
  mmpConfigs: 65_536, mmpFills: 1_048_576, payouts: 8_388_608, competitions: 1_024, credits: 100_000,
});

// for tests: they must reach the ends of every table
export const SMALL: Limits = checked({
  accounts: 1_200, closedAccounts: 1_200, agents: 512, pendingApprovals: 64, revocations: 256, orders: 4_096, holdings: 8_192,
  instruments: 1_024, underlyings: 4, nonceRuns: 16_384, levelPages: 4_096, mmpConfigs: 64, mmpFills: 1_024,
  payouts: 2_048, competitions: 8, credits: 16,
});

/** Throws if the limits contradict each other. */
export function checked(limits: Limits): Limits {
  const { accounts, agents, orders, holdings, instruments, underlyings, levelPages } = limits;
  if (agents < AGENTS_PER_WALLET) throw new RangeError('limits: fewer agents than one wallet may have');
  if (levelPages < orders && levelPages < instruments) throw new RangeError('limits: fewer level pages than books');
  if (holdings < instruments) throw new RangeError('limits: fewer holdings than instruments');
  if (underlyings > MAX_UNDERLYINGS) throw new RangeError('limits: more underlyings than settings have a place for');
  if (instruments > 4_194_304) throw new RangeError('limits: more instruments than an order’s row has bits for');
  if (instruments < underlyings) throw new RangeError('limits: fewer instruments than underlyings');
  if (limits.mmpFills < limits.mmpConfigs * 16) throw new RangeError('limits: fewer than 16 fills a protection');
  const { closedAccounts, competitions, credits, mmpConfigs, nonceRuns, payouts, pendingApprovals, revocations } = limits;
  const others = [closedAccounts, nonceRuns, pendingApprovals, revocations, mmpConfigs, payouts, competitions, credits];
  for (const value of [accounts, orders, ...others]) {
    if (!Number.isInteger(value) || value < 1 || value > 1_073_741_824) throw new RangeError(`limits: ${value} is not from 1 to 2^30`);
  }
  return limits;
}
