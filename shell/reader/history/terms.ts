// Terms of extended orders from the state and from records (shell/ipc/order-terms).

import {
  AMEND_ORDER, BYTE_LINK_ID, BYTE_ORDER_FLAGS, DOUBLE_EXPIRES_AT, DOUBLE_TRIGGER_PRICE, FLAG_REDUCE_ONLY, PLACE_ORDER, REPLACE_ORDER,
  WORD_ORDER_TERMS,
} from '../../../core/codec/commands.ts';
import { recordKind, type Views } from '../../../core/codec/record.ts';
import type { State } from '../../../core/engine/state.ts';
import { LABEL_CHARS } from '../../../core/limits.ts';
import { copyLinkId, hasTerms, isEntryRecord, termsOf } from '../../../core/orders/extended.ts';
import { isExtended, orderFlags } from '../../../core/orders/orders.ts';
import { NO_TERMS, orderTerms, type OrderTerms } from '../../ipc/order-terms.ts';
import { textOfBytes } from '../text.ts';

const linkBytes = new Uint8Array(LABEL_CHARS);

export function termsOfSlot({ orders }: State, slot: number): OrderTerms {
  if (!isExtended(orders, slot)) return NO_TERMS;
  const { extended } = orders;
  const length = copyLinkId(extended, slot, linkBytes, 0);
  return orderTerms(
    termsOf(extended, slot), extended.expiresAt[slot]!, extended.triggerPrice[slot]!, textOfBytes(linkBytes, 0, length),
  );
}

function termsOfRecord(views: Views, at: number): OrderTerms {
  if (!hasTerms(views, at)) return NO_TERMS;
  const { f64, u32, u8 } = views;
  const double = at >>> 3;
  return orderTerms(
    u32[(at >>> 2) + WORD_ORDER_TERMS]!, f64[double + DOUBLE_EXPIRES_AT]!, f64[double + DOUBLE_TRIGGER_PRICE]!,
    textOfBytes(u8, at + BYTE_LINK_ID + 4, isEntryRecord(views, at) ? 0 : u8[at + BYTE_LINK_ID]!),
  );
}

export function termsText(terms: OrderTerms): string {
  return Object.keys(terms).length === 0 ? '' : JSON.stringify(terms);
}

/** `slot` below 0: the order came with the record. */
export function termsOfOrder(state: State, slot: number, views: Views, at: number): OrderTerms {
  if (slot >= 0) return termsOfSlot(state, slot);
  return carriesOrder(views, at) ? termsOfRecord(views, at) : NO_TERMS;
}

/** An order of the venue has no record that carries it; it only reduces. */
export function flagsOfOrder({ orders }: State, slot: number, views: Views, at: number): number {
  if (slot >= 0) return orderFlags(orders, slot);
  return carriesOrder(views, at) ? views.u8[at + BYTE_ORDER_FLAGS]! : FLAG_REDUCE_ONLY;
}

export function carriesOrder(views: Views, at: number): boolean {
  const kind = recordKind(views, at);
  return kind === PLACE_ORDER || kind === REPLACE_ORDER;
}

export function isOrderCommand(views: Views, at: number): boolean {
  return carriesOrder(views, at) || recordKind(views, at) === AMEND_ORDER;
}
