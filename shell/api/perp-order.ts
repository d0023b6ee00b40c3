// A perp order as its client hashed it, from the texts of the request; the audit makes it again from those of the record.

import type { PerpOrder } from './auth/perp-action.ts';
import { isCloid, type OrderTexts } from './values.ts';

/** A client id that cannot be part of the action was not hashed; a `tif` is hashed with a capital. */
export function perpOrderOf(asset: number, texts: OrderTexts, reduceOnly: boolean): PerpOrder {
  const { side, size, price, tif, clientId } = texts;
  const order = { asset, isBuy: side === 'Buy', price, size, reduceOnly, tif: `${tif.slice(0, 1).toUpperCase()}${tif.slice(1)}` };
  return isCloid(clientId) ? { ...order, cloid: clientId } : order;
}
