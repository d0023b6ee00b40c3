// Fields of an order's record from its checked values, for every way in which an order may be signed. The audit uses this module
// too.

import { numberOf } from '../../core/codec/fields.ts';
import type { Fields, U64 } from '../../core/codec/signed-commands.ts';
import type { Terms } from '../../core/instruments/symbol.ts';
import type { AnyValues } from './proof-texts.ts';
import { extendedValues, type ExtendedTexts, type OrderValues } from './values.ts';

export function packedName({ underlyingLo, underlyingHi }: Pick<Terms, 'underlyingLo' | 'underlyingHi'>): U64 {
  return { lo: underlyingLo, hi: underlyingHi };
}

type PlainFields = Omit<Fields<'PLACE_ORDER'>, keyof ExtensionFields>;

export function orderFields({ contract, price, size, side, tif }: OrderValues, clientId: string, flags: number): PlainFields {
  const { terms } = contract;
  return {
    underlying: packedName(terms), expiry: terms.expiry, strike: terms.strike, price, size, contractKind: terms.kind, side, tif, flags,
    clientId,
  };
}

type ExtensionFields = Pick<
  Fields<'PLACE_ORDER'>, 'postOnly' | 'stp' | 'triggerBy' | 'triggerDirection' | 'expiresAt' | 'validUntil' | 'triggerPrice' | 'linkId'
>;

/** A failed check of these replaces a later one in `derived`. */
export function extensionFields(values: AnyValues, derived: OrderValues): ExtensionFields {
  const { expiresAt, validUntil } = values as { readonly expiresAt: U64; readonly validUntil: U64 };
  return {
    ...extendedValues(values as unknown as ExtendedTexts, derived), expiresAt: numberOf(expiresAt), validUntil: numberOf(validUntil),
  };
}
