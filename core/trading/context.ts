// What trading works on: the stores of the layers below, the scratch of the command in hand and its outcome.
// The outcome is what the reply carries: a code, up to four numbers, flags, and at most one image of an order.

import { float64, int32, uint8 } from '../columns.ts';
import type { Events } from '../codec/events.ts';
import { IMAGE_BYTES } from '../codec/reply.ts';
import type { Limits } from '../limits.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Agents } from '../accounts/agents.ts';
import type { Closed } from '../accounts/closed.ts';
import type { Pending } from '../accounts/pending.ts';
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
import type { Rest } from '../orders/orders.ts';
import type { Safety } from '../safety/safety.ts';
import type { Doomed } from './doomed.ts';
import type { Ended } from './ended.ts';

export type Outcome = {
  code: number;
  readonly numbers: Float64Array;
  /** Flags of the reply beside that of the image (core/codec/reply). */
  flags: number;
  hasImage: boolean;
  readonly image: Uint8Array;
  readonly imageWords: Uint32Array;
  readonly imageDoubles: Float64Array;
};

/** The taker of the command in hand, and its fill in hand. */
export type Taker = {
  account: number; holding: number; orderId: number; instrument: number; underlying: number; kind: number; side: number; time: number;
  isPerp: boolean;
  /** It takes part in a market-maker protection. */
  isProtected: boolean;
  /** There are fees. */
  isCharged: boolean;
  /** Some order was within its limit: whatever became of either, its holding may have changed. */
  hasMet: boolean;
  /** Why it stopped and must not rest, a reason of core/errors; 0: it did not. */
  stopped: number;
  /** Of the fill: the maker's price, the size, what the two come to. */
  price: number; size: number; amount: number;
  /** Of the fill: fees, and what it realised of either's position. */
  fee: number; makerFee: number; realized: number; makerRealized: number;
};

/** Sums of a protection in a rehearsal: quantity, delta, vega. */
export const REHEARSED_SUMS = 3;
/** How many holdings a rehearsal has met. */
export const MET = 0;

/**
 * Scratch of a sweep that is walked through before it is made: per protection what was counted; per holding what was taken from it,
 * whether that would have triggered its account's protection, and the size and reserve of what would have been cancelled; and which
 * holdings were met. All zero between walks.
 */
export type Rehearsal = {
  readonly taken: Float64Array; readonly triggered: Uint8Array; readonly gone: Float64Array; readonly spared: Float64Array;
  readonly counted: Float64Array; readonly met: Int32Array; readonly counters: Int32Array;
};

export type Trading = Margin & {
  readonly accounts: Accounts;
  readonly funding: Funding;
  readonly closed: Closed;
  readonly agents: Agents;
  readonly pending: Pending;
  readonly revocations: Revocations;
  readonly ledger: Ledger;
  readonly underlyings: Underlyings;
  readonly nonces: Nonces;
  readonly books: Books;
  readonly mmp: Mmp;
  readonly doomed: Doomed;
  readonly ended: Ended;
  readonly safety: Safety;
  readonly rehearsal: Rehearsal;
  readonly events: Events;
  readonly streams: Streams;
  readonly outcome: Outcome;
  readonly candidate: Candidate;
  readonly taker: Taker;
  readonly rest: Rest;
};

export function createRehearsal({ holdings, mmpConfigs }: Pick<Limits, 'holdings' | 'mmpConfigs'>): Rehearsal {
  return {
    taken: float64(holdings), triggered: uint8(holdings), gone: float64(holdings), spared: float64(holdings),
    counted: float64(mmpConfigs * REHEARSED_SUMS), met: int32(holdings), counters: int32(1),
  };
}

export function createTaker(): Taker {
  return {
    account: 0, holding: 0, orderId: 0, instrument: 0, underlying: 0, kind: 0, side: 0, time: 0,
    isPerp: false, isProtected: false, isCharged: false, hasMet: false, stopped: 0,
    price: 0, size: 0, amount: 0, fee: 0, makerFee: 0, realized: 0, makerRealized: 0,
  };
}

export function createOutcome(): Outcome {
  const image = new Uint8Array(IMAGE_BYTES);
  return {
    code: 0, numbers: float64(4), flags: 0, hasImage: false, image,
    imageWords: new Uint32Array(image.buffer), imageDoubles: new Float64Array(image.buffer),
  };
}

export function clearOutcome(outcome: Outcome): void {
  outcome.code = 0;
  outcome.flags = 0;
  outcome.hasImage = false;
  for (let i = 0; i < 4; i++) outcome.numbers[i] = 0;
}
