// The value checks of an order and of the other commands: the client's texts to the numbers of its record, or the code of
// the first check that fails, in the order of decision 3.12: side, tif, size, price, symbol, client id. Units: price
// 1e-6 USDC, size 1e-6 contracts. The audit derives the same numbers from the recorded texts with this module.
// Never looks at the venue: whether a contract is listed is the core's to say.

import { parsePrice, parseSize } from '../../core/codec/decimal.ts';
import { AMOUNT_TOO_LARGE, CLIENT_ID_TOO_LONG, INVALID_SIDE, INVALID_TIF, OK, SYMBOL_FORMAT } from '../../core/errors.ts';
import { createOptionTerms, formatSymbol, parseSymbol, SYMBOL_OK, type OptionTerms } from '../../core/instruments/symbol.ts';
import { CLIENT_ID_BYTES, MAX_ORDER_AMOUNT } from '../../core/limits.ts';
import { mulDivCeil } from '../../core/math/exact.ts';
import { CONTRACT, type Price, type Size } from '../../core/units.ts';

/** Sides, times in force and tiers; the index is their number in records. */
export const SIDES = ['Buy', 'Sell'] as const;
export const TIFS = ['gtc', 'ioc', 'fok'] as const;
export const TIERS = ['default', 'tier1', 'tier2', 'market_maker'] as const;

type OrderTexts = {
  readonly side: string; readonly tif: string; readonly size: string; readonly price: string; readonly symbol: string;
  readonly clientId: string;
};

/** `code` is OK or the first failed check; the numbers mean something only when it is OK. */
export type OrderValues = { code: number; side: number; tif: number; size: Size; price: Price; terms: OptionTerms };

export function orderValues(texts: OrderTexts): OrderValues {
  const side = (SIDES as readonly string[]).indexOf(texts.side);
  const tif = (TIFS as readonly string[]).indexOf(texts.tif);
  const size = parseSize(texts.size);
  const price = parsePrice(texts.price);
  const terms = createOptionTerms();
  const shape = parseSymbol(texts.symbol, terms);
  const values = { code: OK, side, tif, size, price, terms };
  if (side < 0) values.code = INVALID_SIDE;
  else if (tif < 0) values.code = INVALID_TIF;
  else if (size < 0) values.code = -size;
  else if (price < 0) values.code = -price;
  else if (mulDivCeil(price, size, CONTRACT) > MAX_ORDER_AMOUNT) values.code = AMOUNT_TOO_LARGE;
  else if (shape !== SYMBOL_OK) values.code = SYMBOL_FORMAT;
  else values.code = clientIdCode(texts.clientId);
  return values;
}

export function clientIdCode(clientId: string): number {
  return Buffer.byteLength(clientId) > CLIENT_ID_BYTES ? CLIENT_ID_TOO_LONG : OK;
}

/** The canonical symbol of a text that names an option in either style; any other text as it is. */
export function canonicalSymbol(text: string): string {
  const terms = createOptionTerms();
  return parseSymbol(text, terms) === SYMBOL_OK ? formatSymbol(terms) : text;
}
