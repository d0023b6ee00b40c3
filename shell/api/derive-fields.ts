// Derives the fields of a record from signed values, or the first failed value check. The audit uses this module too,
// so a record that passes holds what was signed.

import {
  AMEND_ORDER, APPROVE_NAMED_AGENT, BATCH, CANCEL_ALL, CANCEL_QUOTES, FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, FLAG_RFQ_ONLY, fieldsOf,
  MASS_QUOTE, PERP, PLACE_ORDER, REPLACE_ORDER, SET_MMP, VOID_NONCES,
} from '../../core/codec/commands.ts';
import { numberOf, type AnyFields } from '../../core/codec/fields.ts';
import type { Field, Fields, FieldValue, U64 } from '../../core/codec/signed-commands.ts';
import { OK } from '../../core/errors.ts';
import { createTerms, packUnderlying } from '../../core/instruments/symbol.ts';
import { actionOfText, batchFields, parseAction } from './hl/action.ts';
import { approvalFields, type ApprovalTexts } from './hl/approve-agent.ts';
import { coinsOfText } from './hl/assets.ts';
import { extensionFields, orderFields, packedName } from './order-fields.ts';
import type { AnyValues, ProofStructure } from './proof-texts.ts';
import { parseQuotes, type QuotePage } from './quote-page.ts';
import { utf8Bytes } from './utf8.ts';
import {
  amendValues, labelOf, mmpValues, orderValues, parseConnection, parseIds, parseU64, scopeValues, upToCode, type OrderTexts,
} from './values.ts';
import { POST_ONLYS } from '../ipc/enum-names.ts';

export type DerivedFields = {
  readonly code: number; readonly fields: AnyFields;
  readonly tail?: Uint8Array;
};

/** `flags`: signed values override the bits that a signature covers. */
export function deriveFields(kind: number, structure: ProofStructure, values: AnyValues, flags = 0): DerivedFields {
  switch (kind) {
    case PLACE_ORDER: case REPLACE_ORDER: return deriveOrder(structure, values, flags);
    case AMEND_ORDER: return deriveAmend(values);
    case CANCEL_ALL: return deriveScope(values['scope'] as string);
    case MASS_QUOTE: return deriveQuotes(values);
    case CANCEL_QUOTES: return deriveQuotesCancelled(values);
    case SET_MMP: return deriveProtection(values);
    case BATCH: return deriveBatch(values);
    case APPROVE_NAMED_AGENT: return approvalFields(values as ApprovalTexts);
    case VOID_NONCES: return { ...deriveByRow(kind, values, flags), code: upToCode(values['upTo'] as U64, values['nonce'] as U64) };
    default: return deriveByRow(kind, values, flags);
  }
}

function deriveByRow(kind: number, values: AnyValues, flags: number): DerivedFields {
  const fields: Record<string, FieldValue> = {};
  for (const field of fieldsOf(kind)) {
    const { name, unsigned } = field;
    const value = unsigned === undefined ? values[name] : flags & unsigned;
    if (value === undefined) continue;
    const converted = fieldValue(field, value);
    if (converted === null && field.code === undefined) throw new RangeError(`invalid ${name}`);
    if (converted === null) return { code: field.code!, fields };
    fields[name] = converted;
  }
  return { code: OK, fields };
}

function fieldValue(field: Field, value: unknown): FieldValue | null {
  switch (field.type) {
    case 'u64': return typeof value === 'string' ? parseU64(value) : value as U64;
    case 'f64': return numberOf(value as U64);
    case 'name': return nameOf(value as string);
    case 'connection': return parseConnection(value as string);
    case 'ids': return parseIds(value as string, (field.bytes >>> 3) - 1);
    case 'choice': {
      const place = field.words!.indexOf(value as string);
      return place < 0 && field.code !== undefined ? null : place;
    }
    case 'text': {
      const fits = utf8Bytes(value as string) <= field.bytes - 4 && field.form?.test(value as string) !== false;
      return fits ? value as string : null;
    }
    case 'u8': case 'u32': return Number(value);
    case 'address': return value as Uint8Array;
  }
}

function nameOf(text: string): U64 | null {
  const terms = createTerms();
  return packUnderlying(text, terms) ? packedName(terms) : null;
}

/** No signature covers the opt-out of market-maker protection or the route of a perp. */
function deriveOrder(structure: ProofStructure, values: AnyValues, flags: number): DerivedFields {
  const texts = values as unknown as OrderTexts;
  const derived = orderValues(texts);
  const isExtended = structure === 'PlaceOrderExtended' || structure === 'ReplaceOrderExtended';
  const isReplace = structure.startsWith('ReplaceOrder');
  const isPerp = derived.contract.terms.kind === PERP;
  const extension = isExtended ? extensionFields(values, derived) : {};
  if (derived.code === OK && !isReplace && !isExtended && isPerp !== (structure === 'Agent')) {
    throw new RangeError(`${structure} is not how such an order is signed`);
  }
  const unsigned = structure === 'Agent' ? FLAG_MMP_OPT_OUT | FLAG_RFQ_ONLY : FLAG_MMP_OPT_OUT;
  const signed = (values['reduceOnly'] === true ? FLAG_REDUCE_ONLY : 0) | (values['route'] === 'rfq_only' ? FLAG_RFQ_ONLY : 0);
  const fields = { ...orderFields(derived, texts.clientId, (flags & unsigned) | signed), ...extension };
  if (!isReplace) return { code: derived.code, fields };
  const orderId = parseU64(values['orderId'] as string);
  if (orderId === null) throw new RangeError('invalid orderId');
  return { code: derived.code, fields: { ...fields, orderId } };
}

function deriveAmend(values: AnyValues): DerivedFields {
  const { code, size, price, triggerPrice } = amendValues(values as unknown as Parameters<typeof amendValues>[0]);
  const orderId = parseU64(values['orderId'] as string);
  if (orderId === null) throw new RangeError('invalid orderId');
  const fields: Fields<'AMEND_ORDER'> = { orderId, size, price, triggerPrice, validUntil: numberOf(values['validUntil'] as U64) };
  return { code, fields };
}

function deriveScope(text: string): DerivedFields {
  const { code, scope, terms } = scopeValues(text);
  const fields: Fields<'CANCEL_ALL'> = {
    underlying: packedName(terms), expiry: terms.expiry, strike: terms.strike, scope, contractKind: terms.kind,
  };
  return { code, fields };
}

function deriveQuotes(values: AnyValues): DerivedFields {
  const { fault, page } = parseQuotes(values['quotes'] as string);
  if (fault !== null) throw new RangeError(`invalid quotes: ${fault}`);
  return quoteFields(values, page);
}

export function quoteFields(values: AnyValues, { bytes, lines, placements, sides }: QuotePage): DerivedFields {
  const { quoteSet, validUntil } = values as { readonly quoteSet: string; readonly validUntil: U64 };
  const fields: Omit<Fields<'MASS_QUOTE'>, 'mostOpen' | 'mostPositions'> = {
    underlying: packedName(lines[0]!.contract.terms), validUntil: numberOf(validUntil), lines: lines.length, sides, placements,
    crossing: POST_ONLYS.indexOf(values['crossing'] as (typeof POST_ONLYS)[number]), quoteSet: labelOf(quoteSet),
  };
  return { code: OK, fields, tail: bytes };
}

function deriveBatch(values: AnyValues): DerivedFields {
  const { action, assets, expiresAfter } = values as Readonly<Record<string, string>>;
  const nonce = values['nonce'] as U64;
  const parsed = parseAction(actionOfText(action!), coinsOfText(assets!), String(numberOf(nonce)));
  if (!parsed.ok) throw new RangeError(`invalid action: ${parsed.message}`);
  return batchFields(parsed.value, expiresAfter!);
}

function deriveQuotesCancelled(values: AnyValues): DerivedFields {
  const { code, fields } = deriveScope(values['scope'] as string);
  return { code, fields: { ...fields, quoteSet: labelOf(values['quoteSet'] as string) } };
}

function deriveProtection(values: AnyValues): DerivedFields {
  const { code, terms, quantity, delta, vega } = mmpValues(values as unknown as Parameters<typeof mmpValues>[0]);
  const { intervalMs, frozenTimeMs } = values as { readonly intervalMs: U64; readonly frozenTimeMs: U64 };
  const fields: Fields<'SET_MMP'> = {
    currency: packedName(terms), intervalMs: numberOf(intervalMs), frozenTimeMs: numberOf(frozenTimeMs), qtyLimit: quantity,
    deltaLimit: delta, vegaLimit: vega,
  };
  return { code, fields };
}
