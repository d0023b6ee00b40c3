// Settlement payouts by id: the owner, and whether its wallet has marked it as seen. Only the newest are kept, so that no settlement fails
// for lack of room.

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section, uint8 } from '../columns.ts';
import { NOT_OWN_PAYOUT, OK } from '../errors.ts';
import { DOUBLE_PAYOUT_IDS, WORD_PAYOUT_COUNT } from '../codec/commands.ts';
import { ACCOUNT, emit, PAYOUT_ID, PAYOUT_SEEN, PAYOUT_SEEN_SLOTS, type Events } from '../codec/events.ts';
import type { Views } from '../codec/record.ts';
import type { CommandResult } from '../trading/context.ts';

const IDS = 0;

export type Payouts = {
  readonly capacity: number;
  readonly counters: Float64Array;
  readonly account: Int32Array;
  readonly seen: Uint8Array;
};

type Seeing = { readonly payouts: Payouts; readonly events: Events; readonly result: Pick<CommandResult, 'code' | 'numbers'> };

export function createPayouts(capacity: number): Payouts {
  return { capacity, counters: float64(1), account: int32(capacity), seen: uint8(capacity) };
}

export function addPayout({ capacity, counters, account: owners, seen }: Payouts, account: number): number {
  assert(account >= 0, 'payouts: a payout has an account');
  const row = counters[IDS] % capacity;
  owners[row] = account;
  seen[row] = 0;
  return ++counters[IDS];
}

function rowOf({ capacity, counters }: Payouts, id: number): number {
  return id >= 1 && id <= counters[IDS] && id > counters[IDS] - capacity ? (id - 1) % capacity : -1;
}

/** Result: how many ids were named, how many are newly seen; NOT_OWN_PAYOUT, nothing changed. Unknown ids are ignored. */
export function seePayouts({ payouts, events, result }: Seeing, views: Views, at: number, account: number): void {
  const count = views.u32[(at >>> 2) + WORD_PAYOUT_COUNT];
  const ids = (at >>> 3) + DOUBLE_PAYOUT_IDS;
  for (let i = 0; i < count; i++) {
    const row = rowOf(payouts, views.f64[ids + i]);
    if (row < 0 || payouts.account[row] === account) continue;
    result.code = NOT_OWN_PAYOUT;
    result.numbers[0] = views.f64[ids + i];
    return;
  }
  result.code = OK;
  result.numbers[0] = count;
  for (let i = 0; i < count; i++) {
    const row = rowOf(payouts, views.f64[ids + i]);
    if (row < 0 || payouts.seen[row] !== 0) continue;
    payouts.seen[row] = 1;
    result.numbers[1]++;
    events.slots[ACCOUNT] = account;
    events.slots[PAYOUT_ID] = views.f64[ids + i];
    emit(events, PAYOUT_SEEN, PAYOUT_SEEN_SLOTS);
  }
}

export function payoutSections(payouts: Payouts): readonly Section[] {
  const used = (): number => Math.min(payouts.counters[IDS], payouts.capacity);
  return [
    fixedSection('payouts.counters', payouts.counters), { name: 'payouts.account', column: payouts.account, used },
    { name: 'payouts.seen', column: payouts.seen, used },
  ];
}
