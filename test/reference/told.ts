// What the events of a venue tell, in the terms of the reference model, and the order in which both are compared.

import * as E from '../../core/codec/events.ts';
import type { Fill } from './matching.ts';
import type { Payment, Row, Side } from './terms.ts';

/** Funding of several contracts is paid at once, in no order that is promised. */
export function inOrder(rows: readonly Row[]): Row[] {
  const ordered: Row[] = [];
  for (let from = 0, to = 0; from < rows.length; from = to) {
    for (to = from + 1; rows[from]!.kind === 'funding' && rows[to]?.kind === 'funding';) to++;
    let balance = rows[from]!.balance - rows[from]!.amount;
    const paid = rows.slice(from, to).sort((a, b) => a.slot - b.slot);
    for (const row of paid) ordered.push({ ...row, balance: balance += row.amount });
  }
  return ordered;
}

/** Charges of funding by contract and time. */
export function byTime(payments: readonly Payment[]): Payment[] {
  return [...payments].sort((a, b) => a.slot - b.slot || a.until - b.until);
}

export function paymentOf(slots: Float64Array): Payment {
  return {
    slot: slots[E.PAID_INSTRUMENT]!, from: slots[E.PAID_FROM]!, until: slots[E.PAID_UNTIL]!, hours: slots[E.PAID_HOURS]!,
    rates: BigInt(slots[E.PAID_RATES]!), size: BigInt(slots[E.PAID_POSITION]!), amount: BigInt(slots[E.PAID_AMOUNT]!),
  };
}

export function fillOf(slots: Float64Array): Fill {
  const at = (slot: number): bigint => BigInt(slots[slot]!);
  return {
    slot: slots[E.FILL_INSTRUMENT]!, side: slots[E.FILL_SIDE]! as Side, price: at(E.FILL_PRICE), size: at(E.FILL_SIZE),
    takerFee: at(E.FILL_TAKER_FEE), makerFee: at(E.FILL_MAKER_FEE), takerProfit: at(E.FILL_TAKER_REALIZED),
    makerProfit: at(E.FILL_MAKER_REALIZED),
  };
}
