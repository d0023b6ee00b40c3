// The stores that trading uses, and the scratch memory and result of the current command.

import { float64, int32, uint8 } from '../columns.ts';
import type { Events } from '../codec/events.ts';
import { ITEM_RECORD_BYTES } from '../codec/batch-items.ts';
import { QUOTE_ANSWERS } from '../codec/quote-answers.ts';
import { viewsOf, type Views } from '../codec/record.ts';
import { IMAGE_BYTES } from '../codec/reply.ts';
import type { Limits } from '../limits.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Agents } from '../accounts/agents.ts';
import type { ClosedAccounts } from '../accounts/closed-accounts.ts';
import type { PendingApprovals } from '../accounts/pending-approvals.ts';
import type { QuoteNonces } from '../accounts/quote-nonces.ts';
import type { PerpAccounts } from '../positions/perp-accounts.ts';
import type { Revocations } from '../accounts/revocations.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Underlyings } from '../instruments/underlyings.ts';
import type { Streams } from '../streams.ts';
import type { Nonces } from '../nonces.ts';
import type { Books } from '../book/layout.ts';
import type { Funding } from '../positions/funding.ts';
import type { Margin } from '../margin/account-margin.ts';
import type { Candidate } from '../margin/order-check.ts';
import type { Mmp } from '../mmp/mmp.ts';
import type { Link } from '../orders/extended.ts';
import type { RestingOrder } from '../orders/orders.ts';
import type { Safety } from '../safety/safety.ts';
import type { MmpCancels } from './mmp-cancels.ts';
import type { CancelJobs } from './cancel-jobs.ts';

export type CommandResult = {
  code: number;
  readonly numbers: Float64Array;
  flags: number;
  hasImage: boolean;
  readonly image: Uint8Array;
  readonly imageWords: Uint32Array;
  readonly imageDoubles: Float64Array;
  /** Answers of a mass quote (core/codec/quote-answers) or a batch (batch-items), and how many numbers are in use. */
  readonly answers: Float64Array;
  answered: number;
};

export type Taker = {
  account: number; holding: number; orderId: number; instrument: number; underlying: number; kind: number; side: number; time: number;
  isPerp: boolean;
  isProtected: boolean;
  isCharged: boolean;
  slot: number;
  /** For an extended order: an STP_ code; its link, of length 0 if it has none. */
  stp: number;
  readonly link: Link;
  /** It met an order, so its holding may have changed. */
  hasMet: boolean;
  /** Why it must not rest (a reason of core/errors), or 0. */
  stopped: number;
  /** Of all fills: price times size. */
  paid: number;
  /** Of the fill: the maker's price, the size, price times size. */
  price: number; size: number; amount: number;
  fee: number; makerFee: number; realized: number; makerRealized: number;
};

/** Sums for each protection: quantity, delta, vega. */
export const DRY_RUN_SUMS = 3;
/** Counters: holdings met; orders met that have a link. */
export const MET = 0;
export const LINKED = 1;

/**
 * Scratch of a fill-or-kill dry run, zero between runs. Per holding: size taken, protection triggered, size and reserve that would be
 * cancelled. Per linked order: size given.
 */
export type DryRun = {
  readonly taken: Float64Array; readonly triggered: Uint8Array; readonly gone: Float64Array; readonly spared: Float64Array;
  readonly counted: Float64Array; readonly met: Int32Array; readonly counters: Int32Array; readonly given: Float64Array;
  readonly linked: Int32Array;
};

export type Trading = Margin & {
  readonly accounts: Accounts;
  readonly funding: Funding;
  readonly closed: ClosedAccounts;
  readonly agents: Agents;
  readonly pending: PendingApprovals;
  readonly revocations: Revocations;
  readonly ledger: Ledger;
  readonly underlyings: Underlyings;
  readonly nonces: Nonces;
  readonly quoteNonces: QuoteNonces;
  readonly perpAccounts: PerpAccounts;
  readonly books: Books;
  readonly mmp: Mmp;
  readonly mmpCancels: MmpCancels;
  readonly cancelJobs: CancelJobs;
  readonly safety: Safety;
  readonly dryRun: DryRun;
  readonly events: Events;
  readonly streams: Streams;
  readonly result: CommandResult;
  readonly candidate: Candidate;
  readonly taker: Taker;
  readonly rest: RestingOrder;
  readonly item: Views;
};

export function createItem(): Views {
  return viewsOf(new ArrayBuffer(ITEM_RECORD_BYTES));
}

export function createDryRun({ holdings, mmpConfigs, orders }: Pick<Limits, 'holdings' | 'mmpConfigs' | 'orders'>): DryRun {
  return {
    taken: float64(holdings), triggered: uint8(holdings), gone: float64(holdings), spared: float64(holdings),
    counted: float64(mmpConfigs * DRY_RUN_SUMS), met: int32(holdings), counters: int32(2), given: float64(orders),
    linked: int32(orders),
  };
}

export function createTaker(): Taker {
  return {
    account: 0, holding: 0, orderId: 0, instrument: 0, underlying: 0, kind: 0, side: 0, time: 0,
    isPerp: false, isProtected: false, isCharged: false, hasMet: false, stopped: 0, slot: 0,
    stp: 0, link: { account: 0, instrument: 0, words: new Uint32Array(0), at: 0, length: 0 },
    paid: 0, price: 0, size: 0, amount: 0, fee: 0, makerFee: 0, realized: 0, makerRealized: 0,
  };
}

export function createResult(): CommandResult {
  const image = new Uint8Array(IMAGE_BYTES);
  return {
    code: 0, numbers: float64(4), flags: 0, hasImage: false, image,
    imageWords: new Uint32Array(image.buffer), imageDoubles: new Float64Array(image.buffer),
    answers: new Float64Array(QUOTE_ANSWERS), answered: 0,
  };
}

export function clearResult(result: CommandResult): void {
  result.code = 0;
  result.flags = 0;
  result.answered = 0;
  result.hasImage = false;
  for (let i = 0; i < 4; i++) result.numbers[i] = 0;
}
